// The first bending frequency of a cantilever.
#include "validation/record.hpp"
#include "validation/vibration.hpp"

#include <Eigen/SparseCholesky>

using namespace pliant;
using namespace vibration;
using validation::fixed;

namespace {

// The first frequency [Hz] of a Timoshenko cantilever with kappa = 5/6, which is Cowper's 10 (1 + nu) /
// (12 + 11 nu) at nu = 0. In harmonic motion deflection w, turn phi, shear force V and moment M obey
//   w' = phi + V / (kappa G A),  phi' = M / (E I),  V' = -rho A omega^2 w,  M' = -V - rho I omega^2 phi,
// with w = phi = 0 at the clamp. At a natural frequency the two solutions that begin with V = 1 and M = 1
// can be combined so that V = M = 0 at the end: the determinant of their ends vanishes.
double timoshenko_frequency() {
  const double shear = 5.0 / 6 * E / 2 * area;
  const auto end = [&](double omega) {
    constexpr int steps = 2000;
    constexpr double h = length / steps;
    Eigen::Matrix4d A;
    A << 0, 1, 1 / shear, 0,                       //
        0, 0, 0, 1 / (E * inertia),                //
        -density * area * omega * omega, 0, 0, 0,  //
        0, -density * inertia * omega * omega, -1, 0;
    Eigen::Matrix<double, 4, 2> y = Eigen::Matrix<double, 4, 2>::Zero();
    y(2, 0) = y(3, 1) = 1;
    for (int n = 0; n < steps; ++n) {
      const Eigen::Matrix<double, 4, 2> a = A * y, b = A * (y + h / 2 * a), c = A * (y + h / 2 * b),
                                        d = A * (y + h * c);
      y += h / 6 * (a + 2 * b + 2 * c + d);
    }
    return y.bottomRows<2>().determinant();
  };
  const double thin = std::pow(1.8751040687, 2) * std::sqrt(E * inertia / (density * area));
  double low = 0.9 * thin, high = thin;
  REQUIRE(end(low) * end(high) < 0);
  const bool falls = end(low) > 0;
  while (high - low > 1e-12 * thin) {
    const double middle = (low + high) / 2;
    ((end(middle) > 0) == falls ? low : high) = middle;
  }
  return low / (2 * pi);
}

// The lowest frequency [Hz] of K u = omega^2 M u by inverse iteration.
double lowest_frequency(const Eigen::SimplicialLDLT<Sparse>& factors, const Sparse& M, Eigen::VectorXd u) {
  double before = 0, value = 1;
  for (int k = 0; k < 100 && std::abs(value - before) > 1e-13 * value; ++k) {
    const Eigen::VectorXd momentum = M * u, next = factors.solve(momentum);
    before = value;
    value = next.dot(momentum) / next.dot(M * next);  // the Rayleigh quotient of the next iterate
    u = next / next.norm();
  }
  return std::sqrt(value) / (2 * pi);
}

}  // namespace

// f = (1.8751...)^2 / (2 pi L^2) sqrt(E I / (rho A)) for a thin beam; shear and the inertia of turning make
// that 0.5 % less here. Coarse hexahedra are too stiff in bending, with an error of second order.
TEST_CASE("Hex8: the first bending frequency, from K u = omega^2 M u", "[slow]") {
  validation::Record record("vibration", "2 bending");
  const double thin = std::pow(1.8751040687, 2) / (2 * pi) * std::sqrt(E * inertia / (density * area)),
               exact = timoshenko_frequency();
  CHECK(thin == Approx(0.510834548).epsilon(1e-8));
  record.table(
      "`Hex8`, bending vibration, f in Hz; thin beam " + fixed(thin, 6) + ", Timoshenko beam " +
          fixed(exact, 6),
      {"cells", "lumped mass", "above Timoshenko", "order", "consistent mass", "above Timoshenko", "order"});
  std::vector<double> sizes, lumped, consistent;
  for (const int n : {1, 2, 4, 8}) {
    const auto body = beam(10 * n, n);
    const Problem problem(body);
    const Eigen::SimplicialLDLT<Sparse> factors(problem.K);
    REQUIRE(factors.info() == Eigen::Success);
    Eigen::MatrixXd parabola = Eigen::MatrixXd::Zero(3, body.mesh().node_count());
    parabola.row(1) = body.mesh().nodes.row(0).array().square();
    const Eigen::VectorXd start = problem.unknowns(parabola);
    const double with_lumped = lowest_frequency(factors, problem.lumped, start),
                 with_consistent = lowest_frequency(factors, problem.consistent, start);
    if (n == 1) {
      record.at_most("`Hex8`, bending frequency, 10 x 1 x 1", "a dense eigensolver",
                     std::abs(mode_like(start, problem.K, problem.lumped).omega / (2 * pi * with_lumped) - 1),
                     2e-11);
    }
    sizes.push_back(side / n);
    lumped.push_back(with_lumped / exact - 1);
    consistent.push_back(with_consistent / exact - 1);
    const std::size_t last = sizes.size() - 1;
    const auto rate = [&](const std::vector<double>& errors) {
      return last == 0 ? "" : fixed(validation::order(errors[last - 1], errors[last]), 2);
    };
    record.entries({std::to_string(10 * n) + " x " + std::to_string(n) + " x " + std::to_string(n),
                    fixed(with_lumped, 6), fixed(100 * lumped[last], 2) + " %", rate(lumped),
                    fixed(with_consistent, 6), fixed(100 * consistent[last], 2) + " %", rate(consistent)});
    if (last > 0) CHECK(lumped[last] < lumped[last - 1] / 2);
  }
  record.curve("cantilever, frequencies", "bending, lumped mass", sizes, lumped);
  record.curve("cantilever, frequencies", "bending, consistent mass", sizes, consistent);
  for (const auto& [name, errors] : {std::pair{"lumped", &lumped}, std::pair{"consistent", &consistent}}) {
    const double limit = validation::richardson(exact * (1 + (*errors)[2]), exact * (1 + (*errors)[3]), 2);
    record.equals("`Hex8`, bending frequency, " + std::string(name) +
                      " mass, the last two meshes extrapolated to second order, Hz",
                  "Timoshenko beam", limit, exact, 2e-4 * exact);
  }
}
