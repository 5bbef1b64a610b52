// One vector register of the machine: the vector types of GCC and Clang, and functions that their operators
// do not cover. Without vector types (other compilers, or PLIANT_NO_VECTOR_EXTENSIONS) a register is a single
// number. See lane.hpp for its use.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <pliant/simd/isa.hpp>

#if defined(__SSE2__) && defined(__GNUC__)
#include <immintrin.h>
#endif

#if defined(__GNUC__)
#define PLIANT_INLINE inline __attribute__((always_inline))
#define PLIANT_NOINLINE __attribute__((noinline))
#else
#define PLIANT_INLINE inline
#define PLIANT_NOINLINE
#endif

// By default Clang fuses a * b + c only inside one expression; GCC fuses across inlined functions.
#if defined(__clang__)
#define PLIANT_CONTRACT _Pragma("clang fp contract(fast)")
#else
#define PLIANT_CONTRACT
#endif

// Precedes a loop over the registers of a lane or the entries of a small matrix: if the loop is completely
// unrolled, these stay in registers. GCC unrolls such loops with -O3 only, Clang with -O2 too.
#if defined(__GNUC__) && !defined(__clang__)
#define PLIANT_UNROLL _Pragma("GCC unroll 16")
#else
#define PLIANT_UNROLL
#endif

namespace pliant::simd {

// Prefetches `count` objects into the cache.
template <class T>
PLIANT_INLINE void prefetch([[maybe_unused]] const T* first, [[maybe_unused]] std::ptrdiff_t count) {
#if defined(__GNUC__)
  constexpr std::ptrdiff_t line = 64;
  const char* const bytes = reinterpret_cast<const char*>(first);
  const auto size = count * static_cast<std::ptrdiff_t>(sizeof(T));
  for (std::ptrdiff_t i = 0; i < size; i += line) __builtin_prefetch(bytes + i);
#endif
}

}  // namespace pliant::simd

namespace pliant::detail::registers {

// The parts of an IEEE number, as masks on its bits.
template <class T>
struct Layout {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  static constexpr int mantissa_bits = std::numeric_limits<T>::digits - 1;
  static constexpr Bits sign = Bits(1) << (8 * sizeof(T) - 1);
  static constexpr Bits mantissa = (Bits(1) << mantissa_bits) - 1;
  static constexpr Bits exponent = ~(sign | mantissa);
  static constexpr T two_to_mantissa_bits = T(Bits(1) << mantissa_bits);

  static constexpr Bits bits_of(T a) { return std::bit_cast<Bits>(a); }
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

// Whether a mask, the result of comparing two registers, is true everywhere. Instructions that collect the
// signs are used because compilers test the numbers of a mask one by one.
template <class Mask>
PLIANT_INLINE bool register_all(const Mask& mask) {
  if constexpr (std::is_same_v<Mask, bool>) {
    return mask;
  } else {
#if defined(__SSE2__) && defined(__GNUC__)
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    if constexpr (sizeof(Mask) == 64) return _mm512_movepi32_mask(reinterpret_cast<__m512i>(mask)) == 0xffff;
    else
#endif
#if defined(__AVX__)
        if constexpr (sizeof(Mask) == 32)
      return _mm256_movemask_ps(reinterpret_cast<__m256>(mask)) == 0xff;
    else
#endif
        if constexpr (sizeof(Mask) == 16)
      return _mm_movemask_ps(reinterpret_cast<__m128>(mask)) == 0xf;
    else
#endif
    {
      bool result = true;
      for (unsigned i = 0; i < sizeof(Mask) / sizeof(mask[0]); ++i) result = result && mask[i] != 0;
      return result;
    }
  }
}

// One step of a transpose: exchanges the odd blocks of Size numbers of a with the even ones of b.
template <std::size_t Size, class Register, std::size_t... i>
PLIANT_INLINE void exchange_blocks(Register& a, Register& b, std::index_sequence<i...>) {
#if defined(__GNUC__)
  constexpr std::size_t count = sizeof...(i);
  const Register even = __builtin_shufflevector(a, b, (i & Size ? count + i - Size : i)...);
  b = __builtin_shufflevector(a, b, (i & Size ? count + i : i + Size)...);
  a = even;
#endif
}

template <std::size_t Size, class Register, std::size_t Count>
PLIANT_INLINE void exchange_blocks(Register (&r)[Count]) {
  PLIANT_UNROLL for (std::size_t i = 0; i < Count; ++i) {
    if ((i & Size) == 0) exchange_blocks<Size>(r[i], r[i + Size], std::make_index_sequence<Count>());
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
  } else if constexpr (Size == 16) {
    exchange_blocks<1>(r);
    exchange_blocks<2>(r);
    exchange_blocks<4>(r);
    exchange_blocks<8>(r);
  } else {
    Register pair[8], quad[8];
    PLIANT_UNROLL for (int i = 0; i < 8; i += 2) {
      pair[i] = __builtin_shufflevector(r[i], r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
      pair[i + 1] = __builtin_shufflevector(r[i], r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    PLIANT_UNROLL for (int i = 0; i < 8; i += 4) {
      PLIANT_UNROLL for (int k = 0; k < 2; ++k) {
        quad[i + k] = __builtin_shufflevector(pair[i + k], pair[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        quad[i + k + 2] = __builtin_shufflevector(pair[i + k], pair[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
      }
    }
    PLIANT_UNROLL for (int i = 0; i < 4; ++i) {
      r[i] = __builtin_shufflevector(quad[i], quad[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
      r[i + 4] = __builtin_shufflevector(quad[i], quad[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
  }
#endif
}

}  // namespace pliant::detail::registers
