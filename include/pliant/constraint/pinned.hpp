// Nodes with fixed positions.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include <pliant/constraint/concept.hpp>

namespace pliant {

// Fixes the given nodes (user's numbering, repetitions allowed) in their positions, with velocity zero. If
// positions are set by hand between two steps, the nodes are fixed in these from then on. A Simulation throws
// IndexError for a node that does not exist.
class Pinned {
 public:
  explicit Pinned(std::vector<int> nodes) : nodes_(std::move(nodes)) {}

  template <class Other>
  explicit Pinned(const Other&) requires(!detail::constraint::are_nodes<Other> && std::is_class_v<Other> &&
                                         !std::is_same_v<Other, Pinned>) {
    static_assert(detail::core::always_false<Other>,
                  "Pinned takes the numbers of nodes: Pinned({0, 1, 2}), or "
                  "Pinned(nodes_where(mesh, [](const auto& X) { return X.y() > 0.9; }))");
  }

  const std::vector<int>& nodes() const { return nodes_; }

  template <int Dim>
  void describe(NodeConstraints<Dim>& constraints) const {
    for (const int node : nodes_) constraints.fix(node, "Pinned");
  }

 private:
  std::vector<int> nodes_;
};

static_assert(Constraint<Pinned, 3>);

}  // namespace pliant
