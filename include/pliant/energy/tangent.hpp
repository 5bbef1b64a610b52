// Tangents: the Hessian H = dvec(P)/dvec(F) in a form for element stiffness matrices.
//
// The stiffness block of the nodes a and b is K_ab[i,k] = sum_jl (grad N_a)_j H[(i,j),(k,l)] (grad N_b)_l.
// A tangent offers
//   at_node(g)       its intermediate results per node, from g = grad N_a
//   block(a, b)      K_ab from two such values
// The two models below and SpectralTangent (spectral_tangent.hpp) are for different forms of H.
#pragma once

#include <type_traits>

#include <pliant/algebra/tensor.hpp>
#include <pliant/energy/projection.hpp>

namespace pliant {

namespace detail::energy {

// Any Hessian, given as a matrix.
template <class T, int Dim>
class HessianTangent {
 public:
  struct Node {
    SmallVector<T, Dim> gradient;
    SmallMatrix<T, Dim * Dim, Dim> product;  // sum_l H[:, (k,l)] g_l
  };

  explicit HessianTangent(const SmallMatrix<T, Dim * Dim, Dim * Dim>& H) : H_(H) {}

  PLIANT_INLINE Node at_node(const SmallVector<T, Dim>& g) const {
    Node node{g, {}};
    for (int k = 0; k < Dim; ++k) {
      PLIANT_UNROLL for (int r = 0; r < Dim * Dim; ++r) {
        node.product(r, k) = H_(r, k) * g(0);
        PLIANT_UNROLL for (int l = 1; l < Dim; ++l) node.product(r, k) += H_(r, k + Dim * l) * g(l);
      }
    }
    return node;
  }

  PLIANT_INLINE SmallMatrix<T, Dim, Dim> block(const Node& a, const Node& b) const {
    SmallMatrix<T, Dim, Dim> K;
    PLIANT_UNROLL for (int k = 0; k < Dim; ++k) {
      PLIANT_UNROLL for (int i = 0; i < Dim; ++i) {
        K(i, k) = a.gradient(0) * b.product(i, k);
        PLIANT_UNROLL for (int j = 1; j < Dim; ++j) K(i, k) += a.gradient(j) * b.product(i + Dim * j, k);
      }
    }
    return K;
  }

 private:
  SmallMatrix<T, Dim * Dim, Dim * Dim> H_;
};

}  // namespace detail::energy

// First and second derivatives of psi(I2, J) with respect to the invariants I2 = |F|^2 and J = det F.
//
// `unit` is a factor taken out of the derivatives with respect to J:
//   dpsi/dJ = d3 unit,  d2psi/dJ2 = d33 unit^2,  d2psi/dI2 dJ = d23 unit.
// It is 1 for energies that are polynomials in J. Energies with logarithms or negative powers of J use unit =
// 1/J; then no intermediate result overflows, however small J is, unless the stress or the stiffness itself
// does.
template <class T>
struct InvariantDerivatives {
  T d2, d3;
  T d33;
  T d22 = constant<T>(0), d23 = constant<T>(0);
  T unit = constant<T>(1);
};

namespace detail::energy {

// H = 2 d2 I + d3 d2J/dF2 + d33 g g^T + 4 d22 f f^T + 2 d23 (f g^T + g f^T), f = vec F, g = vec(cof F),
// contracted in closed form. With the shape gradients a and b of two nodes,
//   K_ab = 2 d2 (a.b) I + d3 skew(F (a x b)) + (cof F a)(d33 cof F b + 2 d23 F b)^T
//          + (F a)(4 d22 F b + 2 d23 cof F b)^T,
// where every factor that belongs to one node is computed once per node, and the unit of d3, d33 and d23 is
// multiplied into cof F and into the F of the skew matrix. In 2D the skew matrix is (a x b) [0 1; -1 0].
template <class T, int Dim,
          bool linear_in_I2>  // psi is linear in I2: d22 = d23 = 0, and the last term is omitted
class InvariantTangent {
  struct LinearNode {
    SmallVector<T, Dim> gradient;   // a
    SmallVector<T, Dim> area;       // unit cof F a
    SmallVector<T, Dim> with_area;  // the factor of the area of the other node
  };
  struct CoupledNode : LinearNode {
    SmallVector<T, Dim> stretched;       // F a
    SmallVector<T, Dim> with_stretched;  // the factor of the F a of the other node
  };
  struct Uncoupled {};
  struct Coupling {
    SmallMatrix<T, Dim, Dim> F;
    T four_d22, twice_d23;
  };

 public:
  using Node = std::conditional_t<linear_in_I2, LinearNode, CoupledNode>;

  PLIANT_INLINE InvariantTangent(const SmallMatrix<T, Dim, Dim>& F,
                                 const SmallMatrix<T, Dim, Dim>& cofactor_of_F,
                                 const InvariantDerivatives<T>& d)
      : twice_d2_(d.d2 + d.d2), d33_(d.d33) {
    PLIANT_UNROLL for (int k = 0; k < Dim * Dim; ++k) area_.data()[k] = d.unit * cofactor_of_F.data()[k];
    if constexpr (Dim == 2) skew_(0) = d.d3 * d.unit;
    else PLIANT_UNROLL for (int k = 0; k < Dim * Dim; ++k) skew_.data()[k] = d.d3 * (d.unit * F.data()[k]);
    if constexpr (!linear_in_I2) coupling_ = {F, constant<T>(4) * d.d22, d.d23 + d.d23};
  }

  PLIANT_INLINE Node at_node(const SmallVector<T, Dim>& gradient) const {
    Node node;
    node.gradient = gradient;
    node.area = algebra::times<T, Dim, Dim>(area_, gradient);
    PLIANT_UNROLL for (int i = 0; i < Dim; ++i) node.with_area(i) = d33_ * node.area(i);
    if constexpr (!linear_in_I2) {
      node.stretched = algebra::times<T, Dim, Dim>(coupling_.F, gradient);
      PLIANT_UNROLL for (int i = 0; i < Dim; ++i) {
        node.with_area(i) += coupling_.twice_d23 * node.stretched(i);
        node.with_stretched(i) = coupling_.four_d22 * node.stretched(i) + coupling_.twice_d23 * node.area(i);
      }
    }
    return node;
  }

  PLIANT_INLINE SmallMatrix<T, Dim, Dim> block(const Node& a, const Node& b) const {
    SmallMatrix<T, Dim, Dim> K;
    PLIANT_UNROLL for (int k = 0; k < Dim; ++k) {
      PLIANT_UNROLL for (int i = 0; i < Dim; ++i) {
        K(i, k) = a.area(i) * b.with_area(k);
        if constexpr (!linear_in_I2) K(i, k) += a.stretched(i) * b.with_stretched(k);
      }
    }
    const T diagonal = twice_d2_ * algebra::dot<T, Dim>(a.gradient, b.gradient);
    PLIANT_UNROLL for (int i = 0; i < Dim; ++i) K(i, i) += diagonal;
    if constexpr (Dim == 2) {
      const T skew = skew_(0) * (a.gradient(0) * b.gradient(1) - a.gradient(1) * b.gradient(0));
      K(0, 1) += skew;
      K(1, 0) -= skew;
    } else {
      const SmallVector<T, 3> w = algebra::times<T, 3, 3>(skew_, algebra::cross<T>(a.gradient, b.gradient));
      PLIANT_UNROLL for (int m = 0; m < 3; ++m) {
        const int i = (m + 1) % 3, k = (m + 2) % 3;
        K(i, k) += w(m);
        K(k, i) -= w(m);
      }
    }
    return K;
  }

 private:
  static constexpr int skew_size = Dim == 2 ? 1 : Dim;

  T twice_d2_, d33_;
  SmallMatrix<T, Dim, Dim> area_;              // unit cof F
  SmallMatrix<T, skew_size, skew_size> skew_;  // d3 unit F in 3D, d3 unit in 2D
  [[no_unique_address]] std::conditional_t<linear_in_I2, Uncoupled, Coupling> coupling_;
};

// The tangent of any energy: its own if it has one, otherwise its Hessian, projected numerically if
// necessary.
template <Projection projection, int Dim, class T, class E>
PLIANT_INLINE auto tangent_of(const E& energy, const SmallMatrix<T, Dim, Dim>& F) {
  if constexpr (requires { energy.template tangent<projection>(F); }) {
    return energy.template tangent<projection>(F);
  } else if constexpr (projection == Projection::none) {
    return HessianTangent<T, Dim>(energy.hessian(F));
  } else if constexpr (requires { energy.hessian(F, projection); }) {
    return HessianTangent<T, Dim>(energy.hessian(F, projection));
  } else {
    return HessianTangent<T, Dim>(project_numerically<T, Dim * Dim>(energy.hessian(F), projection));
  }
}

// An energy at one deformation gradient: psi(), pk1() and tangent<projection>(). A model whose members share
// work, such as a singular value decomposition, supplies its own `at(F)`.
template <class E, class T, int Dim>
struct EnergyAt {
  const E& energy;
  SmallMatrix<T, Dim, Dim> F;

  PLIANT_INLINE auto psi() const { return energy.psi(F); }
  PLIANT_INLINE auto pk1() const { return energy.pk1(F); }

  template <Projection projection>
  PLIANT_INLINE auto tangent() const {
    return tangent_of<projection, Dim, T>(energy, F);
  }
};

template <class E, class T, int Dim>
PLIANT_INLINE auto energy_at(const E& energy, const SmallMatrix<T, Dim, Dim>& F) {
  if constexpr (requires { energy.at(F); }) return energy.at(F);
  else return EnergyAt<E, T, Dim>{energy, algebra::copied(F)};
}

}  // namespace detail::energy

}  // namespace pliant
