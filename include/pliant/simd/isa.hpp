// The instruction set a translation unit is compiled for, as a value that can stand in a type.
//
// Two units of one program may be built with different -march flags. Whatever depends on the instruction set
// (the layout of a lane, the code of a kernel) therefore carries an Isa as a template argument: the two units
// then instantiate two different entities, and the linker never mixes them up.
#pragma once

namespace pliant {

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

// Bytes of one vector register; 0 where the compiler has no vector types.
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

}  // namespace pliant
