// Several constraints as one.
#pragma once

#include <tuple>
#include <utility>

#include <pliant/constraint/concept.hpp>

namespace pliant {

// The union of several constraints. Simulation constructs it from its constraints; several of them may hold
// the same node, but only one may move it.
template <class... Constraints>
class Together {
 public:
  explicit Together(Constraints... constraints) : constraints_(std::move(constraints)...) {}

  const std::tuple<Constraints...>& constraints() const { return constraints_; }

  template <int Dim>
  void describe(NodeConstraints<Dim>& nodes) const {
    static_assert((Constraint<Constraints, Dim> && ...),
                  "the arguments of Simulation from the fourth on must be constraints, e.g. Pinned(nodes)");
    std::apply([&](const auto&... each) { (each.describe(nodes), ...); }, constraints_);
  }

 private:
  std::tuple<Constraints...> constraints_;
};

}  // namespace pliant
