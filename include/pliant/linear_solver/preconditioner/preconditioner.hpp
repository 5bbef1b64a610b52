// The Preconditioner concept and its simplest models.
//
// A model is a plain aggregate of parameters with a nested Workspace<Matrix> and
//   prepare(A, workspace)          called once per matrix; false if A is not positive definite enough
//   apply(r, norm, z, workspace)   z = P^-1 r; returns r.z; norm = |r|, which the solver has computed
// P must be symmetric and positive definite. A model that treats each node separately, a
// NodewisePreconditioner, has instead of apply
//   at(i, r, workspace)            the numbers of node i in P^-1 r, from those of that node in r, as
//                                  NodeVector::Rows
// and a solver applies it within a pass over its vectors. Optional functions are declared in a constant,
// which may be omitted if there are none:
//   static constexpr PreconditionerAbilities abilities{.corrects = true};
// The concept requires the functions of each declared ability, and the ability for each such function: a
// misspelt function is a compile error. A workspace that depends on earlier matrices or solves has a History,
// see core/history.hpp. A model that scales each unknown separately, a DiagonalPreconditioner, declares this
// by `static constexpr bool is_diagonal = true`.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <concepts>
#include <limits>

#include <pliant/algebra/tensor.hpp>
#include <pliant/assembly/block_matrix.hpp>
#include <pliant/linear_solver/concept.hpp>

namespace pliant {

// The optional abilities of a preconditioner, each with its functions.
struct PreconditionerAbilities {
  bool checks = false;  // check(): throws ParameterError naming the parameter that is out of range
  // correct(r, x, workspace): P is positive definite for r in a subspace only. Changes x so that r = b - A x
  // is in this subspace; returns false if x is unchanged. Called once per solve, before the first apply.
  bool corrects = false;
  // observe(report, workspace): gets the LinearReport of a solve with the prepared matrix. Called last.
  bool observes = false;
  // nodewise(workspace): whether to call at or apply; there are both.
  bool sometimes_nodewise = false;
  // workspace.set_positions(x): called with the positions x [m] for which the next matrices are computed,
  // before prepare, if they are known.
  bool takes_positions = false;
  bool follows_steps = false;  // workspace.begin_step(), step_undone(), see SolverAbilities
};

namespace detail::linear_solver {

// The abilities of a preconditioner; none if it declares none.
template <class P>
inline constexpr PreconditionerAbilities preconditioner_abilities = {};
template <class P>
requires requires { P::abilities; }
inline constexpr PreconditionerAbilities preconditioner_abilities<P> = P::abilities;

template <class P>
concept ChecksParameters = requires(const P& preconditioner) {
  preconditioner.check();  // see PreconditionerAbilities
};
template <class P, class Vector, class W>
concept Corrects = requires(const P& preconditioner, const Vector& r, Vector& x, W& workspace) {
  { preconditioner.correct(r, x, workspace) } -> std::convertible_to<bool>;  // see PreconditionerAbilities
};
template <class P, class W>
concept Observes = requires(const P& preconditioner, const LinearReport& report, W& workspace) {
  preconditioner.observe(report, workspace);  // see PreconditionerAbilities
};
template <class P, class W>
concept SometimesNodewise = requires(const P& preconditioner, const W& workspace) {
  { preconditioner.nodewise(workspace) } -> std::convertible_to<bool>;  // see PreconditionerAbilities
};

// Whether the declared abilities of a preconditioner are those of its functions.
template <class P, class Matrix, class W = typename P::template Workspace<Matrix>,
          class Vector = typename Matrix::Vector>
concept TellsAbilities = preconditioner_abilities<P>
.checks == ChecksParameters<P>&& preconditioner_abilities<P>.corrects ==
    Corrects<P, Vector, W>&& preconditioner_abilities<P>.observes ==
    Observes<P, W>&& preconditioner_abilities<P>.sometimes_nodewise ==
    SometimesNodewise<P, W>&& preconditioner_abilities<P>.takes_positions ==
    TakesPositions<W, Vector>&& preconditioner_abilities<P>.follows_steps == FollowsSteps<W>;

}  // namespace detail::linear_solver

template <class P, class Matrix>
concept NodewisePreconditioner = requires(const P& preconditioner, std::ptrdiff_t i,
                                          typename Matrix::Vector::Row r,
                                          const typename P::template Workspace<Matrix>& workspace) {
  { preconditioner.at(i, r, workspace) } -> std::same_as<typename Matrix::Vector::Row>;
};

template <class P, class Matrix>
concept Preconditioner = requires(const P& preconditioner, const Matrix& A,
                                  typename P::template Workspace<Matrix>& workspace) {
  { preconditioner.prepare(A, workspace) } -> std::same_as<bool>;
}
&&(NodewisePreconditioner<P, Matrix> ||
   requires(const P& preconditioner, const typename Matrix::Vector& r, typename Matrix::Vector& z,
            typename P::template Workspace<Matrix>& workspace) {
     {
       preconditioner.apply(r, 1.0, z, workspace)
       } -> std::same_as<typename Matrix::Scalar>;  // z = P^-1 r, r.z
   }) &&
    detail::linear_solver::TellsAbilities<P, Matrix>;  // its abilities are the declared ones

template <class P, class Matrix>
concept DiagonalPreconditioner = NodewisePreconditioner<P, Matrix> && P::is_diagonal;

namespace detail::linear_solver {

// The divisor that scales r to size one, so that floats neither overflow nor underflow.
template <class Scalar>
double size_in_floats(double norm) {
  return norm > std::numeric_limits<Scalar>::min() ? norm : 1;
}

// The positions of the nodes, for workspaces that use them.
template <class Vector>
struct NodePositions {
  Vector positions;  // [m]; without nodes if unknown

  // Applies from the next matrix on.
  void set_positions(const Vector& x) {
    if (positions.nodes() != x.nodes()) positions.resize(x.nodes());
    positions.set_sum(x, 0, x);
  }
};

}  // namespace detail::linear_solver

// P = I.
struct NoPreconditioner {
  static constexpr bool is_diagonal = true;

  template <class Matrix>
  struct Workspace {};

  template <class Matrix, class W>
  bool prepare(const Matrix&, W&) const {
    return true;
  }

  template <class Row, class W>
  PLIANT_INLINE Row at(std::ptrdiff_t, const Row& r, const W&) const {
    return r;
  }
};

// P = the diagonal of A.
struct Jacobi {
  static constexpr bool is_diagonal = true;

  template <class Matrix>
  struct Workspace {
    typename Matrix::Vector inverse;
  };

  template <class Matrix, class W>
  bool prepare(const Matrix& A, W& workspace) const {
    if (workspace.inverse.nodes() != A.rows()) workspace.inverse.resize(A.rows());
    std::atomic<bool> positive = true;
    detail::core::parallel_for(A.rows(), 1024, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i < end; ++i) {
        const auto block = A.diagonal(i);
        const auto diagonal = block.diagonal();
        if (!(diagonal.minCoeff() > 0)) positive = false;
        workspace.inverse.node(i) = diagonal.cwiseInverse();
      }
    });
    return positive;
  }

  template <class Row, class W>
  PLIANT_INLINE Row at(std::ptrdiff_t i, const Row& r, const W& workspace) const {
    return r * workspace.inverse.row(i);
  }
};

// P = the diagonal blocks of A, one per node.
struct BlockJacobi {
  template <class Matrix>
  struct Workspace {
    simd::AlignedVector<typename Matrix::Scalar>
        inverse;  // dim columns of node_stride numbers per node, padding zero
  };

  template <class Matrix, class W>
  bool prepare(const Matrix& A, W& workspace) const {
    constexpr int dim = Matrix::dim, stride = node_stride<dim>;
    const auto size = static_cast<std::size_t>(A.rows()) * dim * stride;
    if (workspace.inverse.size() != size) workspace.inverse.assign(size, 0);
    std::atomic<bool> positive = true;
    detail::core::parallel_for(A.rows(), 1024, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i < end; ++i) {
        // Scaled, so that no determinant overflows or underflows, in float and for all units.
        typename Matrix::Block block = A.diagonal(i);
        const typename Matrix::Scalar scale = 1 / std::abs(trace(block));
        block *= scale;
        // Sylvester: a symmetric block is positive definite if and only if its leading minors are positive.
        bool definite = block(0, 0) > 0 && block(0, 0) * block(1, 1) - block(0, 1) * block(1, 0) > 0;
        if constexpr (dim == 3) definite = definite && determinant(block) > 0;
        if (!definite) positive = false;
        const typename Matrix::Block inverted = detail::algebra::inverse(block);
        typename Matrix::Scalar* out = workspace.inverse.data() + i * dim * stride;
        for (int c = 0; c < dim; ++c) {
          for (int r = 0; r < dim; ++r) out[c * stride + r] = scale * inverted(r, c);
        }
      }
    });
    return positive;
  }

  template <class Row, class W>
  PLIANT_INLINE Row at(std::ptrdiff_t i, const Row& r, const W& workspace) const {
    constexpr int stride = Row::width, dim = stride == 4 ? 3 : stride;
    const auto* const inverse = workspace.inverse.data() + i * dim * stride;
    Row z = simd::load<Row>(inverse) * Row(r[0]);
    PLIANT_UNROLL for (int c = 1; c < dim; ++c) z =
        simd::multiply_add(simd::load<Row>(inverse + c * stride), Row(r[c]), z);
    return z;
  }
};

}  // namespace pliant
