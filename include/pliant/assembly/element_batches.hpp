// The elements of a mesh, arranged for the lanes of the element kernel.
#pragma once

#include <cmath>
#include <cstddef>

#include <pliant/algebra/tensor.hpp>
#include <pliant/assembly/block_matrix.hpp>

namespace pliant::detail::assembly {

// Lanes of 32 bytes, for every instruction set.
template <class Scalar>
inline constexpr int kernel_width = sizeof(Scalar) == 8 ? 4 : 8;

// Batches of `width` elements in internal order; every array is batch-major with the lanes innermost. The
// last batch is padded with copies of its last element with zero weight.
template <Element E, class ScalarType, Isa isa = PLIANT_NATIVE_ISA>
struct ElementBatches {
  using Scalar = ScalarType;

  // Elements that the kernel computes at once. Twice as many hide latencies, in particular of the SVD, if
  // there are enough registers; otherwise they cost more than they gain.
  static constexpr int width = (isa == Isa::avx512 ? 2 : 1) * kernel_width<Scalar>;
  static constexpr int nodes = E::nodes;
  static constexpr int gradient_size = (E::nodes - 1) * E::dim;
  static constexpr int blocks = nodes * (nodes + 1) / 2;  // of the upper half of an element's stiffness

  int count = 0;  // batches
  std::ptrdiff_t element_count = 0;
  std::vector<int> to_user;         // user's element number of each element
  AlignedVector<int> offsets;       // node number times node_stride, [batch][node][lane]
  AlignedVector<Scalar> gradients;  // dN_a/dX of the nodes 1, 2, ..., [batch][point][node - 1][axis][lane],
                                    // 1/m; the gradients of all nodes sum to zero
  AlignedVector<Scalar> weights;    // rest volume of each quadrature point, [batch][point][lane], m^3
  AlignedVector<int> slots;         // block of the matrix for each node pair a <= b, [batch][lane][pair]

  const int* offsets_of(int batch) const { return offsets.data() + std::ptrdiff_t{batch} * nodes * width; }
  const Scalar* gradients_of(int batch, int point) const {
    return gradients.data() + (std::ptrdiff_t{batch} * E::quadrature_points + point) * gradient_size * width;
  }
  const Scalar* weights_of(int batch, int point) const {
    return weights.data() + (std::ptrdiff_t{batch} * E::quadrature_points + point) * width;
  }
  const int* slots_of(int batch, int lane) const {
    return slots.data() + (std::ptrdiff_t{batch} * width + lane) * blocks;
  }
  // The lowest node of a batch; ascending.
  int first_node(int batch) const { return offsets_of(batch)[0] / node_stride<E::dim>; }

  // Finds the slots in a pattern, which must contain the blocks of all elements. Nodes ascend within an
  // element, and so do its slots in any pattern.
  void find_slots(const BlockPattern& pattern) {
    core::parallel_for(count, 256, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      int* slot = slots.data() + begin * width * blocks;
      for (std::ptrdiff_t batch = begin; batch < end; ++batch) {
        const int* const offset = offsets_of(static_cast<int>(batch));
        for (int lane = 0; lane < width; ++lane) {
          const auto node = [&](int a) { return offset[a * width + lane] / node_stride<E::dim>; };
          for (int a = 0; a < nodes; ++a) {
            for (int b = a; b < nodes; ++b) *slot++ = pattern.slot(node(a), node(b));
          }
        }
      }
    });
  }
};

// `nodes` are the rest positions in internal numbering (dim x #nodes, m); `thickness` is that of a plane body
// [m], and 1 for a body in space.
template <Element E, class Scalar, Isa isa, class Positions>
ElementBatches<E, Scalar, isa> make_batches(const OrderedElements<E>& ordered, const Positions& nodes,
                                            const BlockPattern& pattern, double thickness) {
  using Batches = ElementBatches<E, Scalar, isa>;
  constexpr int width = Batches::width;
  const auto node_count = static_cast<std::size_t>(nodes.cols());
  offset_of("coordinates", node_count * node_stride<E::dim>, node_count, node_count);
  Batches batches;
  batches.element_count = ordered.elements.cols();
  batches.count = static_cast<int>((batches.element_count + width - 1) / width);
  batches.to_user = ordered.to_user;
  const auto lanes = static_cast<std::size_t>(batches.count) * width;
  batches.offsets.resize(lanes * E::nodes);
  batches.gradients.resize(lanes * E::quadrature_points * Batches::gradient_size);
  batches.weights.resize(lanes * E::quadrature_points);
  batches.slots.resize(lanes * Batches::blocks);

  for (std::ptrdiff_t position = 0; position < static_cast<std::ptrdiff_t>(lanes); ++position) {
    const std::ptrdiff_t batch = position / width, lane = position % width;
    const bool filler = position >= batches.element_count;
    const std::ptrdiff_t e = filler ? batches.element_count - 1 : position;
    SmallMatrix<double, E::dim, E::nodes> X;
    for (int a = 0; a < E::nodes; ++a) {
      const int node = ordered.elements(a, e);
      batches.offsets[static_cast<std::size_t>((batch * E::nodes + a) * width + lane)] =
          node * node_stride<E::dim>;
      for (int i = 0; i < E::dim; ++i) X(i, a) = static_cast<double>(nodes(i, node));
    }
    for (int point = 0; point < E::quadrature_points; ++point) {
      const SmallMatrix<double, E::nodes, E::dim> reference = E::shape_gradient(point);
      SmallMatrix<double, E::nodes, E::dim> permuted;
      for (int a = 0; a < E::nodes; ++a) {
        for (int j = 0; j < E::dim; ++j) permuted(a, j) = reference(ordered.corner(a, e), j);
      }
      const SmallMatrix<double, E::dim, E::dim> jacobian = algebra::times(X, permuted);
      const double det = determinant(jacobian);
      const auto gradient = algebra::times(permuted, algebra::inverse(jacobian));  // grad N = dN/dxi J^-1
      const std::ptrdiff_t at = batch * E::quadrature_points + point;
      for (int a = 1; a < E::nodes; ++a) {
        for (int axis = 0; axis < E::dim; ++axis) {
          const std::ptrdiff_t entry = (at * (E::nodes - 1) + (a - 1)) * E::dim + axis;
          batches.gradients[static_cast<std::size_t>(entry * width + lane)] =
              static_cast<Scalar>(gradient(a, axis));
        }
      }
      batches.weights[static_cast<std::size_t>(at * width + lane)] =
          filler ? Scalar(0) : static_cast<Scalar>(E::quadrature_weight(point) * det * thickness);
    }
  }
  batches.find_slots(pattern);
  return batches;
}

}  // namespace pliant::detail::assembly
