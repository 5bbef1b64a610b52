// Measures the change of a matrix, at the cost of a product.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <utility>

#include <pliant/assembly/block_matrix.hpp>

namespace pliant::detail::linear_solver {

// Compares matrices with the same pattern by their products with a vector v of random signs: the expected
// square of an entry of (A - B) v is the sum of squares in its row of A - B (Hutchinson 1990).
template <class Matrix>
class MatrixChange {
 public:
  // The data of a matrix.
  struct Sample {
    typename Matrix::Vector product;  // with the vector of signs
    AlignedVector<typename Matrix::Scalar> traces;
  };

  // Sets up for matrices of `rows` block rows, and forgets earlier ones. All memory is allocated here.
  void analyse(std::ptrdiff_t rows) {
    signs_.resize(rows);
    std::minstd_rand random;
    for (std::ptrdiff_t i = 0; i < rows; ++i) {
      for (int axis = 0; axis < Matrix::dim; ++axis) signs_.node(i)(axis) = random() % 2 == 0 ? 1 : -1;
    }
    for (Sample* sample : {&last_, &remembered_}) {
      sample->product.resize(rows);
      sample->traces.assign(static_cast<std::size_t>(rows), 0);
    }
    remembers_ = false;
  }

  // The change of the rows of A against those of the remembered matrix, each row relative to the smaller of
  // the traces of its two diagonal blocks: the root of the mean square over the rows. Infinite if no matrix
  // is remembered; NaN or infinite if A is not finite.
  double measure(const Matrix& A) {
    A.multiply(signs_, last_.product);
    const double total =
        core::parallel_sum<double>(A.rows(), 1024, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
          double squares = 0;
          for (std::ptrdiff_t i = begin; i < end; ++i) {
            Scalar& trace_i = last_.traces[static_cast<std::size_t>(i)];
            trace_i = A.diagonal(i).trace();
            const Scalar size = std::min(trace_i, remembered_.traces[static_cast<std::size_t>(i)]);
            // Divided first, because squares of small numbers underflow.
            const auto change = (last_.product.row(i) - remembered_.product.row(i)) / Row(size);
            squares += static_cast<double>(sum(change * change));
          }
          return squares;
        });
    return remembers_ ? std::sqrt(total / static_cast<double>(A.rows()))
                      : std::numeric_limits<double>::infinity();
  }

  // Remembers the last measured matrix.
  void remember() {
    std::swap(last_, remembered_);
    remembers_ = true;
  }

  void forget() { remembers_ = false; }

  // Whether a matrix is remembered, and its data, which may be replaced by those of another MatrixChange with
  // the same number of rows.
  bool remembers() const { return remembers_; }
  const Sample& remembered() const { return remembered_; }
  void remember(Sample&& sample) {
    remembered_ = std::move(sample);
    remembers_ = true;
  }

 private:
  using Scalar = typename Matrix::Scalar;
  using Vector = typename Matrix::Vector;
  using Row = typename Vector::Row;

  Vector signs_;
  Sample last_, remembered_;
  bool remembers_ = false;
};

}  // namespace pliant::detail::linear_solver
