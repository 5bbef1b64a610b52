// Points of a soft body on a rigid one.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <pliant/rigid/joint/pair.hpp>

namespace pliant {

namespace detail::rigid {

// The distance from a point of a body to a point of a soft body along axis k of the first: n.(q - p) with n =
// R e_k. As in PairRows, a rotation of the body by t changes it by -t.((q - c) x n) with its centre c. The
// derivatives by the nodes of q are left to the caller.
inline JointRow along_body_axis(const BodyFrame& body, const SmallVector<double, 3>& local,
                                const SmallVector<double, 3>& q, int k) {
  const SmallVector<double, 3> n = body.axes.col(k), arm = q - body.centre;
  return {n.dot(q - body.to_world(local)), {-n, -algebra::cross<double>(arm, n)}};
}

// A node stays at a point of a body. 3 rows.
struct NodeOnBody {
  int body, node;
  Compliance compliance;

  std::array<int, 1> bodies() const { return {body}; }
  std::array<int, 1> nodes() const { return {node}; }
  void check() const { compliance.check("WeldToNodes::compliance"); }

  struct Attached {
    SmallVector<double, 3> local;  // in the frame of the body [m]
    Compliance compliance;

    void describe(const JointPlaces<1, 1>& places, JointRows& rows) const {
      for (int k = 0; k < 3; ++k) {
        JointRow row = along_body_axis(places.bodies[0], local, places.nodes[0], k);
        row.derivative[2] = places.bodies[0].axes.col(k);
        rows.hold(row, compliance);
      }
    }
  };
  Attached attach(const JointPlaces<1, 1>& start) const {
    return {start.bodies[0].to_local(start.nodes[0]), compliance};
  }
};

static_assert(Joint<NodeOnBody>);

}  // namespace detail::rigid

// Nodes of a soft body are rigidly attached to a rigid body, or fixed in the world: 3 rows for each node. A
// single node is attached as by a ball joint.
struct WeldToNodes {
  int body = world_body;
  std::vector<int> nodes;      // of the solid
  Compliance compliance = {};  // of the distance of each node [N/m]

  std::vector<detail::rigid::NodeOnBody> parts() const {
    std::vector<detail::rigid::NodeOnBody> result;
    for (const int node : nodes) result.push_back({body, node, compliance});
    return result;
  }
};

}  // namespace pliant
