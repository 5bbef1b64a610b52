// Checks a custom term.
//
//   const CheckReport report = check_term(solid, Foundation(mesh), {.displacement = 0.01});
//   if (!report) throw std::runtime_error(report.message());
//
// Use a solid with few elements, and call it in a test: it is slow.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include <pliant/assembly/system.hpp>
#include <pliant/potential/own_terms.hpp>
#include <pliant/testing/check_report.hpp>
#include <pliant/testing/deformations.hpp>
#include <pliant/testing/differentiate.hpp>

namespace pliant {

struct TermCheckOptions {
  double displacement =
      0.01;                 // largest random displacement of a node on an axis, and step of differences [m]
  double velocity = 1;      // largest random velocity of a node on an axis at the start [m/s]
  double dt = 0.01;         // of the steps [s]
  double tolerance = 1e-6;  // of the derivatives, relative to the largest entry
  int random_states = 4;
  unsigned seed = 1;
};

namespace detail::testing {

// A term in one step of a System, as a function of the stacked displacements of all nodes.
template <class SystemType, class T>
class TermInStep {
 public:
  using Vector = typename SystemType::Vector;
  using Matrix = typename SystemType::Matrix;
  static constexpr int dim = SystemType::dim;

  TermInStep(const SystemType& system, T term, const Eigen::VectorXd& start, const Eigen::VectorXd& velocity,
             double dt)
      : system_(system), term_(std::move(term)), start_(stacked(start)), dt_(dt) {
    if constexpr (T::abilities.begins_steps) {
      term_.begin_step(TermState<SystemType>(system_, start_, stacked(velocity), dt, dt));
    }
  }

  double value(const Eigen::VectorXd& u) const {
    TermSum<SystemType, Evaluate::energy> sum(system_, Projection::none, nullptr, nullptr);
    return at(u, [&](const auto& point) { return static_cast<double>(term_.evaluate(point, sum)); });
  }

  // The value in a step without displacement, at the same positions.
  double value_at_rest(const Eigen::VectorXd& u) const {
    TermSum<SystemType, Evaluate::energy> sum(system_, Projection::none, nullptr, nullptr);
    return at(u, [&](const TermPoint<SystemType>&) {
      return static_cast<double>(
          term_.evaluate(TermPoint<SystemType>(system_, nullptr, position_, dt_, 0), sum));
    });
  }

  Eigen::VectorXd gradient(const Eigen::VectorXd& u, double* value = nullptr) const {
    Vector g = system_.make_vector();
    TermSum<SystemType, Evaluate::gradient> sum(system_, Projection::none, &g, nullptr);
    const double result =
        at(u, [&](const auto& point) { return static_cast<double>(term_.evaluate(point, sum)); });
    if (value != nullptr) *value = result;
    return unstacked(g);
  }

  Eigen::MatrixXd hessian(const Eigen::VectorXd& u, Projection projection,
                          Eigen::VectorXd* gradient = nullptr, double* value = nullptr) const {
    Vector g = system_.make_vector();
    Matrix A = system_.make_matrix();
    TermSum<SystemType, Evaluate::tangent> sum(system_, projection, &g, &A);
    const double result =
        at(u, [&](const auto& point) { return static_cast<double>(term_.evaluate(point, sum)); });
    if (value != nullptr) *value = result;
    if (gradient != nullptr) *gradient = unstacked(g);
    const BlockPattern& pattern = A.pattern();
    Eigen::MatrixXd full = Eigen::MatrixXd::Zero(u.size(), u.size());
    for (std::ptrdiff_t i = 0; i < A.rows(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      for (int k = pattern.row_begin[row]; k < pattern.row_begin[row + 1]; ++k) {
        const int j = pattern.columns[static_cast<std::size_t>(k)];
        const Eigen::MatrixXd block = A.block(k).template cast<double>();
        full.block(dim * i, dim * j, dim, dim) = block;
        if (i != j) full.block(dim * j, dim * i, dim, dim) = block.transpose();
      }
    }
    return full;
  }

  double safe_fraction(const Eigen::VectorXd& u, const Eigen::VectorXd& step) const {
    return at(u, [&](const auto& point) {
      const Vector change = stacked(step);
      return static_cast<double>(term_.safe_fraction(point, NodeValues<SystemType>(system_, change)));
    });
  }

 private:
  Vector stacked(const Eigen::VectorXd& x) const {
    Vector result = system_.make_vector();
    for (std::ptrdiff_t i = 0; i < result.nodes(); ++i) {
      result.node(i) = x.segment(dim * i, dim).template cast<typename Vector::Scalar>();
    }
    return result;
  }

  static Eigen::VectorXd unstacked(const Vector& x) {
    Eigen::VectorXd result(dim * x.nodes());
    for (std::ptrdiff_t i = 0; i < x.nodes(); ++i)
      result.segment(dim * i, dim) = x.node(i).template cast<double>();
    return result;
  }

  template <class Use>
  double at(const Eigen::VectorXd& displacement, Use&& use) const {
    const Vector u = stacked(displacement);
    position_ = system_.make_vector();
    system_.move(start_, u, position_);
    return use(TermPoint<SystemType>(system_, &u, position_, dt_, dt_));
  }

  const SystemType& system_;
  T term_;
  Vector start_;
  mutable Vector position_;
  double dt_;
};

}  // namespace detail::testing

// Checks a term in steps of a solid from random states by random displacements:
//   the gradient against differences of the value, the Hessian against differences of the gradient, its
//   symmetry, and its positive semidefiniteness with a projection; that value and gradient do not depend on
//   the other results of the evaluation, and that all are finite; that stored energy depends on positions
//   alone, and that a safe fraction lies in [0, 1].
// An inactive term is evaluated as well.
template <class SolidType, class T>
CheckReport check_term(const SolidType& solid, const T& term, const TermCheckOptions& options = {}) {
  using namespace detail::testing;
  using System = ElasticSystem<SolidType>;
  static_assert(require_term<T, System>());
  static_assert(std::is_same_v<typename System::Scalar, double>,
                "pliant: check_term takes a mesh of doubles");
  constexpr int dim = System::dim;
  const System system(solid);
  const Eigen::Index size = dim * system.node_count();
  RandomDeformations random(options.seed);
  const auto random_vector = [&](double largest) {
    Eigen::VectorXd x(size);
    for (double& entry : x) entry = random.uniform(-largest, largest);
    return x;
  };
  Eigen::VectorXd rest(size);
  for (std::ptrdiff_t i = 0; i < system.node_count(); ++i) rest.segment(dim * i, dim) = system.rest().node(i);

  CheckReport report;
  for (int k = 0; k < options.random_states; ++k) {
    const std::string place = "random state " + std::to_string(k);
    const Eigen::VectorXd start = rest + random_vector(options.displacement),
                          u = random_vector(options.displacement);
    const TermInStep<System, T> step(system, term, start, random_vector(options.velocity), options.dt);
    const double value = step.value(u);
    double value_of_gradient = 0, value_of_hessian = 0;
    Eigen::VectorXd also_g;
    const Eigen::VectorXd g = step.gradient(u, &value_of_gradient);
    const Eigen::MatrixXd H = step.hessian(u, Projection::none, &also_g, &value_of_hessian);
    Eigen::VectorXd g_of_value(size);
    Eigen::MatrixXd H_of_g(size, size);
    for (Eigen::Index i = 0; i < size; ++i) {
      const auto moved = [&](double t) -> Eigen::VectorXd { return u + t * Eigen::VectorXd::Unit(size, i); };
      const auto value_along = [&](double t) {
        return Eigen::VectorXd(Eigen::VectorXd::Constant(1, step.value(moved(t))));
      };
      const auto gradient_along = [&](double t) { return step.gradient(moved(t)); };
      g_of_value(i) = differentiate(value_along, options.displacement).value(0);
      H_of_g.col(i) = differentiate(gradient_along, options.displacement).value;
    }
    const auto relative = [](double error, double scale) { return error == 0 ? 0 : error / scale; };
    const double force = largest_or_infinity(g_of_value), stiffness = largest_or_infinity(H_of_g);
    const bool finite = std::isfinite(value) && g.allFinite() && H.allFinite();
    report.see("value, gradient and hessian are finite", 0, finite ? 0 : 1, place,
               "value " + std::to_string(value));
    report.see(
        "gradient is the derivative of the value", options.tolerance,
        relative(largest_or_infinity(g - g_of_value), std::max(force, options.displacement * stiffness)),
        place, compared("gradient", g, "the difference of the value", g_of_value));
    report.see("hessian is the derivative of the gradient", options.tolerance,
               relative(largest_or_infinity(H - H_of_g), std::max(stiffness, force * options.tolerance)),
               place, compared("hessian", H, "the difference of the gradient", H_of_g));
    report.see("hessian is symmetric", 1e-12,
               relative(largest_or_infinity(H - H.transpose()), largest_or_infinity(H)), place,
               compared("hessian", H, "its transpose", H.transpose()));
    report.see("value and gradient do not depend on what else is asked for", 1e-12,
               std::max({relative(largest_or_infinity(g - also_g), largest_or_infinity(g)),
                         relative(std::abs(value - value_of_gradient), std::abs(value)),
                         relative(std::abs(value - value_of_hessian), std::abs(value))}),
               place,
               "values " + std::to_string(value) + ", " + std::to_string(value_of_gradient) + ", " +
                   std::to_string(value_of_hessian));
    for (const Projection projection : {Projection::clamp, Projection::absolute}) {
      const Eigen::MatrixXd P = step.hessian(u, projection);
      const double lowest =
          Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(P, Eigen::EigenvaluesOnly).eigenvalues()(0);
      report.see("projected hessian is positive semidefinite", 1e-9,
                 relative(std::max(-lowest, 0.0), largest_or_infinity(P)), place,
                 std::string(projection == Projection::clamp ? "clamp" : "absolute") +
                     ": lowest eigenvalue " + std::to_string(lowest));
    }
    if constexpr (T::abilities.stores_energy) {
      const double stored = step.value_at_rest(u);
      report.see("stored energy depends on positions alone", 1e-12,
                 relative(std::abs(value - stored), std::abs(value)), place,
                 "value " + std::to_string(value) + ", and " + std::to_string(stored) +
                     " at the same positions without a displacement");
    }
    if constexpr (T::abilities.limits_steps) {
      const double fraction = step.safe_fraction(u, random_vector(options.displacement));
      report.see("safe fraction lies in [0, 1]", 0, fraction >= 0 && fraction <= 1 ? 0 : 1, place,
                 "fraction " + std::to_string(fraction));
    }
  }
  return report;
}

}  // namespace pliant
