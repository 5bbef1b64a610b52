// A ball joint between two faces of soft bodies.
#pragma once

#include <array>
#include <cstddef>

#include <pliant/algebra/tensor.hpp>
#include <pliant/rigid/joint/concept.hpp>
#include <pliant/rigid/joint/face_point.hpp>

namespace pliant {

// A point of a face.
struct FacePlace {
  std::array<int, 3> face = {0, 0, 0};                            // nodes of the solid, see BallToFace
  SmallVector<double, 3> barycentric = {1. / 3, 1. / 3, 1. / 3};  // of the nodes; their sum is 1
  double offset = 0;                                              // along the normal [m]
};

// Points of two faces, of two solids of Bodies or of one solid, coincide; both sides turn freely about them.
// 3 rows. The faces have no node in common, and the points coincide at the start.
struct FaceToFace {
  FacePlace first, second;
  Compliance compliance = {};  // of the distance [N/m]

  std::array<int, 0> bodies() const { return {}; }
  std::array<int, 6> nodes() const {
    const auto& [a, b, c] = first.face;
    const auto& [d, e, f] = second.face;
    return {a, b, c, d, e, f};
  }
  void check() const {
    point_of(first).check("FaceToFace::first.");
    point_of(second).check("FaceToFace::second.");
    compliance.check("FaceToFace::compliance");
  }

  struct Attached {
    detail::rigid::FacePoint first, second;
    Compliance compliance;

    // The distance from the first point to the second is measured along the axes of the first triangle: t_1
    // along its edge e_1, t_2 = N x t_1 and N. So nothing changes if both faces move together, whatever the
    // distance.
    void describe(const JointPlaces<0, 6>& places, JointRows& rows) const {
      using detail::algebra::cross;
      using Vector = SmallVector<double, 3>;
      const auto one = triangle_of(places, 0), two = triangle_of(places, 3);
      const Vector apart = second.at(two) - first.at(one), &N = one.normal;
      const double length = one.first.norm();
      const Vector along = one.first / length, across = cross<double>(N, along);
      const double x = one.second.dot(along), height = one.second.dot(across);
      for (const Vector& axis : {along, across, N}) {
        JointRow row;
        row.value = axis.dot(apart);
        first.differentiate(one, -axis, 0, row);
        second.differentiate(two, axis, 3, row);
        // The axes turn by w with w.t_1 = (N.de_2 + x w.t_2) / height, w.t_2 = -N.de_1 / length and w.N =
        // t_2.de_1 / length, which changes the value by w.(axis x apart).
        const Vector turn = cross<double>(axis, apart);
        const double t1 = turn.dot(along), t2 = turn.dot(across), n = turn.dot(N);
        const Vector by_second = t1 / height * N,
                     by_first = (n * across - (t2 + t1 * x / height) * N) / length;
        row.derivative[0] -= by_first + by_second;
        row.derivative[1] += by_first;
        row.derivative[2] += by_second;
        rows.hold(row, compliance);
      }
    }
  };

  // Throws ParameterError for a triangle that is too flat.
  Attached attach(const JointPlaces<0, 6>& start) const {
    triangle_of(start, 0).check("FaceToFace::first.");
    triangle_of(start, 3).check("FaceToFace::second.");
    return {point_of(first), point_of(second), compliance};
  }

 private:
  static detail::rigid::FacePoint point_of(const FacePlace& place) {
    return {place.barycentric, place.offset};
  }
  static detail::rigid::FacePoint::Triangle triangle_of(const JointPlaces<0, 6>& places, std::size_t begin) {
    return detail::rigid::FacePoint::Triangle(
        {places.nodes[begin], places.nodes[begin + 1], places.nodes[begin + 2]});
  }
};

static_assert(Joint<FaceToFace>);

}  // namespace pliant
