// Axis-aligned boxes.
#pragma once

#include <algorithm>
#include <cmath>

#include <pliant/algebra/matrix.hpp>
#include <pliant/simd/register.hpp>

namespace pliant {

// All x with lower <= x <= upper [m]; the bounds may be infinite. Empty by default: lower > upper.
template <int Dim>
struct AxisAlignedBox {
  SmallVector<double, Dim> lower = SmallVector<double, Dim>::Constant(HUGE_VAL);
  SmallVector<double, Dim> upper = SmallVector<double, Dim>::Constant(-HUGE_VAL);

  SmallVector<double, Dim> lengths() const { return upper - lower; }
  SmallVector<double, Dim> center() const { return lower + (upper - lower) / 2; }

  bool contains(const SmallVector<double, Dim>& x) const {
    bool inside = true;
    PLIANT_UNROLL for (int k = 0; k < Dim; ++k) inside = inside && lower[k] <= x[k] && x[k] <= upper[k];
    return inside;
  }

  // Extends the box so that it contains `x`, or another box.
  void include(const SmallVector<double, Dim>& x) { include(AxisAlignedBox{x, x}); }
  void include(const AxisAlignedBox& other) {
    PLIANT_UNROLL for (int k = 0; k < Dim; ++k) {
      lower[k] = std::min(lower[k], other.lower[k]);
      upper[k] = std::max(upper[k], other.upper[k]);
    }
  }

  // Whether the distance from another box along some axis exceeds `reach`; false if that is not a number.
  bool apart(const AxisAlignedBox& other, double reach) const {
    bool result = false;
    PLIANT_UNROLL for (int k = 0; k < Dim; ++k) {
      result = result || other.upper[k] < lower[k] - reach || other.lower[k] > upper[k] + reach;
    }
    return result;
  }
};

}  // namespace pliant
