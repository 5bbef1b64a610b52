// The System of a mechanism: what a Simulation moves.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pliant/assembly/block_matrix.hpp>
#include <pliant/assembly/concept.hpp>
#include <pliant/constraint/node_filter.hpp>
#include <pliant/contact/response/no_contacts.hpp>
#include <pliant/rigid/free_rotation.hpp>
#include <pliant/rigid/mechanism_rows.hpp>

namespace pliant {

// How a body moves: the velocity of its centre of mass, and its angular velocity, in the world.
struct BodyVelocity {
  SmallVector<double, 3> linear = SmallVector<double, 3>::Zero();   // [m/s]
  SmallVector<double, 3> angular = SmallVector<double, 3>::Zero();  // [rad/s]
};

namespace detail {

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

// The constraints of a mechanism, of which there are none.
template <Isa isa>
class MechanismFilter : public NodeFilter<NodeVector<3, double, isa>> {
  using Base = NodeFilter<NodeVector<3, double, isa>>;

 public:
  MechanismFilter() = default;
  template <class System>
  MechanismFilter(const NodeConstraints<3>& constraints, const System& system)
      : Base(constraints, NodeMatrix<double, 3>::Zero(3, system.node_count()), system.node_count(),
             [](std::ptrdiff_t i) { return static_cast<int>(i); }) {}

  using Base::apply;
  void apply(BlockMatrix<3, double, isa>&) const {}
};

}  // namespace detail

// Body b has two nodes. The unknown of node 2 b is its centre of mass [m], the displacement a translation and
// the rate a velocity [m/s]. The unknown of node 2 b + 1 is the rotation vector of its principal axes [rad];
// the displacement is dt omega with the angular velocity omega in the principal axes at the start of a step,
// and turns the body as `free_rotation` does; the rate is omega in the principal axes [rad/s]. The masses are
// three times the mass of the body [kg], and its principal moments [kg m^2].
//
// The user sees the centres of mass, one column per body, and set forces act on these.
template <Isa isa = PLIANT_NATIVE_ISA>
class MechanismSystem {
 public:
  using Scalar = double;
  using Vector = NodeVector<3, double, isa>;
  using Matrix = BlockMatrix<3, double, isa>;
  using Filter = detail::MechanismFilter<isa>;
  using Contacts = NoContacts<Vector>;
  using Positions = NodeMatrix<double, 3>;
  using Triple = SmallVector<double, 3>;
  using Axes = SmallMatrix<double, 3, 3>;
  static constexpr int dim = 3, space = 3;
  static constexpr SystemAbilities abilities{.adds_displacements = false,
                                             .constant_forces = true,
                                             .own_state = true,
                                             .turns_rates = true,
                                             .own_gravity = true,
                                             .rows = true};

  // Implicit, so that a Simulation takes a Mechanism. Throws SizeError for one without bodies.
  MechanismSystem(Mechanism mechanism)
      : mechanism_(std::move(mechanism)),
        rest_(2 * mechanism_.body_count()),
        mass_(2 * mechanism_.body_count()),
        joint_rows_(mechanism_),
        frames_(mechanism_.frames()),
        end_frames_(frames_),
        principal_axes_(frames_.size()),
        loads_(static_cast<std::size_t>(mechanism_.joint_count())) {
    if (body_count() == 0) throw SizeError("Mechanism: bodies", 0, 1);
    Adjacency no_neighbours;
    no_neighbours.begin.assign(static_cast<std::size_t>(node_count()) + 1, 0);
    pattern_ = std::make_shared<const BlockPattern>(BlockPattern::from_graph(no_neighbours));
    for (int b = 0; b < body_count(); ++b) {
      mass_.node(centre_of(b)).setConstant(mechanism_.body(b).mass());
      mass_.node(rotation_of(b)) = moments(b);
      put(b, frames_[at(b)], rest_);
    }
  }

  const Mechanism& mechanism() const { return mechanism_; }

  std::ptrdiff_t node_count() const { return rest_.nodes(); }
  Vector make_vector() const { return Vector(node_count()); }
  Matrix make_matrix() const { return Matrix(pattern_); }
  const Vector& mass() const { return mass_; }
  const Vector& rest() const { return rest_; }

  void move(const Vector& x, const Vector& u, Vector& result) const {
    for (int b = 0; b < body_count(); ++b) {
      result.node(centre_of(b)) = x.node(centre_of(b)) + u.node(centre_of(b));
      const auto q = detail::rotation_by(x.node(rotation_of(b))) * turn(b, u);
      result.node(rotation_of(b)) = detail::rotation_vector(detail::algebra::normalized(q));
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

  // No elasticity and no damping.
  double energy(const Vector&) const { return 0; }
  double gradient(const Vector&, Vector& g) const {
    g.set_zero();
    return 0;
  }
  double tangent(const Vector& x, Projection, double, Vector& g, Matrix& A) const {
    A.set_zero();
    return gradient(x, g);
  }
  const Vector& mass_damping() const { return no_damping_; }
  double stiffness_damping() const { return 0; }
  double add_damping(const Straining<const Vector*>&, Projection, Vector&, Matrix* = nullptr) { return 0; }
  int undefined_element(const Vector&) const { return -1; }
  InvertedElements inverted_elements(const Vector&) const { return {}; }
  std::string free_motion(const std::vector<HeldDirection<3>>&, const Vector&) const { return {}; }

  // Joints.
  Rows& rows() { return joint_rows_.rows(); }
  void begin_rows(const Vector& x, double dt) {
    find_frames(x, frames_);
    for (int b = 0; b < body_count(); ++b) principal_axes_[at(b)] = axes(b, x);
    joint_rows_.begin(mechanism_, frames_, principal_axes_, dt);
  }
  RowError follow_rows(const Vector& x, const Vector& u) {
    find_frames(x, end_frames_);
    return joint_rows_.follow(mechanism_, end_frames_, u);
  }
  double row_rounding(const Vector& x) const {
    double farthest = 0;
    for (int b = 0; b < body_count(); ++b) farthest = std::max(farthest, x.node(centre_of(b)).norm());
    return 32 * std::numeric_limits<double>::epsilon() * farthest;
  }

  // The view of the user.
  std::ptrdiff_t visible_node_count() const { return body_count(); }
  int user_number(std::ptrdiff_t node) const { return static_cast<int>(node / 2); }
  void show_positions(const Vector& x, Positions& positions) const { show(x, positions); }
  void show_velocities(const Vector&, const Vector& v, Positions& velocities) const { show(v, velocities); }
  void show_forces(const Vector&, const Vector& f, Positions& forces) const { show(f, forces); }
  void take_positions(const Positions& positions, Vector& x) const { take(positions, x); }
  void take_velocities(const Vector&, const Positions& velocities, Vector& v) const { take(velocities, v); }
  void take_forces(const Vector&, const Positions& forces, Vector& f) const { take(forces, f); }
  void add_gravity(const Triple& gravity, Vector& loads) const {
    for (int b = 0; b < body_count(); ++b) loads.node(centre_of(b)) += mechanism_.body(b).mass() * gravity;
  }
  double gravitational_energy(const Triple& gravity, const Vector& x) const {
    double energy = 0;
    for (int b = 0; b < body_count(); ++b) {
      const Triple moved = x.node(centre_of(b)) - rest_.node(centre_of(b));
      energy -= mechanism_.body(b).mass() * gravity.dot(moved);
    }
    return energy;
  }
  SystemIdentity identity() const {
    return {.rest_shape = detail::assembly::fingerprint_of(rest_),
            .masses = detail::assembly::fingerprint_of(mass_)};
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
    const JointRows rows = described(x, joint);
    const auto count = static_cast<int>(rows.coordinates().size());
    if (number < 0 || number >= count) throw IndexError("coordinate of a joint", number, count);
    return rows.coordinates()[at(number)].row.value;
  }
  double joint_gap(const Vector& x) const {
    double largest = 0;
    for (int j = 0; j < mechanism_.joint_count(); ++j) {
      const JointRows rows = described(x, j);
      for (const auto& held : rows.held()) {
        if (held.compliance.rigid()) largest = std::max(largest, detail::size_of_error(held.row.value));
      }
    }
    return largest;
  }

  // On the last body of a joint, in the last step.
  const JointLoad& joint_load(int joint) const {
    if (joint < 0 || joint >= mechanism_.joint_count()) {
      throw IndexError("joint", joint, mechanism_.joint_count());
    }
    return loads_[at(joint)];
  }

  // The loads of joints are those of the last accepted step, see core/history.hpp.
  using History = std::vector<JointLoad>;
  void save(History& history) const { history = loads_; }
  void check(const History& history) const {
    if (history.size() == loads_.size()) return;
    throw StateError("joints", std::to_string(history.size()) + " in the state, " +
                                   std::to_string(loads_.size()) + " here");
  }
  void restore(History&& history) { loads_ = std::move(history); }
  void end_step(const Vector&, const Vector&, double) {
    joint_rows_.add_up(mechanism_, frames_, principal_axes_, loads_);
  }

 private:
  static std::size_t at(int number) { return static_cast<std::size_t>(number); }
  static std::ptrdiff_t centre_of(int body) { return 2 * std::ptrdiff_t{body}; }
  static std::ptrdiff_t rotation_of(int body) { return 2 * std::ptrdiff_t{body} + 1; }

  int body_count() const { return mechanism_.body_count(); }
  void require(int body) const { mechanism_.body(body); }
  const Triple& moments(int body) const { return mechanism_.body(body).moments(); }

  UnitQuaternion<double> turn(int body, const Vector& u) const {
    return free_rotation(moments(body), u.node(rotation_of(body)));
  }

  // The principal axes.
  Axes axes(int body, const Vector& x) const {
    return rotation_matrix(detail::rotation_by(x.node(rotation_of(body))));
  }

  BodyFrame frame_of(int body, const Vector& x) const {
    const Pose<3>& principal = mechanism_.body(body).principal_frame();
    const Triple centre = x.node(centre_of(body));
    const Axes own = axes(body, x) * principal.rotation().transpose();
    return {centre - own * principal.translation(), own, centre};
  }
  void find_frames(const Vector& x, std::vector<BodyFrame>& frames) const {
    for (int b = 0; b < body_count(); ++b) frames[at(b)] = frame_of(b, x);
  }
  void put(int body, const BodyFrame& frame, Vector& x) const {
    const Axes axes = frame.axes * mechanism_.body(body).principal_frame().rotation();
    x.node(centre_of(body)) = frame.centre;
    x.node(rotation_of(body)) = detail::rotation_vector(quaternion_of(axes));
  }

  JointRows described(const Vector& x, int joint) const {
    std::vector<BodyFrame> frames(frames_.size());
    find_frames(x, frames);
    JointRows rows;
    mechanism_.joint(joint).describe(frames, rows);
    return rows;
  }

  void show(const Vector& vector, Positions& user) const {
    for (int b = 0; b < body_count(); ++b) user.col(b) = vector.node(centre_of(b));
  }
  void take(const Positions& user, Vector& vector) const {
    for (int b = 0; b < body_count(); ++b) vector.node(centre_of(b)) = user.col(b);
  }

  Mechanism mechanism_;
  Vector rest_, mass_, no_damping_;
  std::shared_ptr<const BlockPattern> pattern_;
  MechanismRows joint_rows_;
  std::vector<BodyFrame> frames_, end_frames_;  // at the start of a step, and at its end
  std::vector<Axes> principal_axes_;            // at the start
  std::vector<JointLoad> loads_;                // of the last step
};

static_assert(ViewedSystem<MechanismSystem<>>);

}  // namespace pliant
