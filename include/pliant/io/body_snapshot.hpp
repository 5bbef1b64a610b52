// What is written of rigid bodies in a state.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include <pliant/algebra/matrix.hpp>

namespace pliant {

// The surfaces of rigid bodies as triangles, where they are.
struct BodySnapshot {
  NodeMatrix<double, 3> positions;      // of the nodes of all surfaces [m]
  NodeMatrix<double, 3> displacements;  // since the start [m]
  NodeMatrix<double, 3> velocities;     // [m/s]
  NodeMatrix<int, 3> triangles;         // node numbers, counter-clockwise seen from outside
  std::vector<std::int32_t> body_of;    // number of the body of each triangle

  // Of each body.
  std::vector<double> masses;                              // [kg]
  std::vector<SmallVector<double, 3>> body_velocities;     // of the centres of mass [m/s]
  std::vector<SmallVector<double, 3>> angular_velocities;  // [rad/s]
};

// What a VtkSeries writes of scenes with rigid bodies: bodies(), time(), and, if there is a soft body,
// soft(), a Snapshot. A Simulation of a Mechanism or of a Coupled is a model.
template <class S>
concept SceneSnapshot = requires(const S& s) {
  { s.bodies() } -> std::same_as<BodySnapshot>;  // at this time
  { s.time() } -> std::convertible_to<double>;   // [s]
};

}  // namespace pliant
