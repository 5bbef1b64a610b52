// What has to hold for every energy, as functions that the test of each energy calls.
//
// "Relative" means: relative to the largest entry of the expected matrix, and for psi and P, which vanish at
// rest, to mu where that is larger.
#pragma once

#include "energy/oracle.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <Eigen/Dense>

#include <pliant/energy/concept.hpp>
#include <pliant/energy/lame.hpp>
#include <pliant/energy/tangent.hpp>
#include <pliant/testing/eigensystem.hpp>
#include <pliant/testing/rest_state.hpp>

namespace facts {

using namespace pliant;
using namespace pliant::simd;

template <int Dim>
using Square = Eigen::Matrix<double, Dim, Dim>;

inline double largest(const Eigen::MatrixXd& A) { return A.cwiseAbs().maxCoeff(); }

// The largest difference of two matrices of any scalar, or infinity if a number is not finite.
template <class A, class B>
double difference(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  const Eigen::MatrixXd d = a.template cast<double>() - b.template cast<double>();
  return d.allFinite() ? largest(d) : std::numeric_limits<double>::infinity();
}

// Lane l of a matrix of lanes.
template <class T, int Rows, int Columns>
SmallMatrix<scalar_of<T>, Rows, Columns> lane_of(const SmallMatrix<T, Rows, Columns>& A, int l) {
  SmallMatrix<scalar_of<T>, Rows, Columns> one;
  for (int k = 0; k < Rows * Columns; ++k) one.data()[k] = lane(A.data()[k], l);
  return one;
}

// Begins anew in each test case, whose numbers then do not depend on which cases ran before it.
inline std::mt19937& generator() {
  static std::mt19937 engine;
  static std::string test_case;
  if (const std::string running(Catch::getResultCapture().getCurrentTestName()); running != test_case) {
    engine.seed(20240511);
    test_case = running;
  }
  return engine;
}

inline double uniform(double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(generator());
}

template <int Rows, int Columns>
Eigen::Matrix<double, Rows, Columns> random_matrix() {
  Eigen::Matrix<double, Rows, Columns> A;
  for (int k = 0; k < A.size(); ++k) A(k) = uniform(-1, 1);
  return A;
}

// From a random point on the unit circle or, as a quaternion, on the unit sphere in 4D.
template <int Dim>
Square<Dim> random_rotation() {
  Square<Dim> Q;
  if constexpr (Dim == 2) {
    const double angle = uniform(-3.1415926, 3.1415926), c = std::cos(angle), s = std::sin(angle);
    Q << c, -s, s, c;
  } else {
    const double first = uniform(-3.1415926, 3.1415926), second = uniform(-3.1415926, 3.1415926);
    const double part = uniform(0, 1), a = std::sqrt(1 - part), b = std::sqrt(part);
    const double w = a * std::cos(first), x = a * std::sin(first), y = b * std::cos(second),
                 z = b * std::sin(second);
    Q << 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),  //
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),   //
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y);
  }
  return Q;
}

// A deformation gradient with the given singular values in random frames.
template <int Dim>
Square<Dim> with_singular_values(const Eigen::Matrix<double, Dim, 1>& s) {
  return random_rotation<Dim>() * s.asDiagonal() * random_rotation<Dim>().transpose();
}

template <int Dim>
struct State {
  std::string name;
  Square<Dim> F;
};

// Deformation gradients with det F > 0, moderate ones.
template <int Dim>
std::vector<State<Dim>> regular_states() {
  using Vector = Eigen::Matrix<double, Dim, 1>;
  Square<Dim> shear = Square<Dim>::Identity();
  shear(0, 1) = 0.7;
  Vector stretch = Vector::Constant(0.8), squash = Vector::Constant(1.2), apart = Vector::Constant(0.3);
  stretch(0) = 1.9;
  squash(Dim - 1) = 0.35;
  for (int i = 0; i < Dim; ++i) apart(i) += 0.6 * i;
  std::vector<State<Dim>> states{{"rest", Square<Dim>::Identity()},
                                 {"rotation", random_rotation<Dim>()},
                                 {"shear", shear},
                                 {"stretch", with_singular_values<Dim>(stretch)},
                                 {"squash", with_singular_values<Dim>(squash)},
                                 {"distinct", with_singular_values<Dim>(apart)},
                                 {"swollen", with_singular_values<Dim>(Vector::Constant(1.6))},
                                 {"shrunk", with_singular_values<Dim>(Vector::Constant(0.4))}};
  for (int k = 0; k < 8; ++k) {
    Square<Dim> F = Square<Dim>::Identity() + 0.6 * random_matrix<Dim, Dim>();
    if (F.determinant() < 0.1) F = Square<Dim>::Identity() + 0.2 * random_matrix<Dim, Dim>();
    states.push_back({"random " + std::to_string(k), F});
  }
  return states;
}

// Inverted, flat, collapsed, and with singular values that coincide or nearly cancel in sums.
template <int Dim>
std::vector<State<Dim>> degenerate_states() {
  using Vector = Eigen::Matrix<double, Dim, 1>;
  const auto values = [](double first, double before_last, double last) {
    Vector s = Vector::Constant(first);
    s(Dim - 2) = before_last;
    s(Dim - 1) = last;
    return s;
  };
  std::vector<State<Dim>> states;
  const auto add = [&states](const char* name, const Square<Dim>& F) { states.push_back({name, F}); };
  add("zero", Square<Dim>::Zero());
  add("rank one", with_singular_values<Dim>([] {
        Vector s = Vector::Zero();
        s(0) = 1.3;
        return s;
      }()));
  add("flat", with_singular_values<Dim>(values(1.4, 0.9, 0)));
  add("flat and axis-aligned", Square<Dim>(values(1.4, 0.9, 0).asDiagonal()));
  add("nearly flat", with_singular_values<Dim>(values(1.4, 0.9, 1e-9)));
  add("nearly flat, inverted", with_singular_values<Dim>(values(1.4, 0.9, -1e-9)));
  add("inverted", with_singular_values<Dim>(values(1.4, 0.9, -0.5)));
  add("reflected", Square<Dim>(values(1, 1, -1).asDiagonal()));
  add("strongly inverted", with_singular_values<Dim>(values(2.5, 2.1, -1.9)));
  add("equal", with_singular_values<Dim>(values(1.2, 0.7, 0.7)));
  add("equal and axis-aligned", Square<Dim>(values(1.2, 0.7, 0.7).asDiagonal()));
  add("nearly equal", with_singular_values<Dim>(values(1.2, 0.7, 0.7 * (1 + 1e-10))));
  add("opposite", with_singular_values<Dim>(values(1.2, 0.7, -0.7)));
  add("nearly opposite", with_singular_values<Dim>(values(1.2, 0.7, -0.7 * (1 - 1e-10))));
  add("nearly opposite, small", with_singular_values<Dim>(values(1.2, 1e-8, -1e-8 * (1 - 1e-7))));
  add("minus identity", -Square<Dim>::Identity());
  return states;
}

template <int Dim>
std::vector<State<Dim>> all_states() {
  std::vector<State<Dim>> states = regular_states<Dim>();
  for (const State<Dim>& state : degenerate_states<Dim>()) states.push_back(state);
  return states;
}

template <int Dim>
SmallMatrix<double, Dim * Dim, Dim * Dim> hooke(double mu, double lambda) {
  SmallMatrix<double, Dim * Dim, Dim * Dim> H;
  for (int i = 0; i < Dim; ++i) {
    for (int j = 0; j < Dim; ++j) {
      for (int k = 0; k < Dim; ++k) {
        for (int l = 0; l < Dim; ++l) {
          H(i + Dim * j, k + Dim * l) =
              mu * ((i == k && j == l) + (i == l && j == k)) + lambda * (i == j && k == l);
        }
      }
    }
  }
  return H;
}

// An energy whose type is forgotten, evaluated at a T: a number or a lane of them. The checks below are then
// compiled once for each T and not for each energy.
template <class T, int Dim>
struct AnyEnergy {
  using F = SmallMatrix<T, Dim, Dim>;
  using Vector = SmallVector<T, Dim>;
  using Hessian = SmallMatrix<T, Dim * Dim, Dim * Dim>;

  template <class E>
  explicit AnyEnergy(const E& energy)
      : psi([energy](const F& f) { return T(energy.psi(f)); }),
        pk1([energy](const F& f) { return F(energy.pk1(f)); }),
        plain_hessian([energy](const F& f) { return Hessian(energy.hessian(f)); }),
        projected_hessian(
            [energy](const F& f, Projection projection) { return Hessian(energy.hessian(f, projection)); }) {}

  Hessian hessian(const F& f) const { return plain_hessian(f); }
  Hessian hessian(const F& f, Projection projection) const { return projected_hessian(f, projection); }

  std::function<T(const F&)> psi;
  std::function<F(const F&)> pk1;
  std::function<Hessian(const F&)> plain_hessian;
  std::function<Hessian(const F&, Projection)> projected_hessian;
};

// ---- the facts

// d/dt at 0 of a function of t by central differences, extrapolated twice (Romberg): error O(step^6).
template <class Function>
auto derivative(const Function& function, double step) {
  const auto difference_quotient = [&](double h) {
    return decltype(function(h))((function(h) - function(-h)) / (2 * h));
  };
  const auto coarse = difference_quotient(step), middle = difference_quotient(step / 2),
             fine = difference_quotient(step / 4);
  using Result = std::remove_const_t<decltype(coarse)>;
  const Result first = (4 * middle - coarse) / 3, second = (4 * fine - middle) / 3;
  return Result((16 * second - first) / 15);
}

// P against differences of psi, H against differences of P.
template <int Dim, class E>
void agrees_with_differences(const E& energy, const Square<Dim>& F, double mu) {
  const double step = 2e-3;
  const Square<Dim> P = energy.pk1(F);
  const Eigen::MatrixXd H = energy.hessian(F);
  Square<Dim> from_psi;
  Eigen::Matrix<double, Dim * Dim, Dim * Dim> from_P;
  for (int k = 0; k < Dim * Dim; ++k) {
    const auto at = [&](double t) {
      Square<Dim> moved = F;
      moved(k) += t;
      return moved;
    };
    from_psi(k) = derivative([&](double t) { return energy.psi(at(t)); }, step);
    from_P.col(k) = derivative(
        [&](double t) {
          const Square<Dim> stress = energy.pk1(at(t));
          return Eigen::Matrix<double, Dim * Dim, 1>(
              Eigen::Map<const Eigen::Matrix<double, Dim * Dim, 1>>(stress.data()));
        },
        step);
  }
  CHECK(difference(P, from_psi) <= 1e-9 * std::max(largest(P), mu));
  CHECK(difference(H, from_P) <= 1e-9 * (largest(H) > 0 ? largest(H) : mu));
  CHECK(difference(H, H.transpose()) <= 1e-14 * largest(H));
}

// The Hessian at rest is Hooke's tensor of exactly (E, nu), in plane strain in 2D; psi and P vanish there.
template <class E, int Dim>
void obeys_hooke_at_rest() {
  const CheckReport report = check_rest_state<Dim>([](const Lame& lame) { return E(lame); });
  INFO(report.message());
  CHECK(report);
  for (const double nu : RestStateOptions().poisson_ratios) {
    const Lame lame = Lame::from_young_poisson(1, nu);
    CHECK(std::abs(E(lame).psi(Square<Dim>::Identity())) <= 1e-14 * lame.mu());
  }
}

// psi(Q F R) = psi(F) and P(Q F R) = Q P(F) R for all rotations Q, R: frame indifference and isotropy.
template <int Dim, class E>
void is_isotropic(const E& energy, const Square<Dim>& F, double mu) {
  const Square<Dim> Q = random_rotation<Dim>(), R = random_rotation<Dim>(), turned = Q * F * R;
  const double psi = energy.psi(F);
  const Square<Dim> P = energy.pk1(F);
  CHECK(std::abs(energy.psi(turned) - psi) <= 1e-11 * std::max(std::abs(psi), mu));
  CHECK(difference(energy.pk1(turned), Q * P * R) <= 1e-11 * std::max(largest(P), mu));
}

// Both projections equal those of a numerical eigensolver, and leave nothing negative.
template <int Dim, class E>
void projects_like_an_eigensolver(const E& energy, const Square<Dim>& F) {
  CHECK(difference(energy.hessian(F, Projection::none), energy.hessian(F)) == 0);
  const CheckReport report = check_eigensystem<Dim>(energy, F);
  INFO(report.message());
  CHECK(report);
}

// The same at random deformation gradients and wherever closed forms of eigensystems go wrong.
template <int Dim, class E>
void projects_like_an_eigensolver(const E& energy) {
  const CheckReport report = check_eigensystem<Dim>(energy);
  INFO(report.message());
  CHECK(report);
}

// sum_jl a_j H[(i,j),(k,l)] b_l
template <class T, int Dim>
SmallMatrix<T, Dim, Dim> contracted(const SmallMatrix<T, Dim * Dim, Dim * Dim>& H,
                                    const SmallVector<T, Dim>& a, const SmallVector<T, Dim>& b) {
  SmallMatrix<T, Dim, Dim> K = SmallMatrix<T, Dim, Dim>::Zero();
  for (int j = 0; j < Dim; ++j) {
    for (int l = 0; l < Dim; ++l) K += a(j) * H.template block<Dim, Dim>(Dim * j, Dim * l) * b(l);
  }
  return K;
}

template <class T, int Dim>
SmallVector<T, Dim> random_gradient() {
  SmallVector<T, Dim> g;
  for (int i = 0; i < Dim; ++i) {
    for (int l = 0; l < width_of<T>; ++l) set_lane(g(i), l, static_cast<scalar_of<T>>(uniform(-1, 1)));
  }
  return g;
}

// The blocks of a tangent for the gradients a and b of two nodes.
template <class T, int Dim>
struct TangentBlocks {
  SmallMatrix<T, Dim, Dim> ab, ba, aa;
};

template <class T, int Dim>
using AnyTangent = std::function<TangentBlocks<T, Dim>(
    const SmallMatrix<T, Dim, Dim>& F, const SmallVector<T, Dim>& a, const SmallVector<T, Dim>& b)>;

template <Projection projection, class T, int Dim, class E>
AnyTangent<T, Dim> any_tangent(const E& energy) {
  return [energy](const SmallMatrix<T, Dim, Dim>& F, const SmallVector<T, Dim>& a,
                  const SmallVector<T, Dim>& b) {
    const auto tangent = detail::energy::tangent_of<projection, Dim, T>(energy, F);
    const auto at_a = tangent.at_node(a), at_b = tangent.at_node(b);
    TangentBlocks<T, Dim> result;
    for (auto [block, left, right] :
         {std::tuple(&result.ab, &at_a, &at_b), std::tuple(&result.ba, &at_b, &at_a),
          std::tuple(&result.aa, &at_a, &at_a)}) {
      *block = tangent.block(*left, *right);
    }
    return result;
  };
}

// Lanes of deformation gradients, those from `first` on, which begin anew at the end.
template <class T, int Dim>
SmallMatrix<T, Dim, Dim> lanes_of(const std::vector<State<Dim>>& states, std::size_t first) {
  SmallMatrix<T, Dim, Dim> F;
  for (int l = 0; l < width_of<T>; ++l) {
    const State<Dim>& state = states[(first + static_cast<std::size_t>(l)) % states.size()];
    for (int k = 0; k < Dim * Dim; ++k) set_lane(F(k), l, static_cast<scalar_of<T>>(state.F(k)));
  }
  return F;
}

// A tangent at lanes of deformation gradients: the blocks of each lane equal the contraction of its Hessian.
template <class T, int Dim>
void contracts_its_hessian(const AnyTangent<T, Dim>& tangent, const AnyEnergy<scalar_of<T>, Dim>& energy,
                           Projection projection, const std::vector<State<Dim>>& states, double tolerance) {
  using Scalar = scalar_of<T>;
  constexpr int width = width_of<T>;
  for (std::size_t first = 0; first < states.size(); first += width) {
    const SmallMatrix<T, Dim, Dim> F = lanes_of<T, Dim>(states, first);
    const SmallVector<T, Dim> a = random_gradient<T, Dim>(), b = random_gradient<T, Dim>();
    const TangentBlocks<T, Dim> K = tangent(F, a, b);
    for (int l = 0; l < width; ++l) {
      INFO("state " << states[(first + static_cast<std::size_t>(l)) % states.size()].name << ", lane " << l
                    << " of " << width);
      const SmallMatrix<Scalar, Dim * Dim, Dim* Dim> H = energy.hessian(lane_of(F, l), projection);
      const SmallVector<Scalar, Dim> x = lane_of(a, l), y = lane_of(b, l);
      const double scale = largest(H.template cast<double>());
      CHECK(difference(lane_of(K.ab, l), contracted<Scalar, Dim>(H, x, y)) <= tolerance * scale);
      CHECK(difference(lane_of(K.aa, l), contracted<Scalar, Dim>(H, x, x)) <= tolerance * scale);
      CHECK(difference(lane_of(K.ba, l), lane_of(K.ab, l).transpose()) <= tolerance * scale);
    }
  }
}

template <class T, int Dim, class E>
void all_tangents_contract(const E& energy, const std::vector<State<Dim>>& states, double tolerance) {
  const AnyEnergy<scalar_of<T>, Dim> any(energy);
  const auto check = [&](const AnyTangent<T, Dim>& tangent, Projection projection) {
    contracts_its_hessian<T, Dim>(tangent, any, projection, states, tolerance);
  };
  check(any_tangent<Projection::none, T, Dim>(energy), Projection::none);
  check(any_tangent<Projection::clamp, T, Dim>(energy), Projection::clamp);
  check(any_tangent<Projection::absolute, T, Dim>(energy), Projection::absolute);
}

// Lanes give what each of their numbers gives alone.
template <class T, int Dim>
void lanes_equal_scalars(const AnyEnergy<T, Dim>& in_lanes, const AnyEnergy<scalar_of<T>, Dim>& alone,
                         const std::vector<State<Dim>>& states, double mu) {
  using Scalar = scalar_of<T>;
  const double tolerance = 100 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
  constexpr int width = width_of<T>;
  for (std::size_t first = 0; first < states.size(); first += width) {
    const SmallMatrix<T, Dim, Dim> F = lanes_of<T, Dim>(states, first);
    const T psi = in_lanes.psi(F);
    const SmallMatrix<T, Dim, Dim> P = in_lanes.pk1(F);
    const SmallMatrix<T, Dim * Dim, Dim* Dim> H = in_lanes.hessian(F);
    for (int l = 0; l < width; ++l) {
      INFO("state " << states[(first + static_cast<std::size_t>(l)) % states.size()].name << ", lane " << l
                    << " of " << width);
      const SmallMatrix<Scalar, Dim, Dim> f = lane_of(F, l);
      const double expected = alone.psi(f);
      if (std::isinf(expected)) CHECK(lane(psi, l) == alone.psi(f));
      else CHECK(std::abs(lane(psi, l) - expected) <= tolerance * std::max(std::abs(expected), mu));
      const auto scale = [](const auto& A) { return largest(A.template cast<double>()); };
      CHECK(difference(lane_of(P, l), alone.pk1(f)) <= tolerance * std::max(scale(alone.pk1(f)), mu));
      CHECK(difference(lane_of(H, l), alone.hessian(f)) <= tolerance * scale(alone.hessian(f)));
    }
  }
}

template <class T, int Dim, class E>
void lanes_equal_scalars(const E& energy, const std::vector<State<Dim>>& states, double mu) {
  lanes_equal_scalars<T, Dim>(AnyEnergy<T, Dim>(energy), AnyEnergy<scalar_of<T>, Dim>(energy), states, mu);
}

// P and the plain and projected Hessians are finite at F.
template <class Scalar, int Dim>
void is_finite_at(const AnyEnergy<Scalar, Dim>& energy, const SmallMatrix<Scalar, Dim, Dim>& F) {
  CHECK(energy.pk1(F).allFinite());
  CHECK(energy.hessian(F).allFinite());
  CHECK(energy.hessian(F, Projection::clamp).allFinite());
  CHECK(energy.hessian(F, Projection::absolute).allFinite());
}

template <class Derived, class E>
void is_finite_at(const E& energy, const Eigen::MatrixBase<Derived>& F) {
  using Scalar = typename Derived::Scalar;
  constexpr int dim = Derived::RowsAtCompileTime;
  is_finite_at<Scalar, dim>(AnyEnergy<Scalar, dim>(energy), F);
}

}  // namespace facts
