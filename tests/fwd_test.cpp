#include <pliant/fwd.hpp>

// A header of an engine: it names types that it has not seen.
struct Body;
using Flesh = pliant::Solid<pliant::Tet4, pliant::StableNeoHookean, double>;
using Motion = pliant::Simulation<Flesh, pliant::BackwardEuler, pliant::Pcg<pliant::BlockJacobi>,
                                  pliant::Pinned, PLIANT_NATIVE_ISA>;
const pliant::StepReport& report_of(const Body& body);
const Motion& motion_of(const Body& body);
using Sheet = pliant::Solid<pliant::Tri3, pliant::PlaneStress<pliant::LinearElastic>, float>;
using Brick = pliant::Mesh<pliant::Hex8, double>;
using Ground = pliant::HalfSpace<3>;

#include "support/catch.hpp"

#include <type_traits>
#include <vector>

#include <pliant/pliant.hpp>

using namespace pliant;

TEST_CASE("the names of fwd.hpp are those of the library, with the default arguments written out") {
  using Made =
      decltype(Simulation(Solid(Mesh<Tet4>{}, StableNeoHookean(Lame::from_young_poisson(1, 0)), Density{1}),
                          BackwardEuler{}, Pcg<BlockJacobi>{}, Pinned(std::vector<int>{})));
  CHECK(std::is_same_v<Made, Motion>);
  using MadeSheet =
      decltype(Solid(Mesh<Tri3, float>{}, PlaneStress(LinearElastic(Lame::from_young_poisson(1, 0))),
                     Density{1}, Thickness{1}));
  CHECK(std::is_same_v<MadeSheet, Sheet>);
  CHECK(std::is_same_v<Mesh<Hex8>, Brick>);
  CHECK(std::is_same_v<HalfSpace<>, Ground>);
}
