#include "energy/facts.hpp"

#include <pliant/energy/isotropic.hpp>
#include <pliant/energy/tangent.hpp>

using namespace pliant;
using namespace pliant::simd;
using facts::Square;

namespace {

template <class T, int Size>
SmallMatrix<T, Size, Size> random_square() {
  SmallMatrix<T, Size, Size> A;
  for (int k = 0; k < Size * Size; ++k) A.data()[k] = static_cast<T>(facts::uniform(-1, 1));
  return A;
}

// The blocks of `tangent` equal the contraction of H.
template <int Dim, class Tangent>
void check_blocks(const Tangent& tangent, const SmallMatrix<double, Dim * Dim, Dim * Dim>& H) {
  for (int trial = 0; trial < 5; ++trial) {
    const auto a = facts::random_gradient<double, Dim>(), b = facts::random_gradient<double, Dim>();
    CHECK(facts::difference(tangent.block(tangent.at_node(a), tangent.at_node(b)),
                            facts::contracted<double, Dim>(H, a, b)) <= 1e-14 * facts::largest(H));
  }
}

// d2J/dF2 by differences of dJ/dF, which is quadratic in F: exact.
template <int Dim>
SmallMatrix<double, Dim * Dim, Dim * Dim> determinant_hessian(const SmallMatrix<double, Dim, Dim>& F) {
  SmallMatrix<double, Dim * Dim, Dim * Dim> H;
  for (int k = 0; k < Dim * Dim; ++k) {
    SmallMatrix<double, Dim, Dim> forward = F, backward = F;
    forward(k) += 0.5;
    backward(k) -= 0.5;
    const auto column = (cofactor<double, Dim>(forward) - cofactor<double, Dim>(backward)).eval();
    for (int r = 0; r < Dim * Dim; ++r) H(r, k) = column(r);
  }
  return H;
}

// An energy with nothing but the required members: anisotropic, and indefinite when compressed.
// psi = a/4 (|F e_x|^2 - 1)^2 + b/2 |F - I|^2
struct Fibre {
  double a = 3, b = 0.2;

  template <class Derived>
  typename Derived::Scalar psi(const Eigen::MatrixBase<Derived>& F) const {
    using T = typename Derived::Scalar;
    const T excess = F.col(0).dot(F.col(0)) - T(1);
    T distance = T(0);
    for (int j = 0; j < F.cols(); ++j) {
      for (int i = 0; i < F.rows(); ++i) {
        const T difference = F(i, j) - T(i == j ? 1 : 0);
        distance += difference * difference;
      }
    }
    return constant<T>(a / 4) * excess * excess + constant<T>(b / 2) * distance;
  }

  template <class Derived>
  auto pk1(const Eigen::MatrixBase<Derived>& F) const {
    using T = typename Derived::Scalar;
    constexpr int dim = Derived::RowsAtCompileTime;
    const T excess = F.col(0).dot(F.col(0)) - T(1);
    SmallMatrix<T, dim, dim> P;
    for (int j = 0; j < dim; ++j) {
      for (int i = 0; i < dim; ++i) {
        P(i, j) = constant<T>(b) * (F(i, j) - T(i == j ? 1 : 0));
        if (j == 0) P(i, j) += constant<T>(a) * excess * F(i, 0);
      }
    }
    return P;
  }

  template <class Derived>
  auto hessian(const Eigen::MatrixBase<Derived>& F) const {
    using T = typename Derived::Scalar;
    constexpr int dim = Derived::RowsAtCompileTime;
    const T excess = F.col(0).dot(F.col(0)) - T(1);
    SmallMatrix<T, dim * dim, dim * dim> H;
    for (int c = 0; c < dim * dim; ++c) {
      for (int r = 0; r < dim * dim; ++r) {
        H(r, c) = T(0);
        if (r == c) H(r, c) += constant<T>(b);
        if (r < dim && c < dim) {
          H(r, c) += constant<T>(2 * a) * F(r, 0) * F(c, 0);
          if (r == c) H(r, c) += constant<T>(a) * excess;
        }
      }
    }
    return H;
  }
};

static_assert(Energy<Fibre, 2> && Energy<Fibre, 3>);

// The same with an analytic projection of its own, recognisable because it is none.
struct OwnProjection : Fibre {
  using Fibre::hessian;
  template <class Derived>
  auto hessian(const Eigen::MatrixBase<Derived>& F, Projection) const {
    return (F.template topLeftCorner<1, 1>()(0) * Fibre::hessian(F)).eval();
  }
};

}  // namespace

TEMPLATE_TEST_CASE_SIG("HessianTangent: contracts a matrix", "", ((int Dim), Dim), 2, 3) {
  const SmallMatrix<double, Dim * Dim, Dim*Dim> A = random_square<double, Dim * Dim>(), H = A + A.transpose();
  check_blocks<Dim>(detail::energy::HessianTangent<double, Dim>(H), H);
}

TEMPLATE_TEST_CASE_SIG("InvariantTangent: contracts every term", "", ((int Dim), Dim), 2, 3) {
  const SmallMatrix<double, Dim, Dim> F = random_square<double, Dim>(), C = cofactor<double, Dim>(F);
  const Eigen::Map<const Eigen::VectorXd> f(F.data(), Dim * Dim), g(C.data(), Dim * Dim);
  const auto H_J = determinant_hessian<Dim>(F);
  const InvariantDerivatives<double> none{0, 0, 0, 0, 0, 1};
  // one term at a time, then all together, and a unit other than one
  for (int term = 0; term < 7; ++term) {
    INFO("term " << term);
    InvariantDerivatives<double> d =
        term >= 5 ? InvariantDerivatives<double>{.3, -.7, 1.1, .4, -.9, 1} : none;
    if (term == 0) d.d2 = 1.3;
    if (term == 1) d.d3 = 1.3;
    if (term == 2) d.d33 = 1.3;
    if (term == 3) d.d22 = 1.3;
    if (term == 4) d.d23 = 1.3;
    if (term == 6) d.unit = -2.5;
    const double u = d.unit;
    SmallMatrix<double, Dim * Dim, Dim* Dim> H = d.d3 * u * H_J + d.d33 * u * u * g * g.transpose() +
                                                 4 * d.d22 * f * f.transpose() +
                                                 2 * d.d23 * u * (f * g.transpose() + g * f.transpose());
    H.diagonal().array() += 2 * d.d2;
    check_blocks<Dim>(detail::energy::InvariantTangent<double, Dim, false>(F, C, d), H);
    if (d.d22 == 0 && d.d23 == 0)
      check_blocks<Dim>(detail::energy::InvariantTangent<double, Dim, true>(F, C, d), H);
  }
}

// The modes written out: the pair that leaves axis k alone has number k.
TEMPLATE_TEST_CASE_SIG("SpectralTangent: contracts its modes, and knows their matrix", "", ((int Dim), Dim),
                       2, 3) {
  constexpr int pairs = SpectralTangent<double, Dim>::pairs;
  const SmallMatrix<double, Dim, Dim> U = facts::random_rotation<Dim>(), V = facts::random_rotation<Dim>(),
                                      B = random_square<double, Dim>(), scaling = B + B.transpose();
  SmallVector<double, pairs> twist, flip;
  for (int p = 0; p < pairs; ++p) {
    twist(p) = 1 + p;
    flip(p) = -0.4 * p + 0.1;
  }
  const auto vec = [](const Eigen::MatrixXd& A) {
    return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(A.data(), A.size()));
  };
  SmallMatrix<double, Dim * Dim, Dim* Dim> H = SmallMatrix<double, Dim * Dim, Dim * Dim>::Zero();
  for (int i = 0; i < Dim; ++i) {
    for (int j = 0; j < Dim; ++j) {
      H += scaling(i, j) * vec(U.col(i) * V.col(i).transpose()) *
           vec(U.col(j) * V.col(j).transpose()).transpose();
    }
  }
  for (int p = 0; p < pairs; ++p) {
    const int i = Dim == 2 ? 0 : (p + 1) % 3, j = Dim == 2 ? 1 : (p + 2) % 3;
    const Eigen::MatrixXd ij = U.col(i) * V.col(j).transpose(), ji = U.col(j) * V.col(i).transpose();
    H += twist(p) / 2 * vec(ij - ji) * vec(ij - ji).transpose() +
         flip(p) / 2 * vec(ij + ji) * vec(ij + ji).transpose();
  }
  const SpectralTangent<double, Dim> tangent(U, V, scaling, twist, flip);
  CHECK(facts::difference(tangent.matrix(), H) <= 1e-14 * facts::largest(H));
  check_blocks<Dim>(tangent, H);
}

TEMPLATE_TEST_CASE_SIG("tangent_of: an energy with the required members only", "", ((int Dim), Dim), 2, 3) {
  const Fibre fibre;
  bool was_indefinite = false;
  for (const auto& state : facts::all_states<Dim>()) {
    INFO(state.name);
    facts::agrees_with_differences<Dim>(fibre, state.F, fibre.b);
    const SmallMatrix<double, Dim, Dim> F = state.F;
    const SmallMatrix<double, Dim * Dim, Dim* Dim> H = fibre.hessian(F);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(H);
    was_indefinite = was_indefinite || eigen.eigenvalues()(0) < -1e-3;
    const auto rebuilt = [&eigen](const Eigen::VectorXd& values) {
      return SmallMatrix<double, Dim * Dim, Dim * Dim>(eigen.eigenvectors() * values.asDiagonal() *
                                                       eigen.eigenvectors().transpose());
    };
    check_blocks<Dim>(detail::energy::tangent_of<Projection::none, Dim, double>(fibre, F), H);
    check_blocks<Dim>(detail::energy::tangent_of<Projection::clamp, Dim, double>(fibre, F),
                      rebuilt(eigen.eigenvalues().cwiseMax(0)));
    check_blocks<Dim>(detail::energy::tangent_of<Projection::absolute, Dim, double>(fibre, F),
                      rebuilt(eigen.eigenvalues().cwiseAbs()));
  }
  CHECK(was_indefinite);
}

TEST_CASE("tangent_of: lanes of an energy with the required members only") {
  using T = Lane<double, 4>;
  const Fibre fibre;
  const auto states = facts::regular_states<3>();
  SmallMatrix<T, 3, 3> F;
  for (int k = 0; k < 9; ++k) {
    for (int l = 0; l < 4; ++l) set_lane(F(k), l, states[static_cast<std::size_t>(l)].F(k) * 0.5);
  }
  const auto a = facts::random_gradient<T, 3>(), b = facts::random_gradient<T, 3>();
  const auto tangent = detail::energy::tangent_of<Projection::clamp, 3, T>(fibre, F);
  const auto K = tangent.block(tangent.at_node(a), tangent.at_node(b));
  for (int l = 0; l < 4; ++l) {
    const SmallMatrix<double, 9, 9> H =
        project_numerically<double, 9>(fibre.hessian(facts::lane_of(F, l)), Projection::clamp);
    CHECK(facts::difference(facts::lane_of(K, l),
                            facts::contracted<double, 3>(H, facts::lane_of(a, l), facts::lane_of(b, l))) <=
          1e-13);
  }
}

TEST_CASE("tangent_of: an energy's own projection is preferred") {
  const OwnProjection energy;
  const SmallMatrix<double, 3, 3> F = 1.5 * SmallMatrix<double, 3, 3>::Identity();
  check_blocks<3>(detail::energy::tangent_of<Projection::clamp, 3, double>(energy, F),
                  1.5 * energy.hessian(F));
}
