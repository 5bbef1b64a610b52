// A Simulation behind a run-time interface: the physics tests step many bodies, and each kind of body is
// compiled once (scene_*_test.cpp) instead of in every test.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <pliant/element/tet4.hpp>
#include <pliant/energy/lame.hpp>
#include <pliant/integrator/backward_euler.hpp>
#include <pliant/mesh/mesh.hpp>
#include <pliant/solid/rayleigh.hpp>

namespace pliant::test {

using Points = Eigen::Matrix3Xd;

// What a scene is made of.
template <class Integrator>
struct SetupOf {
  Mesh<Tet4> mesh;
  Lame lame = Lame::from_young_poisson(1e5, 0.4);
  double density = 1000;
  Rayleigh damping = {};
  Integrator integrator = {};
  double linear_tolerance = 1e-12;
  int linear_iterations = 0;  // 0: the solver's default
  std::vector<int> pinned = {};
};
using Setup = SetupOf<BackwardEuler>;

class Scene {
 public:
  Scene() = default;
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
  virtual ~Scene() = default;

  virtual StepReport step() = 0;
  virtual Points positions() const = 0;
  virtual Points velocities() const = 0;
  virtual double time() const = 0;
  virtual Energies energies() = 0;
  virtual void set_positions(const Points& positions) = 0;
  virtual void set_velocities(const Points& velocities) = 0;
  virtual void set_gravity(const Eigen::Vector3d& gravity) = 0;
  virtual void set_external_forces(const Points& forces) = 0;
  virtual void on_progress(std::function<bool(const Progress&)> callback) = 0;
};

// Pinned nodes, Pcg<BlockJacobi> where a solver is needed. Defined for StableNeoHookean in double and float,
// and for LinearElastic and BonetWoodNeoHookean in double; with Newmark and CentralDifferences for
// StableNeoHookean and LinearElastic in double, with Newmark for StableNeoHookean in float too.
template <class Energy, class Scalar = double, class Integrator = BackwardEuler>
std::unique_ptr<Scene> make_scene(const SetupOf<Integrator>& setup);

}  // namespace pliant::test
