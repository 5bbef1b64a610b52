#include "energy/facts.hpp"

#include <pliant/energy/bonet_wood_neo_hookean.hpp>

using namespace pliant;
using facts::Square;

namespace {

const Lame rubber = Lame::from_young_poisson(3.0, 0.45);
const BonetWoodNeoHookean energy(rubber);

}  // namespace

TEST_CASE("BonetWoodNeoHookean: psi, P and H equal the oracles") {
  facts::agrees_with_oracles<BonetWoodNeoHookean, 3>("bonet_wood", 2);
  facts::agrees_with_oracles<BonetWoodNeoHookean, 2>("bonet_wood", 1);
}

TEMPLATE_TEST_CASE_SIG("BonetWoodNeoHookean: facts of every energy", "", ((int Dim), Dim), 2, 3) {
  for (const auto& state : facts::regular_states<Dim>()) {
    INFO(state.name);
    facts::agrees_with_differences<Dim>(energy, state.F, rubber.mu());
    facts::is_isotropic<Dim>(energy, state.F, rubber.mu());
    facts::projects_like_an_eigensolver<Dim>(energy, state.F);
  }
  facts::obeys_hooke_at_rest<BonetWoodNeoHookean, Dim>();
}

TEMPLATE_TEST_CASE_SIG("BonetWoodNeoHookean: tangents contract the Hessian", "", ((int Dim), Dim), 2, 3) {
  facts::all_tangents_contract<double, Dim>(energy, facts::regular_states<Dim>(), 1e-13);
  facts::all_tangents_contract<Lane<double, 4>, Dim>(energy, facts::regular_states<Dim>(), 1e-13);
}

TEMPLATE_TEST_CASE_SIG("BonetWoodNeoHookean: lanes equal scalars", "", ((int Dim), Dim), 2, 3) {
  // Undefined and defined states stand side by side in one lane, so a mask that leaks would show.
  auto states = facts::regular_states<Dim>();
  states.insert(states.begin() + 1, {"reflected", -Square<Dim>::Identity() * (Dim == 2 ? 0 : 1)});
  states.insert(states.begin() + 3, {"zero", Square<Dim>::Zero()});
  facts::lanes_equal_scalars<Lane<double, 4>, Dim>(energy, states, rubber.mu());
  facts::lanes_equal_scalars<Lane<float, 8>, Dim>(energy, states, rubber.mu());
}

TEMPLATE_TEST_CASE_SIG("BonetWoodNeoHookean: infinite energy for J <= 0, and nothing is NaN", "",
                       ((int Dim), Dim), 2, 3) {
  for (const auto& state : facts::degenerate_states<Dim>()) {
    INFO(state.name);
    facts::is_finite_at(energy, state.F);
    const auto single = state.F.template cast<float>().eval();
    facts::is_finite_at(energy, single);
    CHECK_FALSE(std::isnan(energy.psi(state.F)));
    CHECK_FALSE(std::isnan(energy.psi(single)));
  }
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

// With E = 1: s is the axial stretch, t the lateral stretch that leaves the sides free, P the axial stress.
TEST_CASE("BonetWoodNeoHookean: uniaxial tension with free sides") {
  struct Row {
    double nu, s, t, P;
  };
  for (const Row& row :
       {Row{.3, .6, 1.154982150184, -.624348568746}, Row{.3, .8, 1.067338369279, -.240005381988},
        Row{.3, 1.2, .945632624291, .174929147396}, Row{.3, 1.5, .880174591807, .378280176394},
        Row{.3, 2, .798077544539, .646744660174}, Row{.3, 3, .688111029504, 1.093141437317},
        Row{.45, .6, 1.251085934885, -.692652883027}, Row{.45, .8, 1.104462300326, -.249929729673},
        Row{.45, 1.2, .920634369846, .170239183063}, Row{.45, 1.5, .830678980803, .358614351920},
        Row{.45, 2, .725935005637, .598796270274}, Row{.45, 3, .598314709229, .993335575715}}) {
    INFO("nu " << row.nu << ", stretch " << row.s);
    const BonetWoodNeoHookean unit(Lame::from_young_poisson(1, row.nu));
    const Square<3> P = unit.pk1(Eigen::Vector3d(row.s, row.t, row.t).asDiagonal().toDenseMatrix());
    CHECK(std::abs(P(0, 0) - row.P) <= 2e-11);
    CHECK(std::abs(P(1, 1)) <= 2e-11);
    CHECK(std::abs(P(2, 2)) <= 2e-11);
  }
}

TEST_CASE("BonetWoodNeoHookean: simple shear") {
  const BonetWoodNeoHookean material(Lame::from_mu_lambda(1, 2));
  Square<3> F = Square<3>::Identity();
  F(0, 1) = 0.5;
  Square<3> expected = Square<3>::Zero();
  expected(0, 1) = expected(1, 0) = 0.5;
  expected(0, 0) = 0.25;
  CHECK(facts::difference(material.pk1(F) * F.transpose(), expected) <= 1e-14);
}
