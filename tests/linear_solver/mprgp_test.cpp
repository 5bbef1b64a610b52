// Quadratic programmes with bounds, whose solutions are known.
#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <pliant/linear_solver/bounded/mprgp.hpp>

using namespace pliant;
using namespace eigen_view;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

using Vector = NodeVector<2, double>;
using Box = BoxConstraints<Vector>;

// A dense matrix as an operator that offers products and its diagonal, nothing else.
struct DenseOperator {
  using Scalar = double;
  using Vector = NodeVector<2, double>;

  Eigen::MatrixXd A;

  std::ptrdiff_t rows() const { return A.rows() / 2; }
  double multiply(const Vector& x, Vector& y) const {
    y = node_vector<2, double>(A * stacked(x));
    return x.dot(y);
  }
  Eigen::Matrix2d diagonal(std::ptrdiff_t i) const { return A.block<2, 2>(2 * i, 2 * i); }
};

// The same that says how large its eigenvalues are, rightly or not.
struct BoundedOperator : DenseOperator {
  double bound;
  double norm_bound() const { return bound; }
};

BlockMatrix<2, double> block_matrix(const Eigen::MatrixXd& A) {
  const int nodes = static_cast<int>(A.rows() / 2);
  Adjacency graph;
  graph.begin.push_back(0);
  for (int i = 0; i < nodes; ++i) {
    for (int j = 0; j < nodes; ++j) {
      if (j != i) graph.list.push_back(j);
    }
    graph.begin.push_back(static_cast<int>(graph.list.size()));
  }
  const auto pattern = std::make_shared<const BlockPattern>(BlockPattern::from_graph(graph));
  BlockMatrix<2, double> result(pattern);
  for (int i = 0; i < nodes; ++i) {
    for (int j = i; j < nodes; ++j) result.block(pattern->slot(i, j)) = A.block<2, 2>(2 * i, 2 * j);
  }
  return result;
}

struct Programme {
  Eigen::MatrixXd A;
  Eigen::VectorXd b, lower, upper;
  Eigen::VectorXd solution;

  Box box() const { return {node_vector<2, double>(lower), node_vector<2, double>(upper)}; }
  double cost(const Eigen::VectorXd& x) const { return 0.5 * x.dot(A * x) - b.dot(x); }
};

Eigen::MatrixXd random_definite(Eigen::Index size, double condition, std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0, 1);
  const Eigen::MatrixXd numbers = Eigen::MatrixXd::NullaryExpr(size, size, [&] { return normal(random); });
  const Eigen::MatrixXd Q = numbers.householderQr().householderQ();
  Eigen::VectorXd eigenvalues(size);
  for (Eigen::Index k = 0; k < size; ++k) eigenvalues(k) = std::pow(condition, -unit(random));
  eigenvalues(0) = 1;
  eigenvalues(size - 1) = 1 / condition;
  const Eigen::MatrixXd A = Q * eigenvalues.asDiagonal() * Q.transpose();
  return (A + A.transpose()) / 2;
}

// Chooses the solution and the gradient there, and makes the programme that they solve. Unknowns lie between
// their bounds, on one of them with a gradient that presses or with none, or are fixed.
Programme programme_with_solution(int nodes, double condition, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-1, 1), positive(0.01, 1);
  std::uniform_int_distribution<int> kind(0, 9);
  const Eigen::Index size = 2 * nodes;
  Programme programme{random_definite(size, condition, random), {}, {}, {}, {}};
  programme.solution.resize(size);
  programme.lower.resize(size);
  programme.upper.resize(size);
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(size);
  for (Eigen::Index k = 0; k < size; ++k) {
    const double x = programme.solution(k) = number(random);
    double low = x - positive(random), high = x + positive(random);
    const int which = kind(random);
    if (which == 0) low = -infinity;
    if (which == 1) high = infinity;
    if (which == 2) low = -infinity, high = infinity;
    if (which >= 4 && which <= 6) low = x, gradient(k) = which == 4 ? 0 : positive(random);
    if (which >= 7 && which <= 8) high = x, gradient(k) = which == 7 ? 0 : -positive(random);
    if (which == 6) high = infinity;
    if (which == 9) low = high = x, gradient(k) = number(random);
    programme.lower(k) = low;
    programme.upper(k) = high;
  }
  programme.b = programme.A * programme.solution - gradient;
  return programme;
}

// The norm of what is left of the gradient at x, by the conditions of Karush, Kuhn and Tucker. Infinite
// outside the box.
double kkt_residual(const Programme& programme, const Eigen::VectorXd& x) {
  const Eigen::VectorXd g = programme.A * x - programme.b;
  double sum = 0;
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    const double low = programme.lower(k), high = programme.upper(k);
    if (!(low <= x(k) && x(k) <= high)) return infinity;
    if (low == high || (x(k) == low && g(k) >= 0) || (x(k) == high && g(k) <= 0)) continue;
    sum += g(k) * g(k);
  }
  return std::sqrt(sum);
}

// A primal active-set method, dense: unknowns join the set where a step meets their bound and leave it one at
// a time, the one that is pulled inwards most.
Eigen::VectorXd solve_by_active_set(const Programme& programme) {
  const Eigen::Index size = programme.b.size();
  Eigen::VectorXd x = Eigen::VectorXd::Zero(size).cwiseMax(programme.lower).cwiseMin(programme.upper);
  std::vector<char> active(static_cast<std::size_t>(size));
  for (Eigen::Index k = 0; k < size; ++k) {
    active[static_cast<std::size_t>(k)] = x(k) == programme.lower(k) || x(k) == programme.upper(k);
  }
  for (int iteration = 0; iteration < 2000; ++iteration) {
    std::vector<Eigen::Index> free;
    for (Eigen::Index k = 0; k < size; ++k) {
      if (active[static_cast<std::size_t>(k)] == 0) free.push_back(k);
    }
    const Eigen::VectorXd g = programme.A * x - programme.b;
    Eigen::VectorXd step = Eigen::VectorXd::Zero(size);
    if (!free.empty()) step(free) = -programme.A(free, free).llt().solve(g(free));
    double reach = 1;
    Eigen::Index blocking = -1;
    for (const Eigen::Index k : free) {
      const double bound = step(k) < 0 ? programme.lower(k) : programme.upper(k);
      if (step(k) != 0 && (bound - x(k)) / step(k) < reach) reach = (bound - x(k)) / step(k), blocking = k;
    }
    x += reach * step;
    if (blocking >= 0) {
      x(blocking) = step(blocking) < 0 ? programme.lower(blocking) : programme.upper(blocking);
      active[static_cast<std::size_t>(blocking)] = 1;
      continue;
    }
    const Eigen::VectorXd end = programme.A * x - programme.b;
    Eigen::Index worst = -1;
    double pull = 1e-12 * programme.b.norm();
    for (Eigen::Index k = 0; k < size; ++k) {
      if (active[static_cast<std::size_t>(k)] == 0 || programme.lower(k) == programme.upper(k)) continue;
      const double inwards = x(k) == programme.lower(k) ? -end(k) : end(k);
      if (inwards > pull) pull = inwards, worst = k;
    }
    if (worst < 0) return x;
    active[static_cast<std::size_t>(worst)] = 0;
  }
  throw std::runtime_error("the active set does not settle");
}

template <class P, class Operator>
MprgpReport solve(const Mprgp<P>& solver, const Operator& A, const Programme& programme, Vector& x) {
  typename Mprgp<P>::template Workspace<Operator> workspace;
  return solver.solve(A, node_vector<2, double>(programme.b), programme.box(), x, workspace);
}

Vector random_start(const Programme& programme, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-3, 3);
  Eigen::VectorXd x(programme.b.size());
  for (double& entry : x) entry = number(random);
  return node_vector<2, double>(x);
}

void check_solution(const Programme& programme, const MprgpReport& report, const Vector& x,
                    double condition) {
  INFO(report.message());
  CHECK(report.stop == LinearStop::converged);
  CHECK(report.residual <= report.goal);
  const double rounding = 1e-13 * (programme.A.norm() * stacked(x).norm() + programme.b.norm());
  CHECK(kkt_residual(programme, stacked(x)) <= report.goal + rounding);
  CHECK(padding_is_zero(x));
  // |x - solution| <= |residual| / the least eigenvalue
  CHECK((stacked(x) - programme.solution).norm() <= 2 * condition * (report.goal + rounding));
  CHECK(report.iterations == report.conjugate_gradient_steps + report.expansions + report.proportionings);
  std::ptrdiff_t active = 0;
  for (Eigen::Index k = 0; k < programme.b.size(); ++k) {
    active += stacked(x)(k) == programme.lower(k) || stacked(x)(k) == programme.upper(k);
  }
  CHECK(report.active == active);
}

}  // namespace

TEST_CASE("Mprgp: programmes made from their solutions, degenerate ones too, from starts outside the box") {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> nodes(3, 30);
  std::uniform_real_distribution<double> power(0, 6);
  int expansions = 0, proportionings = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const double condition = std::pow(10, power(random));
    const Programme programme = programme_with_solution(nodes(random), condition, random);
    CAPTURE(trial, condition, programme.b.size());
    const BlockMatrix<2, double> A = block_matrix(programme.A);
    Vector x = random_start(programme, random);
    const auto with_diagonal =
        solve(Mprgp<Jacobi>{.tolerance = 1e-11, .max_iterations = 100000}, A, programme, x);
    check_solution(programme, with_diagonal, x, condition);
    x = random_start(programme, random);
    check_solution(
        programme,
        solve(Mprgp<NoPreconditioner>{.tolerance = 1e-11, .max_iterations = 100000}, A, programme, x), x,
        condition);
    expansions += with_diagonal.expansions;
    proportionings += with_diagonal.proportionings;
  }
  CHECK(expansions > 200);
  CHECK(proportionings > 200);
}

TEST_CASE("Mprgp: operators that offer no more than products, with and without a bound of their norm") {
  std::mt19937 random(2);
  for (int trial = 0; trial < 60; ++trial) {
    const double condition = std::pow(10, trial % 6);
    const Programme programme = programme_with_solution(5 + trial / 3, condition, random);
    CAPTURE(trial);
    const Mprgp<Jacobi> solver{.tolerance = 1e-11, .max_iterations = 100000};
    const DenseOperator plain{programme.A};
    Vector x = random_start(programme, random);
    check_solution(programme, solve(solver, plain, programme, x), x, condition);
    // The largest eigenvalue is 1. A bound that is far too small costs products and nothing else.
    for (const double bound : {1.0, 0.02}) {
      x = random_start(programme, random);
      check_solution(programme, solve(solver, BoundedOperator{{programme.A}, bound}, programme, x), x,
                     condition);
    }
  }
}

TEST_CASE("Mprgp: random programmes as by an active-set method") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int trial = 0; trial < 60; ++trial) {
    const Eigen::Index size = 2 * (3 + trial % 28);
    Programme programme{random_definite(size, std::pow(10, trial % 5), random), {}, {}, {}, {}};
    programme.b = programme.lower = programme.upper = Eigen::VectorXd::Zero(size);
    for (Eigen::Index k = 0; k < size; ++k) {
      programme.b(k) = number(random);
      programme.lower(k) = trial % 3 == 0 ? -infinity : -std::abs(number(random));
      programme.upper(k) = trial % 4 == 0 ? infinity : std::abs(number(random)) + (trial % 5 == 0 ? 0.3 : 0);
    }
    programme.solution = solve_by_active_set(programme);
    Vector x(size / 2);
    const auto report = solve(Mprgp<Jacobi>{.tolerance = 1e-12, .max_iterations = 100000},
                              block_matrix(programme.A), programme, x);
    CAPTURE(trial);
    check_solution(programme, report, x, std::pow(10, trial % 5));
  }
}

TEST_CASE("Mprgp: the cost never increases and the box is never left, whatever the norm is taken for") {
  std::mt19937 random(4);
  for (int trial = 0; trial < 12; ++trial) {
    const Programme programme = programme_with_solution(12, 1e4, random);
    const Vector start = random_start(programme, random);
    const Eigen::VectorXd clipped = stacked(start).cwiseMax(programme.lower).cwiseMin(programme.upper);
    const auto falls = [&](const auto& A) {
      double last = std::max(
          programme.cost(clipped),
          programme.cost(
              Eigen::VectorXd::Zero(clipped.size()).cwiseMax(programme.lower).cwiseMin(programme.upper)));
      bool fell = true, inside = true, on_or_off = true;
      for (int iterations = 1; iterations <= 40; ++iterations) {
        Vector x = start;
        solve(Mprgp<Jacobi>{.tolerance = 1e-12, .max_iterations = iterations}, A, programme, x);
        const double now = programme.cost(stacked(x));
        fell = fell && now <= last + 1e-14 * std::abs(last);
        inside = inside && kkt_residual(programme, stacked(x)) < infinity;
        // What meets a bound is on it, not beside it by rounding. Where nothing presses it may creep up.
        const Eigen::VectorXd pressure = programme.A * programme.solution - programme.b;
        for (Eigen::Index k = 0; k < clipped.size(); ++k) {
          const double gap = std::min(stacked(x)(k) - programme.lower(k), programme.upper(k) - stacked(x)(k));
          on_or_off = on_or_off && (gap == 0 || gap > 1e-13 || std::abs(pressure(k)) < 1e-9);
        }
        last = now;
      }
      CHECK(fell);
      CHECK(inside);
      CHECK(on_or_off);
    };
    falls(block_matrix(programme.A));
    falls(DenseOperator{programme.A});
    falls(BoundedOperator{{programme.A}, 0.05});
  }
}

TEST_CASE("Mprgp: what it costs is counted: a product each, two for an expansion, and those of the start") {
  std::mt19937 random(5);
  for (int trial = 0; trial < 20; ++trial) {
    const Programme programme = programme_with_solution(15, 100, random);
    Vector x(15);
    const auto report = solve(Mprgp<Jacobi>{.tolerance = 1e-10}, block_matrix(programme.A), programme, x);
    REQUIRE(report);
    const bool zero_is_inside =
        Eigen::VectorXd::Zero(30).cwiseMax(programme.lower).cwiseMin(programme.upper).isZero(0);
    CHECK(report.products <= report.iterations + report.expansions + (zero_is_inside ? 1 : 2));
    CHECK(report.products >= report.iterations + (zero_is_inside ? 1 : 2));
  }
}

TEST_CASE("Mprgp: fixed unknowns do not stall it") {
  // All but one are fixed where the gradient pulls hard; the free one still finds its place.
  std::mt19937 random(6);
  Programme programme = programme_with_solution(10, 10, random);
  for (Eigen::Index k = 1; k < 20; ++k) programme.lower(k) = programme.upper(k) = 2;
  programme.lower(0) = -infinity;
  programme.upper(0) = infinity;
  programme.b.setConstant(1000);
  Vector x(10);
  const auto report = solve(Mprgp<Jacobi>{.tolerance = 1e-12}, block_matrix(programme.A), programme, x);
  REQUIRE(report);
  CHECK(report.iterations <= 2);
  CHECK(report.active == 19);
  const double others = programme.A.row(0).tail(19).sum() * 2;
  CHECK(stacked(x)(0) == Approx((1000 - others) / programme.A(0, 0)));
  // And where nothing is free there is nothing to do.
  programme.lower(0) = programme.upper(0) = 1;
  const auto nothing = solve(Mprgp<Jacobi>{}, block_matrix(programme.A), programme, x);
  CHECK(nothing);
  CHECK(nothing.iterations == 0);
  CHECK(nothing.residual == 0);
}

TEST_CASE("Mprgp: a string over an obstacle lies on it between x = a and 1 - a with a = sqrt(2 d / f)") {
  // -u'' = -f on [0, 1], u(0) = u(1) = 0, u >= -d. Off the obstacle u = f (x - a)^2 / 2 - d, and finite
  // differences are exact for a parabola. The second axis has the same, turned over.
  constexpr int cells = 64, nodes = cells + 1;
  constexpr double f = 8, a = 0.25, d = f * a * a / 2, h = 1.0 / cells;
  Programme programme{Eigen::MatrixXd::Zero(2 * nodes, 2 * nodes), Eigen::VectorXd::Zero(2 * nodes),
                      Eigen::VectorXd::Constant(2 * nodes, -d),
                      Eigen::VectorXd::Constant(2 * nodes, infinity), Eigen::VectorXd::Zero(2 * nodes)};
  for (int i = 0; i < nodes; ++i) {
    for (int axis = 0; axis < 2; ++axis) {
      const int k = 2 * i + axis;
      const double sign = axis == 0 ? 1 : -1, x = std::min(i, cells - i) * h;
      programme.A(k, k) = 2 / h;
      if (i + 1 < nodes) programme.A(k, k + 2) = programme.A(k + 2, k) = -1 / h;
      programme.b(k) = -sign * f * h;
      if (axis == 1) programme.lower(k) = -infinity, programme.upper(k) = d;
      if (i == 0 || i == cells) programme.lower(k) = programme.upper(k) = 0;
      programme.solution(k) = sign * (x < a ? f * (x - a) * (x - a) / 2 - d : -d);
    }
  }
  for (const double start : {0.0, -5.0, 5.0}) {
    Vector x = node_vector<2, double>(Eigen::VectorXd::Constant(2 * nodes, start));
    const auto report = solve(Mprgp<Jacobi>{.tolerance = 1e-12}, block_matrix(programme.A), programme, x);
    REQUIRE(report);
    CHECK((stacked(x) - programme.solution).cwiseAbs().maxCoeff() < 1e-11);
    CHECK(kkt_residual(programme, stacked(x)) <= 1e-10);
    CHECK(report.active >= 2 * (cells / 2 - 1 + 2));  // the ends of the contact have no slope to tell them
    CHECK(report.active <= 2 * (cells / 2 + 1 + 2));
    CHECK(report.iterations < 200);
  }
}

TEST_CASE("Mprgp: a warm start is used, and a bad one dropped") {
  std::mt19937 random(7);
  const Programme programme = programme_with_solution(25, 1e3, random);
  const auto A = block_matrix(programme.A);
  const Mprgp<Jacobi> solver{.tolerance = 1e-9};
  Vector x(25);
  const auto cold = solve(solver, A, programme, x);
  REQUIRE(cold);
  const Vector solution = x;
  const auto exact = solve(solver, A, programme, x);
  CHECK(exact);
  CHECK(exact.iterations == 0);
  CHECK(same_bits(x, solution));
  for (const double bad : {nan_value, infinity, 1e300}) {
    x = node_vector<2, double>(Eigen::VectorXd::Constant(50, bad));
    const auto dropped = solve(solver, A, programme, x);
    CHECK(dropped);
    CHECK(same_bits(x, solution));
    CHECK(dropped.iterations == cold.iterations);
  }
}

TEST_CASE("Mprgp: how it stops without a solution") {
  std::mt19937 random(8);
  const Programme programme = programme_with_solution(25, 1e6, random);
  const auto A = block_matrix(programme.A);
  Vector x(25);
  const auto few = solve(Mprgp<Jacobi>{.tolerance = 1e-10, .max_iterations = 3}, A, programme, x);
  CHECK(few.stop == LinearStop::max_iterations);
  CHECK(few.iterations == 3);
  CHECK(kkt_residual(programme, stacked(x)) == Approx(few.residual).epsilon(1e-6));

  Mprgp<Jacobi>::Workspace<BlockMatrix<2, double>> workspace;
  x.set_zero();
  int calls = 0;
  const auto cancelled =
      Mprgp<Jacobi>{.tolerance = 1e-14}.solve(A, node_vector<2, double>(programme.b), programme.box(), x,
                                              workspace, 0, [&](int, double) { return ++calls < 2; });
  CHECK(cancelled.stop == LinearStop::cancelled);
  CHECK(cancelled.iterations == 128);

  Programme indefinite = programme;
  indefinite.A.diagonal().array() -= 0.3;
  indefinite.lower.setConstant(-infinity);
  indefinite.upper.setConstant(1e9);
  x.set_zero();
  CHECK(solve(Mprgp<NoPreconditioner>{}, block_matrix(indefinite.A), indefinite, x).stop ==
        LinearStop::indefinite);
  CHECK(x.finite());

  for (const double bad : {nan_value, infinity}) {
    Programme broken = programme;
    broken.b(7) = bad;
    x.set_zero();
    CHECK(solve(Mprgp<Jacobi>{}, A, broken, x).stop == LinearStop::not_finite);
    broken = programme;
    broken.A(11, 12) = broken.A(12, 11) = bad;
    x.set_zero();
    CHECK(solve(Mprgp<Jacobi>{}, block_matrix(broken.A), broken, x).stop == LinearStop::not_finite);
  }
}

TEST_CASE("Mprgp: in float, to the rounding of floats") {
  std::mt19937 random(9);
  for (int trial = 0; trial < 20; ++trial) {
    const auto pattern = random_pattern(60, random);
    const auto A = random_symmetric<3, float>(pattern, random, 1.01);
    const auto b = random_vector<3, float>(60, random);
    auto box = BoxConstraints<NodeVector<3, float>>::unbounded(60);
    Programme programme{dense(A), stacked(b), {}, {}, {}};
    for (std::ptrdiff_t i = 0; i < 60; ++i) {
      box.lower.node(i).setConstant(-0.02f);
      if (i % 2 == 0) box.upper.node(i).setConstant(0.01f);
    }
    programme.lower = stacked(box.lower);
    programme.upper = stacked(box.upper);
    NodeVector<3, float> x(60);
    Mprgp<Jacobi>::Workspace<BlockMatrix<3, float>> workspace;
    const auto report = Mprgp<Jacobi>{.tolerance = 1e-5}.solve(A, b, box, x, workspace);
    REQUIRE(report);
    CHECK(padding_is_zero(x));
    CHECK(report.active > 0);
    CHECK(report.active < 180);
    CHECK(kkt_residual(programme, stacked(x)) <= 2e-5 * programme.b.norm());
  }
}

TEST_CASE("Mprgp: the same bits on any number of threads") {
  std::mt19937 random(10);
  const auto pattern = random_pattern(6000, random);
  const auto A = random_symmetric<3, double>(pattern, random, 1.001);
  const auto b = random_vector<3, double>(6000, random);
  auto box = BoxConstraints<NodeVector<3, double>>::unbounded(6000);
  for (std::ptrdiff_t i = 0; i < 6000; ++i) box.lower.node(i).setConstant(-0.01);
  NodeVector<3, double> x(6000);
  Mprgp<Jacobi>::Workspace<BlockMatrix<3, double>> workspace;
  const WithThreads one(1);
  const auto report = Mprgp<Jacobi>{}.solve(A, b, box, x, workspace);
  REQUIRE(report);
  CHECK(report.active > 1000);
  for (const int threads : thread_counts) {
    set_thread_count(threads);
    NodeVector<3, double> again(6000);
    const auto other = Mprgp<Jacobi>{}.solve(A, b, box, again, workspace);
    CHECK(other.iterations == report.iterations);
    CHECK(same_bits(other.residual, report.residual));
    CHECK(same_bits(again, x));
  }
}

TEST_CASE("Mprgp: parameters out of range, and boxes without a point, are named") {
  const auto name = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const ParameterError& error) {
      return error.parameter();
    }
    return {};
  };
  using Solver = Mprgp<Jacobi>;
  const auto refused = [&](const Solver& solver) { return name([&] { solver.check(); }); };
  CHECK(refused({}) == "");
  CHECK(refused({.tolerance = 0, .absolute_tolerance = 1}) == "");
  CHECK(refused({.tolerance = 0}) == "Mprgp::tolerance");
  for (const double tolerance : {-1e-9, 1.0, infinity, nan_value}) {
    CHECK(refused({.tolerance = tolerance}) == "Mprgp::tolerance");
  }
  CHECK(refused({.absolute_tolerance = -1}) == "Mprgp::absolute_tolerance");
  CHECK(refused({.max_iterations = -1}) == "Mprgp::max_iterations");
  for (const double proportion : {0.0, -1.0, infinity, nan_value}) {
    CHECK(refused({.proportion = proportion}) == "Mprgp::proportion");
  }
  for (const double expansion : {0.0, -1.0, 2.0, infinity, nan_value}) {
    CHECK(refused({.expansion = expansion}) == "Mprgp::expansion");
  }

  const auto refused_bounds = [&](double low, double high) {
    Box box = Box::unbounded(9);
    box.lower.node(7)(1) = low;
    box.upper.node(7)(1) = high;
    return name([&] { box.check(9); });
  };
  const std::string lower = "BoxConstraints::lower of node 7, axis 1",
                    upper = "BoxConstraints::upper of node 7, axis 1";
  CHECK(refused_bounds(1, 1) == "");
  CHECK(refused_bounds(-infinity, -5) == "");
  CHECK(refused_bounds(1, 0) == lower);
  CHECK(refused_bounds(nan_value, 0) == lower);
  CHECK(refused_bounds(infinity, infinity) == lower);
  CHECK(refused_bounds(0, nan_value) == upper);
  CHECK(refused_bounds(-infinity, -infinity) == upper);
  CHECK_THROWS_AS(Box::unbounded(9).check(8), SizeError);
  std::mt19937 random(11);
  Programme programme = programme_with_solution(4, 10, random);
  programme.lower(3) = programme.upper(3) + 1;
  Vector x(4);
  CHECK(name([&] { solve(Solver{}, block_matrix(programme.A), programme, x); }) ==
        "BoxConstraints::lower of node 1, axis 1");
}
