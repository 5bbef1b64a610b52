// Checks the projected Hessians of a custom energy against a numerical eigensolver.
//
//   const CheckReport report = check_eigensystem<3>(MyEnergy(...));
//   if (!report) throw std::runtime_error(report.message());
//
// It compares the analytic eigensystem of a model with the Hessian of the same model, which
// testing/derivatives.hpp checks. The checks are slow: use them in tests.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <pliant/energy/concept.hpp>
#include <pliant/energy/projection.hpp>
#include <pliant/testing/check_report.hpp>
#include <pliant/testing/deformations.hpp>

namespace pliant {

struct EigensystemOptions {
  double tolerance = 1e-12;  // relative to the largest entry of the unprojected Hessian; a negative
                             // eigenvalue may have a tenth of it
  int random_states = 100;   // besides the named ones
  unsigned seed = 1;         // of the random states and of the frames of the named ones
};

namespace detail::testing {

// The projection of a symmetric matrix, by the solver of Eigen.
inline Eigen::MatrixXd project_by_eigen(const Eigen::MatrixXd& H, Projection projection) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(H);
  const Eigen::VectorXd& values = eigen.eigenvalues();
  const Eigen::VectorXd kept = projection == Projection::clamp ? Eigen::VectorXd(values.cwiseMax(0))
                                                               : Eigen::VectorXd(values.cwiseAbs());
  return eigen.eigenvectors() * kept.asDiagonal() * eigen.eigenvectors().transpose();
}

// Whether F is flat, for an energy whose Hessian has a pole there: J is then pure rounding, which may differ
// if the compiler sums in another order.
template <int Dim, class E>
bool at_pole_of_flat(const E& energy, const DoubleMatrix<Dim>& F, const Eigen::MatrixXd& H) {
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  if (std::abs(F.determinant()) > 64 * rounding * std::pow(largest_or_infinity(F), Dim)) return false;
  const DoubleMatrix<Dim> beside = (1 + 4 * rounding) * F;
  const Eigen::MatrixXd other = SmallMatrix<double, Dim * Dim, Dim * Dim>(energy.hessian(beside));
  return !(largest_or_infinity(other - H) <= 1e-3 * largest_or_infinity(H));
}

template <int Dim, class E>
void see_eigensystem(const E& energy, const DoubleMatrix<Dim>& F, const std::string& name, double tolerance,
                     CheckReport& report) {
  using Matrix = SmallMatrix<double, Dim * Dim, Dim * Dim>;
  constexpr bool projects = requires { energy.hessian(F, Projection::clamp); };
  static_assert(projects,
                "pliant: this energy has no `hessian(F, projection)`, so there is no eigensystem to check: "
                "the library projects its Hessian by a numerical eigensolver");
  if constexpr (projects) {
    const std::string place = name + ", F = " + in_one_line(F);
    const Eigen::MatrixXd H = Matrix(energy.hessian(F));
    report.see("hessian(F) is finite", 0, H.allFinite() ? 0 : 1, place, "H = " + in_one_line(H));
    if (!H.allFinite() || at_pole_of_flat(energy, F, H)) return;
    const double scale = largest_or_infinity(H) > 0 ? largest_or_infinity(H) : 1;  // zero must remain zero

    const auto see = [&](Projection projection, const std::string& property,
                         const Eigen::MatrixXd& expected) {
      const Eigen::MatrixXd given = Matrix(energy.hessian(F, projection));
      report.see(property, tolerance, largest_or_infinity(given - expected) / scale, place,
                 compared("it has H", given, "Eigen", expected));
      return given;
    };
    see(Projection::none, "hessian(F, none) is hessian(F)", H);
    for (const Projection projection : {Projection::clamp, Projection::absolute}) {
      const std::string title =
          projection == Projection::clamp ? "hessian(F, clamp)" : "hessian(F, absolute)";
      const Eigen::MatrixXd given =
          see(projection, title + " is the numeric projection", project_by_eigen(H, projection));
      if (!given.allFinite()) continue;
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(given, Eigen::EigenvaluesOnly);
      const double smallest = eigen.eigenvalues()(0);
      report.see(title + " has no negative eigenvalue", tolerance / 10, smallest < 0 ? -smallest / scale : 0,
                 place, "the smallest is " + std::to_string(smallest / scale) + " times the largest entry");
    }
  }
}

template <int Dim>
struct NamedDeformation {
  std::string name;
  DoubleMatrix<Dim> F;
};

// States in which closed forms of eigensystems can fail: singular values that vanish, coincide, or cancel in
// sums; each in random frames and along the axes.
template <int Dim>
std::vector<NamedDeformation<Dim>> degenerate_deformations(RandomDeformations& random) {
  using Vector = SmallVector<double, Dim>;
  std::vector<NamedDeformation<Dim>> states;
  const auto add = [&](const std::string& name, double first, double before_last, double last) {
    Vector s = Vector::Constant(first);
    s(Dim - 2) = before_last;
    s(Dim - 1) = last;
    states.push_back({name, random.rotation<Dim>() * s.asDiagonal() * random.rotation<Dim>()});
    states.push_back({name + ", along the axes", s.asDiagonal()});
  };
  add("rest", 1, 1, 1);
  add("zero", 0, 0, 0);
  add("flat", 1.3, 0.9, 0);
  add("flat, equal stretches", 1.2, 1.2, 0);
  if (Dim == 3) add("rank one", 1.3, 0, 0);
  add("repeated", 1.4, 0.7, 0.7);
  add("repeated, all", 0.6, 0.6, 0.6);
  add("inverted", 1.4, 0.9, -0.5);
  add("strongly inverted", 2.5, 2.1, -1.9);
  for (const double gap : {1e-3, 1e-6, 1e-9, 1e-12}) {
    add("nearly repeated", 1.4, 0.7, 0.7 * (1 - gap));
    add("nearly flat", 1.3, 0.9, gap);
    add("nearly flat, inverted", 1.3, 0.9, -gap);
    add("nearly opposite", 1.2, 0.7, -0.7 * (1 - gap));
    add("nearly opposite and small", 1.2, 1e-3, -1e-3 * (1 - gap));
  }
  add("opposite", 1.2, 0.7, -0.7);
  add("reflected", 1, 1, -1);
  return states;
}

}  // namespace detail::testing

// Checks an energy at F (any Eigen expression of size Dim x Dim): `hessian(F, projection)` agrees, for clamp
// and absolute, with the projection of `hessian(F)` by a numerical eigensolver, and has no negative
// eigenvalue.
template <int Dim, class E, class Derived>
requires EnergyOver<E, Dim, double> CheckReport check_eigensystem(const E& energy,
                                                                  const Eigen::MatrixBase<Derived>& F,
                                                                  const EigensystemOptions& options = {}) {
  CheckReport report;
  detail::testing::see_eigensystem<Dim>(energy, detail::testing::DoubleMatrix<Dim>(F), "as given",
                                        options.tolerance, report);
  return report;
}

// The same at random deformation gradients, half of them inverted, and at flat, repeated, inverted and equal
// and opposite singular values, exactly and nearly so.
//
// If eigenvalues have a pole where two singular values cancel, errors are relative to the pole; `hessian(F)`
// must use the same singular values as the projections, otherwise its pole differs. With a pole at J = 0
// results need only be finite if J is pure rounding.
template <int Dim, class E>
requires EnergyOver<E, Dim, double> CheckReport check_eigensystem(const E& energy,
                                                                  const EigensystemOptions& options = {}) {
  using namespace detail::testing;
  CheckReport report;
  RandomDeformations random(options.seed);
  for (const auto& [name, F] : degenerate_deformations<Dim>(random)) {
    see_eigensystem<Dim>(energy, F, name, options.tolerance, report);
  }
  for (int k = 0; k < options.random_states; ++k) {
    see_eigensystem<Dim>(energy, DoubleMatrix<Dim>(1.5 * random.matrix<Dim>()), "random", options.tolerance,
                         report);
  }
  return report;
}

}  // namespace pliant
