#include "energy/suite.hpp"

#include <pliant/energy/bower_neo_hookean.hpp>

using namespace pliant;

namespace {

const Lame rubber = Lame::from_young_poisson(3.0, 0.45);
const BowerNeoHookean energy(rubber);
constexpr auto smooth = suite::Smooth::nonzero_volume;

}  // namespace

TEST_CASE("BowerNeoHookean: psi, P and H equal the oracles") {
  suite::agrees_with_oracles<BowerNeoHookean, 3>("bower_b", 1);
  suite::agrees_with_oracles<BowerNeoHookean, 2>("bower_b", 1);
}

TEMPLATE_TEST_CASE_SIG("BowerNeoHookean: derivatives, isotropy, projections", "", ((int Dim), Dim), 2, 3) {
  suite::is_consistent<Dim>(suite::AnyEnergy<Dim>(energy), smooth, rubber.mu());
  suite::is_never_nan<BowerNeoHookean, Dim>(energy);
  facts::obeys_hooke_at_rest<BowerNeoHookean, Dim>();
}

TEMPLATE_TEST_CASE_SIG("BowerNeoHookean: lanes and tangents", "", ((int Dim), Dim), 2, 3) {
  suite::works_in_lanes<Dim>(energy, smooth, rubber.mu());
}

// At J = 1 the Cauchy stress of the isochoric term is the deviator of mu F F^T.
TEST_CASE("BowerNeoHookean: simple shear") {
  for (const double gamma : {0.5, 1.0}) {
    const double g2 = gamma * gamma;
    suite::shears_as<BowerNeoHookean>({gamma, gamma, 2 * g2 / 3, -g2 / 3, -g2 / 3});
  }
}

TEMPLATE_TEST_CASE_SIG("BowerNeoHookean: its two terms part shape and volume", "", ((int Dim), Dim), 2, 3) {
  for (const double s : {0.4, 1.3, -0.8}) {
    facts::Square<Dim> F = std::abs(s) * facts::Square<Dim>::Identity();
    if (s < 0) F.col(0) *= -1;
    const double J = F.determinant(), kappa = rubber.lambda() + 2 * rubber.mu() / Dim;
    CHECK(energy.psi(F) == Approx(kappa / 2 * (J - 1) * (J - 1)).epsilon(1e-13));
  }
}

TEMPLATE_TEST_CASE_SIG("BowerNeoHookean: infinite energy for J = 0", "", ((int Dim), Dim), 2, 3) {
  CHECK(energy.psi(facts::Square<Dim>(facts::Square<Dim>::Zero())) ==
        std::numeric_limits<double>::infinity());
}
