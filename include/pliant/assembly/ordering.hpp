// The internal numbering of nodes and elements, for assembly and solvers; it is not visible to the user.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <pliant/core/compressed_rows.hpp>
#include <pliant/core/error.hpp>
#include <pliant/mesh/mesh.hpp>

namespace pliant {

// A bijection between the user's numbers and the internal ones.
struct Numbering {
  std::vector<int> to_internal;
  std::vector<int> to_user;
};

// The neighbours of each node of a graph.
using Adjacency = detail::core::CompressedRows<int>;

namespace detail::assembly {

// Offsets of the rows of graphs and matrices are of type int.
inline constexpr std::size_t most_entries = std::numeric_limits<int>::max();

// `entries` as such an offset. Throws MeshError if there are more than `most`; `nodes` of `node_count` have
// been counted.
inline int offset_of(const char* items, std::size_t entries, std::size_t nodes, std::size_t node_count,
                     std::size_t most = most_entries) {
  if (entries > most) {
    throw MeshError("the mesh is too large: the first " + std::to_string(nodes) + " of its " +
                    std::to_string(node_count) + " nodes have " + std::to_string(entries) + " " + items +
                    ", and " + std::to_string(most) + " are the most that can be numbered");
  }
  return static_cast<int>(entries);
}

// The elements of each node.
template <Element E>
Adjacency elements_at_nodes(const ElementMatrix<E>& elements, std::ptrdiff_t node_count) {
  const auto nodes = static_cast<std::size_t>(node_count);
  offset_of("places in elements", static_cast<std::size_t>(elements.size()), nodes, nodes);
  Adjacency result;
  result.sort(node_count, [&](auto&& take) {
    for (std::ptrdiff_t e = 0; e < elements.cols(); ++e) {
      for (int a = 0; a < E::nodes; ++a) take(elements(a, e), static_cast<int>(e));
    }
  });
  return result;
}

}  // namespace detail::assembly

// The ascending neighbours of each node, without itself. Throws MeshError if there are more than `most` in
// total: for hexahedra, with 26 neighbours per node, at 82 million nodes.
template <Element E>
Adjacency neighbours_of_nodes(const ElementMatrix<E>& elements, std::ptrdiff_t node_count,
                              std::size_t most = detail::assembly::most_entries) {
  const Adjacency at_node = detail::assembly::elements_at_nodes<E>(elements, node_count);
  Adjacency result;
  result.begin.reserve(static_cast<std::size_t>(node_count) + 1);
  result.begin.push_back(0);
  std::vector<int> row;
  for (std::ptrdiff_t i = 0; i < node_count; ++i) {
    row.clear();
    for (const int element : at_node[i]) {
      for (int a = 0; a < E::nodes; ++a) {
        const int neighbour = elements(a, element);
        if (neighbour != i) row.push_back(neighbour);
      }
    }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    const std::size_t size = result.list.size() + row.size();
    result.begin.push_back(detail::assembly::offset_of("neighbours", size, static_cast<std::size_t>(i) + 1,
                                                       static_cast<std::size_t>(node_count), most));
    result.list.insert(result.list.end(), row.begin(), row.end());
  }
  return result;
}

namespace detail::assembly {

// The union of two graphs on the same nodes.
inline Adjacency united(const Adjacency& a, const Adjacency& b) {
  Adjacency result;
  result.begin.push_back(0);
  for (std::ptrdiff_t i = 0; i < a.rows(); ++i) {
    std::set_union(a[i].begin(), a[i].end(), b[i].begin(), b[i].end(), std::back_inserter(result.list));
    result.begin.push_back(
        offset_of("neighbours", result.list.size(), static_cast<std::size_t>(i) + 1, a.begin.size() - 1));
  }
  return result;
}

// The same graph in internal numbers, without the nodes whose internal number is negative.
inline Adjacency renumbered(const Adjacency& graph, const Numbering& numbering) {
  Adjacency result;
  result.list.reserve(graph.list.size());
  result.begin.push_back(0);
  for (const int user : numbering.to_user) {
    const auto first = std::ssize(result.list);
    for (const int neighbour : graph[user]) {
      const int internal = numbering.to_internal[static_cast<std::size_t>(neighbour)];
      if (internal >= 0) result.list.push_back(internal);
    }
    std::sort(result.list.begin() + first, result.list.end());
    result.begin.push_back(static_cast<int>(result.list.size()));
  }
  return result;
}

// Reverse Cuthill-McKee: neighbours get close numbers, so that a loop over the rows touches few nodes at a
// time and contiguous row ranges have thin borders. The numbering of a given mesh is always the same.
inline Numbering reverse_cuthill_mckee(const Adjacency& graph) {
  const std::size_t count = graph.begin.size() - 1;
  const auto degree = [&graph](int i) { return graph[i].size(); };
  std::vector<int> order;
  order.reserve(count);
  std::vector<int> visited(count, 0);
  int stamp = 0;

  // Breadth-first search from `start` over the unnumbered nodes; appends them to `out` and returns the depth.
  constexpr int numbered = -1;
  const auto search = [&](int start, std::vector<int>& out) {
    ++stamp;
    const std::size_t first = out.size();
    out.push_back(start);
    visited[static_cast<std::size_t>(start)] = stamp;
    int depth = 0;
    std::size_t level_end = out.size();
    for (std::size_t k = first; k < out.size(); ++k) {
      if (k == level_end) {
        ++depth;
        level_end = out.size();
      }
      const std::size_t found = out.size();
      for (const int j : graph[out[k]]) {
        int& mark = visited[static_cast<std::size_t>(j)];
        if (mark == numbered || mark == stamp) continue;
        mark = stamp;
        out.push_back(j);
      }
      std::stable_sort(out.begin() + static_cast<std::ptrdiff_t>(found), out.end(),
                       [&](int a, int b) { return degree(a) < degree(b); });
    }
    return depth;
  };

  std::vector<int> component;
  for (std::size_t seed = 0; seed < count; ++seed) {
    if (visited[seed] == numbered) continue;
    // Moves the start to a node at the far end of the component, from which the search is deepest.
    int start = static_cast<int>(seed), depth = -1;
    for (;;) {
      component.clear();
      const int reached = search(start, component);
      if (reached <= depth) break;
      depth = reached;
      start = component.back();
    }
    component.clear();
    search(start, component);
    for (const int i : component) visited[static_cast<std::size_t>(i)] = numbered;
    order.insert(order.end(), component.begin(), component.end());
  }

  Numbering result;
  result.to_user.assign(order.rbegin(), order.rend());
  result.to_internal.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    result.to_internal[static_cast<std::size_t>(result.to_user[k])] = static_cast<int>(k);
  }
  return result;
}

// Elements in internal node numbers. Within an element the nodes ascend; the elements are sorted by their
// nodes, so that neighbours in the list are neighbours in space.
template <Element E>
struct OrderedElements {
  ElementMatrix<E> elements;  // internal node numbers, ascending in each column
  SmallMatrix<signed char, E::nodes, Eigen::Dynamic> corner;  // corner of the user's element of each node
  std::vector<int> to_user;                                   // user's element number of each column
};

template <Element E>
OrderedElements<E> order_elements(const ElementMatrix<E>& elements, const Numbering& nodes) {
  const std::ptrdiff_t count = elements.cols();
  OrderedElements<E> sorted{ElementMatrix<E>(E::nodes, count), {}, {}};
  SmallMatrix<signed char, E::nodes, Eigen::Dynamic> corner(E::nodes, count);
  for (std::ptrdiff_t e = 0; e < count; ++e) {
    std::array<std::pair<int, signed char>, E::nodes> corners;
    for (int a = 0; a < E::nodes; ++a) {
      corners[static_cast<std::size_t>(a)] = {nodes.to_internal[static_cast<std::size_t>(elements(a, e))],
                                              static_cast<signed char>(a)};
    }
    std::sort(corners.begin(), corners.end());
    for (int a = 0; a < E::nodes; ++a) {
      sorted.elements(a, e) = corners[static_cast<std::size_t>(a)].first;
      corner(a, e) = corners[static_cast<std::size_t>(a)].second;
    }
  }

  OrderedElements<E> result{
      ElementMatrix<E>(E::nodes, count), {}, std::vector<int>(static_cast<std::size_t>(count))};
  result.corner.resize(E::nodes, count);
  std::iota(result.to_user.begin(), result.to_user.end(), 0);
  std::sort(result.to_user.begin(), result.to_user.end(), [&](int e, int f) {
    for (int a = 0; a < E::nodes; ++a) {
      if (sorted.elements(a, e) != sorted.elements(a, f))
        return sorted.elements(a, e) < sorted.elements(a, f);
    }
    return e < f;
  });
  for (std::ptrdiff_t k = 0; k < count; ++k) {
    const int e = result.to_user[static_cast<std::size_t>(k)];
    result.elements.col(k) = sorted.elements.col(e);
    result.corner.col(k) = corner.col(e);
  }
  return result;
}

}  // namespace detail::assembly

}  // namespace pliant
