#include "energy/suite.hpp"

#include <pliant/energy/stable_neo_hookean_barrier.hpp>

using namespace pliant;

namespace {

const Lame rubber = Lame::from_young_poisson(3.0, 0.45);
const StableNeoHookeanBarrier energy(rubber);
constexpr auto smooth = suite::Smooth::everywhere;

}  // namespace

TEST_CASE("StableNeoHookeanBarrier: psi, P and H equal the oracles") {
  suite::agrees_with_oracles<StableNeoHookeanBarrier, 3>("snh_barrier", 2);
  suite::agrees_with_oracles<StableNeoHookeanBarrier, 2>("snh_barrier", 2);
}

TEMPLATE_TEST_CASE_SIG("StableNeoHookeanBarrier: derivatives, isotropy, projections", "", ((int Dim), Dim), 2,
                       3) {
  suite::is_consistent<Dim>(suite::AnyEnergy<Dim>(energy), smooth, rubber.mu());
  suite::is_never_nan<StableNeoHookeanBarrier, Dim>(energy);
  facts::obeys_hooke_at_rest<StableNeoHookeanBarrier, Dim>();
}

TEMPLATE_TEST_CASE_SIG("StableNeoHookeanBarrier: lanes and tangents", "", ((int Dim), Dim), 2, 3) {
  suite::works_in_lanes<Dim>(energy, smooth, rubber.mu());
}

TEST_CASE("StableNeoHookeanBarrier: uniaxial tension with free sides, and simple shear") {
  for (const suite::Stretched& row : std::vector<suite::Stretched>{{.3, .6, 1.101327990244, -.536436509262},
                                                                   {.3, .8, 1.059556457340, -.229764956637},
                                                                   {.3, 1.2, .942222959524, .180009179003},
                                                                   {.3, 1.5, .867086123546, .404445520063},
                                                                   {.3, 2, .771045340653, .732113421429},
                                                                   {.3, 3, .646959947565, 1.331553164706},
                                                                   {.45, .6, 1.242650984506, -.703429381083},
                                                                   {.45, .8, 1.103291364951, -.250332004621},
                                                                   {.45, 1.2, .920161894488, .172323153383},
                                                                   {.45, 1.5, .828994039605, .375427927925},
                                                                   {.45, 2, .722880839004, .667171183666},
                                                                   {.45, 3, .594619890903, 1.201362324133}}) {
    suite::stretches_as<StableNeoHookeanBarrier>(row);
  }
  suite::shears_as<StableNeoHookeanBarrier>({.5, .509803921569, .274509803922, .019607843137, .019607843137},
                                            2e-12);
  suite::shears_as<StableNeoHookeanBarrier>({1, 16.0 / 15, 17.0 / 15, 1.0 / 15, 1.0 / 15});
}

// A push along any direction of positive J lets a body of zero size grow.
TEST_CASE("StableNeoHookeanBarrier: a body of zero size is in a saddle") {
  const facts::Square<3> zero = facts::Square<3>::Zero();
  CHECK(facts::largest(energy.pk1(zero)) == 0);
  CHECK(energy.psi(0.05 * facts::Square<3>::Identity()) < energy.psi(zero));
}
