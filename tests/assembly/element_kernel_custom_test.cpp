// The kernel with an energy that offers nothing but psi, P and its Hessian.
#include "assembly/system_facts.hpp"
#include "mesh/sample_meshes.hpp"

#include <pliant/assembly/element_kernel.hpp>

using namespace pliant;
using namespace system_facts;

namespace {

// psi = k/4 |F^T F - I|^2, P = k F (F^T F - I).
struct SquaredStretch {
  double k = 1.5;

  template <class Derived>
  typename Derived::Scalar psi(const Eigen::MatrixBase<Derived>& F) const {
    using T = typename Derived::Scalar;
    const auto C = strain(F);
    T sum = constant<T>(0);
    for (int n = 0; n < C.size(); ++n) sum += C.data()[n] * C.data()[n];
    return constant<T>(k / 4) * sum;
  }

  template <class Derived>
  auto pk1(const Eigen::MatrixBase<Derived>& F) const {
    using T = typename Derived::Scalar;
    constexpr int dim = Derived::RowsAtCompileTime;
    const auto C = strain(F);
    SmallMatrix<T, dim, dim> P;
    for (int i = 0; i < dim; ++i) {
      for (int j = 0; j < dim; ++j) {
        T sum = constant<T>(0);
        for (int m = 0; m < dim; ++m) sum += F(i, m) * C(m, j);
        P(i, j) = constant<T>(k) * sum;
      }
    }
    return P;
  }

  // dP = k (dF C + F dF^T F + F F^T dF)
  template <class Derived>
  auto hessian(const Eigen::MatrixBase<Derived>& F) const {
    using T = typename Derived::Scalar;
    constexpr int dim = Derived::RowsAtCompileTime;
    const auto C = strain(F);
    SmallMatrix<T, dim * dim, dim * dim> H;
    for (int i = 0; i < dim; ++i) {
      for (int j = 0; j < dim; ++j) {
        for (int m = 0; m < dim; ++m) {
          for (int n = 0; n < dim; ++n) {
            T sum = F(i, n) * F(m, j);
            if (i == m) sum += C(n, j);
            if (j == n) {
              for (int a = 0; a < dim; ++a) sum += F(i, a) * F(m, a);
            }
            H(i + dim * j, m + dim * n) = constant<T>(k) * sum;
          }
        }
      }
    }
    return H;
  }

 private:
  template <class Derived>
  static auto strain(const Eigen::MatrixBase<Derived>& F) {
    using T = typename Derived::Scalar;
    constexpr int dim = Derived::RowsAtCompileTime;
    SmallMatrix<T, dim, dim> C;
    for (int i = 0; i < dim; ++i) {
      for (int j = 0; j < dim; ++j) {
        C(i, j) = constant<T>(i == j ? -1 : 0);
        for (int m = 0; m < dim; ++m) C(i, j) += F(m, i) * F(m, j);
      }
    }
    return C;
  }
};

}  // namespace

TEST_CASE("Element kernel: an energy with psi, P and a Hessian and nothing else") {
  equals_brute_force<double>(SquaredStretch{}, true, 1e-11);
  equals_brute_force_on(sample::triangles(), SquaredStretch{}, 1e-11);
}
