// Conversion of rows of four numbers, x, y, z and one more of a node, to lanes and back.
#pragma once

#include <cstddef>

#include <pliant/simd/lane.hpp>

namespace pliant::detail::registers {

// Four registers that hold squares of 4 x 4 numbers side by side; each square is transposed. The shuffles
// interleave numbers as single instructions of x86 do: floats next to each other, doubles two apart.
template <class Register>
PLIANT_INLINE void transpose_squares(Register (&r)[4]) {
#if defined(__GNUC__)
  constexpr int size = sizeof(Register) / sizeof(r[0][0]);
  if constexpr (size == 4 && sizeof(r[0][0]) == 4) {
    const Register a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
    const Register b = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    const Register c = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    const Register d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    r[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
  } else if constexpr (size == 4) {
    transpose_registers(r);
  } else if constexpr (size == 8 && sizeof(r[0][0]) == 4) {
    const Register a = __builtin_shufflevector(r[0], r[1], 0, 8, 1, 9, 4, 12, 5, 13);
    const Register b = __builtin_shufflevector(r[0], r[1], 2, 10, 3, 11, 6, 14, 7, 15);
    const Register c = __builtin_shufflevector(r[2], r[3], 0, 8, 1, 9, 4, 12, 5, 13);
    const Register d = __builtin_shufflevector(r[2], r[3], 2, 10, 3, 11, 6, 14, 7, 15);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
    r[1] = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
    r[2] = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
    r[3] = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
  } else if constexpr (size == 8) {
    const Register a = __builtin_shufflevector(r[0], r[1], 0, 8, 2, 10, 4, 12, 6, 14);
    const Register b = __builtin_shufflevector(r[0], r[1], 1, 9, 3, 11, 5, 13, 7, 15);
    const Register c = __builtin_shufflevector(r[2], r[3], 0, 8, 2, 10, 4, 12, 6, 14);
    const Register d = __builtin_shufflevector(r[2], r[3], 1, 9, 3, 11, 5, 13, 7, 15);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
    r[1] = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
    r[2] = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
    r[3] = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
  } else {
    const Register a =
        __builtin_shufflevector(r[0], r[1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
    const Register b =
        __builtin_shufflevector(r[0], r[1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
    const Register c =
        __builtin_shufflevector(r[2], r[3], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
    const Register d =
        __builtin_shufflevector(r[2], r[3], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
    r[1] = __builtin_shufflevector(a, c, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
    r[2] = __builtin_shufflevector(b, d, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
    r[3] = __builtin_shufflevector(b, d, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
  }
#endif
}

// Whether rows are loaded and stored as registers of four numbers.
template <class L>
inline constexpr bool has_row_registers = false;
template <class T, int W, Isa isa>
inline constexpr bool has_row_registers<Lane<T, W, isa>> =
    Lane<T, 4, isa>::register_size == 4 && Lane<T, W, isa>::register_size >= 4;

// Loads the size / 4 rows at base + offsets[0], base + offsets[4], ... into one register. Registers of 64
// bytes are filled by intrinsics, which load a row directly into its part of the register (vinsertf32x4 with
// a memory operand): GCC 12 compiles the shuffles below to separate loads and register shuffles (vshuff32x4).
template <int size, class Row>
PLIANT_INLINE auto join_rows(const scalar_of<Row>* base, const int* offsets) {
  const auto row = [&](int i) { return load<Row>(base + offsets[4 * i]).part[0]; };
#if defined(__GNUC__)
#if defined(__AVX512F__)
  if constexpr (size * sizeof(scalar_of<Row>) == 64) {
    using Joined = typename Register<scalar_of<Row>, size>::Type;
    if constexpr (size == 16) {
      __m512 rows = _mm512_castps128_ps512(row(0));
      rows = _mm512_insertf32x4(rows, row(1), 1);
      rows = _mm512_insertf32x4(rows, row(2), 2);
      return reinterpret_cast<Joined>(_mm512_insertf32x4(rows, row(3), 3));
    } else {
      return reinterpret_cast<Joined>(_mm512_insertf64x4(_mm512_castpd256_pd512(row(0)), row(1), 1));
    }
  } else
#endif
      if constexpr (size == 8) {
    return __builtin_shufflevector(row(0), row(1), 0, 1, 2, 3, 4, 5, 6, 7);
  } else if constexpr (size == 16) {
    const auto low = __builtin_shufflevector(row(0), row(1), 0, 1, 2, 3, 4, 5, 6, 7);
    const auto high = __builtin_shufflevector(row(2), row(3), 0, 1, 2, 3, 4, 5, 6, 7);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  } else {
    return row(0);
  }
#else
  return row(0);
#endif
}

// Row i of a register of rows. By intrinsics, which can store a row directly from the register
// (vextractf32x4): GCC 12 compiles the shuffles below to a register shuffle before each store.
template <class Row, class Register>
PLIANT_INLINE Row row_of(const Register& r, int i) {
  Row row;
#if defined(__GNUC__)
  constexpr int size = sizeof(Register) / sizeof(r[0]);
  if constexpr (size == 4) {
    row.part[0] = r;
#if defined(__AVX512F__)
  } else if constexpr (size == 16) {
    const auto rows = reinterpret_cast<__m512>(r);
    row.part[0] = i == 0   ? _mm512_castps512_ps128(rows)
                  : i == 1 ? _mm512_maskz_extractf32x4_ps(0xf, rows, 1)
                  : i == 2 ? _mm512_maskz_extractf32x4_ps(0xf, rows, 2)
                           : _mm512_maskz_extractf32x4_ps(0xf, rows, 3);
  } else if constexpr (sizeof(Register) == 64) {
    const auto rows = reinterpret_cast<__m512d>(r);
    row.part[0] = i == 0 ? _mm512_castpd512_pd256(rows) : _mm512_maskz_extractf64x4_pd(0xf, rows, 1);
#endif
#if defined(__AVX__)
  } else if constexpr (sizeof(Register) == 32) {
    const auto rows = reinterpret_cast<__m256>(r);
    row.part[0] = i == 0 ? _mm256_castps256_ps128(rows) : _mm256_extractf128_ps(rows, 1);
#endif
  } else if constexpr (size == 8) {
    row.part[0] =
        i == 0 ? __builtin_shufflevector(r, r, 0, 1, 2, 3) : __builtin_shufflevector(r, r, 4, 5, 6, 7);
  } else {
    row.part[0] = i == 0   ? __builtin_shufflevector(r, r, 0, 1, 2, 3)
                  : i == 1 ? __builtin_shufflevector(r, r, 4, 5, 6, 7)
                  : i == 2 ? __builtin_shufflevector(r, r, 8, 9, 10, 11)
                           : __builtin_shufflevector(r, r, 12, 13, 14, 15);
  }
#else
  (void)r, (void)i;
#endif
  return row;
}

}  // namespace pliant::detail::registers

namespace pliant::simd {

// Calls use(i, row i as a Lane of 4) for each of the rows whose columns are given as four lanes.
template <class T, int W, Isa isa, class Use>
PLIANT_INLINE void for_each_row(const Lane<T, W, isa> (&columns)[4], Use&& use) {
  using L = Lane<T, W, isa>;
  using Row = Lane<T, 4, isa>;
  if constexpr (detail::registers::has_row_registers<L>) {
    constexpr int size = L::register_size;
    PLIANT_UNROLL for (int p = 0; p < L::registers; ++p) {
      typename L::Register r[4];
      PLIANT_UNROLL for (int k = 0; k < 4; ++k) r[k] = columns[k].part[p];
      detail::registers::transpose_squares(r);
      PLIANT_UNROLL for (int square = 0; square < size / 4; ++square) {
        PLIANT_UNROLL for (int i = 0; i < 4; ++i)
            use(p * size + 4 * square + i, detail::registers::row_of<Row>(r[i], square));
      }
    }
  } else {
    for (int i = 0; i < W; ++i) {
      Row row;
      PLIANT_UNROLL for (int k = 0; k < 4; ++k) set_lane(row, k, lane(columns[k], i));
      use(i, row);
    }
  }
}

// Gathers rows: columns[k] becomes number k of the rows at base + offsets[0], base + offsets[1], ..., one row
// per lane.
template <class T, int W, Isa isa>
PLIANT_INLINE void gather_rows(const T* base, const int* offsets, Lane<T, W, isa> (&columns)[4]) {
  using L = Lane<T, W, isa>;
  using Row = Lane<T, 4, isa>;
  if constexpr (detail::registers::has_row_registers<L>) {
    constexpr int size = L::register_size;
    PLIANT_UNROLL for (int p = 0; p < L::registers; ++p) {
      typename L::Register r[4];
      PLIANT_UNROLL for (int i = 0; i < 4; ++i) r[i] =
          detail::registers::join_rows<size, Row>(base, offsets + p * size + i);
      detail::registers::transpose_squares(r);
      PLIANT_UNROLL for (int k = 0; k < 4; ++k) columns[k].part[p] = r[k];
    }
  } else {
    PLIANT_UNROLL for (int k = 0; k < 4; ++k) columns[k] = gather<L>(base + k, offsets);
  }
}

// Writes them back. If offsets coincide, the last row is kept.
template <class T, int W, Isa isa>
PLIANT_INLINE void scatter_rows(const Lane<T, W, isa> (&columns)[4], T* base, const int* offsets) {
  for_each_row(columns, [&](int i, const Lane<T, 4, isa>& row) { store(base + offsets[i], row); });
}

// Adds them to the rows in memory; offsets may coincide.
template <class T, int W, Isa isa>
PLIANT_INLINE void add_rows(const Lane<T, W, isa> (&columns)[4], T* base, const int* offsets) {
  for_each_row(columns, [&](int i, const Lane<T, 4, isa>& row) {
    store(base + offsets[i], load<Lane<T, 4, isa>>(base + offsets[i]) + row);
  });
}

// Loads the first `count` columns, which are stored one after the other.
template <int count, class L>
PLIANT_INLINE void load_columns(const scalar_of<L>* p, L* columns) {
  PLIANT_UNROLL for (int k = 0; k < count; ++k) columns[k] = load<L>(p + k * width_of<L>);
}
template <int count, class L>
PLIANT_INLINE void store_columns(const L* columns, scalar_of<L>* p) {
  PLIANT_UNROLL for (int k = 0; k < count; ++k) store(p + k * width_of<L>, columns[k]);
}
template <int count, class L>
PLIANT_INLINE void add_columns(const L* columns, scalar_of<L>* p) {
  PLIANT_UNROLL for (int k = 0; k < count; ++k)
      store(p + k * width_of<L>, load<L>(p + k * width_of<L>) + columns[k]);
}

// The sum of the rows.
template <class T, int W, Isa isa>
PLIANT_INLINE Lane<T, 4, isa> sum_of_rows(const Lane<T, W, isa> (&columns)[4]) {
  using L = Lane<T, W, isa>;
  using Row = Lane<T, 4, isa>;
  Row result;
  if constexpr (detail::registers::has_row_registers<L>) {
    typename L::Register rows[4];
    PLIANT_UNROLL for (int k = 0; k < 4; ++k) {
      rows[k] = columns[k].part[0];
      PLIANT_UNROLL for (int p = 1; p < L::registers; ++p) rows[k] += columns[k].part[p];
    }
    detail::registers::transpose_squares(rows);
    const typename L::Register total = (rows[0] + rows[1]) + (rows[2] + rows[3]);
    result = detail::registers::row_of<Row>(total, 0);
    PLIANT_UNROLL for (int i = 1; i < L::register_size / 4; ++i) result +=
        detail::registers::row_of<Row>(total, i);
  } else {
    PLIANT_UNROLL for (int k = 0; k < 4; ++k) {
      T total = 0;
      for (int l = 0; l < W; ++l) total += lane(columns[k], l);
      set_lane(result, k, total);
    }
  }
  return result;
}

}  // namespace pliant::simd
