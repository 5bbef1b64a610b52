#include "assembly/brute_force.hpp"
#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"

#include <Eigen/LU>

#include <pliant/constraint/filter.hpp>
#include <pliant/constraint/pinned.hpp>
#include <pliant/constraint/prescribed_motion.hpp>
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

// Planes, lines, pins and motions of all kinds, several at one node.
template <int Dim>
NodeConstraints<Dim> any_mix(std::mt19937& random) {
  using Point = typename NodeConstraints<Dim>::Point;
  using Motion = typename NodeConstraints<Dim>::Motion;
  std::uniform_real_distribution<double> number(-1, 1);
  const auto direction = [&] {
    Point d;
    for (int axis = 0; axis < Dim; ++axis) d(axis) = number(random);
    return d;
  };
  NodeConstraints<Dim> constraints(nodes);
  for (int node = 0; node < nodes; ++node) {
    const Point target = direction();
    const Motion motion{[target](const Point&, double t) -> Point { return t * target; }};
    switch (node % 8) {
      case 0:
        constraints.fix(node, "pin");
        break;
      case 1:
        constraints.move({node}, motion);
        break;
      case 2:
        constraints.restrain(node, 7 * direction(), "plane");
        break;
      case 3:
        constraints.move_along({node}, direction(), motion);
        break;
      case 4:  // not orthogonal, held and moved
        constraints.restrain(node, direction(), "plane");
        constraints.move_along({node}, direction(), motion);
        break;
      case 5:
        for (int k = 0; k < Dim; ++k) constraints.restrain(node, direction(), "planes");
        break;
      default:;
    }
  }
  return constraints;
}

TEMPLATE_TEST_CASE_SIG("Filter: any mix of directions held and moved has the solution of the KKT system", "",
                       ((class Scalar, int Dim), Scalar, Dim), (double, 2), (double, 3), (float, 3)) {
  std::mt19937 random(4);
  const double tolerance = 2e3 * std::numeric_limits<Scalar>::epsilon();
  for (int trial = 0; trial < 5; ++trial) {
    const auto pattern = random_pattern(nodes, random);
    auto A = random_symmetric<Dim, Scalar>(pattern, random, 1.05);
    const auto b = random_vector<Dim, Scalar>(nodes, random);
    const auto x = random_vector<Dim, Scalar>(nodes, random);
    const Numbering numbering = random_numbering(random);
    const NodeConstraints<Dim> constraints = any_mix<Dim>(random);
    const Filter<Dim, Scalar> filter(constraints, rest_positions<Dim>(), numbering, *pattern);
    const Eigen::MatrixXd before = dense(A);

    // u minimises u.A u / 2 - b.u where its components along the directions are what they have to be.
    const double time = 0.7;
    std::vector<Eigen::VectorXd> rows;
    std::vector<double> ways;
    for (const auto& [user, restraints] : constraints.restraints()) {
      const int i = numbering.to_internal[static_cast<std::size_t>(user)];
      for (const auto& restraint : restraints) {
        rows.push_back(Eigen::VectorXd::Zero(before.rows()));
        rows.back().segment<Dim>(Dim * i) = restraint.direction;
        const auto motion = static_cast<std::size_t>(restraint.motion);
        ways.push_back(restraint.motion < 0
                           ? 0
                           : restraint.direction.dot(constraints.motions()[motion].path({}, time) -
                                                     x.node(i).template cast<double>()));
      }
    }
    const Eigen::Index n = before.rows(), m = std::ssize(rows);
    Eigen::MatrixXd kkt = Eigen::MatrixXd::Zero(n + m, n + m);
    Eigen::VectorXd right(n + m);
    kkt.topLeftCorner(n, n) = before;
    right.head(n) = stacked(b);
    for (Eigen::Index k = 0; k < m; ++k) {
      kkt.row(n + k).head(n) = rows[static_cast<std::size_t>(k)];
      kkt.col(n + k).head(n) = rows[static_cast<std::size_t>(k)];
      right(n + k) = ways[static_cast<std::size_t>(k)];
    }
    const Eigen::VectorXd expected = kkt.fullPivLu().solve(right).head(n);

    NodeVector<Dim, Scalar> prescribed(nodes), r(nodes);
    CHECK(filter.prescribe(time, 0.1, x, prescribed));
    A.multiply(prescribed, r);
    r.set_sum(b, Scalar(-1), r);
    filter.apply(r);
    filter.apply(A);
    CHECK(padding_is_zero(r));
    const Eigen::MatrixXd after = dense(A);
    CHECK((after - after.transpose()).norm() <= tolerance * after.norm());
    CHECK(condition(after) <= (1 + tolerance) * condition(before));
    const Eigen::VectorXd solution = stacked(prescribed) + after.llt().solve(stacked(r));
    CHECK((solution - expected).norm() <= tolerance * expected.norm());

    auto twice = A;
    filter.apply(twice);
    CHECK((dense(twice) - after).norm() <= tolerance * after.norm());
  }
}

TEST_CASE("Filter: what stands in for the held unknowns is of the size of the stiffness") {
  // Of a body of 1e6 N/m: an identity of 1 N/m in their place would make the condition number a million.
  std::mt19937 random(6);
  const auto pattern = random_pattern(nodes, random);
  auto A = random_symmetric<3, double>(pattern, random, 1.05);
  for (std::ptrdiff_t k = 0; k < pattern->blocks(); ++k) A.block(k) *= 1e6;
  const double before = condition(dense(A));
  Numbering numbering;
  numbering.to_user = numbering.to_internal = same_numbers(nodes);
  const Filter<3, double> filter(any_mix<3>(random), rest_positions<3>(), numbering, *pattern);
  filter.apply(A);
  CHECK(condition(dense(A)) <= (1 + 1e-9) * before);
}

TEST_CASE("Filter: velocities move nodes by velocity times duration, wherever they are") {
  using Point = NodeConstraints<2>::Point;
  std::mt19937 random(7);
  const auto pattern = random_pattern(nodes, random);
  const Numbering numbering = random_numbering(random);
  NodeConstraints<2> constraints(nodes);
  PrescribedVelocity({3, 8}, [](const Point& X, double t) -> Point {
    return Point(X(0), t);
  }).describe(constraints);
  PrescribedVelocity(
      {5}, [](const Point&, double) -> Point { return Point(3, 4); }, Point(0, 2))
      .describe(constraints);
  const Filter<2, double> filter(constraints, rest_positions<2>(), numbering, *pattern);
  NodeVector<2, double> x = random_vector<2, double>(nodes, random), u(nodes);
  CHECK(filter.prescribe(0.5, 0.1, x, u));
  const auto at = [&](int user) { return numbering.to_internal[static_cast<std::size_t>(user)]; };
  CHECK((u.node(at(3)) - Point(0.3, 0.05)).norm() < 1e-15);
  CHECK((u.node(at(8)) - Point(0.8, 0.05)).norm() < 1e-15);
  CHECK((u.node(at(5)) - Point(0, 0.4)).norm() < 1e-15);
  CHECK(filter.fixed_nodes().size() == 2);
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
  using Motion = NodeConstraints<2>::Motion;
  constraints.move({9, 4, 9}, {[](const Point& X, double t) { return Point(X(0) + t, X(1) * X(0)); }});
  constraints.move({30}, {[](const Point&, double t) { return Point(-t, t * t); }});
  const Filter<2, double> filter(constraints, rest_positions<2>(), numbering, *pattern);
  CHECK(filter.fixed_nodes().size() == 5);

  NodeVector<2, double> x = random_vector<2, double>(nodes, random), u(nodes);
  CHECK(filter.prescribe(3, 1, x, u));
  const auto at = [&](int user) { return numbering.to_internal[static_cast<std::size_t>(user)]; };
  int moved = 0;
  for (int i = 0; i < nodes; ++i) moved += u.node(i).isZero(0) ? 0 : 1;
  CHECK(moved == 3);
  CHECK((x.node(at(9)) + u.node(at(9)) - Point(12, 18 * 9)).norm() < 1e-12);
  CHECK((x.node(at(4)) + u.node(at(4)) - Point(7, 8 * 4)).norm() < 1e-12);
  CHECK((x.node(at(30)) + u.node(at(30)) - Point(-3, 9)).norm() < 1e-12);
  x.node(at(9)) = Point(12, 18 * 9), x.node(at(4)) = Point(7, 8 * 4), x.node(at(30)) = Point(-3, 9);
  CHECK_FALSE(filter.prescribe(3, 1, x, u));
  CHECK(u.norm() == 0);

  // Velocities at either end, exact for a path of second degree; the other nodes keep theirs.
  for (const auto& [from, to] : {std::pair(2.5, 3.0), std::pair(3.5, 3.0)}) {
    NodeVector<2, double> v = x;
    filter.follow_motions(from, to, v);
    CHECK((v.node(at(30)) - Point(-1, 2 * 3)).norm() < 1e-12);
    CHECK((v.node(at(9)) - Point(1, 0)).norm() < 1e-12);
    for (int i = 0; i < nodes; ++i) {
      if (i != at(9) && i != at(4) && i != at(30)) CHECK(v.node(i) == x.node(i));
    }
  }

  NodeConstraints<2> endless(nodes);
  endless.move({6},
               {[](const Point&, double t) { return Point(0, 1 / t); }, Motion::Gives::position, "third"});
  const Filter<2, double> undefined(endless, rest_positions<2>(), numbering, *pattern);
  CHECK_THROWS_WITH(undefined.prescribe(0, 1, x, u),
                    Catch::Contains("third") && Catch::Contains("node 6") && Catch::Contains("finite"));
  CHECK_THROWS_AS(undefined.follow_motions(-1, 0, u), ParameterError);
}
