#include "support/catch.hpp"

#include <vector>

#include <pliant/simd/rows.hpp>

namespace {

using namespace pliant;
using namespace pliant::simd;

template <class L>
void check_rows() {
  using T = scalar_of<L>;
  constexpr int width = L::width;
  std::vector<T> numbers;
  for (int k = 0; k < 4 * 40; ++k) numbers.push_back(static_cast<T>(k + 1));
  int offsets[width];
  for (int i = 0; i < width; ++i) offsets[i] = 4 * ((7 * i + 3) % 40);
  L columns[4];
  gather_rows(numbers.data(), offsets, columns);
  for (int i = 0; i < width; ++i) {
    for (int k = 0; k < 4; ++k) {
      CHECK(lane(columns[k], i) == numbers[static_cast<std::size_t>(offsets[i] + k)]);
    }
  }

  std::vector<T> copy(numbers.size(), T(0));
  scatter_rows(columns, copy.data(), offsets);
  add_rows(columns, copy.data(), offsets);
  std::vector<T> twice(numbers.size(), T(0));
  for (const int offset : offsets) {
    for (int k = 0; k < 4; ++k) {
      twice[static_cast<std::size_t>(offset + k)] = 2 * numbers[static_cast<std::size_t>(offset + k)];
    }
  }
  CHECK(copy == twice);

  const Lane<T, 4> total = sum_of_rows(columns);
  for (int k = 0; k < 4; ++k) CHECK(total[k] == sum(columns[k]));

  std::vector<T> one_row(4, T(0));
  const int same[width] = {};
  add_rows(columns, one_row.data(), same);
  for (int k = 0; k < 4; ++k) CHECK(one_row[static_cast<std::size_t>(k)] == sum(columns[k]));
}

}  // namespace

TEST_CASE("rows of four numbers go into lanes and back") {
  check_rows<Lane<float, 4>>();
  check_rows<Lane<float, 8>>();
  check_rows<Lane<float, 16>>();
  check_rows<Lane<double, 2>>();
  check_rows<Lane<double, 4>>();
  check_rows<Lane<double, 8>>();
}
