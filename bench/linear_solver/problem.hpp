// The system matrix of a backward Euler step, here and in Eigen.
#pragma once

#include "baseline/eigen_body.hpp"
#include "baseline/scene.hpp"

#include <pliant/pliant.hpp>

namespace baseline {

inline const pliant::Lame lame = pliant::Lame::from_young_poisson(1e6, 0.45);
inline constexpr double density = 1000, dt = 0.01;

// The same matrix M / dt^2 + K and right-hand side on both sides.
struct Problem {
  explicit Problem(int n)
      : mesh(cube(n)),
        body(mesh, lame, density, {}),
        system(pliant::Solid(mesh, pliant::StableNeoHookean(lame), pliant::Density{density})),
        A(system.make_matrix()),
        b(system.make_vector()),
        x(system.make_vector()),
        y(system.make_vector()) {
    const auto positions = disturbed(mesh, n);
    body.x = Eigen::Map<const Eigen::VectorXd>(positions.data(), positions.size());
    body.assemble_tangent(as_it_is);
    body.matrix.diagonal() += body.mass / (dt * dt);
    system.to_internal(positions, x);
    system.tangent(x, pliant::Projection::none, 1.0, b, A);
    for (std::ptrdiff_t i = 0; i < A.rows(); ++i)
      A.diagonal(i).diagonal() += system.mass().node(i) / (dt * dt);
    x.set_zero();
  }

  pliant::Mesh<pliant::Tet4> mesh;
  Body body;
  pliant::ElasticSystem<pliant::Solid<pliant::Tet4, pliant::StableNeoHookean, double>> system;
  pliant::BlockMatrix<3, double> A;
  pliant::NodeVector<3, double> b, x, y;
};

}  // namespace baseline
