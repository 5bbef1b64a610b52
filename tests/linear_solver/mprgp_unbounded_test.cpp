// Mprgp without bounds is the method of conjugate gradients.
#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"

#include <limits>

#include <pliant/linear_solver/bounded/mprgp.hpp>
#include <pliant/linear_solver/krylov/pcg.hpp>

using namespace pliant;
using namespace eigen_view;

static_assert(LinearSolver<Mprgp<NoPreconditioner>, BlockMatrix<3, double>>);
static_assert(LinearSolver<Mprgp<Jacobi>, BlockMatrix<2, float>>);
static_assert(DiagonalPreconditioner<Jacobi, BlockMatrix<3, double>>);
static_assert(!DiagonalPreconditioner<BlockJacobi, BlockMatrix<3, double>>);

namespace {

template <class Solver, int Dim, class Scalar>
LinearReport solve(const Solver& solver, const BlockMatrix<Dim, Scalar>& A, const NodeVector<Dim, Scalar>& b,
                   NodeVector<Dim, Scalar>& x) {
  typename Solver::template Workspace<BlockMatrix<Dim, Scalar>> workspace;
  return solver.solve(A, b, x, workspace);
}

template <class P, int Dim, class Scalar>
void takes_the_iterates_of_pcg(double accuracy) {
  std::mt19937 random(1);
  const auto pattern = random_pattern(200, random);
  const auto A = random_symmetric<Dim, Scalar>(pattern, random, 1.001);
  const auto b = random_vector<Dim, Scalar>(200, random);
  const auto guess = random_vector<Dim, Scalar>(200, random);
  for (const double size : {0.0, 1e-3, 10.0}) {  // none, one that is used, one that is dropped
    for (const int iterations : {1, 2, 3, 5, 8, 12}) {
      CAPTURE(size, iterations);
      NodeVector<Dim, Scalar> x(200), y(200);
      x.add(static_cast<Scalar>(size), guess);
      y.add(static_cast<Scalar>(size), guess);
      const auto report = solve(Mprgp<P>{.tolerance = 1e-30, .max_iterations = iterations}, A, b, x);
      const auto expected = solve(Pcg<P>{.tolerance = 1e-30, .max_iterations = iterations}, A, b, y);
      CHECK((stacked(x) - stacked(y)).norm() <= accuracy * stacked(y).norm());
      CHECK(report.iterations == expected.iterations);
      CHECK(report.first_residual == Approx(expected.first_residual).epsilon(1e-5));
      // In float Pcg tells the true residual, and its rounding.
      if constexpr (sizeof(Scalar) == sizeof(double)) {
        CHECK(report.stop == expected.stop);
        CHECK(report.residual == Approx(expected.residual).epsilon(100 * accuracy));
        CHECK(report.goal == Approx(expected.goal).epsilon(1e-5));
      }
      CHECK(padding_is_zero(x));
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("Mprgp: without bounds, the iterates of Pcg to rounding", "", NoPreconditioner, Jacobi) {
  takes_the_iterates_of_pcg<TestType, 3, double>(1e-13);
  takes_the_iterates_of_pcg<TestType, 2, double>(1e-13);
  takes_the_iterates_of_pcg<TestType, 3, float>(1e-5);
}

TEST_CASE("Mprgp: bounds that are infinite, or far away, change nothing") {
  std::mt19937 random(2);
  const auto pattern = random_pattern(200, random);
  const auto A = random_symmetric<3, double>(pattern, random, 1.001);
  const auto b = random_vector<3, double>(200, random);
  NodeVector<3, double> x(200), y(200);
  const auto without = solve(Mprgp<Jacobi>{.tolerance = 1e-10}, A, b, x);
  REQUIRE(without);
  using Box = BoxConstraints<NodeVector<3, double>>;
  Box far = Box::unbounded(200);
  for (std::ptrdiff_t i = 0; i < 200; ++i) {
    far.lower.node(i).setConstant(-100);
    far.upper.node(i).setConstant(100);
  }
  Mprgp<Jacobi>::Workspace<BlockMatrix<3, double>> workspace;
  for (const Box& box : {Box::unbounded(200), far}) {
    y.set_zero();
    const auto report = Mprgp<Jacobi>{.tolerance = 1e-10}.solve(A, b, box, y, workspace);
    CHECK(report.iterations == without.iterations);
    CHECK(report.conjugate_gradient_steps == without.iterations);
    CHECK(report.active == 0);
    CHECK((stacked(x) - stacked(y)).norm() <= 1e-14 * stacked(x).norm());
  }
}

TEMPLATE_TEST_CASE("Mprgp: without bounds it stops as Pcg does", "", NoPreconditioner, Jacobi) {
  std::mt19937 random(3);
  const auto pattern = random_pattern(60, random);
  const auto good = random_symmetric<3, double>(pattern, random, 1.01);
  const auto b = random_vector<3, double>(60, random);
  const auto stop = [&](const auto& A, const auto& right_side) {
    NodeVector<3, double> x(60), y(60);
    const auto report = solve(Mprgp<TestType>{.tolerance = 1e-9}, A, right_side, x);
    CHECK(report.stop == solve(Pcg<TestType>{.tolerance = 1e-9}, A, right_side, y).stop);
    return report.stop;
  };
  CHECK(stop(good, b) == LinearStop::converged);
  CHECK(stop(good, NodeVector<3, double>(60)) == LinearStop::converged);
  auto visible = good, hidden = good;
  visible.diagonal(17)(1, 1) = -3;
  hidden.block(pattern->row_begin[5] + 1).diagonal().setConstant(500);
  CHECK(stop(visible, b) == LinearStop::indefinite);
  CHECK(stop(hidden, b) == LinearStop::indefinite);
  for (const double bad :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    auto broken = good;
    broken.diagonal(30)(0, 0) = bad;
    CHECK(stop(broken, b) == LinearStop::not_finite);
    auto broken_side = b;
    broken_side.node(3)(1) = bad;
    CHECK(stop(good, broken_side) == LinearStop::not_finite);
  }
}
