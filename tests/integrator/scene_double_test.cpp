// The stable neo-Hookean scene in double, and that a scene starts at rest in the rest shape.
#include "integrator/bodies.hpp"
#include "integrator/scene_of.hpp"
#include "support/catch.hpp"

#include <pliant/energy/stable_neo_hookean.hpp>

namespace pliant::test {
template std::unique_ptr<Scene> make_scene<StableNeoHookean, double>(const Setup&);
}

using namespace pliant;
using namespace pliant::test;

TEST_CASE("a scene starts at rest in the rest shape") {
  const auto mesh = jittered_box({2, 2, 2});
  const auto scene = make_scene<StableNeoHookean>({.mesh = mesh});
  CHECK(scene->positions() == mesh.nodes);
  CHECK(scene->velocities() == Points::Zero(3, mesh.node_count()));
  CHECK(scene->time() == 0);
  CHECK(std::abs(scene->energies().elastic) < 1e-12);  // of mu V = 300 J
}
