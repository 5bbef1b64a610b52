// Derivatives by extrapolated central differences: the independent reference of the derivative checkers.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include <Eigen/Core>

namespace pliant {

struct NumericalDerivative {
  Eigen::VectorXd value;
  double error;  // an estimate of the largest error of an entry; infinity if the function was nowhere finite
};

// d f(t) / dt at t = 0 for a vector-valued f. Central differences with the steps `step`, step/2, step/4, ...
// are extrapolated to step zero, and the extrapolation that agrees best with its neighbours is returned:
// Ridders 1982, "Accurate computation of F'(x) and F'(x)F''(x)". Steps at which f is not finite are skipped,
// so the domain of f may end near t = 0.
template <class Function>
NumericalDerivative differentiate(const Function& f, double step = 0.04) {
  constexpr int levels = 10;
  NumericalDerivative best{f(0.0), std::numeric_limits<double>::infinity()};
  best.value.setConstant(std::numeric_limits<double>::quiet_NaN());
  Eigen::VectorXd previous[levels], current[levels];  // [j]: extrapolated j times
  int depth = 0;                                      // entries of `previous`
  for (int level = 0; level < levels; ++level, step /= 2) {
    current[0] = (f(step) - f(-step)) / (2 * step);
    if (!current[0].allFinite()) {
      depth = 0;
      continue;
    }
    double factor = 1;
    for (int j = 1; j <= depth; ++j) {
      factor *= 4;
      const Eigen::VectorXd &coarse = previous[j - 1], &fine = current[j - 1];
      current[j] = (factor * fine - coarse) / (factor - 1);
      const double error =
          std::max((current[j] - fine).cwiseAbs().maxCoeff(), (current[j] - coarse).cwiseAbs().maxCoeff());
      if (error < best.error) best = {current[j], error};
    }
    std::swap(previous, current);
    ++depth;
  }
  return best;
}

}  // namespace pliant
