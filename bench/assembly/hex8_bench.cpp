// Nanoseconds per hexahedron of energy, gradient and tangent: lanes against the same computation in scalar
// Eigen.
#include "baseline/eigen_hexahedra.hpp"
#include "baseline/scene.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace pliant;

const Lame lame = Lame::from_young_poisson(1e6, 0.45);
constexpr int cells = 12;  // along an edge

template <class Scalar>
Mesh<Hex8, Scalar> cube() {
  return make_box<Hex8, Scalar>({.lengths = {1, 1, 1}, .cells = {cells, cells, cells}});
}

void per_element(benchmark::State& state) {
  using benchmark::Counter;
  state.counters["s/hex"] =
      Counter(cells * cells * cells, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

void eigen_tangent_hex8(benchmark::State& state) {
  const auto mesh = cube<double>();
  baseline::Hexahedra body(mesh, lame);
  const auto x = baseline::disturbed(mesh, cells);
  body.x = Eigen::Map<const Eigen::VectorXd>(x.data(), x.size());
  for (auto _ : state) benchmark::DoNotOptimize(body.assemble_tangent());
  per_element(state);
}

template <class Scalar, Projection projection>
void lanes_tangent_hex8(benchmark::State& state) {
  set_thread_count(1);
  const auto mesh = cube<Scalar>();
  ElasticSystem system(Solid(mesh, StableNeoHookean(lame), Density{1000}));
  auto x = system.make_vector(), g = system.make_vector();
  auto A = system.make_matrix();
  system.to_internal(baseline::disturbed(mesh, cells), x);
  if constexpr (std::is_same_v<Scalar, double>) {
    // The two sides must compute the same before their times mean anything.
    baseline::Hexahedra body(mesh, lame);
    const auto user = baseline::disturbed(mesh, cells);
    body.x = Eigen::Map<const Eigen::VectorXd>(user.data(), user.size());
    const double truth = body.assemble_tangent(), ours = system.tangent(x, Projection::none, 1, g, A);
    NodeMatrix<double, 3> gradient(3, mesh.node_count()), product = gradient;
    system.to_user(g, gradient);
    auto y = system.make_vector();
    A.multiply(x, y);
    system.to_user(y, product);
    const auto differ = [](const NodeMatrix<double, 3>& a, const Eigen::VectorXd& b) {
      return !((Eigen::Map<const Eigen::VectorXd>(a.data(), a.size()) - b).norm() <= 1e-9 * b.norm());
    };
    if (!(std::abs(truth - ours) <= 1e-9 * std::abs(truth)) || differ(gradient, body.gradient) ||
        differ(product, body.matrix * body.x)) {
      state.SkipWithError("lanes and scalar Eigen disagree");
      return;
    }
  }
  for (auto _ : state) benchmark::DoNotOptimize(system.tangent(x, projection, Scalar(1), g, A));
  per_element(state);
  set_thread_count(0);
}

BENCHMARK(eigen_tangent_hex8)->Unit(benchmark::kMicrosecond);
BENCHMARK(lanes_tangent_hex8<double, Projection::none>)->Unit(benchmark::kMicrosecond);
BENCHMARK(lanes_tangent_hex8<float, Projection::none>)->Unit(benchmark::kMicrosecond);
BENCHMARK(lanes_tangent_hex8<double, Projection::clamp>)->Unit(benchmark::kMicrosecond);
BENCHMARK(lanes_tangent_hex8<float, Projection::clamp>)->Unit(benchmark::kMicrosecond);

}  // namespace
