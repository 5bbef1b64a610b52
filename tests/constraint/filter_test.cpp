#include "assembly/brute_force.hpp"
#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"

#include <pliant/constraint/filter.hpp>
#include <pliant/constraint/pinned.hpp>
#include <pliant/constraint/unconstrained.hpp>

using namespace pliant;
using namespace eigen_view;

namespace {

constexpr int nodes = 40;

Numbering random_numbering(std::mt19937& random) {
  Numbering numbering;
  numbering.to_user = brute_force::random_permutation(nodes, random);
  numbering.to_internal.resize(nodes);
  for (int i = 0; i < nodes; ++i) {
    numbering.to_internal[static_cast<std::size_t>(numbering.to_user[static_cast<std::size_t>(i)])] = i;
  }
  return numbering;
}

template <int Dim, class C>
NodeConstraints<Dim> described(const C& constraint) {
  NodeConstraints<Dim> result(nodes);
  constraint.describe(result);
  return result;
}

// Rest positions: node i at (i, 2 i, ...).
template <int Dim>
NodeMatrix<double, Dim> rest_positions() {
  NodeMatrix<double, Dim> result(Dim, nodes);
  for (int i = 0; i < nodes; ++i) {
    for (int axis = 0; axis < Dim; ++axis) result(axis, i) = (axis + 1.0) * i;
  }
  return result;
}

// The unknowns of the nodes that are free, in the order of the matrix.
template <int Dim>
std::vector<Eigen::Index> free_unknowns(const NodeConstraints<Dim>& held, const Numbering& numbering) {
  std::vector<Eigen::Index> result;
  for (int i = 0; i < nodes; ++i) {
    if (held.fixed(numbering.to_user[static_cast<std::size_t>(i)])) continue;
    for (int axis = 0; axis < Dim; ++axis) result.push_back(Dim * i + axis);
  }
  return result;
}

double condition(const Eigen::MatrixXd& A) {
  const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A).eigenvalues();
  REQUIRE(values(0) > 0);
  return values(values.size() - 1) / values(0);
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("Filter: the filtered system has the solution of the reduced one", "",
                       ((class Scalar, int Dim), Scalar, Dim), (double, 2), (double, 3), (float, 3)) {
  std::mt19937 random(1);
  const double tolerance = 1e3 * std::numeric_limits<Scalar>::epsilon();
  for (const std::vector<int>& pins :
       {std::vector<int>{}, {0}, {nodes - 1}, {3, 5, 3, 17, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 30, 31, 32}}) {
    const auto pattern = random_pattern(nodes, random);
    auto A = random_symmetric<Dim, Scalar>(pattern, random, 1.05);
    auto b = random_vector<Dim, Scalar>(nodes, random);
    const Numbering numbering = random_numbering(random);
    const NodeConstraints<Dim> held = described<Dim>(Pinned(pins));
    const Filter<Dim, Scalar> filter(held, rest_positions<Dim>(), numbering, *pattern);
    const Eigen::MatrixXd before = dense(A);
    const Eigen::VectorXd right_side = stacked(b);
    filter.apply(A);
    filter.apply(b);
    CHECK(padding_is_zero(b));

    const Eigen::MatrixXd after = dense(A);
    CHECK(after == after.transpose());
    CHECK(condition(after) <= (1 + tolerance) * condition(before));

    const auto unknowns = free_unknowns(held, numbering);
    const Eigen::VectorXd reduced = before(unknowns, unknowns).llt().solve(right_side(unknowns));
    Eigen::VectorXd expected = Eigen::VectorXd::Zero(right_side.size());
    expected(unknowns) = reduced;
    CHECK((after.llt().solve(stacked(b)) - expected).norm() <= tolerance * expected.norm());

    // Applying it again changes nothing.
    auto twice = A;
    filter.apply(twice);
    CHECK((dense(twice) - after).norm() <= tolerance * after.norm());
  }
}

TEST_CASE("Filter: without constraints nothing changes; with all nodes held nothing is left") {
  std::mt19937 random(2);
  const auto pattern = random_pattern(nodes, random);
  const auto A = random_symmetric<3, double>(pattern, random, 1.05);
  const auto b = random_vector<3, double>(nodes, random);
  const Numbering numbering = random_numbering(random);
  {
    auto same = A;
    auto c = b;
    const Filter<3, double> filter(described<3>(Unconstrained{}), rest_positions<3>(), numbering, *pattern);
    filter.apply(same);
    filter.apply(c);
    CHECK(same_bits(same, A));
    CHECK(same_bits(c, b));
  }
  {
    auto rest = A;
    auto c = b;
    const Filter<3, double> filter(described<3>(Pinned(brute_force::random_permutation(nodes, random))),
                                   rest_positions<3>(), numbering, *pattern);
    filter.apply(rest);
    filter.apply(c);
    CHECK(filter.fixed_nodes().size() == nodes);
    CHECK(stacked(c).isZero(0));
    const Eigen::MatrixXd left = dense(rest);
    CHECK((left - Eigen::MatrixXd(left.diagonal().asDiagonal())).isZero(0));
    CHECK(left.diagonal().minCoeff() > 0);
  }
}

TEST_CASE("Filter: a held node whose own block is not positive leaves the free part solvable") {
  std::mt19937 random(3);
  const auto pattern = random_pattern(nodes, random);
  for (const double diagonal : {0.0, -5.0}) {
    auto A = random_symmetric<3, double>(pattern, random, 1.05);
    A.diagonal(7).diagonal().setConstant(diagonal);
    Numbering numbering;
    numbering.to_user = numbering.to_internal = same_numbers(nodes);
    const Filter<3, double> filter(described<3>(Pinned({7})), rest_positions<3>(), numbering, *pattern);
    filter.apply(A);
    CHECK(condition(dense(A)) < 1e6);
  }
}

TEST_CASE("Filter: what the moved nodes have to make, in any numbering") {
  std::mt19937 random(5);
  const auto pattern = random_pattern(nodes, random);
  const Numbering numbering = random_numbering(random);
  NodeConstraints<2> constraints(nodes);
  using Point = NodeConstraints<2>::Point;
  Pinned({0, 1}).describe(constraints);
  constraints.move(
      {9, 4, 9}, [](const Point& X, double t) { return Point(X(0) + t, X(1) * X(0)); }, "first");
  constraints.move(
      {30}, [](const Point&, double t) { return Point(-t, t * t); }, "second");
  const Filter<2, double> filter(constraints, rest_positions<2>(), numbering, *pattern);
  CHECK(filter.fixed_nodes().size() == 5);

  NodeVector<2, double> x = random_vector<2, double>(nodes, random), u(nodes);
  CHECK(filter.prescribe(3, x, u));
  const auto at = [&](int user) { return numbering.to_internal[static_cast<std::size_t>(user)]; };
  int moved = 0;
  for (int i = 0; i < nodes; ++i) moved += u.node(i).isZero(0) ? 0 : 1;
  CHECK(moved == 3);
  CHECK((x.node(at(9)) + u.node(at(9)) - Point(12, 18 * 9)).norm() < 1e-12);
  CHECK((x.node(at(4)) + u.node(at(4)) - Point(7, 8 * 4)).norm() < 1e-12);
  CHECK((x.node(at(30)) + u.node(at(30)) - Point(-3, 9)).norm() < 1e-12);
  x.node(at(9)) = Point(12, 18 * 9), x.node(at(4)) = Point(7, 8 * 4), x.node(at(30)) = Point(-3, 9);
  CHECK_FALSE(filter.prescribe(3, x, u));
  CHECK(u.norm() == 0);

  NodeConstraints<2> endless(nodes);
  endless.move(
      {6}, [](const Point&, double t) { return Point(0, 1 / t); }, "third");
  const Filter<2, double> undefined(endless, rest_positions<2>(), numbering, *pattern);
  CHECK_THROWS_WITH(undefined.prescribe(0, x, u), Catch::Contains("node 6") && Catch::Contains("finite"));
}
