// Incomplete factorisations of a symmetric block matrix, in floats: block IC(0) and block SSOR.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <pliant/algebra/tensor.hpp>
#include <pliant/assembly/block_matrix.hpp>
#include <pliant/linear_solver/preconditioner/block_pairs.hpp>
#include <pliant/linear_solver/preconditioner/sweep_order.hpp>

namespace pliant::detail::linear_solver {

enum class FactorKind {
  incomplete_cholesky,    // no fill-in: U is zero where A is (Meijerink and van der Vorst 1977)
  symmetric_gauss_seidel  // U = A above the diagonal, D that of A: SSOR without relaxation (Axelsson 1972)
};

// (I + U)^T D (I + U), an approximation of A: U is strictly upper triangular and D block diagonal, in the
// order of the sweeps. It is in floats, as are the vectors, because a preconditioner needs few digits and
// floats are read in half the time of doubles.
template <int Dim, Isa isa = PLIANT_NATIVE_ISA>
class IncompleteFactor {
 public:
  static constexpr int stride = node_stride<Dim>;
  using Row = Lane<float, stride, isa>;

  // Sets up for a pattern, with the order of the sweeps for its graph. All memory is allocated here.
  void analyse(const Adjacency& graph, const BlockPattern& pattern, SweepOrder order) {
    order_ = std::move(order);
    const int count = static_cast<int>(order_.node.size());
    upper_begin_.assign(1, 0);
    upper_.clear();
    std::vector<int> row;
    for (int k = 0; k < count; ++k) {
      const int i = order_.node[at(k)];
      row.clear();
      for (const int neighbour : graph[i]) {
        const int j = order_.place[at(neighbour)];
        if (j > k && order_.couples(k, j)) row.push_back(j);
      }
      std::sort(row.begin(), row.end());
      for (const int j : row) {
        const int other = order_.node[at(j)];
        upper_.push_back({j, pattern.slot(std::min(i, other), std::max(i, other)), other < i, 0});
      }
      upper_begin_.push_back(static_cast<int>(upper_.size()));
    }
    lower_.sort(count, [&](auto&& take) {
      for (int k = 0; k < count; ++k) {
        for (int e = upper_begin_[at(k)]; e < upper_begin_[at(k) + 1]; ++e) {
          take(upper_[at(e)].column, Lower{k, e});
        }
      }
    });
    for (std::size_t l = 0; l < lower_.list.size(); ++l) {
      upper_[at(lower_.list[l].upper)].lower = static_cast<int>(l);
    }
    find_products();
    U_.lay_out(
        upper_begin_, [&](int e) { return upper_[at(e)].column; }, true);
    L_.lay_out(
        lower_.begin, [&](int l) { return lower_.list[at(l)].column; }, false);
    // Register loads of blocks read past their end.
    V_.assign(upper_.size() * block_size + stride, 0);
    inverse_.assign(at(count) * block_size + stride, 0);
    for (auto* vector : {&y_, &x_}) vector->assign(at(count) * stride, 0);
  }

  void analyse(const Adjacency& graph, const BlockPattern& pattern) {
    analyse(graph, pattern, SweepOrder::of_graph(graph));
  }

  const SweepOrder& order() const { return order_; }
  int parts() const { return static_cast<int>(order_.parts.size()); }

  // The number of work units (shares) of the early rows: a share is a part, whose two chains a thread
  // processes alternately, or, if there are more threads than parts, one chain.
  int shares() const { return core::present_thread_count() > parts() ? 2 * parts() : parts(); }

  // Factorises scale * A. Returns false if a block of D is not safely positive definite: the factor is then
  // unusable.
  template <class Matrix>
  bool factorise(const Matrix& A, double scale, FactorKind kind) {
    const auto run = [&](auto kind_constant) {
      std::atomic<bool> good = true;
      const auto row = [&](int k, int end) {
        prefetch_row(A, std::min(k + 6, end - 1));
        if (!factorise_row<kind_constant>(A, static_cast<typename Matrix::Scalar>(scale), k)) good = false;
        return good.load(std::memory_order_relaxed);
      };
      const int early = shares();
      core::parallel_parts(early, [&](int s) {
        for_early(s, early, [&](int k, const SweepOrder::Range& chain) { return row(k, chain.end); });
      });
      if (!good) return false;
      core::parallel_parts(parts(), [&](int p) {
        const SweepOrder::Range& late = order_.parts[at(p)].late;
        int k = late.begin;
        while (k < late.end && row(k, late.end)) ++k;
      });
      return good.load();
    };
    using enum FactorKind;
    return kind == incomplete_cholesky ? run(std::integral_constant<FactorKind, incomplete_cholesky>{})
                                       : run(std::integral_constant<FactorKind, symmetric_gauss_seidel>{});
  }

  // The numbers of the factor: the blocks of D^-1, then the blocks of U.
  void save(AlignedVector<float>& numbers) const {
    const auto count = std::ssize(order_.node) * block_size, blocks = std::ssize(upper_);
    numbers.resize(at(count + blocks * block_size));
    std::copy_n(inverse_.begin(), count, numbers.begin());
    for_each_number(
        [&](const float& u, const float&, std::ptrdiff_t place) { numbers[at(count + place)] = u; }, *this);
  }
  // Returns false if their count differs.
  bool restore(const AlignedVector<float>& numbers) {
    const auto count = std::ssize(order_.node) * block_size, blocks = std::ssize(upper_);
    if (std::ssize(numbers) != count + blocks * block_size) return false;
    std::copy_n(numbers.begin(), count, inverse_.begin());
    for_each_number([&](float& u, float& l, std::ptrdiff_t place) { u = l = numbers[at(count + place)]; },
                    *this);
    return true;
  }

  // Computes x = (I + U)^-1 D^-1 (I + U)^-T b in three steps, each for all shares or parts before the next:
  // forward through the early rows of share s of shares(), forward and backward through the late rows of part
  // p, backward through the early rows. `b(i)` returns the right-hand side at node i.
  template <class RightSide>
  void forward_early(int s, int shares, RightSide&& b) {
    for_early(s, shares, [&](int k, const SweepOrder::Range&) {
      forward(k, b);
      return true;
    });
  }
  template <class RightSide>
  void through_late(int p, RightSide&& b) {
    const SweepOrder::Range& late = order_.parts[at(p)].late;
    for (int k = late.begin; k < late.end; ++k) forward(k, b);
    for (int k = late.end - 1; k >= late.begin; --k) backward(k);
  }
  void backward_early(int s, int shares) {
    for_early(s, shares, [&](int k, const SweepOrder::Range& chain) {
      backward(chain.begin + chain.end - 1 - k);
      return true;
    });
  }

  // x at node i.
  PLIANT_INLINE Row at_node(int i) const {
    return load<Row>(x_.data() + std::ptrdiff_t{order_.place[at(i)]} * stride);
  }

 private:
  static constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }
  static constexpr int block_size = Dim * Dim;
  using Blocks = BlockPairs<Dim, isa>;

  struct Upper {
    int column;
    int slot;  // index of the block of the matrix
    bool transposed;
    int lower;  // the same block in the lower half
  };
  struct Lower {
    int column;
    int upper;
  };
  // A term that row i < k subtracts from the block (k, m): L_ki V_im.
  struct Product {
    int lower, upper;
  };

  // Calls run(number of U, the same number of L, its index) for all numbers.
  template <class Run, class Self>
  static void for_each_number(Run&& run, Self& self) {
    for (std::size_t e = 0; e < self.upper_.size(); ++e) {
      auto* const u = self.U_.block(static_cast<int>(e));
      auto* const l = self.L_.block(self.upper_[e].lower);
      for (int c = 0; c < Dim; ++c) {
        for (int r = 0; r < Dim; ++r) {
          run(u[c * Blocks::column_step + r], l[r * Blocks::column_step + c],
              static_cast<std::ptrdiff_t>(e) * block_size + c * Dim + r);
        }
      }
    }
  }

  // Calls run(k, chain) for the early rows of a share until it returns false, alternating between two chains.
  template <class Run>
  void for_early(int s, int shares, Run&& run) const {
    constexpr SweepOrder::Range nothing{0, 0};
    const bool whole = shares == parts();
    const auto& chains = order_.parts[at(whole ? s : s / 2)].chains;
    const SweepOrder::Range first = whole ? chains[0] : chains[at(s % 2)],
                            second = whole ? chains[1] : nothing;
    int i = first.begin, j = second.begin;
    for (; i < first.end && j < second.end; ++i, ++j) {
      if (!run(i, first) || !run(j, second)) return;
    }
    while (i < first.end && run(i, first)) ++i;
    while (j < second.end && run(j, second)) ++j;
  }

  void find_products() {
    const int count = static_cast<int>(order_.node.size());
    std::vector<int> found;  // the block (k, m), for the current k
    products_.sort(std::ssize(upper_), [&](auto&& take) {
      found.assign(order_.node.size(), -1);
      for (int k = 0; k < count; ++k) {
        for (int e = upper_begin_[at(k)]; e < upper_begin_[at(k) + 1]; ++e)
          found[at(upper_[at(e)].column)] = e;
        for (int l = lower_.begin[at(k)]; l < lower_.begin[at(k) + 1]; ++l) {
          const int i = lower_.list[at(l)].column;
          for (int e = lower_.list[at(l)].upper + 1; e < upper_begin_[at(i) + 1]; ++e) {
            const int target = found[at(upper_[at(e)].column)];
            if (target >= upper_begin_[at(k)]) take(target, Product{l, e});
          }
        }
      }
    });
  }

  // The rows are not in the order of the matrix, so that its blocks are read from scattered addresses.
  template <class Matrix>
  PLIANT_INLINE void prefetch_row(const Matrix& A, int k) const {
    for (int e = upper_begin_[at(k)]; e < upper_begin_[at(k) + 1]; ++e)
      prefetch(A.block(upper_[at(e)].slot).data(), block_size);
  }

  template <FactorKind kind, class Matrix>
  bool factorise_row(const Matrix& A, typename Matrix::Scalar scale, int k) {
    Row C[stride];
    read(A, A.pattern().row_begin[at(order_.node[at(k)])], false, scale, C);
    if constexpr (kind == FactorKind::incomplete_cholesky) {
      for (int l = lower_.begin[at(k)]; l < lower_.begin[at(k) + 1]; ++l) {
        subtract(l, lower_.list[at(l)].upper, C);
      }
    }
    Row inverse_columns[Dim];
    if (!invert(C, kind == FactorKind::symmetric_gauss_seidel, inverse_columns)) return false;
    write(inverse_columns, inverse_.data() + std::ptrdiff_t{k} * block_size);
    for (int e = upper_begin_[at(k)]; e < upper_begin_[at(k) + 1]; ++e) {
      const Upper& entry = upper_[at(e)];
      read(A, entry.slot, entry.transposed, scale, C);
      if constexpr (kind == FactorKind::incomplete_cholesky) {
        for (const Product& term : products_[e]) subtract(term.lower, term.upper, C);
        write(C, V_.data() + std::ptrdiff_t{e} * block_size);
      }
      Row scaled[stride];
      PLIANT_UNROLL for (int c = 0; c < Dim; ++c) scaled[c] = product(inverse_columns, C[c]);
      write(scaled, U_.block(e), Blocks::column_step);
      if constexpr (stride > Dim) scaled[Dim] = Row(0);
      transpose(scaled);
      write(scaled, L_.block(entry.lower), Blocks::column_step);
    }
    return true;
  }

  // The columns of a block of scale * A.
  template <class Matrix>
  static PLIANT_INLINE void read(const Matrix& A, int slot, bool transposed, typename Matrix::Scalar scale,
                                 Row (&columns)[stride]) {
    using Wide = Lane<typename Matrix::Scalar, stride, isa>;
    const auto* const block = A.values() + std::ptrdiff_t{slot} * block_size;
    const Wide factor(scale);
    PLIANT_UNROLL for (int c = 0; c < Dim; ++c) columns[c] =
        convert<Row>(factor * load<Wide>(block + c * Dim));
    if (!transposed) return;
    if constexpr (stride > Dim) columns[Dim] = Row(0);
    transpose(columns);
  }

  static PLIANT_INLINE void write(const Row* columns, float* block, int step = Dim) {
    PLIANT_UNROLL for (int c = 0; c < Dim; ++c) {
      PLIANT_UNROLL for (int r = 0; r < Dim; ++r) block[c * step + r] = columns[c][r];
    }
  }

  // C -= L_l V_e
  PLIANT_INLINE void subtract(int l, int e, Row* C) const {
    const float* const left = L_.block(l);
    const float* const right = V_.data() + std::ptrdiff_t{e} * block_size;
    PLIANT_UNROLL for (int r = 0; r < Dim; ++r) {
      // The last column is loaded without the number after it, which another thread may be writing.
      Row column(0);
      if (r + 1 < Dim) column = load<Row>(left + r * Blocks::column_step);
      else PLIANT_UNROLL for (int i = 0; i < Dim; ++i) set_lane(column, i, left[r * Blocks::column_step + i]);
      PLIANT_UNROLL for (int c = 0; c < Dim; ++c) C[c] = multiply_add(-column, Row(right[c * Dim + r]), C[c]);
    }
  }

  static PLIANT_INLINE Row product(const Row* columns, const Row& b) {
    Row sum = columns[0] * Row(b[0]);
    PLIANT_UNROLL for (int c = 1; c < Dim; ++c) sum = multiply_add(columns[c], Row(b[c]), sum);
    return sum;
  }

  // The inverse of a block of D. If the block is not positive definite with some margin, returns false, or,
  // if `diagonal_will_do` and the diagonal is positive, sets the inverse of the diagonal.
  static bool invert(const Row* columns, bool diagonal_will_do, Row* inverse_columns) {
    constexpr double margin = 1e-4;  // of the smallest pivot, relative to the trace
    // In double the product of three floats neither overflows nor underflows.
    SmallMatrix<double, Dim, Dim> block;
    PLIANT_UNROLL for (int c = 0; c < Dim; ++c) {
      PLIANT_UNROLL for (int r = 0; r <= c; ++r) block(r, c) = block(c, r) =
          (double{columns[c][r]} + double{columns[r][c]}) / 2;
    }
    const double size = trace(block), least = margin * size;
    if (!(size > 0 && std::isfinite(size))) return false;
    SmallMatrix<double, Dim, Dim> inverted = cofactor<double, Dim>(block);
    const double J = determinant<double, Dim>(block, inverted);
    bool definite = block(0, 0) > least;
    if constexpr (Dim == 2) definite = definite && J > least * least;
    else definite = definite && inverted(2, 2) > least * least && J > least * least * least;
    if (definite) {
      inverted *= 1 / J;
    } else {
      if (!diagonal_will_do) return false;
      for (int c = 0; c < Dim; ++c) {
        if (!(block(c, c) > 0)) return false;
        for (int r = 0; r < Dim; ++r) inverted(r, c) = r == c ? 1 / block(c, c) : 0;
      }
    }
    PLIANT_UNROLL for (int c = 0; c < Dim; ++c) {
      inverse_columns[c] = Row(0);
      PLIANT_UNROLL for (int r = 0; r < Dim; ++r)
          set_lane(inverse_columns[c], r, static_cast<float>(inverted(r, c)));
    }
    return true;
  }

  float* x(int k) { return x_.data() + std::ptrdiff_t{k} * stride; }
  float* y(int k) { return y_.data() + std::ptrdiff_t{k} * stride; }

  // Row k of y = (I + U)^-T b and of x = D^-1 y.
  template <class RightSide>
  PLIANT_INLINE void forward(int k, RightSide&& b) {
    const Row y_k = b(order_.node[at(k)]) - L_.times(k, y_.data());
    store(y(k), y_k);
    const float* const D = inverse_.data() + std::ptrdiff_t{k} * block_size;
    Row scaled = load<Row>(D) * Row(y_k[0]);
    PLIANT_UNROLL for (int c = 1; c < Dim; ++c) scaled =
        multiply_add(load<Row>(D + c * Dim), Row(y_k[c]), scaled);
    store(x(k), scaled);
  }

  // Row k of x = (I + U)^-1 x.
  PLIANT_INLINE void backward(int k) { store(x(k), load<Row>(x(k)) - U_.times(k, x_.data())); }

  SweepOrder order_;
  std::vector<int> upper_begin_;            // first block of each row, #rows + 1
  std::vector<Upper> upper_;                // columns ascend in each row
  core::CompressedRows<Lower> lower_;       // of each row
  core::CompressedRows<Product> products_;  // of each upper block
  Blocks U_;
  Blocks L_;                      // U^T: a second copy, because sweeps are fastest by rows
  AlignedVector<float> V_;        // D U, during factorisation; blocks are column-major
  AlignedVector<float> inverse_;  // D^-1
  AlignedVector<float> y_, x_;    // by permuted index
};

}  // namespace pliant::detail::linear_solver
