// The approximate minimum degree ordering: an order of elimination of the unknowns of a sparse symmetric
// matrix with little fill-in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include <pliant/assembly/ordering.hpp>

namespace pliant::detail::linear_solver {

// One run of `minimum_degree`, on the quotient graph of Amestoy, Davis, Duff 1996. An eliminated node becomes
// an element, the clique of its neighbours, and absorbs the elements that contained it. Nodes with the same
// neighbours are merged to a supervariable, whose size is its weight.
class MinimumDegree {
 public:
  explicit MinimumDegree(const Adjacency& graph)
      : count_(static_cast<int>(graph.rows())),
        nodes_(static_cast<std::size_t>(count_)),
        elements_(nodes_.size()),
        weight_(nodes_.size(), 1),
        degree_(nodes_.size()),
        merged_(nodes_.size()),
        next_(nodes_.size(), none),
        previous_(nodes_.size(), none),
        head_(nodes_.size() + 1, none),
        outside_(nodes_.size(), 0),
        stamp_(nodes_.size(), 0),
        mark_(nodes_.size(), 0) {
    for (int i = 0; i < count_; ++i) {
      nodes_[at(i)].assign(graph[i].begin(), graph[i].end());
      degree_[at(i)] = static_cast<int>(nodes_[at(i)].size());
      insert(i);
    }
  }

  std::vector<int> run() {
    std::vector<int> order;
    order.reserve(nodes_.size());
    int least = 0;
    for (int left = count_; left > 0;) {
      while (head_[at(least)] == none) ++least;
      const int pivot = head_[at(least)];
      remove(pivot);
      left -= weight_[at(pivot)];
      order.push_back(pivot);
      order.insert(order.end(), merged_[at(pivot)].begin(), merged_[at(pivot)].end());
      eliminate(pivot, left);
      for (const int i : nodes_[at(pivot)]) least = std::min(least, degree_[at(i)]);
    }
    return order;
  }

 private:
  static constexpr int none = -1;
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

  // Nodes of equal degree form a doubly linked list.
  void insert(int i) {
    int& head = head_[at(degree_[at(i)])];
    next_[at(i)] = head;
    previous_[at(i)] = none;
    if (head != none) previous_[at(head)] = i;
    head = i;
  }

  void remove(int i) {
    const int next = next_[at(i)], previous = previous_[at(i)];
    if (next != none) previous_[at(next)] = previous;
    if (previous != none) next_[at(previous)] = next;
    else head_[at(degree_[at(i)])] = next;
  }

  // Turns the node into an element. `left`: the weight of the nodes that are not eliminated.
  void eliminate(int pivot, int left) {
    std::vector<int>& clique = nodes_[at(pivot)];
    const std::vector<int> absorbed = std::move(elements_[at(pivot)]);
    elements_[at(pivot)].clear();
    ++now_;
    mark_[at(pivot)] = now_;
    const auto take = [this](const std::vector<int>& from) {
      for (const int i : from) {
        if (weight_[at(i)] > 0 && mark_[at(i)] != now_) {
          mark_[at(i)] = now_;
          gathered_.push_back(i);
        }
      }
    };
    gathered_.clear();
    take(clique);
    for (const int e : absorbed) {
      take(nodes_[at(e)]);
      nodes_[at(e)] = {};
      weight_[at(e)] = 0;
    }
    weight_[at(pivot)] = -1;  // an element from now on
    clique.assign(gathered_.begin(), gathered_.end());

    int clique_weight = 0;
    for (const int i : clique) {
      remove(i);
      clique_weight += weight_[at(i)];
    }
    degree_[at(pivot)] = clique_weight;
    weigh_outside(clique);
    for (const int i : clique) update(i, pivot, clique_weight, left);
    merge_equal(clique);
    std::erase_if(clique, [this](int i) { return weight_[at(i)] == 0; });
    for (const int i : clique) insert(i);
  }

  // The weight of each element that has a node in the clique, less that of those nodes.
  void weigh_outside(const std::vector<int>& clique) {
    for (const int i : clique) {
      for (const int e : elements_[at(i)]) {
        if (weight_[at(e)] != -1) continue;
        if (stamp_[at(e)] != now_) {
          stamp_[at(e)] = now_;
          outside_[at(e)] = degree_[at(e)];
        }
        outside_[at(e)] -= weight_[at(i)];
      }
    }
  }

  // Updates the lists and the degree of a node of the clique; the degree counts a node of two elements twice.
  void update(int i, int pivot, int clique_weight, int left) {
    std::vector<int>& elements = elements_[at(i)];
    std::vector<int>& nodes = nodes_[at(i)];
    // Elements within the new element, and neighbours in it, are redundant.
    std::erase_if(elements, [this](int e) { return weight_[at(e)] != -1 || outside_[at(e)] == 0; });
    std::erase_if(nodes, [this](int j) { return weight_[at(j)] <= 0 || mark_[at(j)] == now_; });
    int around = 0;
    for (const int e : elements) around += outside_[at(e)];
    for (const int j : nodes) around += weight_[at(j)];
    elements.push_back(pivot);
    const int within = clique_weight - weight_[at(i)];
    degree_[at(i)] = std::min({left - weight_[at(i)], degree_[at(i)] + within, around + within});
  }

  // Nodes of the clique with the same lists are eliminated together.
  void merge_equal(const std::vector<int>& clique) {
    keys_.clear();
    for (const int i : clique) {
      std::size_t key = 0;
      for (const int e : elements_[at(i)]) key += at(e);
      for (const int j : nodes_[at(i)]) key += at(j);
      keys_.emplace_back(key, i);
    }
    std::sort(keys_.begin(), keys_.end());
    for (std::size_t a = 0; a < keys_.size(); ++a) {
      const int i = keys_[a].second;
      if (weight_[at(i)] == 0) continue;
      ++now_;
      bool marked = false;
      for (std::size_t b = a + 1; b < keys_.size() && keys_[b].first == keys_[a].first; ++b) {
        const int j = keys_[b].second;
        if (weight_[at(j)] == 0 || nodes_[at(i)].size() != nodes_[at(j)].size() ||
            elements_[at(i)].size() != elements_[at(j)].size()) {
          continue;
        }
        if (!marked) {
          for (const int e : elements_[at(i)]) mark_[at(e)] = now_;
          for (const int k : nodes_[at(i)]) mark_[at(k)] = now_;
          marked = true;
        }
        const auto in_lists_of_i = [this](int k) { return mark_[at(k)] == now_; };
        if (!std::all_of(elements_[at(j)].begin(), elements_[at(j)].end(), in_lists_of_i) ||
            !std::all_of(nodes_[at(j)].begin(), nodes_[at(j)].end(), in_lists_of_i)) {
          continue;
        }
        degree_[at(i)] -= weight_[at(j)];
        weight_[at(i)] += weight_[at(j)];
        weight_[at(j)] = 0;
        std::vector<int>& merged = merged_[at(i)];
        merged.push_back(j);
        merged.insert(merged.end(), merged_[at(j)].begin(), merged_[at(j)].end());
        merged_[at(j)] = {};
        nodes_[at(j)] = {};
        elements_[at(j)] = {};
      }
    }
  }

  int count_;
  std::vector<std::vector<int>> nodes_;     // neighbours of a node, nodes of an element
  std::vector<std::vector<int>> elements_;  // the elements that contain a node
  std::vector<int> weight_;                 // of a node; -1 for an element, 0 for an absorbed one
  std::vector<int> degree_;  // a bound on the weight of a node's neighbours; the weight of an element's nodes
  std::vector<std::vector<int>> merged_;     // the other nodes of a supervariable
  std::vector<int> next_, previous_, head_;  // the lists of nodes of equal degree
  std::vector<int> outside_, stamp_, mark_, gathered_;
  std::vector<std::pair<std::size_t, int>> keys_;
  int now_ = 0;  // the value of current marks
};

// The nodes of a graph in an order that keeps the fill-in of a Cholesky factorisation small. `graph` holds
// both halves. The order of a given graph is always the same.
inline std::vector<int> minimum_degree(const Adjacency& graph) { return MinimumDegree(graph).run(); }

}  // namespace pliant::detail::linear_solver
