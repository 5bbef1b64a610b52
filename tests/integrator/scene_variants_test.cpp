// The stable neo-Hookean scene in float, and the other energies in double.
#include "integrator/bodies.hpp"
#include "integrator/scene_of.hpp"
#include "support/catch.hpp"

#include <pliant/energy/bonet_wood_neo_hookean.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>

namespace pliant::test {
template std::unique_ptr<Scene> make_scene<StableNeoHookean, float>(const Setup&);
template std::unique_ptr<Scene> make_scene<LinearElastic, double>(const Setup&);
template std::unique_ptr<Scene> make_scene<BonetWoodNeoHookean, double>(const Setup&);
}  // namespace pliant::test

using namespace pliant;
using namespace pliant::test;

TEST_CASE("all energies give the same small motion, in float to float's accuracy") {
  const auto mesh = jittered_box({2, 2, 2});
  const Points start = mesh.nodes + 1e-5 * noise(mesh.node_count(), 3);
  const auto end_of = [&](auto&& scene) {
    scene->set_positions(start);
    for (int k = 0; k < 5; ++k) REQUIRE(scene->step());
    return Points(scene->positions() - mesh.nodes);
  };
  Setup setup{.mesh = mesh, .integrator = {.dt = 1e-3}};
  const Points linear = end_of(make_scene<LinearElastic>(setup));
  CHECK((end_of(make_scene<StableNeoHookean>(setup)) - linear).norm() < 1e-3 * linear.norm());
  CHECK((end_of(make_scene<BonetWoodNeoHookean>(setup)) - linear).norm() < 1e-3 * linear.norm());
  setup.linear_tolerance = 1e-5;
  CHECK((end_of(make_scene<StableNeoHookean, float>(setup)) - linear).norm() < 3e-2 * linear.norm());
}
