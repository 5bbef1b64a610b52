// The colliders of a simulation: their poses in a step, and the contact planes that they give to a node.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <pliant/algebra/pose.hpp>
#include <pliant/constraint/bounded_nodes.hpp>
#include <pliant/contact/shape/any_collider.hpp>
#include <pliant/contact/shape/surface.hpp>
#include <pliant/core/error.hpp>

namespace pliant {

// The contact planes of a node.
template <int Dim>
struct NodePlanes {
  static constexpr int most = Dim + 1;

  int count = 0;
  double size = 0;  // of the coordinates of the node, see WorldPositions::size [m]
  std::array<ContactPlane<Dim>, std::size_t{most}> list;

  auto begin() const { return list.begin(); }
  auto end() const { return list.begin() + count; }

  void add(const ContactPlane<Dim>& plane) {
    if (count < most) list[static_cast<std::size_t>(count++)] = plane;
  }

  // Adds a plane at the front; if full, drops the plane farthest from u.
  void force_insert(const ContactPlane<Dim>& plane, const SmallVector<double, Dim>& u) {
    auto spare = list.begin() + count;
    if (count == most) {
      const auto slack = [&](const ContactPlane<Dim>& other) {
        return detail::algebra::dot<double, Dim>(other.normal, u) - other.least;
      };
      spare = std::max_element(list.begin(), list.end(),
                               [&](const auto& a, const auto& b) { return slack(a) < slack(b); });
    } else {
      ++count;
    }
    std::move_backward(list.begin(), spare, spare + 1);
    list.front() = plane;
  }
};

// Boxes around the positions and around the displacements of some nodes [m].
template <int Dim>
struct NodeRegion {
  AxisAlignedBox<Dim> x, displacement;
};

// Colliders are at their poses at the end of a step, and move evenly during the step. Points and
// displacements are in the world [m]. Const functions may be called by several threads at once.
//
// Users refer to a collider by its number, which is never used again. Internally a collider has an
// index in the list of the present colliders, ordered by their numbers: after a removal the indices of later
// colliders change, and nothing of the removed one is left.
template <int Dim>
class Colliders {
 public:
  using Point = SmallVector<double, Dim>;
  using Square = SmallMatrix<double, Dim, Dim>;
  using Path = std::function<Pose<Dim>(double time)>;
  using Planes = NodePlanes<Dim>;

  struct Collider {
    detail::contact::AnyCollider<Dim> shape;
    AxisAlignedBox<Dim> bounds;  // of the shape
    Surface surface;
    Path path;                // empty if it is moved by `move`
    Pose<Dim> from, to;       // in this step, or in the current part of it
    Pose<Dim> start, target;  // of `move`, in this step; `target` is where it goes
    bool moves;               // by `move`
    int number;
    int body = none;  // a rigid body that carries it, which sets its poses by `carry`
  };
  static constexpr int none = -1;

  // `size` [m]: of the coordinates; `rounding` [-]: rounding errors of distances, relative to that.
  void prepare(double size, double rounding) {
    size_ = size;
    rounding_ = rounding;
  }

  // Throws ParameterError for an invalid collider or surface, and for an invalid current pose of its path.
  // Returns its number, which is never used again.
  int add(detail::contact::AnyCollider<Dim> shape, const Surface& surface, Path path, double time) {
    shape.check();
    surface.check();
    detail::core::require_parameter(added_ < std::numeric_limits<int>::max(), "colliders added so far",
                                    added_, "must leave a number for this one");
    const auto box = shape.bounds();
    Collider collider{std::move(shape), box, surface, std::move(path), {}, {}, {}, {}, false, added_};
    if (collider.path) collider.start = collider.from = collider.to = on_path(added_, collider.path, time);
    list_.push_back(std::move(collider));
    return added_++;
  }

  // The same for one that a rigid body carries.
  int add_carried(int body, detail::contact::AnyCollider<Dim> shape, const Surface& surface) {
    const int number = add(std::move(shape), surface, nullptr, 0);
    list_.back().body = body;
    return number;
  }
  // Sets the poses of a carried collider at the start of a step and at its end.
  void carry(int index, const Pose<Dim>& from, const Pose<Dim>& to) {
    Collider& collider = list_[static_cast<std::size_t>(index)];
    collider.from = collider.start = from;
    collider.to = to;
  }

  // In the next step a collider moves to a pose, and stays there. Both functions throw IndexError for a
  // collider that does not exist, this one ParameterError for one that a body carries.
  void move(int number, const Pose<Dim>& pose) {
    Collider& collider = list_[static_cast<std::size_t>(index_of(number))];
    if (collider.body != none) throw ParameterError("move_collider: collider", number, "a body carries it");
    collider.path = nullptr;
    collider.target = pose;
    collider.moves = true;
  }

  // Returns its former index.
  int remove(int number) {
    const int index = index_of(number);
    list_.erase(list_.begin() + index);
    return index;
  }

  // The poses of the colliders, see core/history.hpp; without their shapes and paths.
  struct Placed {
    int number;
    bool on_path;
    bool moves;  // to `target` in the next step
    Pose<Dim> start, target;
  };
  using History = std::vector<Placed>;

  void save(History& history) const {
    history.clear();
    for (const Collider& collider : list_) {
      history.push_back({collider.number, static_cast<bool>(collider.path), collider.moves, collider.start,
                         collider.target});
    }
  }
  // Throws StateError if the colliders differ, or if one has a path in the state or here only.
  void check(const History& history) const {
    auto placed = history.begin();
    const auto differs = [](int number, const char* difference) {
      throw StateError("collider " + std::to_string(number), difference);
    };
    for (const Collider& collider : list_) {
      const int number = collider.number;
      if (placed != history.end() && placed->number < number) differs(placed->number, not_here);
      if (placed == history.end() || placed->number > number) differs(number, "not in the state, but here");
      if (placed->on_path != static_cast<bool>(collider.path)) {
        differs(number, placed->on_path ? "on a path in the state, without one here"
                                        : "without a path in the state, on one here");
      }
      ++placed;
    }
    if (placed != history.end()) differs(placed->number, not_here);
  }
  void restore(History&& history) {
    for (const Placed& placed : history) {
      Collider& collider = list_[static_cast<std::size_t>(index_of(placed.number))];
      collider.start = collider.from = collider.to = placed.start;
      collider.target = placed.target;
      collider.moves = placed.moves;
    }
  }

  bool empty() const { return list_.empty(); }
  int count() const { return static_cast<int>(list_.size()); }
  const Collider& operator[](int index) const { return list_[static_cast<std::size_t>(index)]; }

  // Of the collider with an index; -1 for none.
  int number(int index) const { return index < 0 ? -1 : (*this)[index].number; }

  bool have_friction() const {
    return std::any_of(list_.begin(), list_.end(), [](const Collider& collider) {
      return collider.surface.friction > 0 || collider.surface.viscosity > 0;
    });
  }

  // Sets the poses of a step, or of the part of it from `begun` to `done` [-], between two times [s]:
  // colliders on a path have its poses at these times; those moved by `move` move evenly through the whole
  // step. Throws ParameterError for an invalid pose of a path.
  void set_interval(double begin, double end, double begun = 0, double done = 1) {
    for (Collider& collider : list_) {
      if (collider.body != none) continue;
      if (collider.path) {
        collider.from = on_path(collider.number, collider.path, begin);
        collider.to = on_path(collider.number, collider.path, end);
      } else if (collider.moves) {
        collider.from = collider.start.towards(collider.target, begun);
        collider.to = collider.start.towards(collider.target, done);
      } else {
        collider.from = collider.to = collider.start;
      }
    }
  }

  // Completes the motions of a step.
  void arrive() {
    for (Collider& collider : list_) {
      collider.start = collider.from = collider.to;
      collider.moves = false;
    }
  }

  // The rounding errors of distances between points with coordinates of a size [m].
  double tolerance(double size) const { return rounding_ * std::max(size_, size); }

  // Moves a point that is inside a collider at the start of the step to its surface, as far as
  // free_directions(), the projection onto its free directions, allows; `size` [m] is that of its
  // coordinates. Returns false if it is in no collider.
  template <class FreeDirections>
  bool push_out(Point& x, double size, FreeDirections&& free_directions) const {
    bool moved = false;
    for (const Collider& collider : list_) {
      const Point local = collider.from.to_local(x);
      const double thickness = collider.surface.thickness;
      if (apart(collider, local, local, thickness)) continue;
      const auto near = collider.shape.nearest(local, thickness);
      if (!near || near->distance >= thickness - tolerance(size)) continue;
      const Point out = (thickness - near->distance) * collider.from.rotated(near->normal);
      x += detail::algebra::times<double, Dim, Dim, 1>(free_directions(), out);
      moved = true;
    }
    return moved;
  }

  // Whether a collider may touch any node of a region. If not, push_out and for_each_entered find nothing
  // there, nor does meet with a reach of at most the displacement of a node plus `beyond` [m].
  bool near(int index, const NodeRegion<Dim>& region, double beyond) const {
    const Collider& collider = (*this)[index];
    const auto& [x, u] = region;
    AxisAlignedBox<Dim> end = x;
    Point longest;
    for (int k = 0; k < Dim; ++k) {
      end.lower[k] += u.lower[k];
      end.upper[k] += u.upper[k];
      longest[k] = std::max(-u.lower[k], u.upper[k]);
    }
    AxisAlignedBox<Dim> swept = local_box(collider.from, x);
    swept.include(local_box(collider.to, end));
    const double size =
        std::max(detail::contact::largest_entry<Dim>(x.lower), detail::contact::largest_entry<Dim>(x.upper));
    const double thickness = collider.surface.thickness,
                 reach = detail::contact::length<Dim>(longest) + beyond;
    return !apart(collider, swept, std::max(reach + thickness, closeness(thickness, size)));
  }
  bool any_near(const NodeRegion<Dim>& region) const {
    for (int index = 0; index < count(); ++index) {
      if (near(index, region, 0)) return true;
    }
    return false;
  }

  // Adds the planes of a collider that a node with the displacement u from x could touch: of the surface
  // on which it rests, of the point of entry, or else of the surface nearest to the end, if within `reach`
  // [m]. A ball is a node at its centre with a `radius`, which adds to the thickness of the surface [m].
  void meet(int index, const Point& x, const Point& u, double reach, Planes& planes,
            double radius = 0) const {
    const Collider& collider = (*this)[index];
    const Point from = collider.from.to_local(x), to = collider.to.to_local(Point(x + u));
    const double thickness = collider.surface.thickness + radius;
    const double close = closeness(thickness, planes.size);
    if (apart(collider, from, to, std::max(reach + thickness, close))) return;
    const auto here = collider.shape.nearest(from, close);
    const bool rests = here && here->distance <= close;
    if (rests) planes.add(plane_of(index, x, here->point, here->normal));
    const auto hit = collider.shape.first_hit(from, to);
    if (hit) planes.add(plane_of(index, x, hit->point, hit->normal));
    if (rests || hit) return;
    const auto there = collider.shape.nearest(to, reach + thickness);
    if (there) planes.add(plane_of(index, x, there->point, there->normal));
  }

  // Calls use(plane) if a node with a displacement from x enters a collider, and for each collider that
  // contains its end: a node that starts on one facet and slides past an edge below the next one is detected
  // at its end only.
  template <class Use>
  void for_each_entered(const Point& x, const Point& u, Use&& use) const {
    for (int index = 0; index < count(); ++index) if_entered(index, x, u, use);
  }
  // The same for one collider, and for a ball.
  template <class Use>
  void if_entered(int index, const Point& x, const Point& u, Use&& use, double radius = 0) const {
    const Collider& collider = (*this)[index];
    const Point from = collider.from.to_local(x), to = collider.to.to_local(Point(x + u));
    const double thickness = collider.surface.thickness + radius;
    if (apart(collider, from, to, thickness)) return;
    const auto hit = collider.shape.first_hit(from, to);
    if (hit) use(plane_of(index, x, hit->point, hit->normal));
    const auto there = collider.shape.nearest(to, thickness);
    if (there && there->distance < thickness) use(plane_of(index, x, there->point, there->normal));
  }

 private:
  static constexpr const char* not_here = "in the state, but not here";

  // An error in the pose names the collider.
  static Pose<Dim> on_path(int number, const Path& path, double time) {
    try {
      return path(time);
    } catch (const ParameterError& error) {
      throw ParameterError("collider " + std::to_string(number) + ": " + error.parameter(), error.value(),
                           error.requirement());
    }
  }

  int index_of(int number) const {
    const auto found = std::lower_bound(list_.begin(), list_.end(), number,
                                        [](const Collider& a, int b) { return a.number < b; });
    if (found == list_.end() || found->number != number) throw IndexError("collider", number, added_);
    return static_cast<int>(found - list_.begin());
  }

  // The distance from a surface at which a node touches it [m].
  double closeness(double thickness, double size) const { return 1.01 * thickness + tolerance(size); }

  // A box in the frame of a collider that contains a box in the world, including rounding.
  static AxisAlignedBox<Dim> local_box(const Pose<Dim>& pose, const AxisAlignedBox<Dim>& box) {
    Point middle, half;
    for (int k = 0; k < Dim; ++k) {
      middle[k] = (box.lower[k] + box.upper[k]) / 2;
      half[k] = (box.upper[k] - box.lower[k]) / 2;
    }
    const double size = detail::contact::largest_entry<Dim>(middle) +
                        detail::contact::largest_entry<Dim>(half) +
                        detail::contact::largest_entry<Dim>(pose.translation());
    const Point centre = pose.to_local(middle);
    AxisAlignedBox<Dim> result;
    for (int k = 0; k < Dim; ++k) {
      double extent = detail::contact::on_surface * size;
      for (int j = 0; j < Dim; ++j) extent += std::abs(pose.rotation()(j, k)) * half[j];
      result.lower[k] = centre[k] - extent;
      result.upper[k] = centre[k] + extent;
    }
    return result;
  }

  // Whether a box or a segment is outside a collider and farther than `reach` from it, in its frame.
  static bool apart(const Collider& collider, const AxisAlignedBox<Dim>& box, double reach) {
    return collider.bounds.apart(box, reach) || collider.shape.apart(box, reach);
  }
  static bool apart(const Collider& collider, const Point& from, const Point& to, double reach) {
    AxisAlignedBox<Dim> box{from, from};
    box.include(to);
    return apart(collider, box, reach);
  }

  ContactPlane<Dim> plane_of(int index, const Point& x, const Point& point, const Point& normal) const {
    const Collider& collider = (*this)[index];
    const Point n = collider.to.rotated(normal), p = collider.to.to_world(point);
    return {n, detail::algebra::dot<double, Dim>(n, Point(p - x)) + collider.surface.thickness, index};
  }

  std::vector<Collider> list_;
  int added_ = 0;                   // so far
  double size_ = 0, rounding_ = 0;  // [m], [-]
};

}  // namespace pliant
