#include "energy/facts.hpp"

#include <pliant/energy/stable_neo_hookean.hpp>

using namespace pliant;
using facts::Square;

namespace {

const Lame rubber = Lame::from_young_poisson(3.0, 0.45);
const StableNeoHookean energy(rubber);

}  // namespace

TEST_CASE("StableNeoHookean: psi, P and H equal the oracles") {
  facts::agrees_with_oracles<StableNeoHookean, 3>("snh", 3);
  facts::agrees_with_oracles<StableNeoHookean, 2>("snh", 2);
}

TEMPLATE_TEST_CASE_SIG("StableNeoHookean: P and H are derivatives", "", ((int Dim), Dim), 2, 3) {
  for (const auto& state : facts::all_states<Dim>()) {
    INFO(state.name);
    facts::agrees_with_differences<Dim>(energy, state.F, rubber.mu());
  }
}

TEMPLATE_TEST_CASE_SIG("StableNeoHookean: linearises to Hooke's law of (E, nu)", "", ((int Dim), Dim), 2, 3) {
  facts::obeys_hooke_at_rest<StableNeoHookean, Dim>();
}

TEST_CASE("StableNeoHookean: raw coefficients stand in the formula as they are") {
  const StableNeoHookean raw(RawCoefficients{1, 10});
  CHECK(raw.coefficients<2>().lambda == 10);
  CHECK(raw.coefficients<3>().lambda == 10);
  // and are not Lame's parameters: the material has lambda_L = lambda - mu
  CHECK(facts::difference(raw.hessian(Square<3>::Identity()), facts::hooke<3>(1, 9)) <= 1e-13);
  CHECK(energy.coefficients<3>().lambda == Approx(rubber.lambda() + rubber.mu()));
}

TEMPLATE_TEST_CASE_SIG("StableNeoHookean: is isotropic", "", ((int Dim), Dim), 2, 3) {
  for (const auto& state : facts::all_states<Dim>()) {
    INFO(state.name);
    facts::is_isotropic<Dim>(energy, state.F, rubber.mu());
  }
}

TEMPLATE_TEST_CASE_SIG("StableNeoHookean: analytic projections", "", ((int Dim), Dim), 2, 3) {
  for (const auto& state : facts::all_states<Dim>()) {
    INFO(state.name);
    facts::projects_like_an_eigensolver<Dim>(energy, state.F);
  }
}

TEMPLATE_TEST_CASE_SIG("StableNeoHookean: tangents contract the Hessian", "", ((int Dim), Dim), 2, 3) {
  facts::all_tangents_contract<double, Dim>(energy, facts::all_states<Dim>(), 1e-13);
  facts::all_tangents_contract<Lane<double, 4>, Dim>(energy, facts::all_states<Dim>(), 1e-13);
  facts::all_tangents_contract<Lane<float, 8>, Dim>(energy, facts::all_states<Dim>(), 1e-5);
}

TEMPLATE_TEST_CASE_SIG("StableNeoHookean: lanes equal scalars", "", ((int Dim), Dim), 2, 3) {
  facts::lanes_equal_scalars<Lane<double, 4>, Dim>(energy, facts::all_states<Dim>(), rubber.mu());
  facts::lanes_equal_scalars<Lane<float, 8>, Dim>(energy, facts::all_states<Dim>(), rubber.mu());
}

// With E = 1: s is the axial stretch, t the lateral stretch that leaves the sides free, P the axial stress.
TEST_CASE("StableNeoHookean: uniaxial tension with free sides") {
  struct Row {
    double nu, s, t, P;
  };
  for (const Row& row :
       {Row{.3, .6, 1.105541596785, -.552706552707}, Row{.3, .8, 1.060660171780, -.233173076923},
        Row{.3, 1.2, .942809041582, .176638176638}, Row{.3, 1.5, .869226987360, .383190883191},
        Row{.3, 2, .774596669241, .653846153846}, Row{.3, 3, .649786289654, 1.099715099715},
        Row{.45, .6, 1.247219128925, -.687100893997}, Row{.45, .8, 1.103970108291, -.249461206897},
        Row{.45, 1.2, .920446751432, .170338441890}, Row{.45, 1.5, .829993306533, .358876117497},
        Row{.45, 2, .724568837309, .599137931034}, Row{.45, 3, .596284794000, .993614303959}}) {
    INFO("nu " << row.nu << ", stretch " << row.s);
    const StableNeoHookean unit(Lame::from_young_poisson(1, row.nu));
    const Square<3> P = unit.pk1(Eigen::Vector3d(row.s, row.t, row.t).asDiagonal().toDenseMatrix());
    CHECK(std::abs(P(0, 0) - row.P) <= 2e-11);
    CHECK(std::abs(P(1, 1)) <= 2e-11);
    CHECK(std::abs(P(2, 2)) <= 2e-11);
  }
}

TEST_CASE("StableNeoHookean: simple shear") {
  const StableNeoHookean material(Lame::from_mu_lambda(1, 2));
  for (const double gamma : {0.5, 1.0}) {
    Square<3> F = Square<3>::Identity();
    F(0, 1) = gamma;
    const Square<3> cauchy = material.pk1(F) * F.transpose();  // J = 1
    Square<3> expected = Square<3>::Zero();
    expected(0, 1) = expected(1, 0) = gamma;
    expected(0, 0) = gamma * gamma;
    CHECK(facts::difference(cauchy, expected) <= 1e-14);
  }
}

TEST_CASE("StableNeoHookean: a body of zero size is in a stable equilibrium in 3D, in a saddle in 2D") {
  CHECK(energy.psi(Square<3>::Zero()) ==
        Approx(-1.5 * rubber.mu() + rubber.mu() + (rubber.lambda() + rubber.mu()) / 2));
  CHECK(facts::largest(energy.pk1(Square<3>::Zero())) == 0);
  CHECK(facts::difference(energy.hessian(Square<3>::Zero()), rubber.mu() * Eigen::MatrixXd::Identity(9, 9)) <=
        1e-15);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> planar(energy.hessian(Square<2>::Zero()));
  CHECK(planar.eigenvalues()(0) < -rubber.mu());
}

TEMPLATE_TEST_CASE("StableNeoHookean: finite for huge and tiny entries", "", float, double) {
  using Matrix3 = Eigen::Matrix<TestType, 3, 3>;
  using Matrix2 = Eigen::Matrix<TestType, 2, 2>;
  const bool single = std::is_same_v<TestType, float>;
  for (const double exponent : {-300.0, -100.0, -30.0, -20.0, -12.0, -7.0, -3.0, 3.0, 5.0, 20.0, 40.0}) {
    if (single && (exponent < -38 || exponent > 5)) continue;
    INFO("entries of size 1e" << exponent);
    const TestType size = static_cast<TestType>(std::pow(10.0, exponent));
    const Matrix3 F = size * facts::random_matrix<3, 3>().template cast<TestType>();
    const Matrix2 G = size * facts::random_matrix<2, 2>().template cast<TestType>();
    CHECK(std::isfinite(energy.psi(F)));
    CHECK(std::isfinite(energy.psi(G)));
    facts::is_finite_at(energy, F);
    facts::is_finite_at(energy, G);
  }
}
