// Solves to 1e-6 from zero by Pcg with the two-level preconditioner and with the simple ones, and by
// Cholesky, its analysis done before: boxes of 15,840 and of 61,440 tets that are held at one end, in a step
// of 10 ms, at rest and twisted by a quarter of a turn, up to nearly incompressible. The figures of "Which
// solver when" in docs/settings.md.
#include "linear_solver/held_body.hpp"

namespace {

using namespace pliant;

// Large or not, 1000 nu, twisted or not.
baseline::HeldBody body_of(const benchmark::State& state) {
  auto mesh = baseline::box_of_centimetres(state.range(0) != 0);
  const NodeMatrix<double, 3> x = state.range(2) != 0 ? baseline::twisted(mesh) : mesh.nodes;
  return {std::move(mesh),   static_cast<double>(state.range(1)) / 1000, x, 0.01,
          Projection::clamp, [](const auto& X) { return X.z() < 1e-6; }};
}

template <class Solver>
void solve(benchmark::State& state) {
  auto body = body_of(state);
  baseline::solve_from_zero<Solver>(state, body);
}

// What a solve pays before its first iteration: its factor made for it, or kept from the matrix before.
template <bool keeps_factor>
void prepare(benchmark::State& state) {
  set_thread_count(1);
  const auto body = body_of(state);
  TwoLevel::Workspace<BlockMatrix<3, double>> workspace;
  workspace.set_positions(body.positions);
  baseline::Alternating matrix(body.A, keeps_factor ? 1 : 2);
  TwoLevel{}.prepare(matrix.next(), workspace);
  for (auto _ : state) benchmark::DoNotOptimize(TwoLevel{}.prepare(matrix.next(), workspace));
  state.counters["aggregates"] = workspace.coarse.aggregates().count();
  state.counters["ssor"] = workspace.kind == detail::linear_solver::FactorKind::symmetric_gauss_seidel;
  set_thread_count(0);
}

void cases(benchmark::internal::Benchmark* benchmark) {
  for (const int large : {0, 1}) {
    for (const int nu : {330, 450, 490, 499}) {
      for (const int twisted : {0, 1}) benchmark->Args({large, nu, twisted});
    }
  }
  benchmark->Unit(benchmark::kMillisecond)->MinTime(0.1);
}

BENCHMARK(prepare<false>)->Name("boxes/prepare")->Apply(cases);
BENCHMARK(prepare<true>)->Name("boxes/prepare_again")->Apply(cases);
BENCHMARK(solve<Pcg<TwoLevel>>)->Name("boxes/two_level")->Apply(cases);
BENCHMARK(solve<Pcg<BlockJacobi>>)->Name("boxes/block_jacobi")->Apply(cases);
BENCHMARK(solve<Pcg<Jacobi>>)->Name("boxes/jacobi")->Apply(cases);
BENCHMARK(solve<Cholesky>)->Name("boxes/cholesky")->Apply(cases);

}  // namespace
