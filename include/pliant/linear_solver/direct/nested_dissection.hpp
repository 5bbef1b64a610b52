// Nested dissection: an order of elimination of the unknowns of a mesh with little fill-in, for which the
// elimination splits into independent parts.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <pliant/linear_solver/direct/minimum_degree.hpp>

namespace pliant::detail::linear_solver {

// One run of `nested_dissection`.
class NestedDissection {
 public:
  explicit NestedDissection(const Adjacency& graph)
      : graph_(graph),
        side_(graph.begin.size() - 1, elsewhere),
        distance_(side_.size(), elsewhere),
        inside_{std::vector<int>(side_.size(), -1), {}} {}

  std::vector<int> run() {
    std::vector<int> nodes(side_.size());
    std::iota(nodes.begin(), nodes.end(), 0);
    dissect(std::move(nodes));
    return std::move(order_);
  }

 private:
  static constexpr int smallest = 100;  // smaller sets are not cut
  enum Side : signed char { elsewhere = -1, low, high, between };

  // One number for each of some nodes.
  using Coordinate = std::vector<int>;

  static constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

  // Orders some nodes: those on one side of a cut, those on the other side, and last the separator between
  // them.
  void dissect(std::vector<int> nodes) {
    if (std::ssize(nodes) <= smallest) return order_by_degree(nodes);
    const auto coordinates = coordinates_of(nodes);
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    std::pair<const Coordinate*, int> best{nullptr, 0};
    for (const Coordinate& along : coordinates) {
      Coordinate sorted = along;
      const auto middle = sorted.begin() + std::ssize(sorted) / 2;
      std::nth_element(sorted.begin(), middle, sorted.end());
      // Many nodes may have the median: try it as the last value of the low side, and as the first of the
      // high one.
      for (const int last : {*middle, *middle - 1}) {
        const auto [separator, largest] = cut(nodes, along, last);
        if (separator < fewest && largest <= 2 * nodes.size() / 3) {
          fewest = separator;
          best = {&along, last};
        }
      }
    }
    if (best.first != nullptr) cut(nodes, *best.first, best.second);
    std::array<std::vector<int>, 3> parts;
    for (const int node : nodes) parts[at(side_[at(node)])].push_back(node);
    for (const int node : nodes) side_[at(node)] = elsewhere;
    if (best.first == nullptr) return order_by_degree(nodes);  // all of them are close to each other
    nodes = {};
    dissect(std::move(parts[low]));
    dissect(std::move(parts[high]));
    order_.insert(order_.end(), parts[between].begin(), parts[between].end());
  }

  // Coordinates of the nodes from their graph: their distances from four nodes that are far from each other,
  // and the differences of two such distances, which cut halfway between two of these nodes.
  std::array<Coordinate, 6> coordinates_of(const std::vector<int>& nodes) {
    const Coordinate from_any = distances_from(nodes.front(), nodes);
    std::array<Coordinate, 4> from;
    Coordinate nearest = from_any;
    for (Coordinate& distances : from) {
      const auto farthest = std::max_element(nearest.begin(), nearest.end()) - nearest.begin();
      distances = distances_from(nodes[at(farthest)], nodes);
      const bool first = &distances == from.data();
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        nearest[k] = first ? distances[k] : std::min(nearest[k], distances[k]);
      }
    }
    const auto difference = [](Coordinate a, const Coordinate& b) {
      for (std::size_t k = 0; k < a.size(); ++k) a[k] -= b[k];
      return a;
    };
    return {difference(from[0], from[1]), difference(from[2], from[3]), from[0], from[1], from[2], from[3]};
  }

  // The distance from a node to each, in edges; nodes of other components come after all connected ones.
  Coordinate distances_from(int start, const std::vector<int>& nodes) {
    constexpr int unknown = -2;
    for (const int node : nodes) distance_[at(node)] = unknown;
    std::vector<int> reached;
    reached.reserve(nodes.size());
    const auto reach = [&](int node, int distance) {
      distance_[at(node)] = distance;
      reached.push_back(node);
    };
    reach(start, 0);
    auto other = nodes.begin();
    for (std::size_t k = 0; reached.size() < nodes.size(); ++k) {
      if (k == reached.size()) {
        while (distance_[at(*other)] != unknown) ++other;
        reach(*other, distance_[at(reached.back())] + 1);
      }
      const int node = reached[k];
      for (int p = graph_.begin[at(node)]; p < graph_.begin[at(node) + 1]; ++p) {
        const int neighbour = graph_.list[at(p)];
        if (distance_[at(neighbour)] == unknown) reach(neighbour, distance_[at(node)] + 1);
      }
    }
    Coordinate result;
    result.reserve(nodes.size());
    for (const int node : nodes) result.push_back(distance_[at(node)]);
    for (const int node : nodes) distance_[at(node)] = elsewhere;
    return result;
  }

  // Puts the nodes up to `last` on the low side and the others on the high side, and then moves the nodes of
  // the low side with a neighbour on the high side to the separator. Returns the sizes of the separator and
  // of the larger side.
  std::pair<std::size_t, std::size_t> cut(const std::vector<int>& nodes, const Coordinate& along, int last) {
    for (std::size_t k = 0; k < nodes.size(); ++k) side_[at(nodes[k])] = along[k] <= last ? low : high;
    std::array<std::size_t, 3> counts{};
    for (const int node : nodes) {
      if (side_[at(node)] == low) {
        const auto first = graph_.list.begin() + graph_.begin[at(node)],
                   end = graph_.list.begin() + graph_.begin[at(node) + 1];
        if (std::any_of(first, end, [&](int other) { return side_[at(other)] == high; })) {
          side_[at(node)] = between;
        }
      }
      ++counts[at(side_[at(node)])];
    }
    return {counts[between], std::max(counts[low], counts[high])};
  }

  void order_by_degree(const std::vector<int>& nodes) {
    inside_.to_user = nodes;
    for (std::size_t k = 0; k < nodes.size(); ++k) inside_.to_internal[at(nodes[k])] = static_cast<int>(k);
    for (const int k : minimum_degree(assembly::renumbered(graph_, inside_))) order_.push_back(nodes[at(k)]);
    for (const int node : nodes) inside_.to_internal[at(node)] = -1;
  }

  const Adjacency& graph_;
  std::vector<Side> side_;
  std::vector<int> distance_;
  Numbering inside_;  // of the nodes that are ordered by degree; -1: others
  std::vector<int> order_;
};

// The nodes of a graph in an order of elimination (George 1973). `graph` holds both halves. Cuts follow
// distances in the graph from selected nodes, like the level structures of George and Liu 1978: positions are
// not needed, and neighbouring limbs are not cut together.
inline std::vector<int> nested_dissection(const Adjacency& graph) { return NestedDissection(graph).run(); }

}  // namespace pliant::detail::linear_solver
