// A point that a face of a soft body carries.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include <pliant/algebra/tensor.hpp>
#include <pliant/core/error.hpp>
#include <pliant/rigid/joint/rows.hpp>

namespace pliant::detail::rigid {

// The point q = sum_a b_a x_a + offset N, with the barycentric coordinates b and the normal N of the triangle
// of three nodes x_a.
struct FacePoint {
  using Vector = SmallVector<double, 3>;

  Vector barycentric;
  double offset;  // [m]

  // `of`: the prefix in a ParameterError.
  void check(const std::string& of) const {
    for (int k = 0; k < 3; ++k) {
      core::require_parameter(true, (of + "barycentric").c_str(), barycentric[k], "must be finite");
    }
    const double sum = barycentric.sum();
    core::require_parameter(std::abs(sum - 1) <= 1e-9, (of + "barycentric: sum").c_str(), sum, "must be 1");
    core::require_parameter(true, (of + "offset").c_str(), offset, "must be finite (m)");
  }

  // The triangle of three nodes, its normal times twice its area.
  struct Triangle {
    std::array<Vector, 3> nodes;
    Vector first, second, normal;
    double size;

    explicit Triangle(const std::array<Vector, 3>& x)
        : nodes(x),
          first(x[1] - x[0]),
          second(x[2] - x[0]),
          normal(algebra::cross<double>(first, second)),
          size(normal.norm()) {
      if (size > 0) normal /= size;
    }

    // Throws ParameterError for a triangle whose normal would be inexact: a height below 1 % of its longest
    // edge.
    void check(const std::string& of) const {
      const double longest = std::fmax((second - first).norm(), std::fmax(first.norm(), second.norm()));
      const double flatness = size / (longest * longest);
      if (flatness > 0.01) return;
      throw ParameterError(of + "face: height of the triangle over its longest edge", flatness,
                           "must be more than 0.01");
    }
  };

  Vector at(const Triangle& triangle) const {
    return barycentric[0] * triangle.nodes[0] + barycentric[1] * triangle.nodes[1] +
           barycentric[2] * triangle.nodes[2] + offset * triangle.normal;
  }

  // Sets the derivatives of n.q for the nodes, the first of which has the triple `place` of the row. n.q
  // changes by b_a n.dx_a, and with m = offset (n - N N.n) / size by m.(de_1 x e_2 + e_1 x de_2) = de_1.(e_2
  // x m) + de_2.(m x e_1) for the edges e_1 and e_2 from node 0.
  void differentiate(const Triangle& triangle, const Vector& n, std::size_t place, JointRow& row) const {
    const Vector& N = triangle.normal;
    for (int a = 0; a < 3; ++a) row.derivative[place + static_cast<std::size_t>(a)] = barycentric[a] * n;
    if (offset == 0) return;
    const Vector m = offset / triangle.size * (n - N.dot(n) * N);
    const Vector by_first = algebra::cross<double>(triangle.second, m),
                 by_second = algebra::cross<double>(m, triangle.first);
    row.derivative[place] -= by_first + by_second;
    row.derivative[place + 1] += by_first;
    row.derivative[place + 2] += by_second;
  }
};

}  // namespace pliant::detail::rigid
