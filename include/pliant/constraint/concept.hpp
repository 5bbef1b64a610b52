// The Constraint concept: a description of which nodes may not move freely.
//
// A model has one member
//   describe(NodeConstraints& nodes) const
// that enters what it holds, in the user's numbering. It never sees a matrix: the Filter (filter.hpp) applies
// the sum of all descriptions to A and b before a solver is called, so that no solver knows of constraints.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <pliant/core/error.hpp>

namespace pliant {

// Which nodes are held, in the user's numbering.
class NodeConstraints {
 public:
  explicit NodeConstraints(std::ptrdiff_t node_count) : fixed_(static_cast<std::size_t>(node_count), false) {}

  // Holds a node where it is. `owner` names the constraint in the IndexError of a node that does not exist.
  void fix(int node, const char* owner) {
    if (node < 0 || static_cast<std::size_t>(node) >= fixed_.size()) {
      throw IndexError(std::string(owner) + ": node", node, static_cast<std::ptrdiff_t>(fixed_.size()));
    }
    fixed_[static_cast<std::size_t>(node)] = true;
  }

  bool fixed(std::ptrdiff_t node) const { return fixed_[static_cast<std::size_t>(node)]; }

 private:
  std::vector<bool> fixed_;
};

template <class C>
concept Constraint = requires(const C& constraint, NodeConstraints& nodes) {
  constraint.describe(nodes);  // enters the held nodes, in the user's numbering
};

}  // namespace pliant
