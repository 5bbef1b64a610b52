// Contact in a System with rows: colliders of the world and of bodies, nodes of a solid and points of bodies.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include <pliant/contact/response/colliders.hpp>
#include <pliant/contact/response/no_contacts.hpp>
#include <pliant/rigid/contact/contact_row.hpp>
#include <pliant/rigid/touching_points.hpp>

namespace pliant::detail::rigid {

// Each contact is a block of rows, behind those of the joints, so that joints and contact are one problem. A
// step gets the contacts that each point could have (see Colliders::meet), and after a pass those of
// colliders that a point has entered although no plane predicted it. Normal forces and directions of friction
// are those of the pass before, at first those of the step before.
//
// A force of contact acts on both bodies at the place of the point at the start of the step, which is the
// surface of its ball if it has a radius, so that it changes neither momentum nor angular momentum.
template <Isa isa = PLIANT_NATIVE_ISA>
class RowContacts : public NoContacts<NodeVector<3, double, isa>> {
  using Bodies = JointedBodies<isa>;
  using Point = SmallVector<double, 3>;
  using Axes = SmallMatrix<double, 3, 3>;
  using Planes = NodePlanes<3>;
  using Row = ContactRow;
  using Place = typename TouchingPoints<isa>::Place;

 public:
  using Vector = NodeVector<3, double, isa>;
  using Path = typename Colliders<3>::Path;
  static constexpr bool as_rows = true;  // colliders are possible, but their contacts bound no unknowns

  struct [[nodiscard]] Step : NoContacts<Vector>::Step {
    Step(RowContacts& contacts, bool moved) : contacts_(contacts), moved_(moved) {}
    bool moved_nodes() const { return moved_; }
    void begin_rows(const Vector& x, const Vector& ahead) { contacts_.begin_rows(x, ahead); }
    contact::ContactPass follow_rows(const Vector& x, const Vector& end, const Vector& u, double allowed) {
      return contacts_.follow_rows(x, end, u, allowed);
    }
    int end_rows(Vector& forces) { return contacts_.end_rows(forces); }
    contact::BlockedNode blocked() const { return contacts_.blocked_; }
    void accept() { contacts_.accept(); }

   private:
    RowContacts& contacts_;
    bool moved_;
  };

  // `system` is a JointedBodies that stays in place.
  template <class System>
  void prepare(System& system) {
    bodies_ = &system;
    points_.prepare(system);
    end_ = system.make_vector();
    body_loads_.assign(static_cast<std::size_t>(bodies_->body_count()), JointLoad{});
    found_loads_ = body_loads_;
  }

  // For an integrator without contact of joined bodies.
  void require_no_colliders() const {
    core::require_parameter(points_.colliders.empty(), "number of colliders of the mechanism",
                            static_cast<double>(bodies_->mechanism().colliders().size()),
                            "this integrator takes joints without contact: use BackwardEuler or "
                            "OptimizationEuler");
  }

  template <class Filter>
  void set_constraints(const Filter& filter) {
    points_.set_constraints(filter);
  }
  void renew() { contacts_.clear(); }

  int add(contact::AnyCollider<3> shape, const Surface& surface, Path path, double time) {
    require_no_drag(surface);
    return points_.colliders.add(std::move(shape), surface, std::move(path), time);
  }
  void move(int number, const Pose<3>& pose) { points_.colliders.move(number, pose); }
  void remove(int number) { points_.remove(number); }

  // The contacts at the end of the last accepted step. The node of a point of a body is its centre of mass.
  std::vector<Contact<3>> active() const {
    std::vector<Contact<3>> result;
    for (const Touch& touch : active_) result.push_back(touch.contact);
    return result;
  }
  // What contact did to a body in the last step, about its centre of mass. Throws IndexError for one that
  // does not exist.
  const JointLoad& body_load(int body) const {
    if (body < 0 || body >= std::ssize(body_loads_)) throw IndexError("body", body, std::ssize(body_loads_));
    return body_loads_[at(body)];
  }
  // Sets the last columns, of the bodies, to the forces of contact on them [N].
  template <class Positions>
  void show_body_forces(Positions& forces) const {
    const auto first = forces.cols() - std::ssize(body_loads_);
    for (std::ptrdiff_t b = 0; b < std::ssize(body_loads_); ++b) {
      forces.col(first + b) = body_loads_[at(b)].force;
    }
  }

  // See core/history.hpp.
  struct Touch {
    int point;
    Contact<3> contact;
  };
  struct History {
    typename Colliders<3>::History colliders;
    std::vector<Touch> active;
    std::vector<JointLoad> body_loads;
  };
  void save(History& history) const {
    points_.colliders.save(history.colliders);
    history.active = active_;
    history.body_loads = body_loads_;
  }
  void check(const History& history) const { points_.colliders.check(history.colliders); }
  void restore(History&& history) {
    points_.colliders.restore(std::move(history.colliders));
    active_ = std::move(history.active);
    body_loads_ = std::move(history.body_loads);
  }

  // Nodes without joints that are inside a collider at the start are moved to its surface, without gaining
  // velocity from it.
  Step begin_step(double time, double dt, Vector& x) {
    contacts_.clear();
    blocked_ = {};
    if (points_.colliders.empty()) return {*this, false};
    points_.colliders.set_interval(time, time + dt);
    points_.carry(x, x);
    return {*this, points_.push_out(x)};
  }

 private:
  static constexpr int most_full_updates = 4, most_friction_passes = 40;
  static constexpr double friction_tolerance = 1e-6;  // of all friction, relative to its limits [-]

  static std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

  struct Contacting {
    TouchingPoint point;
    int collider;  // its index
    Row row;
  };

  // Adds the rows of the contacts that points could have in a step from x with the displacement `ahead`
  // without contact.
  void begin_rows(const Vector& x, const Vector& ahead) {
    contacts_.clear();
    passes_ = 0;
    friction_error_ = 0;
    if (points_.colliders.empty()) return;
    bodies_->move_all(x, ahead, end_);
    points_.carry(x, end_);
    points_.for_each_near(
        x, end_, ahead, points_.reach(), [&](int number, int node, int body, int index, const Place& place) {
          Planes planes;
          planes.size = contact::largest_entry<3>(place.from);
          const Point displacement = place.to - place.from;
          const double reach = contact::length<3>(displacement) + (body == world_body ? points_.reach() : 0);
          points_.colliders.meet(index, place.from, displacement, reach, planes, place.radius);
          for (const ContactPlane<3>& plane : planes) {
            add({number, node, body, points_.colliders[index].body}, plane, x, place);
          }
        });
  }

  ContactPlace contact_place(const Contacting& contact, const Point& point, const Vector& u,
                             bool at_start) const {
    const auto& collider = points_.colliders[contact.collider];
    ContactPlace place{point, at_start ? collider.from : collider.to};
    place.turn = -turn_of(contact, u, at_start);
    if (contact.point.body != world_body && !at_start) {
      place.turn += bodies_->turn_in_world(contact.point.body, u);
    }
    return place;
  }
  // Of the collider in the step.
  Point turn_of(const Contacting& contact, const Vector& u, bool at_start) const {
    if (at_start) return Point::Zero();
    const auto& collider = points_.colliders[contact.collider];
    if (contact.point.carrier != world_body) return bodies_->turn_in_world(contact.point.carrier, u);
    return rotation_vector(
        quaternion_of(Axes(collider.to.rotation() * collider.from.rotation().transpose())));
  }

  void add(const TouchingPoint& point, const ContactPlane<3>& plane, const Vector& x, const Place& place) {
    const auto& collider = points_.colliders[plane.collider];
    const double thickness = collider.surface.thickness, friction = collider.surface.friction;
    const Point on_plane = place.from + (plane.least - thickness) * plane.normal;
    const bool carried = point.carrier != world_body;
    Contacting contact{
        point, plane.collider,
        Row(collider.to, plane.normal, on_plane, (carried ? collider.from : collider.to).rotation(),
            {place.from, collider.from}, thickness + place.radius, place.radius, friction)};
    RowBlock block;
    block.J.fill(Axes::Zero());
    std::size_t used = 0;
    const Axes T = contact.row.directions().transpose();
    const Point touched = place.from - place.radius * contact.row.normal();
    if (point.body == world_body) {
      block.node[used] = point.node;
      block.J[used++] = T * points_.free_directions(point.node);
    } else {
      add_body(point.body, 1, T, touched, x, used, block);
    }
    if (carried) add_body(point.carrier, -1, T, touched, x, used, block);
    if (!contact.row.rubs()) {
      for (std::size_t k = 0; k < used; ++k) block.J[k].template bottomRows<2>().setZero();
    }
    if (!carried && block.J[0].row(0).norm() < 1e-6) return;  // its constraints leave no way to go
    const auto [normal_force, rubbing] = last_force(point.number, collider.number, contact.row.normal());
    contact.row.begin(normal_force, rubbing, block);
    block.accepted = block.multiplier;
    // The values at u = 0, with a collider that moves by itself at its end.
    ContactPlace start{place.from, carried ? collider.from : collider.to};
    if (!carried) start.turn = -turn_of(contact, end_, false);
    set_right_side(contact.row, contact.row.values(start), RowBlock::Triple::Zero(), block);
    contacts_.push_back(std::move(contact));
    bodies_->rows().bounded.push_back(block);
    ++bodies_->rows().contacts;
  }

  void add_body(int body, double sign, const Axes& T, const Point& touched, const Vector& x,
                std::size_t& used, RowBlock& block) const {
    const int node = static_cast<int>(bodies_->centre_node(body));
    const Point arm = touched - x.node(node);
    const Axes axes = bodies_->axes(body, x);
    block.node[used] = node;
    block.J[used++] = sign * T;
    block.node[used] = node + 1;
    for (Eigen::Index i = 0; i < 3; ++i) {
      const Point direction = T.row(i);
      block.J[used].row(i) = sign * algebra::cross<double>(arm, direction).transpose() * axes;
    }
    ++used;
  }

  static void set_right_side(const Row& row, const RowBlock::Triple& values, const RowBlock::Triple& done,
                             RowBlock& block) {
    block.right_side = done - values;
    if (!row.rubs()) block.right_side.template tail<2>().setZero();
  }

  // The normal force of the last step and the friction, a vector [N].
  std::pair<double, Point> last_force(int point, int number, const Point& normal) const {
    for (const Touch& touch : active_) {
      if (touch.point != point || touch.contact.collider != number) continue;
      if (touch.contact.normal.dot(normal) < 0.9) continue;
      const double force = touch.contact.force.dot(touch.contact.normal);
      return {force, touch.contact.force - force * touch.contact.normal};
    }
    return {0, Point::Zero()};
  }

  // Corrects the right sides, at the end of a pass, and prepares the friction of the next one.
  contact::ContactPass follow_rows(const Vector& x, const Vector& end, const Vector& u, double allowed) {
    contact::ContactPass pass;
    if (points_.colliders.empty()) return pass;
    points_.carry(x, end);
    std::vector<RowBlock>& blocks = bodies_->rows().bounded;
    const std::size_t first = blocks.size() - contacts_.size();
    const double part = ++passes_ <= most_full_updates ? 1 : 0.5;
    double wrong = 0, all = 0;
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
      Contacting& contact = contacts_[k];
      RowBlock& block = blocks[first + k];
      const Place place = points_.place_of(contact.point.number, x, end);
      const RowBlock::Triple values = contact.row.values(contact_place(contact, place.to, u, false));
      set_right_side(contact.row, values, block.times(u), block);
      see(contact, block.multiplier[0] != 0 ? values[0] : std::min(values[0], 0.0), pass);
      pass.penetration = std::max(pass.penetration, -values[0]);
      if (!contact.row.rubs()) continue;
      for (Eigen::Index i = 1; i < 3; ++i) {
        const double off = values[i] + block.compliance[i] * block.multiplier[i];
        const bool inside = block.lower[i] < block.multiplier[i] && block.multiplier[i] < block.upper[i];
        if (inside) see(contact, off, pass);
      }
      if (passes_ > most_friction_passes) continue;
      const auto friction = contact.row.follow(values, allowed, part, block);
      wrong += friction.error * friction.error;
      all += friction.limit * friction.limit;
      pass.turned = pass.turned || friction.turned;
    }
    pass.settled = wrong <= friction_tolerance * friction_tolerance * all;
    if (passes_ <= most_friction_passes) friction_error_ = std::sqrt(wrong);
    pass.friction_error = friction_error_;
    add_entered(x, end, u, allowed, pass);
    return pass;
  }

  void see(const Contacting& contact, double off, contact::ContactPass& pass) {
    const double size = size_of_error(off);
    if (!(size > pass.error)) return;
    pass.error = size;
    blocked_ = {contact.point.node, {points_.colliders.number(contact.collider), -1}};
  }

  // Adds the contacts of points that have entered a collider.
  void add_entered(const Vector& x, const Vector& end, const Vector& u, double allowed,
                   contact::ContactPass& pass) {
    const std::size_t known = contacts_.size();
    points_.for_each_near(x, end, u, 0, [&](int number, int node, int body, int index, const Place& place) {
      const Point displacement = place.to - place.from;
      points_.colliders.if_entered(
          index, place.from, displacement,
          [&](const ContactPlane<3>& plane) {
            const double depth = plane.least + place.radius - plane.normal.dot(displacement);
            if (!(depth > 4 * allowed)) return;
            pass.penetration = std::max(pass.penetration, depth);
            const Point normal = points_.colliders[index].to.rotation().transpose() * plane.normal;
            for (std::size_t k = 0; k < contacts_.size(); ++k) {  // one that the next pass closes anyway
              if (k < known && contacts_[k].point.number == number && contacts_[k].collider == index &&
                  contacts_[k].row.local_normal().dot(normal) > 1 - 1e-9) {
                return;
              }
            }
            add({number, node, body, points_.colliders[index].body}, plane, x, place);
            pass.added = true;
          },
          place.radius);
    });
    if (!pass.added) return;
    // The right sides of the new rows, which belong to u = 0 so far.
    std::vector<RowBlock>& blocks = bodies_->rows().bounded;
    const std::size_t first = blocks.size() - contacts_.size();
    for (std::size_t k = known; k < contacts_.size(); ++k) {
      const Place place = points_.place_of(contacts_[k].point.number, x, end);
      const auto values = contacts_[k].row.values(contact_place(contacts_[k], place.to, u, false));
      RowBlock& block = blocks[first + k];
      set_right_side(contacts_[k].row, values, block.times(u), block);
      see(contacts_[k], std::min(values[0], 0.0), pass);
    }
  }

  // Records the contacts, and adds their forces on nodes and on centres of mass. Returns the number of
  // points in contact.
  int end_rows(Vector& forces) {
    found_.clear();
    for (JointLoad& load : found_loads_) load = {};
    const std::vector<RowBlock>& blocks = bodies_->rows().bounded;
    const std::size_t first = blocks.size() - contacts_.size();
    int touching = 0, last = -1;
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
      const Contacting& contact = contacts_[k];
      const RowBlock& block = blocks[first + k];
      if (!(block.multiplier[0] > 0)) continue;
      const Point force =
          contact.row.directions() *
          (contact.row.rubs() ? block.multiplier : RowBlock::Triple(block.multiplier[0], 0, 0));
      if (contact.point.number != last) ++touching;
      last = contact.point.number;
      found_.push_back(
          {contact.point.number,
           {contact.point.node, points_.colliders.number(contact.collider), contact.row.normal(), force}});
      block.for_each_node([&](int node, const RowBlock::Block& J) {
        const Point on_node = J.transpose() * block.multiplier;
        if (node < points_.node_count()) {
          forces.node(node) += force;
          return;
        }
        JointLoad& load = found_loads_[at((node - points_.node_count()) / 2)];
        if ((node - points_.node_count()) % 2 == 0) {
          load.force += on_node;
          forces.node(node) += on_node;
        } else {
          load.torque += bodies_->start_axes((node - points_.node_count()) / 2) * on_node;
        }
      });
    }
    return touching;
  }

  void accept() {
    std::swap(active_, found_);
    std::swap(body_loads_, found_loads_);
    if (!points_.colliders.empty()) points_.colliders.arrive();
  }

  Bodies* bodies_ = nullptr;
  TouchingPoints<isa> points_;
  Vector end_;
  int passes_ = 0;             // in this step
  double friction_error_ = 0;  // of the last pass that followed friction [N]
  contact::BlockedNode blocked_;
  std::vector<Contacting> contacts_;  // in this step
  std::vector<Touch> found_, active_;
  std::vector<JointLoad> found_loads_, body_loads_;
};

}  // namespace pliant::detail::rigid
