// A copy of a BlockMatrix in the layout with the fastest products, for iterative solvers.
#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include <pliant/assembly/block_matrix.hpp>

namespace pliant::detail::assembly {

// Four rows form a chunk, and the k-th blocks of its rows a group, [group][entry][row], so that lanes run
// over rows: an aligned load reads the same entry of four blocks, and no sum runs across a block. Within a
// domain, rows are sorted by their length. The rows of a chunk then have equal lengths, up to a few whose
// groups are padded with zero blocks, and the number of groups varies little from chunk to chunk, which suits
// branch prediction. This is the sliced ELLPACK format of Kreutzer et al. 2014 (SELL-C-sigma) for the upper
// half of a symmetric matrix. Copying costs about as much as a product.
template <int Dim, class ScalarType, Isa isa = PLIANT_NATIVE_ISA>
class PackedMatrix {
 public:
  using Scalar = ScalarType;
  using Matrix = BlockMatrix<Dim, Scalar, isa>;
  using Vector = NodeVector<Dim, Scalar, isa>;

  // Copies the values of A. Must be called before the first product. Allocates only if the pattern differs
  // from the last one.
  void assign(const Matrix& A) {
    if (pattern_ != A.shared_pattern()) {
      pattern_ = nullptr;  // until the layout is complete, because an allocation may fail
      lay_out(A.pattern());
      pattern_ = A.shared_pattern();
    }
    core::parallel_for(static_cast<std::ptrdiff_t>(chunks_.size()), 128,
                       [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                         for (std::ptrdiff_t c = begin; c < end; ++c)
                           copy_chunk(A, chunks_[static_cast<std::size_t>(c)]);
                       });
    for (std::size_t k = 0; k < pattern_->far_slots.size(); ++k) {
      std::copy_n(A.block(pattern_->far_slots[k]).data(), block_size, far_values_.data() + k * block_size);
    }
  }

  // y = A x; returns x.y. The same bits for any number of threads; one product at a time per matrix.
  Scalar multiply(const Vector& x, Vector& y) const {
    const int count = static_cast<int>(pattern_->domains.size());
    Scalar partial[BlockPattern::most_domains] = {};
    core::parallel_parts(count,
                         [&](int d) { partial[d] = multiply_domain(static_cast<std::size_t>(d), x, y); });
    core::parallel_parts(count, [&](int d) {
      add_halos(*pattern_, d, halo_, y);
      if (!far_values_.empty()) {
        partial[d] += add_far_blocks(
            *pattern_, d, [this](int k) { return far_values_.data() + std::ptrdiff_t{k} * block_size; }, x,
            y);
      }
    });
    Scalar product = 0;
    for (int d = 0; d < count; ++d) product += partial[d];
    return product;
  }

 private:
  static constexpr int stride = node_stride<Dim>;
  static constexpr int block_size = Dim * Dim;
  static constexpr int width = 4;     // rows of a chunk
  static constexpr int window = 128;  // rows that are sorted together, few enough for the cache
  using Quad = Lane<Scalar, width, isa>;
  using Row = Lane<Scalar, stride, isa>;

  struct Chunk {
    int rows[width];  // padded with repetitions of the last row, whose blocks are zero
    int row_count;
    int groups;  // the first group contains the diagonal blocks
    std::ptrdiff_t first_group;
  };

  // Without far blocks.
  static int row_length(const BlockPattern& pattern, int row) {
    return pattern.near_ends()[row] - pattern.row_begin[static_cast<std::size_t>(row)];
  }

  void lay_out(const BlockPattern& pattern) {
    chunks_.clear();
    columns_.clear();
    domain_begin_.clear();
    std::vector<int> rows(static_cast<std::size_t>(pattern.rows()));
    std::iota(rows.begin(), rows.end(), 0);
    for (const auto& domain : pattern.domains) {
      domain_begin_.push_back(chunks_.size());
      for (int first = domain.begin; first < domain.end; first += window) {
        std::stable_sort(rows.begin() + first, rows.begin() + std::min(first + window, domain.end),
                         [&](int a, int b) { return row_length(pattern, a) < row_length(pattern, b); });
      }
      for (int first = domain.begin; first < domain.end; first += width) {
        Chunk chunk{{}, std::min(width, domain.end - first), 0, std::ssize(columns_) / width};
        for (int l = 0; l < width; ++l) {
          chunk.rows[l] = rows[static_cast<std::size_t>(first + std::min(l, chunk.row_count - 1))];
        }
        chunk.groups = row_length(pattern, chunk.rows[width - 1]);
        for (int k = 0; k < chunk.groups; ++k) {
          for (const int row : chunk.rows) {
            const auto slot =
                pattern.row_begin[static_cast<std::size_t>(row)] + std::min(k, row_length(pattern, row) - 1);
            columns_.push_back(pattern.columns[static_cast<std::size_t>(slot)]);
          }
        }
        chunks_.push_back(chunk);
      }
    }
    domain_begin_.push_back(chunks_.size());
    values_.assign(columns_.size() * block_size, Scalar(0));
    // Register loads read past the end.
    far_values_.assign(pattern.far_slots.empty() ? 0 : pattern.far_slots.size() * block_size + stride,
                       Scalar(0));
    halo_.resize(pattern.halo_size);
  }

  void copy_chunk(const Matrix& A, const Chunk& chunk) {
    for (int l = 0; l < chunk.row_count; ++l) {
      const int row = chunk.rows[l];
      const Scalar* source =
          A.values() + std::ptrdiff_t{pattern_->row_begin[static_cast<std::size_t>(row)]} * block_size;
      Scalar* target = values_.data() + chunk.first_group * width * block_size + l;
      for (int k = 0; k < row_length(*pattern_, row) * block_size; ++k) target[k * width] = source[k];
    }
  }

  // Sets y and the halo to the products of the blocks of domain d, and returns their contribution to x.y: by
  // symmetry twice that of the upper half minus that of the diagonal, so that y is not read again.
  Scalar multiply_domain(std::size_t d, const Vector& x, Vector& y) const {
    const BlockPattern::Domain domain = pattern_->domains[d];
    const Scalar* const from = x.data();
    Scalar* const own = y.data();
    const Targets targets{own, halo_.data(), domain.end, domain.halo_begin - domain.end};
    std::fill(own + std::ptrdiff_t{domain.begin} * stride, own + std::ptrdiff_t{domain.end} * stride,
              Scalar(0));
    std::fill(targets.of(domain.end), targets.of(domain.reach), Scalar(0));
    Quad xy(Scalar(0));
    for (std::size_t c = domain_begin_[d]; c < domain_begin_[d + 1]; ++c) {
      const Chunk& chunk = chunks_[c];
      const int groups = chunk.groups;
      const Scalar* A = values_.data() + chunk.first_group * width * block_size;
      const int* columns = columns_.data() + chunk.first_group * width;
      Quad x_i[stride], y_i[stride];
      gather_nodes(from, chunk.rows, x_i);
      PLIANT_UNROLL for (int r = 0; r < stride; ++r) y_i[r] = Quad(Scalar(0));
      PLIANT_UNROLL for (int k = 0; k < block_size; ++k) {
        y_i[k % Dim] = multiply_add(load<Quad>(A + k * width), x_i[k / Dim], y_i[k % Dim]);
      }
      PLIANT_UNROLL for (int r = 0; r < Dim; ++r) xy -= x_i[r] * y_i[r];
      for (int group = 1; group < groups; ++group) {
        A += width * block_size;
        columns += width;
        // y_i += A_ij x_j and y_j += A_ij^T x_i
        Quad x_j[stride], y_j[stride];
        gather_nodes(from, columns, x_j);
        PLIANT_UNROLL for (int r = 0; r < stride; ++r) y_j[r] = Quad(Scalar(0));
        PLIANT_UNROLL for (int k = 0; k < block_size; ++k) {
          const Quad entry = load<Quad>(A + k * width);
          y_i[k % Dim] = multiply_add(entry, x_j[k / Dim], y_i[k % Dim]);
          y_j[k / Dim] = multiply_add(entry, x_i[k % Dim], y_j[k / Dim]);
        }
        add_to_nodes(y_j, columns, targets);
      }
      PLIANT_UNROLL for (int r = 0; r < Dim; ++r) xy = multiply_add(x_i[r] + x_i[r], y_i[r], xy);
      add_to_nodes(y_i, chunk.rows, targets);
    }
    return sum(xy);
  }

  // Four nodes of x, one per lane.
  static PLIANT_INLINE void gather_nodes(const Scalar* x, const int* nodes, Quad (&axes)[stride]) {
    if constexpr (stride == width) {
      PLIANT_UNROLL for (int l = 0; l < width; ++l) axes[l] =
          load<Row>(x + std::ptrdiff_t{nodes[l]} * stride);
      transpose(axes);
    } else {
      PLIANT_UNROLL for (int axis = 0; axis < Dim; ++axis) {
        PLIANT_UNROLL for (int l = 0; l < width; ++l)
            set_lane(axes[axis], l, x[std::ptrdiff_t{nodes[l]} * stride + axis]);
      }
    }
  }

  // The targets of the sums of a domain: its own rows, and for the nodes after them the halo.
  struct Targets {
    Scalar* own;
    Scalar* halo;
    int end;
    std::ptrdiff_t to_halo;  // from the number of a node to its index in the halo

    PLIANT_INLINE Scalar* of(int node) const {
      return node < end ? own + std::ptrdiff_t{node} * stride : halo + (to_halo + node) * stride;
    }
  };

  // Adds each lane to its node, one after the other because nodes may repeat.
  static PLIANT_INLINE void add_to_nodes(Quad (&axes)[stride], const int* nodes, const Targets& targets) {
    if constexpr (stride == width) transpose(axes);
    PLIANT_UNROLL for (int l = 0; l < width; ++l) {
      Scalar* const target = targets.of(nodes[l]);
      if constexpr (stride == width) {
        store(target, load<Row>(target) + axes[l]);
      } else {
        PLIANT_UNROLL for (int axis = 0; axis < Dim; ++axis) target[axis] += lane(axes[axis], l);
      }
    }
  }

  std::shared_ptr<const BlockPattern> pattern_;
  std::vector<Chunk> chunks_;
  std::vector<std::size_t> domain_begin_;  // first chunk of each domain, #domains + 1
  std::vector<int> columns_;               // of each block, [group][row]
  AlignedVector<Scalar> values_;           // [group][entry][row]
  AlignedVector<Scalar> far_values_;       // far blocks, see BlockPattern, column-major
  mutable Vector halo_;                    // sums that cross domains
};

}  // namespace pliant::detail::assembly
