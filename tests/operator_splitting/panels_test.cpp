#include "support/catch.hpp"
#include "support/threads.hpp"

#include <atomic>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include <Eigen/LU>

#include <pliant/element/tet4.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/operator_splitting/panels.hpp>

namespace {

using namespace pliant;
using namespace pliant::simd;

// A matrix on the graph of the nodes of a box, off-diagonal entries in [-1, 0), diagonally dominant.
struct Problem {
  BlockPattern pattern;
  std::vector<double> values;
  Eigen::MatrixXd dense;

  explicit Problem(const Adjacency& graph) : pattern(BlockPattern::from_graph(graph)) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> entry(-1, 0);
    values.assign(static_cast<std::size_t>(pattern.blocks()), 0);
    dense.setZero(pattern.rows(), pattern.rows());
    for (int i = 0; i < pattern.rows(); ++i) {
      for (int k = pattern.row_begin[static_cast<std::size_t>(i)] + 1;
           k < pattern.row_begin[static_cast<std::size_t>(i) + 1]; ++k) {
        const int j = pattern.columns[static_cast<std::size_t>(k)];
        dense(i, j) = dense(j, i) = values[static_cast<std::size_t>(k)] = entry(random);
      }
    }
    for (int i = 0; i < pattern.rows(); ++i) {
      dense(i, i) = 0.1 - dense.row(i).sum();
      values[static_cast<std::size_t>(pattern.slot(i, i))] = dense(i, i);
    }
  }
};

Problem box(int a, int b, int c) {
  const auto mesh = make_box<Tet4>({.lengths = {1, 1, 1}, .cells = {a, b, c}});
  return Problem(neighbours_of_nodes<Tet4>(mesh.elements, mesh.node_count()));
}

// The relative error of a solve, each part with an array of its own.
template <class Real>
double error_of(const Problem& problem) {
  detail::operator_splitting::Panels<Real> panels;
  REQUIRE(panels.factorise(problem.pattern, problem.values) == detail::linear_solver::FactorResult::done);
  const int count = panels.node_count();
  REQUIRE(count == problem.pattern.rows());
  const Eigen::MatrixXd b = Eigen::MatrixXd::Random(count, 3);

  const int parts = panels.parts();
  const std::size_t size = static_cast<std::size_t>(count + 1) * 4;
  std::vector<std::vector<Real>> y(static_cast<std::size_t>(parts) + 1, std::vector<Real>(size, Real(0)));
  std::vector<Real> scratch(panels.scratch_size());
  for (int part = 0; part <= parts; ++part) {
    for (int place = panels.begin(part); place < panels.end(part); ++place) {
      for (int k = 0; k < 3; ++k) {
        y[static_cast<std::size_t>(part)][static_cast<std::size_t>(4 * place + k)] =
            static_cast<Real>(b(panels.node_at(place), k));
      }
    }
  }
  auto& top = y.back();
  int strays = 0;
  for (int part = 0; part < parts; ++part) {
    auto& own = y[static_cast<std::size_t>(part)];
    panels.sweep_forward(part, own.data());
    for (int place = 0; place < count; ++place) {
      const bool inside = place >= panels.begin(part) && place < panels.end(part);
      const bool above = place >= panels.begin(parts);
      for (int k = 0; k < 3; ++k) {
        Real& number = own[static_cast<std::size_t>(4 * place + k)];
        if (above) top[static_cast<std::size_t>(4 * place + k)] += number;
        else if (!inside) strays += number != 0;
      }
    }
  }
  CHECK(strays == 0);  // parts have nothing to do with each other
  panels.sweep_forward(parts, top.data());
  panels.sweep_backward(parts, top.data(), scratch.data());
  Eigen::MatrixXd x(count, 3);
  for (int part = 0; part <= parts; ++part) {
    auto& own = y[static_cast<std::size_t>(part)];
    if (part < parts) {
      std::copy(top.begin() + 4 * panels.begin(parts), top.end(), own.begin() + 4 * panels.begin(parts));
      panels.sweep_backward(part, own.data(), scratch.data());
    }
    for (int place = panels.begin(part); place < panels.end(part); ++place) {
      for (int k = 0; k < 3; ++k) {
        x(panels.node_at(place), k) = static_cast<double>(own[static_cast<std::size_t>(4 * place + k)]);
      }
    }
  }
  const Eigen::MatrixXd truth = problem.dense.partialPivLu().solve(b);
  return (x - truth).norm() / truth.norm();
}

// The same of a solve for several copies at once, each with its own right-hand side.
template <class Real, int copies>
double error_of_copies(const Problem& problem) {
  detail::operator_splitting::Panels<Real> panels;
  REQUIRE(panels.factorise(problem.pattern, problem.values) == detail::linear_solver::FactorResult::done);
  const int count = panels.node_count();
  const Eigen::MatrixXd b = Eigen::MatrixXd::Random(count, 3 * copies);
  AlignedVector<Real> y(static_cast<std::size_t>(count + 1) * 3 * copies, Real(0));
  const auto number = [&](int place, int k) -> Real& {
    return y[static_cast<std::size_t>(place) * 3 * copies + static_cast<std::size_t>(k)];
  };
  for (int place = 0; place < count; ++place) {
    for (int k = 0; k < 3 * copies; ++k) number(place, k) = static_cast<Real>(b(panels.node_at(place), k));
  }
  panels.template solve<copies>(y.data());
  Eigen::MatrixXd x(count, 3 * copies);
  for (int place = 0; place < count; ++place) {
    for (int k = 0; k < 3 * copies; ++k) x(panels.node_at(place), k) = static_cast<double>(number(place, k));
  }
  const Eigen::MatrixXd truth = problem.dense.partialPivLu().solve(b);
  return (x - truth).norm() / truth.norm();
}

}  // namespace

TEST_CASE("panels solve as a dense factor does") {
  for (const auto& problem : {box(1, 1, 1), box(5, 3, 2), box(9, 8, 7)}) {
    CAPTURE(problem.pattern.rows());
    CHECK(error_of<double>(problem) < 1e-13);
    CHECK(error_of<float>(problem) < 1e-5);
    CHECK(error_of_copies<double, 8>(problem) < 1e-13);
    CHECK(error_of_copies<float, 16>(problem) < 1e-5);
  }
}

TEST_CASE("panels: parts of a large matrix are solved apart") {
  const Problem problem = box(14, 13, 12);
  detail::operator_splitting::Panels<double> panels;
  REQUIRE(panels.factorise(problem.pattern, problem.values) == detail::linear_solver::FactorResult::done);
  CHECK(panels.parts() > 1);
  CHECK(error_of<double>(problem) < 1e-12);
  CHECK(error_of_copies<double, 8>(problem) < 1e-12);
}

TEST_CASE("panels: nodes without neighbours") {
  const Problem problem({{0, 0, 0, 0}, {}});
  CHECK(error_of<double>(problem) < 1e-15);
}

TEST_CASE("panels: a matrix that is not positive definite is refused") {
  Problem problem = box(2, 2, 2);
  problem.values[static_cast<std::size_t>(problem.pattern.slot(3, 3))] = -1;
  detail::operator_splitting::Panels<double> panels;
  CHECK(panels.factorise(problem.pattern, problem.values) ==
        detail::linear_solver::FactorResult::not_definite);
}

TEST_CASE("Fronts that are not kept have the same numbers while they are used, on any number of threads") {
  const Problem problem = box(14, 12, 12);
  struct Values {
    const double* numbers;
    const double* values() const { return numbers; }
  } const A{problem.values.data()};
  detail::linear_solver::Multifrontal<1> kept, passing;
  kept.analyse(problem.pattern);
  passing.analyse(detail::linear_solver::Fronts::of(problem.pattern),
                  detail::linear_solver::FactorKept::nothing);
  CHECK(passing.bytes() < kept.bytes());
  REQUIRE(kept.factorise(A) == detail::linear_solver::FactorResult::done);
  for (const int threads : thread_counts) {
    const WithThreads with(threads);
    std::atomic<int> used = 0, different = 0;
    const detail::linear_solver::FactorResult result = passing.factorise(A, [&](int f) {
      const auto& front = kept.fronts().fronts[static_cast<std::size_t>(f)];
      for (int c = 0; c < front.columns(); ++c) {
        for (int r = c; r < front.columns() + front.rows_below(); ++r)
          different += passing.entry(f, r, c) != kept.entry(f, r, c) ? 1 : 0;
      }
      ++used;
    });
    CHECK(result == detail::linear_solver::FactorResult::done);
    CHECK(used == std::ssize(kept.fronts().fronts));
    CHECK(different == 0);
  }
}
