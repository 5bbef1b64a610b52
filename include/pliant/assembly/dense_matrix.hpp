// The matrix of a small system, in a plain matrix of Eigen.
#pragma once

#include <cstddef>

#include <pliant/algebra/dense_vector.hpp>

namespace pliant {

// Symmetric, with a Dim x Dim block for each pair of nodes, both halves. A SystemMatrix
// (assembly/concept.hpp).
template <int Dim, class ScalarType = double>
class DenseMatrix {
 public:
  using Scalar = ScalarType;
  using Vector = DenseVector<Dim, Scalar>;
  using Values = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::DontAlign>;
  static constexpr int dim = Dim;

  DenseMatrix() = default;
  explicit DenseMatrix(std::ptrdiff_t nodes) : values_(Values::Zero(nodes * Dim, nodes * Dim)) {}

  std::ptrdiff_t rows() const { return values_.rows() / Dim; }  // nodes
  Values& values() { return values_; }
  const Values& values() const { return values_; }

  // The block of the nodes i and j.
  auto block(std::ptrdiff_t i, std::ptrdiff_t j) {
    return values_.template block<Dim, Dim>(i * Dim, j * Dim);
  }
  auto block(std::ptrdiff_t i, std::ptrdiff_t j) const {
    return values_.template block<Dim, Dim>(i * Dim, j * Dim);
  }
  bool has(int, int) const { return true; }

  // Adds to the block (i, j) and the transpose of `value` to the block (j, i).
  template <class Derived>
  void add(int i, int j, const Eigen::MatrixBase<Derived>& value) {
    block(i, j) += value;
    if (i != j) block(j, i) += value.transpose();
  }

  auto diagonal(std::ptrdiff_t i) { return block(i, i); }
  auto diagonal(std::ptrdiff_t i) const { return block(i, i); }

  void set_zero() { values_.setZero(); }
  void blend(Scalar part, const DenseMatrix& other) { values_ += part * (other.values_ - values_); }
  void shift_diagonal(Scalar part) {
    const Scalar mean = values_.diagonal().cwiseAbs().mean();
    values_.diagonal().array() += part * mean;
  }
  void take_magnitudes() { values_ = values_.cwiseAbs(); }
  bool finite() const { return values_.allFinite(); }

  // y = A x; returns x.y.
  Scalar multiply(const Vector& x, Vector& y) const {
    y.values().noalias() = values_ * x.values();
    return x.dot(y);
  }

  // y = |A| |x|, entry by entry.
  void multiply_magnitudes(const Vector& x, Vector& y) const {
    y.values().noalias() = values_.cwiseAbs() * x.values().cwiseAbs();
  }

 private:
  Values values_;
};

}  // namespace pliant
