#include "energy/suite.hpp"

#include <pliant/energy/arap.hpp>

using namespace pliant;

namespace {

const Lame rubber = Lame::from_young_poisson(3.0, 0.45);
const Arap energy(rubber);
constexpr auto smooth = suite::Smooth::off_reflections;

}  // namespace

TEST_CASE("Arap: psi, P and H equal the oracles") {
  suite::agrees_with_oracles<Arap, 3>("arap", 1);
  suite::agrees_with_oracles<Arap, 2>("arap", 1);
}

TEMPLATE_TEST_CASE_SIG("Arap: derivatives, isotropy, projections", "", ((int Dim), Dim), 2, 3) {
  suite::is_consistent<Dim>(suite::AnyEnergy<Dim>(energy), smooth, rubber.mu());
  suite::is_never_nan<Arap, Dim>(energy);
}

TEMPLATE_TEST_CASE_SIG("Arap: lanes and tangents", "", ((int Dim), Dim), 2, 3) {
  suite::works_in_lanes<Dim>(energy, smooth, rubber.mu());
}

TEST_CASE("Arap: Hooke's law at rest with the shear modulus asked for and no lambda") {
  const auto arap = [](const Lame& lame) { return Arap(lame); };
  CHECK(check_rest_state<3>(arap, {.poisson_ratios = {0}}));
  CHECK_FALSE(check_rest_state<3>(arap, {.poisson_ratios = {0.1}}));
  CHECK(facts::difference(energy.hessian(facts::Square<3>::Identity()), facts::hooke<3>(rubber.mu(), 0)) <=
        1e-14 * rubber.mu());
  CHECK(facts::difference(energy.hessian(facts::Square<2>::Identity()), facts::hooke<2>(rubber.mu(), 0)) <=
        1e-14 * rubber.mu());
}

// With the eigenvalues of a stretch in hand, psi = mu sum (s_i - 1)^2.
TEST_CASE("Arap: the distance to the nearest rotation") {
  const Eigen::Vector3d s(1.7, 0.6, -0.3);
  const facts::Square<3> F = facts::with_singular_values<3>(s);
  CHECK(energy.psi(F) == Approx(rubber.mu() * (s.array() - 1).square().sum()).epsilon(1e-13));
}

// Where two singular values cancel, the twist eigenvalue has a pole. It is cut off, so that nothing
// overflows, and a clamp makes the mode zero.
TEST_CASE("Arap: the pole at a reflection") {
  const facts::Square<3> reflected = Eigen::Vector3d(1, 1, -1).asDiagonal();
  const auto H = energy.hessian(reflected);
  CHECK(H.allFinite());
  CHECK(facts::largest(H) >= 1e12 * rubber.mu());
  CHECK(facts::largest(energy.hessian(reflected, Projection::clamp)) <= 1e3 * rubber.mu());
}
