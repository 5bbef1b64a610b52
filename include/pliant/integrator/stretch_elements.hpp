// The elements of an operator-splitting step: what pulls each deformation gradient to its rotation.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <pliant/assembly/element_batches.hpp>
#include <pliant/core/aligned_vector.hpp>
#include <pliant/core/rotation.hpp>
#include <pliant/core/rows.hpp>
#include <pliant/integrator/split_mesh.hpp>

namespace pliant {

// One tetrahedron of such a step.
template <class Scalar>
struct StretchElement {
  std::array<int, 4> offsets;           // of its nodes in the arrays of the step
  SmallMatrix<Scalar, 4, 3> gradients;  // of the shape functions [1/m]
  Scalar weight;                        // 2 mu V dt^2 [kg m^2]
  int multiplier = 0;                   // place of that of its volume constraint, see VolumeConstraints
};

template <class Scalar>
StretchElement<Scalar> stretch_element(const SplitElement<Scalar>& e, const std::array<int, 4>& offsets,
                                       double dt) {
  return {offsets, e.gradients, static_cast<Scalar>(2 * e.mu * e.volume * dt * dt)};
}

namespace detail {

// F of nodes at `nodes`, with the gradient of shape function a given by gradient(a, axis).
template <class T, int numbers, class Gradient>
PLIANT_INLINE SmallMatrix<T, 3, 3> deformation_gradient(const T (&nodes)[4][numbers], Gradient&& gradient) {
  SmallMatrix<T, 3, 3> F;
  for (int i = 0; i < 3; ++i) {
    const T edges[3] = {nodes[1][i] - nodes[0][i], nodes[2][i] - nodes[0][i], nodes[3][i] - nodes[0][i]};
    for (int j = 0; j < 3; ++j) {
      T sum = edges[0] * gradient(1, j);
      sum = multiply_add(edges[1], gradient(2, j), sum);
      F(i, j) = multiply_add(edges[2], gradient(3, j), sum);
    }
  }
  return F;
}

// Calls add(a, force) for each node a with the x, y and z of
//   (weight (R - F) + multiplier cof F) grad N_a
// and a zero behind them. q becomes R, found in so many steps. Returns whether an element is inverted, which
// is looked at where there are multipliers.
template <bool with_multiplier, class T, class Gradient, class Add>
PLIANT_INLINE bool stretch_forces(const SmallMatrix<T, 3, 3>& F, Gradient&& gradient, const T& weight,
                                  const T& multiplier, UnitQuaternion<T>& q, int rotation_steps, Add&& add) {
  SmallMatrix<T, 3, 3> P = follow_rotation(F, q, rotation_steps);
  for (int k = 0; k < 9; ++k) P(k) = weight * (P(k) - F(k));
  bool inverted = false;
  if constexpr (with_multiplier) {
    const SmallMatrix<T, 3, 3> volume_gradient = cofactor<T, 3>(F);
    inverted = any(determinant<T, 3>(F, volume_gradient) < T(0));
    for (int k = 0; k < 9; ++k) P(k) = multiply_add(multiplier, volume_gradient(k), P(k));
  }
  T first[4] = {T(0), T(0), T(0), T(0)};
  for (std::size_t a = 1; a < 4; ++a) {
    const int node = static_cast<int>(a);
    const T grad[3] = {gradient(node, 0), gradient(node, 1), gradient(node, 2)};
    T force[4];
    for (int i = 0; i < 3; ++i) {
      force[i] = multiply_add(P(i, 0), grad[0], multiply_add(P(i, 1), grad[1], P(i, 2) * grad[2]));
      first[i] -= force[i];
    }
    force[3] = T(0);
    add(a, force);
  }
  add(std::size_t{0}, first);
  return inverted;
}

template <class T>
PLIANT_INLINE UnitQuaternion<T> load_quaternion(const scalar_of<T>* p) {
  return {load<T>(p), load<T>(p + width_of<T>), load<T>(p + 2 * width_of<T>), load<T>(p + 3 * width_of<T>)};
}

template <class T>
PLIANT_INLINE void store_quaternion(scalar_of<T>* p, const UnitQuaternion<T>& q) {
  store(p, q.x);
  store(p + width_of<T>, q.y);
  store(p + 2 * width_of<T>, q.z);
  store(p + 3 * width_of<T>, q.w);
}

}  // namespace detail

// The elements in batches of lanes, each with its rotation as a quaternion, which is kept from step to step.
template <class Scalar, Isa isa>
class StretchElements {
 public:
  static constexpr int width = 2 * kernel_width<Scalar>;  // two registers hide the latency of each other

  void clear() { batches_.clear(); }
  std::ptrdiff_t size() const { return std::ssize(batches_); }  // batches

  // Appends elements in this order, and fills the last batch up with elements that weigh nothing and whose
  // nodes are at `nowhere`. Returns how many batches there are now.
  std::ptrdiff_t append(const std::vector<StretchElement<Scalar>>& elements, int nowhere) {
    for (std::size_t k = 0; k < elements.size(); ++k) {
      const auto lane = k % std::size_t{width};
      if (lane == 0) batches_.push_back(empty_batch(nowhere));
      Batch& batch = batches_.back();
      for (std::size_t a = 0; a < 4; ++a) batch.offsets[a][lane] = elements[k].offsets[a];
      for (int a = 1; a < 4; ++a) {
        for (int j = 0; j < 3; ++j) batch.gradients[a - 1][j][lane] = elements[k].gradients(a, j);
      }
      batch.weight[lane] = elements[k].weight;
      batch.multiplier[lane] = elements[k].multiplier;
    }
    return std::ssize(batches_);
  }

  // Adds (weight (R - F) + k cof F) grad N_a to row a of y for the elements of the batches [begin, end), F
  // that of the positions x, R its rotation, found in so many Newton steps from the last one, and k the
  // multiplier of the element; without `multipliers`, none. With them, returns whether an element is
  // inverted.
  bool pull(std::ptrdiff_t begin, std::ptrdiff_t end, int rotation_steps, const Scalar* multipliers,
            const Scalar* x, Scalar* y) {
    bool inverted = false;
    for (std::ptrdiff_t b = begin; b < end; ++b) {
      Batch& batch = batches_[static_cast<std::size_t>(b)];
      if (multipliers != nullptr) inverted |= pull<true>(batch, rotation_steps, multipliers, x, y);
      else pull<false>(batch, rotation_steps, multipliers, x, y);
    }
    return inverted;
  }

  // The rotations become those nearest to F at the positions x, wherever they were.
  void find_rotations(const Scalar* x) {
    for (Batch& batch : batches_) {
      const Matrix F = gradient_at(batch, x);
      detail::store_quaternion(&batch.rotation[0][0], nearest_rotation(F));
    }
  }

 private:
  using T = Lane<Scalar, width, isa>;
  using Matrix = SmallMatrix<T, 3, 3>;

  struct alignas(64) Batch {
    int offsets[4][width];
    Scalar gradients[3][3][width];  // of the nodes 1 to 3; those of all nodes sum to zero
    Scalar weight[width];
    int multiplier[width];
    Scalar rotation[4][width];

    PLIANT_INLINE T operator()(int a, int axis) const { return load<T>(gradients[a - 1][axis]); }
  };

  static Batch empty_batch(int nowhere) {
    Batch batch{};
    for (int lane = 0; lane < width; ++lane) {
      for (auto& offsets : batch.offsets) offsets[lane] = nowhere;
      batch.rotation[3][lane] = 1;
    }
    return batch;
  }

  static PLIANT_INLINE Matrix gradient_at(const Batch& batch, const Scalar* x) {
    T nodes[4][4];
    for (int a = 0; a < 4; ++a) gather_rows(x, batch.offsets[a], nodes[a]);
    return detail::deformation_gradient(nodes, batch);
  }

  template <bool with_multiplier>
  static PLIANT_INLINE bool pull(Batch& batch, int rotation_steps, const Scalar* multipliers, const Scalar* x,
                                 Scalar* y) {
    const Matrix F = gradient_at(batch, x);
    auto q = detail::load_quaternion<T>(&batch.rotation[0][0]);
    const T multiplier = with_multiplier ? gather<T>(multipliers, batch.multiplier) : T(Scalar(0));
    const bool inverted = detail::stretch_forces<with_multiplier>(
        F, batch, load<T>(batch.weight), multiplier, q, rotation_steps,
        [&](std::size_t a, const T(&force)[4]) { add_rows(force, y, batch.offsets[a]); });
    detail::store_quaternion(&batch.rotation[0][0], q);
    return inverted;
  }

  AlignedVector<Batch> batches_;
};

// The elements of a body of which there are many copies: lanes are copies, which share everything but the
// rotations. The arrays of a step have for each node the x of all copies, then their y and their z.
template <class Scalar, int copies, Isa isa>
class StretchCopies {
 public:
  // The offsets are those in such arrays.
  void take(std::vector<StretchElement<Scalar>> elements) { elements_ = std::move(elements); }

  // Numbers that the rotations of the copies take.
  std::size_t rotations_size() const { return 4 * copies * elements_.size(); }

  // As those of StretchElements, for all elements; multipliers are those of VolumeCopies.
  bool pull(int rotation_steps, const Scalar* multipliers, const Scalar* x, Scalar* rotations,
            Scalar* y) const {
    return multipliers != nullptr ? pull<true>(rotation_steps, multipliers, x, rotations, y)
                                  : pull<false>(rotation_steps, multipliers, x, rotations, y);
  }

  void find_rotations(const Scalar* x, Scalar* rotations) const {
    for (const StretchElement<Scalar>& e : elements_) {
      detail::store_quaternion(rotations, nearest_rotation(gradient_at(e, x)));
      rotations += 4 * copies;
    }
  }

 private:
  using T = Lane<Scalar, copies, isa>;

  template <bool with_multiplier>
  bool pull(int rotation_steps, const Scalar* multipliers, const Scalar* x, Scalar* rotations,
            Scalar* y) const {
    bool inverted = false;
    for (const StretchElement<Scalar>& e : elements_) {
      auto q = detail::load_quaternion<T>(rotations);
      const T multiplier = with_multiplier ? load<T>(multipliers + e.multiplier) : T(Scalar(0));
      inverted |= detail::stretch_forces<with_multiplier>(
          gradient_at(e, x), gradient_of(e), T(e.weight), multiplier, q, rotation_steps,
          [&](std::size_t a, const T(&force)[4]) { add_columns<3>(force, y + e.offsets[a]); });
      detail::store_quaternion(rotations, q);
      rotations += 4 * copies;
    }
    return inverted;
  }

  static PLIANT_INLINE auto gradient_of(const StretchElement<Scalar>& e) {
    return [&e](int a, int axis) { return T(e.gradients(a, axis)); };
  }

  static PLIANT_INLINE SmallMatrix<T, 3, 3> gradient_at(const StretchElement<Scalar>& e, const Scalar* x) {
    T nodes[4][3];
    for (std::size_t a = 0; a < 4; ++a) load_columns<3>(x + e.offsets[a], nodes[a]);
    return detail::deformation_gradient(nodes, gradient_of(e));
  }

  std::vector<StretchElement<Scalar>> elements_;
};

}  // namespace pliant
