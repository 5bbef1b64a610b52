// Linear systems with nodes that planes bound, against the dual problem solved densely.
#include "linear_solver/problem.hpp"
#include "support/catch.hpp"

#include <vector>

#include <pliant/linear_solver/bounded/bounded_solve.hpp>
#include <pliant/linear_solver/bounded/mprgp.hpp>
#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/linear_solver/krylov/pcg.hpp>

using namespace pliant;

namespace {

// Some nodes with one to Dim planes of random normals, which the displacement that nothing bounds crosses or
// not.
template <int Dim>
struct Scene {
  using Vector = NodeVector<Dim, double>;

  Scene(int nodes, unsigned seed)
      : problem(test::definite_problem<Dim, double>(nodes, seed, 1.05)), u(nodes) {
    std::mt19937 random(seed + 1000);
    std::uniform_real_distribution<double> number(-1, 1);
    bounds.clear(nodes);
    for (int i = 0; i < nodes; ++i) {
      for (int axis = 0; axis < Dim; ++axis) u.node(i)(axis) = 0.1 * number(random);
      std::vector<ContactPlane<Dim>> of_node;
      for (int k = 0; k < i % (Dim + 1); ++k) {
        SmallVector<double, Dim> normal;
        do {
          for (int axis = 0; axis < Dim; ++axis) normal[axis] = number(random);
          normal.normalize();
        } while (!far_from(of_node, normal));
        of_node.push_back({normal, normal.dot(u.node(i)) + 0.05 * number(random), 0});
      }
      if (of_node.empty()) continue;
      bounds.add(i, of_node, SmallMatrix<double, Dim, Dim>::Identity(), SmallVector<double, Dim>::Zero(), 1);
      for (const auto& plane : of_node) planes.push_back({i, plane});
    }
  }

  // Not so close to parallel that planes are taken for one.
  static bool far_from(const std::vector<ContactPlane<Dim>>& others, const SmallVector<double, Dim>& normal) {
    SmallMatrix<double, Dim, Dim> all = SmallMatrix<double, Dim, Dim>::Identity();
    int column = 0;
    for (const auto& other : others) all.col(column++) = other.normal;
    all.col(column) = normal;
    Eigen::Matrix<double, Dim, Eigen::Dynamic> taken = all.leftCols(column + 1);
    return (taken.transpose() * taken).determinant() > 0.05;
  }

  // The multipliers of the planes by projected Gauss-Seidel on the dual problem.
  Eigen::VectorXd solution() const {
    const Eigen::MatrixXd A = eigen_view::sparse(problem.A);
    const Eigen::VectorXd b = eigen_view::stacked(problem.b);
    const auto count = static_cast<Eigen::Index>(planes.size());
    Eigen::MatrixXd C = Eigen::MatrixXd::Zero(count, A.rows());
    Eigen::VectorXd c(count);
    for (Eigen::Index k = 0; k < count; ++k) {
      const auto& [node, plane] = planes[static_cast<std::size_t>(k)];
      C.row(k).segment<Dim>(Dim * node) = plane.normal.transpose();
      c(k) = plane.least - plane.normal.dot(u.node(node));
    }
    const Eigen::LLT<Eigen::MatrixXd> factor(A);
    const Eigen::MatrixXd S = C * factor.solve(C.transpose());
    const Eigen::VectorXd r = C * factor.solve(b) - c;
    Eigen::VectorXd lambda = Eigen::VectorXd::Zero(count);
    for (int sweep = 0; sweep < 20000; ++sweep) {
      for (Eigen::Index k = 0; k < count; ++k) {
        lambda(k) = std::max(0.0, lambda(k) - (S.row(k).dot(lambda) + r(k)) / S(k, k));
      }
    }
    return factor.solve(b + C.transpose() * lambda);
  }

  template <class Solver>
  Eigen::VectorXd solved_by(const Solver& solver) {
    detail::linear_solver::BoundedSolve<BlockMatrix<Dim, double>> bounded;
    typename Solver::template Workspace<BlockMatrix<Dim, double>> workspace;
    auto A = problem.A;
    auto b = problem.b;
    Vector d(u.nodes());
    const LinearReport report = bounded.solve(solver, workspace, A, b, bounds, u, d, 0, LinearMonitor{});
    INFO(report.message());
    CHECK(report);
    return eigen_view::stacked(d);
  }

  test::Problem<Dim, double> problem;
  Vector u;
  BoundedNodes<Vector> bounds;
  std::vector<std::pair<int, ContactPlane<Dim>>> planes;
};

template <int Dim>
void agree() {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Scene<Dim> scene(14, seed);
    const Eigen::VectorXd expected = scene.solution();
    CAPTURE(seed);
    CHECK((scene.solved_by(Cholesky{.tolerance = 1e-13}) - expected).norm() < 1e-9 * expected.norm());
    CHECK((scene.solved_by(Pcg<BlockJacobi>{.tolerance = 1e-13}) - expected).norm() < 1e-9 * expected.norm());
    CHECK((scene.solved_by(Mprgp<Jacobi>{.tolerance = 1e-12}) - expected).norm() < 1e-8 * expected.norm());
  }
}

}  // namespace

TEST_CASE("BoundedSolve: planes at random angles, by every kind of solver") {
  agree<2>();
  agree<3>();
}

TEST_CASE("BoundedNodes: a plane that restraints leave no way across is left out") {
  BoundedNodes<NodeVector<3, double>> bounds;
  bounds.clear(1);
  const std::vector<ContactPlane<3>> floor{{Eigen::Vector3d(0, 1, 0), 0.5, 0}};
  SmallMatrix<double, 3, 3> S = SmallMatrix<double, 3, 3>::Identity();
  S(1, 1) = 0;
  bounds.add(0, floor, S, SmallVector<double, 3>::Zero(), 1);
  CHECK(bounds.empty());
}

TEST_CASE("BoundedNodes: of a node on a rail the plane bounds the way along it") {
  BoundedNodes<NodeVector<3, double>> bounds;
  bounds.clear(1);
  const Eigen::Vector3d rail = Eigen::Vector3d(1, 1, 0).normalized(), prescribed(0.1, -0.1, 0);
  const std::vector<ContactPlane<3>> floor{{Eigen::Vector3d(0, 1, 0), 0.5, 0}};
  bounds.add(0, floor, rail * rail.transpose(), prescribed, 1);
  REQUIRE(bounds.nodes().size() == 1);
  const auto& node = bounds.nodes()[0];
  CHECK(node.axes == 1);
  CHECK(node.lower[0] == Approx(0.6 * std::sqrt(2.0)));
  CHECK((node.N * node.T.transpose() - Eigen::Matrix3d::Identity()).norm() < 1e-14);
}

TEST_CASE("BoundedNodes: facing planes make an interval, and crossing ones its middle") {
  BoundedNodes<NodeVector<2, double>> bounds;
  bounds.clear(2);
  const Eigen::Vector2d x(1, 0);
  const auto between = [&](int node, double low, double high) {
    const std::vector<ContactPlane<2>> walls{{x, low, 0}, {-x, -high, 1}};
    bounds.add(node, walls, SmallMatrix<double, 2, 2>::Identity(), SmallVector<double, 2>::Zero(), 1);
  };
  between(0, -1, 2);
  between(1, 2, 1);
  CHECK(bounds.nodes()[0].lower[0] == -1);
  CHECK(bounds.nodes()[0].upper[0] == 2);
  CHECK(bounds.nodes()[1].lower[0] == 1.5);
  CHECK(bounds.nodes()[1].upper[0] == 1.5);
}
