// Every solver on matrices whose pairs come and go, against dense algebra.
#include "linear_solver/growing_pattern.hpp"

#include "support/catch.hpp"
#include "support/threads.hpp"

#include <pliant/linear_solver/bounded/bounded_solve.hpp>
#include <pliant/linear_solver/bounded/mprgp.hpp>
#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/linear_solver/krylov/pcg.hpp>
#include <pliant/linear_solver/preconditioner/prefactored.hpp>
#include <pliant/linear_solver/preconditioner/two_level.hpp>

using namespace pliant;
using namespace pliant::test;
using namespace eigen_view;

namespace {

template <class Solver, int Dim, class Scalar>
struct Solves {
  using Matrix = BlockMatrix<Dim, Scalar>;

  Solver solver;
  typename Solver::template Workspace<Matrix> workspace;

  NodeVector<Dim, Scalar> operator()(const CoupledBodies<Dim, Scalar>& bodies) {
    if constexpr (requires { workspace.set_positions(bodies.positions()); }) {
      workspace.set_positions(bodies.positions());
    }
    NodeVector<Dim, Scalar> x(bodies.matrix().rows());
    const LinearReport report = solver.solve(bodies.matrix(), bodies.right_side(), x, workspace);
    INFO(report.message());
    CHECK(report);
    CHECK(padding_is_zero(x));
    return x;
  }
};

// One of each solver and preconditioner, which live on from round to round. Calls run(name, solves).
template <int Dim, class Scalar>
struct AllSolvers {
  static constexpr double tolerance = sizeof(Scalar) == 8 ? 1e-10 : 1e-4;
  Solves<Pcg<NoPreconditioner>, Dim, Scalar> identity{{.tolerance = tolerance}, {}};
  Solves<Pcg<Jacobi>, Dim, Scalar> jacobi{{.tolerance = tolerance}, {}};
  Solves<Pcg<BlockJacobi>, Dim, Scalar> block_jacobi{{.tolerance = tolerance}, {}};
  Solves<Pcg<TwoLevel>, Dim, Scalar> two_level{{.tolerance = tolerance}, {}};
  Solves<Pcg<Prefactored>, Dim, Scalar> prefactored{{.tolerance = tolerance}, {}};
  Solves<Pcg<Automatic>, Dim, Scalar> automatic{
      {.tolerance = tolerance, .preconditioner = {.switch_above = 30}}, {}};
  Solves<Cholesky, Dim, Scalar> cholesky{{.tolerance = tolerance}, {}};
  Solves<Mprgp<Jacobi>, Dim, Scalar> mprgp{{.tolerance = tolerance}, {}};

  template <class Run>
  void for_each(Run&& run) {
    run("NoPreconditioner", identity);
    run("Jacobi", jacobi);
    run("BlockJacobi", block_jacobi);
    run("TwoLevel", two_level);
    run("Prefactored", prefactored);
    run("Automatic", automatic);
    run("Cholesky", cholesky);
    run("Mprgp", mprgp);
  }
};

template <class Bodies>
void solves_as_dense_algebra_does(Bodies&& bodies) {
  using Matrix = std::remove_cvref_t<decltype(bodies.matrix())>;
  using Scalar = typename Matrix::Scalar;
  constexpr int dim = Matrix::dim;
  constexpr double epsilon = std::numeric_limits<Scalar>::epsilon();
  AllSolvers<dim, Scalar> solvers;
  const Eigen::VectorXd b = stacked(bodies.right_side());
  int without_springs = 0, grown_at_first = 0;
  for (int round = 0; round < 50; ++round) {
    INFO("round " << round << ", " << bodies.springs() << " springs");
    bodies.next_round();
    if (round == 0) grown_at_first = bodies.grown();
    without_springs += bodies.springs() == 0;
    const Eigen::MatrixXd full = bodies.dense_sum();
    const auto& A = bodies.matrix();
    REQUIRE((dense(A) - full).cwiseAbs().maxCoeff() <= 8 * epsilon * full.cwiseAbs().maxCoeff());
    for (int i = 0; i < A.rows(); ++i) {
      REQUIRE((A.diagonal(i).template cast<double>() - full.block(dim * i, dim * i, dim, dim)).norm() <=
              8 * epsilon * full.block(dim * i, dim * i, dim, dim).norm());
    }
    const Eigen::VectorXd exact = full.llt().solve(b);
    solvers.for_each([&](const char* name, auto& solves) {
      INFO(name);
      const Eigen::VectorXd x = stacked(solves(bodies));
      CHECK((b - full * x).norm() <= 30 * solvers.tolerance * b.norm());
      CHECK((x - exact).norm() <= (sizeof(Scalar) == 8 ? 1e-6 : 0.1) * exact.norm());
    });
    CHECK(solvers.cholesky.workspace.analyses == bodies.grown() - grown_at_first + 1);
  }
  CHECK(bodies.grown() > 5);
  CHECK(bodies.grown() < 35);
  CHECK(without_springs > 0);
}

}  // namespace

TEST_CASE("Every solver on a growing pattern: in space") {
  solves_as_dense_algebra_does(CoupledBodies<3, double>(bar_mesh(1, 1, 6), 1));
}

TEST_CASE("Every solver on a growing pattern: in the plane") {
  solves_as_dense_algebra_does(CoupledBodies<2, double>(strip_mesh(3, 10), 2));
}

TEST_CASE("Every solver on a growing pattern: in floats") {
  solves_as_dense_algebra_does(CoupledBodies<3, float>(bar_mesh<float>(1, 1, 4), 3));
}

TEST_CASE(
    "Every solver on a growing pattern: the same bits on any number of threads, far blocks among them") {
  std::vector<NodeVector<3, double>> first;
  for (const int threads : thread_counts) {
    INFO(threads << " threads");
    const WithThreads with(threads);
    CoupledBodies<3, double> bodies(bar_mesh(7, 7, 15), 4);
    AllSolvers<3, double> solvers;
    solvers.automatic.solver.preconditioner.start_above = 100;
    std::size_t far = 0, next = 0;
    for (int round = 0; round < 2; ++round) {
      for (int k = 0; k < 3; ++k) bodies.next_round();
      far += bodies.matrix().pattern().far_slots.size();
      solvers.for_each([&](const char* name, auto& solves) {
        INFO(name << ", round " << round);
        const auto x = solves(bodies);
        CHECK(true_residual(bodies.matrix(), bodies.right_side(), x) <= 1e-8 * bodies.right_side().norm());
        if (threads == 1) first.push_back(x);
        else CHECK(same_bits(x, first[next]));
        ++next;
      });
    }
    CHECK(far > 0);
  }
}

namespace {

// A plane for every third node; the exact conditions of the minimum, on the dense sum.
template <class Solver>
void respects_planes(const Solver& solver, unsigned seed) {
  using Vector = NodeVector<3, double>;
  CoupledBodies<3, double> bodies(bar_mesh(1, 1, 6), seed);
  detail::linear_solver::BoundedSolve<BlockMatrix<3, double>> bounded;
  typename Solver::template Workspace<BlockMatrix<3, double>> workspace;
  std::mt19937 random(seed);
  std::normal_distribution<double> number;
  int pressing = 0;
  for (int round = 0; round < 20; ++round) {
    INFO("round " << round);
    bodies.next_round();
    auto A = bodies.matrix();
    auto b = bodies.right_side();
    const auto nodes = static_cast<int>(A.rows());
    const Eigen::MatrixXd full = bodies.dense_sum();
    const Eigen::VectorXd force = stacked(b), unbounded = full.llt().solve(force);
    BoundedNodes<Vector> bounds;
    bounds.clear(nodes);
    std::vector<ContactPlane<3>> planes(static_cast<std::size_t>(nodes));
    for (int i = 0; i < nodes; i += 3) {
      auto& plane = planes[static_cast<std::size_t>(i)];
      for (int axis = 0; axis < 3; ++axis) plane.normal[axis] = number(random);
      plane.normal.normalize();
      plane.least = plane.normal.dot(unbounded.segment<3>(3 * i)) + 1e-4 * number(random);
      plane.collider = 0;
      bounds.add(i, std::vector<ContactPlane<3>>{plane}, SmallMatrix<double, 3, 3>::Identity(),
                 SmallVector<double, 3>::Zero(), 0.1);
    }
    const Vector u(nodes);
    Vector d(nodes);
    const LinearReport report = bounded.solve(solver, workspace, A, b, bounds, u, d, 0, LinearMonitor{});
    INFO(report.message());
    REQUIRE(report);
    const Eigen::VectorXd x = stacked(d), gradient = full * x - force;
    const double small = 1e-6 * force.norm(), short_way = 1e-9;
    for (int i = 0; i < nodes; ++i) {
      const ContactPlane<3>& plane = planes[static_cast<std::size_t>(i)];
      Eigen::Vector3d g = gradient.segment<3>(3 * i);
      if (plane.collider < 0) {
        CHECK(g.norm() <= small);
        continue;
      }
      const double pressure = g.dot(plane.normal), room = x.segment<3>(3 * i).dot(plane.normal) - plane.least;
      g -= pressure * plane.normal;
      CHECK(g.norm() <= small);
      CHECK(pressure >= -small);
      CHECK(room >= -short_way);
      if (pressure > small) {
        CHECK(std::abs(room) <= short_way);
        ++pressing;
      }
    }
  }
  CHECK(pressing > 50);
  CHECK(bodies.grown() >= 2);
}

}  // namespace

TEST_CASE("Bounded nodes on a growing pattern: by Cholesky") {
  respects_planes(Cholesky{.tolerance = 1e-10}, 5);
}
TEST_CASE("Bounded nodes on a growing pattern: by conjugate gradients") {
  respects_planes(Pcg<TwoLevel>{.tolerance = 1e-11}, 6);
}
TEST_CASE("Bounded nodes on a growing pattern: by Mprgp") {
  respects_planes(Mprgp<Jacobi>{.tolerance = 1e-10}, 7);
}
