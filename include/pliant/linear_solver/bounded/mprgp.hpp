// Conjugate gradients with bounds on the unknowns.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <pliant/assembly/packed_matrix.hpp>
#include <pliant/core/error.hpp>
#include <pliant/linear_solver/bounded/box_constraints.hpp>
#include <pliant/linear_solver/concept.hpp>
#include <pliant/linear_solver/preconditioner/preconditioner.hpp>

namespace pliant {

// How a solve with bounds ended. The residual is the norm of the projected gradient of x.Ax / 2 - b.x: the
// gradient of the free unknowns, and for unknowns at a bound the component that would move them inwards. It
// is zero at the solution only.
struct MprgpReport : LinearReport {
  int conjugate_gradient_steps = 0;  // the sum of these three is `iterations`
  int expansions = 0;                // that moved unknowns to a bound
  int proportionings = 0;            // that released unknowns from their bounds
  int products = 0;                  // with A
  std::ptrdiff_t active = 0;         // unknowns at a bound at the end, including fixed ones
};

namespace detail::linear_solver {

// The matrix for the products of Mprgp: packed if it is a BlockMatrix, otherwise the operator itself.
template <class Operator>
struct Product {
  const Operator* A = nullptr;
  void assign(const Operator& given) { A = &given; }
  template <class Vector>
  auto multiply(const Vector& x, Vector& y) const {
    return A->multiply(x, y);
  }
};

template <int Dim, class Scalar, Isa isa>
struct Product<BlockMatrix<Dim, Scalar, isa>> : assembly::PackedMatrix<Dim, Scalar, isa> {};

}  // namespace detail::linear_solver

// Minimises x.Ax / 2 - b.x over lower <= x <= upper, for a symmetric positive definite A: modified
// proportioning with reduced gradient projections of Dostal and Schoeberl 2005, with two bounds for each
// unknown. Conjugate gradients minimise over the free unknowns, those strictly between their bounds. A step
// that reaches a bound is cut off exactly there, and is followed by a step along the projected gradient,
// which may move many unknowns to their bounds. If the gradient at the bounds outweighs the free gradient,
// the unknowns that it pulls inwards are released. The cost never increases. Without bounds the iterates are
// those of Pcg.
//
// The preconditioner must be diagonal, because with the unknowns P^(1/2) x a box remains a box. A may be any
// operator with the types Scalar and Vector and multiply(x, y), which sets y = A x and returns x.y; Jacobi
// also needs rows() and diagonal(i), the block of node i. Steps along the gradient decrease the cost if their
// length is below 2 / |P^-1 A|. This norm is bounded by sums over rows for a BlockMatrix; for an operator by
// its member norm_bound(), an upper bound of its largest eigenvalue, or else it is estimated by
// `power_iterations`, each a product. Since an estimate is too low, by a few per cent, each such step is
// checked before it is taken, and shortened if it would raise the cost.
template <class PreconditionerType = Jacobi>  // NoPreconditioner, Jacobi
struct Mprgp {
  double tolerance = 1e-6;        // relative to the residual at the feasible x nearest to 0, |b| [-]
  double absolute_tolerance = 0;  // [N] if b is a force
  int max_iterations = 0;         // 0: ten times the number of unknowns
  double proportion = 1;          // Gamma: releases if |gradient at bounds| / |free gradient| exceeds it [-]
  double expansion = 1.6;         // length of a step along the gradient, times |P^-1 A| [-]
  PreconditionerType preconditioner = {};
  int power_iterations = 12;  // that estimate |P^-1 A| of an operator without norm_bound()

  template <class Matrix>
  struct Workspace {
    static_assert(
        DiagonalPreconditioner<PreconditionerType, Matrix>,
        "Mprgp<P>: P must be a diagonal preconditioner, NoPreconditioner or Jacobi; any other would turn the "
        "bounds on the unknowns into bounds on mixtures of them");
    typename Matrix::Vector g, z, p, q;
    detail::linear_solver::Product<Matrix> A;
    typename PreconditionerType::template Workspace<Matrix> preconditioner;
  };

  void check() const {
    detail::linear_solver::require_iteration("Mprgp", tolerance, absolute_tolerance, max_iterations);
    detail::core::require_parameter(proportion > 0, "Mprgp::proportion", proportion, "must be positive");
    detail::core::require_parameter(expansion > 0 && expansion < 2, "Mprgp::expansion", expansion,
                                    "must lie in (0, 2)");
    detail::core::require_parameter(power_iterations >= 1, "Mprgp::power_iterations", power_iterations,
                                    "must be at least 1");
  }

  // Without bounds.
  template <class Matrix, class W>
  LinearReport solve(const Matrix& A, const typename Matrix::Vector& b, typename Matrix::Vector& x, W& w,
                     double goal = 0, LinearMonitor monitor = {}) const {
    using Vector = typename Matrix::Vector;
    return Run<Matrix, detail::linear_solver::NoBounds<Vector>, W>(*this, A, b, {}, x, w).run(goal, monitor);
  }

  // Within a box; x need not be in it on entry. Throws the errors of BoxConstraints::check.
  template <class Matrix, class W>
  MprgpReport solve(const Matrix& A, const typename Matrix::Vector& b,
                    const BoxConstraints<typename Matrix::Vector>& box, typename Matrix::Vector& x, W& w,
                    double goal = 0, LinearMonitor monitor = {}) const {
    using Vector = typename Matrix::Vector;
    box.check(b.nodes());
    return Run<Matrix, detail::linear_solver::Bounds<Vector>, W>(*this, A, b, {box}, x, w).run(goal, monitor);
  }

 private:
  template <class Matrix, class Box, class W>
  class Run;
};

// One solve.
template <class PreconditionerType>
template <class Matrix, class Box, class W>
class Mprgp<PreconditionerType>::Run {
 public:
  using Scalar = typename Matrix::Scalar;
  using Vector = typename Matrix::Vector;

  Run(const Mprgp& solver, const Matrix& A, const Vector& b, const Box& box, Vector& x, W& w)
      : solver_(solver), A_(A), b_(b), box_(box), x_(x), w_(w) {}

  MprgpReport run(double goal, LinearMonitor monitor) {
    report_.stop = start(goal);
    if (report_.stop == going_on) report_.stop = iterate(monitor);
    if constexpr (Box::bounded) count_active();
    return report_;
  }

 private:
  using Row = typename Vector::Row;
  static constexpr LinearStop going_on = LinearStop::max_iterations;
  static constexpr std::ptrdiff_t grain = Vector::grain / Vector::stride;  // nodes

  // phi is the gradient of the free unknowns, beta that of the unknowns at their bounds if it points inwards.
  // With a tilde: limited to the distance from the bounds, for a step of length `length_`.
  struct Gradient {
    Scalar square = 0;   // |phi + beta|^2
    Scalar free = 0;     // phi~ . P^-1 phi
    Scalar chopped = 0;  // beta~ . P^-1 beta
    Scalar turn = 0;     // P^-1 phi . q

    Gradient& operator+=(const Gradient& other) {
      square += other.square;
      free += other.free;
      chopped += other.chopped;
      turn += other.turn;
      return *this;
    }
  };

  struct Direction {
    Scalar slope = 0;                                        // g . p
    Scalar reach = std::numeric_limits<Scalar>::infinity();  // the largest feasible step

    Direction& operator+=(const Direction& other) {
      slope += other.slope;
      reach = std::min(reach, other.reach);
      return *this;
    }
  };

  // The data of one node.
  struct Node {
    Row x, g, lower, upper;

    PLIANT_INLINE Row clipped(const Row& y) const { return max(lower, min(y, upper)); }
    PLIANT_INLINE Row phi() const { return simd::select((lower < x) & (x < upper), g, Row(Scalar(0))); }
    PLIANT_INLINE Row beta() const {
      const Row zero(Scalar(0));
      const Row inwards =
          simd::select(lower < x, zero, min(g, zero)) + simd::select(x < upper, zero, max(g, zero));
      return simd::select(lower < upper, inwards, zero);
    }
    // The largest step along -p from x.
    PLIANT_INLINE Row reach(const Row& p) const {
      const Row zero(Scalar(0));
      const Row distance = simd::select(p > zero, x - lower, x - upper) / p;
      return simd::select(p != zero, distance, Row(std::numeric_limits<Scalar>::infinity()));
    }
    // The part of v = P^-1 gradient that is feasible for a step of a length.
    PLIANT_INLINE Row within_reach(const Row& v, Scalar length) const {
      const Row zero(Scalar(0)), per_length(1 / length);
      return simd::select(v > zero, min((x - lower) * per_length, v), max((x - upper) * per_length, v));
    }
  };

  Node node(std::ptrdiff_t i) const { return {x_.row(i), w_.g.row(i), box_.lower(i), box_.upper(i)}; }

  template <class T, class Visit>
  T sum_over_nodes(Visit&& visit) const {
    return detail::core::parallel_sum<T>(x_.nodes(), grain, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      T total;
      for (std::ptrdiff_t i = begin; i < end; ++i) total += visit(i);
      return total;
    });
  }

  Row precondition(std::ptrdiff_t i, const Row& r) const {
    return solver_.preconditioner.at(i, r, w_.preconditioner);
  }

  Scalar multiply(const Vector& x, Vector& y) {
    ++report_.products;
    return w_.A.multiply(x, y);
  }

  // Starts from the first guess, or from the feasible point nearest to zero if its residual is smaller.
  LinearStop start(double goal) {
    for (auto* vector : {&w_.g, &w_.z, &w_.p, &w_.q}) {
      if (vector->nodes() != b_.nodes()) vector->resize(b_.nodes());
    }
    w_.A.assign(A_);
    multiply(clip(x_), w_.q);
    w_.g.set_sum(w_.q, Scalar(-1), b_);
    const double residual_of_guess = residual();
    w_.z.set_zero();
    if (clip(w_.z).largest() == 0) w_.q.set_zero();
    else multiply(w_.z, w_.q);
    w_.p.set_sum(w_.q, Scalar(-1), b_);
    std::swap(x_, w_.z);
    std::swap(w_.g, w_.p);
    report_.residual = residual();
    const double b_norm = b_.norm(), force = w_.g.norm();
    const double rounding =
        Box::bounded ? std::numeric_limits<Scalar>::epsilon() * std::max(b_norm, force) : 0;
    report_.goal =
        std::max({solver_.tolerance * report_.residual, solver_.absolute_tolerance, goal, rounding});
    if (residual_of_guess <= report_.residual) {
      std::swap(x_, w_.z);
      std::swap(w_.g, w_.p);
      report_.residual = residual_of_guess;
    }
    report_.first_residual = report_.residual;
    if (!std::isfinite(b_norm + force)) return LinearStop::not_finite;
    if (report_.residual <= report_.goal) return LinearStop::converged;
    if (!solver_.preconditioner.prepare(A_, w_.preconditioner)) return breakdown();
    if constexpr (Box::bounded) {
      const double norm = bound_of_norm();
      if (!std::isfinite(norm)) return LinearStop::not_finite;
      if (!(norm > 0)) return LinearStop::indefinite;
      length_ = static_cast<Scalar>(solver_.expansion / norm);
    }
    return going_on;
  }

  LinearStop breakdown() const {
    if constexpr (requires { A_.finite(); }) {
      if (!A_.finite()) return LinearStop::not_finite;
    }
    return LinearStop::indefinite;
  }

  Vector& clip(Vector& x) const {
    if constexpr (Box::bounded) {
      detail::core::parallel_for(x.nodes(), grain, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
        for (std::ptrdiff_t i = begin; i < end; ++i) {
          x.set_row(i, max(box_.lower(i), min(x.row(i), box_.upper(i))));
        }
      });
    }
    return x;
  }

  double residual() const {
    const Gradient gradient = sum_over_nodes<Gradient>([&](std::ptrdiff_t i) {
      const Node at = node(i);
      const Row all = at.phi() + at.beta();
      return Gradient{.square = simd::sum(all * all)};
    });
    return std::sqrt(static_cast<double>(gradient.square));
  }

  LinearStop iterate(LinearMonitor monitor) {
    constexpr int monitor_interval = 64;
    const std::ptrdiff_t limit =
        solver_.max_iterations > 0 ? solver_.max_iterations : 10 * std::ptrdiff_t{Vector::dim} * b_.nodes();
    const auto gamma_squared = static_cast<Scalar>(solver_.proportion * solver_.proportion);
    const auto along_gradient = [this](std::ptrdiff_t i, const Node&) { return w_.z.row(i); };
    Gradient gradient = measure([](std::ptrdiff_t, Node&) {});
    Direction direction = aim(along_gradient);
    for (;;) {
      const bool release = gradient.chopped > gamma_squared * gradient.free;
      if (release) {
        direction = aim([this](std::ptrdiff_t i, const Node& at) { return precondition(i, at.beta()); });
      }
      const Scalar pAp = multiply(w_.p, w_.q);
      if (!std::isfinite(pAp)) return LinearStop::not_finite;
      if (!(pAp > 0)) return LinearStop::indefinite;
      const Scalar step = direction.slope / pAp;
      const bool blocked = step > direction.reach;
      gradient = advance(std::min(step, direction.reach));
      ++report_.iterations;
      if (release) {
        ++report_.proportionings;
      } else if (!blocked) {
        ++report_.conjugate_gradient_steps;
      } else {
        ++report_.expansions;
        const LinearStop stop = expand(gradient);
        if (stop != going_on) return stop;
      }
      report_.residual = std::sqrt(static_cast<double>(gradient.square));
      if (!std::isfinite(report_.residual)) return LinearStop::not_finite;
      if (report_.residual <= report_.goal) return LinearStop::converged;
      if (report_.iterations >= limit) return LinearStop::max_iterations;
      if (report_.iterations % monitor_interval == 0 && !monitor(report_.iterations, report_.residual)) {
        return LinearStop::cancelled;
      }
      if (release || blocked) {
        direction = aim(along_gradient);
      } else {
        const Row turn(gradient.turn / pAp);
        direction = aim([&](std::ptrdiff_t i, const Node&) {
          return simd::multiply_add(Row(Scalar(0)) - turn, w_.p.row(i), w_.z.row(i));
        });
      }
    }
  }

  // Changes x and g of each node by move(i, node), sets z = P^-1 phi, and returns the sums.
  template <class Move>
  Gradient measure(Move&& move) {
    return sum_over_nodes<Gradient>([&](std::ptrdiff_t i) {
      Node at = node(i);
      move(i, at);
      x_.set_row(i, at.x);
      w_.g.set_row(i, at.g);
      const Row phi = at.phi(), z = precondition(i, phi);
      w_.z.set_row(i, z);
      Gradient result{.square = 0, .free = 0, .chopped = 0, .turn = simd::sum(z * w_.q.row(i))};
      if constexpr (Box::bounded) {
        const Row beta = at.beta(), all = phi + beta;
        result.square = simd::sum(all * all);
        result.free = simd::sum(phi * at.within_reach(z, length_));
        result.chopped = simd::sum(beta * at.within_reach(precondition(i, beta), length_));
      } else {
        result.square = simd::sum(phi * phi);
      }
      return result;
    });
  }

  // Sets p to from(i, node); returns its slope and the largest feasible step.
  template <class From>
  Direction aim(From&& from) {
    return sum_over_nodes<Direction>([&](std::ptrdiff_t i) {
      const Node at = node(i);
      const Row p = from(i, at);
      w_.p.set_row(i, p);
      Direction result{.slope = simd::sum(at.g * p)};
      if constexpr (Box::bounded) {
        const Row reach = at.reach(p);
        for (int k = 0; k < Row::width; ++k) result.reach = std::min(result.reach, reach[k]);
      }
      return result;
    });
  }

  // x -= step p. Unknowns that reach a bound are set to it exactly.
  Gradient advance(Scalar step) {
    return measure([&](std::ptrdiff_t i, Node& at) {
      const Row p = w_.p.row(i);
      const Row x = simd::multiply_add(Row(-step), p, at.x);
      at.g = simd::multiply_add(Row(-step), w_.q.row(i), at.g);
      if constexpr (Box::bounded) {
        const Row bound = simd::select(p > Row(Scalar(0)), at.lower, at.upper);
        at.x = simd::select(at.reach(p) <= Row(step), bound, at.clipped(x));
      } else {
        at.x = x;
      }
    });
  }

  // x = clip(x - length P^-1 phi), if that lowers the cost. If not, |P^-1 A| was underestimated: for the
  // change d of x, the projection onto the box implies -g.d >= d.Pd / length, so that d.Ad / (length |g.d|)
  // is a lower bound of the norm, which sets the new length.
  LinearStop expand(Gradient& gradient) {
    for (;;) {
      const auto target = [&](std::ptrdiff_t i, const Node& at) {
        return at.clipped(simd::multiply_add(Row(-length_), w_.z.row(i), at.x));
      };
      const Scalar fall = -aim([&](std::ptrdiff_t i, const Node& at) { return target(i, at) - at.x; }).slope;
      if (!(fall > 0)) return going_on;  // no unknown is free
      const Scalar curvature = multiply(w_.p, w_.q);
      if (!std::isfinite(curvature)) return LinearStop::not_finite;
      if (!(curvature > 0)) return LinearStop::indefinite;
      if (curvature < 2 * fall) {
        gradient = measure([&](std::ptrdiff_t i, Node& at) {
          at.x = target(i, at);
          at.g += w_.q.row(i);
        });
        return going_on;
      }
      length_ *= fall / curvature;
    }
  }

  // An upper bound of |P^-1 A|, or an estimate if A has products only.
  double bound_of_norm() {
    if constexpr (requires { A_.multiply_magnitudes(w_.z, w_.q); }) {
      fill(w_.z, [](std::ptrdiff_t) { return 1.0; });
      A_.multiply_magnitudes(w_.z, w_.q);
      return largest_preconditioned(w_.q);
    } else if constexpr (requires { A_.norm_bound(); }) {
      fill(w_.z, [](std::ptrdiff_t) { return 1.0; });
      return A_.norm_bound() * largest_preconditioned(w_.z);
    } else {
      return estimate_norm();
    }
  }

  template <class Value>
  static void fill(Vector& x, Value&& value) {
    for (std::ptrdiff_t i = 0; i < x.nodes(); ++i) {
      for (int axis = 0; axis < Vector::dim; ++axis) {
        x.node(i)(axis) = static_cast<Scalar>(value(i * Vector::dim + axis));
      }
    }
  }

  double largest_preconditioned(const Vector& r) {
    for (std::ptrdiff_t i = 0; i < r.nodes(); ++i) w_.p.set_row(i, precondition(i, r.row(i)));
    return w_.p.largest();
  }

  // Power iteration, from quasi-random numbers.
  double estimate_norm() {
    double norm = 0;
    fill(w_.p, [](std::ptrdiff_t k) {
      return std::fmod(0.6180339887498949 * static_cast<double>(k + 1), 1) - 0.5;
    });
    for (int k = 0; k < solver_.power_iterations; ++k) {
      for (std::ptrdiff_t i = 0; i < x_.nodes(); ++i) w_.z.set_row(i, precondition(i, w_.p.row(i)));
      const double vAv = multiply(w_.z, w_.q), size = w_.q.norm();
      norm = std::max(norm, vAv / w_.z.dot(w_.p));
      if (!(size > 0) || !std::isfinite(size)) break;
      w_.p.set_zero();
      w_.p.add(static_cast<Scalar>(1 / size), w_.q);
    }
    return norm;
  }

  void count_active() {
    for (std::ptrdiff_t i = 0; i < x_.nodes(); ++i) {
      const Node at = node(i);
      for (int axis = 0; axis < Vector::dim; ++axis) {
        report_.active += at.x[axis] == at.lower[axis] || at.x[axis] == at.upper[axis];
      }
    }
  }

  const Mprgp& solver_;
  const Matrix& A_;
  const Vector& b_;
  const Box box_;
  Vector& x_;
  W& w_;
  MprgpReport report_;
  Scalar length_ = 1;  // of a step along the gradient
};

}  // namespace pliant
