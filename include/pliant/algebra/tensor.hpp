// Tensor operations on small matrices of scalars or lanes, mostly 2x2 and 3x3. Plain loops, because
// expressions of Eigen take hundreds of times as long to compile, once per scalar and size, and give the same
// code.
#pragma once

#include <pliant/algebra/matrix.hpp>
#include <pliant/simd/lane.hpp>

namespace pliant {

namespace detail::algebra {

// A copy of A, entry by entry: with -O2 GCC copies small matrices of lanes by a call of memcpy, through
// memory.
template <class T, int Rows, int Columns>
PLIANT_INLINE SmallMatrix<T, Rows, Columns> copied(const SmallMatrix<T, Rows, Columns>& A) {
  SmallMatrix<T, Rows, Columns> copy;
  PLIANT_UNROLL for (int k = 0; k < Rows * Columns; ++k) copy.data()[k] = A.data()[k];
  return copy;
}

}  // namespace detail::algebra

// A:B, the sum of the products of the entries.
template <class T, int Rows, int Columns>
PLIANT_INLINE T double_dot(const SmallMatrix<T, Rows, Columns>& A, const SmallMatrix<T, Rows, Columns>& B) {
  T result = A(0, 0) * B(0, 0);
  PLIANT_UNROLL for (int k = 1; k < Rows * Columns; ++k) result += A.data()[k] * B.data()[k];
  return result;
}

template <class T, int Dim>
PLIANT_INLINE T trace(const SmallMatrix<T, Dim, Dim>& A) {
  T result = A(0, 0);
  PLIANT_UNROLL for (int i = 1; i < Dim; ++i) result += A(i, i);
  return result;
}

// cof F = dJ/dF, which is J F^-T if J != 0, and is finite for every finite F.
template <class T, int Dim>
PLIANT_INLINE SmallMatrix<T, Dim, Dim> cofactor(const SmallMatrix<T, Dim, Dim>& F) {
  SmallMatrix<T, Dim, Dim> C;
  if constexpr (Dim == 2) {
    C(0, 0) = F(1, 1);
    C(1, 0) = -F(0, 1);
    C(0, 1) = -F(1, 0);
    C(1, 1) = F(0, 0);
  } else {
    PLIANT_UNROLL for (int j = 0; j < 3; ++j) {
      const int a = (j + 1) % 3, b = (j + 2) % 3;
      PLIANT_UNROLL for (int i = 0; i < 3; ++i) {
        const int p = (i + 1) % 3, q = (i + 2) % 3;
        C(i, j) = F(p, a) * F(q, b) - F(q, a) * F(p, b);
      }
    }
  }
  return C;
}

// det F from F and its cofactor matrix.
template <class T, int Dim>
PLIANT_INLINE T determinant(const SmallMatrix<T, Dim, Dim>& F,
                            const SmallMatrix<T, Dim, Dim>& cofactor_of_F) {
  T J = F(0, 0) * cofactor_of_F(0, 0);
  PLIANT_UNROLL for (int i = 1; i < Dim; ++i) J += F(i, 0) * cofactor_of_F(i, 0);
  return J;
}

template <class T, int Dim>
PLIANT_INLINE T determinant(const SmallMatrix<T, Dim, Dim>& F) {
  return determinant<T, Dim>(F, cofactor<T, Dim>(F));
}

namespace detail::algebra {

// F^-1; its entries are infinite or NaN if det F = 0.
template <class T, int Dim>
PLIANT_INLINE SmallMatrix<T, Dim, Dim> inverse(const SmallMatrix<T, Dim, Dim>& F) {
  const SmallMatrix<T, Dim, Dim> C = cofactor<T, Dim>(F);
  const T J = determinant<T, Dim>(F, C);
  SmallMatrix<T, Dim, Dim> result;
  PLIANT_UNROLL for (int j = 0; j < Dim; ++j) {
    PLIANT_UNROLL for (int i = 0; i < Dim; ++i) result(i, j) = C(j, i) / J;
  }
  return result;
}

// A B; B may be a vector.
template <class T, int Rows, int Inner, int Columns>
PLIANT_INLINE SmallMatrix<T, Rows, Columns> times(const SmallMatrix<T, Rows, Inner>& A,
                                                  const SmallMatrix<T, Inner, Columns>& B) {
  SmallMatrix<T, Rows, Columns> C;
  PLIANT_UNROLL for (int j = 0; j < Columns; ++j) {
    PLIANT_UNROLL for (int i = 0; i < Rows; ++i) {
      C(i, j) = A(i, 0) * B(0, j);
      PLIANT_UNROLL for (int k = 1; k < Inner; ++k) C(i, j) += A(i, k) * B(k, j);
    }
  }
  return C;
}

// A^T B; B may be a vector.
template <class T, int Inner, int Rows, int Columns>
PLIANT_INLINE SmallMatrix<T, Rows, Columns> transposed_times(const SmallMatrix<T, Inner, Rows>& A,
                                                             const SmallMatrix<T, Inner, Columns>& B) {
  SmallMatrix<T, Rows, Columns> C;
  PLIANT_UNROLL for (int j = 0; j < Columns; ++j) {
    PLIANT_UNROLL for (int i = 0; i < Rows; ++i) {
      C(i, j) = A(0, i) * B(0, j);
      PLIANT_UNROLL for (int k = 1; k < Inner; ++k) C(i, j) += A(k, i) * B(k, j);
    }
  }
  return C;
}

template <class T, int Dim>
PLIANT_INLINE T dot(const SmallVector<T, Dim>& a, const SmallVector<T, Dim>& b) {
  return double_dot<T, Dim, 1>(a, b);
}

// v minus its components along the vectors of an orthonormal list.
template <int Size, class List>
PLIANT_INLINE SmallVector<double, Size> orthogonal_part(SmallVector<double, Size> v, const List& basis) {
  for (const SmallVector<double, Size>& unit : basis) {
    const double along = dot<double, Size>(v, unit);
    PLIANT_UNROLL for (int k = 0; k < Size; ++k) v[k] -= along * unit[k];
  }
  return v;
}

template <class T>
PLIANT_INLINE SmallVector<T, 3> cross(const SmallVector<T, 3>& a, const SmallVector<T, 3>& b) {
  SmallVector<T, 3> c;
  PLIANT_UNROLL for (int i = 0; i < 3; ++i) {
    const int p = (i + 1) % 3, q = (i + 2) % 3;
    c(i) = a(p) * b(q) - a(q) * b(p);
  }
  return c;
}

}  // namespace detail::algebra

}  // namespace pliant
