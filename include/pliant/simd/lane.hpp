// SIMD lanes: a Lane<T, W> holds W numbers and behaves like one.
//
// The whole vocabulary:
//   Lane<T, W> a, b;  a + b, a - b, a * b, a / b, -a, +=, ...;  a < b, ... gives a LaneMask<T, W>
//   select(mask, a, b)      a where the mask is true, b elsewhere
//   sqrt, cbrt, abs, min, max, log, power_of_two_below, lane by lane;  multiply_add(a, b, c) = a * b + c
//   all(mask), any(mask);   sum(a), the sum over the lanes, in lane order
//   load<Lane>(p), store(p, a), gather<Lane>(base, offsets)
//   lane(a, i) reads number i, set_lane(a, i, x) writes it
//   transpose(rows)         W lanes of W numbers, rows become columns
//   convert<Lane>(a)        the same numbers in another precision
// Scalars have the same vocabulary (a double is a lane of width one), so that one formula serves both: it
// calls sqrt, cbrt, abs, min, max, log unqualified after `using std::sqrt;` and similar.
//
// Storage is an array of native registers (GCC and Clang vector extensions), so that any width works with any
// instruction set; with other compilers it is a plain array. The layout depends on the instruction set, hence
// the template argument.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <Eigen/Core>

#include <pliant/simd/isa.hpp>
#include <pliant/simd/register.hpp>

namespace pliant::simd {

// W truth values, the result of comparing two lanes.
template <class T, int W, Isa isa = PLIANT_NATIVE_ISA>
struct LaneMask {
  static constexpr int register_size = detail::registers::register_size<T, W, isa>();
  static constexpr int registers = W / register_size;

  typename detail::registers::Register<T, register_size>::Mask part[registers];

  PLIANT_INLINE bool operator[](int i) const {
    if constexpr (register_size == 1) return part[i];
    else return part[i / register_size][i % register_size] != 0;
  }

#define PLIANT_MASK_OPERATOR(op)                                                          \
  friend PLIANT_INLINE LaneMask operator op(const LaneMask& a, const LaneMask& b) {       \
    LaneMask r;                                                                           \
    PLIANT_UNROLL for (int i = 0; i < registers; ++i) r.part[i] = a.part[i] op b.part[i]; \
    return r;                                                                             \
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
  static constexpr int register_size = detail::registers::register_size<T, W, isa>();
  static constexpr int registers = W / register_size;
  using Scalar = T;
  using Mask = LaneMask<T, W, isa>;
  using Register = typename detail::registers::Register<T, register_size>::Type;

  Register part[registers];

  Lane() = default;
  PLIANT_INLINE Lane(T value) {
    PLIANT_UNROLL for (int i = 0; i < registers; ++i) part[i] = value - Register{};
  }

  // Copies are made register by register: GCC 12 copies an array of two registers in units of 16 bytes,
  // through memory, and the wider loads that follow stall.
  PLIANT_INLINE Lane(const Lane& b) { PLIANT_UNROLL for (int i = 0; i < registers; ++i) part[i] = b.part[i]; }
  PLIANT_INLINE Lane& operator=(const Lane& b) {
    PLIANT_UNROLL for (int i = 0; i < registers; ++i) part[i] = b.part[i];
    return *this;
  }

  PLIANT_INLINE T operator[](int i) const {
    if constexpr (register_size == 1) return part[i];
    else return part[i / register_size][i % register_size];
  }

  PLIANT_INLINE Lane operator-() const {
    Lane r;
    PLIANT_UNROLL for (int i = 0; i < registers; ++i) r.part[i] = -part[i];
    return r;
  }

#define PLIANT_LANE_OPERATOR(op)                                                          \
  friend PLIANT_INLINE Lane operator op(const Lane& a, const Lane& b) {                   \
    PLIANT_CONTRACT                                                                       \
    Lane r;                                                                               \
    PLIANT_UNROLL for (int i = 0; i < registers; ++i) r.part[i] = a.part[i] op b.part[i]; \
    return r;                                                                             \
  }                                                                                       \
  PLIANT_INLINE Lane& operator op##=(const Lane& b) {                                     \
    PLIANT_CONTRACT                                                                       \
    PLIANT_UNROLL for (int i = 0; i < registers; ++i) part[i] = part[i] op b.part[i];     \
    return *this;                                                                         \
  }
  PLIANT_LANE_OPERATOR(+)
  PLIANT_LANE_OPERATOR(-)
  PLIANT_LANE_OPERATOR(*)
  PLIANT_LANE_OPERATOR(/)
#undef PLIANT_LANE_OPERATOR

#define PLIANT_LANE_COMPARISON(op)                                                        \
  friend PLIANT_INLINE Mask operator op(const Lane& a, const Lane& b) {                   \
    Mask r;                                                                               \
    PLIANT_UNROLL for (int i = 0; i < registers; ++i) r.part[i] = a.part[i] op b.part[i]; \
    return r;                                                                             \
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
  PLIANT_UNROLL for (int i = 0; i < r.registers; ++i) r.part[i] = mask.part[i] ? a.part[i] : b.part[i];
  return r;
}

PLIANT_INLINE bool all(bool mask) { return mask; }
PLIANT_INLINE bool any(bool mask) { return mask; }

template <class T, int W, Isa isa>
PLIANT_INLINE bool all(const LaneMask<T, W, isa>& mask) {
  auto every = mask.part[0];
  PLIANT_UNROLL for (int i = 1; i < mask.registers; ++i) every = every & mask.part[i];
  return detail::registers::register_all(every);
}

template <class T, int W, Isa isa>
PLIANT_INLINE bool any(const LaneMask<T, W, isa>& mask) {
  using Part = std::remove_cvref_t<decltype(mask.part[0])>;
  LaneMask<T, W, isa> none;
  PLIANT_UNROLL for (int i = 0; i < mask.registers; ++i) none.part[i] = mask.part[i] == Part{};
  return !all(none);
}

// ---- arithmetic

}  // namespace pliant::simd

namespace pliant::detail::registers {

// Applies a function to the bits of a lane or scalar, as unsigned integers, register by register.
template <class T, class Function>
PLIANT_INLINE T map_bits(const T& a, Function&& function) {
  if constexpr (is_lane<T>) {
    using Bits = typename Register<scalar_of<T>, T::register_size>::Bits;
    T r;
    PLIANT_UNROLL for (int i = 0; i < T::registers; ++i) r.part[i] =
        std::bit_cast<typename T::Register>(function(std::bit_cast<Bits>(a.part[i])));
    return r;
  } else {
    return std::bit_cast<T>(function(std::bit_cast<typename Layout<T>::Bits>(a)));
  }
}

}  // namespace pliant::detail::registers

namespace pliant::simd {

template <class T, int W, Isa isa>
PLIANT_INLINE Lane<T, W, isa> sqrt(const Lane<T, W, isa>& a) {
  Lane<T, W, isa> r;
  PLIANT_UNROLL for (int i = 0; i < r.registers; ++i) r.part[i] = detail::registers::register_sqrt(a.part[i]);
  return r;
}

template <class T, int W, Isa isa>
PLIANT_INLINE Lane<T, W, isa> abs(const Lane<T, W, isa>& a) {
  return detail::registers::map_bits(a, [](auto bits) { return bits & ~detail::registers::Layout<T>::sign; });
}

// 2^k with 2^k <= |a| < 2^(k + 1); 0 if a is zero or subnormal, infinity if it is infinite or NaN.
template <class T>
PLIANT_INLINE T power_of_two_below(const T& a) {
  return detail::registers::map_bits(
      a, [](auto bits) { return bits & detail::registers::Layout<scalar_of<T>>::exponent; });
}

template <class T, int W, Isa isa>
PLIANT_INLINE Lane<T, W, isa> max(const Lane<T, W, isa>& a, const Lane<T, W, isa>& b) {
  return select(a < b, b, a);
}

template <class T, int W, Isa isa>
PLIANT_INLINE Lane<T, W, isa> min(const Lane<T, W, isa>& a, const Lane<T, W, isa>& b) {
  return select(b < a, b, a);
}

// a * b + c, fused if the instruction set has it.
template <class T>
PLIANT_INLINE T multiply_add(const T& a, const T& b, const T& c) {
  PLIANT_CONTRACT
  if constexpr (is_lane<T>) {
    T r;
    PLIANT_UNROLL for (int i = 0; i < T::registers; ++i) r.part[i] = a.part[i] * b.part[i] + c.part[i];
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
    using Unaligned = typename detail::registers::Register<scalar_of<L>, L::register_size>::Unaligned;
    L r;
    PLIANT_UNROLL for (int i = 0; i < L::registers; ++i) r.part[i] =
        *reinterpret_cast<const Unaligned*>(p + i * L::register_size);
    return r;
  } else {
    return *p;
  }
}

template <class L>
PLIANT_INLINE void store(scalar_of<L>* p, const L& a) {
  if constexpr (is_lane<L>) {
    using Unaligned = typename detail::registers::Register<scalar_of<L>, L::register_size>::Unaligned;
    PLIANT_UNROLL for (int i = 0; i < L::registers; ++i) *
        reinterpret_cast<Unaligned*>(p + i * L::register_size) = a.part[i];
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
    PLIANT_UNROLL for (int i = 0; i < L::registers; ++i) {
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

// The numbers of a, rounded to the precision of a lane L of the same width.
template <class L, class T, int W, Isa isa>
PLIANT_INLINE L convert(const Lane<T, W, isa>& a) {
  using From = Lane<T, W, isa>;
  static_assert(L::width == W);
  if constexpr (std::is_same_v<L, From>) {
    return a;
  } else {
    L r;
#if defined(__GNUC__)
    if constexpr (L::register_size == From::register_size && L::register_size > 1) {
      PLIANT_UNROLL for (int i = 0; i < L::registers; ++i) r.part[i] =
          __builtin_convertvector(a.part[i], typename L::Register);
      return r;
    } else if constexpr (From::register_size == 4 && L::register_size == 2) {
      PLIANT_UNROLL for (int i = 0; i < From::registers; ++i) {
        const auto low = __builtin_shufflevector(a.part[i], a.part[i], 0, 1),
                   high = __builtin_shufflevector(a.part[i], a.part[i], 2, 3);
        r.part[2 * i] = __builtin_convertvector(low, typename L::Register);
        r.part[2 * i + 1] = __builtin_convertvector(high, typename L::Register);
      }
      return r;
    }
#endif
    for (int i = 0; i < W; ++i) set_lane(r, i, static_cast<typename L::Scalar>(a[i]));
    return r;
  }
}

// Applies a scalar function to every lane: for functions without a vector form here.
template <class T, class Function>
PLIANT_INLINE T per_lane(const T& a, Function&& function) {
  T r = a;
  for (int i = 0; i < width_of<T>; ++i) set_lane(r, i, function(lane(a, i)));
  return r;
}

// The natural logarithm, within 1 unit in the last place, also of subnormal numbers; -infinity at 0, NaN
// below 0.
//
// a = 2^k m with m in [sqrt(1/2), sqrt(2)). With f = m - 1 and s = f / (2 + f), log m = 2 atanh(s) is a short
// Taylor series. It is summed as f - (f^2 / 2 - s (f^2 / 2 + R)), R = 2 s^2 / 3 + 2 s^4 / 5 + ..., where only
// the small terms are rounded.
template <class T, int W, Isa isa>
PLIANT_INLINE Lane<T, W, isa> log(const Lane<T, W, isa>& a) {
  using L = Lane<T, W, isa>;
  using Layout = detail::registers::Layout<T>;
  using Limits = std::numeric_limits<T>;
  constexpr bool is_double = sizeof(T) == 8;
  constexpr T ln2_high =
      static_cast<T>(is_double ? 0x1.62e42fefa38p-1 : 0x1.62ep-1);  // k * ln2_high is exact
  constexpr T ln2_low = static_cast<T>(is_double ? 0x1.ef35793c7673p-45 : 0x1.0bfbe8e7bcd5ep-15);
  constexpr int terms = is_double ? 10 : 4;
  constexpr T big = Layout::two_to_mantissa_bits;
  constexpr T bias = T(Limits::max_exponent - 1);

  const auto subnormal = a < L(Limits::min());
  const L x = select(subnormal, a * L(big), a);
  // An exponent field e among the low bits of big is the number big + e.
  const L field = detail::registers::map_bits(x, [](auto bits) {
    return (bits >> Layout::mantissa_bits) | Layout::bits_of(Layout::two_to_mantissa_bits);
  });
  L k = field - select(subnormal, L(big + bias + T(Layout::mantissa_bits)), L(big + bias));
  L m = detail::registers::map_bits(
      x, [](auto bits) { return (bits & Layout::mantissa) | Layout::bits_of(T(1)); });
  const auto above = m > L(static_cast<T>(1.4142135623730951));
  m = select(above, L(T(0.5)) * m, m);
  k = select(above, k + L(T(1)), k);

  const L f = m - L(T(1));
  const L s = f / (f + L(T(2)));
  const L z = s * s;
  L series(T(2) / (2 * terms + 1));
  for (int i = terms - 1; i > 0; --i) series = multiply_add(series, z, L(T(2) / T(2 * i + 1)));
  const L half_square = L(T(0.5)) * f * f;
  const L correction = s * (half_square + series * z) + k * L(ln2_low);
  const L finite = k * L(ln2_high) - ((half_square - correction) - f);

  const L result = select(a == L(Limits::infinity()), a, finite);
  const L not_positive = select(a == L(T(0)), L(-Limits::infinity()), L(Limits::quiet_NaN()));
  return select(a > L(T(0)), result, not_positive);
}

// The cube root, within 4 units in the last place, of normal numbers of either sign; 0 if |a| is subnormal or
// zero; not for infinite and NaN lanes.
//
// |a| = 2^(3 q) m with m in [1, 8). A quadratic is within 2.5 % of the root of m, and two of Halley's steps
// follow, each of which cubes the relative error.
template <class T, int W, Isa isa>
PLIANT_INLINE Lane<T, W, isa> cbrt(const Lane<T, W, isa>& a) {
  using L = Lane<T, W, isa>;
  using Layout = detail::registers::Layout<T>;
  constexpr T big = Layout::two_to_mantissa_bits;
  constexpr T bias = T(std::numeric_limits<T>::max_exponent - 1);

  // An exponent field e among the low bits of big is the number big + e.
  const L magnitude = abs(a);
  const L k = detail::registers::map_bits(magnitude,
                                          [](auto bits) {
                                            return (bits >> Layout::mantissa_bits) |
                                                   Layout::bits_of(Layout::two_to_mantissa_bits);
                                          }) -
              L(big + bias);
  constexpr T to_integer = T(1.5) * big;  // adding and subtracting it rounds to an integer
  const L q = ((k - L(T(1))) * L(T(1) / T(3)) + L(to_integer)) - L(to_integer);
  const auto power_of_two = [](const L& exponent) {
    return detail::registers::map_bits(exponent + L(big + bias),
                                       [](auto bits) { return bits << Layout::mantissa_bits; });
  };
  const L fraction = detail::registers::map_bits(
      magnitude, [](auto bits) { return (bits & Layout::mantissa) | Layout::bits_of(T(1)); });
  const L m = fraction * power_of_two(k - T(3) * q);

  L root = L(T(0.75)) + m * (L(T(0.28)) - L(T(0.016)) * m);
  PLIANT_UNROLL for (int step = 0; step < 2; ++step) {
    const L cube = root * root * root;
    root -= root * (cube - m) / (cube + cube + m);
  }
  root *= power_of_two(q);
  const L zero(T(0));
  return select(magnitude < L(std::numeric_limits<T>::min()), zero, select(a < zero, L(-root), root));
}

// W rows of W numbers each become W columns, in place.
template <class T, int W, Isa isa>
PLIANT_INLINE void transpose(Lane<T, W, isa> (&rows)[W]) {
  using L = Lane<T, W, isa>;
  constexpr int size = L::register_size;
  if constexpr (size > 1) {
    // Square tiles of registers are transposed in place and then exchanged.
    PLIANT_UNROLL for (int tile_row = 0; tile_row < L::registers; ++tile_row) {
      PLIANT_UNROLL for (int tile_column = 0; tile_column < L::registers; ++tile_column) {
        typename L::Register tile[size];
        PLIANT_UNROLL for (int i = 0; i < size; ++i) tile[i] = rows[tile_row * size + i].part[tile_column];
        detail::registers::transpose_registers(tile);
        PLIANT_UNROLL for (int i = 0; i < size; ++i) rows[tile_row * size + i].part[tile_column] = tile[i];
      }
    }
    PLIANT_UNROLL for (int a = 0; a < L::registers; ++a) {
      PLIANT_UNROLL for (int b = a + 1; b < L::registers; ++b) {
        PLIANT_UNROLL for (int i = 0; i < size; ++i)
            std::swap(rows[a * size + i].part[b], rows[b * size + i].part[a]);
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

}  // namespace pliant::simd

namespace pliant {

using simd::constant;  // energies of a program need it

}  // namespace pliant

// Eigen accepts lanes as a matrix's scalar type.
template <class T, int W, pliant::Isa isa>
struct Eigen::NumTraits<pliant::simd::Lane<T, W, isa>> {
  using Real = pliant::simd::Lane<T, W, isa>;
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
