// A bar whose one end is led along a path, so that it is dragged over colliders with friction: a floor, a
// ball that is moved by hand and one that turns on a path of its own.
#pragma once

#include "support/saved_state.hpp"

#include <memory>

#include <Eigen/Geometry>

#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/contact/shape/half_space.hpp>
#include <pliant/contact/shape/sphere.hpp>
#include <pliant/energy/lame.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/simulation.hpp>

namespace pliant::test {

struct Drag {
  Eigen::Vector3d operator()(const Eigen::Vector3d& X, double t) const {
    return X + Eigen::Vector3d(0.5 * t, -0.4 * t, 0.1 * t * t);
  }
};

template <class Scalar>
Mesh<Tet4, Scalar> bar(int cells = 8) {
  return make_box<Tet4, Scalar>(
      {.lengths = {0.4, 0.1, 0.1}, .cells = {cells, 2, 2}, .origin = {0, 0.001, 0}});
}

// Returns a pointer to it.
template <class Energy, class Scalar, class Integrator, class... Solver>
auto dragged_body(const Integrator& integrator, const Solver&... solver) {
  const auto mesh = bar<Scalar>();
  const PrescribedMotion end(nodes_where(mesh, [](const auto& X) { return X.x() < 1e-6; }), Drag{});
  const Solid solid(mesh, Energy(Lame::from_young_poisson(5e4, 0.4)), Density{1000}, Rayleigh{.alpha = 0.5});
  using Made = decltype(Simulation(solid, integrator, solver..., end));
  auto sim = std::make_unique<Made>(solid, integrator, solver..., end);
  sim->set_gravity({0, -9.81, 0.5});
  sim->add_collider(HalfSpace(Eigen::Vector3d(0, -0.01, 0), Eigen::Vector3d(0, 1, 0)), {.friction = 0.6});
  sim->add_collider(Sphere(Eigen::Vector3d(0.45, 0.05, 0.05), 0.03), {.friction = 0.3, .viscosity = 0.2});
  sim->move_collider(1, Pose<3>(Eigen::Vector3d(-0.002, 0, 0)));
  sim->add_collider(Sphere(Eigen::Vector3d(0, 0, 0), 0.04), {.friction = 0.4}, [](double t) {
    return Pose<3>(Eigen::AngleAxisd(3 * t, Eigen::Vector3d::UnitZ()),
                   Eigen::Vector3d(0.2 + 0.2 * t, 0.15 - 0.3 * t, 0.05));
  });
  return sim;
}

template <class Energy, class Scalar = double, class Integrator, class... Solver>
void check_dragged_body(const Integrator& integrator, const Solver&... solver) {
  const auto make = [&] { return dragged_body<Energy, Scalar>(integrator, solver...); };
  std::size_t contacts = 0;
  check_saved_state(make, 10, 6, [&](auto& sim, int n) {
    contacts = std::max(contacts, sim.contacts().size());
    if (n % 4 == 2) sim.move_collider(1, Pose<3>(Eigen::Vector3d(-0.004 * n, 0, 0.001 * n)));
  });
  CHECK(contacts > 5);
}

}  // namespace pliant::test
