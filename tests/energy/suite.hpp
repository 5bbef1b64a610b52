// The tests that every energy of the library goes through. A test of one energy calls them in test cases of
// its own and adds the closed forms that hold for it alone.
#pragma once

#include "energy/facts.hpp"

#include <pliant/algebra/svd.hpp>

namespace suite {

using namespace pliant;
using namespace pliant::simd;
using facts::Square;
using facts::State;

// Where an energy is twice differentiable.
enum class Smooth {
  everywhere,
  off_reflections,  // not where two singular values cancel: the nearest rotation jumps
  positive_volume,  // J > 0; undefined elsewhere
  nonzero_volume    // J != 0; undefined elsewhere
};

template <int Dim>
bool smooth_at(Smooth smooth, const Square<Dim>& F) {
  const SmallVector<double, Dim> s = svd<double, Dim>(F).sigma;
  switch (smooth) {
    case Smooth::everywhere:
      return true;
    case Smooth::off_reflections:
      return s(Dim - 2) + s(Dim - 1) > 0.1;
    case Smooth::positive_volume:
      return s(Dim - 1) > 0.1;
    case Smooth::nonzero_volume:
      return std::abs(s(Dim - 1)) > 0.1;
  }
  return false;
}

template <int Dim>
std::vector<State<Dim>> smooth_states(Smooth smooth) {
  std::vector<State<Dim>> states = facts::regular_states<Dim>();
  for (const State<Dim>& state : facts::degenerate_states<Dim>()) {
    if (smooth_at<Dim>(smooth, state.F)) states.push_back(state);
  }
  return states;
}

template <int Dim>
using AnyEnergy = facts::AnyEnergy<double, Dim>;

// psi, P and H against the oracles: to 1e-11 relative in double, 1e-4 in float. Energies of the library
// vanish at rest, those of the table need not: psi counts from its row `identity`, where there is one.
template <int Dim, class Scalar>
void agrees_with_oracle(const Oracle& row, double psi, const facts::AnyEnergy<Scalar, Dim>& energy,
                        double tolerance) {
  const double scale_psi = std::max(std::abs(psi), row.mu);
  const double scale_P = std::max(facts::largest(row.P), row.mu);
  // The Hessian of one energy vanishes at F = 0.
  const double scale_H = facts::largest(row.H) > 0 ? facts::largest(row.H) : row.mu;
  const Square<Dim> exact = row.F;
  const SmallMatrix<Scalar, Dim, Dim> F = exact.template cast<Scalar>();
  CHECK(std::abs(static_cast<double>(energy.psi(F)) - psi) <= tolerance * scale_psi);
  CHECK(facts::difference(energy.pk1(F), row.P) <= tolerance * scale_P);
  CHECK(facts::difference(energy.hessian(F), row.H) <= tolerance * scale_H);
}

template <class E, int Dim>
void agrees_with_oracles(const std::string& name, std::size_t at_least) {
  const std::vector<Oracle> rows = oracles(name, Dim);
  REQUIRE(rows.size() >= at_least);
  double psi_at_rest = 0;
  for (const Oracle& row : rows) {
    if (row.name == "identity") psi_at_rest = row.psi;
  }
  for (const Oracle& row : rows) {
    INFO(name << " in " << Dim << "D, case " << row.name);
    const E energy(RawCoefficients{row.mu, row.lambda});
    agrees_with_oracle<Dim, double>(row, row.psi - psi_at_rest, AnyEnergy<Dim>(energy), 1e-11);
    agrees_with_oracle<Dim, float>(row, row.psi - psi_at_rest, facts::AnyEnergy<float, Dim>(energy), 1e-4);
  }
}

// P = dpsi/dF and H = dP/dF by differences, isotropy, and the projections against a numerical eigensolver.
template <int Dim>
void is_consistent(const AnyEnergy<Dim>& energy, Smooth smooth, double mu) {
  for (const auto& state : smooth_states<Dim>(smooth)) {
    INFO(state.name << ", " << Dim << "D");
    facts::agrees_with_differences<Dim>(energy, state.F, mu);
    facts::is_isotropic<Dim>(energy, state.F, mu);
    facts::projects_like_an_eigensolver<Dim>(energy, state.F);
  }
  facts::projects_like_an_eigensolver<Dim>(energy);
}

// Nothing is NaN at inverted, flat, collapsed and empty elements, nor infinite but for psi where it is
// undefined.
template <int Dim>
void is_never_nan(const AnyEnergy<Dim>& energy, const facts::AnyEnergy<float, Dim>& in_float) {
  for (const auto& state : facts::all_states<Dim>()) {
    INFO(state.name << ", " << Dim << "D");
    const SmallMatrix<float, Dim, Dim> single = state.F.template cast<float>();
    facts::is_finite_at<double, Dim>(energy, state.F);
    facts::is_finite_at<float, Dim>(in_float, single);
    CHECK_FALSE(std::isnan(energy.psi(state.F)));
    CHECK_FALSE(std::isnan(in_float.psi(single)));
  }
}

template <class E, int Dim>
void is_never_nan(const E& energy) {
  is_never_nan<Dim>(AnyEnergy<Dim>(energy), facts::AnyEnergy<float, Dim>(energy));
}

// Lanes against scalars, and the tangents that kernels use against the Hessian. Undefined and defined states
// stand side by side in a lane, so that a mask that leaks would show.
template <int Dim, class E>
void works_in_lanes(const E& energy, Smooth smooth, double mu, double tolerance = 1e-13) {
  auto states = smooth_states<Dim>(smooth);
  facts::all_tangents_contract<double, Dim>(energy, states, tolerance);
  facts::all_tangents_contract<Lane<double, 4>, Dim>(energy, states, tolerance);
  facts::all_tangents_contract<Lane<float, 8>, Dim>(energy, states, 1e-5);
  Square<Dim> reflected = Square<Dim>::Identity();
  reflected(0, 0) = -0.5;
  states.insert(states.begin() + 1, {"reflected", reflected});
  states.insert(states.begin() + 3, {"zero", Square<Dim>::Zero()});
  facts::lanes_equal_scalars<Lane<double, 4>, Dim>(energy, states, mu);
  facts::lanes_equal_scalars<Lane<float, 8>, Dim>(energy, states, mu);
}

struct Stretched {
  double nu, s, t, P;  // with E = 1: axial stretch, lateral stretch that leaves the sides free, axial stress
};

// Uniaxial tension with free sides.
template <class E>
void stretches_as(const Stretched& row) {
  INFO("nu " << row.nu << ", stretch " << row.s);
  const E unit(Lame::from_young_poisson(1, row.nu));
  const Square<3> P = unit.pk1(Eigen::Vector3d(row.s, row.t, row.t).asDiagonal().toDenseMatrix());
  CHECK(std::abs(P(0, 0) - row.P) <= 2e-11);
  CHECK(std::abs(P(1, 1)) <= 2e-11);
  CHECK(std::abs(P(2, 2)) <= 2e-11);
}

struct Sheared {
  double gamma, s12, s11, s22, s33;  // F = I + gamma e1 e2^T, and the Cauchy stress
};

// Simple shear of a material with the Lame parameters mu = 1, lambda = 2, to the digits that are given.
template <class E>
void shears_as(const Sheared& row, double tolerance = 1e-14) {
  INFO("shear " << row.gamma);
  const E material(Lame::from_mu_lambda(1, 2));
  Square<3> F = Square<3>::Identity();
  F(0, 1) = row.gamma;
  Square<3> expected;
  expected << row.s11, row.s12, 0, row.s12, row.s22, 0, 0, 0, row.s33;
  CHECK(facts::difference(material.pk1(F) * F.transpose(), expected) <= tolerance);
}

}  // namespace suite
