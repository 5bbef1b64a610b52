// Equations and inequalities between the unknowns of a step: joints, limits, motors.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include <pliant/algebra/matrix.hpp>
#include <pliant/linear_solver/concept.hpp>

namespace pliant {

// Three rows  J u + C lambda = c,  lower <= lambda <= upper,  on the displacements u of up to six nodes, in
// which a row is an equation as long as its multiplier is between its bounds. At the lower one J u + C lambda
// may exceed c, at the upper one it may be less. The force J^T lambda acts on u. A row that does not exist
// has J = 0, C = 1 and c = 0.
struct RowBlock {
  static constexpr std::size_t most_nodes = 6;
  static constexpr int none = -1;
  using Block = SmallMatrix<double, 3, 3>;
  using Triple = SmallVector<double, 3>;

  std::array<int, most_nodes> node = {none, none, none, none, none, none};    // before the first `none`
  std::array<Block, most_nodes> J;                                            // of each node
  Triple compliance = Triple::Ones();                                         // C, a diagonal [m/N]
  Triple right_side = Triple::Zero();                                         // c [m]
  Triple lower = Triple::Constant(-std::numeric_limits<double>::infinity());  // [N]
  Triple upper = Triple::Constant(std::numeric_limits<double>::infinity());   // [N]
  Triple multiplier = Triple::Zero();                                         // lambda [N]
  Triple accepted = Triple::Zero();  // lambda at the last accepted iterate of a nonlinear solver [N]

  // Calls use(node, J) for each node.
  template <class Use>
  void for_each_node(Use&& use) const {
    for (std::size_t k = 0; k < most_nodes && node[k] != none; ++k) use(node[k], J[k]);
  }

  // Whether row i exists.
  bool acts(Eigen::Index i) const {
    bool any = false;
    for_each_node([&](int, const Block& block) { any = any || !block.row(i).isZero(0); });
    return any;
  }

  // J u.
  template <class Vector>
  Triple times(const Vector& u) const {
    Triple sum = Triple::Zero();
    for_each_node([&](int i, const Block& block) { sum += block * u.node(i); });
    return sum;
  }

  // Row i of it.
  template <class Vector>
  double times(Eigen::Index i, const Vector& u) const {
    double sum = 0;
    for_each_node([&](int n, const Block& block) { sum += block.row(i).dot(u.node(n)); });
    return sum;
  }
};

// Multipliers of `held` have no bounds. The last blocks of `bounded` are contacts.
struct Rows {
  std::vector<RowBlock> held, bounded;
  std::size_t contacts = 0;
};

// How the forces of rows act in a step.
struct RowStep {
  double dt;         // [s]
  double scale = 1;  // the force [N] per multiplier, in the first half of the step if there are two
  double end = 1;  // weight of the end of the step in the force of a compliant row, 1 - end that of its start

  // Implicit: a step in which forces are those at its end.
  RowStep(double dt_) : dt(dt_) {}
  RowStep(double dt_, double scale_, double end_) : dt(dt_), scale(scale_), end(end_) {}
};

// Where the rows of a step are met. At the end of the step, which takes some passes over the rows; or by the
// velocities, J v = -(what the rows lack at its start) / dt, in one pass: joints then open by the curvature
// of their motion, by an order of dt^2, which the next step mends.
enum class RowRule { end_of_step, velocities };

// How a solve with rows ended.
struct RowReport {
  LinearStop stop = LinearStop::converged;
  int iterations = 0;  // of the iterative method
};

// The largest error of the rows at the end of a step.
struct RowError {
  double largest = 0;  // [m] or [rad]
  int joint = -1;      // with this error
};

}  // namespace pliant
