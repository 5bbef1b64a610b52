// Groups of neighbouring nodes: the coarse nodes of a two-level method.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <pliant/assembly/ordering.hpp>

namespace pliant::detail::linear_solver {

// Every node is in one aggregate. Aggregates are connected in the graph, so that none contains nodes of two
// components, or of two limbs that are close in space only.
struct Aggregates {
  std::vector<int> of;  // the aggregate of each node
  Adjacency nodes;      // the nodes of each aggregate, ascending

  int count() const { return static_cast<int>(nodes.rows()); }

  // Aggregates of about `size` nodes each. The aggregates of a given graph are always the same.
  static Aggregates of_graph(const Adjacency& graph, int size);
};

// First, aggregates grow one after the other, each by breadth-first search from a node next to the previous
// ones; nodes left between them join their neighbours. Then some rounds of Lloyd's method on the graph make
// the aggregates compact: every node joins the nearest centre, and every aggregate gets a new centre.
class Aggregation {
 public:
  Aggregation(const Adjacency& graph, int size)
      : graph_(graph), size_(size), of_(graph.begin.size() - 1, none), distance_(of_.size(), 0) {}

  Aggregates run() {
    constexpr int rounds = 4;
    grow();
    for (int round = 0; round < rounds; ++round) {
      assign();
      if (round + 1 < rounds) move_centres();
    }
    Aggregates result;
    result.nodes = lists();
    result.of = std::move(of_);
    return result;
  }

 private:
  static constexpr int none = -1;
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

  template <class Run>
  void for_each_neighbour(int node, Run&& run) const {
    for (const int neighbour : graph_[node]) run(neighbour);
  }

  // Finds the first centres. A component has at least one, regardless of its size.
  void grow() {
    std::vector<int> border, grown;  // starting nodes in the order of discovery; one aggregate
    for (int first = 0; first < static_cast<int>(of_.size()); ++first) {
      if (of_[at(first)] != none) continue;
      border.assign(1, first);
      for (std::size_t next = 0; next < border.size(); ++next) {
        const int seed = border[next];
        if (of_[at(seed)] != none) continue;
        grown.assign(1, seed);
        of_[at(seed)] = 0;
        for (std::size_t k = 0; k < grown.size(); ++k) {
          for_each_neighbour(grown[k], [&](int j) {
            if (of_[at(j)] != none) return;
            if (std::ssize(grown) < size_) {
              of_[at(j)] = 0;
              grown.push_back(j);
            } else {
              border.push_back(j);
            }
          });
        }
        if (next == 0 || 2 * std::ssize(grown) >= size_) centres_.push_back(seed);
      }
    }
  }

  // Assigns every node to the nearest centre; of equally near ones to that with the lower number.
  void assign() {
    std::fill(of_.begin(), of_.end(), none);
    queue_ = centres_;
    for (std::size_t c = 0; c < centres_.size(); ++c) of_[at(centres_[c])] = static_cast<int>(c);
    for (std::size_t k = 0; k < queue_.size(); ++k) {
      for_each_neighbour(queue_[k], [&](int j) {
        if (of_[at(j)] != none) return;
        of_[at(j)] = of_[at(queue_[k])];
        queue_.push_back(j);
      });
    }
  }

  // The centre of an aggregate minimises the larger of the distances to two nodes that are about as far apart
  // as any: it is halfway between them.
  void move_centres() {
    std::vector<int> first_distance(of_.size());
    for (int& centre : centres_) {
      search(centre);
      search(queue_.back());
      for (const int i : queue_) first_distance[at(i)] = distance_[at(i)];
      search(queue_.back());
      const auto way = [&](int i) { return std::max(first_distance[at(i)], distance_[at(i)]); };
      for (const int i : queue_) {
        if (way(i) < way(centre) || (way(i) == way(centre) && i < centre)) centre = i;
      }
    }
  }

  // Sets the queue to the nodes of the aggregate of `start`, ordered by their distance from it.
  void search(int start) {
    const int aggregate = of_[at(start)];
    queue_.assign(1, start);
    distance_[at(start)] = 0;
    of_[at(start)] = none;
    for (std::size_t k = 0; k < queue_.size(); ++k) {
      for_each_neighbour(queue_[k], [&](int j) {
        if (of_[at(j)] != aggregate) return;
        of_[at(j)] = none;
        distance_[at(j)] = distance_[at(queue_[k])] + 1;
        queue_.push_back(j);
      });
    }
    for (const int i : queue_) of_[at(i)] = aggregate;
  }

  Adjacency lists() const {
    Adjacency result;
    result.sort(std::ssize(centres_), [this](auto&& take) {
      for (int i = 0; i < static_cast<int>(of_.size()); ++i) take(of_[at(i)], i);
    });
    return result;
  }

  const Adjacency& graph_;
  int size_;
  std::vector<int> of_;        // the aggregate of each node; `none` before it has one
  std::vector<int> distance_;  // from the start of a search
  std::vector<int> centres_, queue_;
};

inline Aggregates Aggregates::of_graph(const Adjacency& graph, int size) {
  return Aggregation(graph, size).run();
}

}  // namespace pliant::detail::linear_solver
