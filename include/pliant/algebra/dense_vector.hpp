// Numbers for each node of a small system, in a plain vector of Eigen.
#pragma once

#include <cstddef>
#include <utility>

#include <pliant/algebra/matrix.hpp>
#include <pliant/core/error.hpp>

namespace pliant {

// Dim numbers per node, one node after the other, without padding. A SystemVector (assembly/concept.hpp).
template <int Dim, class ScalarType = double>
class DenseVector {
 public:
  using Scalar = ScalarType;
  using Block = Scalar;  // the unit of its loops
  using Values = Eigen::Matrix<Scalar, Eigen::Dynamic, 1, Eigen::DontAlign>;
  static constexpr int dim = Dim;

  DenseVector() = default;
  explicit DenseVector(std::ptrdiff_t nodes) { resize(nodes); }

  // From Dim x #nodes numbers. Throws SizeError if their count is no multiple of Dim.
  explicit DenseVector(Values values) : values_(std::move(values)) {
    detail::core::require_size("DenseVector", ": numbers", values_.size(), nodes() * Dim);
  }

  // Sets all entries to zero.
  void resize(std::ptrdiff_t nodes) { values_.setZero(nodes * Dim); }

  std::ptrdiff_t nodes() const { return values_.size() / Dim; }
  Values& values() { return values_; }
  const Values& values() const { return values_; }

  Eigen::Map<SmallVector<Scalar, Dim>> node(std::ptrdiff_t i) {
    return Eigen::Map<SmallVector<Scalar, Dim>>(values_.data() + i * Dim);
  }
  Eigen::Map<const SmallVector<Scalar, Dim>> node(std::ptrdiff_t i) const {
    return Eigen::Map<const SmallVector<Scalar, Dim>>(values_.data() + i * Dim);
  }

  // Operations entry by entry.
  template <class Run>
  void for_each_block(Run&& run) const {
    for (std::ptrdiff_t i = 0; i < values_.size(); ++i) run(i);
  }
  template <class Run>
  Scalar sum_blocks(Run&& run) const {
    Scalar total = 0;
    for (std::ptrdiff_t i = 0; i < values_.size(); ++i) total += run(i);
    return total;
  }
  Scalar block(std::ptrdiff_t i) const { return values_[i]; }
  void set_block(std::ptrdiff_t i, Scalar value) { values_[i] = value; }

  void set_zero() { values_.setZero(); }
  void add(Scalar factor, const DenseVector& x) { values_ += factor * x.values_; }
  void set_sum(const DenseVector& a, Scalar factor, const DenseVector& b) {
    values_ = a.values_ + factor * b.values_;
  }
  Scalar dot(const DenseVector& other) const { return values_.dot(other.values_); }
  Scalar norm() const { return values_.stableNorm(); }
  bool finite() const { return values_.allFinite(); }

 private:
  Values values_;
};

}  // namespace pliant
