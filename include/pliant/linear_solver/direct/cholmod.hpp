// A direct solver: the sparse Cholesky factorisation of CHOLMOD, a part of SuiteSparse. Link the CMake target
// pliant::cholmod, which exists if CHOLMOD is found and defines PLIANT_USE_CHOLMOD. pliant.hpp does not
// include this header.
#pragma once

#ifndef PLIANT_USE_CHOLMOD

namespace pliant {
struct Cholmod;  // not available: link the CMake target pliant::cholmod, which needs SuiteSparse's CHOLMOD
}  // namespace pliant

#else

#include <cholmod.h>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <pliant/assembly/block_matrix.hpp>
#include <pliant/core/error.hpp>
#include <pliant/linear_solver/concept.hpp>
#include <pliant/linear_solver/direct/direct_solve.hpp>

namespace pliant {
namespace detail::linear_solver {

// L of a block matrix, in double. A copy owns its own L.
template <int Dim>
class CholmodFactor {
 public:
  CholmodFactor() = default;
  CholmodFactor(CholmodFactor&&) noexcept = default;
  CholmodFactor& operator=(CholmodFactor&&) noexcept = default;
  CholmodFactor(const CholmodFactor& other)
      : column_begin_(other.column_begin_), rows_(other.rows_), values_(other.values_), b_(other.b_) {
    if (!other.owned_) return;
    owned_ = std::make_unique<Owned>();
    owned_->L = cholmod_l_copy_factor(other.owned_->L, &owned_->common);
    require_success();
  }
  CholmodFactor& operator=(const CholmodFactor& other) { return *this = CholmodFactor(other); }

  void analyse(const BlockPattern& pattern) {
    column_begin_.assign(1, 0);
    rows_.clear();
    for_each_column(pattern, [&](int i, int a) {
      for_each_entry(pattern, i, a, [&](std::ptrdiff_t row, std::ptrdiff_t) { rows_.push_back(row); });
      column_begin_.push_back(std::ssize(rows_));
    });
    values_.assign(rows_.size(), 0);
    b_.assign(column_begin_.size() - 1, 0);
    owned_ = std::make_unique<Owned>();
    cholmod_sparse A = lower_half();
    owned_->L = cholmod_l_analyze(&A, &owned_->common);
    require_success();
  }

  template <class Matrix>
  FactorResult factorise(const Matrix& A) {
    double* value = values_.data();
    for_each_column(A.pattern(), [&](int i, int a) {
      for_each_entry(A.pattern(), i, a, [&](std::ptrdiff_t, std::ptrdiff_t entry) {
        *value++ = static_cast<double>(A.values()[entry]);
      });
    });
    cholmod_sparse lower = lower_half();
    cholmod_l_factorize(&lower, owned_->L, &owned_->common);
    if (owned_->common.status == CHOLMOD_NOT_POSDEF) return FactorResult::not_definite;
    require_success();
    return pivots_are_no_rounding() ? FactorResult::done : FactorResult::not_definite;
  }

  // x = A^-1 b.
  template <class Vector>
  void solve(const Vector& b, Vector& x) {
    for (std::ptrdiff_t i = 0; i < b.nodes(); ++i) {
      const auto node = b.node(i);
      for (int a = 0; a < Dim; ++a) b_[at(i * Dim + a)] = static_cast<double>(node(a));
    }
    cholmod_dense right{};
    right.nrow = right.nzmax = right.d = b_.size();
    right.ncol = 1;
    right.x = b_.data();
    right.xtype = CHOLMOD_REAL;
    right.dtype = CHOLMOD_DOUBLE;
    cholmod_l_solve2(CHOLMOD_A, owned_->L, &right, nullptr, &owned_->x, nullptr, &owned_->y, &owned_->e,
                     &owned_->common);
    require_success();
    const auto* const solution = static_cast<const double*>(owned_->x->x);
    for (std::ptrdiff_t i = 0; i < x.nodes(); ++i) {
      auto node = x.node(i);
      for (int a = 0; a < Dim; ++a) {
        node(a) = static_cast<typename Vector::Scalar>(solution[i * Dim + a]);
      }
    }
  }

 private:
  // The memory that CHOLMOD has allocated, and its settings.
  struct Owned {
    cholmod_common common{};
    cholmod_factor* L = nullptr;
    cholmod_dense* x = nullptr;
    cholmod_dense* y = nullptr;  // scratch memory, as is e
    cholmod_dense* e = nullptr;

    Owned() {
      cholmod_l_start(&common);
      common.supernodal = CHOLMOD_SUPERNODAL;
      common.final_ll = 1;
      common.quick_return_if_not_posdef = 1;
      common.print = 0;
      common.try_catch = 1;  // prints nothing either
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() {
      for (cholmod_dense** dense : {&x, &y, &e}) cholmod_l_free_dense(dense, &common);
      cholmod_l_free_factor(&L, &common);
      cholmod_l_finish(&common);
    }
  };

  static constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

  // Calls run(i, a) for the columns Dim i + a of the lower half.
  template <class Run>
  static void for_each_column(const BlockPattern& pattern, Run&& run) {
    for (int i = 0; i < pattern.rows(); ++i) {
      for (int a = 0; a < Dim; ++a) run(i, a);
    }
  }

  // Calls run(row, index among the values of the matrix) for the entries of such a column, from the diagonal
  // down: the lower half of the diagonal block, which Cholesky reads, and row a of the blocks beside it.
  template <class Run>
  static void for_each_entry(const BlockPattern& pattern, int i, int a, Run&& run) {
    std::ptrdiff_t block = std::ptrdiff_t{pattern.row_begin[at(i)]} * Dim * Dim;
    for (int b = a; b < Dim; ++b) run(std::ptrdiff_t{Dim} * i + b, block + a * Dim + b);
    for (int k = pattern.row_begin[at(i)] + 1; k < pattern.row_begin[at(i) + 1]; ++k) {
      const std::ptrdiff_t row = std::ptrdiff_t{Dim} * pattern.columns[at(k)];
      block += Dim * Dim;
      for (int b = 0; b < Dim; ++b) run(row + b, block + b * Dim + a);
    }
  }

  cholmod_sparse lower_half() {
    cholmod_sparse A{};
    A.nrow = A.ncol = b_.size();
    A.nzmax = rows_.size();
    A.p = column_begin_.data();
    A.i = rows_.data();
    A.x = values_.data();
    A.stype = -1;
    A.itype = CHOLMOD_LONG;
    A.xtype = CHOLMOD_REAL;
    A.dtype = CHOLMOD_DOUBLE;
    A.sorted = A.packed = 1;
    return A;
  }

  // Pivots at the level of rounding are rejected, as in Multifrontal; CHOLMOD accepts every positive one.
  bool pivots_are_no_rounding() const {
    constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();
    const cholmod_factor& L = *owned_->L;
    const auto* const super = static_cast<const std::int64_t*>(L.super);
    const auto* const row_begin = static_cast<const std::int64_t*>(L.pi);
    const auto* const value_begin = static_cast<const std::int64_t*>(L.px);
    const auto* const order = static_cast<const std::int64_t*>(L.Perm);
    const auto* const values = static_cast<const double*>(L.x);
    for (std::size_t s = 0; s < L.nsuper; ++s) {
      const std::int64_t rows = row_begin[s + 1] - row_begin[s];
      for (std::int64_t j = super[s]; j < super[s + 1]; ++j) {
        const double root = values[value_begin[s] + (j - super[s]) * (rows + 1)];
        const double magnitude = std::abs(values_[at(column_begin_[at(order[j])])]);
        if (!(root * root > rounding * magnitude)) return false;
      }
    }
    return true;
  }

  void require_success() const {
    const int status = owned_->common.status;
    if (status == CHOLMOD_OUT_OF_MEMORY) throw std::bad_alloc();
    if (status < 0) throw Error("CHOLMOD fails with status " + std::to_string(status));
  }

  // The lower half of the matrix, column by column, rows ascending.
  std::vector<std::int64_t> column_begin_, rows_;
  std::vector<double> values_;
  std::vector<double> b_;
  std::unique_ptr<Owned> owned_;
};

}  // namespace detail::linear_solver

// Solves by a supernodal factorisation A = L L^T of CHOLMOD (Chen, Davis, Hager, Rajamanickam 2008). Fields
// and reports are those of Cholesky: the factor is in double even if the matrix is in float, the residual is
// that of x itself, and a matrix that is not positive definite up to rounding is `indefinite`.
//
// Dense blocks use BLAS and LAPACK. The linked BLAS determines the speed, the number of threads, and whether
// the last bits depend on that number. Each solve allocates. Throws std::bad_alloc if memory does not
// suffice.
struct Cholmod {
  double tolerance = 1e-6;        // relative to |b|; zero: as far as rounding allows [-]
  double absolute_tolerance = 0;  // [N] if b is a force

  template <class Matrix>
  struct Workspace
      : detail::linear_solver::DirectWorkspace<Matrix, detail::linear_solver::CholmodFactor<Matrix::dim>> {};

  void check() const { detail::linear_solver::require_tolerances("Cholmod", tolerance, absolute_tolerance); }

  template <class Matrix, class W>
  LinearReport solve(const Matrix& A, const typename Matrix::Vector& b, typename Matrix::Vector& x, W& w,
                     double goal = 0, LinearMonitor monitor = {}) const {
    return detail::linear_solver::solve_directly(*this, A, b, x, w, goal, monitor);
  }
};

}  // namespace pliant

#endif
