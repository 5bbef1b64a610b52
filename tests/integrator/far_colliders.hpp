// Scenes at random, with colliders that tell where they are and with the same that do not.
#pragma once

#include "contact/unbounded.hpp"
#include "random_scenes/scene.hpp"
#include "support/catch.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace pliant::test {

// Three bodies in a row, of which one is among colliders.
template <class Scalar>
Mesh<Tet4, Scalar> three_in_a_row(const Mesh<Tet4>& one) {
  Mesh<Tet4, Scalar> all;
  const auto nodes = one.node_count(), elements = one.element_count();
  all.nodes.resize(3, 3 * nodes);
  all.elements.resize(4, 3 * elements);
  for (int k = 0; k < 3; ++k) {
    const Eigen::Vector3d place(3 * k, 0.2 * k, 0);
    all.nodes.middleCols(k * nodes, nodes) = (one.nodes.colwise() + place).template cast<Scalar>();
    all.elements.middleCols(k * elements, elements) = one.elements.array() + k * static_cast<int>(nodes);
  }
  return all;
}

// Whatever is known of colliders changes no bit of a step, nor whether it fails. `make(solid, dt)` returns a
// std::unique_ptr of a Simulation. No node ends in a collider by more than `depth` [m].
template <class Scalar, class Make>
void check_far_colliders(int scenes, int steps, double depth, Make&& make) {
  int touched = 0;
  for (int seed = 0; seed < scenes; ++seed) {
    RandomScene scene(static_cast<std::uint64_t>(seed));
    const auto mesh = three_in_a_row<Scalar>(scene.mesh());
    const Solid solid(mesh, FixedCorotated(scene.material()), Density{1000});
    const double dt = scene.time_step();
    const auto told = make(solid, dt), untold = make(solid, dt);
    const Eigen::Matrix3Xd v = scene.velocities(mesh.node_count());
    for (auto* sim : {told.get(), untold.get()}) {
      sim->set_gravity(Eigen::Vector3d(0, -9.81, 0));
      sim->set_velocities(v.template cast<Scalar>());
    }
    std::vector<detail::contact::AnyCollider<3>> shapes;
    std::vector<std::function<Pose<3>(double)>> paths;
    for (int k = 0; k < 4; ++k) {
      shapes.push_back(scene.collider());
      paths.push_back(scene.path());
      Surface surface = scene.surface();
      if (k == 1) surface.thickness = 0.01;
      told->add_collider(shapes.back(), surface, paths.back());
      untold->add_collider(Unbounded{shapes.back()}, surface, paths.back());
    }
    INFO(scene.description());
    for (int n = 0; n < steps; ++n) {
      const StepReport report = told->step(), other = untold->step();
      REQUIRE(report.stop == other.stop);
      REQUIRE(report.contacts == other.contacts);
      REQUIRE(told->positions() == untold->positions());
      REQUIRE(told->velocities() == untold->velocities());
      REQUIRE(told->constraint_forces() == untold->constraint_forces());
      const auto contacts = told->contacts(), others = untold->contacts();
      REQUIRE(contacts.size() == others.size());
      for (std::size_t c = 0; c < contacts.size(); ++c) {
        REQUIRE(contacts[c].node == others[c].node);
        REQUIRE(contacts[c].collider == others[c].collider);
        REQUIRE(contacts[c].force == others[c].force);
      }
      if (!report) break;
      touched += report.contacts > 0 ? 1 : 0;
      for (std::size_t k = 0; k < shapes.size(); ++k) {
        const Pose<3> pose = paths[k] ? paths[k](told->time()) : Pose<3>();
        for (Eigen::Index i = 0; i < mesh.node_count(); ++i) {
          const Eigen::Vector3d x = told->positions().col(i).template cast<double>();
          const auto near = shapes[k].nearest(pose.to_local(x), 0);
          if (near && near->distance < -depth) FAIL("node " << i << " is in collider " << k);
        }
      }
    }
  }
  CHECK(touched > scenes);
}

}  // namespace pliant::test
