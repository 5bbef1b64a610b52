#include "assembly/eigen_view.hpp"
#include "linear_solver/elastic_problem.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/linear_solver/direct/metis.hpp>
#include <pliant/linear_solver/krylov/pcg.hpp>
#include <pliant/linear_solver/preconditioner/prefactored.hpp>
#include <pliant/mesh/make_ball.hpp>
#include <pliant/operator_splitting/panels.hpp>

using namespace pliant;
using namespace pliant::simd;
using namespace eigen_view;

namespace {

// Replaces METIS as long as it lives; by nothing, that is what a program without it has.
class InsteadOfMetis {
 public:
  using Ordering = std::vector<int> (*)(const Adjacency&);

  explicit InsteadOfMetis(Ordering other)
      : metis_(std::exchange(detail::linear_solver::order_by_metis, other)) {}
  ~InsteadOfMetis() { detail::linear_solver::order_by_metis = metis_; }

 private:
  Ordering metis_;
};

bool is_permutation(const std::vector<int>& order, std::size_t count) {
  std::vector<char> seen(count, 0);
  for (const int i : order) {
    if (i < 0 || static_cast<std::size_t>(i) >= count || seen[static_cast<std::size_t>(i)]++ != 0)
      return false;
  }
  return order.size() == count;
}

Adjacency nodes_of(const Mesh<Tet4>& mesh) {
  return neighbours_of_nodes<Tet4>(mesh.elements, mesh.node_count());
}

// A ball of 2,869 nodes and bars of 3,300 and 1,525.
Mesh<Tet4> ball() { return make_ball<Tet4>({.shells = 9}); }
Mesh<Tet4> bar() { return test::bar_mesh(24, 11, 10); }
Mesh<Tet4> slender_bar() { return test::bar_mesh(60, 4, 4); }

// On the nodes of a mesh, one number for each pair of neighbours.
struct Scalars {
  BlockPattern pattern;
  std::vector<double> values;
  Eigen::SparseMatrix<double> A;

  explicit Scalars(const Mesh<Tet4>& mesh)
      : pattern(BlockPattern::from_graph(nodes_of(mesh))),
        values(static_cast<std::size_t>(pattern.blocks()), -1) {
    const int count = static_cast<int>(pattern.rows());
    const Adjacency graph = graph_of(pattern);
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const double diagonal = graph.begin[k + 1] - graph.begin[k] + 0.1;
      values[static_cast<std::size_t>(pattern.slot(i, i))] = diagonal;
      entries.emplace_back(i, i, diagonal);
      for (int p = graph.begin[k]; p < graph.begin[k + 1]; ++p) {
        entries.emplace_back(i, graph.list[static_cast<std::size_t>(p)], -1);
      }
    }
    A.resize(count, count);
    A.setFromTriplets(entries.begin(), entries.end());
  }

  detail::operator_splitting::Panels<double> factorised() const {
    detail::operator_splitting::Panels<double> panels;
    REQUIRE(panels.factorise(pattern, values) == detail::linear_solver::FactorResult::done);
    return panels;
  }
};

// The relative residual of a solve of 8 copies.
double residual_of(const Scalars& problem) {
  const detail::operator_splitting::Panels<double> panels = problem.factorised();
  const int count = panels.node_count();
  const Eigen::MatrixXd b = Eigen::MatrixXd::Random(count, 24);
  AlignedVector<double> y(static_cast<std::size_t>(count + 1) * 24, 0.0);
  Eigen::Map<Eigen::Matrix<double, 24, Eigen::Dynamic>> columns(y.data(), 24, count);
  for (int place = 0; place < count; ++place) columns.col(place) = b.row(panels.node_at(place)).transpose();
  panels.solve<8>(y.data());
  Eigen::MatrixXd x(count, 24);
  for (int place = 0; place < count; ++place) x.row(panels.node_at(place)) = columns.col(place).transpose();
  return (b - problem.A * x).norm() / b.norm();
}

}  // namespace

TEST_CASE("METIS: each node once, whatever the graph, and always in the same order") {
  Adjacency nothing;
  nothing.begin = {0};
  CHECK(detail::linear_solver::metis_nested_dissection(nothing).empty());
  nothing.begin = {0, 0};
  CHECK(detail::linear_solver::metis_nested_dissection(nothing) == std::vector<int>{0});
  nothing.begin.assign(10, 0);
  CHECK(is_permutation(detail::linear_solver::metis_nested_dissection(nothing), 9));
  std::mt19937 random(1);
  for (const int nodes : {2, 3, 10, 60, 400, 3000}) {
    for (const double edges_per_node : {0.1, 0.5, 1.0, 4.0}) {
      INFO(nodes << " nodes, " << edges_per_node << " edges for each");
      std::uniform_int_distribution<int> any(0, nodes - 1);
      std::vector<std::vector<int>> rows(static_cast<std::size_t>(nodes));
      for (int k = 0; k < edges_per_node * nodes; ++k) {
        const int i = any(random), j = any(random);
        if (i == j) continue;
        rows[static_cast<std::size_t>(i)].push_back(j);
        rows[static_cast<std::size_t>(j)].push_back(i);
      }
      const Adjacency graph = graph_of_rows(std::move(rows));
      const std::vector<int> order = detail::linear_solver::metis_nested_dissection(graph);
      CHECK(is_permutation(order, static_cast<std::size_t>(nodes)));
      std::srand(static_cast<unsigned>(nodes));
      CHECK(detail::linear_solver::metis_nested_dissection(graph) == order);
    }
  }
}

TEST_CASE("METIS: on compact meshes its fill-in is below that of minimum degree") {
  // The inverse of its permutation, or any other, would fill most of the matrix.
  const auto blocks = [](const Mesh<Tet4>& mesh) {
    const BlockPattern pattern = BlockPattern::from_graph(nodes_of(mesh));
    const std::vector<int> order = detail::linear_solver::metis_nested_dissection(nodes_of(mesh));
    REQUIRE(is_permutation(order, static_cast<std::size_t>(mesh.node_count())));
    return static_cast<double>(detail::linear_solver::Fronts::of(pattern, order).blocks()) /
           static_cast<double>(detail::linear_solver::Fronts::of(
                                   pattern, detail::linear_solver::minimum_degree(nodes_of(mesh)))
                                   .blocks());
  };
  CHECK(blocks(ball()) < 0.8);
  CHECK(blocks(bar()) < 0.95);
  CHECK(blocks(slender_bar()) < 1.3);
}

TEST_CASE("METIS: fronts and panels never hold more with it than without") {
  const auto check = [](const Mesh<Tet4>& mesh) {
    const Scalars problem(mesh);
    const auto blocks = static_cast<double>(detail::linear_solver::Fronts::of(problem.pattern).blocks());
    const auto numbers = static_cast<double>(problem.factorised().stored_numbers());
    const InsteadOfMetis without(nullptr);
    const auto blocks_without =
        static_cast<double>(detail::linear_solver::Fronts::of(problem.pattern).blocks());
    const auto numbers_without = static_cast<double>(problem.factorised().stored_numbers());
    CAPTURE(blocks / blocks_without, numbers / numbers_without);
    CHECK(blocks <= blocks_without);
    CHECK(numbers <= numbers_without);
  };
  check(ball());
  check(bar());
  check(slender_bar());
}

TEST_CASE("METIS: panels in its order solve what they stand for") {
  CHECK(residual_of(Scalars(ball())) < 1e-13);
  CHECK(residual_of(Scalars(bar())) < 1e-13);
}

TEST_CASE("METIS: Cholesky in its order finds the same solution, with a factor that is no larger") {
  const auto problem = test::elastic_problem(ball(), {.state = test::State::twisted});
  using Matrix = BlockMatrix<3, double>;
  Cholesky::Workspace<Matrix> with, without;
  auto x = problem.x, y = problem.x;
  REQUIRE(Cholesky{.tolerance = 1e-13}.solve(problem.A, problem.b, x, with));
  {
    const InsteadOfMetis nothing(nullptr);
    REQUIRE(Cholesky{.tolerance = 1e-13}.solve(problem.A, problem.b, y, without));
  }
  CHECK((stacked(x) - stacked(y)).norm() <= 1e-11 * stacked(y).norm());
  CHECK(with.factor.fronts().blocks() <= without.factor.fronts().blocks());
  CHECK((stacked(problem.b) - sparse(problem.A) * stacked(x)).norm() <= 1e-12 * stacked(problem.b).norm());

  const WithThreads three(3);
  auto again = problem.x;
  REQUIRE(Cholesky{.tolerance = 1e-13}.solve(problem.A, problem.b, again, with));
  CHECK(same_bits(again, x));

  Pcg<Prefactored>::Workspace<Matrix> prefactored;
  auto z = problem.x;
  REQUIRE(Pcg<Prefactored>{.tolerance = 1e-10}.solve(problem.A, problem.b, z, prefactored));
  CHECK((stacked(x) - stacked(z)).norm() <= 1e-8 * stacked(y).norm());
}

TEST_CASE("METIS: where it fails, the order is that of minimum degree") {
  const BlockPattern pattern = BlockPattern::from_graph(nodes_of(ball()));
  const auto order_with = [&](InsteadOfMetis::Ordering ordering) {
    const InsteadOfMetis other(ordering);
    return detail::linear_solver::Fronts::of(pattern).order;
  };
  const std::vector<int> by_degree = order_with(nullptr);
  CHECK(order_with([](const Adjacency&) { return std::vector<int>{}; }) == by_degree);
  CHECK(detail::linear_solver::Fronts::of(pattern).order != by_degree);
}
