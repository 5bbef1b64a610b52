// A ball joint between a rigid body and a face of a soft one.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

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
    for (int k = 0; k < 3; ++k) {
      detail::core::require_parameter(true, "BallToFace::barycentric", barycentric[k], "must be finite");
    }
    const double sum = barycentric.sum();
    detail::core::require_parameter(std::abs(sum - 1) <= 1e-9, "BallToFace::barycentric: sum", sum,
                                    "must be 1");
    detail::core::require_parameter(true, "BallToFace::offset", offset, "must be finite (m)");
    compliance.check("BallToFace::compliance");
  }

  struct Attached {
    SmallVector<double, 3> local;  // in the frame of the body [m]
    SmallVector<double, 3> barycentric;
    double offset;
    Compliance compliance;

    // The triangle, its normal times twice its area.
    struct Triangle {
      SmallVector<double, 3> first, second, normal;
      double size;

      explicit Triangle(const JointPlaces<1, 3>& places)
          : first(places.nodes[1] - places.nodes[0]),
            second(places.nodes[2] - places.nodes[0]),
            normal(detail::algebra::cross<double>(first, second)),
            size(normal.norm()) {
        if (size > 0) normal /= size;
      }
    };

    SmallVector<double, 3> point(const JointPlaces<1, 3>& places, const Triangle& triangle) const {
      return barycentric[0] * places.nodes[0] + barycentric[1] * places.nodes[1] +
             barycentric[2] * places.nodes[2] + offset * triangle.normal;
    }

    // n.q changes by b_a n.dx_a, and with m = offset (n - N N.n) / size, of the normal N, by
    // m.(de_1 x e_2 + e_1 x de_2) = de_1.(e_2 x m) + de_2.(m x e_1) for the edges e_1 and e_2 from node 0.
    void describe(const JointPlaces<1, 3>& places, JointRows& rows) const {
      const Triangle triangle(places);
      const SmallVector<double, 3> q = point(places, triangle), &N = triangle.normal;
      for (int k = 0; k < 3; ++k) {
        JointRow row = detail::rigid::along_body_axis(places.bodies[0], local, q, k);
        const SmallVector<double, 3> n = places.bodies[0].axes.col(k);
        for (int a = 0; a < 3; ++a) row.derivative[static_cast<std::size_t>(2 + a)] = barycentric[a] * n;
        if (offset != 0) {
          const SmallVector<double, 3> m = offset / triangle.size * (n - N.dot(n) * N);
          const SmallVector<double, 3> by_first = detail::algebra::cross<double>(triangle.second, m),
                                       by_second = detail::algebra::cross<double>(m, triangle.first);
          row.derivative[2] -= by_first + by_second;
          row.derivative[3] += by_first;
          row.derivative[4] += by_second;
        }
        rows.hold(row, compliance);
      }
    }
  };

  // Throws ParameterError for a triangle whose normal would be inexact: a height below 1 % of its longest
  // edge.
  Attached attach(const JointPlaces<1, 3>& start) const {
    Attached result{{}, barycentric, offset, compliance};
    const typename Attached::Triangle triangle(start);
    const double longest = std::fmax((triangle.second - triangle.first).norm(),
                                     std::fmax(triangle.first.norm(), triangle.second.norm()));
    const double flatness = triangle.size / (longest * longest);
    if (!(flatness > 0.01)) {
      throw ParameterError("BallToFace::face: height of the triangle over its longest edge", flatness,
                           "must be more than 0.01");
    }
    result.local = start.bodies[0].to_local(result.point(start, triangle));
    return result;
  }
};

static_assert(Joint<BallToFace>);

}  // namespace pliant
