// Shared code of the checkers of energies: random deformation gradients, and matrices as text.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <sstream>
#include <string>

#include <Eigen/Core>

#include <pliant/algebra/matrix.hpp>

namespace pliant::detail::testing {

// Infinity if an entry is not finite.
inline double largest_or_infinity(const Eigen::MatrixXd& A) {
  return A.allFinite() ? A.cwiseAbs().maxCoeff() : std::numeric_limits<double>::infinity();
}

inline std::string in_one_line(const Eigen::MatrixXd& A) {
  std::ostringstream text;
  text.precision(4);
  text << A.format(Eigen::IOFormat(4, Eigen::DontAlignCols, " ", "; ", "", "", "[", "]"));
  return text.str();
}

// Text on the entry in which two matrices differ most, and on whether one is a multiple of the other.
inline std::string compared(const char* name, const Eigen::MatrixXd& given, const char* truth_name,
                            const Eigen::MatrixXd& truth) {
  Eigen::Index row = 0, column = 0;
  (given - truth).cwiseAbs().maxCoeff(&row, &column);
  std::ostringstream text;
  text.precision(6);
  text << name << '(' << row << ", " << column << ") = " << given(row, column) << ", " << truth_name
       << " gives " << truth(row, column);
  const double ratio = given.cwiseProduct(truth).sum() / truth.squaredNorm();
  const bool significant =
      largest_or_infinity(truth) > 1e-6 * largest_or_infinity(given) && std::abs(ratio - 1) > 1e-4;
  if (significant && largest_or_infinity(given - ratio * truth) <= 1e-5 * largest_or_infinity(given)) {
    text << "; it is " << ratio << " times that everywhere";
  }
  return text.str();
}

template <int Dim>
using DoubleMatrix = SmallMatrix<double, Dim, Dim>;

class RandomDeformations {
 public:
  explicit RandomDeformations(unsigned seed) : engine_(seed) {}

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }

  template <int Dim>
  DoubleMatrix<Dim> matrix() {
    DoubleMatrix<Dim> A;
    for (int k = 0; k < Dim * Dim; ++k) A.data()[k] = uniform(-1, 1);
    return A;
  }

  // A product of one rotation in each coordinate plane.
  template <int Dim>
  DoubleMatrix<Dim> rotation() {
    DoubleMatrix<Dim> Q = DoubleMatrix<Dim>::Identity();
    for (int j = 1; j < Dim; ++j) {
      for (int i = 0; i < j; ++i) {
        const double angle = uniform(0, 6.28), c = std::cos(angle), s = std::sin(angle);
        DoubleMatrix<Dim> plane = DoubleMatrix<Dim>::Identity();
        plane(i, i) = plane(j, j) = c;
        plane(i, j) = -s;
        plane(j, i) = s;
        Q = (Q * plane).eval();
      }
    }
    return Q;
  }

 private:
  std::mt19937 engine_;
};

}  // namespace pliant::detail::testing
