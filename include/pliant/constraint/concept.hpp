// The Constraint concept: a description of which nodes may not move freely.
//
// A model has one member
//   describe(NodeConstraints<Dim>& nodes) const
// that enters what it holds or moves, in the user's numbering. It never sees a matrix: the Filter
// (filter.hpp) applies the sum of all descriptions to A and b before a solver is called, so that no solver
// knows of constraints.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <pliant/core/error.hpp>
#include <pliant/core/matrix.hpp>

namespace pliant {

// Which nodes are held or moved, in the user's numbering.
template <int Dim>
class NodeConstraints {
 public:
  using Point = SmallVector<double, Dim>;
  using Path = std::function<Point(const Point& X, double time)>;  // where [m] the node of rest position X is

  // Nodes that go along a path together.
  struct Motion {
    std::vector<int> nodes;
    Path path;
  };

  explicit NodeConstraints(std::ptrdiff_t node_count)
      : held_(static_cast<std::size_t>(node_count), Held::no) {}

  // Holds a node where it is. `owner` names the constraint in the IndexError of a node that does not exist.
  void fix(int node, const char* owner) { hold(node, Held::in_place, owner); }

  // Moves nodes along a path; repetitions are allowed.
  void move(const std::vector<int>& nodes, Path path, const char* owner) {
    Motion motion{{}, std::move(path)};
    for (const int node : nodes) {
      require_node(node, owner);
      const bool repeated = held_[static_cast<std::size_t>(node)] == Held::by_this_path;
      if (repeated) continue;
      hold(node, Held::by_this_path, owner);
      motion.nodes.push_back(node);
    }
    for (const int node : motion.nodes) held_[static_cast<std::size_t>(node)] = Held::by_path;
    motions_.push_back(std::move(motion));
  }

  bool fixed(std::ptrdiff_t node) const { return held_[static_cast<std::size_t>(node)] != Held::no; }
  const std::vector<Motion>& motions() const { return motions_; }

 private:
  enum class Held : char { no, in_place, by_path, by_this_path };

  void require_node(int node, const char* owner) const {
    if (node < 0 || static_cast<std::size_t>(node) >= held_.size()) {
      throw IndexError(std::string(owner) + ": node", node, static_cast<std::ptrdiff_t>(held_.size()));
    }
  }

  void hold(int node, Held how, const char* owner) {
    require_node(node, owner);
    Held& held = held_[static_cast<std::size_t>(node)];
    if (held != Held::no && !(held == Held::in_place && how == Held::in_place)) {
      throw ParameterError(std::string(owner) + ": node", node,
                           "must be held or moved by one constraint only");
    }
    held = how;
  }

  std::vector<Held> held_;
  std::vector<Motion> motions_;
};

template <class C, int Dim>
concept Constraint = requires(const C& constraint, NodeConstraints<Dim>& nodes) {
  constraint.describe(nodes);  // enters the held and the moved nodes, in the user's numbering
};

}  // namespace pliant
