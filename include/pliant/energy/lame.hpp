// Material parameters.
#pragma once

#include <concepts>
#include <initializer_list>
#include <type_traits>

#include <pliant/core/error.hpp>

namespace pliant {

// The Lame parameters of linear elasticity. They define the contract of the library: every energy constructed
// from them linearises at rest to Hooke's law with exactly this Young's modulus and Poisson's ratio; in 2D in
// plane strain.
class Lame {
 public:
  // E [Pa] > 0 and nu in (-1, 0.5). Throws ParameterError.
  static Lame from_young_poisson(double young_modulus, double poisson_ratio) {
    detail::core::require_parameter(young_modulus > 0, "young_modulus", young_modulus,
                                    "must be positive and finite (Pa)");
    detail::core::require_parameter(
        poisson_ratio > -1 && poisson_ratio < 0.5, "poisson_ratio", poisson_ratio,
        "must lie in (-1, 0.5); 0.5 itself, an incompressible material, has no finite lambda");
    const double mu = young_modulus / (2 * (1 + poisson_ratio));
    const double lambda = young_modulus * poisson_ratio / ((1 + poisson_ratio) * (1 - 2 * poisson_ratio));
    detail::core::require_parameter(detail::core::is_finite(lambda), "young_modulus", young_modulus,
                                    "is so large that lambda overflows");
    return Lame(Values{mu, lambda});
  }

  // mu [Pa] > 0 and lambda [Pa] > -2/3 mu, so that the bulk modulus is positive. Throws ParameterError.
  static Lame from_mu_lambda(double mu, double lambda) {
    detail::core::require_parameter(mu > 0, "mu", mu, "must be positive and finite (Pa)");
    detail::core::require_parameter(3 * lambda > -2 * mu, "lambda", lambda,
                                    "must exceed -2/3 mu and be finite (Pa)");
    return Lame(Values{mu, lambda});
  }

  // Two numbers do not say which parameters they are.
  template <class... Numbers>
  Lame(Numbers...) requires(sizeof...(Numbers) == 2 && (std::is_arithmetic_v<Numbers> && ...)) {
    static_assert(
        detail::core::always_false<Numbers...>,
        "Lame is made by a function that names its parameters: Lame::from_young_poisson(1e6, 0.45), "
        "or Lame::from_mu_lambda(mu, lambda)");
  }

  double mu() const noexcept { return values_.mu; }          // shear modulus [Pa]
  double lambda() const noexcept { return values_.lambda; }  // first Lame parameter [Pa]
  double young_modulus() const noexcept {                    // [Pa]
    return mu() * (3 * lambda() + 2 * mu()) / (lambda() + mu());
  }
  double poisson_ratio() const noexcept { return lambda() / (2 * (lambda() + mu())); }  // [-]
  double bulk_modulus() const noexcept { return lambda() + 2 * mu() / 3; }              // [Pa]

 private:
  struct Values {
    double mu, lambda;
  };

  explicit Lame(const Values& values) : values_(values) {}

  Values values_{};
};

// The two coefficients of an energy's formula, used unchanged [Pa]: for comparison with papers that print
// them. They are in general not the Lame parameters of the material.
struct RawCoefficients {
  double mu;
  double lambda;
};

// An energy that OperatorSplitting supports: in three dimensions it is
//   psi(F) = mu |F - R|^2 + lambda/2 (det F - 1)^2,   R the rotation nearest to F,
// and `split_coefficients()` returns its mu and lambda [Pa].
template <class E>
concept SplitEnergy = requires(const E& energy) {
  { energy.split_coefficients() } -> std::same_as<RawCoefficients>;
};

// Base of the energies with two coefficients. A model whose coefficients are not the Lame parameters has a
// `coefficients_from` of its own, so that the contract of Lame holds; check_rest_state
// (testing/rest_state.hpp) tells whether it does.
template <class Model>
class LameMaterial {
 public:
  // The coefficients of the formula in space dimension Dim [Pa], from the Lame parameters [Pa].
  template <int Dim>
  static RawCoefficients coefficients_from(double mu, double lambda) {
    return {mu, lambda};
  }

  explicit LameMaterial(const Lame& lame)
      : plane_(Model::template coefficients_from<2>(lame.mu(), lame.lambda())),
        space_(Model::template coefficients_from<3>(lame.mu(), lame.lambda())) {}

  // The same coefficients in every dimension. Throws ParameterError unless both are finite and mu > 0.
  explicit LameMaterial(const RawCoefficients& raw) : plane_(raw), space_(raw) {
    detail::core::require_parameter(raw.mu > 0, "mu", raw.mu, "must be positive and finite (Pa)");
    detail::core::require_parameter(true, "lambda", raw.lambda, "must be finite (Pa)");
  }

  template <class... Numbers>
  explicit LameMaterial(Numbers...) requires(sizeof...(Numbers) > 0 && (std::is_arithmetic_v<Numbers> && ...))
      : LameMaterial(RawCoefficients{1, 1}) {
    refuse_numbers<Numbers...>();
  }

  // For numbers in braces, which could be a Lame or RawCoefficients.
  template <class Number = double>
  explicit LameMaterial(std::initializer_list<std::type_identity_t<Number>>)
      : LameMaterial(RawCoefficients{1, 1}) {
    refuse_numbers<Number>();
  }

  // The coefficients of the formula in space dimension Dim [Pa].
  template <int Dim>
  const RawCoefficients& coefficients() const noexcept {
    static_assert(Dim == 2 || Dim == 3, "pliant: a body has two or three dimensions");
    if constexpr (Dim == 2) return plane_;
    else return space_;
  }

 private:
  template <class... Numbers>
  static void refuse_numbers() {
    static_assert(detail::core::always_false<Numbers...>,
                  "an energy is constructed from a Lame, which names its parameters: "
                  "StableNeoHookean(Lame::from_young_poisson(1e6, 0.45))");
  }

  RawCoefficients plane_;
  RawCoefficients space_;
};

namespace detail::energy {

// Whether an energy has Lame parameters, and is Hooke's law at rest.
template <class E>
inline constexpr bool has_lame = std::is_base_of_v<LameMaterial<E>, E>;

}  // namespace detail::energy

}  // namespace pliant
