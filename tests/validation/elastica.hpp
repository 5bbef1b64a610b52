// The elastica: a thin beam that is clamped at one end and bent far by a dead load P across its other end.
// With the arc length s in units of L, the angle theta of the axis and k = P L^2 / (E I),
//   theta'' = -k cos(theta),  theta(0) = 0,  theta'(1) = 0.
#pragma once

#include "assembly/static_equilibrium.hpp"
#include "validation/record.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <pliant/assembly/system.hpp>
#include <pliant/mesh/selection.hpp>

namespace elastica {

// What the end does, in units of L: it sinks by w and comes back by u.
struct Tip {
  double w = 0, u = 0;
};

// By shooting with the curvature at the clamped end; Runge-Kutta of fourth order, whose error is below 1e-12.
inline Tip exact(double k) {
  Tip tip;
  const auto end_curvature = [&](double start) {
    constexpr int steps = 4000;
    constexpr double h = 1.0 / steps;
    Eigen::Vector4d y(0, start, 0, 0);  // theta, theta', x, w
    const auto rate = [k](const Eigen::Vector4d& z) {
      return Eigen::Vector4d(z(1), -k * std::cos(z(0)), std::cos(z(0)), std::sin(z(0)));
    };
    for (int n = 0; n < steps; ++n) {
      const Eigen::Vector4d a = rate(y), b = rate(y + h / 2 * a), c = rate(y + h / 2 * b),
                            d = rate(y + h * c);
      y += h / 6 * (a + 2 * b + 2 * c + d);
    }
    tip = {y(3), 1 - y(2)};
    return y(1);
  };
  double low = 0, high = k;  // the curvature of small deflections, which is too much
  while (high - low > 1e-14 * k) {
    const double middle = (low + high) / 2;
    (end_curvature(middle) < 0 ? low : high) = middle;
  }
  end_curvature((low + high) / 2);
  return tip;
}

// The end of a beam of length 1 m along x, which P [N], spread evenly over its side, bends towards +y. The
// load grows in `steps` parts.
template <class Body>
Tip measured(const Body& body, double P, int steps, double tolerance) {
  constexpr int dim = Body::dim;
  const auto& mesh = body.mesh();
  pliant::ElasticSystem system{body};
  const auto tip = pliant::nodes_where(mesh, [](const auto& X) { return X.x() > 1 - 1e-9; });
  const auto held = pliant::nodes_where(mesh, [](const auto& X) { return X.x() < 1e-9; });
  const auto highest = mesh.nodes.rowwise().maxCoeff().eval();
  Eigen::MatrixXd loads = Eigen::MatrixXd::Zero(dim, mesh.node_count());
  for (const int i : tip) {
    double share = 1;
    for (int axis = 1; axis < dim; ++axis) {
      const double X = mesh.nodes(axis, i);
      if (X < 1e-9 || X > highest(axis) - 1e-9) share /= 2;
    }
    loads(1, i) = share;
  }
  loads *= P / loads.sum();
  Eigen::MatrixXd x = mesh.nodes;
  for (int step = 1; step <= steps; ++step) {
    x = static_equilibrium::solve(system, x, held, loads * step / steps, tolerance);
  }
  Tip mean;
  for (const int i : tip) {
    mean.w += (x(1, i) - mesh.nodes(1, i)) / static_cast<double>(tip.size());
    mean.u += (mesh.nodes(0, i) - x(0, i)) / static_cast<double>(tip.size());
  }
  return mean;
}

}  // namespace elastica
