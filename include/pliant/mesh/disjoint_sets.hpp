// Disjoint sets of numbers with union and find.
#pragma once

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace pliant::detail::mesh {

// Starts with {0}, {1}, ..., {size - 1}. The representative of a set is its lowest number, for any order of
// the joins.
class DisjointSets {
 public:
  explicit DisjointSets(std::ptrdiff_t size) : parents_(static_cast<std::size_t>(size)) {
    std::iota(parents_.begin(), parents_.end(), 0);
  }

  int representative(int member) {
    auto m = static_cast<std::size_t>(member);
    while (parents_[m] != static_cast<int>(m)) {
      parents_[m] = parents_[static_cast<std::size_t>(parents_[m])];  // halves the path for the next time
      m = static_cast<std::size_t>(parents_[m]);
    }
    return static_cast<int>(m);
  }

  void join(int a, int b) {
    a = representative(a);
    b = representative(b);
    if (a > b) std::swap(a, b);
    parents_[static_cast<std::size_t>(b)] = a;
  }

 private:
  std::vector<int> parents_;
};

}  // namespace pliant::detail::mesh
