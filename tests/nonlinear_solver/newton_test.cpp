#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"

#include <functional>
#include <limits>
#include <vector>

#include <pliant/linear_solver/krylov/pcg.hpp>
#include <pliant/nonlinear_solver/newton.hpp>

using namespace pliant;
using namespace eigen_view;

namespace {

using Vector = NodeVector<2, double>;
using Matrix = BlockMatrix<2, double>;

// Nodes that do not know of each other: the function is a sum over the nodes.
struct Separate {
  static constexpr bool bounded = false;
  std::function<double(const Eigen::Vector2d&)> value_at;
  std::function<Eigen::Vector2d(const Eigen::Vector2d&)> gradient_at;
  std::function<Eigen::Matrix2d(const Eigen::Vector2d&)> hessian_at;
  std::vector<int> held = {};
  std::vector<Eigen::Vector2d> moved = {};  // by how much each of the held nodes is to be displaced
  double scale = 1, rounding_of_forces = 0;
  std::function<double(const Eigen::Vector2d&)> scale_at = {}, rounding_at = {};  // in their place, at node 0
  double safe = 1;                                                                // fraction of every step
  double last = 0;
  Eigen::Vector2d last_x = {};  // the first node's
  int gradients = 0, tangents = 0;

  double gradient(const Vector& x, Vector& g) {
    ++gradients;
    last = 0;
    last_x = x.node(0);
    for (std::ptrdiff_t i = 0; i < x.nodes(); ++i) {
      last += value_at(x.node(i));
      g.node(i) = gradient_at(x.node(i));
    }
    return last;
  }
  double tangent(const Vector& x, Projection, Vector& g, Matrix& A) {
    ++tangents;
    --gradients;
    for (std::ptrdiff_t i = 0; i < x.nodes(); ++i) A.diagonal(i) = hessian_at(x.node(i));
    if (rounding_at) rounding_of_forces = rounding_at(x.node(0));
    return gradient(x, g);
  }
  void constrain(Vector& g) const {
    for (const int i : held) g.node(i).setZero();
  }
  void constrain(Matrix& A) const {
    for (const int i : held) A.diagonal(i).setIdentity();
  }
  bool constraints_move() const { return !moved.empty(); }
  void prescribe(const Vector&, Vector& d) const {
    d.set_zero();
    for (std::size_t k = 0; k < moved.size(); ++k) d.node(held[k]) = moved[k];
  }
  double safe_fraction(const Vector&, const Vector&) const { return safe; }
  double force_scale() const { return scale_at ? scale_at(last_x) : scale; }
  double force_rounding() const { return rounding_of_forces; }
  double value_rounding() const { return 1e-15 * std::abs(last); }
};

Separate quadratic(double stiffness) {
  Eigen::Matrix2d A;
  A << 3, 1, 1, 2;
  A *= stiffness;
  const Eigen::Vector2d b(1, -2);
  return {[=](const Eigen::Vector2d& x) { return 0.5 * x.dot(A * x) - b.dot(x); },
          [=](const Eigen::Vector2d& x) { return Eigen::Vector2d(A * x - b); },
          [=](const Eigen::Vector2d&) { return A; }};
}

// (1 - u)^2 + 100 (v - u^2)^2 with its minimum at (1, 1). Gauss and Newton's part of the Hessian where the
// whole is indefinite.
Separate rosenbrock() {
  return {
      [](const Eigen::Vector2d& x) { return std::pow(1 - x(0), 2) + 100 * std::pow(x(1) - x(0) * x(0), 2); },
      [](const Eigen::Vector2d& x) {
        const double bend = x(1) - x(0) * x(0);
        return Eigen::Vector2d(-2 * (1 - x(0)) - 400 * x(0) * bend, 200 * bend);
      },
      [](const Eigen::Vector2d& x) {
        Eigen::Matrix2d H;
        H << 2 + 800 * x(0) * x(0), -400 * x(0), -400 * x(0), 200;
        Eigen::Matrix2d full = H;
        full(0, 0) -= 400 * (x(1) - x(0) * x(0));
        return full.determinant() > 1 && full(0, 0) > 0 ? full : H;
      }};
}

// x - log x on each axis for x > 0, +infinity elsewhere: the minimum is at (1, 1).
Separate barrier() {
  return {[](const Eigen::Vector2d& x) {
            if (!(x.minCoeff() > 0)) return std::numeric_limits<double>::infinity();
            return x.sum() - std::log(x(0)) - std::log(x(1));
          },
          [](const Eigen::Vector2d& x) { return Eigen::Vector2d(1 - x.array().inverse()); },
          [](const Eigen::Vector2d& x) {
            return Eigen::Matrix2d(x.array().square().inverse().matrix().asDiagonal());
          }};
}

struct Run {
  NewtonReport report;
  Eigen::VectorXd x;
  std::vector<NewtonReport> heard;
};

struct Options {
  Pcg<BlockJacobi> solver{.tolerance = 1e-12};
  Eigen::VectorXd first_step = {};
  std::function<bool(const NewtonReport&)> monitor = {};
};

template <class Problem>
Run run(const Newton& newton, Problem& problem, const Eigen::VectorXd& start, const Options& options = {}) {
  const std::ptrdiff_t nodes = start.size() / 2;
  Adjacency graph;
  graph.begin.assign(static_cast<std::size_t>(nodes) + 1, 0);
  const auto pattern = std::make_shared<const BlockPattern>(BlockPattern::from_graph(graph));
  NewtonWorkspace<Vector, Matrix> workspace{Vector(nodes), Vector(nodes),   Vector(nodes),
                                            Vector(nodes), Matrix(pattern), Matrix(pattern)};
  if (options.first_step.size() > 0) workspace.step = node_vector<2, double>(options.first_step);
  Pcg<BlockJacobi>::Workspace<BlockMatrix<2, double>> solver_workspace;
  Vector x = node_vector<2, double>(start);
  Run result;
  result.report = minimize(newton, problem, options.solver, solver_workspace, x, workspace,
                           [&](const NewtonReport& report) {
                             result.heard.push_back(report);
                             return !options.monitor || options.monitor(report);
                           });
  result.x = stacked(x);
  return result;
}

const Newton strict{.tolerance = 1e-10};

}  // namespace

TEST_CASE("Newton: a quadratic function takes one iteration, with and without line search") {
  for (const bool line_search : {true, false}) {
    Newton newton = strict;
    newton.line_search = line_search;
    auto problem = quadratic(7);
    const auto result = run(newton, problem, Eigen::VectorXd::Constant(6, 5.0));
    CHECK(result.report.stop == NewtonStop::converged);
    CHECK(result.report.iterations == 1);
    CHECK(result.report.line_search_steps == 0);
    CHECK(problem.tangents == 1);
    const Eigen::Vector2d minimum = problem.hessian_at({0, 0}).llt().solve(Eigen::Vector2d(1, -2));
    for (int i = 0; i < 3; ++i) CHECK((result.x.segment<2>(2 * i) - minimum).norm() <= 1e-12);
    CHECK(result.report.gradient <= result.report.goal);
    CHECK(result.report.value == Approx(-1.5 * Eigen::Vector2d(1, -2).dot(minimum)));
    CHECK(result.report.first_gradient > 1);
  }
}

TEST_CASE("Newton: started at the minimum it stays there") {
  auto problem = rosenbrock();
  const auto result = run(strict, problem, Eigen::VectorXd::Ones(4));
  CHECK(result.report.stop == NewtonStop::converged);
  CHECK(result.x == Eigen::VectorXd::Ones(4));
}

TEST_CASE("Newton: a curved valley, the value never rises") {
  auto problem = rosenbrock();
  const auto result = run(strict, problem, Eigen::Vector4d(-1.2, 1, -2, 3));
  REQUIRE(result.report.stop == NewtonStop::converged);
  CHECK((result.x - Eigen::VectorXd::Ones(4)).norm() <= 1e-9);
  CHECK(result.report.iterations >= 5);
  CHECK(result.report.iterations <= 30);
  CHECK(result.report.line_search_steps >= 1);
  CHECK(result.heard.front().value == Approx(24.2 + 109));
  for (std::size_t k = 1; k < result.heard.size(); ++k)
    CHECK(result.heard[k].value < result.heard[k - 1].value);
  CHECK(problem.gradients == result.report.iterations + result.report.line_search_steps);
  CHECK(problem.tangents == result.report.iterations);
}

TEST_CASE("Newton: the line search keeps out of where the function is not defined") {
  auto problem = barrier();
  // From 3 the full step leads to -3, half of it to 0, a quarter to 1.5.
  const auto result = run(strict, problem, Eigen::Vector2d(3, 3));
  CHECK(result.report.stop == NewtonStop::converged);
  CHECK((result.x - Eigen::Vector2d(1, 1)).norm() <= 1e-9);
  REQUIRE(result.heard.size() >= 2);
  CHECK(result.heard[1].line_search_steps == 2);
  CHECK(result.heard[1].value == Approx(2 * (1.5 - std::log(1.5))));

  Newton full = strict;
  full.line_search = false;
  const auto lost = run(full, problem, Eigen::Vector2d(3, 3));
  CHECK(lost.report.stop == NewtonStop::undefined);
  CHECK(std::isinf(lost.report.value));
}

TEST_CASE("Newton: a start where the function or its gradient is not finite") {
  auto problem = barrier();
  for (const double start : {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
    const auto result = run(strict, problem, Eigen::Vector2d(2, start));
    CHECK(result.report.stop == NewtonStop::undefined);
    CHECK(result.report.iterations == 0);
    CHECK(result.heard.empty());
  }
}

TEST_CASE("Newton: stalls where no step lowers the function, and leaves x where it was") {
  auto problem = quadratic(1);
  const auto honest = problem.value_at;
  problem.value_at = [honest](const Eigen::Vector2d& x) { return -honest(x); };
  const Eigen::Vector2d start(4, -3);
  Newton newton = strict;
  newton.max_line_search_steps = 7;
  const auto result = run(newton, problem, start);
  CHECK(result.report.stop == NewtonStop::stalled);
  CHECK(result.report.iterations == 0);
  CHECK(result.report.line_search_steps == 5 * 7);  // as it is, projected, and shifted three times
  CHECK(result.x == start);
  CHECK(problem.last_x == start);  // so that what a problem keeps of its last value belongs to the result
  CHECK(result.report.gradient == result.report.first_gradient);
}

TEST_CASE("Newton: the iteration limit; the result is better than the start") {
  auto problem = rosenbrock();
  Newton newton = strict;
  newton.max_iterations = 4;
  const auto result = run(newton, problem, Eigen::Vector2d(-1.2, 1));
  CHECK(result.report.stop == NewtonStop::iteration_limit);
  CHECK(result.report.iterations == 4);
  CHECK(problem.tangents == 4);
  CHECK(result.report.value < 24.2);
  CHECK(result.report.value == Approx(problem.value_at(result.x)));
  CHECK(result.report.gradient == Approx(problem.gradient_at(result.x).norm()));
}

TEST_CASE("Newton: goals are relative to the forces at play, absolute, and never below rounding") {
  const Eigen::Vector2d start(-1.2, 1);
  auto problem = rosenbrock();
  problem.scale = 200;
  const auto relative = run({.tolerance = 1e-2}, problem, start);
  CHECK(relative.report.stop == NewtonStop::converged);
  CHECK(relative.report.goal == Approx(2));
  CHECK(relative.report.gradient <= 2);
  const auto absolute = run({.tolerance = 1e-2, .absolute_tolerance = 30}, problem, start);
  CHECK(absolute.report.stop == NewtonStop::converged);
  CHECK(absolute.report.goal == Approx(30));
  CHECK(absolute.report.iterations < relative.report.iterations);
  problem.rounding_of_forces = 1e-3;
  const auto rounding = run({.tolerance = 1e-14}, problem, start);
  CHECK(rounding.report.stop == NewtonStop::converged);
  CHECK(rounding.report.goal == 1e-3);
}

TEST_CASE("Newton: held nodes do not move and do not count") {
  auto problem = quadratic(1);
  problem.held = {1};
  const auto result = run(strict, problem, Eigen::VectorXd::Constant(6, 5.0));
  CHECK(result.report.stop == NewtonStop::converged);
  CHECK(result.x.segment<2>(2) == Eigen::Vector2d(5, 5));
  CHECK(problem.gradient_at(result.x.head<2>()).norm() <= 1e-10);
}

TEST_CASE("Newton: moved nodes go where they have to, in an iteration of its own") {
  auto problem = quadratic(1);
  problem.held = {1};
  problem.moved = {Eigen::Vector2d(3, -1)};
  Eigen::VectorXd start(4);
  start << 5, 5, 1, 2;
  const auto result = run(strict, problem, start);
  CHECK(result.report.stop == NewtonStop::converged);
  CHECK(result.report.iterations == 1);
  CHECK((result.x.tail(2) - Eigen::Vector2d(4, 1)).norm() < 1e-15);
  auto alone = quadratic(1);
  CHECK((result.x.head(2) - run(strict, alone, start.head(2)).x).norm() < 1e-12);

  problem.moved = {Eigen::Vector2d(std::numeric_limits<double>::infinity(), 0)};
  CHECK(run(strict, problem, start).report.stop != NewtonStop::converged);
}

TEST_CASE("Newton: no step is longer than the problem says is safe") {
  for (const bool line_search : {true, false}) {
    Separate problem = quadratic(1);
    problem.safe = 0.25;
    const Newton newton{.max_iterations = 2, .line_search = line_search, .keep_history = true};
    const Run result = run(newton, problem, Eigen::Vector2d(0, 0));
    // What is left of the way to the minimum at (4, -7) / 5 is 3/4 of it after each step.
    CHECK((result.x - (1 - 0.75 * 0.75) * Eigen::Vector2d(0.8, -1.4)).norm() < 1e-10);
    REQUIRE(result.report.history.size() == 2);
    CHECK(result.report.history[0].step_length == 0.25);
    problem.safe = 0;
    CHECK(run(newton, problem, Eigen::Vector2d(0, 0)).report.stop == NewtonStop::stalled);
  }
}

namespace {

struct Row {
  static constexpr bool bounded = false;
  Matrix K;
  double last = 0;
  double gradient(const Vector& x, Vector& g) { return last = K.multiply(x, g) / 2; }
  double tangent(const Vector& x, Projection, Vector& g, Matrix& H) {
    H = K;
    return gradient(x, g);
  }
  void constrain(Vector& g) const { g.node(0).setZero(), g.node(5).setZero(); }
  void constrain(Matrix& A) const {
    A.block(A.pattern().slot(0, 1)).setZero(), A.block(A.pattern().slot(4, 5)).setZero();
  }
  bool constraints_move() const { return true; }
  void prescribe(const Vector&, Vector& d) const {
    d.set_zero();
    d.node(5) = Eigen::Vector2d(10, -5);
  }
  double force_scale() const { return 1; }
  double safe_fraction(const Vector&, const Vector&) const { return 1; }
  double force_rounding() const { return 0; }
  double value_rounding() const { return 1e-15 * std::abs(last); }
};

}  // namespace

TEST_CASE("Newton: moved nodes take their neighbours along") {
  // Springs between six nodes in a row: where the ends are moved, the others divide the way evenly.
  Adjacency graph;
  graph.begin.push_back(0);
  for (int i = 0; i < 6; ++i) {
    if (i > 0) graph.list.push_back(i - 1);
    if (i < 5) graph.list.push_back(i + 1);
    graph.begin.push_back(static_cast<int>(graph.list.size()));
  }
  const auto pattern = std::make_shared<const BlockPattern>(BlockPattern::from_graph(graph));
  Row row{Matrix(pattern)};
  for (int i = 0; i < 5; ++i) {
    row.K.diagonal(i) += Eigen::Matrix2d::Identity();
    row.K.diagonal(i + 1) += Eigen::Matrix2d::Identity();
    row.K.block(pattern->slot(i, i + 1)) = -Eigen::Matrix2d::Identity();
  }
  NewtonWorkspace<Vector, Matrix> workspace{Vector(6), Vector(6),       Vector(6),
                                            Vector(6), Matrix(pattern), Matrix(pattern)};
  Pcg<BlockJacobi>::Workspace<BlockMatrix<2, double>> solver_workspace;
  Vector x(6);
  const auto report =
      minimize(Newton{.tolerance = 1e-10, .keep_history = true}, row, Pcg<BlockJacobi>{.tolerance = 1e-14},
               solver_workspace, x, workspace, [](const NewtonReport&) { return true; });
  CHECK(report.stop == NewtonStop::converged);
  CHECK(report.iterations == 1);
  CHECK(report.history.size() == 1);
  CHECK(report.first_gradient == Approx(std::sqrt(125.0)));  // of the last spring, were it strained alone
  for (int i = 0; i < 6; ++i) CHECK((x.node(i) - i * Eigen::Vector2d(2, -1)).norm() < 1e-12);
}

TEST_CASE("Newton: where moved nodes meet a Hessian that is singular, it is shifted") {
  auto problem = quadratic(1);
  const auto honest = problem.hessian_at;
  problem.hessian_at = [honest](const Eigen::Vector2d& x) -> Eigen::Matrix2d {
    return x.norm() < 0.5 ? Eigen::Matrix2d(Eigen::Matrix2d::Zero()) : honest(x);
  };
  problem.held = {0};
  problem.moved = {Eigen::Vector2d(3, -1)};
  const auto result = run(strict, problem, Eigen::Vector4d(4, -3, 0.1, 0));
  CHECK(result.report.stop == NewtonStop::converged);
  CHECK((result.x.tail<2>() - honest({4, -3}).llt().solve(Eigen::Vector2d(1, -2))).norm() < 1e-9);
}

TEST_CASE("Newton: the goal of a reduction of the gradient") {
  auto problem = rosenbrock();
  const Eigen::Vector2d start(-1.2, 1);
  const auto result = run(Newton{.max_iterations = 100, .tolerance = 0, .reduction = 1e-3}, problem, start);
  CHECK(result.report.stop == NewtonStop::converged);
  CHECK(result.report.first_gradient == Approx(problem.gradient_at(start).norm()));
  CHECK(result.report.goal == Approx(1e-3 * result.report.first_gradient));
  CHECK(result.report.gradient <= result.report.goal);
}

TEST_CASE("Newton: the history has every iteration, on request") {
  auto problem = rosenbrock();
  const Eigen::Vector2d start(-1.2, 1);
  Newton newton{.max_iterations = 100, .tolerance = 1e-8};
  CHECK(run(newton, problem, start).report.history.empty());
  newton.keep_history = true;
  const auto report = run(newton, problem, start).report;
  REQUIRE(static_cast<int>(report.history.size()) == report.iterations);
  int linear = 0, search = 0;
  double value = report.first_value;
  for (const NewtonIteration& iteration : report.history) {
    CHECK(iteration.value <= value);
    CHECK(iteration.step_length == std::pow(0.5, iteration.line_search_steps));
    value = iteration.value;
    linear += iteration.linear_iterations;
    search += iteration.line_search_steps;
  }
  CHECK(linear == report.linear_iterations);
  CHECK(search == report.line_search_steps);
  CHECK(value == report.value);
  CHECK(report.history.back().gradient == report.gradient);
}

namespace {

// A quartic with two wells, (x^2 - 1)^2 / 4 on each axis, whose Hessian is indefinite between them. Asked for
// a projection it clamps. Counts what it is asked for.
struct Wells {
  static constexpr bool bounded = false;
  int unprojected = 0, projected = 0;
  double last = 0;
  double gradient(const Vector& x, Vector& g) {
    last = 0;
    for (std::ptrdiff_t i = 0; i < x.nodes(); ++i) {
      const Eigen::Array2d v = x.node(i);
      last += ((v * v - 1).square() / 4).sum();
      g.node(i) = v * (v * v - 1);
    }
    return last;
  }
  double tangent(const Vector& x, Projection projection, Vector& g, Matrix& A) {
    ++(projection == Projection::none ? unprojected : projected);
    for (std::ptrdiff_t i = 0; i < x.nodes(); ++i) {
      Eigen::Array2d second = 3 * x.node(i).array().square() - 1;
      if (projection != Projection::none) second = second.max(1e-3);
      A.diagonal(i) = Eigen::Matrix2d(second.matrix().asDiagonal());
    }
    return gradient(x, g);
  }
  void constrain(Vector&) const {}
  void constrain(Matrix&) const {}
  bool constraints_move() const { return false; }
  void prescribe(const Vector&, Vector&) const {}
  double force_scale() const { return 1; }
  double safe_fraction(const Vector&, const Vector&) const { return 1; }
  double force_rounding() const { return 0; }
  double value_rounding() const { return 1e-15 * std::abs(last); }
};

}  // namespace

TEST_CASE("Newton: each strategy of projection finds the wells, and projects where it says") {
  Eigen::VectorXd start(4);
  start << 0.1, -0.2, 2.5, 0.3;
  for (const HessianStrategy strategy :
       {HessianStrategy::always_project, HessianStrategy::on_demand, HessianStrategy::progressive}) {
    Wells wells;
    const Newton newton{.max_iterations = 100, .tolerance = 1e-10, .hessian = strategy, .keep_history = true};
    const auto result = run(newton, wells, start);
    CHECK(result.report.stop == NewtonStop::converged);
    CHECK((result.x - Eigen::Vector4d(1, -1, 1, 1)).norm() < 1e-9);
    double first = result.report.history.front().projected, last = result.report.history.back().projected;
    CHECK(first > 0);
    if (strategy == HessianStrategy::always_project) {
      CHECK(last == 1);
      CHECK(wells.unprojected == 0);
    } else {
      CHECK(last == 0);
      CHECK(wells.unprojected > 0);
      CHECK(wells.projected > 0);
    }
  }
  // Near a minimum nothing has to be projected.
  Wells wells;
  start << 1.1, -0.9, 1.2, 0.95;
  for (const HessianStrategy strategy : {HessianStrategy::on_demand, HessianStrategy::progressive}) {
    const auto result = run(Newton{.tolerance = 1e-10, .hessian = strategy}, wells, start);
    CHECK(result.report.stop == NewtonStop::converged);
  }
  CHECK(wells.projected == 0);
}

TEST_CASE("Newton: a projected Hessian that is singular is shifted") {
  // (u^2 - 1)^2 / 4 + v^4 / 4 - v, which has no curvature in v where it starts, and its minimum at (1, 1).
  Separate flat{[](const Eigen::Vector2d& x) {
                  return std::pow(x(0) * x(0) - 1, 2) / 4 + std::pow(x(1), 4) / 4 - x(1);
                },
                [](const Eigen::Vector2d& x) {
                  return Eigen::Vector2d(x(0) * (x(0) * x(0) - 1), std::pow(x(1), 3) - 1);
                },
                [](const Eigen::Vector2d& x) {
                  return Eigen::Matrix2d(Eigen::Vector2d(3 * x(0) * x(0) - 1, 3 * x(1) * x(1)).asDiagonal());
                }};
  for (const HessianStrategy strategy :
       {HessianStrategy::always_project, HessianStrategy::on_demand, HessianStrategy::progressive}) {
    const auto result = run(Newton{.max_iterations = 100, .tolerance = 1e-10, .hessian = strategy}, flat,
                            Eigen::Vector2d(0.8, 0));
    CHECK(result.report.stop == NewtonStop::converged);
    CHECK((result.x - Eigen::Vector2d(1, 1)).norm() < 1e-9);
  }
  const auto unguarded =
      run(Newton{.tolerance = 1e-10, .projection = Projection::none}, flat, Eigen::Vector2d(0.8, 0));
  CHECK(unguarded.report.stop == NewtonStop::linear_solver_failed);
}

TEST_CASE("Newton: the goal is that of the forces and the rounding where it ends, not where it began") {
  const Eigen::Vector2d start(-1.2, 1);
  const auto first = [start](double at_start, double later) {
    return [=](const Eigen::Vector2d& x) { return x == start ? at_start : later; };
  };
  auto hidden = rosenbrock();  // all forces, at the start
  hidden.rounding_at = first(100, 1e-8);
  const auto result = run(strict, hidden, start);
  CHECK(result.report.stop == NewtonStop::converged);
  CHECK(result.report.goal == 1e-8);
  CHECK(result.report.rounding_goal);
  CHECK((result.x - Eigen::Vector2d(1, 1)).norm() < 1e-6);

  auto strained = rosenbrock();
  strained.scale_at = first(1e6, 1);
  const auto accurate = run(Newton{.max_iterations = 100, .tolerance = 1e-6}, strained, start);
  CHECK(accurate.report.stop == NewtonStop::converged);
  CHECK(accurate.report.goal == 1e-6);
  CHECK(accurate.report.gradient <= 1e-6);

  auto rough = rosenbrock();  // at the end
  rough.rounding_at = first(0, 1e-3);
  const auto early = run(strict, rough, start);
  CHECK(early.report.stop == NewtonStop::converged);
  CHECK(early.report.goal == 1e-3);
}

TEST_CASE("Newton: the first linear solve starts from the step given") {
  auto problem = quadratic(1);
  const Eigen::Vector2d start(4, -3);
  const Eigen::Vector2d step = problem.hessian_at(start).llt().solve(-problem.gradient_at(start));
  const auto informed = run(strict, problem, start, {.first_step = step});
  CHECK(informed.report.stop == NewtonStop::converged);
  CHECK(informed.report.linear_iterations == 0);
  CHECK(run(strict, problem, start).report.linear_iterations > 0);
}

TEST_CASE("Newton: the monitor cancels between iterations, x is the last iterate") {
  auto problem = rosenbrock();
  const auto result = run(strict, problem, Eigen::Vector2d(-1.2, 1),
                          {.monitor = [](const NewtonReport& report) { return report.iterations < 2; }});
  CHECK(result.report.stop == NewtonStop::cancelled);
  CHECK(result.report.iterations == 2);
  CHECK(result.report.value == Approx(problem.value_at(result.x)));
}

namespace {

struct Coupled {
  static constexpr bool bounded = false;
  Matrix A;
  Vector b;
  double last = 0;
  double gradient(const Vector& x, Vector& g) {
    const double curvature = A.multiply(x, g);
    last = curvature / 2 - b.dot(x);
    g.add(-1, b);
    return last;
  }
  double tangent(const Vector& x, Projection, Vector& g, Matrix& H) {
    std::copy(A.values(), A.values() + A.pattern().blocks() * Matrix::block_size, H.values());
    return gradient(x, g);
  }
  void constrain(Vector&) const {}
  void constrain(Matrix&) const {}
  bool constraints_move() const { return false; }
  void prescribe(const Vector&, Vector&) const {}
  double force_scale() const { return 1; }
  double safe_fraction(const Vector&, const Vector&) const { return 1; }
  double force_rounding() const { return 0; }
  double value_rounding() const { return 1e-15 * std::abs(last); }
};

}  // namespace

TEST_CASE("Newton: linear solves that fail, and those that are cut short") {
  auto problem = quadratic(1);
  problem.hessian_at = [](const Eigen::Vector2d&) {
    return Eigen::Matrix2d(Eigen::Vector2d(1, -1).asDiagonal());
  };
  const auto indefinite = run(strict, problem, Eigen::Vector2d(4, -3));
  CHECK(indefinite.report.stop == NewtonStop::linear_solver_failed);
  CHECK(indefinite.report.linear.stop == LinearStop::indefinite);
  CHECK(indefinite.x == Eigen::Vector2d(4, -3));

  // One iteration of a diagonally preconditioned solver is a descent direction; with a line search that is
  // enough, without one it is not.
  std::mt19937 random(1);
  const auto pattern = random_pattern(30, random);
  Coupled coupled{random_symmetric<2, double>(pattern, random, 1.2), random_vector<2, double>(30, random)};
  NewtonWorkspace<Vector, Matrix> workspace{Vector(30), Vector(30),      Vector(30),
                                            Vector(30), Matrix(pattern), Matrix(pattern)};
  Pcg<BlockJacobi>::Workspace<BlockMatrix<2, double>> solver_workspace;
  const Pcg<BlockJacobi> one_iteration{.tolerance = 1e-12, .max_iterations = 1};
  for (const bool line_search : {true, false}) {
    Newton newton{.max_iterations = 200, .tolerance = 1e-8, .line_search = line_search};
    Vector x(30);
    workspace.step.set_zero();
    const auto report = minimize(newton, coupled, one_iteration, solver_workspace, x, workspace,
                                 [](const NewtonReport&) { return true; });
    if (line_search) {
      CHECK(report.stop == NewtonStop::converged);
      CHECK(report.iterations > 5);
      CHECK(report.linear_iterations == report.iterations);
      CHECK((sparse(coupled.A) * stacked(x) - stacked(coupled.b)).norm() <= 1.01e-8);
    } else {
      CHECK(report.stop == NewtonStop::linear_solver_failed);
      CHECK(report.linear.stop == LinearStop::max_iterations);
    }
  }
}

TEST_CASE("Newton: linearised is one full step, taken as it is") {
  auto problem = rosenbrock();
  const Eigen::Vector2d start(-1.2, 1);
  const auto result = run(Newton::linearised(), problem, start);
  CHECK(result.report.iterations == 1);
  const Eigen::Vector2d step = problem.hessian_at(start).llt().solve(-problem.gradient_at(start));
  CHECK((result.x - (start + step)).norm() <= 1e-6 * step.norm());
}

TEST_CASE("Newton: parameters out of range are named") {
  const auto name = [](const Newton& newton) -> std::string {
    try {
      newton.check();
    } catch (const ParameterError& error) {
      return error.parameter();
    }
    return {};
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(name({}) == "");
  CHECK(name(Newton::linearised()) == "");
  for (const int count : {0, -1}) {
    CHECK(name({.max_iterations = count}) == "Newton::max_iterations");
    CHECK(name({.max_line_search_steps = count}) == "Newton::max_line_search_steps");
  }
  for (const double bad : {-1e-9, infinity, nan}) {
    CHECK(name({.tolerance = bad}) == "Newton::tolerance");
    CHECK(name({.absolute_tolerance = bad}) == "Newton::absolute_tolerance");
  }
  for (const double bad : {0.0, -1.0, 0.5, 1.0, infinity, nan}) {
    CHECK(name({.sufficient_decrease = bad}) == "Newton::sufficient_decrease");
  }
}
