// Checks the derivatives of a custom energy, or of any function of many variables.
//
//   const DerivativeReport report = check_derivatives<3>(MyEnergy(...), {.inverted = true});
//   if (!report) throw std::runtime_error(report.message());
//
// The checks are slow: use them in tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <pliant/energy/concept.hpp>
#include <pliant/energy/lame.hpp>
#include <pliant/energy/tangent.hpp>
#include <pliant/testing/check_report.hpp>
#include <pliant/testing/deformations.hpp>
#include <pliant/testing/differentiate.hpp>
#include <pliant/testing/rest_state.hpp>

namespace pliant {

using DerivativeReport = CheckReport;

struct DerivativeOptions {
  double tolerance = 1e-6;  // of P and the Hessian, relative to the larger of the derivative in that state
                            // and a thousandth of the largest in any state
  bool inverted = false;    // also flat and inverted deformation gradients: for energies defined there
  bool frame_indifferent = true;  // P(Q F) = Q P(F) for rotations Q; false for small-strain energies
  std::optional<Lame> lame = {};  // if given: at rest P = 0, and the Hessian is Hooke's law of these
  int random_states = 6;          // besides the named ones
  unsigned seed = 1;              // of the random states and rotations
};

namespace detail::testing {

// A deformation gradient, and what the energy and the differences say about it.
template <int Dim>
struct CheckedState {
  std::string name;
  DoubleMatrix<Dim> F;
  double psi = 0;
  Eigen::MatrixXd P = {}, H = {}, P_of_psi = {}, H_of_P = {};

  std::string place() const { return name + ", F = " + in_one_line(F); }
};

template <int Dim>
std::vector<CheckedState<Dim>> states_to_check(const DerivativeOptions& options, RandomDeformations& random) {
  using Matrix = DoubleMatrix<Dim>;
  using Vector = SmallVector<double, Dim>;
  const auto stretches = [](double first, double last) {
    Vector s = Vector::Constant(0.9);
    s(0) = first;
    s(Dim - 1) = last;
    return s;
  };
  std::vector<CheckedState<Dim>> states;
  const auto add = [&states](const char* name, const Matrix& F) { states.push_back({name, F}); };
  const auto add_stretched = [&](const char* name, const Vector& s) {
    add(name, random.rotation<Dim>() * s.asDiagonal() * random.rotation<Dim>());
  };
  Matrix shear = Matrix::Identity();
  shear(0, 1) = 0.8;
  add("rest", Matrix::Identity());
  add("rotated", random.rotation<Dim>());
  add("sheared", shear);
  add_stretched("stretched", stretches(1.8, 0.7));
  add_stretched("compressed", stretches(1.1, 0.4));
  add_stretched("shrunk", Vector::Constant(0.6));
  add_stretched("swollen", Vector::Constant(1.5));
  for (int k = 0; k < options.random_states; ++k) {
    add_stretched("random", stretches(random.uniform(1, 2), random.uniform(0.4, 0.9)));
  }
  if (options.inverted) {
    add_stretched("flat", stretches(1.3, 0));
    add_stretched("inverted", stretches(1.3, -0.6));
    add_stretched("inverted with opposite stretches", stretches(0.8, -0.8));
  }
  return states;
}

template <class E, int Dim>
void evaluate(const E& energy, CheckedState<Dim>& state) {
  constexpr int size = Dim * Dim;
  state.psi = energy.psi(state.F);
  state.P = DoubleMatrix<Dim>(energy.pk1(state.F));
  state.H = SmallMatrix<double, size, size>(energy.hessian(state.F));
  state.P_of_psi.resize(Dim, Dim);
  state.H_of_P.resize(size, size);
  for (int k = 0; k < size; ++k) {
    const auto moved = [&state, k](double t) {
      DoubleMatrix<Dim> F = state.F;
      F.data()[k] += t;
      return F;
    };
    const auto psi_along = [&](double t) {
      return Eigen::VectorXd(Eigen::VectorXd::Constant(1, static_cast<double>(energy.psi(moved(t)))));
    };
    const auto P_along = [&](double t) {
      const DoubleMatrix<Dim> P = energy.pk1(moved(t));
      return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(P.data(), size));
    };
    state.P_of_psi.data()[k] = differentiate(psi_along).value(0);
    state.H_of_P.col(k) = differentiate(P_along).value;
  }
}

// Lanes of several states give what the scalars give one by one.
template <class T, class E, int Dim>
void check_lanes(const E& energy, const std::vector<CheckedState<Dim>>& states, const char* property,
                 double tolerance, DerivativeReport& report) {
  using Scalar = scalar_of<T>;
  for (std::size_t first = 0; first < states.size(); ++first) {
    SmallMatrix<T, Dim, Dim> F;
    const auto state = [&](int l) -> const CheckedState<Dim>& {
      return states[(first + static_cast<std::size_t>(l)) % states.size()];
    };
    for (int l = 0; l < width_of<T>; ++l) {
      for (int k = 0; k < Dim * Dim; ++k) set_lane(F.data()[k], l, static_cast<Scalar>(state(l).F.data()[k]));
    }
    const T psi = energy.psi(F);
    const SmallMatrix<T, Dim, Dim> P = energy.pk1(F);
    const SmallMatrix<T, Dim * Dim, Dim* Dim> H = energy.hessian(F);
    for (int l = 0; l < width_of<T>; ++l) {
      SmallMatrix<Scalar, Dim, Dim> one;
      for (int k = 0; k < Dim * Dim; ++k) one.data()[k] = lane(F.data()[k], l);
      const SmallMatrix<Scalar, Dim, Dim> one_P = energy.pk1(one);
      const SmallMatrix<Scalar, Dim * Dim, Dim* Dim> one_H = energy.hessian(one);
      const auto see = [&](const char* name, const auto& lanes, const auto& scalars, double scale) {
        double error = 0;
        for (Eigen::Index k = 0; k < scalars.size(); ++k) {
          const double difference =
              static_cast<double>(lane(lanes.data()[k], l)) - static_cast<double>(scalars.data()[k]);
          error = std::isnan(difference) ? difference : std::max(error, std::abs(difference));
        }
        report.see(property, tolerance, error / scale, state(l).place(), std::string(name) + " differs");
      };
      const double modulus = largest_or_infinity(state(l).H);
      see("psi", SmallVector<T, 1>(psi), SmallVector<Scalar, 1>(energy.psi(one)),
          std::max(std::abs(state(l).psi), modulus));
      see("pk1", P, one_P, std::max(largest_or_infinity(state(l).P), modulus));
      see("hessian", H, one_H, modulus);
    }
  }
}

// hessian(F, projection), if the energy has it, is the projected hessian(F), and tangent<projection>, if the
// energy has it, contracts it.
template <Projection projection, class E, int Dim>
void check_projection(const E& energy, const CheckedState<Dim>& state, RandomDeformations& random,
                      DerivativeReport& report) {
  constexpr int size = Dim * Dim;
  using Matrix = SmallMatrix<double, size, size>;
  Matrix H = project_numerically<double, size>(state.H, projection);
  const double scale = largest_or_infinity(state.H);
  if constexpr (requires { energy.hessian(state.F, projection); }) {
    const Matrix given = energy.hessian(state.F, projection);
    report.see("hessian(F, projection) is the projected Hessian", 1e-9,
               largest_or_infinity(given - H) / scale, state.place(),
               compared("it has H", given, "a numerical eigensolver", H));
    H = given;
  }
  if constexpr (requires { energy.template tangent<projection>(state.F); }) {
    const auto tangent = energy.template tangent<projection>(state.F);
    const SmallVector<double, Dim> a = random.matrix<Dim>().col(0), b = random.matrix<Dim>().col(0);
    const DoubleMatrix<Dim> K = tangent.block(tangent.at_node(a), tangent.at_node(b));
    DoubleMatrix<Dim> expected = DoubleMatrix<Dim>::Zero();
    for (int j = 0; j < Dim; ++j) {
      for (int l = 0; l < Dim; ++l) expected += a(j) * H.template block<Dim, Dim>(Dim * j, Dim * l) * b(l);
    }
    report.see("tangent(F) contracts the Hessian", 1e-9, largest_or_infinity(K - expected) / scale,
               state.place(), compared("block", K, "the contraction", expected));
  }
}

}  // namespace detail::testing

// Checks an energy at rest and at rotated, sheared, stretched, compressed and random deformation gradients:
//   pk1 against differences of psi, the Hessian against differences of pk1, its symmetry; all are finite;
//   frame indifference; Hooke's law at rest; lanes against scalars; projections and tangents, if it has them.
template <int Dim, class E>
requires Energy<E, Dim> DerivativeReport check_derivatives(const E& energy,
                                                           const DerivativeOptions& options = {}) {
  using namespace detail::testing;
  DerivativeReport report;
  RandomDeformations random(options.seed);
  std::vector<CheckedState<Dim>> states = states_to_check<Dim>(options, random);

  double largest_P = 0, largest_H = 0;
  for (CheckedState<Dim>& state : states) {
    evaluate(energy, state);
    const bool finite = std::isfinite(state.psi) && state.P.allFinite() && state.H.allFinite();
    report.see("psi, pk1 and hessian are finite", 0, finite ? 0 : 1, state.place(),
               "psi = " + std::to_string(state.psi) + ", P = " + in_one_line(state.P));
    largest_P = std::max(largest_P, largest_or_infinity(state.P_of_psi));
    largest_H = std::max(largest_H, largest_or_infinity(state.H_of_P));
  }

  for (const CheckedState<Dim>& state : states) {
    const double scale_P = std::max(largest_or_infinity(state.P_of_psi), 1e-3 * largest_P);
    const double scale_H = std::max(largest_or_infinity(state.H_of_P), 1e-3 * largest_H);
    report.see("pk1 is the derivative of psi", options.tolerance,
               largest_or_infinity(state.P - state.P_of_psi) / scale_P, state.place(),
               compared("P", state.P, "the difference of psi", state.P_of_psi));
    report.see("hessian is the derivative of pk1", options.tolerance,
               largest_or_infinity(state.H - state.H_of_P) / scale_H, state.place(),
               compared("H", state.H, "the difference of pk1", state.H_of_P));
    report.see("hessian is symmetric", 1e-12, largest_or_infinity(state.H - state.H.transpose()) / scale_H,
               state.place(), compared("H", state.H, "its transpose", state.H.transpose()));
    if (options.frame_indifferent) {
      const DoubleMatrix<Dim> Q = random.rotation<Dim>();
      const DoubleMatrix<Dim> P = energy.pk1(Q * state.F), QP = Q * state.P;
      report.see("a rotation turns the stress: P(Q F) = Q P(F)", 1e-9,
                 largest_or_infinity(P - QP) / std::max(scale_P, largest_H), state.place(),
                 compared("P(Q F)", P, "Q P(F)", QP));
    }
    check_projection<Projection::none>(energy, state, random, report);
    check_projection<Projection::clamp>(energy, state, random, report);
    check_projection<Projection::absolute>(energy, state, random, report);
  }

  if (options.lame) {
    const Eigen::MatrixXd hooke = hooke_tensor<Dim>(*options.lame);
    const CheckedState<Dim>& rest = states.front();
    const double scale = largest_or_infinity(hooke);
    report.see("no stress at rest", 1e-12, largest_or_infinity(rest.P) / scale, rest.place(),
               "P = " + in_one_line(rest.P));
    report.see("at rest the Hessian is Hooke's law of (E, nu)", 1e-9,
               largest_or_infinity(rest.H - hooke) / scale, rest.place(),
               compared("H", rest.H, "Hooke's law", hooke));
  }

  check_lanes<simd::Lane<double, 4>>(energy, states, "lanes of doubles equal doubles", 1e-10, report);
  check_lanes<simd::Lane<float, 8>>(energy, states, "lanes of floats equal floats", 1e-3, report);
  return report;
}

// Checks a function of n variables at x: value(x) a number, gradient(x) a vector of n, and hessian_times(x,
// d) the product of its Hessian with a vector d. Up to 60 variables are varied one by one; with more, 60
// random directions are used. `step` is the largest change of a variable, in the unit of x.
template <class Value, class Gradient, class HessianTimes>
DerivativeReport check_derivatives(const Value& value, const Gradient& gradient,
                                   const HessianTimes& hessian_times, const Eigen::VectorXd& x, double step,
                                   const DerivativeOptions& options = {}) {
  constexpr Eigen::Index most_directions = 60;
  DerivativeReport report;
  detail::testing::RandomDeformations random(options.seed);
  const Eigen::VectorXd g = gradient(x);
  const bool one_by_one = x.size() <= most_directions;
  for (Eigen::Index k = 0; k < std::min(x.size(), most_directions); ++k) {
    Eigen::VectorXd direction = Eigen::VectorXd::Zero(x.size());
    if (one_by_one) direction(k) = 1;
    else
      for (Eigen::Index i = 0; i < x.size(); ++i) direction(i) = random.uniform(-1, 1);
    const std::string place = (one_by_one ? "variable " : "random direction ") + std::to_string(k);

    const auto value_along = [&](double t) {
      return Eigen::VectorXd(Eigen::VectorXd::Constant(1, value(x + t * direction)));
    };
    const auto gradient_along = [&](double t) { return Eigen::VectorXd(gradient(x + t * direction)); };
    const Eigen::VectorXd slope = Eigen::VectorXd::Constant(1, g.dot(direction));
    const Eigen::VectorXd slope_of_value = differentiate(value_along, step).value;
    const Eigen::VectorXd product = hessian_times(x, direction);
    const Eigen::VectorXd product_of_gradient = differentiate(gradient_along, step).value;

    const auto relative = [](double error, double scale) { return error == 0 ? 0 : error / scale; };
    const double change = detail::testing::largest_or_infinity(product_of_gradient);
    report.see("gradient is the derivative of the value", options.tolerance,
               relative(detail::testing::largest_or_infinity(slope - slope_of_value),
                        std::max(detail::testing::largest_or_infinity(g) * direction.norm(), step * change)),
               place,
               detail::testing::compared("slope", slope, "the difference of the value", slope_of_value));
    report.see(
        "hessian is the derivative of the gradient", options.tolerance,
        relative(detail::testing::largest_or_infinity(product - product_of_gradient), change), place,
        detail::testing::compared("product", product, "the difference of the gradient", product_of_gradient));
  }
  return report;
}

}  // namespace pliant
