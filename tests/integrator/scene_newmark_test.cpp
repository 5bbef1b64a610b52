// The scenes that Newmark steps, and that one at rest stays there.
#include "integrator/bodies.hpp"
#include "integrator/scene_of.hpp"
#include "support/catch.hpp"

#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/newmark.hpp>

namespace pliant::test {
template std::unique_ptr<Scene> make_scene<StableNeoHookean, double>(const SetupOf<Newmark>&);
template std::unique_ptr<Scene> make_scene<LinearElastic, double>(const SetupOf<Newmark>&);
template std::unique_ptr<Scene> make_scene<StableNeoHookean, float>(const SetupOf<Newmark>&);
}  // namespace pliant::test

using namespace pliant;
using namespace pliant::test;

TEST_CASE("Newmark: a rigidly placed body at rest feels no force") {
  const auto mesh = jittered_box({2, 2, 1});
  for (const Newton& newton : {Newton{}, Newton::linearised()}) {
    const auto scene = make_scene<StableNeoHookean, double, Newmark>(
        {.mesh = mesh, .damping = {0.3, 0.01}, .integrator = {.newton = newton}});
    const Points placed = (rotation(2.1, {1, -2, 0.5}) * mesh.nodes).colwise() + Eigen::Vector3d(0.3, 0, 1);
    scene->set_positions(placed);
    for (int n = 0; n < 20; ++n) REQUIRE(scene->step());
    CHECK((scene->positions() - placed).cwiseAbs().maxCoeff() < 1e-13);
    CHECK(scene->velocities().cwiseAbs().maxCoeff() < 1e-12);
  }
}
