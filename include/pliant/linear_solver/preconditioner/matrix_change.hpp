// How much a matrix has changed, for the price of a product.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <utility>

#include <pliant/assembly/block_matrix.hpp>

namespace pliant {

// Compares matrices of one pattern by what they make of a vector of random signs: the square of a number of
// (A - B) v is on average the sum of the squares in its row of A - B (Hutchinson 1990).
template <class Matrix>
class MatrixChange {
 public:
  // What is known of a matrix.
  struct Sample {
    typename Matrix::Vector product;  // with the signs
    AlignedVector<typename Matrix::Scalar> traces;
  };

  // Sets up for matrices of `rows` rows of blocks, none of which is known yet. Everything is allocated here.
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

  // By how much the rows of A differ from those of the matrix that was remembered, each row relative to its
  // diagonal block in the one or the other, whichever is smaller; the root of the mean square over the rows.
  // Infinite where no matrix was remembered; not a number, or infinite, where A is not finite.
  double measure(const Matrix& A) {
    A.multiply(signs_, last_.product);
    const double total = parallel_sum<double>(A.rows(), 1024, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      double squares = 0;
      for (std::ptrdiff_t i = begin; i < end; ++i) {
        Scalar& trace_i = last_.traces[static_cast<std::size_t>(i)];
        trace_i = A.diagonal(i).trace();
        const Scalar size = std::min(trace_i, remembered_.traces[static_cast<std::size_t>(i)]);
        // Divided first: squares of small numbers vanish.
        const auto change = (last_.product.row(i) - remembered_.product.row(i)) / Row(size);
        squares += static_cast<double>(sum(change * change));
      }
      return squares;
    });
    return remembers_ ? std::sqrt(total / static_cast<double>(A.rows()))
                      : std::numeric_limits<double>::infinity();
  }

  // Remembers the matrix that was measured last.
  void remember() {
    std::swap(last_, remembered_);
    remembers_ = true;
  }

  void forget() { remembers_ = false; }

  // Whether a matrix is remembered, and what is known of it. What another MatrixChange of as many rows has
  // remembered can take its place.
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

}  // namespace pliant
