// The two-level preconditioner: an incomplete factor and a coarse space of rigid modes.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <pliant/core/error.hpp>
#include <pliant/linear_solver/incomplete_factor.hpp>
#include <pliant/linear_solver/preconditioner.hpp>
#include <pliant/linear_solver/rigid_modes.hpp>

namespace pliant {

// P^-1 = F^-1 + Q (Q^T A Q)^-1 Q^T: F is a block incomplete Cholesky factorisation of A, or SSOR where that
// breaks down, which takes care of what varies from node to node; Q are the rigid motions of aggregates of
// nodes, at the nodes' positions, which take care of the rest. Both halves are computed anew for every
// matrix; what depends on the pattern alone is found once per pattern. F works in floats, whatever A is in.
//
// A breakdown is remembered: the next matrices go to SSOR at once, for longer each time.
struct TwoLevel {
  int nodes_per_aggregate = 0;  // 0: chosen by the number of nodes

  template <class Matrix>
  struct Workspace : detail::NodePositions<typename Matrix::Vector> {
    static constexpr int dim = Matrix::dim;
    static constexpr Isa isa = Matrix::instruction_set;

    std::shared_ptr<const BlockPattern> pattern;  // that has been analysed
    int nodes_per_aggregate = 0;                  // the same
    IncompleteFactor<dim, isa> factor;
    RigidModes<dim, isa> coarse;
    FactorKind kind = FactorKind::incomplete_cholesky;
    int waits = 0, penalty = 4;  // matrices before the next attempt at Cholesky; after the next breakdown
    bool has_coarse = false;
    double scale = 1;  // the factor and the coarse matrix are those of scale * A
  };

  void check() const {
    detail::require_parameter(nodes_per_aggregate >= 0, "TwoLevel::nodes_per_aggregate", nodes_per_aggregate,
                              "must not be negative");
  }

  // False where a diagonal block of A is not positive definite.
  template <class Matrix, class W>
  bool prepare(const Matrix& A, W& w) const {
    if (w.pattern != A.shared_pattern() || w.nodes_per_aggregate != nodes_per_aggregate) {
      w.pattern = nullptr;  // until the analysis is complete: an allocation may fail
      const Adjacency graph = graph_of(A.pattern());
      w.factor.analyse(graph, A.pattern());
      w.coarse.analyse(graph, A.pattern(),
                       nodes_per_aggregate > 0 ? nodes_per_aggregate : size_for(A.rows()));
      w.waits = 0;
      w.penalty = first_penalty;
      w.pattern = A.shared_pattern();
      w.nodes_per_aggregate = nodes_per_aggregate;
    }
    w.scale = 1 / mean_diagonal(A);
    if (!(w.scale > 0 && std::isfinite(w.scale))) return false;
    if (!factorise(A, w)) return false;
    w.has_coarse = w.coarse.prepare(A, w.scale, w.positions.nodes() == A.rows() ? &w.positions : nullptr);
    return true;
  }

  // z = P^-1 r; returns r.z.
  template <class Vector, class W>
  typename Vector::Scalar apply(const Vector& r, Vector& z, W& w) const {
    using Scalar = typename Vector::Scalar;
    using Wide = typename Vector::Row;
    using Row = typename decltype(w.factor)::Row;
    // In floats r is of size one, so that it neither overflows nor vanishes.
    const double norm = static_cast<double>(r.norm());
    const double size = norm > std::numeric_limits<Scalar>::min() ? norm : 1;
    const Wide down(static_cast<Scalar>(1 / size)), up(static_cast<Scalar>(size * w.scale));
    const auto row = [&](int i) { return convert<Row>(down * r.row(i)); };
    const int parts = w.factor.parts(), aggregates = w.coarse.aggregates().count();
    parallel_parts(parts, [&](int p) {
      w.factor.forward_early(p, row);
      if (!w.has_coarse) return;
      w.coarse.restrict_to(share(aggregates, p, parts), share(aggregates, p + 1, parts), row);
    });
    parallel_parts(parts + 1, [&](int p) {
      if (p < parts) w.factor.through_late(p, row);
      else if (w.has_coarse) w.coarse.solve();
    });
    Scalar sums[SweepOrder::most_parts] = {};
    parallel_parts(parts, [&](int p) {
      Wide sum(Scalar(0));
      w.factor.backward_early(p, [&](int i, Row x) {
        if (w.has_coarse) x += w.coarse.at_node(i);
        if constexpr (Vector::stride > Vector::dim) set_lane(x, Vector::dim, 0.0f);
        const Wide z_i = up * convert<Wide>(x);
        z.set_row(i, z_i);
        sum = multiply_add(r.row(i), z_i, sum);
      });
      sums[p] = pliant::sum(sum);
    });
    Scalar rz = 0;
    for (int p = 0; p < parts; ++p) rz += sums[p];
    return rz;
  }

 private:
  static constexpr int first_penalty = 4, longest_penalty = 64;

  // The larger the mesh, the more the coarse solve costs beside a sweep, and the less a larger one brings.
  static int size_for(std::ptrdiff_t nodes) {
    return static_cast<int>(std::clamp(50 * std::sqrt(static_cast<double>(nodes) / 3000), 50.0, 200.0));
  }

  static int share(int count, int part, int parts) {
    return static_cast<int>(std::ptrdiff_t{count} * part / parts);
  }

  template <class Matrix>
  static double mean_diagonal(const Matrix& A) {
    double sum = 0;
    for (std::ptrdiff_t i = 0; i < A.rows(); ++i) {
      const auto block = A.diagonal(i);
      for (int axis = 0; axis < Matrix::dim; ++axis) sum += static_cast<double>(block(axis, axis));
    }
    return sum / static_cast<double>(A.rows() * Matrix::dim);
  }

  template <class Matrix, class W>
  static bool factorise(const Matrix& A, W& w) {
    if (w.waits == 0) {
      w.kind = FactorKind::incomplete_cholesky;
      if (w.factor.factorise(A, w.scale, w.kind)) return true;
      w.waits = w.penalty;
      w.penalty = std::min(2 * w.penalty, longest_penalty);
    } else {
      --w.waits;
    }
    w.kind = FactorKind::symmetric_gauss_seidel;
    return w.factor.factorise(A, w.scale, w.kind);
  }
};

}  // namespace pliant
