// Terms of a program's own for the tests.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <pliant/potential/concept.hpp>

// Springs from nodes to where they are at rest.
struct Springs {
  struct Spring {
    int node;
    double stiffness;  // [N/m]
    Eigen::Vector3d end;
  };
  std::vector<Spring> springs;
  bool on = true;

  static constexpr pliant::TermAbilities abilities{.switches = true, .stores_energy = true};

  bool active() const { return on; }

  template <class At, class Sum>
  double evaluate(const At& at, Sum& sum) const {
    double energy = 0;
    for (const Spring& spring : springs) {
      const Eigen::Vector3d way = at.position(spring.node) - spring.end;
      energy += spring.stiffness * way.squaredNorm() / 2;
      sum.add_gradient(spring.node, spring.stiffness * way);
      sum.add_hessian(spring.node, spring.node, spring.stiffness * Eigen::Matrix3d::Identity());
    }
    return energy;
  }
};

// Drag against moving air, c (w - v) at each node with the velocities at the start of the step.
struct LaggedDrag {
  std::vector<double> drag;  // c of each node [kg/s]
  Eigen::Vector3d wind;      // w [m/s]
  std::vector<Eigen::Vector3d> force = {};

  static constexpr pliant::TermAbilities abilities{.begins_steps = true};

  template <class State>
  void begin_step(const State& state) {
    force.resize(drag.size());
    for (std::size_t i = 0; i < drag.size(); ++i) {
      force[i] = drag[i] * (wind - state.velocity(static_cast<int>(i)));
    }
  }

  template <class At, class Sum>
  double evaluate(const At& at, Sum& sum) const {
    double value = 0;
    for (std::size_t i = 0; i < drag.size(); ++i) {
      value -= force[i].dot(at.displacement(static_cast<int>(i)));
      sum.add_gradient(static_cast<int>(i), -force[i]);
    }
    return value;
  }
};

// A spring of rest length L between two nodes of an element: k/2 (|x_i - x_j| - L)^2.
struct Strut {
  int i, j;
  double stiffness, length;  // [N/m], [m]
  double gradient_factor = 1, hessian_factor = 1;
  bool projects = true;

  static constexpr pliant::TermAbilities abilities{.stores_energy = true};

  template <class At, class Sum>
  double evaluate(const At& at, Sum& sum) const {
    const Eigen::Vector3d way = at.position(i) - at.position(j);
    const double now = way.norm();
    const Eigen::Vector3d n = way / now, g = gradient_factor * stiffness * (now - length) * n;
    sum.add_gradient(i, g);
    sum.add_gradient(j, -g);
    // Along the strut k, across it the tension over the length, which is negative in a strut that is pressed.
    double across = stiffness * (1 - length / now);
    if (projects && sum.projection() == pliant::Projection::clamp) across = std::max(across, 0.0);
    if (projects && sum.projection() == pliant::Projection::absolute) across = std::abs(across);
    const Eigen::Matrix3d along = n * n.transpose(),
                          H = hessian_factor *
                              (stiffness * along + across * (Eigen::Matrix3d::Identity() - along));
    sum.add_hessian(i, i, H);
    sum.add_hessian(j, j, H);
    sum.add_hessian(i, j, -H);
    return stiffness * (now - length) * (now - length) / 2;
  }
};

// -c log(y + depth) for some nodes: none gets below y = -depth.
struct Floor {
  std::vector<int> nodes;
  double strength, depth;  // c [J], [m]
  bool limits = true;
  mutable double lowest = 1;  // y + depth that was ever asked for [m]

  static constexpr pliant::TermAbilities abilities{.limits_steps = true, .stores_energy = true};

  template <class At, class Step>
  double safe_fraction(const At& at, const Step& step) const {
    double fraction = 1;
    for (const int node : nodes) {
      const double gap = at.position(node).y() + depth, change = step(node).y();
      if (limits && change < 0) fraction = std::min(fraction, -0.9 * gap / change);
    }
    return fraction;
  }

  template <class At, class Sum>
  double evaluate(const At& at, Sum& sum) const {
    double energy = 0;
    for (const int node : nodes) {
      const double gap = at.position(node).y() + depth;
      lowest = std::min(lowest, gap);
      energy -= strength * std::log(gap);
      sum.add_gradient(node, Eigen::Vector3d(0, -strength / gap, 0));
      sum.add_hessian(
          node, node,
          strength / (gap * gap) * Eigen::Vector3d::UnitY() * Eigen::Vector3d::UnitY().transpose());
    }
    return energy;
  }
};
