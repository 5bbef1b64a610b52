// What kernels are made of: with -O2 too, lanes and small matrices of them stay in registers, so that none of
// these functions needs memory of its own. Compiled and looked at by in_registers.cmake.
#include <pliant/algebra/tensor.hpp>
#include <pliant/simd/rows.hpp>

using namespace pliant;
using namespace pliant::simd;

using L = Lane<float, 4>;
using Vector = SmallVector<L, 3>;

void turned(const float* a, const float* v, float* out) {
  SmallMatrix<L, 3, 3> A;
  PLIANT_UNROLL for (int k = 0; k < 9; ++k) A(k) = L(a[k]);
  Vector b;
  load_columns<3>(v, &b[0]);
  const Vector c = detail::algebra::transposed_times<L, 3, 3, 1>(A, b);
  store_columns<3>(&c[0], out);
}

void crossed(const float* a, const float* b, float* out) {
  Vector u, v;
  load_columns<3>(a, &u[0]);
  load_columns<3>(b, &v[0]);
  const Vector w = detail::algebra::cross<L>(u, v);
  store_columns<3>(&w[0], out);
}

void wide(const float* a, const float* b, float* out) {
  using W = Lane<float, 16>;
  store(out, multiply_add(load<W>(a), load<W>(b), max(load<W>(a), W(1.0f))));
}

void rows(const float* x, const int* offsets, float* out) {
  Lane<float, 8> columns[4];
  gather_rows(x, offsets, columns);
  scatter_rows(columns, out, offsets);
}
