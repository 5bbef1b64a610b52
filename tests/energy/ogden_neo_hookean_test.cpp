#include "energy/suite.hpp"

#include <pliant/energy/ogden_neo_hookean.hpp>

using namespace pliant;

namespace {

const Lame rubber = Lame::from_young_poisson(3.0, 0.45);
const OgdenNeoHookean energy(rubber);
constexpr auto smooth = suite::Smooth::positive_volume;

}  // namespace

TEST_CASE("OgdenNeoHookean: psi, P and H equal the oracles") {
  suite::agrees_with_oracles<OgdenNeoHookean, 3>("ogden_a", 1);
  suite::agrees_with_oracles<OgdenNeoHookean, 2>("ogden_a", 1);
}

TEMPLATE_TEST_CASE_SIG("OgdenNeoHookean: derivatives, isotropy, projections", "", ((int Dim), Dim), 2, 3) {
  suite::is_consistent<Dim>(suite::AnyEnergy<Dim>(energy), smooth, rubber.mu());
  suite::is_never_nan<OgdenNeoHookean, Dim>(energy);
  facts::obeys_hooke_at_rest<OgdenNeoHookean, Dim>();
}

TEMPLATE_TEST_CASE_SIG("OgdenNeoHookean: lanes and tangents", "", ((int Dim), Dim), 2, 3) {
  suite::works_in_lanes<Dim>(energy, smooth, rubber.mu());
}

TEST_CASE("OgdenNeoHookean: simple shear is that of the other neo-Hookean energies, J being one") {
  suite::shears_as<OgdenNeoHookean>({.5, .5, .25, 0, 0});
  suite::shears_as<OgdenNeoHookean>({1, 1, 1, 0, 0});
}

// F = s I has J = s^3: P_11 = mu s - mu / s + lambda (s^3 - 1) s^2.
TEMPLATE_TEST_CASE("OgdenNeoHookean: right for large and tiny entries", "", float, double) {
  const double tolerance = std::is_same_v<TestType, float> ? 2e-6 : 1e-13;
  for (const double size : {1e-12, 1e-3, 0.5, 2.0, 1e3, 1e5}) {
    const Eigen::Matrix<TestType, 3, 3> F =
        static_cast<TestType>(size) * Eigen::Matrix<TestType, 3, 3>::Identity();
    const double s = static_cast<double>(F(0, 0)), J = s * s * s;
    const double P = rubber.mu() * (s - 1 / s) + rubber.lambda() * (J - 1) * s * s;
    CHECK(facts::difference(energy.pk1(F), P * facts::Square<3>::Identity()) <= tolerance * std::abs(P));
    facts::is_finite_at(energy, F);
  }
}

TEMPLATE_TEST_CASE_SIG("OgdenNeoHookean: infinite energy for J <= 0", "", ((int Dim), Dim), 2, 3) {
  facts::Square<Dim> reflected = facts::Square<Dim>::Identity();
  reflected(0, 0) = -1;
  for (const facts::Square<Dim>& F : {facts::Square<Dim>(facts::Square<Dim>::Zero()), reflected}) {
    CHECK(energy.psi(F) == std::numeric_limits<double>::infinity());
    CHECK(energy.psi(F.template cast<float>()) == std::numeric_limits<float>::infinity());
  }
}
