// The elements of an operator-splitting step: what pulls each deformation gradient to its rotation.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <pliant/assembly/element_batches.hpp>
#include <pliant/core/aligned_vector.hpp>
#include <pliant/core/rotation.hpp>
#include <pliant/core/rows.hpp>

namespace pliant {

// One tetrahedron of such a step.
template <class Scalar>
struct StretchElement {
  std::array<int, 4> offsets;           // of its nodes in the arrays of the step
  SmallMatrix<Scalar, 4, 3> gradients;  // of the shape functions [1/m]
  Scalar weight;                        // 2 mu V dt^2 [kg m^2]
};

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
    }
    return std::ssize(batches_);
  }

  // Adds weight (R - F) grad N_a to row a of y for the elements of the batches [begin, end), F that of the
  // positions x and R its rotation, found in so many Newton steps from the last one.
  void pull(std::ptrdiff_t begin, std::ptrdiff_t end, int rotation_steps, const Scalar* x, Scalar* y) {
    for (std::ptrdiff_t b = begin; b < end; ++b)
      pull(batches_[static_cast<std::size_t>(b)], rotation_steps, x, y);
  }

  // The rotations become those nearest to F at the positions x, wherever they were.
  void find_rotations(const Scalar* x) {
    for (Batch& batch : batches_) {
      T nodes[4][4];
      gather(batch, x, nodes);
      store_rotation(nearest_rotation(gradient_of(batch, nodes)), batch);
    }
  }

 private:
  using T = Lane<Scalar, width, isa>;
  using Matrix = SmallMatrix<T, 3, 3>;

  struct alignas(64) Batch {
    int offsets[4][width];
    Scalar gradients[3][3][width];  // of the nodes 1 to 3; those of all nodes sum to zero
    Scalar weight[width];
    Scalar rotation[4][width];
  };

  static Batch empty_batch(int nowhere) {
    Batch batch{};
    for (int lane = 0; lane < width; ++lane) {
      for (auto& offsets : batch.offsets) offsets[lane] = nowhere;
      batch.rotation[3][lane] = 1;
    }
    return batch;
  }

  static PLIANT_INLINE void gather(const Batch& batch, const Scalar* x, T (&nodes)[4][4]) {
    for (int a = 0; a < 4; ++a) gather_rows(x, batch.offsets[a], nodes[a]);
  }

  static PLIANT_INLINE Matrix gradient_of(const Batch& batch, const T (&nodes)[4][4]) {
    Matrix F;
    for (int i = 0; i < 3; ++i) {
      const T edges[3] = {nodes[1][i] - nodes[0][i], nodes[2][i] - nodes[0][i], nodes[3][i] - nodes[0][i]};
      for (int j = 0; j < 3; ++j) {
        T sum = edges[0] * load<T>(batch.gradients[0][j]);
        sum = multiply_add(edges[1], load<T>(batch.gradients[1][j]), sum);
        F(i, j) = multiply_add(edges[2], load<T>(batch.gradients[2][j]), sum);
      }
    }
    return F;
  }

  static PLIANT_INLINE void store_rotation(const UnitQuaternion<T>& q, Batch& batch) {
    store(batch.rotation[0], q.x);
    store(batch.rotation[1], q.y);
    store(batch.rotation[2], q.z);
    store(batch.rotation[3], q.w);
  }

  static PLIANT_INLINE void pull(Batch& batch, int rotation_steps, const Scalar* x, Scalar* y) {
    T nodes[4][4];
    gather(batch, x, nodes);
    const Matrix F = gradient_of(batch, nodes);
    UnitQuaternion<T> q{load<T>(batch.rotation[0]), load<T>(batch.rotation[1]), load<T>(batch.rotation[2]),
                        load<T>(batch.rotation[3])};
    Matrix P = follow_rotation(F, q, rotation_steps);
    store_rotation(q, batch);
    const T weight = load<T>(batch.weight);
    for (int k = 0; k < 9; ++k) P(k) = weight * (P(k) - F(k));
    T first[4] = {T(Scalar(0)), T(Scalar(0)), T(Scalar(0)), T(Scalar(0))};
    for (int a = 1; a < 4; ++a) {
      const T grad[3] = {load<T>(batch.gradients[a - 1][0]), load<T>(batch.gradients[a - 1][1]),
                         load<T>(batch.gradients[a - 1][2])};
      T force[4];
      for (int i = 0; i < 3; ++i) {
        force[i] = multiply_add(P(i, 0), grad[0], multiply_add(P(i, 1), grad[1], P(i, 2) * grad[2]));
        first[i] -= force[i];
      }
      force[3] = T(Scalar(0));
      add_rows(force, y, batch.offsets[a]);
    }
    add_rows(first, y, batch.offsets[0]);
  }

  AlignedVector<Batch> batches_;
};

}  // namespace pliant
