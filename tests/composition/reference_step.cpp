#include "composition/reference_step.hpp"

#include <stdexcept>

#include <Eigen/LU>

namespace pliant::test {

void solve_for(const std::vector<Eigen::Index>& unknowns, Eigen::VectorXd& x,
               const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& residual) {
  constexpr double reach = 1e-5;  // of the differences [m]
  const auto size = static_cast<Eigen::Index>(unknowns.size());
  const auto at_unknowns = [&](const Eigen::VectorXd& r) -> Eigen::VectorXd { return r(unknowns); };
  Eigen::MatrixXd jacobian(size, size);
  for (int iteration = 0; iteration < 40; ++iteration) {
    for (Eigen::Index column = 0; column < size; ++column) {
      const Eigen::Index k = unknowns[static_cast<std::size_t>(column)];
      Eigen::VectorXd ahead = x, behind = x;
      ahead(k) += reach;
      behind(k) -= reach;
      jacobian.col(column) = (at_unknowns(residual(ahead)) - at_unknowns(residual(behind))) / (2 * reach);
    }
    const Eigen::VectorXd step = jacobian.partialPivLu().solve(at_unknowns(residual(x)));
    for (Eigen::Index row = 0; row < size; ++row) x(unknowns[static_cast<std::size_t>(row)]) -= step(row);
    if (step.lpNorm<Eigen::Infinity>() < 1e-11) return;
  }
  throw std::runtime_error("the reference step did not converge");
}

}  // namespace pliant::test
