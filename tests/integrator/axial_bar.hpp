// The first axial mode of a bar, whose steps every integrator must make by the closed form of one oscillator.
//
//   |<-------- L -------->|<-------- L -------->|
//   #=====================|=====================#     # held; nu = 0, so that nothing moves sideways
//
// Each half of the bar, held at both ends, is a bar that is free at its middle: the first axial mode is
// sin(k x), k = pi / (2 L). On a uniform mesh with lumped mass its frequency is omega = (2 c / h) sin(k h /
// 2), c = sqrt(E / rho), which tends to 2 pi c / (4 L).
#pragma once

#include "integrator/bodies.hpp"
#include "integrator/scene.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <Eigen/QR>

#include <pliant/energy/linear_elastic.hpp>

namespace pliant::test {

inline constexpr double pi = 3.14159265358979323846;

// Two numbers per mode of a linear system q_n+2 = trace q_n+1 - determinant q_n: those of the 2 x 2 matrix
// that takes a step of (amplitude, speed).
struct Recurrence {
  double trace = 0, determinant = 0;

  // By least squares from samples.
  static Recurrence fitted(const std::vector<double>& q) {
    Eigen::MatrixX2d A(static_cast<Eigen::Index>(q.size()) - 2, 2);
    Eigen::VectorXd b(A.rows());
    for (Eigen::Index n = 0; n < A.rows(); ++n) {
      const auto k = static_cast<std::size_t>(n);
      A.row(n) << q[k + 1], -q[k];
      b(n) = q[k + 2];
    }
    const Eigen::Vector2d solution = A.colPivHouseholderQr().solve(b);
    return {solution(0), solution(1)};
  }

  // Of backward Euler: v+ = v - dt omega^2 a+ - dt rate v+, a+ = a + dt v+.
  static Recurrence of_mode(double omega, double rate, double dt) {
    const double s = 1 + dt * rate + dt * dt * omega * omega;
    return {1 + (1 - dt * dt * omega * omega) / s, 1 / s};
  }

  // The larger magnitude of the two eigenvalues: what an amplitude is multiplied by per step.
  double amplification() const {
    const double square = trace * trace / 4 - determinant;
    return square < 0 ? std::sqrt(determinant) : std::abs(trace) / 2 + std::sqrt(square);
  }
  double phase() const { return std::acos(trace / (2 * std::sqrt(determinant))); }
};

struct Bar {
  double L = 0.5, h = 0.1, E = 1e6, density = 1000;
  double amplitude = 1e-3;  // at the start [m]
  double linear = 1e-8;     // how well the bar keeps to its mode, relative to the amplitude
  Mesh<Tet4> mesh = make_box<Tet4>({.lengths = {1, 0.1, 0.1}, .cells = {10, 1, 1}, .split = Split::kuhn});
  double c = std::sqrt(E / density), k = pi / (2 * L), omega = 2 * c / h * std::sin(k * h / 2);

  template <class Energy = LinearElastic, class Integrator>
  std::unique_ptr<Scene> scene(const Integrator& integrator, const Rayleigh& damping) const {
    auto result = make_scene<Energy, double, Integrator>({.mesh = mesh,
                                                          .lame = Lame::from_young_poisson(E, 0),
                                                          .density = density,
                                                          .damping = damping,
                                                          .integrator = integrator,
                                                          .linear_tolerance = 1e-13,
                                                          .pinned = nodes_where(mesh, [this](const auto& X) {
                                                            return X.x() < h / 2 || X.x() > 2 * L - h / 2;
                                                          })});
    Points x = mesh.nodes;
    x.row(0) += amplitude * mode().transpose();
    result->set_positions(x);
    return result;
  }

  Eigen::VectorXd mode() const { return (k * mesh.nodes.row(0)).array().sin().transpose(); }

  // The amplitude of the mode at each step, from the middle of the bar. Checks that the bar stays in its
  // mode.
  template <class Energy = LinearElastic, class Integrator>
  std::vector<double> amplitudes(const Integrator& integrator, const Rayleigh& damping, int steps) const {
    const auto motion = scene<Energy>(integrator, damping);
    const Eigen::VectorXd mass = node_masses(mesh, density), shape = mode();
    std::vector<double> result;
    for (int n = 0; n <= steps; ++n) {
      if (n > 0) {
        const StepReport report = motion->step();
        INFO(report.message());
        REQUIRE(report);
      }
      const Points u = motion->positions() - mesh.nodes;
      const double a =
          shape.cwiseProduct(mass).dot(u.row(0).transpose()) / shape.cwiseProduct(mass).dot(shape);
      const double small = linear * std::max(std::abs(a), amplitude);
      REQUIRE((u.row(0).transpose() - a * shape).cwiseAbs().maxCoeff() < small);
      REQUIRE(u.bottomRows(2).cwiseAbs().maxCoeff() < small);
      result.push_back(a);
    }
    return result;
  }
};

}  // namespace pliant::test
