#include "energy/suite.hpp"

#include <pliant/energy/bonet_wood_neo_hookean.hpp>

using namespace pliant;
using facts::Square;

namespace {

const Lame rubber = Lame::from_young_poisson(3.0, 0.45);
const BonetWoodNeoHookean energy(rubber);
constexpr auto smooth = suite::Smooth::positive_volume;

}  // namespace

TEST_CASE("BonetWoodNeoHookean: psi, P and H equal the oracles") {
  suite::agrees_with_oracles<BonetWoodNeoHookean, 3>("bonet_wood", 2);
  suite::agrees_with_oracles<BonetWoodNeoHookean, 2>("bonet_wood", 1);
}

TEMPLATE_TEST_CASE_SIG("BonetWoodNeoHookean: derivatives, isotropy, projections", "", ((int Dim), Dim), 2,
                       3) {
  suite::is_consistent<Dim>(suite::AnyEnergy<Dim>(energy), smooth, rubber.mu());
  suite::is_never_nan<BonetWoodNeoHookean, Dim>(energy);
  facts::obeys_hooke_at_rest<BonetWoodNeoHookean, Dim>();
}

TEMPLATE_TEST_CASE_SIG("BonetWoodNeoHookean: lanes and tangents", "", ((int Dim), Dim), 2, 3) {
  suite::works_in_lanes<Dim>(energy, smooth, rubber.mu());
}

TEMPLATE_TEST_CASE_SIG("BonetWoodNeoHookean: infinite energy for J <= 0", "", ((int Dim), Dim), 2, 3) {
  Square<Dim> reflected = Square<Dim>::Identity();
  reflected(Dim - 1, Dim - 1) = -1;
  for (const Square<Dim>& F : {Square<Dim>(Square<Dim>::Zero()), reflected}) {
    CHECK(energy.psi(F) == std::numeric_limits<double>::infinity());
    CHECK(energy.psi(F.template cast<float>()) == std::numeric_limits<float>::infinity());
  }
}

// F = size I has J = size^dim, and everything is known in closed form however small or large it is.
TEMPLATE_TEST_CASE("BonetWoodNeoHookean: right for huge and tiny entries", "", float, double) {
  const double tolerance = std::is_same_v<TestType, float> ? 2e-5 : 1e-12;
  for (const double exponent : {-90.0, -40.0, -12.0, -10.0, -7.0, -3.0, 3.0, 7.0, 12.0, 15.0, 40.0, 90.0}) {
    if (std::is_same_v<TestType, float> && std::abs(exponent) > 15) continue;
    INFO("F = 1e" << exponent << " I");
    const TestType size = static_cast<TestType>(std::pow(10.0, exponent));
    const double s = static_cast<double>(size), log_J = 3 * std::log(s), mu = rubber.mu(),
                 lambda = rubber.lambda();
    const Eigen::Matrix<TestType, 3, 3> F = size * Eigen::Matrix<TestType, 3, 3>::Identity();

    const double psi = mu / 2 * (3 * s * s - 3) - mu * log_J + lambda / 2 * log_J * log_J;
    CHECK(std::abs(static_cast<double>(energy.psi(F)) - psi) <= tolerance * psi);
    const double P = mu * s + (lambda * log_J - mu) / s;
    CHECK(facts::difference(energy.pk1(F), P * Square<3>::Identity()) <= tolerance * std::abs(P));

    // d2J/dF2 = s (vec I vec I^T - T), cof F = s^2 I
    const double outer = (mu + lambda - lambda * log_J) / s / s, skew = (lambda * log_J - mu) / s / s;
    SmallMatrix<double, 9, 9> expected = SmallMatrix<double, 9, 9>::Zero();
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        expected(i + 3 * j, i + 3 * j) += mu;
        expected(i + 3 * i, j + 3 * j) += outer + skew;
        expected(i + 3 * j, j + 3 * i) -= skew;
      }
    }
    CHECK(facts::difference(energy.hessian(F), expected) <= tolerance * facts::largest(expected));
    facts::is_finite_at(energy, F);
  }
}

TEST_CASE("BonetWoodNeoHookean: uniaxial tension with free sides, and simple shear") {
  for (const suite::Stretched& row : std::vector<suite::Stretched>{{.3, .6, 1.154982150184, -.624348568746},
                                                                   {.3, .8, 1.067338369279, -.240005381988},
                                                                   {.3, 1.2, .945632624291, .174929147396},
                                                                   {.3, 1.5, .880174591807, .378280176394},
                                                                   {.3, 2, .798077544539, .646744660174},
                                                                   {.3, 3, .688111029504, 1.093141437317},
                                                                   {.45, .6, 1.251085934885, -.692652883027},
                                                                   {.45, .8, 1.104462300326, -.249929729673},
                                                                   {.45, 1.2, .920634369846, .170239183063},
                                                                   {.45, 1.5, .830678980803, .358614351920},
                                                                   {.45, 2, .725935005637, .598796270274},
                                                                   {.45, 3, .598314709229, .993335575715}}) {
    suite::stretches_as<BonetWoodNeoHookean>(row);
  }
  suite::shears_as<BonetWoodNeoHookean>({.5, .5, .25, 0, 0});
  suite::shears_as<BonetWoodNeoHookean>({1, 1, 1, 0, 0});
}
