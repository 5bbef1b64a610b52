// The blocks of a triangular matrix in the layout that sweeps read fastest.
#pragma once

#include <cstddef>
#include <vector>

#include <pliant/algebra/node_vector.hpp>
#include <pliant/simd/aligned_vector.hpp>

namespace pliant::detail::linear_solver {

// Rows of dim x dim blocks in pairs: [pair][column][block of the pair][row], so that one load reads the same
// column of two blocks. A row with an odd number of blocks is padded with a zero block.
template <int Dim, Isa isa = PLIANT_NATIVE_ISA>
class BlockPairs {
 public:
  static constexpr int stride = node_stride<Dim>;
  using Row = Lane<float, stride, isa>;

  // The distance between the columns of a block, in numbers.
  static constexpr int column_step = 2 * Dim;

  // Allocates rows whose blocks are numbered row after row from `row_begin`; `column(e)` is the index in a
  // vector of the factor of block e. If `backward`, each row is stored from its last block to its first: in a
  // sweep the last block of a row is then multiplied by the most recent result.
  template <class Column>
  void lay_out(const std::vector<int>& row_begin, Column&& column, bool backward) {
    pair_begin_.assign(1, 0);
    from_.clear();
    place_.resize(static_cast<std::size_t>(row_begin.back()));
    for (std::size_t k = 0; k + 1 < row_begin.size(); ++k) {
      for (int i = row_begin[k]; i < row_begin[k + 1]; ++i) {
        const int e = backward ? row_begin[k] + row_begin[k + 1] - 1 - i : i;
        const std::size_t position = from_.size();
        place_[static_cast<std::size_t>(e)] = position / 2 * pair_size + position % 2 * Dim;
        from_.push_back(column(e) * stride);
      }
      if (from_.size() % 2 != 0) from_.push_back(from_.back());
      pair_begin_.push_back(static_cast<int>(from_.size() / 2));
    }
    // Register loads read past the end.
    values_.assign(from_.size() / 2 * pair_size + 2 * stride, 0);
  }

  // Block e: its columns are column_step apart.
  float* block(int e) { return values_.data() + place_[static_cast<std::size_t>(e)]; }
  const float* block(int e) const { return values_.data() + place_[static_cast<std::size_t>(e)]; }

  // The sum over the blocks of row k times their parts of x: `stride` numbers, of which the one beyond Dim
  // has no meaning.
  PLIANT_INLINE Row times(int k, const float* x) const {
    const int begin = pair_begin_[static_cast<std::size_t>(k)];
    const int end = pair_begin_[static_cast<std::size_t>(k) + 1];
    const float* columns = values_.data() + static_cast<std::size_t>(begin) * pair_size;
    const int* from = from_.data() + 2 * static_cast<std::size_t>(begin);
    Sum sums[Dim];
    PLIANT_UNROLL for (Sum& sum : sums) sum = Sum(0);
    for (int p = begin; p < end; ++p, columns += pair_size, from += 2)
      add_pair(columns, x + from[0], x + from[1], sums);
    PLIANT_UNROLL for (int c = 1; c < Dim; ++c) sums[0] += sums[c];
    return folded(sums[0]);
  }

 private:
  static constexpr std::size_t pair_size = 2 * Dim * Dim;

  // True if a row of four fits one register and a pair of rows another: then both blocks are multiplied at
  // once, with the sums of the second block Dim lanes after those of the first. Otherwise blocks are
  // multiplied one by one.
  static constexpr bool at_once =
      Row::register_size == 4 && Lane<float, 2 * stride, isa>::register_size == 2 * stride;
  using Sum = Lane<float, at_once ? 2 * stride : stride, isa>;

  static PLIANT_INLINE void add_pair(const float* columns, const float* a, const float* b, Sum (&sums)[Dim]) {
#if defined(__GNUC__)
    if constexpr (at_once) {
      const auto both =
          __builtin_shufflevector(load<Row>(a).part[0], load<Row>(b).part[0], 0, 1, 2, 3, 4, 5, 6, 7);
      Sum entry;
      entry.part[0] = __builtin_shufflevector(both, both, 0, 0, 0, 4, 4, 4, 0, 0);
      sums[0] = multiply_add(load<Sum>(columns), entry, sums[0]);
      entry.part[0] = __builtin_shufflevector(both, both, 1, 1, 1, 5, 5, 5, 1, 1);
      sums[1] = multiply_add(load<Sum>(columns + column_step), entry, sums[1]);
      entry.part[0] = __builtin_shufflevector(both, both, 2, 2, 2, 6, 6, 6, 2, 2);
      sums[2] = multiply_add(load<Sum>(columns + 2 * column_step), entry, sums[2]);
      return;
    }
#endif
    if constexpr (!at_once) {
      for (const float* const x : {a, b}) {
        PLIANT_UNROLL for (int c = 0; c < Dim; ++c) sums[c] =
            multiply_add(load<Sum>(columns + c * column_step), Sum(x[c]), sums[c]);
        columns += Dim;
      }
    }
  }

  static PLIANT_INLINE Row folded(const Sum& sum) {
#if defined(__GNUC__)
    if constexpr (at_once) {
      Row low, high;
      low.part[0] = __builtin_shufflevector(sum.part[0], sum.part[0], 0, 1, 2, 3);
      high.part[0] = __builtin_shufflevector(sum.part[0], sum.part[0], 3, 4, 5, 6);
      return low + high;
    }
#endif
    if constexpr (!at_once) return sum;
  }

  std::vector<int> pair_begin_;     // first pair of each row, #rows + 1
  std::vector<int> from_;           // of each block: index in the vector, times stride
  std::vector<std::size_t> place_;  // of each block: index of its first number
  AlignedVector<float> values_;
};

}  // namespace pliant::detail::linear_solver
