// The numeric half of a sparse Cholesky factorisation, A = L L^T, front by front.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <pliant/core/parallel.hpp>
#include <pliant/linear_solver/direct/fronts.hpp>
#include <pliant/simd/aligned_vector.hpp>
#include <pliant/simd/lane.hpp>

namespace pliant::detail::linear_solver {

enum class FactorResult { done, not_definite, not_finite };

// The numbers that a factorisation keeps: all of L, for solves, or no front longer than it is used.
enum class FactorKept { all, nothing };

// The multifrontal method of Duff and Reid 1983. All computations are in `Real`, for any scalar of the
// matrix: in double, or in float to halve memory and time. Dense matrices are stored in tiles, [tile of
// rows][column][row of the tile], which products read sequentially.
template <int Dim, Isa isa = PLIANT_NATIVE_ISA, class Real = double>
class Multifrontal {
 public:
  // Sets up for a pattern. Everything is allocated here.
  void analyse(const BlockPattern& pattern) { analyse(Fronts::of(pattern)); }
  void analyse(Fronts fronts, FactorKept kept = FactorKept::all) {
    fronts_ = std::move(fronts);
    lay_out(kept);
  }

  const Fronts& fronts() const { return fronts_; }

  // The memory of the factor and of its updates.
  std::size_t bytes() const {
    return (values_.size() + updates_.size()) * sizeof(Real) +
           fronts_.entries.list.size() * sizeof(Fronts::Entry);
  }

  // L of a matrix with the analysed pattern. Subtrees run in parallel, and so do the rows of the fronts above
  // them; the bits do not depend on the number of threads.
  template <class Matrix>
  FactorResult factorise(const Matrix& A) {
    return factorise(A, [](int) {});
  }

  // Calls use(f) as soon as front f has its columns of L; for fronts of several subtrees in parallel.
  template <class Matrix, class Use>
  FactorResult factorise(const Matrix& A, Use&& use) {
    const auto parts = static_cast<int>(fronts_.parts.size());
    std::array<FactorResult, Fronts::most_parts> results{};
    core::parallel_parts(parts, [&](int part) {
      results[at(part)] = factorise(A, fronts_.parts[at(part)], scratch_[at(part)], use);
    });
    FactorResult result = *std::max_element(results.begin(), results.end());
    if (result == FactorResult::done) result = factorise(A, fronts_.top, scratch_.back(), use);
    return result;
  }

  // An entry of L, 0 <= column <= row counted within a front that is kept or in use; for the diagonal its
  // reciprocal.
  Real entry(int front, std::ptrdiff_t row, std::ptrdiff_t column) const {
    const std::ptrdiff_t n = Dim * fronts_.fronts[at(front)].columns();
    const Store& place = stores_[at(front)];
    const std::ptrdiff_t first =
        row < n ? place.diagonal + triangle_row(row) : place.below + rectangle_row(row - n, n);
    return values_[at(first + column * height)];
  }

  // x = A^-1 b.
  template <class Vector>
  void solve(const Vector& b, Vector& x) {
    const auto count = static_cast<std::ptrdiff_t>(fronts_.order.size());
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      const auto node = b.node(fronts_.order[at(k)]);
      for (int a = 0; a < Dim; ++a) solution_[at(k * Dim + a)] = static_cast<Real>(node(a));
    }
    for (std::size_t f = 0; f < fronts_.fronts.size(); ++f) forward(fronts_.fronts[f], stores_[f]);
    for (std::size_t f = fronts_.fronts.size(); f-- > 0;) backward(fronts_.fronts[f], stores_[f]);
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      auto node = x.node(fronts_.order[at(k)]);
      for (int a = 0; a < Dim; ++a) {
        node(a) = static_cast<typename Vector::Scalar>(solution_[at(k * Dim + a)]);
      }
    }
  }

  // The blocks of A^-1 between some nodes: blocks[i * nodes.size() + j] is that in the rows of the i-th and
  // the columns of the j-th. As A^-1 = L^-T L^-1 they are products of columns of L^-1, which have no entries
  // before the fronts of their nodes. So the cost is least if these nodes are eliminated last.
  template <class Block>
  void inverse_between(const std::vector<int>& nodes, std::vector<Block>& blocks) {
    const auto front_of = [&](int node) {
      const auto next =
          std::upper_bound(fronts_.fronts.begin(), fronts_.fronts.end(), fronts_.position[at(node)],
                           [](int position, const Fronts::Front& front) { return position < front.begin; });
      return static_cast<int>(next - fronts_.fronts.begin()) - 1;
    };
    const auto count = static_cast<std::ptrdiff_t>(nodes.size());
    auto first = static_cast<std::ptrdiff_t>(fronts_.order.size());
    for (const int node : nodes)
      first = std::min<std::ptrdiff_t>(first, fronts_.fronts[at(front_of(node))].begin);
    const auto begin = solution_.begin() + Dim * first;
    const std::ptrdiff_t size = solution_.end() - begin;
    columns_.resize(at(size * Dim * count));
    for (std::ptrdiff_t k = 0; k < Dim * count; ++k) {
      const int node = nodes[at(k / Dim)];
      std::fill(begin, solution_.end(), Real(0));
      solution_[at(std::ptrdiff_t{Dim} * fronts_.position[at(node)] + k % Dim)] = Real(1);
      for (int f = front_of(node); f >= 0; f = fronts_.fronts[at(f)].parent) {
        forward(fronts_.fronts[at(f)], stores_[at(f)]);
      }
      std::copy(begin, solution_.end(), columns_.begin() + k * size);
    }
    using Columns = Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, Dim>>;
    const auto columns = [&](std::ptrdiff_t i) {
      return Columns(columns_.data() + i * Dim * size, size, Dim);
    };
    blocks.resize(at(count * count));
    core::parallel_for(count, 16, [&](std::ptrdiff_t from, std::ptrdiff_t to) {
      for (std::ptrdiff_t i = from; i < to; ++i) {
        for (std::ptrdiff_t j = 0; j <= i; ++j) {
          const Eigen::Matrix<Real, Dim, Dim> product = columns(i).transpose().lazyProduct(columns(j));
          blocks[at(i * count + j)] = product;
          if (i != j) blocks[at(j * count + i)] = product.transpose();
        }
      }
    });
  }

 private:
  static constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

  // Rows of a tile, and columns that a product computes at a time: sums in half of the registers suffice to
  // hide the latency of an addition.
  static constexpr int height = (register_bytes(isa) <= 16 ? 32 : 64) / static_cast<int>(sizeof(Real));
  static constexpr int stripe = register_bytes(isa) == 64 ? 8 : 4;
  static_assert(height % stripe == 0);
  using Tile = Lane<Real, height, isa>;
  // Tiles that are multiplied together: two if 32 registers hold the sums of both.
  static constexpr int tiles_at_once = register_bytes(isa) == 64 ? 2 : 1;

  // The offsets of the numbers of a front.
  struct Store {
    std::ptrdiff_t diagonal;  // n x n, n = Dim columns: lower triangle, with 1 / L_jj on the diagonal
    std::ptrdiff_t below;     // m x n, m = Dim rows below
    std::ptrdiff_t update;    // m x m, lower triangle, in `updates_`
  };

  static std::ptrdiff_t tiles(std::ptrdiff_t rows) { return (rows + height - 1) / height; }
  // A triangle stores tile i up to the column of its last row.
  static std::ptrdiff_t triangle_tile(std::ptrdiff_t i) { return height * height * i * (i + 1) / 2; }
  static std::ptrdiff_t triangle_size(std::ptrdiff_t rows) { return triangle_tile(tiles(rows)); }
  static std::ptrdiff_t rectangle_size(std::ptrdiff_t rows, std::ptrdiff_t columns) {
    return tiles(rows) * height * columns;
  }
  // The entry (r, c) is at this offset plus `height` c.
  static std::ptrdiff_t triangle_row(std::ptrdiff_t r) { return triangle_tile(r / height) + r % height; }
  static std::ptrdiff_t rectangle_row(std::ptrdiff_t r, std::ptrdiff_t columns) {
    return r / height * height * columns + r % height;
  }

  // Allocates the updates. An update lives from its own front until its parent. The updates are on two
  // stacks, for even and odd depths of the tree: the updates of the children are on top of one stack when the
  // update of the parent is pushed onto the other.
  void lay_out(FactorKept kept) {
    const std::size_t count = fronts_.fronts.size();
    stores_.assign(count, {});
    std::vector<char> odd(count, 0);
    for (std::size_t f = count; f-- > 0;) {
      const int parent = fronts_.fronts[f].parent;
      odd[f] = parent >= 0 && odd[at(parent)] == 0;
    }
    std::ptrdiff_t values = 0, updates = 0, most_rows = 0;
    for (std::size_t f = 0; f < count; ++f) {
      const std::ptrdiff_t n = Dim * fronts_.fronts[f].columns(), m = Dim * fronts_.fronts[f].rows_below();
      stores_[f].diagonal = values;
      stores_[f].below = values + triangle_size(n);
      if (kept == FactorKept::all) values += triangle_size(n) + rectangle_size(m, n);
      most_rows = std::max(most_rows, m);
    }
    // Otherwise the fronts of a sequence use the same memory, one after the other.
    const auto share_place = [&](const std::vector<int>& sequence) {
      std::ptrdiff_t most = 0;
      for (const int f : sequence) {
        const std::ptrdiff_t n = Dim * fronts_.fronts[at(f)].columns(),
                             m = Dim * fronts_.fronts[at(f)].rows_below();
        stores_[at(f)].diagonal += values;
        stores_[at(f)].below += values;
        most = std::max(most, triangle_size(n) + rectangle_size(m, n));
      }
      values += most;
    };
    const auto stack = [&](const std::vector<int>& sequence) {
      if (kept == FactorKept::nothing) share_place(sequence);
      std::ptrdiff_t size[2] = {0, 0}, most[2] = {0, 0};
      for (const int f : sequence) {
        const int own = odd[at(f)];
        stores_[at(f)].update = size[own];
        size[own] += triangle_size(Dim * fronts_.fronts[at(f)].rows_below());
        most[own] = std::max(most[own], size[own]);
        for (const int child : fronts_.children[f]) {
          if (fronts_.fronts[at(child)].part != fronts_.fronts[at(f)].part) continue;
          size[1 - own] = std::min(size[1 - own], stores_[at(child)].update);
        }
      }
      for (const int f : sequence) stores_[at(f)].update += updates + (odd[at(f)] != 0 ? most[0] : 0);
      updates += most[0] + most[1];
    };
    for (const auto& part : fronts_.parts) stack(part);
    stack(fronts_.top);
    values_.assign(at(values), 0);
    updates_.assign(at(updates), 0);
    solution_.assign(fronts_.order.size() * Dim, 0);
    gathered_.assign(at(tiles(most_rows) * height), 0);
    magnitude_.assign(fronts_.order.size() * Dim, 0);
    scratch_.assign(fronts_.parts.size() + 1, Scratch(2 * at(most_rows)));
  }

  using Scratch = std::vector<std::ptrdiff_t>;

  template <class Matrix, class Use>
  FactorResult factorise(const Matrix& A, const std::vector<int>& sequence, Scratch& scratch, Use&& use) {
    for (const int f : sequence) {
      gather(A, f);
      for (const int child : fronts_.children[f]) add_update(child, f, scratch);
      const FactorResult result = factorise_front(f);
      if (result != FactorResult::done) return result;
      use(f);
    }
    return FactorResult::done;
  }

  // Copies the entries of the matrix into the front, and sets the update to zero.
  template <class Matrix>
  void gather(const Matrix& A, int f) {
    const Fronts::Front& front = fronts_.fronts[at(f)];
    const std::ptrdiff_t n = Dim * front.columns(), m = Dim * front.rows_below();
    Real* const D = values_.data() + stores_[at(f)].diagonal;
    Real* const B = values_.data() + stores_[at(f)].below;
    Real* const U = updates_.data() + stores_[at(f)].update;
    std::fill(D, D + triangle_size(n), Real(0));
    std::fill(B, B + rectangle_size(m, n), Real(0));
    std::fill(U, U + triangle_size(m), Real(0));
    for (const Fronts::Entry& entry : fronts_.entries[f]) {
      const auto* const block = A.values() + std::ptrdiff_t{entry.slot} * Dim * Dim;
      const bool diagonal = entry.row == entry.column;
      for (int a = 0; a < Dim; ++a) {
        const std::ptrdiff_t r = std::ptrdiff_t{Dim} * entry.row + a;
        Real* const row = r < n ? D + triangle_row(r) : B + rectangle_row(r - n, n);
        for (int b = 0; b < (diagonal ? a + 1 : Dim); ++b) {
          row[(std::ptrdiff_t{Dim} * entry.column + b) * height] =
              static_cast<Real>(block[entry.transposed ? a * Dim + b : b * Dim + a]);
        }
        if (diagonal) {
          magnitude_[at(std::ptrdiff_t{Dim} * front.begin + r)] =
              std::abs(static_cast<Real>(block[a * Dim + a]));
        }
      }
    }
  }

  // Adds the update of a child to a front.
  void add_update(int child, int f, Scratch& scratch) {
    const Fronts::Front& from = fronts_.fronts[at(child)];
    const std::ptrdiff_t n = Dim * fronts_.fronts[at(f)].columns(), m = Dim * from.rows_below();
    const int* const place = fronts_.place_in_parent.data() + from.rows;
    // Offsets of rows of the parent, in its own columns and in its update. `own`: the number of rows of the
    // child that are columns of the parent.
    std::ptrdiff_t* const into_columns = scratch.data();
    std::ptrdiff_t* const into_update = scratch.data() + m;
    std::ptrdiff_t own = 0;
    for (std::ptrdiff_t r = 0; r < m; ++r) {
      const std::ptrdiff_t target = std::ptrdiff_t{Dim} * place[r / Dim] + r % Dim;
      if (target < n) {
        into_columns[r] = stores_[at(f)].diagonal + triangle_row(target);
        ++own;
      } else {
        into_columns[r] = stores_[at(f)].below + rectangle_row(target - n, n);
        into_update[r] = stores_[at(f)].update + triangle_row(target - n);
      }
    }
    const Real* const U = updates_.data() + stores_[at(child)].update;
    for (std::ptrdiff_t tile = 0; tile < m; tile += height) {
      const Real* source = U + triangle_tile(tile / height);
      const std::ptrdiff_t end = std::min(tile + height, m);
      for (std::ptrdiff_t c = 0; c < end; ++c, source += height) {
        const std::ptrdiff_t target = std::ptrdiff_t{Dim} * place[c / Dim] + c % Dim;
        Real* const to = c < own ? values_.data() + target * height : updates_.data() + (target - n) * height;
        const std::ptrdiff_t* const row = c < own ? into_columns : into_update;
        for (std::ptrdiff_t r = std::max(c, tile); r < end; ++r) to[row[r]] += source[r - tile];
      }
    }
  }

  // The Cholesky factor of the columns of a front, the rows below it, and their contribution to the update.
  FactorResult factorise_front(int f) {
    const Fronts::Front& front = fronts_.fronts[at(f)];
    const std::ptrdiff_t n = Dim * front.columns(), m = Dim * front.rows_below();
    Real* const D = values_.data() + stores_[at(f)].diagonal;
    Real* const B = values_.data() + stores_[at(f)].below;
    Real* const U = updates_.data() + stores_[at(f)].update;
    for (std::ptrdiff_t j = 0; j < n; j += stripe) {
      const int columns = columns_from(j, n);
      const std::ptrdiff_t own = j / height;
      const auto tile = [&](std::ptrdiff_t i) { return D + triangle_tile(i); };
      subtract_products(columns, own, tiles(n), tile, D + triangle_row(j), j,
                        [&](std::ptrdiff_t i) { return tile(i) + j * height; });
      Stripe L;
      read_stripe(D, j, columns, L);
      const FactorResult result =
          factorise_stripe(columns, magnitude_.data() + std::ptrdiff_t{Dim} * front.begin + j, L);
      if (result != FactorResult::done) return result;
      for (std::ptrdiff_t i = own + 1; i < tiles(n); ++i) solve_stripe(tile(i) + j * height, columns, L);
      finish_own_tile(tile(own) + j * height, static_cast<int>(j % height), columns, L);
    }
    // Some tiles at a time, which stay in the cache during the products with all stripes.
    const auto below = [&](std::ptrdiff_t i) { return B + i * height * n; };
    for_each_tiles(front, n * n * m, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t j = 0; j < n; j += stripe) {
        const int columns = columns_from(j, n);
        subtract_products(columns, begin, end, below, D + triangle_row(j), j,
                          [&](std::ptrdiff_t i) { return below(i) + j * height; });
        Stripe L;
        read_stripe(D, j, columns, L);
        for (std::ptrdiff_t i = begin; i < end; ++i) solve_stripe(below(i) + j * height, columns, L);
      }
    });
    for_each_tiles(front, n * m * m, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t j = 0; j < std::min(m, end * height); j += stripe) {
        subtract_products(columns_from(j, m), std::max(begin, j / height), end, below,
                          B + rectangle_row(j, n), n,
                          [&](std::ptrdiff_t i) { return U + triangle_tile(i) + j * height; });
      }
    });
    return FactorResult::done;
  }

  static int columns_from(std::ptrdiff_t j, std::ptrdiff_t end) {
    return static_cast<int>(std::min<std::ptrdiff_t>(stripe, end - j));
  }

  // Calls run(begin, end) for ranges of the tiles below a front, which are independent. Above the parts,
  // where one front is factorised at a time, threads share the ranges.
  template <class Run>
  static void for_each_tiles(const Fronts::Front& front, std::ptrdiff_t work, Run&& run) {
    constexpr std::ptrdiff_t worth_threads = 1 << 18;  // multiplications
    constexpr std::ptrdiff_t in_cache = 1 << 19;       // bytes
    const std::ptrdiff_t count = tiles(Dim * front.rows_below());
    const auto size = static_cast<std::ptrdiff_t>(sizeof(Tile)) * Dim * front.columns();
    const std::ptrdiff_t some = std::max<std::ptrdiff_t>(in_cache / size / tiles_at_once, 1) * tiles_at_once;
    const auto run_all = [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i < end; i += some) run(i, std::min(i + some, end));
    };
    if (front.part >= 0 || work < worth_threads) run_all(0, count);
    else core::parallel_for(count, 1, run_all);
  }

  // C(i) -= A(i) R^T for the tiles i in [begin, end), see subtract_product.
  template <class Tiles, class Targets>
  static PLIANT_INLINE void subtract_products(int columns, std::ptrdiff_t begin, std::ptrdiff_t end,
                                              Tiles&& A, const Real* R, std::ptrdiff_t depth, Targets&& C) {
    std::ptrdiff_t i = begin;
    if constexpr (tiles_at_once == 2) {
      for (; columns == stripe && i + 2 <= end; i += 2)
        subtract_two_products(C(i), C(i + 1), A(i), A(i + 1), R, depth);
    }
    for (; i < end; ++i) subtract_product<stripe>(columns, C(i), A(i), R, depth);
  }

  // The products of two tiles at once: each number of R is read once for both.
  static PLIANT_INLINE void subtract_two_products(Real* C, Real* also_C, const Real* A, const Real* also_A,
                                                  const Real* R, std::ptrdiff_t depth) {
    Tile first[stripe], second[stripe];
    PLIANT_UNROLL for (int c = 0; c < stripe; ++c) first[c] = second[c] = Tile(Real(0));
    for (std::ptrdiff_t k = 0; k < depth; ++k, A += height, also_A += height, R += height) {
      const Tile a = load<Tile>(A), also_a = load<Tile>(also_A);
      PLIANT_UNROLL for (int c = 0; c < stripe; ++c) {
        const Tile r(R[c]);
        first[c] = multiply_add(a, r, first[c]);
        second[c] = multiply_add(also_a, r, second[c]);
      }
    }
    PLIANT_UNROLL for (int c = 0; c < stripe; ++c) {
      store(C + c * height, load<Tile>(C + c * height) - first[c]);
      store(also_C + c * height, load<Tile>(also_C + c * height) - second[c]);
    }
  }

  // C -= A R^T, where A is a tile of `depth` columns and R has `columns` rows within one tile.
  template <int Columns>
  static PLIANT_INLINE void subtract_product(int columns, Real* C, const Real* A, const Real* R,
                                             std::ptrdiff_t depth) {
    if constexpr (Columns > 1) {
      if (columns < Columns) return subtract_product<Columns - 1>(columns, C, A, R, depth);
    }
    Tile sums[Columns];
    PLIANT_UNROLL for (int c = 0; c < Columns; ++c) sums[c] = Tile(Real(0));
    for (std::ptrdiff_t k = 0; k < depth; ++k, A += height, R += height) {
      const Tile a = load<Tile>(A);
      PLIANT_UNROLL for (int c = 0; c < Columns; ++c) sums[c] = multiply_add(a, Tile(R[c]), sums[c]);
    }
    PLIANT_UNROLL for (int c = 0; c < Columns; ++c)
        store(C + c * height, load<Tile>(C + c * height) - sums[c]);
  }

  // The diagonal block of a stripe of columns, lower half.
  using Stripe = Real[stripe][stripe];

  static PLIANT_INLINE void read_stripe(const Real* D, std::ptrdiff_t j, int columns, Stripe& L) {
    const Real* const row = D + triangle_row(j) + j * height;
    for (int c = 0; c < columns; ++c) {
      for (int r = c; r < columns; ++r) L[r][c] = row[c * height + r];
    }
  }

  // Its Cholesky factor, with the reciprocals of the diagonal. Pivots at the level of rounding are rejected.
  static FactorResult factorise_stripe(int columns, const Real* magnitude, Stripe& L) {
    constexpr Real rounding = 16 * std::numeric_limits<Real>::epsilon();
    for (int r = 0; r < columns; ++r) {
      for (int c = 0; c < r; ++c) {
        for (int k = 0; k < c; ++k) L[r][c] -= L[r][k] * L[c][k];
        L[r][c] *= L[c][c];
      }
      Real pivot = L[r][r];
      for (int k = 0; k < r; ++k) pivot -= L[r][k] * L[r][k];
      if (!std::isfinite(pivot)) return FactorResult::not_finite;
      if (!(pivot > rounding * magnitude[r])) return FactorResult::not_definite;
      L[r][r] = 1 / std::sqrt(pivot);
    }
    return FactorResult::done;
  }

  // X L^T = C for a tile C, in place.
  static PLIANT_INLINE void solve_stripe(Real* C, int columns, const Stripe& L) {
    for (int c = 0; c < columns; ++c) {
      Tile x = load<Tile>(C + c * height);
      for (int k = 0; k < c; ++k) x -= Tile(L[c][k]) * load<Tile>(C + k * height);
      store(C + c * height, x * Tile(L[c][c]));
    }
  }

  // The same for the tile that contains the diagonal: L itself, the rows below it, and zeros above it.
  static void finish_own_tile(Real* C, int first, int columns, const Stripe& L) {
    solve_stripe(C, columns, L);
    for (int c = 0; c < columns; ++c) {
      for (int r = 0; r < first + c; ++r) C[c * height + r] = 0;
      for (int r = c; r < columns; ++r) C[c * height + first + r] = L[r][c];
    }
  }

  // Solves with L: sets y for the columns of the front, and updates the right-hand side of the rows below.
  void forward(const Fronts::Front& front, const Store& place) {
    const std::ptrdiff_t n = Dim * front.columns(), m = Dim * front.rows_below();
    Real* const y = solution_.data() + std::ptrdiff_t{Dim} * front.begin;
    for (std::ptrdiff_t i = 0; i < tiles(n); ++i) {
      const Real* const tile = values_.data() + place.diagonal + triangle_tile(i);
      const std::ptrdiff_t first = i * height, rows = std::min<std::ptrdiff_t>(height, n - first);
      Real known[height];
      store(known, product(tile, y, first));
      for (std::ptrdiff_t c = 0; c < rows; ++c) {
        const Real* const column = tile + (first + c) * height;
        y[first + c] = (y[first + c] - known[c]) * column[c];
        for (std::ptrdiff_t r = c + 1; r < rows; ++r) known[r] += column[r] * y[first + c];
      }
    }
    for (std::ptrdiff_t i = 0; i < tiles(m); ++i) {
      Real sums[height];
      store(sums, product(values_.data() + place.below + i * height * n, y, n));
      const std::ptrdiff_t first = i * height, rows = std::min<std::ptrdiff_t>(height, m - first);
      for (std::ptrdiff_t r = 0; r < rows; ++r) solution_[unknown(front, first + r)] -= sums[r];
    }
  }

  // Solves with L^T: x for the columns of the front from x for the rows below.
  void backward(const Fronts::Front& front, const Store& place) {
    const std::ptrdiff_t n = Dim * front.columns(), m = Dim * front.rows_below();
    Real* const x = solution_.data() + std::ptrdiff_t{Dim} * front.begin;
    const Real* const D = values_.data() + place.diagonal;
    Real* const known = gathered_.data();
    std::fill(known, known + tiles(m) * height, Real(0));
    for (std::ptrdiff_t r = 0; r < m; ++r) known[r] = solution_[unknown(front, r)];
    subtract_transposed(values_.data() + place.below, n, tiles(m), known, x);
    for (std::ptrdiff_t i = tiles(n) - 1; i >= 0; --i) {
      const Real* const tile = D + triangle_tile(i);
      const std::ptrdiff_t first = i * height, rows = std::min<std::ptrdiff_t>(height, n - first);
      Real solved[height] = {};
      for (std::ptrdiff_t c = rows - 1; c >= 0; --c) {
        const Real* const column = tile + (first + c) * height;
        Real sum = x[first + c];
        for (std::ptrdiff_t r = c + 1; r < rows; ++r) sum -= column[r] * solved[r];
        x[first + c] = solved[c] = sum * column[c];
      }
      subtract_transposed(tile, first, 1, solved, x);
    }
  }

  std::size_t unknown(const Fronts::Front& front, std::ptrdiff_t r) const {
    return at(std::ptrdiff_t{Dim} * fronts_.rows[at(front.rows + r / Dim)] + r % Dim);
  }

  // A tile of `columns` columns times y.
  static PLIANT_INLINE Tile product(const Real* tile, const Real* y, std::ptrdiff_t columns) {
    Tile sums[2] = {Tile(Real(0)), Tile(Real(0))};
    std::ptrdiff_t c = 0;
    for (; c + 2 <= columns; c += 2) {
      sums[0] = multiply_add(load<Tile>(tile + c * height), Tile(y[c]), sums[0]);
      sums[1] = multiply_add(load<Tile>(tile + (c + 1) * height), Tile(y[c + 1]), sums[1]);
    }
    if (c < columns) sums[0] = multiply_add(load<Tile>(tile + c * height), Tile(y[c]), sums[0]);
    return sums[0] + sums[1];
  }

  // x -= A^T known for a matrix of `count` tiles and `columns` columns.
  static void subtract_transposed(const Real* A, std::ptrdiff_t columns, std::ptrdiff_t count,
                                  const Real* known, Real* x) {
    std::ptrdiff_t c = 0;
    for (; c + 4 <= columns; c += 4) {
      Tile sums[4] = {Tile(Real(0)), Tile(Real(0)), Tile(Real(0)), Tile(Real(0))};
      for (std::ptrdiff_t i = 0; i < count; ++i) {
        const Real* const tile = A + (i * columns + c) * height;
        const Tile b = load<Tile>(known + i * height);
        PLIANT_UNROLL for (int k = 0; k < 4; ++k) sums[k] =
            multiply_add(load<Tile>(tile + k * height), b, sums[k]);
      }
      PLIANT_UNROLL for (int k = 0; k < 4; ++k) x[c + k] -= sum(sums[k]);
    }
    for (; c < columns; ++c) {
      Tile total(Real(0));
      for (std::ptrdiff_t i = 0; i < count; ++i) {
        total =
            multiply_add(load<Tile>(A + (i * columns + c) * height), load<Tile>(known + i * height), total);
      }
      x[c] -= sum(total);
    }
  }

  Fronts fronts_;
  std::vector<Store> stores_;
  AlignedVector<Real> values_;     // L
  AlignedVector<Real> updates_;    // of the fronts whose parent has not been factorised
  AlignedVector<Real> magnitude_;  // of the diagonal of A, in the order of elimination
  AlignedVector<Real> solution_;   // in the order of elimination
  AlignedVector<Real> gathered_;   // entries of the solution for the rows below a front
  AlignedVector<Real> columns_;    // of L^-1, see inverse_between
  std::vector<Scratch> scratch_;   // of each part and of the top
};

}  // namespace pliant::detail::linear_solver
