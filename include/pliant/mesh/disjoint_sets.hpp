// Sets of numbers that grow by being joined.
#pragma once

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace pliant::detail {

// Starts with {0}, {1}, ..., {size - 1}. The lowest number of a set represents it, whatever the order of the
// joins.
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

}  // namespace pliant::detail
