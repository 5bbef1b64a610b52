// The search for the contact planes of nodes in a step.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <pliant/constraint/bounded_nodes.hpp>
#include <pliant/constraint/filter.hpp>
#include <pliant/contact/response/colliders.hpp>
#include <pliant/contact/response/node_groups.hpp>

namespace pliant::detail::contact {

// A node that could not be kept out of the colliders, if any: preferably one to which two colliders leave no
// room, otherwise one that has entered a collider in spite of its planes; with the numbers of up to two of
// these colliders, or -1.
struct BlockedNode {
  int node = -1;
  std::array<int, 2> colliders{-1, -1};
};

// Finds the contact planes that each node could touch in a step (`find`), and then the surfaces that a
// displacement crosses although no plane predicted them (`find_entered`), so that no node passes through a
// collider at any speed. The planes bound the nodes (`rebuild`).
template <class VectorType>  // a NodeVector
class ContactSearch {
 public:
  using Vector = VectorType;
  using Scalar = typename Vector::Scalar;
  static constexpr int dim = Vector::dim;
  using Point = SmallVector<double, dim>;
  using Square = SmallMatrix<double, dim, dim>;
  using Bounds = BoundedNodes<Vector>;

  // The nodes that may get planes: all, or in find_entered only those that have planes already.
  enum class Nodes { all, bounded };

  Colliders<dim> colliders;
  Bounds bounds;

  // `size` [m]: of the coordinates at rest, relative to `origins`.
  void prepare(std::ptrdiff_t node_count, double size, Origins<dim> origins) {
    origins_ = std::move(origins);
    size_ = size;
    colliders.prepare(size, 256 * static_cast<double>(std::numeric_limits<Scalar>::epsilon()));
    restrained_.assign(static_cast<std::size_t>(node_count), unconstrained);
    planes_.resize(static_cast<std::size_t>(node_count));
    entered_.assign(static_cast<std::size_t>(node_count), 0);
    groups_ = NodeGroups<Vector>(node_count, origins_);
    bounded_.assign(static_cast<std::size_t>(groups_.count()), 0);
    changed_ = bounded_;
  }

  template <class Filter>
  void set_constraints(const Filter& filter) {
    std::vector<Square> projections;
    filter.for_each_restrained([&](int, const auto& S) { projections.push_back(S.template cast<double>()); });
    projections_ = std::move(projections);  // no allocation after this
    std::fill(restrained_.begin(), restrained_.end(), int{unconstrained});
    int index = 0;
    filter.for_each_restrained(
        [&](int node, const auto&) { restrained_[static_cast<std::size_t>(node)] = index++; });
  }

  std::ptrdiff_t node_count() const { return std::ssize(restrained_); }
  WorldPositions<Vector> world(const Vector& x) const { return {x, origins_}; }
  Point world_end(const Vector& x, const Vector& u, std::ptrdiff_t i) const {
    return (x.node(i) + u.node(i)).template cast<double>() + origins_.of(i);
  }
  const NodePlanes<dim>& planes(int node) const { return planes_[static_cast<std::size_t>(node)]; }

  bool is_constrained(std::ptrdiff_t i) const {
    return restrained_[static_cast<std::size_t>(i)] != unconstrained;
  }
  Square free_directions(std::ptrdiff_t i) const {
    const int index = restrained_[static_cast<std::size_t>(i)];
    return index == unconstrained ? Square::Identity() : projections_[static_cast<std::size_t>(index)];
  }

  // Calls use(i) for each node with planes, in order.
  template <class Use>
  void for_each_with_planes(Use&& use) const {
    for (int group = 0; group < groups_.count(); ++group) {
      if (bounded_[static_cast<std::size_t>(group)] == 0) continue;
      for (int i = groups_.begin(group); i < groups_.end(group); ++i) {
        if (planes(i).count > 0) use(i);
      }
    }
  }

  // Moves the nodes inside a collider at the start of the step to its surface. Returns whether there are any.
  bool push_out(Vector& x) {
    groups_.for_each([&](int group) {
      char& changed = changed_[static_cast<std::size_t>(group)] = 0;
      if (!colliders.any_near({groups_.box(world(x), group), {Point::Zero(), Point::Zero()}})) return;
      for (int i = groups_.begin(group); i < groups_.end(group); ++i) {
        Point at = world(x).of(i);
        if (immovable(i)) continue;
        if (!colliders.push_out(at, world(x).size(i), [&] { return free_directions(i); })) continue;
        x.node(i) = Point(at - origins_.of(i)).template cast<Scalar>();
        changed = 1;
      }
    });
    return any_changed();
  }

  // The planes within `beyond` [m] of the displacements u from x.
  void find(const Vector& x, const Vector& u, double beyond, Nodes nodes) {
    groups_.for_each([&](int group) {
      const NodeRegion<dim> around = region(group, x, u);
      char& bounded = bounded_[static_cast<std::size_t>(group)] = 0;
      bool begun = false;
      const auto begin_planes = [&] {
        begun = true;
        for (int i = groups_.begin(group); i < groups_.end(group); ++i) {
          auto& planes = planes_[static_cast<std::size_t>(i)];
          planes.count = 0;
          planes.size = std::max(size_, world(x).size(i));
        }
      };
      if (nodes == Nodes::all) begin_planes();
      for (int collider = 0; collider < colliders.count(); ++collider) {
        if (!colliders.near(collider, around, beyond)) continue;
        if (!begun) begin_planes();
        for (int i = groups_.begin(group); i < groups_.end(group); ++i) {
          if (immovable(i)) continue;
          auto& planes = planes_[static_cast<std::size_t>(i)];
          const Point displacement = point(u, i);
          colliders.meet(collider, world(x).of(i), displacement, length<dim>(displacement) + beyond, planes);
          if (planes.count > 0) bounded = 1;
        }
      }
    });
  }

  // Adds planes where the displacements u enter a collider. Returns whether there are any.
  bool find_entered(const Vector& x, const Vector& u, Nodes nodes) {
    groups_.for_each([&](int group) {
      char& bounded = bounded_[static_cast<std::size_t>(group)];
      char& changed = changed_[static_cast<std::size_t>(group)] = 0;
      if (nodes == Nodes::bounded && bounded == 0) return;
      std::fill(entered_.begin() + groups_.begin(group), entered_.begin() + groups_.end(group), char{0});
      if (!colliders.any_near(region(group, x, u))) return;
      for (int i = groups_.begin(group); i < groups_.end(group); ++i) {
        auto& planes = planes_[static_cast<std::size_t>(i)];
        if (immovable(i) || (nodes == Nodes::bounded && planes.count == 0)) continue;
        const Point from = world(x).of(i), displacement = point(u, i);
        const int m = bounds.place(i);
        double rounding = 8 * colliders.tolerance(planes.size);
        if (m >= 0) {
          const auto& bounded_node = bounds.nodes()[static_cast<std::size_t>(m)];
          rounding = std::max(rounding, 2 * static_cast<double>(bounded_node.rounding_at(u.node(i))));
        }
        colliders.for_each_entered(from, displacement, [&](const ContactPlane<dim>& plane) {
          if (plane.least - algebra::dot<double, dim>(plane.normal, displacement) <= rounding) return;
          planes.force_insert(plane, displacement);
          entered_[static_cast<std::size_t>(i)] = changed = bounded = 1;
        });
      }
    });
    return any_changed();
  }

  // The bounds that follow from the planes. `prescribed`: the displacements by constraints [m].
  void rebuild(const Vector& x, const Vector& prescribed) {
    bounds.clear(x.nodes());
    for_each_with_planes(
        [&](int i) { bounds.add(i, planes(i), free_directions(i), point(prescribed, i), planes(i).size); });
  }

  // Moves the nodes that find_entered has found to their bounds.
  void move_back(Vector& u) const {
    for (const auto& bounded : bounds.nodes()) {
      if (entered_[static_cast<std::size_t>(bounded.node)] == 0) continue;
      u.node(bounded.node) = Bounds::nearest(bounded, u.node(bounded.node));
    }
  }

  BlockedNode blocked() const {
    BlockedNode result;
    for (const auto& bounded : bounds.nodes()) {
      if (bounded.crossed >= 0) {
        const auto axis = static_cast<std::size_t>(bounded.crossed);
        return {bounded.node, {colliders.number(bounded.below[axis]), colliders.number(bounded.above[axis])}};
      }
      if (result.node >= 0 || entered_[static_cast<std::size_t>(bounded.node)] == 0) continue;
      result.node = bounded.node;
      for (const ContactPlane<dim>& plane : planes(bounded.node)) {
        auto& [first, second] = result.colliders;
        if (first < 0) first = colliders.number(plane.collider);
        else if (second < 0 && first != colliders.number(plane.collider))
          second = colliders.number(plane.collider);
      }
    }
    return result;
  }

 private:
  static constexpr int unconstrained = -1;

  static Point point(const Vector& vector, std::ptrdiff_t i) {
    return vector.node(i).template cast<double>();
  }

  NodeRegion<dim> region(int group, const Vector& x, const Vector& u) const {
    return {groups_.box(world(x), group), groups_.box(u, group)};
  }

  bool any_changed() const {
    return std::any_of(changed_.begin(), changed_.end(), [](char changed) { return changed != 0; });
  }

  bool immovable(std::ptrdiff_t i) const {
    const int index = restrained_[static_cast<std::size_t>(i)];
    return index != unconstrained && projections_[static_cast<std::size_t>(index)].isZero();
  }

  NodeGroups<Vector> groups_;
  Origins<dim> origins_;
  double size_ = 0;              // [m]
  std::vector<int> restrained_;  // of each node: its index in projections_, or unconstrained
  std::vector<Square> projections_;
  std::vector<NodePlanes<dim>> planes_;  // of each node, used if its group may be bounded
  std::vector<char> entered_;            // whether find_entered has found a node, the same
  std::vector<char> bounded_;            // whether any node of a group has planes
  std::vector<char> changed_;            // whether any node of a group was moved, or got a plane
};

}  // namespace pliant::detail::contact
