// Nested dissection: in which order to eliminate the unknowns of a mesh so that few new entries arise and the
// elimination falls into parts that have nothing to do with each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <pliant/linear_solver/minimum_degree.hpp>

namespace pliant {
namespace detail {

// One run of `nested_dissection`.
template <class Positions>
class NestedDissection {
 public:
  NestedDissection(const Adjacency& graph, const Positions& positions)
      : graph_(graph),
        positions_(positions),
        side_(graph.begin.size() - 1, elsewhere),
        inside_{std::vector<int>(side_.size(), -1), {}} {}

  std::vector<int> run() {
    std::vector<int> nodes(side_.size());
    std::iota(nodes.begin(), nodes.end(), 0);
    dissect(std::move(nodes));
    return std::move(order_);
  }

 private:
  static constexpr int smallest = 100;  // nodes that are worth cutting
  enum Side : signed char { elsewhere, low, high, between };

  static constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

  // Orders some nodes: those on one side of a plane, those on the other, and last those between.
  void dissect(std::vector<int> nodes) {
    if (std::ssize(nodes) <= smallest) return order_by_degree(nodes);
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    int best = -1;
    for (int axis = 0; axis < static_cast<int>(positions_.rows()); ++axis) {
      const auto [separator, largest] = cut(nodes, axis);
      if (separator < fewest && largest <= 2 * nodes.size() / 3) {
        fewest = separator;
        best = axis;
      }
      forget(nodes);
    }
    if (best < 0) return order_by_degree(nodes);  // they lie on top of each other
    cut(nodes, best);
    std::vector<int> parts[4];
    for (const int node : nodes) parts[side_[at(node)]].push_back(node);
    forget(nodes);
    nodes = {};
    dissect(std::move(parts[low]));
    dissect(std::move(parts[high]));
    order_.insert(order_.end(), parts[between].begin(), parts[between].end());
  }

  void forget(const std::vector<int>& nodes) {
    for (const int node : nodes) side_[at(node)] = elsewhere;
  }

  // Puts the nodes on their sides of their median along an axis, and those of the low side that have a
  // neighbour on the high one between them. Returns how many these are and how many the larger side has.
  std::pair<std::size_t, std::size_t> cut(const std::vector<int>& nodes, int axis) {
    std::vector<double> along;
    along.reserve(nodes.size());
    for (const int node : nodes) along.push_back(static_cast<double>(positions_(axis, node)));
    const auto middle = along.begin() + std::ssize(along) / 2;
    std::nth_element(along.begin(), middle, along.end());
    const double median = *middle;
    std::size_t counts[4] = {};
    for (const int node : nodes) {
      side_[at(node)] = static_cast<double>(positions_(axis, node)) <= median ? low : high;
    }
    for (const int node : nodes) {
      if (side_[at(node)] == low) {
        const auto first = graph_.list.begin() + graph_.begin[at(node)],
                   last = graph_.list.begin() + graph_.begin[at(node) + 1];
        if (std::any_of(first, last, [&](int other) { return side_[at(other)] == high; })) {
          side_[at(node)] = between;
        }
      }
      ++counts[side_[at(node)]];
    }
    return {counts[between], std::max(counts[low], counts[high])};
  }

  void order_by_degree(const std::vector<int>& nodes) {
    inside_.to_user = nodes;
    for (std::size_t k = 0; k < nodes.size(); ++k) inside_.to_internal[at(nodes[k])] = static_cast<int>(k);
    for (const int k : minimum_degree(renumbered(graph_, inside_))) order_.push_back(nodes[at(k)]);
    for (const int node : nodes) inside_.to_internal[at(node)] = -1;
  }

  const Adjacency& graph_;
  const Positions& positions_;
  std::vector<Side> side_;
  Numbering inside_;  // of the nodes that are ordered by degree; -1: not among them
  std::vector<int> order_;
};

}  // namespace detail

// The nodes of a graph in the order in which to eliminate them. `positions`: of the nodes, one column for
// each; any unit. George 1973; a plane through the median of the nodes cuts them, normal to the axis for
// which fewest nodes lie between the sides.
template <class Positions>
std::vector<int> nested_dissection(const Adjacency& graph, const Positions& positions) {
  return detail::NestedDissection<Positions>(graph, positions).run();
}

}  // namespace pliant
