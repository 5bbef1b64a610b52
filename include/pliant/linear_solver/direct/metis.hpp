// METIS, another ordering of the unknowns of a sparse symmetric matrix. Programs use it if they link the
// CMake target pliant::metis, which defines PLIANT_USE_METIS; otherwise this header offers nothing.
#pragma once

#include <vector>

#include <pliant/assembly/ordering.hpp>

#ifdef PLIANT_USE_METIS
#include <algorithm>
#include <cstddef>
#include <metis.h>
#include <mutex>
#include <numeric>
#endif

namespace pliant::detail::linear_solver {

// `metis_nested_dissection` in a program that contains it. Translation units with METIS set the pointer
// before main, and units without METIS use it as well. Thus every function has the same definition in both
// kinds of units, as the one-definition rule requires.
inline std::vector<int> (*order_by_metis)(const Adjacency& graph) = nullptr;

#ifdef PLIANT_USE_METIS

// The nodes of a graph in an order of elimination: multilevel nested dissection, Karypis and Kumar 1998.
// `graph` holds both halves. Returns an empty list if METIS fails. The order of a given graph is always the
// same; METIS may use std::rand, and leaves it with another seed.
inline std::vector<int> metis_nested_dissection(const Adjacency& graph) {
  static_assert(sizeof(idx_t) >= sizeof(int));
  const std::size_t count = graph.begin.size() - 1;
  std::vector<int> result(count);
  std::iota(result.begin(), result.end(), 0);
  if (graph.list.empty()) return result;

  std::vector<idx_t> begin(graph.begin.begin(), graph.begin.end());
  std::vector<idx_t> list(graph.list.begin(), graph.list.end());
  std::vector<idx_t> order(count, -1), position(count, -1);
  auto nodes = static_cast<idx_t>(count);
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = 1;
  int status = METIS_ERROR;
  {
    static std::mutex random_numbers;  // METIS uses the process-wide std::rand
    const std::lock_guard lock(random_numbers);
    status = METIS_NodeND(&nodes, begin.data(), list.data(), nullptr, options, order.data(), position.data());
  }

  // If the integers of the linked library differ from those of the header, the result is no permutation.
  std::vector<char> seen(count, 0);
  const bool permutation = std::all_of(order.begin(), order.end(), [&](idx_t node) {
    return node >= 0 && node < nodes && seen[static_cast<std::size_t>(node)]++ == 0;
  });
  if (status != METIS_OK || !permutation) return {};
  std::transform(order.begin(), order.end(), result.begin(),
                 [](idx_t node) { return static_cast<int>(node); });
  return result;
}

inline const bool metis_is_known = (order_by_metis = &metis_nested_dissection, true);

#endif

}  // namespace pliant::detail::linear_solver
