// Orthonormal vectors, appended one by one.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include <pliant/algebra/matrix.hpp>
#include <pliant/algebra/tensor.hpp>

namespace pliant::detail::algebra {

// At most Dim orthonormal vectors (Gram-Schmidt).
template <int Dim>
class OrthonormalBasis {
 public:
  using Vector = SmallVector<double, Dim>;

  auto begin() const { return vectors_.begin(); }
  auto end() const { return vectors_.begin() + static_cast<std::ptrdiff_t>(count_); }
  const Vector& operator[](int k) const { return vectors_[static_cast<std::size_t>(k)]; }

  // Appends the normalised component of `unit` orthogonal to the basis. Returns false if that component is
  // not longer than `least`, or if the basis is complete.
  bool extend(const Vector& unit, double least) {
    Vector rest = orthogonal_part<Dim>(unit, *this);
    const double length = std::sqrt(dot<double, Dim>(rest, rest));
    if (!(length > least) || count_ == vectors_.size()) return false;
    for (int axis = 0; axis < Dim; ++axis) rest[axis] /= length;
    vectors_[count_++] = orthogonal_part<Dim>(rest, *this);
    return true;
  }

  // Appends coordinate axes until the basis spans the space: some axis always has a component orthogonal to
  // the basis that is longer than 0.5, because the squares of these components sum to at least 1.
  void complete() {
    for (int axis = 0; axis < Dim && count_ < vectors_.size(); ++axis) {
      Vector unit = Vector::Zero();
      unit[axis] = 1;
      extend(unit, 0.5);
    }
  }

 private:
  std::array<Vector, std::size_t{Dim}> vectors_;
  std::size_t count_ = 0;
};

}  // namespace pliant::detail::algebra
