// Matrices whose pairs come and go: what does not grow does not allocate.
#include "allocations.hpp"
#include "linear_solver/growing_pattern.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <pliant/linear_solver/bounded/bounded_solve.hpp>
#include <pliant/linear_solver/bounded/mprgp.hpp>
#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/linear_solver/krylov/pcg.hpp>
#include <pliant/linear_solver/preconditioner/prefactored.hpp>
#include <pliant/linear_solver/preconditioner/two_level.hpp>

#if CAN_COUNT_ALLOCATIONS

using namespace pliant;

namespace {

template <class Solver>
void solves_without_allocation(const Solver& solver) {
  using Matrix = BlockMatrix<3, double>;
  for (const int threads : thread_counts_without_allocation) {
    INFO(threads << " threads");
    const WithThreads with(threads);
    test::CoupledBodies<3, double> bodies(test::bar_mesh(7, 7, 15), 1);
    typename Solver::template Workspace<Matrix> workspace;
    detail::linear_solver::BoundedSolve<Matrix> bounded;
    BoundedNodes<Matrix::Vector> bounds;
    const ContactPlane<3> floor{{0, 1, 0}, -1e-5, 0};
    bounds.clear(bodies.matrix().rows());
    for (int i = 0; i < bodies.matrix().rows(); i += 7) {
      bounds.add(i, std::vector<ContactPlane<3>>{floor}, SmallMatrix<double, 3, 3>::Identity(),
                 SmallVector<double, 3>::Zero(), 0.1);
    }
    const Matrix::Vector u(bodies.matrix().rows());
    Matrix::Vector x = u, d = u, b = u;
    Matrix A;
    bool done = true;
    const auto solve = [&] {
      if constexpr (requires { workspace.set_positions(bodies.positions()); }) {
        workspace.set_positions(bodies.positions());
      }
      x.set_zero();
      done = done && solver.solve(bodies.matrix(), bodies.right_side(), x, workspace);
      A = bodies.matrix();
      b.set_sum(bodies.right_side(), 0, bodies.right_side());
      d.set_zero();
      done = done && bounded.solve(solver, workspace, A, b, bounds, u, d, 0, LinearMonitor{});
    };
    bodies.next_round();
    while (bodies.springs() < 12) bodies.next_round();
    CHECK(!bodies.matrix().pattern().far_slots.empty());
    solve();
    const long before = allocations;
    for (int round = 0; round < 2; ++round) {
      bodies.lose_a_spring();
      solve();
    }
    CHECK(allocations - before == 0);
    CHECK(done);
  }
}

}  // namespace

TEST_CASE("Growing pattern: nothing allocates while no pair is new: conjugate gradients") {
  solves_without_allocation(Pcg<Jacobi>{});
  solves_without_allocation(Pcg<BlockJacobi>{});
  solves_without_allocation(Pcg<TwoLevel>{});
  solves_without_allocation(Pcg<Prefactored>{});
}
TEST_CASE("Growing pattern: nothing allocates while no pair is new: a direct factor, and bounds") {
  solves_without_allocation(Cholesky{});
  solves_without_allocation(Mprgp<Jacobi>{});
}

#endif
