// Rows of four numbers, one per node, into lanes and back: x, y, z and one more.
#pragma once

#include <cstddef>

#include <pliant/core/lane.hpp>

namespace pliant {

namespace detail {

// Four registers that hold Size / 4 squares of 4 x 4 numbers side by side; each square is transposed.
template <class Register>
PLIANT_INLINE void transpose_squares(Register (&r)[4]) {
#if defined(__GNUC__)
  if constexpr (sizeof(Register) == 4 * sizeof(r[0][0])) {
    transpose_registers(r);
  } else {
    const Register a = __builtin_shufflevector(r[0], r[1], 0, 8, 2, 10, 4, 12, 6, 14);
    const Register b = __builtin_shufflevector(r[0], r[1], 1, 9, 3, 11, 5, 13, 7, 15);
    const Register c = __builtin_shufflevector(r[2], r[3], 0, 8, 2, 10, 4, 12, 6, 14);
    const Register d = __builtin_shufflevector(r[2], r[3], 1, 9, 3, 11, 5, 13, 7, 15);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
    r[1] = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
    r[2] = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
    r[3] = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
  }
#endif
}

// Whether rows are moved as registers of four numbers.
template <class L>
inline constexpr bool has_row_registers = false;
template <class T, int W, Isa isa>
inline constexpr bool has_row_registers<Lane<T, W, isa>> = Lane<T, 4, isa>::register_size == 4 &&
                                                           (Lane<T, W, isa>::register_size == 4 ||
                                                            Lane<T, W, isa>::register_size == 8);

// Calls use(number of a row, the row as a Lane of 4) for the rows that stand in four lanes.
template <class T, int W, Isa isa, class Use>
PLIANT_INLINE void for_each_row(const Lane<T, W, isa> (&columns)[4], Use&& use) {
  using L = Lane<T, W, isa>;
  using Row = Lane<T, 4, isa>;
  if constexpr (has_row_registers<L>) {
    constexpr int size = L::register_size;
    for (int p = 0; p < L::registers; ++p) {
      typename L::Register r[4];
      for (int k = 0; k < 4; ++k) r[k] = columns[k].part[p];
      transpose_squares(r);
      for (int i = 0; i < 4; ++i) {
        Row row;
        if constexpr (size == 4) {
          row.part[0] = r[i];
          use(p * 4 + i, row);
        } else {
#if defined(__GNUC__)
          row.part[0] = __builtin_shufflevector(r[i], r[i], 0, 1, 2, 3);
          use(p * 8 + i, row);
          row.part[0] = __builtin_shufflevector(r[i], r[i], 4, 5, 6, 7);
          use(p * 8 + i + 4, row);
#endif
        }
      }
    }
  } else {
    for (int i = 0; i < W; ++i) {
      Row row;
      for (int k = 0; k < 4; ++k) set_lane(row, k, lane(columns[k], i));
      use(i, row);
    }
  }
}

}  // namespace detail

// columns[k]: number k of the rows at base + offsets[0], base + offsets[1], ..., as many as L has lanes.
template <class T, int W, Isa isa>
PLIANT_INLINE void gather_rows(const T* base, const int* offsets, Lane<T, W, isa> (&columns)[4]) {
  using L = Lane<T, W, isa>;
  using Row = Lane<T, 4, isa>;
  if constexpr (detail::has_row_registers<L>) {
    constexpr int size = L::register_size;
    for (int p = 0; p < L::registers; ++p) {
      typename L::Register r[4];
      for (int i = 0; i < 4; ++i) {
        const int* const at = offsets + p * size + i;
        if constexpr (size == 4) {
          r[i] = load<Row>(base + at[0]).part[0];
        } else {
#if defined(__GNUC__)
          r[i] = __builtin_shufflevector(load<Row>(base + at[0]).part[0], load<Row>(base + at[4]).part[0], 0,
                                         1, 2, 3, 4, 5, 6, 7);
#endif
        }
      }
      detail::transpose_squares(r);
      for (int k = 0; k < 4; ++k) columns[k].part[p] = r[k];
    }
  } else {
    for (int k = 0; k < 4; ++k) columns[k] = gather<L>(base + k, offsets);
  }
}

// Writes them back. Where rows coincide the last one counts.
template <class T, int W, Isa isa>
PLIANT_INLINE void scatter_rows(const Lane<T, W, isa> (&columns)[4], T* base, const int* offsets) {
  detail::for_each_row(columns, [&](int i, const Lane<T, 4, isa>& row) { store(base + offsets[i], row); });
}

// Adds them to what is there; rows may coincide.
template <class T, int W, Isa isa>
PLIANT_INLINE void add_rows(const Lane<T, W, isa> (&columns)[4], T* base, const int* offsets) {
  detail::for_each_row(columns, [&](int i, const Lane<T, 4, isa>& row) {
    store(base + offsets[i], load<Lane<T, 4, isa>>(base + offsets[i]) + row);
  });
}

// The sum of the rows.
template <class T, int W, Isa isa>
PLIANT_INLINE Lane<T, 4, isa> sum_of_rows(const Lane<T, W, isa> (&columns)[4]) {
  using Row = Lane<T, 4, isa>;
  Row folded[4];
  for (int k = 0; k < 4; ++k) {
    if constexpr (detail::has_row_registers<Lane<T, W, isa>>) {
      auto all = columns[k].part[0];
      for (int p = 1; p < columns[k].registers; ++p) all += columns[k].part[p];
      if constexpr (sizeof(all) == 4 * sizeof(T)) {
        folded[k].part[0] = all;
      } else {
#if defined(__GNUC__)
        folded[k].part[0] =
            __builtin_shufflevector(all, all, 0, 1, 2, 3) + __builtin_shufflevector(all, all, 4, 5, 6, 7);
#endif
      }
    } else {
      for (int i = 0; i < 4; ++i) {
        T total = 0;
        for (int l = i; l < W; l += 4) total += lane(columns[k], l);
        set_lane(folded[k], i, total);
      }
    }
  }
  transpose(folded);
  return (folded[0] + folded[2]) + (folded[1] + folded[3]);
}

}  // namespace pliant
