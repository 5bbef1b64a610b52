#include "energy/suite.hpp"

#include <pliant/energy/stable_neo_hookean.hpp>

using namespace pliant;
using facts::Square;

namespace {

const Lame rubber = Lame::from_young_poisson(3.0, 0.45);
const StableNeoHookean energy(rubber);
constexpr auto smooth = suite::Smooth::everywhere;

}  // namespace

TEST_CASE("StableNeoHookean: psi, P and H equal the oracles") {
  suite::agrees_with_oracles<StableNeoHookean, 3>("snh", 3);
  suite::agrees_with_oracles<StableNeoHookean, 2>("snh", 2);
}

TEMPLATE_TEST_CASE_SIG("StableNeoHookean: derivatives, isotropy, projections", "", ((int Dim), Dim), 2, 3) {
  suite::is_consistent<Dim>(suite::AnyEnergy<Dim>(energy), smooth, rubber.mu());
  suite::is_never_nan<StableNeoHookean, Dim>(energy);
  facts::obeys_hooke_at_rest<StableNeoHookean, Dim>();
}

TEMPLATE_TEST_CASE_SIG("StableNeoHookean: lanes and tangents", "", ((int Dim), Dim), 2, 3) {
  suite::works_in_lanes<Dim>(energy, smooth, rubber.mu());
}

TEST_CASE("StableNeoHookean: raw coefficients stand in the formula as they are") {
  const StableNeoHookean raw(RawCoefficients{1, 10});
  CHECK(raw.coefficients<2>().lambda == 10);
  CHECK(raw.coefficients<3>().lambda == 10);
  // and are not Lame's parameters: the material has lambda_L = lambda - mu
  CHECK(facts::difference(raw.hessian(Square<3>::Identity()), facts::hooke<3>(1, 9)) <= 1e-13);
  CHECK(energy.coefficients<3>().lambda == Approx(rubber.lambda() + rubber.mu()));
}

TEST_CASE("StableNeoHookean: uniaxial tension with free sides, and simple shear") {
  for (const suite::Stretched& row : std::vector<suite::Stretched>{{.3, .6, 1.105541596785, -.552706552707},
                                                                   {.3, .8, 1.060660171780, -.233173076923},
                                                                   {.3, 1.2, .942809041582, .176638176638},
                                                                   {.3, 1.5, .869226987360, .383190883191},
                                                                   {.3, 2, .774596669241, .653846153846},
                                                                   {.3, 3, .649786289654, 1.099715099715},
                                                                   {.45, .6, 1.247219128925, -.687100893997},
                                                                   {.45, .8, 1.103970108291, -.249461206897},
                                                                   {.45, 1.2, .920446751432, .170338441890},
                                                                   {.45, 1.5, .829993306533, .358876117497},
                                                                   {.45, 2, .724568837309, .599137931034},
                                                                   {.45, 3, .596284794000, .993614303959}}) {
    suite::stretches_as<StableNeoHookean>(row);
  }
  suite::shears_as<StableNeoHookean>({.5, .5, .25, 0, 0});
  suite::shears_as<StableNeoHookean>({1, 1, 1, 0, 0});
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
