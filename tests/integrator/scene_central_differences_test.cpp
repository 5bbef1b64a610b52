// The scenes that CentralDifferences steps, and that a falling body falls.
#include "integrator/bodies.hpp"
#include "integrator/scene_of.hpp"
#include "support/catch.hpp"

#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/central_differences.hpp>

namespace pliant::test {
template std::unique_ptr<Scene> make_scene<StableNeoHookean, double>(const SetupOf<CentralDifferences>&);
template std::unique_ptr<Scene> make_scene<LinearElastic, double>(const SetupOf<CentralDifferences>&);
}  // namespace pliant::test

using namespace pliant;
using namespace pliant::test;

TEST_CASE("CentralDifferences: free fall is exact, also where gravity changes on the way") {
  const auto mesh = jittered_box({2, 2, 1});
  const double dt = 0.02;
  for (const Rayleigh damping : {Rayleigh{}, Rayleigh{.beta = 1e-3}}) {  // it has nothing to damp
    const auto scene = make_scene<StableNeoHookean, double, CentralDifferences>(
        {.mesh = mesh, .damping = damping, .integrator = {.dt = dt}});
    Eigen::Vector3d fallen = Eigen::Vector3d::Zero(), v(0.25, 1.5, -0.5);
    scene->set_velocities(v.replicate(1, mesh.node_count()));
    for (const Eigen::Vector3d& g : {Eigen::Vector3d(0.5, -9.81, 0.25), Eigen::Vector3d(-3, 5, 0)}) {
      scene->set_gravity(g);
      for (int n = 0; n < 20; ++n) {
        REQUIRE(scene->step());
        fallen += dt * v + dt * dt / 2 * g;
        v += dt * g;
        CHECK((scene->positions() - (mesh.nodes.colwise() + fallen)).cwiseAbs().maxCoeff() < 1e-12);
        CHECK((scene->velocities().colwise() - v).cwiseAbs().maxCoeff() < 1e-11);
      }
    }
  }
}
