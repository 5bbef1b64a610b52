// The definition of make_scene; only scene_*_test.cpp include it.
#pragma once

#include "integrator/scene.hpp"

#include <type_traits>

#include <pliant/constraint/pinned.hpp>
#include <pliant/simulation/simulation.hpp>

namespace pliant::test {

template <class Energy, class Scalar, class Integrator>
class SceneOf final : public Scene {
 public:
  explicit SceneOf(const SetupOf<Integrator>& setup) : simulation_(made(setup)) {}

  StepReport step() override { return simulation_.step(); }
  Points positions() const override { return simulation_.positions().template cast<double>(); }
  Points velocities() const override { return simulation_.velocities().template cast<double>(); }
  double time() const override { return simulation_.time(); }
  Energies energies() override { return simulation_.energies(); }
  void set_positions(const Points& positions) override { simulation_.set_positions(positions); }
  void set_velocities(const Points& velocities) override { simulation_.set_velocities(velocities); }
  void set_gravity(const Eigen::Vector3d& gravity) override { simulation_.set_gravity(gravity); }
  void set_external_forces(const Points& forces) override { simulation_.set_external_forces(forces); }
  void on_progress(std::function<bool(const Progress&)> callback) override {
    simulation_.on_progress(std::move(callback));
  }

 private:
  using Body = Solid<Tet4, Energy, Scalar>;

  static Body solid_of(const SetupOf<Integrator>& setup) {
    Mesh<Tet4, Scalar> mesh;
    mesh.nodes = setup.mesh.nodes.template cast<Scalar>();
    mesh.elements = setup.mesh.elements;
    return Body(mesh, Energy(setup.lame), Density{setup.density}, setup.damping);
  }

  using Solver = std::conditional_t<detail::integrator::needs_solver<Integrator>, Pcg<BlockJacobi>, NoSolver>;
  using Made = Simulation<Body, Integrator, Solver, Pinned>;

  static Made made(const SetupOf<Integrator>& setup) {
    if constexpr (detail::integrator::needs_solver<Integrator>) {
      return {solid_of(setup), setup.integrator,
              Solver{.tolerance = setup.linear_tolerance,
                     .absolute_tolerance = 0,
                     .max_iterations = setup.linear_iterations,
                     .preconditioner = {}},
              Pinned(setup.pinned)};
    } else {
      return {solid_of(setup), setup.integrator, Pinned(setup.pinned)};
    }
  }

  Made simulation_;
};

template <class Energy, class Scalar, class Integrator>
std::unique_ptr<Scene> make_scene(const SetupOf<Integrator>& setup) {
  return std::make_unique<SceneOf<Energy, Scalar, Integrator>>(setup);
}

}  // namespace pliant::test
