// Checks the contract of Lame: at rest an energy constructed from Young's modulus and Poisson's ratio is
// Hooke's law with these parameters.
//
//   const CheckReport report = check_rest_state<3>([](const Lame& lame) { return MyEnergy(lame); });
//   if (!report) throw std::runtime_error(report.message());
#pragma once

#include <sstream>
#include <type_traits>
#include <vector>

#include <Eigen/Core>

#include <pliant/energy/concept.hpp>
#include <pliant/energy/lame.hpp>
#include <pliant/testing/check_report.hpp>
#include <pliant/testing/deformations.hpp>

namespace pliant {

// Hooke's law as the matrix d vec(P) / d vec(F) at rest [Pa], Dim^2 x Dim^2: mu (I + T) + lambda vec(I)
// vec(I)^T, with T the transposition. In 2D this is plane strain.
template <int Dim>
Eigen::MatrixXd hooke_tensor(const Lame& lame) {
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(Dim * Dim, Dim * Dim);
  for (int i = 0; i < Dim; ++i) {
    for (int j = 0; j < Dim; ++j) {
      H(i + Dim * j, i + Dim * j) += lame.mu();
      H(i + Dim * j, j + Dim * i) += lame.mu();
      H(i + Dim * i, j + Dim * j) += lame.lambda();
    }
  }
  return H;
}

struct RestStateOptions {
  double tolerance = 1e-14;  // of P and the Hessian, relative to the largest entry of Hooke's tensor
  std::vector<double> young_moduli = {1e-3, 1.0, 2.1e11};  // E [Pa]
  std::vector<double> poisson_ratios = {-0.9, -0.5, -0.25, -0.1, 0.0,   0.1,   0.25,
                                        0.3,  0.4,  0.45,  0.49, 0.499, 0.4999};  // nu [-]
};

// Checks that `make(lame)`, an energy, has no stress at F = I, and that its Hessian there is Hooke's tensor,
// for every pair of the Young's moduli and Poisson's ratios. In 2D the tensor is that of plane strain.
template <int Dim, class Make>
CheckReport check_rest_state(const Make& make, const RestStateOptions& options = {}) {
  using namespace detail::testing;
  CheckReport report;
  const DoubleMatrix<Dim> rest = DoubleMatrix<Dim>::Identity();
  for (const double young : options.young_moduli) {
    for (const double nu : options.poisson_ratios) {
      const Lame lame = Lame::from_young_poisson(young, nu);
      const auto energy = make(lame);
      static_assert(EnergyOver<std::remove_const_t<decltype(energy)>, Dim, double>,
                    "pliant: check_rest_state takes a function that constructs an energy from a Lame");
      const Eigen::MatrixXd expected = hooke_tensor<Dim>(lame), P = DoubleMatrix<Dim>(energy.pk1(rest)),
                            H = SmallMatrix<double, Dim * Dim, Dim * Dim>(energy.hessian(rest));
      const double scale = largest_or_infinity(expected);
      std::ostringstream place;
      place << "E = " << young << ", nu = " << nu;
      report.see("no stress at rest", options.tolerance, largest_or_infinity(P) / scale, place.str(),
                 "P = " + in_one_line(P));
      report.see("at rest the Hessian is Hooke's law of (E, nu)", options.tolerance,
                 largest_or_infinity(H - expected) / scale, place.str(),
                 compared("H", H, "Hooke's law", expected));
    }
  }
  return report;
}

}  // namespace pliant
