// Nanoseconds per tetrahedron of energy, gradient and tangent: lanes against the same computation in scalar
// Eigen.
#include "baseline/eigen_body.hpp"
#include "baseline/scene.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace pliant;

const Lame lame = Lame::from_young_poisson(1e6, 0.45);

// ---- scalar Eigen

template <class Run>
void eigen(benchmark::State& state, Run&& run) {
  const int n = static_cast<int>(state.range(0));
  const auto mesh = baseline::cube(n);
  baseline::Body body(mesh, lame, 1000, {});
  const auto x = baseline::disturbed(mesh, n);
  body.x = Eigen::Map<const Eigen::VectorXd>(x.data(), x.size());
  for (auto _ : state) benchmark::DoNotOptimize(run(body));
  baseline::per_element(state, mesh.element_count());
}

void eigen_gradient(benchmark::State& state) {
  eigen(state, [](baseline::Body& body) { return body.assemble_gradient(); });
}
void eigen_tangent(benchmark::State& state) {
  eigen(state, [](baseline::Body& body) { return body.assemble_tangent(baseline::as_it_is); });
}
void eigen_clamped(benchmark::State& state) {
  eigen(state, [](baseline::Body& body) { return body.assemble_tangent(baseline::clamp_numerically); });
}

// ---- lanes

template <class Scalar, class Energy, Isa isa, class Run>
void lanes(benchmark::State& state, Run&& run) {
  const int n = static_cast<int>(state.range(0));
  set_thread_count(state.range(1) > 0 ? static_cast<int>(state.range(1)) : 1);
  const auto mesh = baseline::cube<Scalar>(n);
  ElasticSystem<Solid<Tet4, Energy, Scalar>, isa> system(Solid(mesh, Energy(lame), Density{1000}));
  auto x = system.make_vector(), g = system.make_vector();
  auto A = system.make_matrix();
  system.to_internal(baseline::disturbed(mesh, n), x);
  if constexpr (std::is_same_v<Scalar, double> && std::is_same_v<Energy, StableNeoHookean>) {
    // The two sides must compute the same before their times mean anything.
    baseline::Body body(mesh, lame, 1000, {});
    const auto user = baseline::disturbed(mesh, n);
    body.x = Eigen::Map<const Eigen::VectorXd>(user.data(), user.size());
    const double truth = body.assemble_gradient(), ours = system.gradient(x, g);
    NodeMatrix<double, 3> gradient(3, mesh.node_count());
    system.to_user(g, gradient);
    const Eigen::VectorXd difference =
        Eigen::Map<const Eigen::VectorXd>(gradient.data(), gradient.size()) - body.gradient;
    if (!(std::abs(truth - ours) <= 1e-9 * std::abs(truth)) ||
        !(difference.norm() <= 1e-9 * body.gradient.norm())) {
      state.SkipWithError("lanes and scalar Eigen disagree");
      return;
    }
  }
  for (auto _ : state) benchmark::DoNotOptimize(run(system, x, g, A));
  baseline::per_element(state, mesh.element_count());
  set_thread_count(0);
}

template <class Scalar, class Energy = StableNeoHookean>
void lanes_energy(benchmark::State& state) {
  lanes<Scalar, Energy, PLIANT_NATIVE_ISA>(
      state, [](auto& system, auto& x, auto&, auto&) { return system.energy(x); });
}
template <class Scalar, class Energy = StableNeoHookean>
void lanes_gradient(benchmark::State& state) {
  lanes<Scalar, Energy, PLIANT_NATIVE_ISA>(
      state, [](auto& system, auto& x, auto& g, auto&) { return system.gradient(x, g); });
}
template <class Scalar, class Energy = StableNeoHookean, Projection projection = Projection::none,
          Isa isa = PLIANT_NATIVE_ISA>
void lanes_tangent(benchmark::State& state) {
  lanes<Scalar, Energy, isa>(state, [](auto& system, auto& x, auto& g, auto& A) {
    return system.tangent(x, projection, Scalar(1), g, A);
  });
}

// Cells per edge, threads. 14: 13,720 tets, in cache; 26: 87,880; 28: 109,760.
#define PLIANT_SIZES ->Args({14, 1})->Args({26, 1})->Unit(benchmark::kMicrosecond)
BENCHMARK(eigen_gradient) PLIANT_SIZES;
BENCHMARK(lanes_gradient<double>) PLIANT_SIZES;
BENCHMARK(lanes_gradient<float>) PLIANT_SIZES;
BENCHMARK(eigen_tangent) PLIANT_SIZES;
BENCHMARK(lanes_tangent<double>) PLIANT_SIZES;
BENCHMARK(lanes_tangent<float>) PLIANT_SIZES;
BENCHMARK(eigen_clamped)->Args({14, 1})->Unit(benchmark::kMicrosecond);
BENCHMARK(lanes_tangent<double, StableNeoHookean, Projection::clamp>) PLIANT_SIZES;
BENCHMARK(lanes_tangent<float, StableNeoHookean, Projection::clamp>) PLIANT_SIZES;
#if defined(__AVX512F__)
// The same with half as many elements in a batch.
BENCHMARK(lanes_tangent<double, StableNeoHookean, Projection::none, Isa::avx2_fma>) PLIANT_SIZES;
BENCHMARK(lanes_tangent<float, StableNeoHookean, Projection::none, Isa::avx2_fma>) PLIANT_SIZES;
BENCHMARK(lanes_tangent<double, StableNeoHookean, Projection::clamp, Isa::avx2_fma>) PLIANT_SIZES;
BENCHMARK(lanes_tangent<float, StableNeoHookean, Projection::clamp, Isa::avx2_fma>) PLIANT_SIZES;
#endif
BENCHMARK(lanes_energy<double>) PLIANT_SIZES;
BENCHMARK(lanes_gradient<double, BonetWoodNeoHookean>)->Args({14, 1})->Unit(benchmark::kMicrosecond);
BENCHMARK(lanes_tangent<double, BonetWoodNeoHookean>)->Args({14, 1})->Unit(benchmark::kMicrosecond);
BENCHMARK(lanes_gradient<double, LinearElastic>)->Args({14, 1})->Unit(benchmark::kMicrosecond);
BENCHMARK(lanes_tangent<double, LinearElastic>)->Args({14, 1})->Unit(benchmark::kMicrosecond);
BENCHMARK(lanes_tangent<double>)
    ->Name("lanes_tangent<double>/threads")
    ->Args({28, 1})
    ->Args({28, 2})
    ->UseRealTime();

}  // namespace
