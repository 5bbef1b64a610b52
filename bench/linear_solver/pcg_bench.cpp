// The symmetric matrix product and a PCG iteration against Eigen's, on the system matrix of a backward Euler
// step.
#include "linear_solver/problem.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace pliant;
using baseline::Problem;

void per_nonzero(benchmark::State& state, const Problem& problem) {
  using benchmark::Counter;
  const double blocks = static_cast<double>(problem.A.pattern().blocks());
  // Stored bytes of each side, read once per product.
  state.counters["MB_ours"] = blocks * (9 * 8 + 4) / 1e6;
  state.counters["MB_eigen"] = static_cast<double>(problem.body.matrix.nonZeros()) * (8 + 4) / 1e6;
}

void eigen_product(benchmark::State& state) {
  Problem problem(static_cast<int>(state.range(0)));
  Eigen::VectorXd y(problem.body.x.size());
  for (auto _ : state) {
    y.noalias() = problem.body.matrix * problem.body.gradient;
    benchmark::DoNotOptimize(y.data());
  }
  per_nonzero(state, problem);
}

// `Matrix` is BlockMatrix, as it comes from assembly, or PackedMatrix, as Pcg multiplies.
template <template <int, class, Isa> class Matrix>
void product(benchmark::State& state) {
  set_thread_count(static_cast<int>(state.range(1)));
  Problem problem(static_cast<int>(state.range(0)));
  Matrix<3, double, PLIANT_NATIVE_ISA> A;
  if constexpr (requires { A.assign(problem.A); }) A.assign(problem.A);
  else A = problem.A;
  A.multiply(problem.b, problem.y);
  const Eigen::VectorXd truth = problem.body.matrix * problem.body.gradient;
  NodeMatrix<double, 3> y(3, problem.mesh.node_count());
  problem.system.to_user(problem.y, y);
  if (!((Eigen::Map<const Eigen::VectorXd>(y.data(), y.size()) - truth).norm() <= 1e-9 * truth.norm())) {
    state.SkipWithError("the products disagree");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(A.multiply(problem.b, problem.y));
  per_nonzero(state, problem);
  set_thread_count(0);
}

// What Pcg pays once per solve.
void packing(benchmark::State& state) {
  set_thread_count(1);
  Problem problem(static_cast<int>(state.range(0)));
  detail::assembly::PackedMatrix<3, double> A;
  for (auto _ : state) A.assign(problem.A);
  set_thread_count(0);
}

constexpr int iterations = 100;

void eigen_pcg(benchmark::State& state) {
  Problem problem(static_cast<int>(state.range(0)));
  Eigen::ConjugateGradient<baseline::Sparse, Eigen::Lower | Eigen::Upper> solver;
  solver.setMaxIterations(iterations);
  solver.setTolerance(1e-300);
  solver.compute(problem.body.matrix);
  Eigen::VectorXd x(problem.body.x.size());
  for (auto _ : state) {
    x = solver.solve(problem.body.gradient);
    benchmark::DoNotOptimize(x.data());
  }
  state.counters["error"] = solver.error();
  state.counters["us/iteration"] = benchmark::Counter(
      iterations * 1e-6, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <class P>
void pcg(benchmark::State& state) {
  set_thread_count(static_cast<int>(state.range(1)));
  Problem problem(static_cast<int>(state.range(0)));
  const Pcg<P> solver{.tolerance = 1e-300, .max_iterations = iterations};
  typename Pcg<P>::template Workspace<BlockMatrix<3, double>> workspace;
  LinearReport report;
  for (auto _ : state) {
    problem.x.set_zero();
    report = solver.solve(problem.A, problem.b, problem.x, workspace);
    benchmark::DoNotOptimize(problem.x.data());
  }
  state.counters["error"] = report.residual / problem.b.norm();
  state.counters["us/iteration"] = benchmark::Counter(
      iterations * 1e-6, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  set_thread_count(0);
}

// Cells per edge, threads. 14: 13,720 tets; 24: 69,120; 40: 320,000.
BENCHMARK(eigen_product)->Args({14, 1})->Args({24, 1})->Args({40, 1})->Unit(benchmark::kMicrosecond);
BENCHMARK(product<BlockMatrix>)->Args({14, 1})->Args({24, 1})->Args({40, 1})->Unit(benchmark::kMicrosecond);
BENCHMARK(product<detail::assembly::PackedMatrix>)
    ->Args({14, 1})
    ->Args({24, 1})
    ->Args({40, 1})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(product<detail::assembly::PackedMatrix>)
    ->Name("product<PackedMatrix>/threads")
    ->Args({24, 2})
    ->Args({40, 2})
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK(packing)->Args({14, 1})->Args({24, 1})->Args({40, 1})->Unit(benchmark::kMicrosecond);
BENCHMARK(eigen_pcg)->Args({14, 1})->Args({24, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(pcg<Jacobi>)->Args({14, 1})->Args({24, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(pcg<BlockJacobi>)->Args({14, 1})->Args({24, 1})->Unit(benchmark::kMillisecond);

}  // namespace
