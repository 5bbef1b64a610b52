// Rows of any length, one after the other in one list.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <span>
#include <vector>

namespace pliant {

namespace detail::core {

// Row i is list[begin[i]] ... list[begin[i + 1] - 1].
template <class Item,
          class Offset = int>  // counts items
struct CompressedRows {
  std::vector<Offset> begin;  // #rows + 1
  std::vector<Item> list;

  std::ptrdiff_t rows() const { return std::ssize(begin) - 1; }

  std::span<const Item> operator[](std::ptrdiff_t i) const {
    const Offset* const first = begin.data() + i;
    return {list.data() + first[0], list.data() + first[1]};
  }
  std::span<Item> operator[](std::ptrdiff_t i) {
    const Offset* const first = begin.data() + i;
    return {list.data() + first[0], list.data() + first[1]};
  }

  // Sorts items into rows by counting. for_each_item(take) calls take(row, item) for each item; it is called
  // twice, and the order within a row is that of the calls. An Offset must be able to count the items.
  template <class ForEachItem>
  void sort(std::ptrdiff_t row_count, ForEachItem&& for_each_item) {
    begin.assign(static_cast<std::size_t>(row_count) + 1, 0);
    for_each_item([this](std::ptrdiff_t row, const Item&) { ++begin[static_cast<std::size_t>(row) + 1]; });
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    list.resize(static_cast<std::size_t>(begin.back()));
    // The start of each row moves to its end during filling, which is the former start of the next row.
    for_each_item([this](std::ptrdiff_t row, const Item& item) {
      list[static_cast<std::size_t>(begin[static_cast<std::size_t>(row)]++)] = item;
    });
    std::copy_backward(begin.begin(), begin.end() - 1, begin.end());
    begin.front() = 0;
  }
};

}  // namespace detail::core

}  // namespace pliant
