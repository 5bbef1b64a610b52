#include "support/catch.hpp"

#include <functional>

#include <Eigen/Dense>

#include <pliant/energy/bonet_wood_neo_hookean.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/testing/derivatives.hpp>

using namespace pliant;
using namespace pliant::simd;

namespace {

const Lame lame = Lame::from_young_poisson(2.5e5, 0.3);

enum class Mistake {
  none,
  stress_sign,         // P has the wrong sign
  stress_factor,       // P is 1 % too large
  missing_term,        // P and H lack the term with mu cof F
  hessian_factor,      // H is 1 % too large
  hessian_sign,        // H has the wrong sign
  asymmetric,          // one entry of H is off by 1 %
  wrong_hessian_term,  // H lacks the derivative of cof F
  lanes_only,          // wrong with lanes only, by a branch on the first lane
  projection_sign,     // the projected Hessian keeps what it should remove
  swapped_modes,       // the projection takes twist for flip
  rotated_stress,      // P is written in the wrong frame: P^T
  not_finite           // psi is NaN in compression
};

// StableNeoHookean with a mistake put in on purpose.
template <Mistake mistake>
struct Spoiled {
  StableNeoHookean right{lame};

  template <class Derived>
  typename Derived::Scalar psi(const Eigen::MatrixBase<Derived>& F) const {
    using T = typename Derived::Scalar;
    const T value = right.psi(F);
    if constexpr (mistake == Mistake::not_finite) {
      return select(determinant(deformation_gradient(F)) < constant<T>(0.5), T(value / T(0) * T(0)), value);
    }
    return value;
  }

  template <class Derived>
  auto pk1(const Eigen::MatrixBase<Derived>& F) const {
    using T = typename Derived::Scalar;
    DeformationGradient<Derived> P = right.pk1(F);
    const auto C = cofactor(deformation_gradient(F));
    for (int k = 0; k < P.size(); ++k) {
      if (mistake == Mistake::stress_sign) P(k) = -P(k);
      if (mistake == Mistake::stress_factor) P(k) *= constant<T>(1.01);
      if (mistake == Mistake::missing_term) P(k) += constant<T>(lame.mu()) * C(k);
      if (mistake == Mistake::lanes_only && is_lane<T>) {
        P(k) = select(deformation_gradient(F)(0, 0) > constant<T>(1), P(k), T(P(k) * constant<T>(1.1)));
      }
    }
    if (mistake == Mistake::rotated_stress) {
      const DeformationGradient<Derived> transposed = P.transpose();
      P = transposed;
    }
    return P;
  }

  template <class Derived>
  auto hessian(const Eigen::MatrixBase<Derived>& F) const {
    using T = typename Derived::Scalar;
    auto H = right.hessian(F);
    for (int k = 0; k < H.size(); ++k) {
      if (mistake == Mistake::hessian_factor) H(k) *= constant<T>(1.01);
      if (mistake == Mistake::hessian_sign) H(k) = -H(k);
    }
    if (mistake == Mistake::asymmetric) H(0, 3) += constant<T>(0.01 * lame.mu());
    if (mistake == Mistake::wrong_hessian_term) {
      const auto C = cofactor(deformation_gradient(F));
      for (int c = 0; c < C.size(); ++c) {
        for (int r = 0; r < C.size(); ++r) {
          H(r, c) = constant<T>(lame.lambda() + lame.mu()) * C(r) * C(c);
          if (r == c) H(r, c) += constant<T>(lame.mu());
        }
      }
    }
    return H;
  }

  template <class Derived>
  auto hessian(const Eigen::MatrixBase<Derived>& F, Projection projection) const
      requires(mistake == Mistake::projection_sign || mistake == Mistake::swapped_modes) {
    const auto H = right.hessian(F);
    const auto projected_H = right.hessian(F, projection);
    if constexpr (mistake == Mistake::projection_sign) return (H + H - projected_H).eval();
    else return right.hessian(F.transpose(), projection);
  }
};

template <int Dim, class E>
DerivativeReport report_on(const E& energy) {
  return check_derivatives<Dim>(energy, {.inverted = true, .lame = lame});
}

// The properties that failed.
std::vector<std::string> failed(const DerivativeReport& report) {
  std::vector<std::string> names;
  for (const PropertyCheck& check : report.checks()) {
    if (!check.passed()) names.push_back(check.property);
  }
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& part) {
  for (const std::string& name : names) {
    if (name.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("check_derivatives: accepts energies that are right", "", ((int Dim), Dim), 2, 3) {
  for (const DerivativeReport& report :
       {report_on<Dim>(StableNeoHookean(lame)), report_on<Dim>(Spoiled<Mistake::none>()),
        check_derivatives<Dim>(BonetWoodNeoHookean(lame), {.lame = lame}),
        check_derivatives<Dim>(LinearElastic(lame),
                               {.inverted = true, .frame_indifferent = false, .lame = lame})}) {
    INFO(report.message());
    CHECK(report);
    CHECK(report.checks().size() >= 7);
    for (const PropertyCheck& check : report.checks()) {
      if (check.property.find("derivative") != std::string::npos) CHECK(check.error <= 1e-8);
    }
  }
}

TEST_CASE("check_derivatives: catches mistakes and says which") {
  const auto names = [](const DerivativeReport& report) {
    UNSCOPED_INFO(report.message());
    CHECK_FALSE(report);
    return failed(report);
  };
  CHECK(contains(names(report_on<3>(Spoiled<Mistake::stress_sign>())), "pk1 is the derivative"));
  CHECK(contains(names(report_on<3>(Spoiled<Mistake::stress_factor>())), "pk1 is the derivative"));
  CHECK(contains(names(report_on<3>(Spoiled<Mistake::missing_term>())), "pk1 is the derivative"));
  CHECK(contains(names(report_on<3>(Spoiled<Mistake::rotated_stress>())), "P(Q F)"));
  CHECK(contains(names(report_on<2>(Spoiled<Mistake::lanes_only>())), "lanes of doubles"));
  CHECK(contains(names(report_on<2>(Spoiled<Mistake::not_finite>())), "finite"));
  CHECK(contains(names(report_on<3>(Spoiled<Mistake::projection_sign>())), "projected"));
  CHECK(contains(names(report_on<3>(Spoiled<Mistake::swapped_modes>())), "projected"));

  // A wrong Hessian is not blamed on the stress.
  const auto hessian_factor = names(report_on<3>(Spoiled<Mistake::hessian_factor>()));
  CHECK(contains(hessian_factor, "hessian is the derivative"));
  CHECK_FALSE(contains(hessian_factor, "pk1 is"));
  CHECK(contains(names(report_on<3>(Spoiled<Mistake::hessian_sign>())), "hessian is the derivative"));
  CHECK(contains(names(report_on<2>(Spoiled<Mistake::wrong_hessian_term>())), "hessian is the derivative"));
  CHECK(contains(names(report_on<3>(Spoiled<Mistake::asymmetric>())), "symmetric"));
}

TEST_CASE("check_derivatives: catches an energy that misses its material") {
  const DerivativeReport wrong_lambda =
      check_derivatives<3>(StableNeoHookean(RawCoefficients{lame.mu(), lame.lambda()}), {.lame = lame});
  CHECK(failed(wrong_lambda) == std::vector<std::string>{"at rest the Hessian is Hooke's law of (E, nu)"});
  CHECK(check_derivatives<3>(StableNeoHookean(RawCoefficients{lame.mu(), lame.lambda()})));
}

TEST_CASE(
    "check_derivatives: an energy undefined under inversion fails only where it is asked to be defined") {
  CHECK(check_derivatives<3>(BonetWoodNeoHookean(lame)));
  CHECK_FALSE(check_derivatives<3>(BonetWoodNeoHookean(lame), {.inverted = true}));
}

TEST_CASE("check_derivatives: small-strain energies turn no stress") {
  CHECK(contains(failed(check_derivatives<3>(LinearElastic(lame))), "P(Q F)"));
}

TEST_CASE("check_derivatives: the message names the state and guesses the mistake") {
  const std::string sign = report_on<3>(Spoiled<Mistake::stress_sign>()).message();
  CHECK(sign.find("FAILED  pk1 is the derivative of psi") != std::string::npos);
  CHECK(sign.find("it is -1 times that everywhere") != std::string::npos);
  CHECK(sign.find("F = [") != std::string::npos);
  const std::string factor = report_on<3>(Spoiled<Mistake::hessian_factor>()).message();
  CHECK(factor.find("it is 1.01 times that everywhere") != std::string::npos);
}

TEST_CASE("differentiate: smooth functions to rounding, with an honest error") {
  const auto check = [](double expected, const std::function<double(double)>& f) {
    const NumericalDerivative d =
        differentiate([&f](double t) { return Eigen::VectorXd(Eigen::VectorXd::Constant(1, f(t))); });
    CHECK(std::abs(d.value(0) - expected) <= 1e-10 * std::max(1.0, std::abs(expected)));
    CHECK(std::abs(d.value(0) - expected) <= 1e-14 * std::abs(expected) + 10 * d.error);
  };
  check(std::cos(1.0), [](double t) { return std::sin(1 + t); });
  check(100, [](double t) { return std::log(0.01 + t); });  // not finite at the first steps
  check(0, [](double t) { return std::cos(t); });
  check(-3e6, [](double t) { return 1e6 * std::exp(-3 * t); });
}

TEST_CASE("check_derivatives: a function of many variables") {
  // sum of x_i^4 / 4 + x_i x_(i+1)
  const auto value = [](const Eigen::VectorXd& x) {
    return x.array().pow(4).sum() / 4 + x.head(x.size() - 1).dot(x.tail(x.size() - 1));
  };
  const auto gradient = [](const Eigen::VectorXd& x) {
    Eigen::VectorXd g = x.array().cube();
    g.head(x.size() - 1) += x.tail(x.size() - 1);
    g.tail(x.size() - 1) += x.head(x.size() - 1);
    return g;
  };
  const auto times = [](const Eigen::VectorXd& x, const Eigen::VectorXd& d) {
    Eigen::VectorXd y = 3 * x.array().square() * d.array();
    y.head(x.size() - 1) += d.tail(x.size() - 1);
    y.tail(x.size() - 1) += d.head(x.size() - 1);
    return y;
  };
  for (const Eigen::Index n : {3, 500}) {
    const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(n, -1, 2);
    const DerivativeReport right = check_derivatives(value, gradient, times, x, 0.01);
    INFO(right.message());
    CHECK(right);
    const auto wrong_gradient = [&](const Eigen::VectorXd& y) { return Eigen::VectorXd(1.01 * gradient(y)); };
    CHECK_FALSE(check_derivatives(value, wrong_gradient, times, x, 0.01));
    const auto wrong_times = [&](const Eigen::VectorXd& y, const Eigen::VectorXd& d) {
      return Eigen::VectorXd(times(y, d) + 0.01 * d);
    };
    CHECK(failed(check_derivatives(value, gradient, wrong_times, x, 0.01)) ==
          std::vector<std::string>{"hessian is the derivative of the gradient"});
  }
}

TEST_CASE("check_derivatives: guesses at a factor where there is one, and only there") {
  const auto message = [](const DerivativeReport& report) { return report.message(); };
  CHECK_THAT(message(report_on<3>(Spoiled<Mistake::stress_factor>())), Catch::Contains("it is 1.01 times"));
  CHECK_THAT(message(report_on<3>(Spoiled<Mistake::stress_sign>())), Catch::Contains("it is -1 times"));
  CHECK_THAT(message(report_on<2>(Spoiled<Mistake::not_finite>())), !Catch::Contains("times that"));
  CHECK_THAT(message(report_on<3>(Spoiled<Mistake::lanes_only>())), !Catch::Contains("it is 1 times"));
}
