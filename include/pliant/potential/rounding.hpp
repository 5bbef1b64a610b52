// The rounding errors of the forces and energies of a body.
#pragma once

#include <cmath>
#include <limits>

#include <pliant/assembly/block_matrix.hpp>

namespace pliant::detail::potential {

// The relative error of positions is an epsilon of their distance from the origin. The error of the forces is
// the stiffness times that; the error of energies is the work of the forces over it, plus an epsilon of the
// terms that cancel within psi. Neither can be minimised below this level.
class Rounding {
 public:
  // From the stiffness K at the positions x, where the elastic forces have the norm `force` [N]; a and b are
  // scratch vectors. With the positions r relative to the first node, r.K r is twice the energy of inflating
  // the body to double its size, which is the size of the terms that cancel in psi near rest.
  template <class Matrix, class Vector>
  void estimate(const Matrix& K, const Vector& x, double force, Vector& a, Vector& b) {
    using Scalar = typename Vector::Scalar;
    epsilon_ = std::numeric_limits<Scalar>::epsilon();
    const auto first = x.node(0);
    double squares = 0;
    for (std::ptrdiff_t i = 0; i < K.rows(); ++i) {
      const double node_force =
          static_cast<double>(K.diagonal(i).trace()) / Matrix::dim * static_cast<double>(x.node(i).norm());
      squares += node_force * node_force;
      a.node(i) = x.node(i) - first;
    }
    position_force_ = std::sqrt(squares);
    position_work_ = std::abs(static_cast<double>(K.multiply(a, b))) + force * static_cast<double>(x.norm());
  }

  // The error of a gradient [N].
  double of_forces() const { return 4 * epsilon_ * position_force_; }

  // The error of a value that is a sum of terms of this size [J].
  double of_values(double terms) const { return 8 * epsilon_ * (terms + position_work_); }

 private:
  double epsilon_ = 0;
  double position_force_ = 0;  // stiffness times distance from the origin [N]
  double position_work_ = 0;   // [J]
};

}  // namespace pliant::detail::potential
