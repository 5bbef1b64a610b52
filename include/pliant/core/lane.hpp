// SIMD lanes: a Lane<T, W> holds W numbers and behaves like one.
//
// The whole vocabulary:
//   Lane<T, W> a, b;  a + b, a - b, a * b, a / b, -a, +=, ...;  a < b, ... gives a LaneMask<T, W>
//   select(mask, a, b)      a where the mask is true, b elsewhere
//   sqrt, abs, min, max, log, lane by lane;  multiply_add(a, b, c) = a * b + c
//   all(mask), any(mask);   sum(a), the sum over the lanes, in lane order
//   load<Lane>(p), store(p, a), gather<Lane>(base, offsets);  lane(a, i) reads number i, set_lane(a, i, x)
//   writes it transpose(rows)         W lanes of W numbers, rows become columns
// Scalars obey the same vocabulary (a double is a lane of width one), so a formula written once serves both:
// it calls sqrt, abs, min, max, log unqualified after `using std::sqrt;` and its like.
//
// Storage is an array of native registers (GCC and Clang vector extensions), so any width works with any
// instruction set; other compilers get a plain array. The layout depends on the instruction set, hence the
// tag.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <pliant/core/isa.hpp>
#include <type_traits>

#if defined(__SSE2__) && defined(__GNUC__)
#include <immintrin.h>
#endif

#if defined(__GNUC__)
#define PLIANT_INLINE inline __attribute__((always_inline))
#else
#define PLIANT_INLINE inline
#endif

// Clang fuses a * b + c only inside one expression unless told otherwise; GCC fuses across inlined functions.
#if defined(__clang__)
#define PLIANT_CONTRACT _Pragma("clang fp contract(fast)")
#else
#define PLIANT_CONTRACT
#endif

namespace pliant {

namespace detail {

// The parts of an IEEE number, as masks on its bits.
template <class T>
struct Layout {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  static constexpr int mantissa_bits = std::numeric_limits<T>::digits - 1;
  static constexpr Bits sign = Bits(1) << (8 * sizeof(T) - 1);
  static constexpr Bits mantissa = (Bits(1) << mantissa_bits) - 1;
  static constexpr Bits exponent = ~(sign | mantissa);
};

// A register of Count numbers of type T. Count == 1 is the number itself, the fallback for compilers without
// vector types.
template <class T, int Count>
struct Register {
#if defined(__GNUC__)
  typedef T Type __attribute__((vector_size(sizeof(T) * Count)));
  typedef T Unaligned __attribute__((vector_size(sizeof(T) * Count), aligned(alignof(T)), may_alias));
  typedef typename Layout<T>::Bits Bits __attribute__((vector_size(sizeof(T) * Count)));
  using Mask = decltype(Type{} < Type{});
#endif
};

template <class T>
struct Register<T, 1> {
  using Type = T;
  using Unaligned = T;
  using Bits = typename Layout<T>::Bits;
  using Mask = bool;
};

template <class T, int W, Isa isa>
constexpr int register_size() {
  constexpr int bytes = register_bytes(isa);
  if constexpr (bytes == 0) return 1;
  return W * static_cast<int>(sizeof(T)) > bytes ? bytes / static_cast<int>(sizeof(T)) : W;
}

template <class Register>
PLIANT_INLINE Register register_sqrt(const Register& a) {
  if constexpr (std::is_arithmetic_v<Register>) {
    return std::sqrt(a);
  } else {
#if defined(__SSE2__) && defined(__GNUC__)
    using T = std::remove_cvref_t<decltype(a[0])>;
    constexpr bool is_double = std::is_same_v<T, double>;
#if defined(__AVX512F__)
    if constexpr (sizeof(Register) == 64 && is_double)
      return reinterpret_cast<Register>(_mm512_maskz_sqrt_pd(0xff, reinterpret_cast<__m512d>(a)));
    else if constexpr (sizeof(Register) == 64)
      return reinterpret_cast<Register>(_mm512_maskz_sqrt_ps(0xffff, reinterpret_cast<__m512>(a)));
    else
#endif
#if defined(__AVX__)
        if constexpr (sizeof(Register) == 32 && is_double)
      return reinterpret_cast<Register>(_mm256_sqrt_pd(reinterpret_cast<__m256d>(a)));
    else if constexpr (sizeof(Register) == 32)
      return reinterpret_cast<Register>(_mm256_sqrt_ps(reinterpret_cast<__m256>(a)));
    else
#endif
        if constexpr (sizeof(Register) == 16 && is_double)
      return reinterpret_cast<Register>(_mm_sqrt_pd(reinterpret_cast<__m128d>(a)));
    else if constexpr (sizeof(Register) == 16)
      return reinterpret_cast<Register>(_mm_sqrt_ps(reinterpret_cast<__m128>(a)));
    else
#endif
    {
      Register result;
      for (unsigned i = 0; i < sizeof(Register) / sizeof(a[0]); ++i) result[i] = std::sqrt(a[i]);
      return result;
    }
  }
}

// The transpose of a square of registers, in place.
template <class Register, std::size_t Size>
PLIANT_INLINE void transpose_registers(Register (&r)[Size]) {
#if defined(__GNUC__)
  if constexpr (Size == 2) {
    const Register low = __builtin_shufflevector(r[0], r[1], 0, 2);
    r[1] = __builtin_shufflevector(r[0], r[1], 1, 3);
    r[0] = low;
  } else if constexpr (Size == 4) {
    const Register a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6);
    const Register b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
    const Register c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6);
    const Register d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    r[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
  } else {
    Register pair[8], quad[8];
    for (int i = 0; i < 8; i += 2) {
      pair[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
      pair[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 8; i += 4) {
      for (int k = 0; k < 2; ++k) {
        quad[i + k] = __builtin_shufflevector(pair[i + k], pair[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        quad[i + k + 2] = __builtin_shufflevector(pair[i + k], pair[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
      }
    }
    for (int i = 0; i < 4; ++i) {
      r[i] = __builtin_shufflevector(quad[i], quad[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
      r[i + 4] = __builtin_shufflevector(quad[i], quad[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
  }
#endif
}

}  // namespace detail

// W truth values, the result of comparing two lanes.
template <class T, int W, Isa isa = PLIANT_NATIVE_ISA>
struct LaneMask {
  static constexpr int register_size = detail::register_size<T, W, isa>();
  static constexpr int registers = W / register_size;

  typename detail::Register<T, register_size>::Mask part[registers];

  PLIANT_INLINE bool operator[](int i) const {
    if constexpr (register_size == 1) return part[i];
    else return part[i / register_size][i % register_size] != 0;
  }

#define PLIANT_MASK_OPERATOR(op)                                                    \
  friend PLIANT_INLINE LaneMask operator op(const LaneMask& a, const LaneMask& b) { \
    LaneMask r;                                                                     \
    for (int i = 0; i < registers; ++i) r.part[i] = a.part[i] op b.part[i];         \
    return r;                                                                       \
  }
  PLIANT_MASK_OPERATOR(&)
  PLIANT_MASK_OPERATOR(|)
#undef PLIANT_MASK_OPERATOR
};

// W numbers of type T (float or double); W is a power of two.
template <class T, int W, Isa isa = PLIANT_NATIVE_ISA>
struct Lane {
  static_assert(W > 0 && (W & (W - 1)) == 0, "the width of a Lane is a power of two");
  static constexpr int width = W;
  static constexpr int register_size = detail::register_size<T, W, isa>();
  static constexpr int registers = W / register_size;
  using Scalar = T;
  using Mask = LaneMask<T, W, isa>;
  using Register = typename detail::Register<T, register_size>::Type;

  Register part[registers];

  Lane() = default;
  PLIANT_INLINE Lane(T value) {
    for (int i = 0; i < registers; ++i) part[i] = value - Register{};
  }

  // Copies go register by register: GCC 12 copies an array of two in pieces of 16 bytes, through memory, and the
  // wider loads that follow stall.
  PLIANT_INLINE Lane(const Lane& b) {
    for (int i = 0; i < registers; ++i) part[i] = b.part[i];
  }
  PLIANT_INLINE Lane& operator=(const Lane& b) {
    for (int i = 0; i < registers; ++i) part[i] = b.part[i];
    return *this;
  }

  PLIANT_INLINE T operator[](int i) const {
    if constexpr (register_size == 1) return part[i];
    else return part[i / register_size][i % register_size];
  }

  PLIANT_INLINE Lane operator-() const {
    Lane r;
    for (int i = 0; i < registers; ++i) r.part[i] = -part[i];
    return r;
  }

#define PLIANT_LANE_OPERATOR(op)                                            \
  friend PLIANT_INLINE Lane operator op(const Lane& a, const Lane& b) {     \
    PLIANT_CONTRACT                                                         \
    Lane r;                                                                 \
    for (int i = 0; i < registers; ++i) r.part[i] = a.part[i] op b.part[i]; \
    return r;                                                               \
  }                                                                         \
  PLIANT_INLINE Lane& operator op##=(const Lane& b) {                       \
    PLIANT_CONTRACT                                                         \
    for (int i = 0; i < registers; ++i) part[i] = part[i] op b.part[i];     \
    return *this;                                                           \
  }
  PLIANT_LANE_OPERATOR(+)
  PLIANT_LANE_OPERATOR(-)
  PLIANT_LANE_OPERATOR(*)
  PLIANT_LANE_OPERATOR(/)
#undef PLIANT_LANE_OPERATOR

#define PLIANT_LANE_COMPARISON(op)                                          \
  friend PLIANT_INLINE Mask operator op(const Lane& a, const Lane& b) {     \
    Mask r;                                                                 \
    for (int i = 0; i < registers; ++i) r.part[i] = a.part[i] op b.part[i]; \
    return r;                                                               \
  }
  PLIANT_LANE_COMPARISON(<)
  PLIANT_LANE_COMPARISON(>)
  PLIANT_LANE_COMPARISON(<=)
  PLIANT_LANE_COMPARISON(>=)
  PLIANT_LANE_COMPARISON(==)
  PLIANT_LANE_COMPARISON(!=)
#undef PLIANT_LANE_COMPARISON
};

// The number type of a scalar or lane, and how many it holds.
template <class T>
struct lane_traits {
  using Scalar = T;
  static constexpr int width = 1;
};

template <class T, int W, Isa isa>
struct lane_traits<Lane<T, W, isa>> {
  using Scalar = T;
  static constexpr int width = W;
};

template <class T>
using scalar_of = typename lane_traits<T>::Scalar;

template <class T>
inline constexpr int width_of = lane_traits<T>::width;

template <class T>
inline constexpr bool is_lane = !std::is_same_v<T, scalar_of<T>>;

// A constant in every lane, rounded to the lane's precision.
template <class T>
PLIANT_INLINE T constant(double value) {
  return T(static_cast<scalar_of<T>>(value));
}

// ---- choice

template <class T>
requires std::is_arithmetic_v<T> PLIANT_INLINE T select(bool mask, T a, T b) { return mask ? a : b; }

template <class T, int W, Isa isa>
PLIANT_INLINE Lane<T, W, isa> select(const LaneMask<T, W, isa>& mask, const Lane<T, W, isa>& a,
                                     const Lane<T, W, isa>& b) {
  Lane<T, W, isa> r;
  for (int i = 0; i < r.registers; ++i) r.part[i] = mask.part[i] ? a.part[i] : b.part[i];
  return r;
}

PLIANT_INLINE bool all(bool mask) { return mask; }
PLIANT_INLINE bool any(bool mask) { return mask; }

template <class T, int W, Isa isa>
PLIANT_INLINE bool all(const LaneMask<T, W, isa>& mask) {
  bool result = true;
  for (int i = 0; i < W; ++i) result = result && mask[i];
  return result;
}

template <class T, int W, Isa isa>
PLIANT_INLINE bool any(const LaneMask<T, W, isa>& mask) {
  bool result = false;
  for (int i = 0; i < W; ++i) result = result || mask[i];
  return result;
}

// ---- arithmetic

namespace detail {

// A lane or scalar whose bits, taken as unsigned integers register by register, have gone through a function.
template <class T, class Function>
PLIANT_INLINE T map_bits(const T& a, Function&& function) {
  if constexpr (is_lane<T>) {
    using Bits = typename Register<scalar_of<T>, T::register_size>::Bits;
    T r;
    for (int i = 0; i < T::registers; ++i)
      r.part[i] = std::bit_cast<typename T::Register>(function(std::bit_cast<Bits>(a.part[i])));
    return r;
  } else {
    return std::bit_cast<T>(function(std::bit_cast<typename Layout<T>::Bits>(a)));
  }
}

}  // namespace detail

template <class T, int W, Isa isa>
PLIANT_INLINE Lane<T, W, isa> sqrt(const Lane<T, W, isa>& a) {
  Lane<T, W, isa> r;
  for (int i = 0; i < r.registers; ++i) r.part[i] = detail::register_sqrt(a.part[i]);
  return r;
}

template <class T, int W, Isa isa>
PLIANT_INLINE Lane<T, W, isa> abs(const Lane<T, W, isa>& a) {
  return detail::map_bits(a, [](auto bits) { return bits & ~detail::Layout<T>::sign; });
}

// 2^k with 2^k <= |a| < 2^(k + 1); 0 where a is zero or subnormal, infinity where it is infinite or NaN.
template <class T>
PLIANT_INLINE T power_of_two_below(const T& a) {
  return detail::map_bits(a, [](auto bits) { return bits & detail::Layout<scalar_of<T>>::exponent; });
}

template <class T, int W, Isa isa>
PLIANT_INLINE Lane<T, W, isa> max(const Lane<T, W, isa>& a, const Lane<T, W, isa>& b) {
  return select(a < b, b, a);
}

template <class T, int W, Isa isa>
PLIANT_INLINE Lane<T, W, isa> min(const Lane<T, W, isa>& a, const Lane<T, W, isa>& b) {
  return select(b < a, b, a);
}

// a * b + c, fused where the instruction set has it.
template <class T>
PLIANT_INLINE T multiply_add(const T& a, const T& b, const T& c) {
  PLIANT_CONTRACT
  if constexpr (is_lane<T>) {
    T r;
    for (int i = 0; i < T::registers; ++i) r.part[i] = a.part[i] * b.part[i] + c.part[i];
    return r;
  } else {
    return a * b + c;
  }
}

template <class T, int W, Isa isa>
PLIANT_INLINE T sum(const Lane<T, W, isa>& a) {
  T result = a[0];
  for (int i = 1; i < W; ++i) result += a[i];
  return result;
}

template <class T>
requires std::is_arithmetic_v<T> PLIANT_INLINE T sum(T a) { return a; }

// ---- memory

// W numbers from p, which needs no alignment beyond that of a number.
template <class L>
PLIANT_INLINE L load(const scalar_of<L>* p) {
  if constexpr (is_lane<L>) {
    using Unaligned = typename detail::Register<scalar_of<L>, L::register_size>::Unaligned;
    L r;
    for (int i = 0; i < L::registers; ++i)
      r.part[i] = *reinterpret_cast<const Unaligned*>(p + i * L::register_size);
    return r;
  } else {
    return *p;
  }
}

template <class L>
PLIANT_INLINE void store(scalar_of<L>* p, const L& a) {
  if constexpr (is_lane<L>) {
    using Unaligned = typename detail::Register<scalar_of<L>, L::register_size>::Unaligned;
    for (int i = 0; i < L::registers; ++i)
      *reinterpret_cast<Unaligned*>(p + i * L::register_size) = a.part[i];
  } else {
    *p = a;
  }
}

template <class T, int W, Isa isa>
PLIANT_INLINE void set_lane(Lane<T, W, isa>& a, int i, T value) {
  constexpr int size = Lane<T, W, isa>::register_size;
  if constexpr (size == 1) a.part[i] = value;
  else a.part[i / size][i % size] = value;
}

template <class T>
requires std::is_arithmetic_v<T> PLIANT_INLINE void set_lane(T& a, int, T value) { a = value; }

PLIANT_INLINE double lane(double a, int) { return a; }
PLIANT_INLINE float lane(float a, int) { return a; }

// Number i of a lane or of a scalar.
template <class T, int W, Isa isa>
PLIANT_INLINE T lane(const Lane<T, W, isa>& a, int i) {
  return a[i];
}

// base[offsets[0]], base[offsets[1]], ... Built from single loads: measured faster than hardware gathers.
template <class L>
PLIANT_INLINE L gather(const scalar_of<L>* base, const int* offsets) {
  if constexpr (is_lane<L>) {
    L r;
    for (int i = 0; i < L::registers; ++i) {
      const int* o = offsets + i * L::register_size;
      if constexpr (L::register_size == 1) {
        r.part[i] = base[o[0]];
      } else if constexpr (L::register_size == 2) {
        r.part[i] = typename L::Register{base[o[0]], base[o[1]]};
      } else if constexpr (L::register_size == 4) {
        r.part[i] = typename L::Register{base[o[0]], base[o[1]], base[o[2]], base[o[3]]};
      } else if constexpr (L::register_size == 8) {
        r.part[i] = typename L::Register{base[o[0]], base[o[1]], base[o[2]], base[o[3]],
                                         base[o[4]], base[o[5]], base[o[6]], base[o[7]]};
      } else {
        for (int k = 0; k < L::register_size; ++k) r.part[i][k] = base[o[k]];
      }
    }
    return r;
  } else {
    return base[offsets[0]];
  }
}

// Every lane passed through a scalar function: for functions that have no vector form here.
template <class T, class Function>
PLIANT_INLINE T per_lane(const T& a, Function&& function) {
  T r = a;
  for (int i = 0; i < width_of<T>; ++i) set_lane(r, i, function(lane(a, i)));
  return r;
}

template <class T, int W, Isa isa>
PLIANT_INLINE Lane<T, W, isa> log(const Lane<T, W, isa>& a) {
  return per_lane(a, [](T x) { return std::log(x); });
}

// W rows of W numbers each become W columns, in place.
template <class T, int W, Isa isa>
PLIANT_INLINE void transpose(Lane<T, W, isa> (&rows)[W]) {
  using L = Lane<T, W, isa>;
  constexpr int size = L::register_size;
  if constexpr (size == 2 || size == 4 || size == 8) {
    // Square tiles of registers are transposed on the spot and then change places.
    for (int tile_row = 0; tile_row < L::registers; ++tile_row) {
      for (int tile_column = 0; tile_column < L::registers; ++tile_column) {
        typename L::Register tile[size];
        for (int i = 0; i < size; ++i) tile[i] = rows[tile_row * size + i].part[tile_column];
        detail::transpose_registers(tile);
        for (int i = 0; i < size; ++i) rows[tile_row * size + i].part[tile_column] = tile[i];
      }
    }
    for (int a = 0; a < L::registers; ++a) {
      for (int b = a + 1; b < L::registers; ++b) {
        for (int i = 0; i < size; ++i) std::swap(rows[a * size + i].part[b], rows[b * size + i].part[a]);
      }
    }
  } else {
    T numbers[W][W];
    for (int i = 0; i < W; ++i) store(numbers[i], rows[i]);
    for (int i = 0; i < W; ++i) {
      for (int k = 0; k < W; ++k) set_lane(rows[i], k, numbers[k][i]);
    }
  }
}

}  // namespace pliant

// Eigen accepts lanes as a matrix's scalar type.
template <class T, int W, pliant::Isa isa>
struct Eigen::NumTraits<pliant::Lane<T, W, isa>> {
  using Real = pliant::Lane<T, W, isa>;
  using NonInteger = Real;
  using Nested = Real;
  using Literal = T;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 0,
    ReadCost = 1,
    AddCost = 1,
    MulCost = 1
  };
  static Real epsilon() { return Real(NumTraits<T>::epsilon()); }
  static Real dummy_precision() { return Real(NumTraits<T>::dummy_precision()); }
  static Real highest() { return Real(NumTraits<T>::highest()); }
  static Real lowest() { return Real(NumTraits<T>::lowest()); }
  static constexpr int digits10() { return NumTraits<T>::digits10(); }
};
