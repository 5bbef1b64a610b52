#include "linear_solver/elastic_problem.hpp"
#include "linear_solver/problem.hpp"
#include "support/catch.hpp"

#include <limits>

#include <pliant/linear_solver/preconditioner/rigid_modes.hpp>

using namespace pliant;
using namespace pliant::test;
using namespace eigen_view;

namespace {

template <int Dim, class Scalar>
struct Coarse {
  detail::linear_solver::RigidModes<Dim> modes;

  Coarse(const ElasticProblem<Dim, Scalar>& problem, int size, bool knows_positions = true) {
    modes.analyse(graph_of(problem.A.pattern()), problem.A.pattern(), size);
    REQUIRE(modes.prepare(problem.A, 1, knows_positions ? &problem.positions : nullptr));
  }

  // Q (Q^T A Q)^-1 (Q^T b - (A Q)^T x), without x: Q (Q^T A Q)^-1 Q^T b
  Eigen::VectorXd correct(const Eigen::VectorXd& b, const Eigen::VectorXd* x = nullptr) {
    using Row = typename detail::linear_solver::RigidModes<Dim>::Row;
    const int count = modes.aggregates().count();
    const auto right_side = node_vector<Dim, float>(b);
    modes.restrict_to(0, count, [&](int i) { return Row(right_side.row(i)); });
    if (x != nullptr) {
      const auto known = node_vector<Dim, float>(*x);
      modes.subtract_image(0, count, [&](int i) { return Row(known.row(i)); });
    }
    modes.solve();
    Eigen::VectorXd result(b.size());
    for (int i = 0; i < right_side.nodes(); ++i) {
      const Row row = modes.at_node(i);
      for (int axis = 0; axis < Dim; ++axis) result(Dim * i + axis) = row[axis];
    }
    return result;
  }
};

template <int Dim>
bool is_held(const Eigen::MatrixXd& A, int i) {
  Eigen::MatrixXd row = A.middleRows(Dim * i, Dim);
  row.middleCols(Dim * i, Dim).setZero();
  return row.isZero(0);
}

// The rigid motions of every aggregate, about the origin: they span the same space as those about its centre.
template <int Dim, class Scalar>
Eigen::MatrixXd modes_of(const ElasticProblem<Dim, Scalar>& problem,
                         const detail::linear_solver::Aggregates& aggregates, bool rotations) {
  const Eigen::MatrixXd A = dense(problem.A);
  constexpr int all = Dim == 3 ? 6 : 3;
  const int count = rotations ? all : Dim;
  Eigen::MatrixXd Q = Eigen::MatrixXd::Zero(A.rows(), count * aggregates.count());
  for (int i = 0; i < problem.A.rows(); ++i) {
    if (is_held<Dim>(A, i)) continue;
    const int first = count * aggregates.of[static_cast<std::size_t>(i)];
    Q.block(Dim * i, first, Dim, Dim).setIdentity();
    if (!rotations) continue;
    // In centimetres, so that the columns are of one size.
    const Eigen::VectorXd x = 100 * problem.positions.node(i).template cast<double>();
    if constexpr (Dim == 3) {
      for (int axis = 0; axis < 3; ++axis) {
        Q.block(3 * i, first + 3 + axis, 3, 1) = Eigen::Vector3d::Unit(axis).cross(Eigen::Vector3d(x));
      }
    } else {
      Q.block(2 * i, first + 2, 2, 1) = Eigen::Vector2d(-x(1), x(0));
    }
  }
  return Q;
}

template <int Dim, class Scalar>
void compare(const ElasticProblem<Dim, Scalar>& problem, int size, bool knows_positions) {
  Coarse<Dim, Scalar> coarse(problem, size, knows_positions);
  REQUIRE(coarse.modes.aggregates().count() >= 3);
  const Eigen::MatrixXd Q = modes_of(problem, coarse.modes.aggregates(), knows_positions);
  const Eigen::MatrixXd A_coarse = Q.transpose() * dense(problem.A) * Q;
  std::mt19937 random(1);
  for (int turn = 0; turn < 3; ++turn) {
    const auto b = stacked(random_vector<Dim, double>(problem.A.rows(), random));
    // Modes that are zero, of held nodes, are nobody's: the smallest of all solutions leaves them alone.
    const Eigen::VectorXd expected = Q * A_coarse.completeOrthogonalDecomposition().solve(Q.transpose() * b);
    CHECK((coarse.correct(b) - expected).norm() <= 1e-4 * expected.norm());
  }
}

// A rigid motion of the whole body is one of the coarse space, so A x for it gives x back, however small the
// forces are that it takes.
template <int Dim, class Scalar>
void gives_rigid_motions_back(const ElasticProblem<Dim, Scalar>& body, double tolerance) {
  Coarse<Dim, Scalar> coarse(body, 15);
  REQUIRE(coarse.modes.aggregates().count() >= 3);
  const Eigen::SparseMatrix<double> A = sparse(body.A);
  for (int mode = 0; mode < (Dim == 3 ? 6 : 3); ++mode) {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(A.rows());
    for (int i = 0; i < body.A.rows(); ++i) {
      const Eigen::VectorXd X = body.positions.node(i).template cast<double>();
      if (mode < Dim) x(Dim * i + mode) = 1;
      else if constexpr (Dim == 3)
        x.segment<3>(3 * i) = Eigen::Vector3d::Unit(mode - 3).cross(Eigen::Vector3d(X));
      else x.segment<2>(2 * i) = Eigen::Vector2d(-X(1), X(0));
    }
    Eigen::VectorXd b = A * x;
    const double size = b.norm();
    INFO("mode " << mode);
    CHECK((size * coarse.correct(b / size) - x).norm() <= tolerance * x.norm());
  }
}

}  // namespace

TEST_CASE("RigidModes: Q (Q^T A Q)^-1 Q^T, computed densely with the modes about the origin") {
  for (const bool positions : {true, false}) {
    INFO(positions);
    compare(elastic_problem(bar_mesh(2, 2, 9), {.state = Deformed::twisted}), 20, positions);
    compare(elastic_problem(bar_mesh(2, 2, 9), {.held = false}), 30, positions);
    compare(elastic_problem(bar_mesh<float>(2, 2, 9)), 20, positions);
    compare(elastic_problem(strip_mesh(4, 16), {.state = Deformed::twisted}), 12, positions);
  }
}

TEST_CASE("RigidModes: the residual on the coarse space, Q^T r - (A Q)^T x, is that of Q^T (r - A x)") {
  const auto compare_residuals = [](const auto& problem, int size) {
    constexpr int Dim = std::remove_cvref_t<decltype(problem.A)>::dim;
    Coarse coarse(problem, size);
    CHECK(coarse.modes.is_exact());
    REQUIRE(coarse.modes.aggregates().count() >= 3);
    std::mt19937 random(3);
    const Eigen::VectorXd r = stacked(random_vector<Dim, double>(problem.A.rows(), random)),
                          x = stacked(random_vector<Dim, double>(problem.A.rows(), random));
    const Eigen::VectorXd expected = coarse.correct(r - sparse(problem.A) * x);
    CHECK((coarse.correct(r, &x) - expected).norm() <= 1e-4 * expected.norm());
  };
  compare_residuals(elastic_problem(bar_mesh(3, 3, 9), {.state = Deformed::twisted}), 20);
  compare_residuals(elastic_problem(bar_mesh(2, 2, 9), {.held = false}), 15);
  compare_residuals(elastic_problem(strip_mesh(4, 16), {.state = Deformed::twisted}), 12);
}

TEST_CASE("RigidModes: a light body that nothing holds moves as a rigid one") {
  // Inertia is 1e-4 and less of the stiffness.
  gives_rigid_motions_back(elastic_problem(bar_mesh(3, 3, 12), {.held = false, .time_step = 1}), 1e-4);
  gives_rigid_motions_back(elastic_problem(strip_mesh(5, 30), {.held = false, .time_step = 1}), 1e-4);
}

TEST_CASE("RigidModes: a singular coarse matrix gets a little on its diagonal") {
  // No inertia: the motions of the whole body take no force at all.
  const auto body = elastic_problem(bar_mesh(2, 2, 9), {.held = false, .time_step = 1e12});
  Coarse<3, double> coarse(body, 12);
  std::mt19937 random(2);
  const auto b = stacked(random_vector<3, double>(body.A.rows(), random));
  const Eigen::VectorXd x = coarse.correct(b);
  CHECK(x.allFinite());
  CHECK(x.dot(b) > 0);
  CHECK(!coarse.modes.is_exact());
}

TEST_CASE(
    "RigidModes: a matrix that is not positive definite on the modes, or not finite, has no coarse matrix") {
  auto problem = elastic_problem(bar_mesh(2, 2, 9));
  detail::linear_solver::RigidModes<3> modes;
  modes.analyse(graph_of(problem.A.pattern()), problem.A.pattern(), 12);
  CHECK(modes.prepare(problem.A, 1, &problem.positions));
  CHECK(!modes.prepare(problem.A, -1, &problem.positions));
  problem.A.block(3)(0, 0) = std::numeric_limits<double>::quiet_NaN();
  CHECK(!modes.prepare(problem.A, 1, &problem.positions));
}
