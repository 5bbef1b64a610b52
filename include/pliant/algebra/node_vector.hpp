// The vectors of solvers and integrators: Dim numbers per node, padded such that a node is one SIMD register.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include <pliant/algebra/matrix.hpp>
#include <pliant/core/parallel.hpp>
#include <pliant/simd/aligned_vector.hpp>
#include <pliant/simd/lane.hpp>

namespace pliant {

// Numbers from one node to the next: 4 in 3D, of which the fourth is padding and stays zero, and 2 in 2D.
template <int Dim>
inline constexpr int node_stride = Dim == 3 ? 4 : Dim;

// Sums over such vectors are the same to the last bit for any number of threads.
template <int Dim, class ScalarType, Isa isa = PLIANT_NATIVE_ISA>
class NodeVector {
 public:
  using Scalar = ScalarType;
  using Block = simd::Lane<Scalar, 8, isa>;  // numbers of one iteration of the loops below
  static constexpr int dim = Dim;
  static constexpr int stride = node_stride<Dim>;
  using Row = simd::Lane<Scalar, stride, isa>;  // the numbers of a node
  static constexpr std::ptrdiff_t grain =
      4096;  // least numbers per chunk, so that loops over small vectors are serial

  NodeVector() = default;
  explicit NodeVector(std::ptrdiff_t nodes) { resize(nodes); }

  // All entries become zero. If the allocation fails, nothing changes.
  void resize(std::ptrdiff_t nodes) {
    values_.assign(static_cast<std::size_t>((nodes * stride + 7) / 8 * 8), Scalar(0));
    nodes_ = nodes;
  }

  std::ptrdiff_t nodes() const { return nodes_; }
  Scalar* data() { return values_.data(); }
  const Scalar* data() const { return values_.data(); }

  Eigen::Map<SmallVector<Scalar, Dim>> node(std::ptrdiff_t i) {
    return Eigen::Map<SmallVector<Scalar, Dim>>(data() + i * stride);
  }
  Eigen::Map<const SmallVector<Scalar, Dim>> node(std::ptrdiff_t i) const {
    return Eigen::Map<const SmallVector<Scalar, Dim>>(data() + i * stride);
  }

  void set_zero() {
    detail::core::parallel_for(size(), grain, [this](std::ptrdiff_t begin, std::ptrdiff_t end) {
      std::fill(data() + begin, data() + end, Scalar(0));
    });
  }

  PLIANT_INLINE Row row(std::ptrdiff_t i) const { return simd::load<Row>(data() + i * stride); }
  PLIANT_INLINE void set_row(std::ptrdiff_t i, const Row& value) { simd::store(data() + i * stride, value); }

  // Entries as lanes: run(i) is called for every multiple i of 8.
  template <class Run>
  void for_each_block(Run&& run) const {
    detail::core::parallel_for(size(), grain, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i < end; i += 8) run(i);
    });
  }

  // The sum over all entries of run(i), a Block, over every multiple i of 8.
  template <class Run>
  Scalar sum_blocks(Run&& run) const {
    return detail::core::parallel_sum<Scalar>(size(), grain, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      Block total(Scalar(0));
      for (std::ptrdiff_t i = begin; i < end; i += 8) total += run(i);
      return simd::sum(total);
    });
  }

  PLIANT_INLINE Block block(std::ptrdiff_t i) const { return simd::load<Block>(data() + i); }
  PLIANT_INLINE void set_block(std::ptrdiff_t i, const Block& value) { simd::store(data() + i, value); }

  // *this += factor * x
  void add(Scalar factor, const NodeVector& x) {
    for_each_block(
        [&](std::ptrdiff_t i) { set_block(i, simd::multiply_add(Block(factor), x.block(i), block(i))); });
  }

  // *this = a + factor * b
  void set_sum(const NodeVector& a, Scalar factor, const NodeVector& b) {
    for_each_block(
        [&](std::ptrdiff_t i) { set_block(i, simd::multiply_add(Block(factor), b.block(i), a.block(i))); });
  }

  Scalar dot(const NodeVector& other) const {
    return sum_blocks([&](std::ptrdiff_t i) { return block(i) * other.block(i); });
  }

  // If the sum of squares overflows (entries beyond 1e19 in float), the entries are scaled.
  Scalar norm() const {
    const Scalar square = dot(*this);
    const Scalar size = std::isinf(square) ? largest() : Scalar(1);
    if (!std::isinf(square) || std::isinf(size)) return std::sqrt(square);
    const Block scale(1 / size);
    return size * std::sqrt(sum_blocks([&](std::ptrdiff_t i) {
             const Block scaled = scale * block(i);
             return scaled * scaled;
           }));
  }

  // The largest absolute entry; NaN if any entry is NaN.
  Scalar largest() const {
    Scalar result = 0;
    for (const Scalar value : values_) {
      if (!(std::abs(value) <= result)) result = std::abs(value);
      if (result != result) break;
    }
    return result;
  }

  bool finite() const {  // x * 0 is NaN exactly if x is not finite
    return sum_blocks([&](std::ptrdiff_t i) { return block(i) * Block(Scalar(0)); }) == Scalar(0);
  }

 private:
  std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(values_.size()); }

  simd::AlignedVector<Scalar> values_;  // copied first, so that a failed allocation changes nothing
  std::ptrdiff_t nodes_ = 0;
};

}  // namespace pliant
