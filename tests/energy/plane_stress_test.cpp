#include "energy/facts.hpp"
#include "support/catch.hpp"

#include <Eigen/Dense>

#include <pliant/energy/plane_stress.hpp>

using namespace pliant;

namespace {

Eigen::Matrix2d some_gradient() {
  Eigen::Matrix2d F;
  F << 1.02, 0.03, -0.01, 0.97;
  return F;
}

}  // namespace

TEST_CASE("PlaneStress: a sheet pulled along x carries E eps and shrinks by nu eps") {
  for (const double nu : {-0.5, 0.0, 0.3, 0.4999}) {
    const double E = 2e6, strain = 1e-3;
    const PlaneStress energy(LinearElastic(Lame::from_young_poisson(E, nu)));
    Eigen::Matrix2d F = Eigen::Matrix2d::Identity();
    F(0, 0) += strain;
    F(1, 1) -= nu * strain;
    Eigen::Matrix2d P = Eigen::Matrix2d::Zero();
    P(0, 0) = E * strain;
    CHECK((energy.pk1(F) - P).norm() <= 1e-9 * E * strain);
    CHECK(energy.psi(F) == Approx(E * strain * strain / 2).epsilon(1e-9));
  }
}

// In space, with the strain across the sheet for which the stress across it is zero.
TEST_CASE("PlaneStress: energy and stress are those of the body in space without stress across it") {
  const Lame lame = Lame::from_young_poisson(3e5, 0.35);
  const PlaneStress energy{LinearElastic(lame)};
  const LinearElastic space(lame);
  const Eigen::Matrix2d F = some_gradient();
  Eigen::Matrix3d G = Eigen::Matrix3d::Identity();
  G.topLeftCorner<2, 2>() = F;
  G(2, 2) -= lame.poisson_ratio() / (1 - lame.poisson_ratio()) * (F.trace() - 2);
  const Eigen::Matrix3d P = space.pk1(G);
  CHECK(std::abs(P(2, 2)) <= 1e-9 * P.norm());
  CHECK((energy.pk1(F) - P.topLeftCorner<2, 2>()).norm() <= 1e-12 * P.norm());
  CHECK(energy.psi(F) == Approx(space.psi(G)).epsilon(1e-12));
}

TEST_CASE("PlaneStress: the Hessian is Hooke's matrix of plane stress, whatever the projection") {
  const double E = 5, nu = 0.3;
  const PlaneStress energy(LinearElastic(Lame::from_young_poisson(E, nu)));
  // rows and columns xx, yy and (xy + yx) of the Hessian: E/(1 - nu^2) [1 nu 0; nu 1 0; 0 0 (1 - nu)/2]
  Eigen::Matrix<double, 4, 3> strains = Eigen::Matrix<double, 4, 3>::Zero();
  strains(0, 0) = strains(3, 1) = 1;
  strains(1, 2) = strains(2, 2) = 0.5;
  Eigen::Matrix3d hooke;
  hooke << 1, nu, 0, nu, 1, 0, 0, 0, (1 - nu) / 2;
  hooke *= E / (1 - nu * nu);
  for (const Projection projection : {Projection::none, Projection::clamp, Projection::absolute}) {
    const Eigen::Matrix4d H = energy.hessian(some_gradient(), projection);
    CHECK((strains.transpose() * H * strains - hooke).norm() <= 1e-14 * E);
    CHECK((H * Eigen::Vector4d(0, 1, -1, 0)).norm() <= 1e-14 * E);  // no stiffness against rotation
  }
  CHECK((Eigen::Matrix4d(energy.hessian(some_gradient().cast<float>()).cast<double>()) -
         Eigen::Matrix4d(energy.hessian(some_gradient())))
            .norm() <= 1e-6 * E);
}

TEST_CASE("PlaneStress: coefficients, and where they are not finite") {
  const PlaneStress energy(LinearElastic(Lame::from_young_poisson(1e6, 0.3)));
  CHECK(energy.coefficients().mu == Approx(384615.384615).epsilon(1e-11));
  CHECK(energy.coefficients().lambda == Approx(329670.32967).epsilon(1e-11));
  CHECK_THROWS_AS(PlaneStress(LinearElastic(RawCoefficients{1, -2})), ParameterError);
  STATIC_REQUIRE(Energy<PlaneStress<LinearElastic>, 2>);
  STATIC_REQUIRE_FALSE(Energy<PlaneStress<LinearElastic>, 3>);
}
