// The state of a simulation with another integrator, which remembers other things.
// must say: set_state takes what state() of a Simulation has returned
#include <pliant/constraint/pinned.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/integrator/newmark.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;

template <class Integrator>
using Body = Simulation<Solid<Tet4, LinearElastic, double>, Integrator, Pcg<BlockJacobi>, Pinned>;

#ifdef SHOULD_FAIL
using Other = BackwardEuler;
#else
using Other = Newmark;
#endif

void give(Body<Newmark>& body, const Body<Other>::SavedState& state) { body.set_state(state); }
