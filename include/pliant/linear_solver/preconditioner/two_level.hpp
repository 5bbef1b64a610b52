// The two-level preconditioner: an incomplete factor and a coarse space of rigid modes.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <pliant/core/error.hpp>
#include <pliant/linear_solver/preconditioner/incomplete_factor.hpp>
#include <pliant/linear_solver/preconditioner/matrix_change.hpp>
#include <pliant/linear_solver/preconditioner/preconditioner.hpp>
#include <pliant/linear_solver/preconditioner/rigid_modes.hpp>

namespace pliant {

// P^-1 = F^-1 + C (I - A F^-1) with C = Q (Q^T A Q)^-1 Q^T. F is a block incomplete Cholesky factorisation of
// A, or SSOR if that breaks down, and reduces errors that vary from node to node; Q are the rigid motions of
// aggregates of nodes, at the nodes' positions, which reduce the remaining smooth errors. If Q^T r = 0, which
// `correct` establishes and conjugate gradients preserve, the iteration is that of the symmetric P^-1 = (I -
// C A) F^-1 (I - A C) + C, at half the price: "A-DEF2" in Tang, Nabben, Vuik and Erlangga 2009. If the coarse
// matrix is too close to a singular one, P^-1 = F^-1 + C.
//
// C is recomputed for every matrix, because it depends on the positions. F is kept until the matrix has
// changed by more than a few percent, which costs a few iterations at most. Data that depend on the pattern
// alone are computed once per pattern. F and Q are in floats for any scalar of A.
//
// After a breakdown SSOR is used for a number of matrices, which doubles with each breakdown.
struct TwoLevel {
  int nodes_per_aggregate = 0;  // 0: chosen by the number of nodes

  static constexpr PreconditionerAbilities abilities{
      .checks = true, .corrects = true, .takes_positions = true, .follows_steps = true};

  // The persistent data of a workspace, with the numbers of the factor itself, because its matrix is not
  // stored.
  template <class Matrix>
  struct Kept {
    detail::linear_solver::FactorKind kind = detail::linear_solver::FactorKind::incomplete_cholesky;
    int waits = 0, penalty = 0;
    bool has_factor = false;  // whether a factor is kept; otherwise the rest is not set
    double scale = 1;
    simd::AlignedVector<float> factor;  // see IncompleteFactor::save
    typename detail::linear_solver::MatrixChange<Matrix>::Sample sample;
  };

  template <class Matrix>
  struct Workspace : detail::linear_solver::NodePositions<typename Matrix::Vector> {
    static constexpr int dim = Matrix::dim;
    static constexpr Isa isa = Matrix::instruction_set;

    std::shared_ptr<const BlockPattern> pattern;  // of the last analysis
    int nodes_per_aggregate = 0;                  // of the last analysis
    detail::linear_solver::IncompleteFactor<dim, isa> factor;
    detail::linear_solver::RigidModes<dim, isa> coarse;
    detail::linear_solver::MatrixChange<Matrix> change;
    detail::linear_solver::FactorKind kind = detail::linear_solver::FactorKind::incomplete_cholesky;
    int waits = 0, penalty = 4;  // matrices with SSOR until the next attempt; after a next breakdown
    bool has_coarse = false;
    double scale = 1;  // the factor and the coarse matrix are those of scale * A

    using History = Kept<Matrix>;     // see core/history.hpp
    std::optional<History> restored;  // for the next matrix

    void save(History& h) const {
      if (restored) {
        h = *restored;
        return;
      }
      h.kind = kind;
      h.waits = waits;
      h.penalty = penalty;
      h.has_factor = pattern != nullptr && kind == detail::linear_solver::FactorKind::incomplete_cholesky &&
                     change.remembers();
      if (!h.has_factor) return;
      h.scale = scale;
      factor.save(h.factor);
      h.sample = change.remembered();
    }
    void restore(History&& h) { restored = std::move(h); }

    bool deflates() const { return has_coarse && coarse.is_exact(); }

    // See linear_solver/concept.hpp. If a step is undone, a factor made in it is made anew for the next
    // matrix; its predecessor is lost.
    void begin_step() { before = {kind, waits, penalty, false}; }
    void step_undone() {
      if (before.replaced) change.forget();
      kind = before.kind;
      waits = before.waits;
      penalty = before.penalty;
    }

    // State before the step; and whether the step has made another factor.
    struct {
      detail::linear_solver::FactorKind kind = detail::linear_solver::FactorKind::incomplete_cholesky;
      int waits = 0, penalty = 4;
      bool replaced = false;
    } before;
  };

  void check() const {
    detail::core::require_parameter(nodes_per_aggregate >= 0, "TwoLevel::nodes_per_aggregate",
                                    nodes_per_aggregate, "must not be negative");
  }

  // Returns false if a diagonal block of the factor is not positive definite.
  template <class Matrix, class W>
  bool prepare(const Matrix& A, W& w) const {
    if (w.pattern != A.shared_pattern() || w.nodes_per_aggregate != nodes_per_aggregate) {
      w.pattern = nullptr;  // until the analysis is complete, because an allocation may fail
      const Adjacency graph = graph_of(A.pattern());
      w.factor.analyse(graph, A.pattern());
      w.coarse.analyse(graph, A.pattern(),
                       nodes_per_aggregate > 0 ? nodes_per_aggregate : size_for(A.rows()));
      w.change.analyse(A.rows());
      w.waits = 0;
      w.penalty = first_penalty;
      w.pattern = A.shared_pattern();
      w.nodes_per_aggregate = nodes_per_aggregate;
    }
    if (w.restored) take_over(w);
    const double change = w.change.measure(A);
    if (w.kind != detail::linear_solver::FactorKind::incomplete_cholesky || !(change <= negligible_change)) {
      w.change.forget();  // until there is a factor
      w.before.replaced = true;
      w.scale = 1 / mean_diagonal(A);
      if (!(w.scale > 0 && std::isfinite(w.scale))) return false;
      if (!factorise(A, w)) return false;
      w.change.remember();
    }
    w.has_coarse = w.coarse.prepare(A, w.scale, w.positions.nodes() == A.rows() ? &w.positions : nullptr);
    return true;
  }

  // x += C r. Returns false, without a change, if P^-1 is already symmetric.
  template <class Vector, class W>
  bool correct(const Vector& r, Vector& x, W& w) const {
    if (!w.deflates()) return false;
    const Scaling<Vector, W> scaling(static_cast<double>(r.norm()), w);
    const int aggregates = w.coarse.aggregates().count();
    detail::core::parallel_for(aggregates, 8, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      w.coarse.restrict_to(static_cast<int>(begin), static_cast<int>(end),
                           [&](int i) { return scaling.down(r, i); });
    });
    w.coarse.solve();
    detail::core::parallel_for(r.nodes(), 1024, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i < end; ++i)
        x.set_row(i, x.row(i) + scaling.up(w.coarse.at_node(static_cast<int>(i))));
    });
    return true;
  }

  // z = P^-1 r; returns r.z; norm = |r|.
  template <class Vector, class W>
  typename Vector::Scalar apply(const Vector& r, double norm, Vector& z, W& w) const {
    using Scalar = typename Vector::Scalar;
    const Scaling<Vector, W> scaling(norm, w);
    const auto row = [&](int i) { return scaling.down(r, i); };
    const int shares = w.factor.shares(), aggregates = w.has_coarse ? w.coarse.aggregates().count() : 0;
    const auto for_each_share = [&](auto&& run) {
      detail::core::parallel_parts(
          shares, [&](int s) { run(s, share(aggregates, s, shares), share(aggregates, s + 1, shares)); });
    };
    for_each_share([&](int s, int begin, int end) {
      w.factor.forward_early(s, shares, row);
      w.coarse.restrict_to(begin, end, row);
    });
    detail::core::parallel_parts(w.factor.parts(), [&](int p) { w.factor.through_late(p, row); });
    detail::core::parallel_parts(shares, [&](int s) { w.factor.backward_early(s, shares); });
    if (w.deflates()) {
      for_each_share([&](int, int begin, int end) {
        w.coarse.subtract_image(begin, end, [&](int i) { return w.factor.at_node(i); });
      });
    }
    if (w.has_coarse) w.coarse.solve();
    return detail::core::parallel_sum<Scalar>(r.nodes(), 1024, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      typename Vector::Row rz(Scalar(0));
      for (std::ptrdiff_t k = begin; k < end; ++k) {
        const int i = static_cast<int>(k);
        auto x = w.factor.at_node(i);
        if (w.has_coarse) x += w.coarse.at_node(i);
        const auto z_i = scaling.up(x);
        z.set_row(i, z_i);
        rz = simd::multiply_add(r.row(i), z_i, rz);
      }
      return simd::sum(rz);
    });
  }

 private:
  static constexpr double negligible_change = 0.05;
  static constexpr int first_penalty = 4, longest_penalty = 64;

  // For larger meshes the coarse solve costs more relative to a sweep, and a larger coarse space improves
  // less: measured to be the best size, or within 3 % of it, from 1,000 to 12,000 nodes.
  static int size_for(std::ptrdiff_t nodes) {
    return static_cast<int>(std::clamp(std::sqrt(static_cast<double>(nodes)) / 2, 12.0, 200.0));
  }

  static int share(int count, int part, int parts) {
    return static_cast<int>(std::ptrdiff_t{count} * part / parts);
  }

  // Converts to floats and back.
  template <class Vector, class W>
  class Scaling {
   public:
    using Wide = typename Vector::Row;
    using Row = typename decltype(W::factor)::Row;

    Scaling(double norm, const W& w) {
      const double size = detail::linear_solver::size_in_floats<typename Vector::Scalar>(norm);
      down_ = Wide(static_cast<typename Vector::Scalar>(1 / size));
      up_ = Wide(static_cast<typename Vector::Scalar>(size * w.scale));
    }

    PLIANT_INLINE Row down(const Vector& r, int i) const { return simd::convert<Row>(down_ * r.row(i)); }

    PLIANT_INLINE Wide up(Row x) const {
      if constexpr (Vector::stride > Vector::dim) simd::set_lane(x, Vector::dim, 0.0f);
      return up_ * simd::convert<Wide>(x);
    }

   private:
    Wide down_, up_;
  };

  template <class Matrix>
  static double mean_diagonal(const Matrix& A) {
    double sum = 0;
    for (std::ptrdiff_t i = 0; i < A.rows(); ++i) {
      const auto block = A.diagonal(i);
      for (int axis = 0; axis < Matrix::dim; ++axis) sum += static_cast<double>(block(axis, axis));
    }
    return sum / static_cast<double>(A.rows() * Matrix::dim);
  }

  // Applies the restored history.
  template <class W>
  static void take_over(W& w) {
    auto& h = *w.restored;
    w.kind = h.kind;
    w.waits = h.waits;
    w.penalty = h.penalty;
    w.change.forget();
    if (h.has_factor && w.factor.restore(h.factor)) {
      w.scale = h.scale;
      w.change.remember(std::move(h.sample));
    }
    w.restored.reset();
    w.begin_step();  // replaces the state before the restoration
  }

  template <class Matrix, class W>
  static bool factorise(const Matrix& A, W& w) {
    if (w.waits == 0) {
      w.kind = detail::linear_solver::FactorKind::incomplete_cholesky;
      if (w.factor.factorise(A, w.scale, w.kind)) return true;
      w.waits = w.penalty;
      w.penalty = std::min(2 * w.penalty, longest_penalty);
    } else {
      --w.waits;
    }
    w.kind = detail::linear_solver::FactorKind::symmetric_gauss_seidel;
    return w.factor.factorise(A, w.scale, w.kind);
  }
};

}  // namespace pliant
