// The factor of an earlier matrix as a preconditioner, rotated with the nodes.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <pliant/core/error.hpp>
#include <pliant/linear_solver/concept.hpp>
#include <pliant/linear_solver/direct/multifrontal.hpp>
#include <pliant/linear_solver/preconditioner/node_rotations.hpp>
#include <pliant/linear_solver/preconditioner/preconditioner.hpp>

namespace pliant {

namespace detail::linear_solver {

// scale * A in floats, with the interface that Multifrontal requires.
struct ScaledMatrix {
  AlignedVector<float> numbers;
  double scale = 1;

  const float* values() const { return numbers.data(); }
};

// The persistent data of Prefactored. The factor is represented by its matrix, from which it is recomputed.
// Names are those of the workspace.
struct PrefactoredHistory {
  bool has_factor = false;  // whether the other members are valid
  ScaledMatrix factorised;
  int level = 0;
  double spent = 0;
  int solves = 0, last = 0;
  bool has_reference = false;
  std::vector<double> reference;  // see NodeRotations::save
  std::vector<char> tells;
};

}  // namespace detail::linear_solver

// P^-1 = W (L L^T)^-1 W^T: L is the Cholesky factor, in floats, of an earlier matrix A_0, and W rotates the
// components of each node by the rotation of its surroundings since then. If the shape of a body is close to
// that of A_0, up to rotation and bending, a solve takes a few iterations, each with the cost of a solve with
// L. The preconditioner is therefore meant for small bodies, for which this cost is low (warped stiffness:
// Mueller et al. 2002).
//
// Let n_1, ..., n_k be the iterations of the solves since the last factorisation, and p the cost of a
// factorisation in iterations, computed from the number of entries of L and not measured. The next matrix is
// factorised if
//   n_k > refactor_above  and  n_k > (p + n_1 + ... + n_k) / k,
// that is, if the last solve took more than the average cost of a solve including the factorisation. Thus a
// factor is kept for long if a new one would improve little.
//
// If the factorisation breaks down the earlier factor is recomputed, and 2 p is added to the sum; if there is
// none, a small multiple of the diagonal is added to it.
struct Prefactored {
  int refactor_above = 8;  // n_k up to which the factor is good enough

  static constexpr PreconditionerAbilities abilities{
      .checks = true, .observes = true, .takes_positions = true, .follows_steps = true};

  template <class Matrix>
  struct Workspace : detail::linear_solver::NodePositions<typename Matrix::Vector> {
    static constexpr int dim = Matrix::dim;
    static constexpr Isa isa = Matrix::instruction_set;

    std::shared_ptr<const BlockPattern> pattern;  // of the last analysis
    detail::linear_solver::Multifrontal<dim, isa, float> factor;
    detail::linear_solver::ScaledMatrix factorised, candidate;  // A_0; the matrix that is to replace it
    detail::linear_solver::NodeRotations<dim, isa> rotations;
    std::vector<char> coupled;           // whether A couples a node to others
    NodeVector<dim, float, isa> turned;  // W^T r, and then the solution
    double price = 0;                    // p, of a factorisation, in iterations
    bool has_factor = false;
    bool has_reference = false;  // whether positions were known for the factor
    bool warped = false;         // whether W is not the identity
    int level = 0;               // index in `shifts`, added to the diagonal
    int factorisations = 0;      // so far, including breakdowns
    double spent = 0;            // p + n_1 + ... + n_k
    int solves = 0, last = 0;    // k, n_k

    using History = detail::linear_solver::PrefactoredHistory;  // see core/history.hpp
    std::optional<History> restored;                            // for the next matrix

    void save(History& h) const {
      if (restored) {
        h = *restored;
        return;
      }
      h.has_factor = pattern != nullptr && has_factor;
      if (!h.has_factor) return;
      h.factorised = factorised;
      h.level = level;
      h.spent = spent;
      h.solves = solves;
      h.last = last;
      h.has_reference = has_reference;
      rotations.save(h.reference, h.tells);
    }
    void restore(History&& h) { restored = std::move(h); }

    // See linear_solver/concept.hpp. If a step is undone, a factor made in it is kept, unless it is the
    // first, until its predecessor would have been replaced.
    void begin_step() { before = {has_factor, level, spent, solves, last}; }
    void step_undone() {
      has_factor = before.has_factor;
      level = before.level;
      spent = before.spent;
      solves = before.solves;
      last = before.last;
    }

    struct {
      bool has_factor = false;
      int level = 0;
      double spent = 0;
      int solves = 0, last = 0;
    } before;  // the step
  };

  void check() const {
    detail::core::require_parameter(refactor_above >= 0, "Prefactored::refactor_above", refactor_above,
                                    "must not be negative");
  }

  // Returns false if there is no factor and A has none.
  template <class Matrix, class W>
  bool prepare(const Matrix& A, W& w) const {
    if (w.pattern != A.shared_pattern()) analyse(A, w);
    if (w.restored) take_over(w);
    const bool positions_known = w.positions.nodes() == A.rows();
    detail::assembly::mark_coupled_nodes(A, w.coupled);
    const bool worn = w.solves > 0 && w.last > refactor_above && w.last * double{1} * w.solves > w.spent;
    if ((!w.has_factor || worn) && factorise(A, w)) {
      w.has_reference = positions_known;
      if (positions_known) w.rotations.set_reference(w.positions, w.coupled);
      w.warped = false;
      return true;
    }
    if (!w.has_factor) return false;
    w.warped = w.has_reference && positions_known;
    if (w.warped) w.rotations.find(w.positions, w.coupled);
    return true;
  }

  // z = P^-1 r; returns r.z; norm = |r|.
  template <class Vector, class W>
  typename Vector::Scalar apply(const Vector& r, double norm, Vector& z, W& w) const {
    using Scalar = typename Vector::Scalar;
    constexpr int dim = Vector::dim, stride = Vector::stride;
    const double size = detail::linear_solver::size_in_floats<Scalar>(norm);
    const auto down = static_cast<Scalar>(1 / size), up = static_cast<Scalar>(size * w.factorised.scale);
    constexpr std::ptrdiff_t grain = Vector::grain / stride;
    detail::core::parallel_for(r.nodes(), grain, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i < end; ++i) {
        float r_i[dim];
        for (int axis = 0; axis < dim; ++axis) {
          r_i[axis] = static_cast<float>(down * r.data()[i * stride + axis]);
        }
        float* const out = w.turned.data() + i * stride;
        if (w.warped) w.rotations.turn_back(i, r_i, out);
        else std::copy(r_i, r_i + dim, out);
      }
    });
    w.factor.solve(w.turned, w.turned);
    detail::core::parallel_for(r.nodes(), grain, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i < end; ++i) {
        const float* const solved = w.turned.data() + i * stride;
        Scalar* const out = z.data() + i * stride;
        if (w.warped) w.rotations.turn(i, solved, out);
        else std::copy(solved, solved + dim, out);
        for (int axis = 0; axis < dim; ++axis) out[axis] *= up;
      }
    });
    return r.dot(z);
  }

  // Records the result of the solve for which A was prepared.
  template <class W>
  void observe(const LinearReport& report, W& w) const {
    if (report.stop != LinearStop::converged && report.stop != LinearStop::max_iterations) return;
    w.last = report.iterations;
    w.spent += report.iterations;
    ++w.solves;
  }

 private:
  // Relative increases of the diagonal: none; for a positive definite matrix that is indefinite in floats,
  // such as that of a slender static body; and if that does not suffice.
  static constexpr std::array shifts{0.0, 1e-5, 1e-3};

  template <class Matrix, class W>
  static void analyse(const Matrix& A, W& w) {
    w.pattern = nullptr;  // until the analysis is complete, because an allocation may fail
    w.has_factor = false;
    w.before = {};  // a step that is undone has no factor of this pattern either
    w.level = 0;
    w.factor.analyse(A.pattern());
    w.rotations.analyse(graph_of(A.pattern().of_elements()));
    for (auto* values : {&w.factorised, &w.candidate}) {
      values->numbers.assign(static_cast<std::size_t>(A.pattern().blocks()) * Matrix::block_size, 0);
    }
    w.coupled.assign(static_cast<std::size_t>(A.rows()), 0);
    w.turned.resize(A.rows());
    w.price = price_of(w.factor.fronts(), A.pattern(), Matrix::dim);
    w.pattern = A.shared_pattern();
  }

  // Applies the restored history.
  template <class W>
  static void take_over(W& w) {
    auto& h = *w.restored;
    w.level = h.level;
    w.spent = h.spent;
    w.solves = h.solves;
    w.last = h.last;
    w.has_reference = h.has_reference;
    w.has_factor = h.has_factor && h.factorised.numbers.size() == w.factorised.numbers.size();
    if (w.has_factor) {
      std::swap(w.factorised, h.factorised);
      w.factor.factorise(w.factorised);  // succeeds, as it did before
      w.rotations.restore(std::move(h.reference), h.tells);
    }
    w.restored.reset();
    w.begin_step();  // replaces the state before the restoration
  }

  // The cost of a factorisation, in iterations. Both are counted in multiplications, of which those of an
  // iteration take `wait` times as long, because they are limited by memory bandwidth.
  static double price_of(const detail::linear_solver::Fronts& fronts, const BlockPattern& pattern, int dim) {
    constexpr double wait = 5;
    double factorisation = 0, solve = 0;
    for (const detail::linear_solver::Fronts::Front& front : fronts.fronts) {
      const double n = double{1} * dim * front.columns(), m = double{1} * dim * front.rows_below();
      factorisation += n * n * n / 6 + n * n * m / 2 + n * m * m / 2;
      solve += n * n + 2 * n * m;
    }
    const double product = 2.0 * dim * dim * static_cast<double>(pattern.blocks());
    return factorisation / (wait * (solve + product));
  }

  // Returns false if A has no factor; an earlier factor is then restored.
  template <class Matrix, class W>
  static bool factorise(const Matrix& A, W& w) {
    for (int level = w.level; level < static_cast<int>(shifts.size()); ++level) {
      if (!load(A, shifts[static_cast<std::size_t>(level)], w.candidate)) break;
      ++w.factorisations;
      if (w.factor.factorise(w.candidate) == detail::linear_solver::FactorResult::done) {
        std::swap(w.candidate, w.factorised);
        w.has_factor = true;
        w.level = level;
        w.spent = w.price;
        w.solves = w.last = 0;
        return true;
      }
      if (!w.has_factor) continue;
      w.factor.factorise(w.factorised);
      w.spent += 2 * w.price;
      break;
    }
    return false;
  }

  // Sets the values of A, scaled to an average diagonal of one. Returns false if they are not finite.
  template <class Matrix, class Values>
  static bool load(const Matrix& A, double shift, Values& values) {
    constexpr int dim = Matrix::dim, block = Matrix::block_size;
    double sum = 0;
    for (std::ptrdiff_t i = 0; i < A.rows(); ++i) {
      const auto diagonal = A.diagonal(i);
      for (int axis = 0; axis < dim; ++axis) sum += static_cast<double>(diagonal(axis, axis));
    }
    values.scale = static_cast<double>(A.rows() * dim) / sum;
    if (!(values.scale > 0 && std::isfinite(values.scale))) return false;
    const BlockPattern& pattern = A.pattern();
    detail::core::parallel_for(pattern.blocks() * block, 8192, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t k = begin; k < end; ++k) {
        values.numbers[static_cast<std::size_t>(k)] =
            static_cast<float>(values.scale * static_cast<double>(A.values()[k]));
      }
    });
    for (std::ptrdiff_t i = 0; i < A.rows(); ++i) {
      float* const first =
          values.numbers.data() + std::ptrdiff_t{pattern.row_begin[static_cast<std::size_t>(i)]} * block;
      for (int axis = 0; axis < dim; ++axis) first[axis * (dim + 1)] *= static_cast<float>(1 + shift);
    }
    return true;
  }
};

}  // namespace pliant
