// The common kernel of all elements and energies: energy, gradient and stiffness of a batch of elements.
#pragma once

#include <algorithm>

#include <pliant/assembly/element_batches.hpp>
#include <pliant/assembly/straining.hpp>
#include <pliant/energy/plastic_strain.hpp>
#include <pliant/energy/tangent.hpp>
#include <pliant/energy/viscosity.hpp>
#include <pliant/simd/rows.hpp>

namespace pliant {

// The results of an evaluation; each includes the previous ones.
enum class Evaluate { energy, gradient, tangent };

}  // namespace pliant

namespace pliant::detail::assembly {

// The rows of the matrix and of the gradient that a thread may write: [begin, end), with their blocks.
struct OwnedRows {
  int begin, end;
  int slot_begin, slot_end;
};

// F = sum_a x_a (grad N_a)^T at each quadrature point; f_a = w P grad N_a; K_ab = w (grad N_a . H . grad
// N_b). The gradients of the shape functions sum to zero, so that those of node 0 are not stored, and its
// rows follow from the other rows.
template <Element E, class Scalar, Isa isa = PLIANT_NATIVE_ISA>
class ElementKernel {
 public:
  using Batches = ElementBatches<E, Scalar, isa>;
  static constexpr int dim = E::dim;
  static constexpr int nodes = E::nodes;
  static constexpr int quadrature_points = E::quadrature_points;
  static constexpr int width = Batches::width;
  static constexpr int stride = node_stride<dim>;
  static constexpr int blocks = Batches::blocks;
  static constexpr int block_size = dim * dim;
  static constexpr int strain_size = dim * (dim + 1) / 2;
  using T = Lane<Scalar, width, isa>;

  // All elements of a batch.
  struct EveryLane {};

  // The elements with a nonzero number in `marks`, which has one for each lane.
  struct MarkedLanes {
    const Scalar* marks;
  };

  // Energy of the `lanes` of a batch [J]; adds their gradient [N] and their stiffness [N/m], times
  // `stiffness_scale`, to the owned rows. `gradient` and `matrix` may be null if they are not computed. The
  // plastic strains of the batch, see PlasticStrains, may be null if they are zero.
  template <Evaluate evaluate, Projection projection, class Energy, class Lanes = EveryLane>
  static Scalar run(const Energy& energy, const Batches& batches, int batch, const Scalar* positions,
                    Scalar stiffness_scale, const OwnedRows& rows, Scalar* gradient, Scalar* matrix,
                    Lanes lanes = {}, [[maybe_unused]] const Scalar* plastic_strains = nullptr) {
    if constexpr (energy::is_plastic<Energy>) {
      if (plastic_strains == nullptr) {
        return run<evaluate, projection>(static_cast<const typename Energy::Elastic&>(energy), batches, batch,
                                         positions, stiffness_scale, rows, gradient, matrix, lanes);
      }
      PlasticPoints<Energy, Lanes> points{energy, lanes, plastic_strains, {}};
      gather_edges(batches.offsets_of(batch), positions, points.edge);
      return accumulate<evaluate, projection>(points, batches, batch, stiffness_scale, rows, gradient,
                                              matrix);
    } else {
      ElasticPoints<Energy, Lanes> points{energy, lanes, {}};
      gather_edges(batches.offsets_of(batch), positions, points.edge);
      return accumulate<evaluate, projection>(points, batches, batch, stiffness_scale, rows, gradient,
                                              matrix);
    }
  }

  // The same for the viscous stress of a law (viscosity.hpp), whose energy is the potential of the damping
  // over a step [J]. `small_strain`: F is the identity, and the strain that of LinearElastic.
  template <Evaluate evaluate, Projection projection, bool small_strain, class Law, class Lanes = EveryLane>
  static Scalar damp(const Law& law, const Batches& batches, int batch,
                     const Straining<const Scalar*>& straining, const OwnedRows& rows, Scalar* gradient,
                     Scalar* matrix, Lanes lanes = {}) {
    const int* const offsets = batches.offsets_of(batch);
    StrainedPoints<Law, Lanes, small_strain> points{law, lanes, straining, {}, {}, {}};
    if constexpr (!small_strain) gather_edges(offsets, straining.start, points.edge);
    if (straining.displacement != nullptr) gather_edges(offsets, straining.displacement, points.moved);
    if (straining.velocity != nullptr) gather_edges(offsets, straining.velocity, points.speed);
    // A small strain is linear in u: its Hessian consists only of the part that the projection keeps.
    constexpr Projection part = small_strain ? Projection::clamp : projection;
    return accumulate<evaluate, part>(points, batches, batch, Scalar(1), rows, gradient, matrix);
  }

  // The plastic flow of the `lanes` of a batch in a step of dt [s] that ends at the positions. Returns
  // whether any plastic strain has changed.
  template <class Energy, class Lanes = EveryLane>
  static bool flow(const Energy& energy, const Batches& batches, int batch, const Scalar* positions,
                   double dt, Scalar* plastic_strains, Lanes lanes = {}) {
    PlasticPoints<Energy, Lanes> points{energy, lanes, plastic_strains, {}};
    gather_edges(batches.offsets_of(batch), positions, points.edge);
    bool changed = false;
    for (int point = 0; point < E::quadrature_points; ++point) {
      SmallVector<T, dim> shape_gradient[nodes - 1];
      load_gradients(batches.gradients_of(batch, point), shape_gradient);
      T weight(Scalar(1));
      const SmallMatrix<T, dim, dim> F = points.deformation(shape_gradient, weight);
      SmallMatrix<T, dim, dim> p = points.plastic_strain(point);
      const T flows = energy::flow(energy.plasticity(), dt, energy::strain_of(energy, F), p) * weight;
      if (!any(flows > constant<T>(0))) continue;
      changed = true;
      Scalar* entry = plastic_strains + point * strain_size * width;
      for (int j = 0; j < dim; ++j) {
        for (int i = 0; i <= j; ++i, entry += width) {
          store(entry, select(flows > constant<T>(0), p(i, j), load<T>(entry)));
        }
      }
    }
    return changed;
  }

  // The number of inverted elements, with det F < 0 at a point, among the first `used` of a batch.
  static int inverted(const Batches& batches, int batch, int used, const Scalar* positions) {
    SmallVector<T, dim> edge[nodes - 1];
    gather_edges(batches.offsets_of(batch), positions, edge);
    T least = constant<T>(0);
    for (int point = 0; point < E::quadrature_points; ++point) {
      SmallVector<T, dim> shape_gradient[nodes - 1];
      load_gradients(batches.gradients_of(batch, point), shape_gradient);
      least = min(least, determinant<T, dim>(deformation_gradient(edge, shape_gradient)));
    }
    int count = 0;
    if (any(least < constant<T>(0))) {
      for (int l = 0; l < used; ++l) count += lane(least, l) < 0;
    }
    return count;
  }

 private:
  using Edges = SmallVector<T, dim>[nodes - 1];  // from node 0, or gradients of the other nodes

  // The elastic energy at a quadrature point with the shape gradients g. Sets the weight of excluded elements
  // to zero.
  template <class Energy, class Lanes>
  struct ElasticPoints {
    const Energy& energy;
    const Lanes& lanes;
    Edges edge;  // x_a - x_0

    PLIANT_INLINE auto at(int, const Edges& g, [[maybe_unused]] T& weight) const {
      SmallMatrix<T, dim, dim> F = deformation_gradient(edge, g);
      if constexpr (std::is_same_v<Lanes, MarkedLanes>) leave_out(load<T>(lanes.marks), weight, F);
      return energy::energy_at(energy, F);
    }
  };

  // The same with plastic strains.
  template <class Energy, class Lanes>
  struct PlasticPoints {
    const Energy& energy;
    const Lanes& lanes;
    const Scalar* plastic_strains;
    Edges edge;

    PLIANT_INLINE auto at(int point, const Edges& g, T& weight) const {
      const SmallMatrix<T, dim, dim> F = deformation(g, weight);
      return energy::energy_at(energy, F, plastic_strain(point));
    }

    PLIANT_INLINE SmallMatrix<T, dim, dim> deformation(const Edges& g, [[maybe_unused]] T& weight) const {
      SmallMatrix<T, dim, dim> F = deformation_gradient(edge, g);
      if constexpr (std::is_same_v<Lanes, MarkedLanes>) leave_out(load<T>(lanes.marks), weight, F);
      return F;
    }

    PLIANT_INLINE SmallMatrix<T, dim, dim> plastic_strain(int point) const {
      const Scalar* entry = plastic_strains + point * strain_size * width;
      SmallMatrix<T, dim, dim> p;
      PLIANT_UNROLL for (int j = 0; j < dim; ++j) {
        PLIANT_UNROLL for (int i = 0; i <= j; ++i, entry += width) p(i, j) = p(j, i) = load<T>(entry);
      }
      return p;
    }
  };

  // The viscous stress.
  template <class Law, class Lanes, bool small_strain>
  struct StrainedPoints {
    using Matrix = SmallMatrix<T, dim, dim>;
    const Law& law;
    const Lanes& lanes;
    const Straining<const Scalar*>& straining;
    Edges edge, moved, speed;  // of the positions, u and w

    PLIANT_INLINE energy::ViscousState<Law, T, dim> at(int, const Edges& g, T& weight) const {
      if constexpr (std::is_same_v<Lanes, MarkedLanes>) {
        weight = select(load<T>(lanes.marks) != T(Scalar(0)), weight, T(Scalar(0)));
      }
      Matrix F;
      if constexpr (small_strain) {
        PLIANT_UNROLL for (int k = 0; k < dim * dim; ++k) F.data()[k] =
            constant<T>(k % (dim + 1) == 0 ? 1 : 0);
      } else {
        F = deformation_gradient(edge, g);
      }
      Matrix rate;
      PLIANT_UNROLL for (int k = 0; k < dim * dim; ++k) rate.data()[k] = constant<T>(0);
      if (straining.velocity != nullptr) {
        const Matrix W = deformation_gradient(speed, g);
        add_symmetric(straining.factor, algebra::transposed_times<T, dim, dim, dim>(F, W), rate);
      }
      if (straining.displacement != nullptr) {
        // G(F + U) - G(F) = sym((F + U/2)^T U)
        const Matrix U = deformation_gradient(moved, g);
        Matrix middle = F;
        if constexpr (!small_strain) {
          PLIANT_UNROLL for (int k = 0; k < dim * dim; ++k) {
            middle.data()[k] = multiply_add(constant<T>(0.5), U.data()[k], F.data()[k]);
            F.data()[k] += U.data()[k];
          }
        }
        add_symmetric(1 / straining.time, algebra::transposed_times<T, dim, dim, dim>(middle, U), rate);
      }
      return {law, F, rate, constant<T>(straining.time)};
    }

    static PLIANT_INLINE void add_symmetric(double factor, const Matrix& A, Matrix& sum) {
      const T half = constant<T>(factor / 2);
      PLIANT_UNROLL for (int j = 0; j < dim; ++j) {
        PLIANT_UNROLL for (int i = 0; i < dim; ++i) sum(i, j) =
            multiply_add(half, A(i, j) + A(j, i), sum(i, j));
      }
    }
  };

  template <Evaluate evaluate, Projection projection, class Points>
  static PLIANT_INLINE Scalar accumulate(const Points& points, const Batches& batches, int batch,
                                         Scalar stiffness_scale, const OwnedRows& rows, Scalar* gradient,
                                         Scalar* matrix) {
    const int* const offsets = batches.offsets_of(batch);
    // The data of a batch are beyond the reach of hardware prefetching during the previous batch.
    const int next = std::min(batch + 1, batches.count - 1);
    prefetch(batches.offsets_of(next), nodes * width);
    if constexpr (evaluate >= Evaluate::tangent) prefetch(batches.slots_of(next, 0), width * blocks);

    T total = constant<T>(0);
    SmallVector<T, dim> force[nodes];
    T stiffness[padded(blocks * block_size)];
    if constexpr (evaluate >= Evaluate::gradient) {
      PLIANT_UNROLL for (auto& f : force) f.fill(constant<T>(0));
    }
    if constexpr (evaluate >= Evaluate::tangent) {
      for (T& entry : stiffness) entry = constant<T>(0);
    }

    for (int point = 0; point < E::quadrature_points; ++point) {
      SmallVector<T, dim> shape_gradient[nodes - 1];
      load_gradients(batches.gradients_of(batch, point), shape_gradient);
      T weight = load<T>(batches.weights_of(batch, point));
      prefetch(batches.gradients_of(next, point), (nodes - 1) * dim * width);
      prefetch(batches.weights_of(next, point), width);
      const auto state = points.at(point, shape_gradient, weight);
      // The padding of the last batch has no weight, and 0 * infinity would be NaN.
      total += select(weight != T(Scalar(0)), weight * state.psi(), T(Scalar(0)));
      if constexpr (evaluate >= Evaluate::gradient) add_forces(state.pk1(), weight, shape_gradient, force);
      if constexpr (evaluate >= Evaluate::tangent) {
        add_inner_blocks(state.template tangent<projection>(), T(stiffness_scale) * weight, shape_gradient,
                         stiffness);
      }
    }

    if constexpr (evaluate >= Evaluate::gradient) scatter_forces(offsets, rows, force, gradient);
    if constexpr (evaluate >= Evaluate::tangent) {
      complete_blocks(stiffness);
      scatter_blocks(batches, batch, rows, stiffness, matrix);
    }
    return sum(total);
  }

  static constexpr int padded(int count) { return (count + width - 1) / width * width; }

  // Index of the pair a <= b in the upper half, row by row.
  static constexpr int pair(int a, int b) { return a * nodes - a * (a - 1) / 2 + (b - a); }

  static PLIANT_INLINE void gather_edges(const int* offsets, const Scalar* positions,
                                         SmallVector<T, dim> (&edge)[nodes - 1]) {
    PLIANT_UNROLL for (int axis = 0; axis < dim; ++axis) {
      const T origin = gather<T>(positions + axis, offsets);
      PLIANT_UNROLL for (int a = 1; a < nodes; ++a) edge[a - 1](axis) =
          gather<T>(positions + axis, offsets + a * width) - origin;
    }
  }

  static PLIANT_INLINE void load_gradients(const Scalar* stored, SmallVector<T, dim> (&g)[nodes - 1]) {
    PLIANT_UNROLL for (auto& of_node : g) {
      PLIANT_UNROLL for (int axis = 0; axis < dim; ++axis, stored += width) of_node(axis) = load<T>(stored);
    }
  }

  static PLIANT_INLINE SmallMatrix<T, dim, dim> deformation_gradient(
      const SmallVector<T, dim> (&edge)[nodes - 1], const SmallVector<T, dim> (&g)[nodes - 1]) {
    SmallMatrix<T, dim, dim> F;
    PLIANT_UNROLL for (int j = 0; j < dim; ++j) {
      PLIANT_UNROLL for (int i = 0; i < dim; ++i) {
        T entry = edge[0](i) * g[0](j);
        PLIANT_UNROLL for (int a = 1; a < nodes - 1; ++a) entry = multiply_add(edge[a](i), g[a](j), entry);
        F(i, j) = entry;
      }
    }
    return F;
  }

  // Excluded elements get the rest state, for which every energy is defined, and zero weight.
  static PLIANT_INLINE void leave_out(const T& marks, T& weight, SmallMatrix<T, dim, dim>& F) {
    const auto marked = marks != T(Scalar(0));
    weight = select(marked, weight, T(Scalar(0)));
    PLIANT_UNROLL for (int j = 0; j < dim; ++j) {
      PLIANT_UNROLL for (int i = 0; i < dim; ++i) F(i, j) =
          select(marked, F(i, j), T(Scalar(i == j ? 1 : 0)));
    }
  }

  static PLIANT_INLINE void add_forces(const SmallMatrix<T, dim, dim>& P, const T& weight,
                                       const SmallVector<T, dim> (&g)[nodes - 1],
                                       SmallVector<T, dim> (&force)[nodes]) {
    PLIANT_UNROLL for (int a = 1; a < nodes; ++a) {
      PLIANT_UNROLL for (int i = 0; i < dim; ++i) {
        T entry = P(i, 0) * g[a - 1](0);
        PLIANT_UNROLL for (int j = 1; j < dim; ++j) entry = multiply_add(P(i, j), g[a - 1](j), entry);
        entry *= weight;
        force[a](i) += entry;
        force[0](i) -= entry;
      }
    }
  }

  // The blocks of the pairs without node 0.
  template <class Tangent>
  static PLIANT_INLINE void add_inner_blocks(const Tangent& tangent, const T& weight,
                                             const SmallVector<T, dim> (&g)[nodes - 1], T* stiffness) {
    using Node = std::remove_cvref_t<decltype(tangent.at_node(g[0]))>;
    Node node[nodes - 1];
    PLIANT_UNROLL for (int a = 0; a < nodes - 1; ++a) node[a] = tangent.at_node(g[a]);
    for (int a = 1; a < nodes; ++a) {
      for (int b = a; b < nodes; ++b) {
        const SmallMatrix<T, dim, dim> K = tangent.block(node[a - 1], node[b - 1]);
        T* const entry = stiffness + pair(a, b) * block_size;
        PLIANT_UNROLL for (int k = 0; k < block_size; ++k) entry[k] =
            multiply_add(weight, K.data()[k], entry[k]);
      }
    }
  }

  // The blocks with node 0: K_0b = -sum_a K_ab over the other nodes a, and K_00 = -sum_b K_0b.
  static PLIANT_INLINE void complete_blocks(T* stiffness) {
    for (int b = 1; b < nodes; ++b) {
      T* const target = stiffness + pair(0, b) * block_size;
      PLIANT_UNROLL for (int a = 1; a < nodes; ++a) {
        const T* const source = stiffness + (a <= b ? pair(a, b) : pair(b, a)) * block_size;
        PLIANT_UNROLL for (int k = 0; k < dim; ++k) {
          PLIANT_UNROLL for (int i = 0; i < dim; ++i) target[i + dim * k] -=
              a <= b ? source[i + dim * k] : source[k + dim * i];
        }
      }
      PLIANT_UNROLL for (int k = 0; k < block_size; ++k) stiffness[k] -= target[k];
    }
  }

  static PLIANT_INLINE void scatter_forces(const int* offsets, const OwnedRows& rows,
                                           const SmallVector<T, dim> (&force)[nodes], Scalar* gradient) {
    using Row = Lane<Scalar, stride, isa>;
    const int begin = rows.begin * stride, end = rows.end * stride;
    PLIANT_UNROLL for (int a = 0; a < nodes; ++a) {
      const auto add = [&](int l, const Row& row) {
        const int at = offsets[a * width + l];
        if (at >= begin && at < end) store(gradient + at, load<Row>(gradient + at) + row);
      };
      if constexpr (dim == 3) {
        const T columns[4] = {force[a](0), force[a](1), force[a](2), constant<T>(0)};
        for_each_row(columns, add);
      } else {
        for (int l = 0; l < width; ++l) {
          Row row;
          PLIANT_UNROLL for (int k = 0; k < dim; ++k) set_lane(row, k, lane(force[a](k), l));
          add(l, row);
        }
      }
    }
  }

  static PLIANT_INLINE void scatter_blocks(const Batches& batches, int batch, const OwnedRows& rows,
                                           const T* stiffness, Scalar* matrix) {
    constexpr int length = padded(blocks * block_size);
    alignas(64) Scalar element[width][length];
    for (int first = 0; first < length; first += width) {
      T square[width];
      PLIANT_UNROLL for (int k = 0; k < width; ++k) square[k] = stiffness[first + k];
      transpose(square);
      PLIANT_UNROLL for (int l = 0; l < width; ++l) store(&element[l][first], square[l]);
    }
    for (int l = 0; l < width; ++l) {
      const int* const slots = batches.slots_of(batch, l);
      // The pairs ascend by row, so that the first and the last show whether all are in the owned rows.
      const bool whole = slots[0] >= rows.slot_begin && slots[blocks - 1] < rows.slot_end;
      for (int p = 0; p < blocks; ++p) {
        if (whole || (slots[p] >= rows.slot_begin && slots[p] < rows.slot_end)) {
          add_block(&element[l][p * block_size], matrix + std::ptrdiff_t{slots[p]} * block_size);
        }
      }
    }
  }

  static PLIANT_INLINE void add_block(const Scalar* source, Scalar* target) {
    using Quad = Lane<Scalar, 4, isa>;
    PLIANT_UNROLL for (int k = 0; k + 4 <= block_size; k += 4)
        store(target + k, load<Quad>(target + k) + load<Quad>(source + k));
    if constexpr (block_size % 4 != 0) target[block_size - 1] += source[block_size - 1];
  }
};

}  // namespace pliant::detail::assembly
