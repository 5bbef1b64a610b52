// One step of the paper: its problem for the multipliers of rows, and the two solvers that it compares.
#pragma once

#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <vector>

#include <pliant/pliant.hpp>

namespace paper {

using namespace pliant;
using Matrix = BlockMatrix<3, double>;
using Vector = Matrix::Vector;
using Triple = RowBlock::Triple;

// u = p + M^-1 J^T lambda, with the rows J u + C lambda = c; displacements of a step in place of velocities.
struct Step {
  Matrix mass;  // M / dt^2, block-diagonal
  Vector p;     // the displacement without rows [m]
  Rows rows;

  explicit Step(std::ptrdiff_t nodes) : mass(pattern(nodes)), p(nodes) {}

  static std::shared_ptr<const BlockPattern> pattern(std::ptrdiff_t nodes) {
    Adjacency no_neighbours;
    no_neighbours.begin.assign(static_cast<std::size_t>(nodes) + 1, 0);
    return std::make_shared<const BlockPattern>(BlockPattern::from_graph(no_neighbours));
  }

  std::size_t count() const { return rows.held.size() + rows.bounded.size(); }
  RowBlock& row(std::size_t k) {
    return k < rows.held.size() ? rows.held[k] : rows.bounded[k - rows.held.size()];
  }
  std::size_t row_count() const { return 3 * count(); }
};

struct Answer {
  Vector u;
  int iterations = 0;
  double seconds = 0;
};

// CPU time since the construction.
class StopWatch {
 public:
  double seconds() const { return static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t start_ = std::clock();
};

// Runs a row solver from zero multipliers.
template <class Solver>
Answer solve(Step& step, const Solver& solver, int passes = 1) {
  typename Solver::template Workspace<Matrix> w;
  Answer answer{Vector(step.p.nodes()), 0, 0};
  for (std::size_t k = 0; k < step.count(); ++k) step.row(k).multiplier.setZero();
  const StopWatch watch;
  if (solver.prepare(step.mass, step.rows, w) != LinearStop::converged)
    throw std::runtime_error("no solution");
  for (int k = 0; k < passes; ++k)
    answer.iterations += solver.solve(step.p, step.rows, answer.u, w).iterations;
  answer.seconds = watch.seconds();
  return answer;
}

inline Answer exact(Step& step) { return solve(step, Condensed{}, 3); }

// The paper's solver, with its settings: Gamma 1, steps along the gradient of 1.6 / norm, 15 power
// iterations, Jacobi.
inline Answer mprgp(Step& step, int iterations, double tolerance = 1e-14, int power_iterations = 15) {
  return solve(step, DualRows<Jacobi>{.solver = {.tolerance = tolerance,
                                                 .max_iterations = iterations,
                                                 .power_iterations = power_iterations}});
}

// Projected Gauss-Seidel: row after row is met by its own multiplier, cut off at its bounds; u follows.
inline Answer projected_gauss_seidel(Step& step, int sweeps) {
  Answer answer{step.p, sweeps, 0};
  const StopWatch watch;
  std::vector<Triple> diagonal(step.count());
  for (std::size_t k = 0; k < step.count(); ++k) {
    RowBlock& row = step.row(k);
    row.multiplier.setZero();
    diagonal[k] = row.compliance;
    row.for_each_node([&](int i, const RowBlock::Block& J) {
      const Triple inverse = step.mass.diagonal(i).diagonal().cwiseInverse();
      diagonal[k] += J.cwiseAbs2() * inverse;
    });
  }
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (std::size_t k = 0; k < step.count(); ++k) {
      RowBlock& row = step.row(k);
      for (int i = 0; i < 3; ++i) {
        const double open =
            row.right_side[i] - row.times(i, answer.u) - row.compliance[i] * row.multiplier[i];
        const double wanted = row.multiplier[i] + open / diagonal[k][i];
        const double change = std::clamp(wanted, row.lower[i], row.upper[i]) - row.multiplier[i];
        row.multiplier[i] += change;
        row.for_each_node([&](int n, const RowBlock::Block& J) {
          answer.u.node(n) += change * J.row(i).transpose().cwiseQuotient(step.mass.diagonal(n).diagonal());
        });
      }
    }
  }
  answer.seconds = watch.seconds();
  return answer;
}

// The error in the norm of the masses, relative to the change that the rows make.
inline double error(const Step& step, const Vector& u, const Vector& truth) {
  double off = 0, size = 0;
  for (std::ptrdiff_t i = 0; i < u.nodes(); ++i) {
    const Triple mass = step.mass.diagonal(i).diagonal();
    off += mass.dot((u.node(i) - truth.node(i)).cwiseAbs2());
    size += mass.dot((step.p.node(i) - truth.node(i)).cwiseAbs2());
  }
  return std::sqrt(off / size);
}

// The fewest iterations, to a tenth, that a method takes to an error; -1 if it takes more than `most`.
template <class Method>
Answer iterations_to(Step& step, const Vector& truth, double goal, int most, Method&& method) {
  int low = 0, high = 8;
  Answer answer;
  const auto meets = [&](int count) {
    answer = method(count);
    return error(step, answer.u, truth) <= goal;
  };
  while (!meets(high)) {
    low = high;
    high *= 2;
    if (high > most) return {answer.u, -1, answer.seconds};
  }
  while (high - low > std::max(1, high / 10)) {
    const int middle = (low + high) / 2;
    (meets(middle) ? high : low) = middle;
  }
  meets(high);
  answer.iterations = high;
  return answer;
}

}  // namespace paper
