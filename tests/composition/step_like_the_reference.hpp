// One step of one combination of policies, against the reference.
#pragma once

#include "composition/reference_step.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <type_traits>
#include <vector>

#include <pliant/pliant.hpp>

namespace pliant::test {

// What is held or moved. The lower end of the body in x stays, or a wall pushes it; the upper one goes along
// a path.
struct NothingHeld {
  static constexpr bool lower_held = false, lower_pushed = false, upper_moved = false;
};
struct LowerEndHeld {
  static constexpr bool lower_held = true, lower_pushed = false, upper_moved = false;
};
struct UpperEndMoved {
  static constexpr bool lower_held = false, lower_pushed = false, upper_moved = true;
};
struct LowerEndHeldUpperMoved {
  static constexpr bool lower_held = true, lower_pushed = false, upper_moved = true;
};
struct LowerEndPushedUpperMoved {
  static constexpr bool lower_held = false, lower_pushed = true, upper_moved = true;
};

// Two cells in a row, 1 m long.
template <class E>
Mesh<E> two_cells() {
  if constexpr (E::dim == 2) return make_rectangle<E>({.lengths = {1, 0.5}, .cells = {2, 1}});
  else return make_box<E>({.lengths = {1, 0.5, 0.5}, .cells = {2, 1, 1}});
}

template <class Energy>
Energy energy_of(const Lame& lame) {
  if constexpr (std::is_constructible_v<Energy, Lame>) return Energy(lame);
  else return Energy(LinearElastic(lame));
}

// One step of 20 ms from a disturbed shape at rest, under gravity, solved to rounding.
template <class E, class Scalar, class Energy, class Integrator, class Solver, class Ends>
void step_like_the_reference() {
  constexpr int dim = E::dim;
  constexpr bool in_float = std::is_same_v<Scalar, float>,
                 is_static = std::is_same_v<Integrator, QuasiStatic>,
                 is_newmark = std::is_same_v<Integrator, Newmark>,
                 is_explicit = std::is_same_v<Integrator, CentralDifferences>,
                 splits = std::is_same_v<Integrator, OperatorSplitting>;
  constexpr bool unique =
      !is_static || Ends::lower_held || Ends::upper_moved;  // else any rigid motion is free
  constexpr double dt = 0.02, density = 1000;
  using Point = SmallVector<double, dim>;

  const Mesh<E> mesh = two_cells<E>();
  // Operator splitting resists changes of volume by constraints that do not converge to the energy's: none
  // here.
  constexpr bool without_volume = splits && std::is_same_v<Energy, FixedCorotated>;
  const auto energy = energy_of<Energy>(Lame::from_young_poisson(1e6, without_volume ? 0 : 0.3));
  const auto path = [](const Point& X, double t) -> Point {
    Point x = X;
    x(0) += 2 * t;
    x(1) -= t;
    return x;
  };
  const auto wall_at = [](double t) { return -0.02 + 5 * t; };  // [m]
  Point gravity = Point::Zero();
  if (unique) gravity(1) = -9.81;

  Eigen::VectorXd start(dim * mesh.node_count()), end = start;
  std::vector<Eigen::Index> unknowns, pushed;
  std::vector<int> lower, upper;
  for (int node = 0; node < mesh.node_count(); ++node) {
    const Point X = mesh.nodes.col(node);
    const bool held = Ends::lower_held && X(0) < 0.01, moved = Ends::upper_moved && X(0) > 0.99;
    if (held) lower.push_back(node);
    if (moved) upper.push_back(node);
    const bool on_wall = Ends::lower_pushed && X(0) < 0.01;
    const Point target = moved ? path(X, dt) : X;
    for (int i = 0; i < dim; ++i) {
      const Eigen::Index k = dim * node + i;
      if (on_wall && i == 0) pushed.push_back(k);
      else if (!held && !moved) unknowns.push_back(k);
      start(k) = X(i) + (held || moved ? 0 : 0.01 * std::sin(7.0 * static_cast<double>(k)));
      end(k) = held || moved ? target(i) : on_wall && i == 0 ? wall_at(dt) : start(k);
    }
  }

  Mesh<E, Scalar> typed;
  typed.nodes = mesh.nodes.template cast<Scalar>();
  typed.elements = mesh.elements;
  Integrator integrator{.dt = dt};
  if constexpr (splits) {
    integrator.stretch_iterations = 1000;
  } else if constexpr (!is_explicit) {
    integrator.newton.max_iterations = 100;
    integrator.newton.tolerance = in_float ? 1e-5 : 1e-11;
  }
  if constexpr (is_static) integrator.allow_free_motion = !unique;
  int substeps = 0;
  const auto result_with = [&](const auto&... solver_and_constraints) {
    Simulation simulation(Solid(typed, energy, Density{density}), integrator, solver_and_constraints...);
    simulation.set_gravity(gravity);
    simulation.set_positions(start.reshaped(dim, mesh.node_count()));
    if constexpr (Ends::lower_pushed) {
      simulation.add_collider(HalfSpace<dim>(Point::Zero(), Point::Unit(0)), {}, [&](double t) {
        return Pose<dim>(Eigen::Matrix<double, dim, dim>::Identity(), wall_at(t) * Point::Unit(0));
      });
    }
    const StepReport report = simulation.step();
    INFO(report.message());
    REQUIRE(report);
    substeps = report.substeps;
    return Eigen::VectorXd(simulation.positions().template cast<double>().reshaped());
  };
  const auto result_of = [&](const auto&... constraints) {
    if constexpr (std::is_same_v<Solver, NoSolver>) {
      return result_with(constraints...);
    } else {
      Solver solver;
      solver.tolerance = in_float ? 1e-6 : 1e-12;
      return result_with(solver, constraints...);
    }
  };
  const Eigen::VectorXd result = [&] {
    if constexpr (Ends::lower_held && Ends::upper_moved) {
      return result_of(Pinned(lower), PrescribedMotion(upper, path));
    } else if constexpr (Ends::lower_held) {
      return result_of(Pinned(lower));
    } else if constexpr (Ends::upper_moved) {
      return result_of(PrescribedMotion(upper, path));
    } else {
      return result_of(Unconstrained{});
    }
  }();

  const PlainBody<E, Energy> body(mesh, energy, density);
  const Eigen::VectorXd first_force = body.gradient(start);
  const auto residual = [&](const Eigen::VectorXd& x) {
    Eigen::VectorXd r = body.gradient(x);
    for (Eigen::Index k = 0; k < r.size(); ++k) {
      const double first = gravity(k % dim) - first_force(k) / body.mass()(k);  // acceleration at the start
      const double a_end = is_static    ? 0
                           : is_newmark ? 4 * (x(k) - start(k)) / (dt * dt) - first
                                        : (x(k) - start(k)) / (dt * dt);
      r(k) += body.mass()(k) * (a_end - gravity(k % dim));
    }
    return r;
  };
  if constexpr (is_explicit) {
    const double h = dt / substeps;
    REQUIRE(substeps > 1);
    Eigen::VectorXd v = Eigen::VectorXd::Zero(start.size());
    end = start;
    for (const Eigen::Index k : pushed) end(k) = std::max(start(k), wall_at(0));
    std::vector<Eigen::Index> moving = unknowns;
    moving.insert(moving.end(), pushed.begin(), pushed.end());
    for (int n = 1; n <= substeps; ++n) {
      const auto accelerate = [&] {
        const Eigen::VectorXd force = body.gradient(end);
        for (const Eigen::Index k : moving) v(k) += h / 2 * (gravity(k % dim) - force(k) / body.mass()(k));
      };
      accelerate();
      for (const Eigen::Index k : pushed) v(k) = std::max(v(k), (wall_at(n * h) - end(k)) / h);
      for (const Eigen::Index k : moving) end(k) += h * v(k);
      for (const int node : upper) end.segment<dim>(dim * node) = path(mesh.nodes.col(node), n * h);
      accelerate();
      for (const Eigen::Index k : pushed) {
        const bool touches = end(k) < wall_at(n * h) + 1e-12;
        if (touches) v(k) = std::max(v(k), (wall_at(n * h) - wall_at((n - 1) * h)) / h);
      }
    }
    const double motion = (end - start).lpNorm<Eigen::Infinity>();
    CHECK((result - end).lpNorm<Eigen::Infinity>() < (in_float ? 1e-3 : 1e-10) * motion);
  } else if constexpr (unique) {
    solve_for(unknowns, end, residual);
    const double motion = (end - start).lpNorm<Eigen::Infinity>();
    CAPTURE(motion);
    CHECK((result - end).lpNorm<Eigen::Infinity>() < (in_float ? 1e-3 : 1e-8) * motion);
    const Eigen::VectorXd force = residual(end);
    for (const Eigen::Index k : pushed) CHECK(force(k) > 0);  // the wall never pulls
  } else {
    CHECK(residual(result).norm() < (in_float ? 1e-3 : 1e-9) * residual(start).norm());
  }
}

}  // namespace pliant::test
