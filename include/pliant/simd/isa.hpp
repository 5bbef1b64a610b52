// The instruction set for which a translation unit is compiled, as a value that can be a template argument.
//
// Two units of one program may be built with different -march flags. Every entity that depends on the
// instruction set (the layout of a lane, the code of a kernel) therefore has an Isa as a template argument:
// the two units then instantiate different entities, which the linker does not merge.
#pragma once

namespace pliant {

// What kernels are written with: lanes, registers, rows, and the functions of lanes.
namespace simd {}

// What is behind the interface. Kernels use the names of simd without a qualifier.
namespace detail {
using namespace simd;
}

enum class Isa { plain, vector128, avx, avx2, avx2_fma, avx512 };

#if defined(PLIANT_NO_VECTOR_EXTENSIONS) || !defined(__GNUC__)
#define PLIANT_NATIVE_ISA ::pliant::Isa::plain
#elif defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#define PLIANT_NATIVE_ISA ::pliant::Isa::avx512
#elif defined(__AVX2__) && defined(__FMA__)
#define PLIANT_NATIVE_ISA ::pliant::Isa::avx2_fma
#elif defined(__AVX2__)
#define PLIANT_NATIVE_ISA ::pliant::Isa::avx2
#elif defined(__AVX__)
#define PLIANT_NATIVE_ISA ::pliant::Isa::avx
#else
#define PLIANT_NATIVE_ISA ::pliant::Isa::vector128
#endif

namespace simd {

// Bytes of one vector register; 0 if the compiler has no vector types.
constexpr int register_bytes(Isa isa) {
  switch (isa) {
    case Isa::plain:
      return 0;
    case Isa::vector128:
      return 16;
    case Isa::avx:
    case Isa::avx2:
    case Isa::avx2_fma:
      return 32;
    case Isa::avx512:
      return 64;
  }
  return 0;
}

}  // namespace simd

}  // namespace pliant
