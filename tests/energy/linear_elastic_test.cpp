#include "energy/suite.hpp"

#include <pliant/energy/linear_elastic.hpp>

using namespace pliant;
using namespace pliant::simd;
using facts::Square;

namespace {

const Lame steel = Lame::from_young_poisson(2.6, 0.3);
const LinearElastic energy(steel);

}  // namespace

TEST_CASE("LinearElastic: psi, P and H equal the oracles") {
  suite::agrees_with_oracles<LinearElastic, 3>("linear", 1);
  suite::agrees_with_oracles<LinearElastic, 2>("linear", 1);
}

TEMPLATE_TEST_CASE_SIG("LinearElastic: facts of every energy", "", ((int Dim), Dim), 2, 3) {
  for (const auto& state : facts::all_states<Dim>()) {
    INFO(state.name);
    facts::agrees_with_differences<Dim>(energy, state.F, steel.mu());
    facts::projects_like_an_eigensolver<Dim>(energy, state.F);
  }
  facts::projects_like_an_eigensolver<Dim>(energy);
  facts::obeys_hooke_at_rest<LinearElastic, Dim>();
}

TEMPLATE_TEST_CASE_SIG("LinearElastic: tangents contract the Hessian", "", ((int Dim), Dim), 2, 3) {
  facts::all_tangents_contract<double, Dim>(energy, facts::regular_states<Dim>(), 1e-14);
  facts::all_tangents_contract<Lane<double, 4>, Dim>(energy, facts::regular_states<Dim>(), 1e-14);
}

TEMPLATE_TEST_CASE_SIG("LinearElastic: lanes equal scalars", "", ((int Dim), Dim), 2, 3) {
  facts::lanes_equal_scalars<Lane<double, 4>, Dim>(energy, facts::all_states<Dim>(), steel.mu());
  facts::lanes_equal_scalars<Lane<float, 8>, Dim>(energy, facts::all_states<Dim>(), steel.mu());
}

// Against Hooke's law for engineering strains, in Voigt's notation.
TEST_CASE("LinearElastic: uniaxial stress and simple shear") {
  const double young = steel.young_modulus(), nu = steel.poisson_ratio(), strain = 1e-2;
  const Square<3> pulled = Eigen::Vector3d(1 + strain, 1 - nu * strain, 1 - nu * strain).asDiagonal();
  CHECK(facts::difference(energy.pk1(pulled),
                          Eigen::Vector3d(young * strain, 0, 0).asDiagonal().toDenseMatrix()) <= 1e-15);

  Square<3> sheared = Square<3>::Identity();
  sheared(0, 1) = 0.5;
  Square<3> expected = Square<3>::Zero();
  expected(0, 1) = expected(1, 0) = steel.mu() * 0.5;
  CHECK(facts::difference(energy.pk1(sheared), expected) <= 1e-15);

  // Plane strain: the apparent modulus of the plane is E / (1 - nu^2), its Poisson's ratio nu / (1 - nu).
  const Square<2> planar = Eigen::Vector2d(1 + strain, 1 - nu / (1 - nu) * strain).asDiagonal();
  CHECK(facts::difference(energy.pk1(planar),
                          Eigen::Vector2d(young / (1 - nu * nu) * strain, 0).asDiagonal().toDenseMatrix()) <=
        1e-15);
}

TEST_CASE("LinearElastic: a large rotation costs energy") {
  CHECK(energy.psi(facts::random_rotation<3>()) > 0.01 * steel.mu());
}
