// Symmetric matrices of Dim x Dim blocks, upper half stored.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <vector>

#include <pliant/algebra/node_vector.hpp>
#include <pliant/assembly/ordering.hpp>

namespace pliant {

// Which blocks of the upper half exist. In each row the diagonal comes first and the columns ascend.
struct BlockPattern {
  // A range of rows that one thread multiplies at a time. Ranges are cut by the size of the matrix alone.
  struct Domain {
    int begin, end;             // rows
    int reach;                  // one past the last column of those rows
    std::ptrdiff_t halo_begin;  // where its sums for the rows in [end, reach) start in the halo
  };

  static constexpr int most_domains = 16;

  std::vector<int> row_begin;  // first block of each row, #rows + 1
  std::vector<int> columns;    // column of each block
  std::vector<Domain> domains;
  std::ptrdiff_t halo_size = 0;  // block rows

  std::ptrdiff_t rows() const { return static_cast<std::ptrdiff_t>(row_begin.size()) - 1; }
  std::ptrdiff_t blocks() const { return static_cast<std::ptrdiff_t>(columns.size()); }

  // Number of the block in row i and column j >= i, which must exist.
  int slot(int i, int j) const {
    const auto first = columns.begin() + row_begin[static_cast<std::size_t>(i)];
    const auto last = columns.begin() + row_begin[static_cast<std::size_t>(i) + 1];
    return static_cast<int>(std::lower_bound(first, last, j) - columns.begin());
  }

  // The upper half of the graph of the nodes, diagonal included. `graph` rows must ascend. Throws MeshError
  // where it has more blocks than `most`.
  static BlockPattern from_graph(const Adjacency& graph, std::size_t most = detail::most_entries) {
    BlockPattern pattern;
    const int rows = static_cast<int>(graph.begin.size()) - 1;
    pattern.row_begin.push_back(0);
    for (int i = 0; i < rows; ++i) {
      pattern.columns.push_back(i);
      const auto first = graph.list.begin() + graph.begin[static_cast<std::size_t>(i)];
      const auto last = graph.list.begin() + graph.begin[static_cast<std::size_t>(i) + 1];
      pattern.columns.insert(pattern.columns.end(), std::upper_bound(first, last, i), last);
      pattern.row_begin.push_back(detail::offset_of("blocks of a matrix", pattern.columns.size(),
                                                    static_cast<std::size_t>(i) + 1,
                                                    static_cast<std::size_t>(rows), most));
    }
    pattern.cut_domains();
    return pattern;
  }

 private:
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

// The graph of the nodes of a pattern: the neighbours of each, itself excluded, ascending.
inline Adjacency graph_of(const BlockPattern& pattern) {
  const auto count = static_cast<std::size_t>(pattern.rows());
  detail::offset_of("neighbours", 2 * static_cast<std::size_t>(pattern.blocks() - pattern.rows()), count,
                    count);
  Adjacency graph;
  graph.begin.assign(count + 1, 0);
  const auto for_each_pair = [&](auto&& run) {
    for (std::size_t i = 0; i < count; ++i) {
      for (int k = pattern.row_begin[i] + 1; k < pattern.row_begin[i + 1]; ++k) {
        run(i, static_cast<std::size_t>(pattern.columns[static_cast<std::size_t>(k)]));
      }
    }
  };
  for_each_pair([&](std::size_t i, std::size_t j) { ++graph.begin[i + 1], ++graph.begin[j + 1]; });
  std::partial_sum(graph.begin.begin(), graph.begin.end(), graph.begin.begin());
  graph.list.resize(static_cast<std::size_t>(graph.begin.back()));
  std::vector<int> next(graph.begin.begin(), graph.begin.end() - 1);
  for_each_pair([&](std::size_t i, std::size_t j) {
    graph.list[static_cast<std::size_t>(next[i]++)] = static_cast<int>(j);
    graph.list[static_cast<std::size_t>(next[j]++)] = static_cast<int>(i);
  });
  return graph;
}

namespace detail {

// The second half of a product y = A x: adds to the rows of domain d the sums that the domains before it have
// for them, in their order.
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

}  // namespace detail

// The values on a shared pattern. Each block is column-major.
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
        // Blocks are read in registers that reach past their end, the last one too.
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

  void set_zero() {
    parallel_for(pattern_->blocks() * block_size, 8192, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      std::fill(values() + begin, values() + end, Scalar(0));
    });
  }

  // *this = (1 - part) *this + part other, on the same pattern.
  void blend(Scalar part, const BlockMatrix& other) {
    parallel_for(pattern_->blocks() * block_size, 8192, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t k = begin; k < end; ++k) values()[k] += part * (other.values()[k] - values()[k]);
    });
  }

  // Adds to the diagonal `part` of its mean magnitude, that within the block of each node, since the parts of
  // a body may be of very different stiffness; that of the whole matrix where a block has none.
  void shift_diagonal(Scalar part) {
    double sum = 0;
    for (std::ptrdiff_t i = 0; i < rows(); ++i) sum += static_cast<double>(diagonal_magnitude(i));
    const auto mean = static_cast<Scalar>(sum / static_cast<double>(rows() * Dim));
    for (std::ptrdiff_t i = 0; i < rows(); ++i) {
      const Scalar own = diagonal_magnitude(i) / Dim;
      for (int k = 0; k < Dim; ++k) diagonal(i)(k, k) += part * (own > 0 ? own : mean);
    }
  }

  bool finite() const {
    return std::all_of(values_.begin(), values_.end(), [](Scalar value) { return std::isfinite(value); });
  }

  // y = A x; returns x.y. The bits do not depend on the number of threads. One product at a time per matrix:
  // the sums that cross domains are kept in a buffer of the matrix.
  Scalar multiply(const Vector& x, Vector& y) const {
    const auto& domains = pattern_->domains;
    const int count = static_cast<int>(domains.size());
    parallel_parts(count, [&](int d) { multiply_domain(domains[static_cast<std::size_t>(d)], x, y); });
    parallel_parts(count, [&](int d) { detail::add_halos(*pattern_, d, halo_, y); });
    return x.dot(y);
  }

  // y = |A| |x|, entry by entry: what bounds of norms and of rounding are made of.
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
  using Row = Lane<Scalar, stride, isa>;

  void multiply_domain(const BlockPattern::Domain& domain, const Vector& x, Vector& y) const {
    Scalar* const own = y.data();
    Scalar* const halo = halo_.data();
    const std::ptrdiff_t to_halo = domain.halo_begin - domain.end;
    std::fill(own + std::ptrdiff_t{domain.begin} * stride, own + std::ptrdiff_t{domain.end} * stride,
              Scalar(0));
    std::fill(halo + (to_halo + domain.end) * stride, halo + (to_halo + domain.reach) * stride, Scalar(0));
    const int* const columns = pattern_->columns.data();
    for (int i = domain.begin; i < domain.end; ++i) {
      const Scalar* const x_row = x.data() + std::ptrdiff_t{i} * stride;
      const Row x_i = load<Row>(x_row);
      int k = pattern_->row_begin[static_cast<std::size_t>(i)];
      const int last = pattern_->row_begin[static_cast<std::size_t>(i) + 1];
      Row sum[Dim];
      {
        const Scalar* const A = values() + std::ptrdiff_t{k} * block_size;
        PLIANT_UNROLL for (int c = 0; c < Dim; ++c) sum[c] = load<Row>(A + c * Dim) * Row(x_row[c]);
      }
      for (++k; k < last; ++k) {
        const int j = columns[k];
        const Scalar* const A = values() + std::ptrdiff_t{k} * block_size;
        const Scalar* const x_j = x.data() + std::ptrdiff_t{j} * stride;
        Scalar* const y_j = j < domain.end ? own + std::ptrdiff_t{j} * stride : halo + (to_halo + j) * stride;
        // The padding of x_i is zero, which silences the number of the next column in the last lane.
        Row transposed[stride];
        PLIANT_UNROLL for (int c = 0; c < Dim; ++c) {
          const Row column = load<Row>(A + c * Dim);
          sum[c] = multiply_add(column, Row(x_j[c]), sum[c]);
          transposed[c] = column * x_i;
        }
        if constexpr (stride > Dim) transposed[Dim] = Row(Scalar(0));
        transpose(transposed);
        Row total = load<Row>(y_j);
        PLIANT_UNROLL for (int r = 0; r < Dim; ++r) total += transposed[r];
        store(y_j, total);
      }
      Row total = load<Row>(own + std::ptrdiff_t{i} * stride);
      PLIANT_UNROLL for (int c = 0; c < Dim; ++c) total += sum[c];
      if constexpr (stride > Dim) set_lane(total, Dim, Scalar(0));  // it holds numbers of the next columns
      store(own + std::ptrdiff_t{i} * stride, total);
    }
  }

  std::shared_ptr<const BlockPattern> pattern_;
  AlignedVector<Scalar> values_;
  mutable Vector halo_;
};

// Marks the nodes that A couples to others, by a block beside the diagonal that is not zero. One that is held
// is coupled to none. `coupled` has an entry per node.
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

}  // namespace pliant
