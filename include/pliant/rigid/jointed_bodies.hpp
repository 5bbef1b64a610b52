// The rigid bodies of a System, and the joints that act on them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <pliant/algebra/node_vector.hpp>
#include <pliant/rigid/free_rotation.hpp>
#include <pliant/rigid/mechanism.hpp>
#include <pliant/rigid/mechanism_rows.hpp>

namespace pliant {

// How a body moves: the velocity of its centre of mass, and its angular velocity, in the world.
struct BodyVelocity {
  SmallVector<double, 3> linear = SmallVector<double, 3>::Zero();   // [m/s]
  SmallVector<double, 3> angular = SmallVector<double, 3>::Zero();  // [rad/s]
};

}  // namespace pliant

namespace pliant::detail::rigid {

// The rotation by a rotation vector, and back; the latter has an angle of at most pi. Below 1e-8 the next
// terms of the series are less than the rounding of the first.
inline UnitQuaternion<double> rotation_by(const SmallVector<double, 3>& vector) {
  const double angle = vector.norm(), scale = angle > 1e-8 ? std::sin(angle / 2) / angle : 0.5;
  return {scale * vector[0], scale * vector[1], scale * vector[2], std::cos(angle / 2)};
}
inline SmallVector<double, 3> rotation_vector(const UnitQuaternion<double>& q) {
  const SmallVector<double, 3> axis(q.x, q.y, q.z);
  const double sine = axis.norm(), sign = q.w < 0 ? -1 : 1;
  return (sine > 1e-8 ? 2 * std::atan2(sine, std::abs(q.w)) / sine : 2) * sign * axis;
}

// The part of a System that MechanismSystem and CoupledSystem have in common. Body b has two nodes, f + 2 b
// and f + 2 b + 1 after f others, which are nodes of a mesh. The unknown of the first is its centre of mass
// [m], the displacement a translation and the rate a velocity [m/s]. The unknown of the second is the
// rotation vector of its principal axes [rad]; the displacement is dt omega with the angular velocity omega
// in the principal axes at the start of a step, and turns the body as `free_rotation` does; the rate is omega
// in the principal axes [rad/s]. The masses are three times the mass of the body [kg], and its principal
// moments [kg m^2].
template <Isa isa = PLIANT_NATIVE_ISA>
class JointedBodies {
 public:
  using Vector = NodeVector<3, double, isa>;
  using Triple = SmallVector<double, 3>;
  using Axes = SmallMatrix<double, 3, 3>;

  // `first` is f; `joints` act on the bodies of the mechanism and on nodes at `points`, with the numbers
  // `nodes`, both of all joints, one after the other.
  JointedBodies(Mechanism mechanism, JointList joints, std::ptrdiff_t first = 0, std::vector<int> nodes = {},
                std::vector<Triple> points = {})
      : mechanism_(std::move(mechanism)),
        first_(first),
        places_{mechanism_.frames(), std::move(points)},
        end_places_(places_),
        principal_axes_(places_.bodies.size()),
        joint_rows_(std::move(joints), places_, static_cast<int>(first), std::move(nodes)),
        loads_(static_cast<std::size_t>(joint_rows_.joints().count())) {}

  const Mechanism& mechanism() const { return mechanism_; }
  int body_count() const { return mechanism_.body_count(); }

  // Joints.
  Rows& rows() { return joint_rows_.rows(); }
  void begin_rows(const Vector& x, const RowStep& step) {
    find_places(x, places_);
    find_principal_axes(x);
    joint_rows_.begin(places_, principal_axes_, step);
    in_halves_ = false;
  }
  // After the rows of a step are met at x: rows() of the rates there. With end_row_rates the loads of joints
  // are the means over the step.
  void begin_row_rates(const Vector& x, const RowStep& step) {
    next_loads_.assign(loads_.size(), {});
    joint_rows_.add_up(places_, principal_axes_, step.scale / 2, next_loads_);
    find_places(x, end_places_);
    find_principal_axes(x);
    joint_rows_.begin_rates(end_places_, principal_axes_, step);
  }
  double row_rate_error(const Vector& v) const { return joint_rows_.error_of_rates(v); }
  void end_row_rates(double dt) {
    joint_rows_.add_up(end_places_, principal_axes_, 1 / dt, next_loads_);
    in_halves_ = true;
  }
  RowError follow_rows(const Vector& x, const Vector& u) {
    find_places(x, end_places_);
    return joint_rows_.follow(end_places_, u);
  }
  double row_rounding(const Vector& x) const {
    double farthest = 0;
    for (int b = 0; b < body_count(); ++b) farthest = std::max(farthest, x.node(centre_of(b)).norm());
    for (const int node : joint_rows_.nodes()) farthest = std::max(farthest, x.node(node).norm());
    return 32 * std::numeric_limits<double>::epsilon() * farthest;
  }

  // Contact: the node of the first body and that of a centre of mass; the principal axes of a body, at x and
  // at the start of the step; its rotation vector in the world for the displacement u; the unknowns after it.
  std::ptrdiff_t first_node() const { return first_; }
  std::ptrdiff_t centre_node(int body) const { return centre_of(body); }
  Axes axes(int body, const Vector& x) const {
    return rotation_matrix(rotation_by(x.node(rotation_of(body))));
  }
  const Axes& start_axes(std::ptrdiff_t body) const {
    return principal_axes_[static_cast<std::size_t>(body)];
  }
  Triple turn_in_world(int body, const Vector& u) const {
    return detail::algebra::times<double, 3, 3, 1>(principal_axes_[at(body)],
                                                   Triple(u.node(rotation_of(body))));
  }
  void move_all(const Vector& x, const Vector& u, Vector& result) const {
    for (std::ptrdiff_t i = 0; i < first_; ++i) result.node(i) = x.node(i) + u.node(i);
    move_bodies(x, u, result);
  }

  // What joints connect, ascending: a node, or the centre of mass of a body, and a body, or the world.
  std::vector<std::pair<int, int>> connections() const {
    std::vector<std::pair<int, int>> result;
    std::size_t next_node = 0;
    for (const AnyJoint& joint : joints().parts()) {
      for (std::size_t k = 0; k < joint.nodes().size(); ++k) {
        const int node = joint_rows_.nodes()[next_node++];
        if (joint.bodies().empty()) result.push_back({node, world_body});
        for (const int body : joint.bodies()) result.push_back({node, body});
      }
      for (const int a : joint.bodies()) {
        for (const int b : joint.bodies()) {
          if (a != b && a != world_body) result.push_back({static_cast<int>(centre_of(a)), b});
        }
      }
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  // The bodies after the displacement u from x.
  void move_bodies(const Vector& x, const Vector& u, Vector& result) const {
    for (int b = 0; b < body_count(); ++b) {
      result.node(centre_of(b)) = x.node(centre_of(b)) + u.node(centre_of(b));
      const auto q = rotation_by(x.node(rotation_of(b))) * turn(b, u);
      result.node(rotation_of(b)) = rotation_vector(detail::algebra::normalized(q));
    }
  }

  // The angular momentum in the world is unchanged.
  void turn_rates(const Vector&, const Vector& u, Vector& v) const {
    for (int b = 0; b < body_count(); ++b) {
      const Triple momentum = moments(b).cwiseProduct(v.node(rotation_of(b)));
      v.node(rotation_of(b)) =
          detail::algebra::transposed_times<double, 3, 3, 1>(rotation_matrix(turn(b, u)), momentum)
              .cwiseQuotient(moments(b));
    }
  }

  // Sets the masses and the unknowns at the start.
  void put_bodies(Vector& mass, Vector& rest) const {
    for (int b = 0; b < body_count(); ++b) {
      mass.node(centre_of(b)).setConstant(mechanism_.body(b).mass());
      mass.node(rotation_of(b)) = moments(b);
      put(b, mechanism_.frames()[at(b)], rest);
    }
  }

  // The weights of the bodies, and their energy relative to `rest`.
  void add_weights(const Triple& gravity, Vector& loads) const {
    for (int b = 0; b < body_count(); ++b) loads.node(centre_of(b)) += mechanism_.body(b).mass() * gravity;
  }
  double energy_of_weights(const Triple& gravity, const Vector& rest, const Vector& x) const {
    double energy = 0;
    for (int b = 0; b < body_count(); ++b) {
      const Triple moved = x.node(centre_of(b)) - rest.node(centre_of(b));
      energy -= mechanism_.body(b).mass() * gravity.dot(moved);
    }
    return energy;
  }

  // Adds a force [N] on a body at a point [m], both in the world.
  void add_force(const Vector& x, int body, const Triple& at, const Triple& force, Vector& loads) const {
    loads.node(centre_of(body)) += force;
    const Triple arm = at - x.node(centre_of(body));
    loads.node(rotation_of(body)) += axes(body, x).transpose() * detail::algebra::cross<double>(arm, force);
  }

  // Bodies, at the unknowns x with the rates v. All throw IndexError for a number that does not exist.
  Pose<3> pose(const Vector& x, int body) const {
    require(body);
    const BodyFrame frame = frame_of(body, x);
    return Pose<3>(frame.axes, frame.origin);
  }
  void set_pose(int body, const Pose<3>& pose, Vector& x) const {
    const Triple centre = pose.to_world(mechanism_.body(body).properties().centre);
    put(body, {pose.translation(), pose.rotation(), centre}, x);
  }
  BodyVelocity body_velocity(const Vector& x, const Vector& v, int body) const {
    require(body);
    return {v.node(centre_of(body)), axes(body, x) * v.node(rotation_of(body))};
  }
  void set_body_velocity(const Vector& x, int body, const BodyVelocity& velocity, Vector& v) const {
    require(body);
    for (int k = 0; k < 3; ++k) {
      detail::core::require_parameter(true, "linear velocity of a body", velocity.linear[k],
                                      "must be finite (m/s)");
      detail::core::require_parameter(true, "angular velocity of a body", velocity.angular[k],
                                      "must be finite (rad/s)");
    }
    v.node(centre_of(body)) = velocity.linear;
    v.node(rotation_of(body)) = axes(body, x).transpose() * velocity.angular;
  }

  // Joints, at the unknowns x.
  double joint_coordinate(const Vector& x, int joint, int number) const {
    const JointPart part = first_part_of(joint);
    const JointRows rows = described(places_at(x), part);
    const auto count = static_cast<int>(rows.coordinates().size());
    if (number < 0 || number >= count) throw IndexError("coordinate of a joint", number, count);
    return rows.coordinates()[at(number)].row.value;
  }
  double joint_gap(const Vector& x) const {
    double largest = 0;
    const JointedPlaces places = places_at(x);
    for (JointPart part; part.number < joints().parts().size(); part = after(part)) {
      const JointRows rows = described(places, part);
      for (const auto& held : rows.held()) {
        if (held.compliance.rigid()) largest = std::max(largest, size_of_error(held.row.value));
      }
    }
    return largest;
  }

  // On the last body of a joint, in the last step.
  const JointLoad& joint_load(int joint) const {
    if (joint < 0 || joint >= joints().count()) throw IndexError("joint", joint, joints().count());
    return loads_[at(joint)];
  }

  // The loads of joints are those of the last accepted step, see core/history.hpp.
  using Loads = std::vector<JointLoad>;
  const Loads& loads() const { return loads_; }
  void check(const Loads& loads) const {
    if (loads.size() == loads_.size()) return;
    throw StateError(
        "joints", std::to_string(loads.size()) + " in the state, " + std::to_string(loads_.size()) + " here");
  }
  void set_loads(Loads&& loads) { loads_ = std::move(loads); }
  void add_up_loads() {
    if (in_halves_) {
      loads_ = next_loads_;
      return;
    }
    std::fill(loads_.begin(), loads_.end(), JointLoad{});
    joint_rows_.add_up(places_, principal_axes_, 1, loads_);
  }

 protected:
  static std::size_t at(int number) { return static_cast<std::size_t>(number); }
  std::ptrdiff_t centre_of(int body) const { return first_ + 2 * std::ptrdiff_t{body}; }
  std::ptrdiff_t rotation_of(int body) const { return first_ + 2 * std::ptrdiff_t{body} + 1; }

 private:
  // A part of a joint, and the index of its first node in the nodes of all joints.
  struct JointPart {
    std::size_t number = 0, first_node = 0;
  };

  void find_principal_axes(const Vector& x) {
    for (int b = 0; b < body_count(); ++b) principal_axes_[at(b)] = axes(b, x);
  }

  void require(int body) const { mechanism_.body(body); }
  const Triple& moments(int body) const { return mechanism_.body(body).moments(); }

  UnitQuaternion<double> turn(int body, const Vector& u) const {
    return free_rotation(moments(body), u.node(rotation_of(body)));
  }

  BodyFrame frame_of(int body, const Vector& x) const {
    const Pose<3>& principal = mechanism_.body(body).principal_frame();
    const Triple centre = x.node(centre_of(body));
    const Axes own = axes(body, x) * principal.rotation().transpose();
    return {centre - own * principal.translation(), own, centre};
  }
  void put(int body, const BodyFrame& frame, Vector& x) const {
    const Axes axes = frame.axes * mechanism_.body(body).principal_frame().rotation();
    x.node(centre_of(body)) = frame.centre;
    x.node(rotation_of(body)) = rotation_vector(quaternion_of(axes));
  }

  void find_places(const Vector& x, JointedPlaces& places) const {
    for (int b = 0; b < body_count(); ++b) places.bodies[at(b)] = frame_of(b, x);
    const std::vector<int>& nodes = joint_rows_.nodes();
    for (std::size_t k = 0; k < nodes.size(); ++k) places.nodes[k] = x.node(nodes[k]);
  }
  JointedPlaces places_at(const Vector& x) const {
    JointedPlaces places = places_;
    find_places(x, places);
    return places;
  }

  const JointList& joints() const { return joint_rows_.joints(); }
  JointPart after(const JointPart& part) const {
    return {part.number + 1, part.first_node + joints().parts()[part.number].nodes().size()};
  }
  JointPart first_part_of(int joint) const {
    JointPart part;
    for (const std::size_t first = joints().begin(joint); part.number < first;) part = after(part);
    return part;
  }
  JointRows described(const JointedPlaces& places, const JointPart& part) const {
    JointRows rows;
    joint_rows_.describe(part.number, part.first_node, places, rows);
    return rows;
  }

  Mechanism mechanism_;
  std::ptrdiff_t first_;               // node of the first body
  JointedPlaces places_, end_places_;  // at the start of a step, and at its end
  std::vector<Axes> principal_axes_;   // at the start, with the rows of rates at the end
  MechanismRows joint_rows_;
  Loads loads_, next_loads_;  // of the last step; of this one, if they are the sums of two halves
  bool in_halves_ = false;
};

}  // namespace pliant::detail::rigid
