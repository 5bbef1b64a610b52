// Symmetric matrices of Dim x Dim blocks, with the upper half stored.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include <pliant/algebra/node_vector.hpp>
#include <pliant/assembly/ordering.hpp>

namespace pliant {

// Two nodes that a matrix couples although they share no element, for example by a contact or a joint.
struct NodePair {
  int a, b;

  bool operator==(const NodePair&) const = default;
  auto operator<=>(const NodePair&) const = default;
};

// The blocks of the upper half. In each row the diagonal comes first and the columns ascend.
struct BlockPattern {
  // A range of rows that one thread multiplies at a time. The cuts depend on the size of the matrix alone.
  struct Domain {
    int begin, end;             // rows
    int reach;                  // one past the last column of those rows
    std::ptrdiff_t halo_begin;  // start in the halo of its sums for the rows in [end, reach)
  };

  // A far block, beyond the reach of its domain, as an entry of the row of one of its two nodes.
  struct FarBlock {
    int number;       // index of the far block
    int column;       // the other node
    bool transposed;  // whether the row is that of the lower half
  };

  static constexpr int most_domains = 16;

  std::vector<int> row_begin;  // first block of each row, #rows + 1
  std::vector<int> columns;    // column of each block
  std::vector<Domain> domains;
  std::ptrdiff_t halo_size = 0;  // block rows

  // The pattern of the elements, if this one also has pairs, see with_pairs.
  std::shared_ptr<const BlockPattern> without_pairs;
  // Far blocks come last in their row. A halo that contained them would be about as long as the matrix:
  // instead they are multiplied row by row, in both halves, after the halos have been added.
  std::vector<int> near_end;                         // first far block of each row; empty if there are none
  std::vector<int> far_slots;                        // of each far block
  detail::core::CompressedRows<FarBlock> far_block;  // of each row of the whole matrix, ascending

  std::ptrdiff_t rows() const { return static_cast<std::ptrdiff_t>(row_begin.size()) - 1; }
  std::ptrdiff_t blocks() const { return static_cast<std::ptrdiff_t>(columns.size()); }

  // Index of the block in row i and column j >= i, which must exist.
  int slot(int i, int j) const {
    const auto first = columns.begin() + row_begin[static_cast<std::size_t>(i)];
    const auto last = columns.begin() + row_begin[static_cast<std::size_t>(i) + 1];
    return static_cast<int>(std::lower_bound(first, last, j) - columns.begin());
  }

  // Whether this block exists.
  bool has(int i, int j) const {
    const int k = slot(i, j);
    return k < row_begin[static_cast<std::size_t>(i) + 1] && columns[static_cast<std::size_t>(k)] == j;
  }

  // One past the last near block of each row.
  const int* near_ends() const { return far_slots.empty() ? row_begin.data() + 1 : near_end.data(); }

  // The pattern of the elements alone.
  const BlockPattern& of_elements() const { return without_pairs ? *without_pairs : *this; }

  // The upper half of the graph of the nodes, including the diagonal. `graph` rows must ascend. Throws
  // MeshError if it has more blocks than `most`.
  static BlockPattern from_graph(const Adjacency& graph, std::size_t most = detail::assembly::most_entries) {
    BlockPattern pattern;
    const int rows = static_cast<int>(graph.rows());
    pattern.row_begin.push_back(0);
    for (int i = 0; i < rows; ++i) {
      pattern.columns.push_back(i);
      const auto row = graph[i];
      pattern.columns.insert(pattern.columns.end(), std::upper_bound(row.begin(), row.end(), i), row.end());
      pattern.row_begin.push_back(detail::assembly::offset_of("blocks of a matrix", pattern.columns.size(),
                                                              static_cast<std::size_t>(i) + 1,
                                                              static_cast<std::size_t>(rows), most));
    }
    pattern.cut_domains();
    return pattern;
  }

  // The blocks of the elements and of pairs of nodes, a < b, which ascend and share no element. Domains are
  // those of the elements, so that these blocks are multiplied in the same order. Throws MeshError if it has
  // more blocks than `most`.
  static BlockPattern with_pairs(std::shared_ptr<const BlockPattern> elements,
                                 const std::vector<NodePair>& pairs,
                                 std::size_t most = detail::assembly::most_entries) {
    BlockPattern pattern;
    pattern.domains = elements->domains;
    pattern.halo_size = elements->halo_size;
    const auto rows = static_cast<std::size_t>(elements->rows());
    pattern.columns.reserve(elements->columns.size() + pairs.size());
    pattern.row_begin.reserve(rows + 1);
    pattern.row_begin.push_back(0);
    std::vector<int> of_row;
    auto pair = pairs.begin();
    for (std::size_t i = 0; i < rows; ++i) {
      of_row.clear();
      for (; pair != pairs.end() && pair->a == static_cast<int>(i); ++pair) of_row.push_back(pair->b);
      const auto first = elements->columns.begin();
      std::merge(first + elements->row_begin[i], first + elements->row_begin[i + 1], of_row.begin(),
                 of_row.end(), std::back_inserter(pattern.columns));
      pattern.row_begin.push_back(
          detail::assembly::offset_of("blocks of a matrix", pattern.columns.size(), i + 1, rows, most));
    }
    pattern.find_far_blocks();
    pattern.without_pairs = std::move(elements);
    return pattern;
  }

 private:
  void find_far_blocks() {
    near_end.assign(row_begin.begin() + 1, row_begin.end());
    for (const Domain& domain : domains) {
      for (int i = domain.begin; i < domain.end; ++i) {
        int& end = near_end[static_cast<std::size_t>(i)];
        while (columns[static_cast<std::size_t>(end) - 1] >= domain.reach) --end;
        for (int k = end; k < row_begin[static_cast<std::size_t>(i) + 1]; ++k) far_slots.push_back(k);
      }
    }
    far_block.sort(rows(), [this](auto&& take) {
      int number = 0;
      for (int i = 0; i < static_cast<int>(rows()); ++i) {
        for (; number < std::ssize(far_slots) &&
               far_slots[static_cast<std::size_t>(number)] < row_begin[static_cast<std::size_t>(i) + 1];
             ++number) {
          const int j = columns[static_cast<std::size_t>(far_slots[static_cast<std::size_t>(number)])];
          take(i, FarBlock{number, j, false});
          take(j, FarBlock{number, i, true});
        }
      }
    });
  }

  void cut_domains() {
    constexpr int smallest = 1024;  // rows per domain
    const int count = static_cast<int>(std::clamp<std::ptrdiff_t>(rows() / smallest, 1, most_domains));
    int begin = 0;
    for (int d = 0; d < count; ++d) {
      const auto target = static_cast<int>(blocks() * (d + 1) / count);
      const int end = d + 1 == count
                          ? static_cast<int>(rows())
                          : static_cast<int>(std::lower_bound(row_begin.begin(), row_begin.end(), target) -
                                             row_begin.begin());
      int reach = end;
      for (int k = row_begin[static_cast<std::size_t>(begin)]; k < row_begin[static_cast<std::size_t>(end)];
           ++k) {
        reach = std::max(reach, columns[static_cast<std::size_t>(k)] + 1);
      }
      domains.push_back({begin, end, reach, halo_size});
      halo_size += reach - end;
      begin = end;
    }
  }
};

// The graph of the nodes of a pattern: the ascending neighbours of each node, without itself.
inline Adjacency graph_of(const BlockPattern& pattern) {
  const auto count = static_cast<std::size_t>(pattern.rows());
  detail::assembly::offset_of("neighbours", 2 * static_cast<std::size_t>(pattern.blocks() - pattern.rows()),
                              count, count);
  Adjacency graph;
  graph.sort(pattern.rows(), [&](auto&& take) {
    for (std::size_t i = 0; i < count; ++i) {
      for (int k = pattern.row_begin[i] + 1; k < pattern.row_begin[i + 1]; ++k) {
        const int j = pattern.columns[static_cast<std::size_t>(k)];
        take(static_cast<int>(i), j);
        take(j, static_cast<int>(i));
      }
    }
  });
  return graph;
}

namespace detail::assembly {

// The second part of a product y = A x: adds the halos of earlier domains to the rows of domain d, in their
// order.
template <int Dim, class Scalar, Isa isa>
void add_halos(const BlockPattern& pattern, int d, const NodeVector<Dim, Scalar, isa>& halo,
               NodeVector<Dim, Scalar, isa>& y) {
  const BlockPattern::Domain& domain = pattern.domains[static_cast<std::size_t>(d)];
  for (int e = 0; e < d; ++e) {
    const BlockPattern::Domain& before = pattern.domains[static_cast<std::size_t>(e)];
    const std::ptrdiff_t to_halo = before.halo_begin - before.end;
    const int begin = std::max(domain.begin, before.end), end = std::min(domain.end, before.reach);
    for (std::ptrdiff_t i = begin; i < end; ++i) y.set_row(i, y.row(i) + halo.row(to_halo + i));
  }
}

// The last part: adds the products of the far blocks to the rows of domain d; block(k) points to the numbers
// of far block k. Returns their contribution to x.y.
template <int Dim, class Scalar, Isa isa, class Block>
Scalar add_far_blocks(const BlockPattern& pattern, int d, Block&& block,
                      const NodeVector<Dim, Scalar, isa>& x, NodeVector<Dim, Scalar, isa>& y) {
  using Row = typename NodeVector<Dim, Scalar, isa>::Row;
  constexpr int stride = node_stride<Dim>;
  const BlockPattern::Domain& domain = pattern.domains[static_cast<std::size_t>(d)];
  Row product(Scalar(0));
  for (int i = domain.begin; i < domain.end; ++i) {
    const auto blocks = pattern.far_block[i];
    if (blocks.empty()) continue;
    Row total(Scalar(0));
    for (const BlockPattern::FarBlock& far : blocks) {
      const Scalar* const A = block(far.number);
      Row columns[stride];
      PLIANT_UNROLL for (int c = 0; c < Dim; ++c) columns[c] = load<Row>(A + c * Dim);
      if (far.transposed) {
        if constexpr (stride > Dim) columns[Dim] = Row(Scalar(0));
        transpose(columns);
      }
      const Scalar* const x_j = x.data() + std::ptrdiff_t{far.column} * stride;
      PLIANT_UNROLL for (int c = 0; c < Dim; ++c) total = multiply_add(columns[c], Row(x_j[c]), total);
    }
    if constexpr (stride > Dim) set_lane(total, Dim, Scalar(0));  // it contains numbers of the next columns
    y.set_row(i, y.row(i) + total);
    product = multiply_add(x.row(i), total, product);
  }
  return sum(product);
}

}  // namespace detail::assembly

// The values for a shared pattern. Each block is column-major.
template <int Dim, class ScalarType, Isa isa = PLIANT_NATIVE_ISA>
class BlockMatrix {
 public:
  using Scalar = ScalarType;
  using Vector = NodeVector<Dim, Scalar, isa>;
  using Block = SmallMatrix<Scalar, Dim, Dim>;
  static constexpr int dim = Dim;
  static constexpr Isa instruction_set = isa;
  static constexpr int block_size = Dim * Dim;

  BlockMatrix() = default;
  explicit BlockMatrix(std::shared_ptr<const BlockPattern> pattern)
      : pattern_(std::move(pattern)),
        // Register loads of blocks read past their end, also for the last block.
        values_(static_cast<std::size_t>(pattern_->blocks()) * block_size + 8, Scalar(0)),
        halo_(pattern_->halo_size) {}

  const BlockPattern& pattern() const { return *pattern_; }
  const std::shared_ptr<const BlockPattern>& shared_pattern() const { return pattern_; }
  std::ptrdiff_t rows() const { return pattern_->rows(); }
  Scalar* values() { return values_.data(); }
  const Scalar* values() const { return values_.data(); }

  Eigen::Map<Block> block(std::ptrdiff_t slot) { return Eigen::Map<Block>(values() + slot * block_size); }
  Eigen::Map<const Block> block(std::ptrdiff_t slot) const {
    return Eigen::Map<const Block>(values() + slot * block_size);
  }
  Eigen::Map<const Block> diagonal(std::ptrdiff_t row) const {
    return block(pattern_->row_begin[static_cast<std::size_t>(row)]);
  }
  Eigen::Map<Block> diagonal(std::ptrdiff_t row) {
    return block(pattern_->row_begin[static_cast<std::size_t>(row)]);
  }

  // Whether there is a block of the nodes i and j.
  bool has(int i, int j) const { return pattern_->has(std::min(i, j), std::max(i, j)); }

  // Adds to the block of the nodes i and j, in the rows of i, which must exist, and thereby to its transpose.
  void add(int i, int j, const Block& value) {
    const int slot = pattern_->slot(std::min(i, j), std::max(i, j));
    if (i <= j) block(slot) += value;
    else block(slot) += value.transpose();
  }

  void set_zero() {
    detail::core::parallel_for(pattern_->blocks() * block_size, 8192,
                               [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                                 std::fill(values() + begin, values() + end, Scalar(0));
                               });
  }

  // *this = (1 - part) *this + part other, on the same pattern.
  void blend(Scalar part, const BlockMatrix& other) {
    detail::core::parallel_for(pattern_->blocks() * block_size, 8192,
                               [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                                 for (std::ptrdiff_t k = begin; k < end; ++k)
                                   values()[k] += part * (other.values()[k] - values()[k]);
                               });
  }

  // Increases the diagonal by `part` of its mean magnitude within the block of each node, because the parts
  // of a body may differ in stiffness; by that of the whole matrix if a block is zero.
  void shift_diagonal(Scalar part) {
    double sum = 0;
    for (std::ptrdiff_t i = 0; i < rows(); ++i) sum += static_cast<double>(diagonal_magnitude(i));
    const auto mean = static_cast<Scalar>(sum / static_cast<double>(rows() * Dim));
    for (std::ptrdiff_t i = 0; i < rows(); ++i) {
      const Scalar own = diagonal_magnitude(i) / Dim;
      for (int k = 0; k < Dim; ++k) diagonal(i)(k, k) += part * (own > 0 ? own : mean);
    }
  }

  // Replaces every entry by its absolute value.
  void take_magnitudes() {
    detail::core::parallel_for(pattern_->blocks() * block_size, 8192,
                               [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                                 for (std::ptrdiff_t k = begin; k < end; ++k)
                                   values()[k] = std::abs(values()[k]);
                               });
  }

  bool finite() const {
    return std::all_of(values_.begin(), values_.end(), [](Scalar value) { return std::isfinite(value); });
  }

  // y = A x; returns x.y. The bits do not depend on the number of threads. Only one product at a time per
  // matrix: the sums across domains are in a buffer of the matrix.
  Scalar multiply(const Vector& x, Vector& y) const {
    const auto& domains = pattern_->domains;
    const int count = static_cast<int>(domains.size());
    detail::core::parallel_parts(count,
                                 [&](int d) { multiply_domain(domains[static_cast<std::size_t>(d)], x, y); });
    detail::core::parallel_parts(count, [&](int d) {
      detail::assembly::add_halos(*pattern_, d, halo_, y);
      if (!pattern_->far_slots.empty()) {
        detail::assembly::add_far_blocks(
            *pattern_, d,
            [this](int k) {
              return values() + std::ptrdiff_t{pattern_->far_slots[static_cast<std::size_t>(k)]} * block_size;
            },
            x, y);
      }
    });
    return x.dot(y);
  }

  // y = |A| |x|, entry by entry, for bounds of norms and of rounding errors.
  void multiply_magnitudes(const Vector& x, Vector& y) const {
    y.set_zero();
    for (std::ptrdiff_t i = 0; i < rows(); ++i) {
      for (int k = pattern_->row_begin[static_cast<std::size_t>(i)];
           k < pattern_->row_begin[static_cast<std::size_t>(i) + 1]; ++k) {
        const std::ptrdiff_t j = pattern_->columns[static_cast<std::size_t>(k)];
        for (int entry = 0; entry < block_size; ++entry) {
          const Scalar size = std::abs(values()[std::ptrdiff_t{k} * block_size + entry]);
          const std::ptrdiff_t row = i * stride + entry % Dim, column = j * stride + entry / Dim;
          y.data()[row] += size * std::abs(x.data()[column]);
          if (i != j) y.data()[column] += size * std::abs(x.data()[row]);
        }
      }
    }
  }

 private:
  Scalar diagonal_magnitude(std::ptrdiff_t i) const {
    Scalar sum = 0;
    for (int k = 0; k < Dim; ++k) sum += std::abs(diagonal(i)(k, k));
    return sum;
  }

  static constexpr int stride = node_stride<Dim>;
  using Row = simd::Lane<Scalar, stride, isa>;

  void multiply_domain(const BlockPattern::Domain& domain, const Vector& x, Vector& y) const {
    Scalar* const own = y.data();
    Scalar* const halo = halo_.data();
    const std::ptrdiff_t to_halo = domain.halo_begin - domain.end;
    std::fill(own + std::ptrdiff_t{domain.begin} * stride, own + std::ptrdiff_t{domain.end} * stride,
              Scalar(0));
    std::fill(halo + (to_halo + domain.end) * stride, halo + (to_halo + domain.reach) * stride, Scalar(0));
    const int* const columns = pattern_->columns.data();
    const int* const near_ends = pattern_->near_ends();
    for (int i = domain.begin; i < domain.end; ++i) {
      const Scalar* const x_row = x.data() + std::ptrdiff_t{i} * stride;
      const Row x_i = simd::load<Row>(x_row);
      int k = pattern_->row_begin[static_cast<std::size_t>(i)];
      const int last = near_ends[i];
      Row sum[Dim];
      {
        const Scalar* const A = values() + std::ptrdiff_t{k} * block_size;
        PLIANT_UNROLL for (int c = 0; c < Dim; ++c) sum[c] = simd::load<Row>(A + c * Dim) * Row(x_row[c]);
      }
      for (++k; k < last; ++k) {
        const int j = columns[k];
        const Scalar* const A = values() + std::ptrdiff_t{k} * block_size;
        const Scalar* const x_j = x.data() + std::ptrdiff_t{j} * stride;
        Scalar* const y_j = j < domain.end ? own + std::ptrdiff_t{j} * stride : halo + (to_halo + j) * stride;
        // The padding of x_i is zero, so that the number of the next column in the last lane has no effect.
        Row transposed[stride];
        PLIANT_UNROLL for (int c = 0; c < Dim; ++c) {
          const Row column = simd::load<Row>(A + c * Dim);
          sum[c] = simd::multiply_add(column, Row(x_j[c]), sum[c]);
          transposed[c] = column * x_i;
        }
        if constexpr (stride > Dim) transposed[Dim] = Row(Scalar(0));
        simd::transpose(transposed);
        Row total = simd::load<Row>(y_j);
        PLIANT_UNROLL for (int r = 0; r < Dim; ++r) total += transposed[r];
        simd::store(y_j, total);
      }
      Row total = simd::load<Row>(own + std::ptrdiff_t{i} * stride);
      PLIANT_UNROLL for (int c = 0; c < Dim; ++c) total += sum[c];
      if constexpr (stride > Dim)
        simd::set_lane(total, Dim, Scalar(0));  // it contains numbers of the next columns
      simd::store(own + std::ptrdiff_t{i} * stride, total);
    }
  }

  std::shared_ptr<const BlockPattern> pattern_;
  simd::AlignedVector<Scalar> values_;
  mutable Vector halo_;
};

namespace detail::assembly {

// Marks the nodes that A couples to others, by a nonzero off-diagonal block. A held node is not coupled.
// `coupled` has an entry per node.
template <class Matrix>
void mark_coupled_nodes(const Matrix& A, std::vector<char>& coupled) {
  const BlockPattern& pattern = A.pattern();
  std::fill(coupled.begin(), coupled.end(), char{0});
  for (std::size_t i = 0; i < coupled.size(); ++i) {
    for (int k = pattern.row_begin[i] + 1; k < pattern.row_begin[i + 1]; ++k) {
      char& other = coupled[static_cast<std::size_t>(pattern.columns[static_cast<std::size_t>(k)])];
      if (coupled[i] != 0 && other != 0) continue;
      const auto* const block = A.values() + std::ptrdiff_t{k} * Matrix::block_size;
      if (std::any_of(block, block + Matrix::block_size, [](auto value) { return value != 0; })) {
        coupled[i] = other = 1;
      }
    }
  }
}

}  // namespace detail::assembly

}  // namespace pliant
