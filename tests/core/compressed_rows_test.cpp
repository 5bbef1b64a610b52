#include "support/catch.hpp"

#include <random>
#include <utility>

#include <pliant/core/compressed_rows.hpp>

using namespace pliant;

TEST_CASE(
    "CompressedRows: items are sorted into rows and keep their order, whatever the object held before") {
  std::mt19937 random(1);
  detail::core::CompressedRows<int> rows;
  detail::core::CompressedRows<std::pair<int, int>, std::size_t> pairs;
  for (const auto& [count, items] : {std::pair{1, 0}, {7, 0}, {1, 5}, {100, 30}, {20, 1000}, {3, 2}}) {
    INFO(items << " items in " << count << " rows");
    std::vector<std::vector<int>> expected(static_cast<std::size_t>(count));
    std::vector<std::pair<int, int>> all;
    for (int item = 0; item < items; ++item) {
      all.emplace_back(std::uniform_int_distribution<int>(0, count - 1)(random), 100 - item);
      expected[static_cast<std::size_t>(all.back().first)].push_back(all.back().second);
    }
    rows.sort(count, [&](auto&& take) {
      for (const auto& [row, item] : all) take(row, item);
    });
    pairs.sort(count, [&](auto&& take) {
      for (const auto& pair : all) take(pair.first, pair);
    });
    CHECK(rows.rows() == count);
    CHECK(std::ssize(rows.list) == items);
    for (int i = 0; i < count; ++i) {
      const auto row = std::as_const(rows)[i];
      CHECK(std::vector<int>(row.begin(), row.end()) == expected[static_cast<std::size_t>(i)]);
      REQUIRE(pairs[i].size() == row.size());
      for (std::size_t k = 0; k < row.size(); ++k) CHECK(pairs[i][k] == std::pair(i, row[k]));
    }
  }
}
