// Quadrature rules that more than one element can use.
#pragma once

#include <numbers>

#include <pliant/algebra/matrix.hpp>

namespace pliant {

// Point q = 0 ... 2^Dim - 1 of the Gauss-Legendre rule with two points per axis on the cell [-1, 1]^Dim; the
// first axis runs fastest, and every weight is 1. Exact for polynomials of degree 3 along each axis.
template <int Dim>
SmallVector<double, Dim> gauss_point(int q) {
  SmallVector<double, Dim> xi;
  for (int axis = 0; axis < Dim; ++axis)
    xi(axis) = (q >> axis & 1) != 0 ? std::numbers::inv_sqrt3 : -std::numbers::inv_sqrt3;
  return xi;
}

}  // namespace pliant
