// A ball joint between a rigid body and a face of a soft one.
#pragma once

#include <array>

#include <pliant/rigid/joint/face_point.hpp>
#include <pliant/rigid/joint/weld_to_nodes.hpp>

namespace pliant {

// A point of a rigid body, or of the world, coincides with a point fixed to a face of a soft body; both turn
// freely about it. 3 rows. The point is q = sum_a b_a x_a + offset N with the barycentric coordinates b and
// the normal N of the triangle of the three nodes x_a; with an offset it follows the rotation of the
// triangle.
//
// The nodes are those of a column of boundary_faces(mesh).faces, of which N then points outwards; of a face
// with four nodes, three of them.
struct BallToFace {
  int body = world_body;
  std::array<int, 3> face = {0, 0, 0};                            // nodes of the solid
  SmallVector<double, 3> barycentric = {1. / 3, 1. / 3, 1. / 3};  // of the nodes; their sum is 1
  double offset = 0;                                              // along the normal [m]
  Compliance compliance = {};                                     // of the distance [N/m]

  std::array<int, 1> bodies() const { return {body}; }
  std::array<int, 3> nodes() const { return face; }
  void check() const {
    detail::rigid::FacePoint{barycentric, offset}.check("BallToFace::");
    compliance.check("BallToFace::compliance");
  }

  struct Attached {
    SmallVector<double, 3> local;  // in the frame of the body [m]
    detail::rigid::FacePoint on_face;
    Compliance compliance;

    void describe(const JointPlaces<1, 3>& places, JointRows& rows) const {
      const detail::rigid::FacePoint::Triangle triangle(places.nodes);
      const SmallVector<double, 3> q = on_face.at(triangle);
      for (int k = 0; k < 3; ++k) {
        JointRow row = detail::rigid::along_body_axis(places.bodies[0], local, q, k);
        on_face.differentiate(triangle, places.bodies[0].axes.col(k), 2, row);
        rows.hold(row, compliance);
      }
    }
  };

  // Throws ParameterError for a triangle that is too flat.
  Attached attach(const JointPlaces<1, 3>& start) const {
    Attached result{{}, {barycentric, offset}, compliance};
    const detail::rigid::FacePoint::Triangle triangle(start.nodes);
    triangle.check("BallToFace::");
    result.local = start.bodies[0].to_local(result.on_face.at(triangle));
    return result;
  }
};

static_assert(Joint<BallToFace>);

}  // namespace pliant
