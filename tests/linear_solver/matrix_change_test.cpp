#include "linear_solver/elastic_problem.hpp"
#include "linear_solver/problem.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <cmath>
#include <limits>

#include <pliant/linear_solver/preconditioner/matrix_change.hpp>

using namespace pliant;
using namespace pliant::test;
using namespace eigen_view;

namespace {

template <int Dim, class Scalar>
detail::linear_solver::MatrixChange<BlockMatrix<Dim, Scalar>> remembering(const BlockMatrix<Dim, Scalar>& A) {
  detail::linear_solver::MatrixChange<BlockMatrix<Dim, Scalar>> change;
  change.analyse(A.rows());
  CHECK(change.measure(A) == std::numeric_limits<double>::infinity());
  change.remember();
  return change;
}

// The same from all numbers of both matrices, without signs.
template <int Dim, class Scalar>
double change_of(const BlockMatrix<Dim, Scalar>& A, const BlockMatrix<Dim, Scalar>& B) {
  const Eigen::MatrixXd before = dense(A), after = dense(B);
  double sum = 0;
  for (int i = 0; i < A.rows(); ++i) {
    const auto trace_of = [&](const Eigen::MatrixXd& M) {
      return M.block(Dim * i, Dim * i, Dim, Dim).trace();
    };
    const double size = std::min(trace_of(before), trace_of(after));
    sum += (after - before).middleRows(Dim * i, Dim).squaredNorm() / (size * size);
  }
  return std::sqrt(sum / static_cast<double>(A.rows()));
}

template <int Dim, class Scalar>
void estimates_the_change(ElasticProblem<Dim, Scalar> start, const ElasticProblem<Dim, Scalar>& end) {
  const auto A = start.A;
  auto change = remembering(A);
  CHECK(change.measure(A) == 0);
  std::copy(end.A.values(), end.A.values() + end.A.pattern().blocks() * Dim * Dim, start.A.values());
  const double expected = change_of(A, start.A);
  INFO(expected);
  CHECK(expected > 0.01);
  CHECK(change.measure(start.A) == Approx(expected).epsilon(0.1));
}

}  // namespace

TEST_CASE("MatrixChange: on average what all the numbers of both matrices say") {
  const auto bar = bar_mesh(5, 5, 30);
  for (const double angle : {0.3, 1.5, 6.0}) {
    INFO(angle);
    estimates_the_change(elastic_problem(bar),
                         elastic_problem(bar, {.state = Deformed::twisted, .angle = angle}));
  }
  estimates_the_change(elastic_problem(bar), elastic_problem(bar, {.nu = 0.45}));
  estimates_the_change(elastic_problem(strip_mesh(20, 60)),
                       elastic_problem(strip_mesh(20, 60), {.state = Deformed::twisted}));
  estimates_the_change(elastic_problem(bar_mesh<float>(5, 5, 30)),
                       elastic_problem(bar_mesh<float>(5, 5, 30), {.state = Deformed::twisted}));
}

TEST_CASE("MatrixChange: one node counts where it becomes stiffer than all others, or softer") {
  const auto problem = elastic_problem(bar_mesh(5, 5, 30));
  for (const double factor : {1e4, 1e-4}) {
    INFO(factor);
    auto change = remembering(problem.A);
    auto A = problem.A;
    A.diagonal(400) *= factor;
    CHECK(change.measure(A) > 1);
  }
}

TEST_CASE("MatrixChange: in any unit, and what is not finite is no small change") {
  const auto problem = elastic_problem(bar_mesh<float>(3, 3, 9));
  for (const float unit : {1.0f, 1e-25f, 1e25f}) {
    INFO(unit);
    const auto scaled = [&](float factor) {
      auto A = problem.A;
      for (std::ptrdiff_t k = 0; k < A.pattern().blocks() * 9; ++k) A.values()[k] *= unit * factor;
      return A;
    };
    auto change = remembering(scaled(1));
    const double measured = change.measure(scaled(1.5f));
    CHECK(measured == Approx(change_of(problem.A, scaled(1.5f / unit))).epsilon(0.1));
    change.remember();
    CHECK(change.measure(scaled(1.5f)) == 0);
    change.forget();
    CHECK(change.measure(scaled(1.5f)) == std::numeric_limits<double>::infinity());
    change.remember();
    for (const float number :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      auto A = scaled(1.5f);
      A.diagonal(20)(1, 1) = number;
      CHECK(!(change.measure(A) < 1));
    }
  }
}

TEST_CASE("MatrixChange: the same bits on any number of threads") {
  const auto bar = bar_mesh(6, 6, 80);
  const auto start = elastic_problem(bar);
  auto A = start.A;
  for (std::ptrdiff_t k = 0; k < A.pattern().blocks(); ++k)
    A.block(k) *= 1 + 0.001 * static_cast<double>(k % 7);
  double first = 0;
  for (const int threads : thread_counts) {
    const WithThreads with(threads);
    auto change = remembering(start.A);
    const double measured = change.measure(A);
    if (first == 0) first = measured;
    CHECK(measured == first);
  }
  CHECK(first > 0);
}
