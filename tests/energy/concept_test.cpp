#include "support/catch.hpp"

#include <pliant/algebra/tensor.hpp>
#include <pliant/energy/bonet_wood_neo_hookean.hpp>
#include <pliant/energy/concept.hpp>
#include <pliant/energy/deformation_gradient.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>

using namespace pliant;

namespace {

// The example of docs/energies.md.
struct Springs {  // psi = k/2 |F - I|^2
  double k;
  template <class D>
  auto psi(const Eigen::MatrixBase<D>& F) const {
    const auto P = pk1(F);
    return typename D::Scalar(constant<typename D::Scalar>(0.5 / k) * double_dot(P, P));
  }
  template <class D>
  auto pk1(const Eigen::MatrixBase<D>& F) const {
    DeformationGradient<D> P = deformation_gradient(F);
    for (int i = 0; i < P.rows(); ++i) P(i, i) -= constant<typename D::Scalar>(1);
    for (int i = 0; i < P.size(); ++i) P(i) *= constant<typename D::Scalar>(k);
    return P;
  }
  template <class D>
  auto hessian(const Eigen::MatrixBase<D>&) const {
    constexpr int size = D::RowsAtCompileTime * D::RowsAtCompileTime;
    using T = typename D::Scalar;
    SmallMatrix<T, size, size> H;
    for (int i = 0; i < H.size(); ++i) H(i) = constant<T>(i % (size + 1) == 0 ? k : 0);
    return H;
  }
};

struct WithoutHessian {
  template <class D>
  auto psi(const Eigen::MatrixBase<D>& F) const {
    return Springs{1}.psi(F);
  }
  template <class D>
  auto pk1(const Eigen::MatrixBase<D>& F) const {
    return Springs{1}.pk1(F);
  }
};

struct ScalarsOnly {
  double psi(const SmallMatrix<double, 3, 3>& F) const { return Springs{1}.psi(F); }
  SmallMatrix<double, 3, 3> pk1(const SmallMatrix<double, 3, 3>& F) const { return Springs{1}.pk1(F); }
  SmallMatrix<double, 9, 9> hessian(const SmallMatrix<double, 3, 3>& F) const {
    return Springs{1}.hessian(F);
  }
};

struct StressOfWrongShape : Springs {
  template <class D>
  auto pk1(const Eigen::MatrixBase<D>& F) const {
    return Springs::hessian(F);
  }
};

struct NotCopyable : Springs {
  NotCopyable(const NotCopyable&) = delete;
};

}  // namespace

TEST_CASE("Energy: the models are energies in two and three dimensions") {
  STATIC_REQUIRE(Energy<LinearElastic, 2>);
  STATIC_REQUIRE(Energy<LinearElastic, 3>);
  STATIC_REQUIRE(Energy<StableNeoHookean, 2>);
  STATIC_REQUIRE(Energy<StableNeoHookean>);
  STATIC_REQUIRE(Energy<BonetWoodNeoHookean, 2>);
  STATIC_REQUIRE(Energy<BonetWoodNeoHookean>);
  STATIC_REQUIRE(require_energy<Springs, 2>());
  STATIC_REQUIRE(require_energy<Springs, 3>());
}

TEST_CASE("Energy: what lacks a member, works with scalars only or cannot be copied is none") {
  STATIC_REQUIRE_FALSE(Energy<int>);
  STATIC_REQUIRE_FALSE(Energy<WithoutHessian>);
  STATIC_REQUIRE_FALSE(Energy<ScalarsOnly>);
  STATIC_REQUIRE(EnergyOver<ScalarsOnly, 3, double>);
  STATIC_REQUIRE_FALSE(EnergyOver<ScalarsOnly, 2, double>);
  STATIC_REQUIRE_FALSE(Energy<StressOfWrongShape>);
  STATIC_REQUIRE_FALSE(Energy<NotCopyable>);
}
