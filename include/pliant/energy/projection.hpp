// The treatment of a Hessian that is not positive semidefinite.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <pliant/algebra/matrix.hpp>
#include <pliant/simd/lane.hpp>

namespace pliant {

enum class Projection {
  none,     // the Hessian unchanged
  clamp,    // negative eigenvalues become zero: the nearest positive semidefinite matrix
  absolute  // negative eigenvalues change sign: keeps stiffness in modes that a clamp leaves without
};

// Calls `use.operator()<p>()` for a projection p that is known at run time only.
template <class Use>
decltype(auto) with_projection(Projection projection, Use&& use) {
  switch (projection) {
    case Projection::clamp:
      return use.template operator()<Projection::clamp>();
    case Projection::absolute:
      return use.template operator()<Projection::absolute>();
    case Projection::none:
      break;
  }
  return use.template operator()<Projection::none>();
}

// An eigenvalue after projection.
template <Projection projection, class T>
PLIANT_INLINE T projected(const T& eigenvalue) {
  using std::abs;
  using std::max;
  if constexpr (projection == Projection::clamp) return max(eigenvalue, T(0));
  else if constexpr (projection == Projection::absolute) return abs(eigenvalue);
  else return eigenvalue;
}

namespace detail::energy {

// Jacobi's method: transforms the symmetric A into a diagonal matrix and V = I into its eigenvectors. Unlike
// Eigen's solver it allocates nothing, and the layout of its types does not depend on the instruction set.
template <class Scalar, int Size>
void jacobi_eigen(SmallMatrix<Scalar, Size, Size>& A, SmallMatrix<Scalar, Size, Size>& V) {
  constexpr int most_sweeps = 30;  // quadratic convergence: six to eight are usual
  V.setIdentity();
  const Scalar negligible = std::numeric_limits<Scalar>::epsilon() * A.cwiseAbs().maxCoeff() / (4 * Size);
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    bool diagonal = true;
    for (int q = 1; q < Size; ++q) {
      for (int p = 0; p < q; ++p) {
        if (!(std::abs(A(p, q)) > negligible)) continue;
        diagonal = false;
        // Golub and Van Loan, Matrix Computations, 4th ed., algorithm 8.5.1
        const Scalar tau = (A(q, q) - A(p, p)) / (2 * A(p, q));
        const Scalar t = (tau < 0 ? -1 : 1) / (std::abs(tau) + std::hypot(Scalar(1), tau));
        const Scalar c = 1 / std::hypot(Scalar(1), t), s = t * c;
        for (int k = 0; k < Size; ++k) {
          const Scalar kp = A(k, p), kq = A(k, q);
          A(k, p) = c * kp - s * kq;
          A(k, q) = s * kp + c * kq;
        }
        for (int k = 0; k < Size; ++k) {
          const Scalar pk = A(p, k), qk = A(q, k);
          A(p, k) = c * pk - s * qk;
          A(q, k) = s * pk + c * qk;
          const Scalar vp = V(k, p), vq = V(k, q);
          V(k, p) = c * vp - s * vq;
          V(k, q) = s * vp + c * vq;
        }
      }
    }
    if (diagonal) break;
  }
}

}  // namespace detail::energy

// The projection of a symmetric matrix by a numerical eigensolver, lane by lane: for energies without an
// analytic eigensystem, and the reference in tests of the analytic ones.
template <class T, int Size>
SmallMatrix<T, Size, Size> project_numerically(const SmallMatrix<T, Size, Size>& H, Projection projection) {
  if (projection == Projection::none) return H;
  using Scalar = simd::scalar_of<T>;
  SmallMatrix<T, Size, Size> result = H;
  for (int l = 0; l < simd::width_of<T>; ++l) {
    SmallMatrix<Scalar, Size, Size> A, V;
    for (int k = 0; k < Size * Size; ++k) A.data()[k] = simd::lane(H.data()[k], l);
    detail::energy::jacobi_eigen<Scalar, Size>(A, V);
    for (int r = 0; r < Size; ++r) {
      for (int c = r; c < Size; ++c) {
        Scalar entry = 0;
        for (int m = 0; m < Size; ++m) {
          const Scalar value = projection == Projection::clamp ? projected<Projection::clamp>(A(m, m))
                                                               : projected<Projection::absolute>(A(m, m));
          entry += value * V(r, m) * V(c, m);
        }
        simd::set_lane(result(r, c), l, entry);
        simd::set_lane(result(c, r), l, entry);
      }
    }
  }
  return result;
}

}  // namespace pliant
