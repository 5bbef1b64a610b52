#include "energy/suite.hpp"

#include <pliant/energy/fixed_corotated.hpp>

using namespace pliant;

namespace {

const Lame rubber = Lame::from_young_poisson(3.0, 0.45);
const FixedCorotated energy(rubber);
constexpr auto smooth = suite::Smooth::off_reflections;

}  // namespace

TEST_CASE("FixedCorotated: psi, P and H equal the oracles") {
  suite::agrees_with_oracles<FixedCorotated, 3>("fixed_corot", 1);
  suite::agrees_with_oracles<FixedCorotated, 2>("fixed_corot", 1);
}

TEMPLATE_TEST_CASE_SIG("FixedCorotated: derivatives, isotropy, projections", "", ((int Dim), Dim), 2, 3) {
  suite::is_consistent<Dim>(suite::AnyEnergy<Dim>(energy), smooth, rubber.mu());
  suite::is_never_nan<FixedCorotated, Dim>(energy);
  facts::obeys_hooke_at_rest<FixedCorotated, Dim>();
}

TEMPLATE_TEST_CASE_SIG("FixedCorotated: lanes and tangents", "", ((int Dim), Dim), 2, 3) {
  suite::works_in_lanes<Dim>(energy, smooth, rubber.mu());
}

TEST_CASE("FixedCorotated: simple shear") {
  suite::shears_as<FixedCorotated>({.5, .514928749927, .317179374673, .059714999709, 0}, 2e-12);
  suite::shears_as<FixedCorotated>({1, 1.105572809, 1.316718427, .211145618, 0}, 2e-9);
}

// Where two singular values cancel, the twist eigenvalue has a pole. It is cut off, so that nothing
// overflows, and a clamp makes the mode zero.
TEST_CASE("FixedCorotated: the pole at a reflection") {
  const facts::Square<3> reflected = Eigen::Vector3d(1, 1, -1).asDiagonal();
  const auto H = energy.hessian(reflected);
  CHECK(H.allFinite());
  CHECK(facts::largest(H) >= 1e12 * rubber.mu());
  CHECK(facts::largest(energy.hessian(reflected, Projection::clamp)) <= 1e3 * rubber.mu());
}
