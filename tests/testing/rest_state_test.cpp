#include "support/catch.hpp"

#include <Eigen/Dense>

#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/energy/stable_neo_hookean_barrier.hpp>
#include <pliant/testing/rest_state.hpp>

using namespace pliant;

namespace {

std::vector<std::string> failed(const CheckReport& report) {
  std::vector<std::string> names;
  for (const PropertyCheck& check : report.checks()) {
    if (!check.passed()) names.push_back(check.property);
  }
  return names;
}

const std::vector<std::string> misses_hooke{"at rest the Hessian is Hooke's law of (E, nu)"};

}  // namespace

// The energy of a strain against Hooke's law for engineering strains, in Voigt's notation.
TEST_CASE("hooke_tensor: the energy of a strain, in space and in plane strain") {
  const double E = 2.6, nu = 0.3;
  const Lame lame = Lame::from_young_poisson(E, nu);
  Eigen::Matrix3d strain;
  strain << 0.3, 0.05, -0.1, 0.05, -0.2, 0.15, -0.1, 0.15, 0.4;
  Eigen::Matrix<double, 6, 6> D = Eigen::Matrix<double, 6, 6>::Zero();
  D.topLeftCorner<3, 3>().setConstant(nu);
  D.diagonal() << 1 - nu, 1 - nu, 1 - nu, 0.5 - nu, 0.5 - nu, 0.5 - nu;
  D *= E / ((1 + nu) * (1 - 2 * nu));
  Eigen::Matrix<double, 6, 1> voigt;
  voigt << 0.3, -0.2, 0.4, 2 * 0.15, 2 * -0.1, 2 * 0.05;
  const Eigen::Map<const Eigen::VectorXd> space(strain.data(), 9);
  CHECK(space.dot(hooke_tensor<3>(lame) * space) == Approx(voigt.dot(D * voigt)).epsilon(1e-14));

  const Eigen::Matrix2d plane = strain.topLeftCorner<2, 2>();
  voigt << 0.3, -0.2, 0, 0, 0, 2 * 0.05;
  const Eigen::Map<const Eigen::VectorXd> flat(plane.data(), 4);
  CHECK(flat.dot(hooke_tensor<2>(lame) * flat) == Approx(voigt.dot(D * voigt)).epsilon(1e-14));
}

TEMPLATE_TEST_CASE_SIG("check_rest_state: accepts energies that keep the contract", "", ((int Dim), Dim), 2,
                       3) {
  const CheckReport report =
      check_rest_state<Dim>([](const Lame& lame) { return StableNeoHookeanBarrier(lame); });
  INFO(report.message());
  CHECK(report);
  CHECK(report.checks().size() == 2);
  CHECK(check_rest_state<Dim>([](const Lame& lame) { return LinearElastic(lame); }));
}

TEST_CASE("check_rest_state: catches coefficients that are not those of the material") {
  // The formula's lambda is lambda_L + mu_L.
  const CheckReport raw = check_rest_state<3>([](const Lame& lame) {
    return StableNeoHookean(RawCoefficients{lame.mu(), lame.lambda()});
  });
  CHECK(failed(raw) == misses_hooke);
  CHECK(raw.message().find("worst at E = ") != std::string::npos);

  // The coefficients of the barrier depend on the dimension.
  const auto of_space = [](const Lame& lame) {
    return StableNeoHookeanBarrier(StableNeoHookeanBarrier::coefficients_from<3>(lame.mu(), lame.lambda()));
  };
  CHECK(check_rest_state<3>(of_space));
  CHECK(failed(check_rest_state<2>(of_space)) == misses_hooke);

  // Right for one Poisson's ratio only.
  const auto nu_is_0 = [](const Lame& lame) { return LinearElastic(RawCoefficients{lame.mu(), 0}); };
  CHECK(check_rest_state<3>(nu_is_0, {.poisson_ratios = {0}}));
  CHECK_FALSE(check_rest_state<3>(nu_is_0));
}

TEST_CASE("check_rest_state: catches stress at rest") {
  struct Pulled {
    LinearElastic right;
    auto psi(const SmallMatrix<double, 3, 3>& F) const { return right.psi(F); }
    auto pk1(const SmallMatrix<double, 3, 3>& F) const { return right.pk1(1.001 * F); }
    auto hessian(const SmallMatrix<double, 3, 3>& F) const { return right.hessian(F); }
  };
  CHECK(failed(check_rest_state<3>([](const Lame& lame) { return Pulled{LinearElastic(lame)}; })) ==
        std::vector<std::string>{"no stress at rest"});
}
