// The rotation of the surroundings of each node of a body since a reference state.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <pliant/algebra/polar.hpp>
#include <pliant/algebra/tensor.hpp>
#include <pliant/core/parallel.hpp>
#include <pliant/linear_solver/preconditioner/preconditioner.hpp>
#include <pliant/simd/lane.hpp>

namespace pliant::detail::linear_solver {

// R_i is the rotation of the least squares map from the reference edges between node i and its neighbours to
// the current edges (Mueller et al. 2005, eq. 7). It is the identity if the node is not marked, if its
// reference edges are on one line and thus leave rotations about that line undetermined, or if positions are
// not finite.
template <int Dim, Isa isa = PLIANT_NATIVE_ISA>
class NodeRotations {
 public:
  // Sets up for a graph of neighbours. All memory is allocated here.
  void analyse(Adjacency graph) {
    graph_ = std::move(graph);
    const std::size_t nodes = at(graph_.rows());
    reference_.assign(nodes * Dim, 0);
    inverse_moments_.assign(nodes * size, 0);
    tells_.assign(nodes, 0);
    rotations_.assign(nodes * size, 0);
  }

  // Sets the reference state: nodes at x [m], of which the marked ones take part.
  template <class Vector>
  void set_reference(const Vector& x, const std::vector<char>& takes_part) {
    for_each_node([&](std::ptrdiff_t i) {
      for (int axis = 0; axis < Dim; ++axis) {
        reference_[at(i * Dim + axis)] = static_cast<double>(x.data()[i * Vector::stride + axis]);
      }
    });
    find_moments(takes_part);
  }

  // The data of set_reference.
  void save(std::vector<double>& reference, std::vector<char>& tells) const {
    reference = reference_;
    tells = tells_;
  }
  void restore(std::vector<double>&& reference, const std::vector<char>& tells) {
    reference_ = std::move(reference);
    find_moments(tells);
  }

  // Finds the rotations from the reference to the current positions x [m]; only marked nodes take part.
  template <class Vector>
  void find(const Vector& x, const std::vector<char>& takes_part) {
    const auto nodes = static_cast<std::ptrdiff_t>(tells_.size());
    core::parallel_for((nodes + batch - 1) / batch, 32, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t first = begin * batch; first < end * batch; first += batch) {
        const int count = static_cast<int>(std::min<std::ptrdiff_t>(batch, nodes - first));
        SmallMatrix<Wide, Dim, Dim> F = SmallMatrix<Wide, Dim, Dim>::Zero();
        for (int k = 0; k < batch; ++k) {
          for (int axis = 0; axis < Dim; ++axis) set_lane(F(axis, axis), k, 1.0f);
        }
        for (int k = 0; k < count; ++k) {
          const std::ptrdiff_t i = first + k;
          if (tells_[at(i)] == 0 || takes_part[at(i)] == 0) continue;
          Matrix inverted;
          for (int e = 0; e < size; ++e) inverted(e) = inverse_moments_[at(i * size + e)];
          const Matrix gradient =
              algebra::times(edges_times_reference(i, x.data(), std::ptrdiff_t{Vector::stride}), inverted);
          // Beyond the range of floats the body is unusable anyway.
          if (!(double_dot(gradient, gradient) < 1e30)) continue;
          for (int e = 0; e < size; ++e) set_lane(F(e), k, static_cast<float>(gradient(e)));
        }
        const SmallMatrix<Wide, Dim, Dim> R = polar(F).R;
        for (int k = 0; k < count; ++k) {
          for (int e = 0; e < size; ++e) rotations_[at((first + k) * size + e)] = R(e)[k];
        }
      }
    });
  }

  // out = R_i v
  template <class In, class Out>
  PLIANT_INLINE void turn(std::ptrdiff_t i, const In* v, Out* out) const {
    const float* const R = rotations_.data() + i * size;
    for (int r = 0; r < Dim; ++r) {
      Out sum = 0;
      for (int c = 0; c < Dim; ++c) sum += static_cast<Out>(R[c * Dim + r]) * static_cast<Out>(v[c]);
      out[r] = sum;
    }
  }

  // out = R_i^T v
  template <class In, class Out>
  PLIANT_INLINE void turn_back(std::ptrdiff_t i, const In* v, Out* out) const {
    const float* const R = rotations_.data() + i * size;
    for (int c = 0; c < Dim; ++c) {
      Out sum = 0;
      for (int r = 0; r < Dim; ++r) sum += static_cast<Out>(R[c * Dim + r]) * static_cast<Out>(v[r]);
      out[c] = sum;
    }
  }

 private:
  static constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }
  static constexpr int size = Dim * Dim;
  static constexpr int batch = 8;
  using Wide = Lane<float, batch, isa>;
  using Matrix = SmallMatrix<double, Dim, Dim>;

  template <class Run>
  void for_each_node(Run&& run) const {
    core::parallel_for(static_cast<std::ptrdiff_t>(tells_.size()), 256,
                       [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                         for (std::ptrdiff_t i = begin; i < end; ++i) run(i);
                       });
  }

  // Computes the moments of the reference, at the marked nodes.
  void find_moments(const std::vector<char>& takes_part) {
    for_each_node([&](std::ptrdiff_t i) {
      const Matrix moments = edges_times_reference(i, reference_.data(), Dim);
      const double all = trace(moments);
      tells_[at(i)] = takes_part[at(i)] != 0 && tells_turns(moments, all);
      if (tells_[at(i)] == 0) return;
      // Regularised, for edges in a plane.
      Matrix regular = moments;
      for (int axis = 0; axis < Dim; ++axis) regular(axis, axis) += 1e-3 * all;
      const Matrix inverted = algebra::inverse(regular);
      for (int k = 0; k < size; ++k) inverse_moments_[at(i * size + k)] = inverted(k);
    });
  }

  // sum_j (x_j - x_i) (X_j - X_i)^T over the neighbours j, X being the reference [m^2].
  template <class Scalar>
  Matrix edges_times_reference(std::ptrdiff_t i, const Scalar* x, std::ptrdiff_t stride) const {
    Matrix sum = Matrix::Zero();
    const double* const X = reference_.data();
    for (const std::ptrdiff_t j : graph_[i]) {
      double now[Dim];
      for (int r = 0; r < Dim; ++r) now[r] = static_cast<double>(x[j * stride + r] - x[i * stride + r]);
      for (int c = 0; c < Dim; ++c) {
        const double before = X[j * Dim + c] - X[i * Dim + c];
        for (int r = 0; r < Dim; ++r) sum(r, c) += now[r] * before;
      }
    }
    return sum;
  }

  // Whether the edges determine the rotation: no rotation leaves them in place. False if there are NaNs.
  static bool tells_turns(const Matrix& moments, double all) {
    if (!(all > 0 && std::isfinite(all))) return false;
    if constexpr (Dim == 2) return true;
    constexpr double least = 1e-4;
    Matrix inertia;
    for (int k = 0; k < size; ++k) inertia(k) = -moments(k) / all;
    for (int axis = 0; axis < Dim; ++axis) inertia(axis, axis) += 1;
    return determinant(inertia) > least;
  }

  Adjacency graph_;
  std::vector<double> reference_;        // X, dim numbers per node [m]
  std::vector<double> inverse_moments_;  // of the edges of each node, column-major [1/m^2]
  std::vector<char> tells_;              // whether the edges of a node determine its rotation
  std::vector<float> rotations_;         // R, column-major
};

}  // namespace pliant::detail::linear_solver
