#include "energy/suite.hpp"

#include <pliant/energy/corotated_linear.hpp>

using namespace pliant;

namespace {

const Lame rubber = Lame::from_young_poisson(3.0, 0.45);
const CorotatedLinear energy(rubber);
constexpr auto smooth = suite::Smooth::off_reflections;

}  // namespace

TEST_CASE("CorotatedLinear: psi, P and H equal the oracles") {
  suite::agrees_with_oracles<CorotatedLinear, 3>("corot", 1);
  suite::agrees_with_oracles<CorotatedLinear, 2>("corot", 1);
}

TEMPLATE_TEST_CASE_SIG("CorotatedLinear: derivatives, isotropy, projections", "", ((int Dim), Dim), 2, 3) {
  suite::is_consistent<Dim>(suite::AnyEnergy<Dim>(energy), smooth, rubber.mu());
  suite::is_never_nan<CorotatedLinear, Dim>(energy);
  facts::obeys_hooke_at_rest<CorotatedLinear, Dim>();
}

TEMPLATE_TEST_CASE_SIG("CorotatedLinear: lanes and tangents", "", ((int Dim), Dim), 2, 3) {
  suite::works_in_lanes<Dim>(energy, smooth, rubber.mu());
}

TEST_CASE("CorotatedLinear: simple shear") {
  suite::shears_as<CorotatedLinear>({.5, .544786249782, .451538124019, .179144999128, .123105625618}, 2e-12);
  suite::shears_as<CorotatedLinear>({1, 1.316718427, 1.950155281001, .633436854001, .472135955}, 2e-9);
}

// Where two singular values cancel, the twist eigenvalue has a pole. It is cut off, so that nothing
// overflows, and a clamp makes the mode zero.
TEST_CASE("CorotatedLinear: the pole at a reflection") {
  const facts::Square<3> reflected = Eigen::Vector3d(1, 1, -1).asDiagonal();
  const auto H = energy.hessian(reflected);
  CHECK(H.allFinite());
  CHECK(facts::largest(H) >= 1e12 * rubber.mu());
  CHECK(facts::largest(energy.hessian(reflected, Projection::clamp)) <= 1e3 * rubber.mu());
}
