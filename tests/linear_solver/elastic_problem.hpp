// System matrices of elastic bodies at rest, twisted and scrambled, held at one end or free.
#pragma once

#include <cmath>
#include <random>
#include <utility>

#include <pliant/assembly/system.hpp>
#include <pliant/constraint/filter.hpp>
#include <pliant/constraint/pinned.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/make_rectangle.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/solid/solid.hpp>

namespace pliant::test {

enum class Deformed { rest, twisted, scrambled };

template <int Dim, class Scalar>
struct ElasticProblem {
  BlockMatrix<Dim, Scalar> A;         // M / dt^2 + K, filtered
  NodeVector<Dim, Scalar> b, x;       // b: weight and, out of equilibrium, elastic forces [N]; x is zero
  NodeVector<Dim, Scalar> positions;  // [m]
};

struct ElasticCase {
  double nu = 0.33;
  Deformed state = Deformed::rest;
  double angle = 1.5;       // of the twist [rad]
  bool held = true;         // where the last coordinate is zero
  double time_step = 0.01;  // [s]
};

// E = 1e6 Pa, 1000 kg/m^3. Twisted: about the longest axis in space, bent over in the plane; a quarter of a
// turn unless told otherwise.
template <class E, class Scalar>
ElasticProblem<E::dim, Scalar> elastic_problem(const Mesh<E, Scalar>& mesh, const ElasticCase& of = {}) {
  constexpr int dim = E::dim;
  const Solid solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e6, of.nu)), Density{1000});
  ElasticSystem system(solid);
  NodeMatrix<Scalar, dim> X = mesh.nodes;
  const Scalar length = X.row(dim - 1).maxCoeff();
  std::mt19937 random(1);
  std::normal_distribution<double> number(0, 0.6);
  const double edge = static_cast<double>(length) / std::cbrt(static_cast<double>(X.cols()));
  for (std::ptrdiff_t i = 0; i < X.cols(); ++i) {
    const Scalar along = X(dim - 1, i);
    if (of.state == Deformed::twisted) {
      const Scalar angle = static_cast<Scalar>(of.angle) * along / length, c = std::cos(angle),
                   s = std::sin(angle);
      const Scalar u = X(0, i), v = X(1, i);
      X(0, i) = c * u - s * v;
      X(1, i) = s * u + c * v;
    } else if (of.state == Deformed::scrambled && along > 0) {
      for (int axis = 0; axis < dim; ++axis) X(axis, i) += static_cast<Scalar>(edge * number(random));
    }
  }
  ElasticProblem<dim, Scalar> result{system.make_matrix(), system.make_vector(), system.make_vector(),
                                     system.make_vector()};
  system.to_internal(X, result.positions);
  system.tangent(result.positions, Projection::clamp, Scalar(1), result.b, result.A);
  for (std::ptrdiff_t i = 0; i < result.A.rows(); ++i) {
    const Scalar mass = system.mass().node(i)(0);
    for (int axis = 0; axis < dim; ++axis) {
      result.A.diagonal(i)(axis, axis) += mass / static_cast<Scalar>(of.time_step * of.time_step);
      result.b.node(i)(axis) = -result.b.node(i)(axis) - (axis == 1 ? Scalar(9.81) * mass : Scalar(0));
    }
  }
  if (of.held) {
    NodeConstraints<dim> held(mesh.node_count());
    Pinned(nodes_where(mesh, [](const auto& node) { return node(dim - 1) < 1e-9; })).describe(held);
    const Filter<dim, Scalar> filter(held, mesh.nodes, system.numbering(), result.A.pattern());
    filter.apply(result.A);
    filter.apply(result.b);
  }
  return result;
}

// Cells of 1 cm.
template <class Scalar = double>
Mesh<Tet4, Scalar> bar_mesh(int a, int b, int c) {
  return make_box<Tet4, Scalar>(
      {.lengths = {0.01 * a, 0.01 * b, 0.01 * c}, .cells = {a, b, c}, .split = Split::kuhn});
}
template <class Scalar = double>
Mesh<Tri3, Scalar> strip_mesh(int a, int b) {
  return make_rectangle<Tri3, Scalar>({.lengths = {0.01 * a, 0.01 * b}, .cells = {a, b}});
}

// The block matrix of several matrices that have nothing to do with each other.
template <int Dim, class Scalar>
BlockMatrix<Dim, Scalar> side_by_side(const std::vector<const BlockMatrix<Dim, Scalar>*>& parts) {
  Adjacency graph;
  graph.begin.push_back(0);
  int first = 0;
  for (const auto* part : parts) {
    const Adjacency own = graph_of(part->pattern());
    for (std::size_t i = 0; i + 1 < own.begin.size(); ++i) {
      for (int k = own.begin[i]; k < own.begin[i + 1]; ++k) {
        graph.list.push_back(first + own.list[static_cast<std::size_t>(k)]);
      }
      graph.begin.push_back(static_cast<int>(graph.list.size()));
    }
    first += static_cast<int>(part->rows());
  }
  BlockMatrix<Dim, Scalar> result(std::make_shared<const BlockPattern>(BlockPattern::from_graph(graph)));
  std::ptrdiff_t slot = 0;
  for (const auto* part : parts) {
    for (std::ptrdiff_t k = 0; k < part->pattern().blocks(); ++k) result.block(slot++) = part->block(k);
  }
  return result;
}

}  // namespace pliant::test
