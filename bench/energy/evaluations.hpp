// Nanoseconds per deformation gradient of psi, P, the Hessian and its projection, for one energy: scalars and
// lanes, plane and space, and for scalars in space the projection by Eigen's eigensolver.
#pragma once

#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <Eigen/Dense>
#include <benchmark/benchmark.h>

#include <pliant/algebra/matrix.hpp>
#include <pliant/energy/lame.hpp>
#include <pliant/energy/projection.hpp>
#include <pliant/simd/lane.hpp>

namespace evaluations {

using namespace pliant;
using namespace pliant::simd;

inline constexpr int states = 1024;  // in a packed array that stays in the cache

// Moderate deformations, a fifth of them inverted or nearly so; the same ones for every scalar.
template <class T, int Dim>
std::vector<SmallMatrix<T, Dim, Dim>> deformations() {
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> entry(-0.7, 0.7);
  std::vector<SmallMatrix<T, Dim, Dim>> result(states / width_of<T>);
  for (SmallMatrix<T, Dim, Dim>& F : result) {
    for (int l = 0; l < width_of<T>; ++l) {
      for (int k = 0; k < Dim * Dim; ++k) {
        set_lane(F.data()[k], l, static_cast<scalar_of<T>>(entry(engine) + (k % (Dim + 1) == 0)));
      }
    }
  }
  return result;
}

// The counter "s/F" is the time per deformation gradient.
template <class T, int Dim, class Evaluate>
void measure(benchmark::State& state, const Evaluate& evaluate) {
  using benchmark::Counter;
  const auto F = deformations<T, Dim>();
  for (auto _ : state) {
    for (const auto& one : F) {
      auto result = evaluate(one);
      benchmark::DoNotOptimize(result);
    }
  }
  state.counters["s/F"] = Counter(states, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

// What a program without an analytic eigensystem does.
inline SmallMatrix<double, 9, 9> clamp_by_eigen(const SmallMatrix<double, 9, 9>& H) {
  using Matrix = Eigen::Matrix<double, 9, 9>;
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen{Matrix(H)};
  const Matrix& Q = eigen.eigenvectors();
  return Q * eigen.eigenvalues().cwiseMax(0).asDiagonal() * Q.transpose();
}

template <class T, int Dim, class Evaluate>
void add_one(const std::string& name, const Evaluate& evaluate) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [evaluate](benchmark::State& state) { measure<T, Dim>(state, evaluate); });
}

template <class T, int Dim, class E>
void add(const std::string& name, const E& energy) {
  add_one<T, Dim>(name + "/psi", [energy](const auto& F) { return energy.psi(F); });
  add_one<T, Dim>(name + "/pk1", [energy](const auto& F) { return energy.pk1(F); });
  add_one<T, Dim>(name + "/hessian", [energy](const auto& F) { return energy.hessian(F); });
  add_one<T, Dim>(name + "/projected",
                  [energy](const auto& F) { return energy.hessian(F, Projection::clamp); });
  if constexpr (std::is_same_v<T, double> && Dim == 3) {
    for (const auto& F : deformations<double, 3>()) {
      const SmallMatrix<double, 9, 9> H = energy.hessian(F), ours = energy.hessian(F, Projection::clamp);
      if (!((ours - clamp_by_eigen(H)).norm() <= 1e-9 * H.norm())) {
        throw std::runtime_error(name + ": the projections disagree");
      }
    }
    add_one<T, Dim>(name + "/projected_by_eigen",
                    [energy](const auto& F) { return clamp_by_eigen(energy.hessian(F)); });
  }
}

// Lanes as wide as those of the assembly kernels, and twice as wide for the decomposition, which waits for
// its own results.
template <class E>
bool add_all(const std::string& name, const Lame& lame = Lame::from_young_poisson(1e6, 0.45)) {
  const E energy(lame);
  add<double, 2>(name + "/2D/double", energy);
  add<double, 3>(name + "/3D/double", energy);
  add<Lane<double, 4>, 2>(name + "/2D/4_doubles", energy);
  add<Lane<double, 4>, 3>(name + "/3D/4_doubles", energy);
  add_one<Lane<double, 8>, 3>(name + "/3D/8_doubles/projected",
                              [energy](const auto& F) { return energy.hessian(F, Projection::clamp); });
  add<Lane<float, 8>, 2>(name + "/2D/8_floats", energy);
  add<Lane<float, 8>, 3>(name + "/3D/8_floats", energy);
  return true;
}

}  // namespace evaluations
