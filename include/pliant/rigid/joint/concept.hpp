// The Joint concept: equations between the poses of rigid bodies and the positions of nodes.
//
// A joint is an aggregate that describes the connection in the world at the start:
//   bodies()         the numbers of its bodies, a std::array<int, B>; `world_body` is a body that never moves
//   nodes()          the numbers of its nodes, a std::array<int, N>; 2 B + N is at most 6
//   check()          throws ParameterError for a parameter out of range
//   attach(start)    an Attached: the same connection in the frames of the bodies, which are at `start`, a
//                    JointPlaces<B, N>
// and Attached has
//   describe(places, rows)   adds the rows of the joint at other places to `rows`, a JointRows (rows.hpp),
//                            the same rows in the same order at every call
// The sign of a row is free. A row that is unchanged if everything moves together exerts forces and torques
// whose sums are zero; `check_joint` (testing/joints.hpp) tests that, and the derivatives.
//
//   struct Rope {                                          // two points not farther apart than they were
//     int first, second;
//     SmallVector<double, 3> from, to;                     // in the world at the start [m]
//
//     std::array<int, 2> bodies() const { return {first, second}; }
//     std::array<int, 0> nodes() const { return {}; }
//     void check() const {}
//     struct Attached {
//       SmallVector<double, 3> from, to;                   // in the frames of the bodies [m]
//       double length;                                     // [m]
//       void describe(const JointPlaces<2>& places, JointRows& rows) const {
//         const auto &a = places.bodies[0], &b = places.bodies[1];
//         const SmallVector<double, 3> p = a.to_world(from), q = b.to_world(to);
//         const SmallVector<double, 3> r = p - a.centre, s = q - b.centre, n = (q - p).normalized();
//         rows.move({n.dot(q - p), {-n, -r.cross(n), n, s.cross(n)}}, {.highest = length}, {});
//       }
//     };
//     Attached attach(const JointPlaces<2>& start) const {
//       return {start.bodies[0].to_local(from), start.bodies[1].to_local(to), (to - from).norm()};
//     }
//   };
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>

#include <pliant/algebra/matrix.hpp>
#include <pliant/algebra/tensor.hpp>
#include <pliant/rigid/joint/rows.hpp>

namespace pliant {

// The number of a body that never moves.
inline constexpr int world_body = -1;

// Where the frame of a body is, and its centre of mass.
struct BodyFrame {
  SmallVector<double, 3> origin = SmallVector<double, 3>::Zero();          // [m]
  SmallMatrix<double, 3, 3> axes = SmallMatrix<double, 3, 3>::Identity();  // a rotation
  SmallVector<double, 3> centre = SmallVector<double, 3>::Zero();          // of mass, in the world [m]

  // Directions and points between the frame of the body and the world.
  SmallVector<double, 3> rotated(const SmallVector<double, 3>& local) const {
    return detail::algebra::times<double, 3, 3, 1>(axes, local);
  }
  SmallVector<double, 3> rotated_back(const SmallVector<double, 3>& direction) const {
    return detail::algebra::transposed_times<double, 3, 3, 1>(axes, direction);
  }
  SmallVector<double, 3> to_world(const SmallVector<double, 3>& local) const {
    return origin + rotated(local);
  }
  SmallVector<double, 3> to_local(const SmallVector<double, 3>& point) const {
    return rotated_back(point - origin);
  }
};

// The places of everything that a joint acts on, in its order.
template <int Bodies, int Nodes = 0>
struct JointPlaces {
  std::array<BodyFrame, std::size_t{Bodies}> bodies;
  std::array<SmallVector<double, 3>, std::size_t{Nodes}> nodes;  // [m]
};

namespace detail::rigid {

// The JointPlaces of a joint.
template <class J>
using PlacesOf = JointPlaces<static_cast<int>(std::tuple_size_v<decltype(std::declval<const J&>().bodies())>),
                             static_cast<int>(std::tuple_size_v<decltype(std::declval<const J&>().nodes())>)>;

}  // namespace detail::rigid

template <class J>
concept Joint = std::copy_constructible<J> &&
    requires(const J& joint, const detail::rigid::PlacesOf<J>& places, JointRows& rows) {
  { joint.bodies()[0] } -> std::convertible_to<int>;  // of its bodies, a std::array
  joint.nodes().size();                               // of its nodes, a std::array<int, N>
  joint.check();                                      // validates parameters
  joint.attach(places).describe(places, rows);        // the connection in the frames of the bodies; its rows
} && 2 * std::tuple_size_v<decltype(std::declval<const J&>().bodies())> +
        std::tuple_size_v<decltype(std::declval<const J&>().nodes())> <=
    JointRow::most_triples;  // at most 6 triples of numbers

}  // namespace pliant
