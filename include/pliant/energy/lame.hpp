// Material parameters.
#pragma once

#include <pliant/core/error.hpp>

namespace pliant {

// The Lame parameters of linear elasticity, and the contract of the library: every energy made from them
// linearises at rest to Hooke's law with exactly this Young's modulus and Poisson's ratio.
class Lame {
 public:
  // E [Pa] > 0 and nu in (-1, 0.5). Throws ParameterError.
  static Lame from_young_poisson(double young_modulus, double poisson_ratio) {
    detail::require_parameter(young_modulus > 0, "young_modulus", young_modulus, "must be positive (Pa)");
    detail::require_parameter(
        poisson_ratio > -1 && poisson_ratio < 0.5, "poisson_ratio", poisson_ratio,
        "must lie in (-1, 0.5); 0.5 itself, an incompressible material, has no finite lambda");
    const double mu = young_modulus / (2 * (1 + poisson_ratio));
    return Lame(mu, young_modulus * poisson_ratio / ((1 + poisson_ratio) * (1 - 2 * poisson_ratio)));
  }

  // mu [Pa] > 0 and lambda [Pa] > -2/3 mu, so that the bulk modulus is positive. Throws ParameterError.
  static Lame from_mu_lambda(double mu, double lambda) {
    detail::require_parameter(mu > 0, "mu", mu, "must be positive (Pa)");
    detail::require_parameter(3 * lambda > -2 * mu, "lambda", lambda, "must exceed -2/3 mu (Pa)");
    return Lame(mu, lambda);
  }

  double mu() const noexcept { return mu_; }          // shear modulus [Pa]
  double lambda() const noexcept { return lambda_; }  // first Lame parameter [Pa]
  double young_modulus() const noexcept { return mu_ * (3 * lambda_ + 2 * mu_) / (lambda_ + mu_); }  // [Pa]
  double poisson_ratio() const noexcept { return lambda_ / (2 * (lambda_ + mu_)); }                  // [-]
  double bulk_modulus() const noexcept { return lambda_ + 2 * mu_ / 3; }                             // [Pa]

 private:
  Lame(double mu, double lambda) : mu_(mu), lambda_(lambda) {}

  double mu_;
  double lambda_;
};

// The two numbers that stand in an energy's formula, taken as they are [Pa]: for comparison with papers that
// print them. They are in general not the material's Lame parameters.
struct RawCoefficients {
  double mu;
  double lambda;
};

// Base of the energies with two coefficients. It keeps what the user gave, since the conversion may depend on
// the dimension; `Model::coefficients_from<Dim>(lame)` does that conversion.
template <class Model>
class LameMaterial {
 public:
  explicit LameMaterial(const Lame& lame) : mu_(lame.mu()), lambda_(lame.lambda()), raw_(false) {}

  // Throws ParameterError unless both are finite and mu > 0.
  explicit LameMaterial(const RawCoefficients& raw) : mu_(raw.mu), lambda_(raw.lambda), raw_(true) {
    detail::require_parameter(mu_ > 0, "mu", mu_, "must be positive (Pa)");
    detail::require_parameter(true, "lambda", lambda_, "must be finite (Pa)");
  }

  // The coefficients of the formula in space dimension Dim [Pa].
  template <int Dim>
  RawCoefficients coefficients() const {
    if (raw_) return {mu_, lambda_};
    return Model::template coefficients_from<Dim>(mu_, lambda_);
  }

 private:
  double mu_;
  double lambda_;
  bool raw_;
};

}  // namespace pliant
