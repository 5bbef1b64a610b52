// The linear systems of bodies that are held at one end, for benchmarks of solvers.
#pragma once

#include <array>
#include <cmath>
#include <utility>

#include <benchmark/benchmark.h>

#include <pliant/pliant.hpp>

namespace baseline {

// A box of tets of 1 cm, 10 x 11 x 24 or 16 x 16 x 40 cells: 15,840 or 61,440 tets.
inline pliant::Mesh<pliant::Tet4> box_of_centimetres(bool large) {
  const std::array<int, 3> cells = large ? std::array{16, 16, 40} : std::array{10, 11, 24};
  return pliant::make_box<pliant::Tet4>({.lengths = {0.01 * cells[0], 0.01 * cells[1], 0.01 * cells[2]},
                                         .cells = cells,
                                         .split = pliant::Split::kuhn});
}

// The positions of a mesh, turned about its longest axis by up to a quarter of a turn at the far end.
inline pliant::NodeMatrix<double, 3> twisted(const pliant::Mesh<pliant::Tet4>& mesh) {
  const auto bounds = pliant::bounding_box(mesh);
  const Eigen::Vector3d size = bounds.lengths(), centre = (bounds.lower + bounds.upper) / 2;
  int axis = 0;
  size.maxCoeff(&axis);
  pliant::NodeMatrix<double, 3> x = mesh.nodes;
  for (std::ptrdiff_t i = 0; i < x.cols(); ++i) {
    const double turn = std::acos(0.0) * (x(axis, i) - bounds.lower(axis)) / size(axis);
    x.col(i) = centre + Eigen::AngleAxisd(turn, Eigen::Vector3d::Unit(axis)) * (x.col(i) - centre);
  }
  return x;
}

// The matrix M / dt^2 + K at given positions, dt [s] zero for statics, and the forces out of balance, weight
// included; the nodes where `is_held` says so are held. E = 1e6 Pa, 1000 kg/m^3.
struct HeldBody {
  template <class IsHeld>
  HeldBody(pliant::Mesh<pliant::Tet4> body, double nu, const pliant::NodeMatrix<double, 3>& user, double dt,
           pliant::Projection projection, IsHeld&& is_held)
      : mesh(std::move(body)),
        system(pliant::Solid(mesh, pliant::StableNeoHookean(pliant::Lame::from_young_poisson(1e6, nu)),
                             pliant::Density{1000})),
        A(system.make_matrix()),
        b(system.make_vector()),
        x(system.make_vector()),
        positions(system.make_vector()) {
    system.to_internal(user, positions);
    system.tangent(positions, projection, 1.0, b, A);
    for (std::ptrdiff_t i = 0; i < A.rows(); ++i) {
      if (dt > 0) A.diagonal(i).diagonal() += system.mass().node(i) / (dt * dt);
      b.node(i) = -b.node(i) - 9.81 * system.mass().node(i)(1) * Eigen::Vector3d::UnitY();
    }
    pliant::NodeConstraints<3> held(mesh.node_count());
    pliant::Pinned(pliant::nodes_where(mesh, is_held)).describe(held);
    const pliant::Filter<3, double> filter(held, mesh.nodes, system.numbering(), A.pattern());
    filter.apply(A);
    filter.apply(b);
  }

  pliant::Mesh<pliant::Tet4> mesh;
  pliant::ElasticSystem<pliant::Solid<pliant::Tet4, pliant::StableNeoHookean, double>> system;
  pliant::BlockMatrix<3, double> A;
  pliant::NodeVector<3, double> b, x, positions;
};

// A matrix and a multiple of it by turns, on one pattern. What was made for the last one does not serve the
// next one unless the factor is near one.
class Alternating {
 public:
  explicit Alternating(const pliant::BlockMatrix<3, double>& A, double factor = 2) : matrices_{A, A} {
    for (std::ptrdiff_t k = 0; k < 9 * A.pattern().blocks(); ++k) matrices_[1].values()[k] *= factor;
  }

  const pliant::BlockMatrix<3, double>& next() {
    turn_ = 1 - turn_;
    return last();
  }

  const pliant::BlockMatrix<3, double>& last() const { return matrices_[turn_]; }

 private:
  std::array<pliant::BlockMatrix<3, double>, 2> matrices_;
  std::size_t turn_ = 1;
};

// Solves from zero, to 1e-6, on one thread; the pattern is analysed before, what adapts has settled, and a
// factor is made for every solve. The counters are the iterations and the residuals, as reported and as they
// are, relative to the right side.
template <class Solver>
void solve_from_zero(benchmark::State& state, HeldBody& body) {
  pliant::set_thread_count(1);
  typename Solver::template Workspace<pliant::BlockMatrix<3, double>> workspace;
  if constexpr (requires { workspace.set_positions(body.positions); })
    workspace.set_positions(body.positions);
  Solver solver;
  solver.tolerance = 1e-6;
  pliant::LinearReport report;
  Alternating matrix(body.A);
  const auto solve = [&] {
    body.x.set_zero();
    report = solver.solve(matrix.next(), body.b, body.x, workspace);
    benchmark::DoNotOptimize(body.x.data());
  };
  solve();
  solve();
  for (auto _ : state) solve();
  if (!report) state.SkipWithError("not solved");
  pliant::NodeVector<3, double> residual = body.b;
  matrix.last().multiply(body.x, residual);
  residual.set_sum(body.b, -1, residual);
  state.counters["iterations"] = report.iterations;
  state.counters["reported"] = report.residual / body.b.norm();
  state.counters["true"] = residual.norm() / body.b.norm();
  pliant::set_thread_count(0);
}

}  // namespace baseline
