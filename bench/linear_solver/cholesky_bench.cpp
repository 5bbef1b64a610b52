// Cholesky against Eigen::SimplicialLDLT with its minimum degree ordering, on the system matrix of a backward
// Euler step. The analysis is done before on both sides; a solution is a factorisation and the solves.
#include "linear_solver/held_body.hpp"
#include "linear_solver/problem.hpp"

#include <Eigen/SparseCholesky>
#include <benchmark/benchmark.h>

namespace {

using namespace pliant;
using baseline::Problem;
using EigenCholesky =
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower, Eigen::AMDOrdering<int>>;

void eigen_cholesky(benchmark::State& state) {
  const Problem problem(static_cast<int>(state.range(0)));
  const Eigen::SparseMatrix<double> A = problem.body.matrix;
  EigenCholesky solver;
  solver.analyzePattern(A);
  Eigen::VectorXd x;
  for (auto _ : state) {
    solver.factorize(A);
    x = solver.solve(problem.body.gradient);
    benchmark::DoNotOptimize(x.data());
  }
  const auto& L = solver.matrixL().nestedExpression();
  state.counters["MB"] = static_cast<double>(L.nonZeros()) * 12 / 1e6;
}

void eigen_solve(benchmark::State& state) {
  const Problem problem(static_cast<int>(state.range(0)));
  const EigenCholesky solver(problem.body.matrix);
  Eigen::VectorXd x;
  for (auto _ : state) {
    x = solver.solve(problem.body.gradient);
    benchmark::DoNotOptimize(x.data());
  }
}

// The tolerance is what a factorisation in double leaves, so that nothing is refined.
constexpr Cholesky accurate{.tolerance = 1e-10};

void cholesky(benchmark::State& state) {
  set_thread_count(static_cast<int>(state.range(1)));
  Problem problem(static_cast<int>(state.range(0)));
  Cholesky::Workspace<BlockMatrix<3, double>> workspace;
  const LinearReport report = accurate.solve(problem.A, problem.b, problem.x, workspace);
  NodeMatrix<double, 3> x(3, problem.mesh.node_count());
  problem.system.to_user(problem.x, x);
  const Eigen::VectorXd truth = EigenCholesky(problem.body.matrix).solve(problem.body.gradient);
  const double error = (Eigen::Map<const Eigen::VectorXd>(x.data(), x.size()) - truth).norm() / truth.norm();
  if (!report || !(error <= 1e-8)) {
    state.SkipWithError("the solutions disagree");
    return;
  }
  for (auto _ : state) {
    problem.x.set_zero();
    benchmark::DoNotOptimize(accurate.solve(problem.A, problem.b, problem.x, workspace));
  }
  state.counters["MB"] = static_cast<double>(workspace.factor.bytes()) / 1e6;
  set_thread_count(0);
}

void cholesky_solve(benchmark::State& state) {
  set_thread_count(1);
  Problem problem(static_cast<int>(state.range(0)));
  Cholesky::Workspace<BlockMatrix<3, double>> workspace;
  if (!accurate.solve(problem.A, problem.b, problem.x, workspace)) state.SkipWithError("not solved");
  for (auto _ : state) {
    workspace.factor.solve(problem.b, problem.x);
    benchmark::DoNotOptimize(problem.x.data());
  }
  set_thread_count(0);
}

void cholesky_analysis(benchmark::State& state) {
  const Problem problem(static_cast<int>(state.range(0)));
  detail::linear_solver::Multifrontal<3> factor;
  for (auto _ : state) {
    factor.analyse(problem.A.pattern());
    benchmark::DoNotOptimize(factor.fronts().blocks());
  }
}

// A bar in Kuhn's split, factorised in the order that the library takes, or in that of minimum degree.
void order(benchmark::State& state, bool by_degree) {
  set_thread_count(1);
  const auto mesh = baseline::box_of_centimetres(state.range(0) != 0);
  const baseline::HeldBody body(mesh, 0.33, mesh.nodes, 0.01, Projection::clamp,
                                [](const auto& X) { return X.z() < 1e-6; });
  const BlockMatrix<3, double>& A = body.A;
  detail::linear_solver::Multifrontal<3> factor;
  if (by_degree)
    factor.analyse(detail::linear_solver::Fronts::of(
        A.pattern(), detail::linear_solver::minimum_degree(graph_of(A.pattern()))));
  else factor.analyse(A.pattern());
  for (auto _ : state) {
    if (factor.factorise(A) != detail::linear_solver::FactorResult::done)
      state.SkipWithError("not positive definite");
  }
  state.counters["blocks"] = static_cast<double>(factor.fronts().blocks());
  set_thread_count(0);
}

void cholesky_order(benchmark::State& state) { order(state, false); }
void cholesky_minimum_degree(benchmark::State& state) { order(state, true); }

void eigen_analysis(benchmark::State& state) {
  const Problem problem(static_cast<int>(state.range(0)));
  const Eigen::SparseMatrix<double> A = problem.body.matrix;
  EigenCholesky solver;
  for (auto _ : state) {
    solver.analyzePattern(A);
    benchmark::DoNotOptimize(solver.permutationP().indices().data());
  }
}

// Cells per edge, threads. 7: 1,715 tets; 14: 13,720.
BENCHMARK(eigen_cholesky)->Arg(7)->Arg(14)->Unit(benchmark::kMillisecond);
BENCHMARK(cholesky)->Args({7, 1})->Args({14, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(cholesky)->Name("cholesky/threads")->Args({14, 2})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(eigen_solve)->Arg(7)->Arg(14)->Unit(benchmark::kMicrosecond);
BENCHMARK(cholesky_solve)->Arg(7)->Arg(14)->Unit(benchmark::kMicrosecond);
BENCHMARK(eigen_analysis)->Arg(7)->Arg(14)->Unit(benchmark::kMillisecond);
BENCHMARK(cholesky_analysis)->Arg(7)->Arg(14)->Unit(benchmark::kMillisecond);

BENCHMARK(cholesky_order)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(cholesky_minimum_degree)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
