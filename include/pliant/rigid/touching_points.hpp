// The points of a System that colliders keep out, and the search for those that are near one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <pliant/contact/response/colliders.hpp>
#include <pliant/contact/response/node_groups.hpp>
#include <pliant/rigid/jointed_bodies.hpp>

namespace pliant::detail::rigid {

// A point with contact: a node of the solid, or a point of a body.
struct TouchingPoint {
  int number;   // nodes first, then those of the bodies
  int node;     // of the System: the node, or the centre of mass of the body
  int body;     // of the point, or world_body
  int carrier;  // of the collider, or world_body
};

// The nodes of the solid that constraints leave free, the points of bodies, and the colliders of both and of
// the world.
template <Isa isa>
class TouchingPoints {
  using Bodies = JointedBodies<isa>;
  using Axes = SmallMatrix<double, 3, 3>;

 public:
  using Vector = typename Bodies::Vector;
  using Point = SmallVector<double, 3>;

  // From the start of a step to its end; a ball has a radius around it [m].
  struct Place {
    Point from, to;
    double radius = 0;
  };

  Colliders<3> colliders;

  // `system` is a JointedBodies that stays in place.
  template <class System>
  void prepare(const System& system) {
    bodies_ = &system;
    nodes_ = static_cast<int>(bodies_->first_node());
    double size = 1;  // tolerances are at least those of a scene of 1 m, because those of rows are so
    for (std::ptrdiff_t i = 0; i < nodes_; ++i)
      size = std::max(size, system.rest().node(i).cwiseAbs().maxCoeff());
    colliders.prepare(size, 1e-10);
    reach_ = 0.25 * system.node_spacing();
    groups_ = contact::NodeGroups<Vector>(nodes_, no_origins_);
    connected_ = system.connections();
    free_.assign(static_cast<std::size_t>(nodes_), every_direction);
    points_.clear();
    for (const CarriedCollider& collider : bodies_->mechanism().colliders()) {
      const int number = colliders.add_carried(collider.body, collider.shape, collider.surface);
      for (const ContactPoint& point : collider.points) {
        points_.push_back({collider.body, number, point});
      }
    }
    std::stable_sort(points_.begin(), points_.end(),
                     [](const auto& a, const auto& b) { return a.body < b.body; });
  }

  template <class Filter>
  void set_constraints(const Filter& filter) {
    std::vector<Axes> projections;
    filter.for_each_restrained([&](int, const auto& S) { projections.push_back(S); });
    projections_ = std::move(projections);  // no allocation after this
    std::fill(free_.begin(), free_.end(), int{every_direction});
    int index = 0;
    filter.for_each_restrained([&](int node, const auto&) { free_[at(node)] = index++; });
  }

  // Removes a collider, with the points of its shape.
  void remove(int number) {
    colliders.remove(number);
    std::erase_if(points_, [&](const BodyPoint& point) { return point.collider == number; });
  }

  int node_count() const { return nodes_; }  // of the solid
  double reach() const { return reach_; }    // see reach_

  // The projection of a node onto its free directions.
  Axes free_directions(int node) const {
    const int index = free_[at(node)];
    return index == every_direction ? Axes::Identity() : projections_[at(index)];
  }

  // Sets the poses of carried colliders for a step from x to `end`.
  void carry(const Vector& x, const Vector& end) {
    for (int index = 0; index < colliders.count(); ++index) {
      const int body = colliders[index].body;
      if (body != world_body) colliders.carry(index, bodies_->pose(x, body), bodies_->pose(end, body));
    }
  }

  Place place_of(int number, const Vector& x, const Vector& end) const {
    if (number < nodes_) return {x.node(number), end.node(number)};
    const BodyPoint& of_body = points_[at(number - nodes_)];
    return {bodies_->pose(x, of_body.body).to_world(of_body.point.at),
            bodies_->pose(end, of_body.body).to_world(of_body.point.at), of_body.point.radius};
  }

  // Calls use(number, node, body, index of the collider, place) for each point that may touch a collider.
  template <class Use>
  void for_each_near(const Vector& x, const Vector& end, const Vector& u, double beyond, Use&& use) {
    for (int index = 0; index < colliders.count(); ++index) {
      for (int group = 0; group < groups_.count(); ++group) {
        if (!colliders.near(index, {groups_.box(x, group), groups_.box(u, group)}, beyond)) continue;
        for (int i = groups_.begin(group); i < groups_.end(group); ++i) {
          if (immovable(i) || apart(index, i, world_body)) continue;
          use(i, i, world_body, index, place_of(i, x, end));
        }
      }
      for (std::size_t k = 0; k < points_.size();) {
        const int body = points_[k].body, node = static_cast<int>(bodies_->centre_node(body));
        std::size_t last = k;
        while (last < points_.size() && points_[last].body == body) ++last;
        if (!apart(index, node, body)) {
          for (; k < last; ++k) {
            const int number = nodes_ + static_cast<int>(k);
            use(number, node, body, index, place_of(number, x, end));
          }
        }
        k = last;
      }
    }
  }

  // Moves nodes without joints that are inside a collider at the start to its surface. Returns whether there
  // are any.
  bool push_out(Vector& x) {
    bool moved = false;
    for (int group = 0; group < groups_.count(); ++group) {
      if (!colliders.any_near({groups_.box(x, group), {Point::Zero(), Point::Zero()}})) continue;
      for (int i = groups_.begin(group); i < groups_.end(group); ++i) {
        if (has_joint(i) || immovable(i)) continue;
        Point where = x.node(i);
        if (!colliders.push_out(where, size_of(where), [&] { return free_directions(i); })) continue;
        x.node(i) = where;
        moved = true;
      }
    }
    return moved;
  }

 private:
  static constexpr int every_direction = -1;

  struct BodyPoint {
    int body, collider;
    ContactPoint point;
  };
  static std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }
  static double size_of(const Point& point) { return contact::largest_entry<3>(point); }
  bool immovable(int node) const {
    const int index = free_[at(node)];
    return index != every_direction && projections_[at(index)].isZero();
  }

  // Whether a joint connects a node with something; whether it connects a node, or a body, with a body.
  bool has_joint(int node) const {
    const auto first = std::lower_bound(connected_.begin(), connected_.end(), std::pair(node, world_body));
    return first != connected_.end() && first->first == node;
  }
  bool connects(int node, int body) const {
    return std::binary_search(connected_.begin(), connected_.end(), std::pair(node, body));
  }
  // The same for a collider, by its index, and a point on a node of the System.
  bool apart(int index, int node, int body) const {
    const int carrier = colliders[index].body;
    return carrier != world_body && (carrier == body || connects(node, carrier));
  }

  const Bodies* bodies_ = nullptr;
  Origins<3> no_origins_;
  contact::NodeGroups<Vector> groups_;
  std::vector<std::pair<int, int>> connected_;  // a node of the System, and a body or the world; ascending
  std::vector<BodyPoint> points_;               // by body
  std::vector<int> free_;                       // of each node of the solid: its index in projections_
  std::vector<Axes> projections_;
  int nodes_ = 0;     // of the solid
  double reach_ = 0;  // beyond the displacement of a node, in which its contacts are sought [m]
};

}  // namespace pliant::detail::rigid
