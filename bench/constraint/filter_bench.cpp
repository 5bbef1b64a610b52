// What held nodes cost: Filter::apply on the matrix of a step against S A S + I - S in Eigen's sparse
// matrices, for few and for many nodes of a body of 11,849.
#include "baseline/eigen_expressions.hpp"
#include "baseline/scene.hpp"

#include <algorithm>
#include <numeric>

#include <benchmark/benchmark.h>

namespace {

using namespace pliant;
using baseline::Sparse;

enum Kind : int { pinned, on_a_plane };

// A box of 61,440 tets whose lowest nodes, so many, are held; the matrix of a step on both sides.
struct Problem {
  explicit Problem(const benchmark::State& state)
      : mesh(make_box<Tet4>({.lengths = {1, 0.4, 0.4}, .cells = {40, 16, 16}, .split = Split::kuhn})),
        kind(static_cast<Kind>(state.range(1))),
        nodes(lowest(static_cast<std::size_t>(state.range(0)))),
        body(mesh, Lame::from_young_poisson(1e6, 0.45), 1000, {}),
        system(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e6, 0.45)), Density{1000})),
        A(system.make_matrix()),
        x(system.make_vector()),
        y(system.make_vector()),
        sparse_filter(projections(), mesh.node_count()) {
    constexpr double dt = 0.01;
    const auto positions = baseline::disturbed(mesh, 40);
    body.x = Eigen::Map<const Eigen::VectorXd>(positions.data(), positions.size());
    body.assemble_tangent(baseline::as_it_is);
    body.matrix.diagonal() += body.mass / (dt * dt);
    system.to_internal(positions, x);
    system.tangent(x, Projection::none, 1.0, y, A);
    for (std::ptrdiff_t i = 0; i < A.rows(); ++i)
      A.diagonal(i).diagonal() += system.mass().node(i) / (dt * dt);
  }

  Filter<3, double> filter() const {
    NodeConstraints<3> held(mesh.node_count());
    if (kind == pinned) Pinned(nodes).describe(held);
    else Sliding::on_plane(nodes, normal()).describe(held);
    return {held, mesh.nodes, system.numbering(), A.pattern()};
  }

  // Whether both sides take a vector without held components to the same, and give what is held a diagonal.
  bool agrees(const Filter<3, double>& ours, const Sparse& filtered) {
    ours.apply(A);
    const Sparse S = sparse_filter.projection();
    ours.apply(x);
    A.multiply(x, y);
    NodeMatrix<double, 3> product(3, mesh.node_count());
    system.to_user(y, product);
    const Eigen::VectorXd truth = filtered * (S * body.x);
    const Eigen::VectorXd held = body.x - S * body.x;
    return (Eigen::Map<const Eigen::VectorXd>(product.data(), product.size()) - truth).norm() <=
               1e-10 * truth.norm() &&
           (filtered * held - held).norm() <= 1e-10 * (1 + held.norm());
  }

  Mesh<Tet4> mesh;
  Kind kind;
  std::vector<int> nodes;
  baseline::Body body;
  ElasticSystem<Solid<Tet4, StableNeoHookean, double>> system;
  BlockMatrix<3, double> A;
  NodeVector<3, double> x, y;
  baseline::SparseFilter sparse_filter;

 private:
  static Eigen::Vector3d normal() { return Eigen::Vector3d(0.2, 0.9, -0.3).normalized(); }

  std::vector<int> lowest(std::size_t count) const {
    std::vector<int> result(static_cast<std::size_t>(mesh.node_count()));
    std::iota(result.begin(), result.end(), 0);
    std::stable_sort(result.begin(), result.end(),
                     [&](int a, int b) { return mesh.nodes(1, a) < mesh.nodes(1, b); });
    result.resize(count);
    return result;
  }

  baseline::SparseFilter::Projections projections() const {
    const Eigen::Matrix3d plane = Eigen::Matrix3d::Identity() - normal() * normal().transpose();
    baseline::SparseFilter::Projections result;
    for (const int node : nodes) {
      result.emplace_back(node, kind == pinned ? Eigen::Matrix3d(Eigen::Matrix3d::Zero()) : plane);
    }
    return result;
  }
};

// S from triplets and two products, all new in every step: as a formula is written down.
void eigen_products_anew(benchmark::State& state) {
  Problem problem(state);
  for (auto _ : state) {
    const Sparse S = problem.sparse_filter.projection();
    Sparse filtered = problem.sparse_filter.filtered(problem.body.matrix, S);
    benchmark::DoNotOptimize(filtered.valuePtr());
  }
}

// S made before.
void eigen_products(benchmark::State& state) {
  Problem problem(state);
  const Sparse S = problem.sparse_filter.projection();
  for (auto _ : state) {
    Sparse filtered = problem.sparse_filter.filtered(problem.body.matrix, S);
    benchmark::DoNotOptimize(filtered.valuePtr());
  }
}

// Without S, in the values of A: a pass over the matrix. Applying it again changes nothing but the held
// diagonal.
void eigen_in_place(benchmark::State& state) {
  Problem problem(state);
  const Sparse S = problem.sparse_filter.projection();
  const Sparse truth = problem.sparse_filter.filtered(problem.body.matrix, S);
  problem.sparse_filter.filter_in_place(problem.body.matrix);
  if (!((problem.body.matrix * problem.body.x - truth * problem.body.x).norm() <=
        1e-10 * (truth * problem.body.x).norm())) {
    return state.SkipWithError("in place and by products disagree");
  }
  for (auto _ : state) {
    problem.sparse_filter.filter_in_place(problem.body.matrix);
    benchmark::DoNotOptimize(problem.body.matrix.valuePtr());
  }
}

void filter(benchmark::State& state) {
  set_thread_count(1);
  Problem problem(state);
  const Filter<3, double> filter = problem.filter();
  if (!problem.agrees(
          filter, problem.sparse_filter.filtered(problem.body.matrix, problem.sparse_filter.projection()))) {
    return state.SkipWithError("the filtered matrices disagree");
  }
  for (auto _ : state) {
    filter.apply(problem.A);
    benchmark::DoNotOptimize(problem.A.values());
  }
  set_thread_count(0);
}

// The same where the held nodes are others in every step: described, found in the pattern, applied.
void filter_anew(benchmark::State& state) {
  set_thread_count(1);
  Problem problem(state);
  for (auto _ : state) {
    problem.filter().apply(problem.A);
    benchmark::DoNotOptimize(problem.A.values());
  }
  set_thread_count(0);
}

// Held nodes; pinned, or on an oblique plane.
#define PLIANT_HELD ->ArgsProduct({{5, 50, 500, 5000}, {pinned, on_a_plane}})->Unit(benchmark::kMicrosecond)
BENCHMARK(eigen_products_anew) PLIANT_HELD;
BENCHMARK(eigen_products) PLIANT_HELD;
BENCHMARK(eigen_in_place) PLIANT_HELD;
BENCHMARK(filter) PLIANT_HELD;
BENCHMARK(filter_anew) PLIANT_HELD;

}  // namespace
