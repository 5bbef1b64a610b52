#include "energy/suite.hpp"

#include <pliant/energy/st_venant_kirchhoff.hpp>

using namespace pliant;

namespace {

const Lame rubber = Lame::from_young_poisson(3.0, 0.45);
const StVenantKirchhoff energy(rubber);
constexpr auto smooth = suite::Smooth::everywhere;

}  // namespace

TEST_CASE("StVenantKirchhoff: psi, P and H equal the oracles") {
  suite::agrees_with_oracles<StVenantKirchhoff, 3>("stvk", 1);
  suite::agrees_with_oracles<StVenantKirchhoff, 2>("stvk", 1);
}

TEMPLATE_TEST_CASE_SIG("StVenantKirchhoff: derivatives, isotropy, projections", "", ((int Dim), Dim), 2, 3) {
  suite::is_consistent<Dim>(suite::AnyEnergy<Dim>(energy), smooth, rubber.mu());
  suite::is_never_nan<StVenantKirchhoff, Dim>(energy);
  facts::obeys_hooke_at_rest<StVenantKirchhoff, Dim>();
}

TEMPLATE_TEST_CASE_SIG("StVenantKirchhoff: lanes and tangents", "", ((int Dim), Dim), 2, 3) {
  suite::works_in_lanes<Dim>(energy, smooth, rubber.mu());
}

TEST_CASE("StVenantKirchhoff: uniaxial tension and simple shear") {
  const auto lateral = [](double s) { return std::sqrt(1 - 0.3 * (s * s - 1)); };
  for (const double s : {0.8, 1.2, 1.5}) {
    suite::stretches_as<StVenantKirchhoff>({.3, s, lateral(s), s * (s * s - 1) / 2});
  }
  suite::shears_as<StVenantKirchhoff>({.5, .75, .875, .5, .25});
  suite::shears_as<StVenantKirchhoff>({1, 3, 5, 2, 1});
}

TEST_CASE("StVenantKirchhoff: softens under compression, and a body of zero size is in equilibrium") {
  const auto push = [](double s) { return energy.pk1(s * facts::Square<3>::Identity())(0, 0); };
  CHECK(push(0.3) > push(1 / std::sqrt(3.0)));
  CHECK(push(0.8) > push(1 / std::sqrt(3.0)));
  CHECK(facts::largest(energy.pk1(facts::Square<3>::Zero())) == 0);
}
