// Stiffness matrices of bodies, held and free, soft and hard, where a direct solver has to be right.
#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"

#include <Eigen/SparseCholesky>

#include <pliant/assembly/system.hpp>
#include <pliant/constraint/filter.hpp>
#include <pliant/constraint/pinned.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/linear_solver/krylov/pcg.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/make_rectangle.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/solid/per_region.hpp>
#include <pliant/solid/solid.hpp>

using namespace pliant;
using namespace eigen_view;

namespace {

// The stiffness of a solid at rest, held where x < 1e-6 m or nowhere, and a load on every free node.
template <int Dim>
struct Problem {
  BlockMatrix<Dim, double> A;
  NodeVector<Dim, double> b, x;
};

template <class SolidType>
auto stiffness_problem(const SolidType& solid, bool held, double mass_per_second_squared = 0) {
  constexpr int dim = SolidType::Element::dim;
  ElasticSystem<SolidType> system(solid);
  Problem<dim> problem{system.make_matrix(), system.make_vector(), system.make_vector()};
  system.to_internal(solid.mesh().nodes, problem.x);
  system.tangent(problem.x, Projection::none, 1.0, problem.b, problem.A);
  problem.x.set_zero();
  for (std::ptrdiff_t i = 0; i < problem.A.rows(); ++i) {
    problem.A.diagonal(i).diagonal().array() += mass_per_second_squared;
    for (int axis = 0; axis < dim; ++axis) {
      problem.b.node(i)(axis) = std::sin(static_cast<double>(3 * i + axis)) + (axis == 1 ? -1 : 0);
    }
  }
  if (held) {
    NodeConstraints<dim> constraints(solid.mesh().node_count());
    Pinned(nodes_where(solid.mesh(), [](const auto& X) { return X(0) < 1e-6; })).describe(constraints);
    const Filter<dim, double> filter(constraints, solid.mesh().nodes, system.numbering(),
                                     problem.A.pattern());
    filter.apply(problem.A);
    filter.apply(problem.b);
  }
  return problem;
}

template <int Dim>
Eigen::VectorXd solution(Problem<Dim>& problem) {
  Cholesky::Workspace<BlockMatrix<Dim, double>> workspace;
  problem.x.set_zero();
  const LinearReport report = Cholesky{.tolerance = 0}.solve(problem.A, problem.b, problem.x, workspace);
  INFO(report.message());
  REQUIRE(report);
  return stacked(problem.x);
}

// How far two solutions are apart, in the norm of the energy, relative to the first.
template <int Dim>
double distance(const Problem<Dim>& problem, const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
  const Eigen::SparseMatrix<double> A = sparse(problem.A);
  return std::sqrt((x - y).dot(A * (x - y)) / x.dot(A * x));
}

template <int Dim>
Eigen::VectorXd solution_by_pcg(Problem<Dim>& problem) {
  Pcg<BlockJacobi>::Workspace<BlockMatrix<Dim, double>> workspace;
  problem.x.set_zero();
  REQUIRE(Pcg<BlockJacobi>{.tolerance = 1e-12}.solve(problem.A, problem.b, problem.x, workspace));
  return stacked(problem.x);
}

template <int Dim>
Eigen::VectorXd solution_by_eigen(const Problem<Dim>& problem) {
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(sparse(problem.A));
  return solver.solve(stacked(problem.b));
}

LinearElastic material(double poisson) { return LinearElastic(Lame::from_young_poisson(1e6, poisson)); }

}  // namespace

TEST_CASE("Cholesky: held bodies of tetrahedra, hexahedra and triangles bend as by conjugate gradients") {
  const auto check = [](auto problem) {
    CHECK(distance(problem, solution(problem), solution_by_pcg(problem)) < 1e-10);
    // Held nodes do not move, to the last bit.
    for (std::ptrdiff_t i = 0; i < problem.b.nodes(); ++i) {
      if (problem.b.node(i).isZero(0)) CHECK(problem.x.node(i).isZero(0));
    }
  };
  check(stiffness_problem(
      Solid(make_box<Tet4>({.lengths = {3, 1, 1}, .cells = {12, 4, 4}}), material(0.3), Density{1000}),
      true));
  check(stiffness_problem(
      Solid(make_box<Hex8>({.lengths = {3, 1, 1}, .cells = {12, 4, 4}}), material(0.3), Density{1000}),
      true));
  check(stiffness_problem(
      Solid(make_rectangle<Tri3>({.lengths = {3, 1}, .cells = {30, 10}}), material(0.3), Density{1000}),
      true));
}

TEST_CASE("Cholesky: nearly incompressible, and stiffnesses nine powers of ten apart") {
  auto incompressible = stiffness_problem(
      Solid(make_box<Tet4>({.lengths = {3, 1, 1}, .cells = {12, 4, 4}}), material(0.4999), Density{1000}),
      true);
  CHECK(distance(incompressible, solution(incompressible), solution_by_eigen(incompressible)) < 1e-9);

  // Steel and jelly by turns.
  auto mesh = make_box<Tet4>({.lengths = {3, 1, 1}, .cells = {12, 4, 4}});
  mesh.regions.resize(static_cast<std::size_t>(mesh.element_count()));
  for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) {
    mesh.regions[static_cast<std::size_t>(e)] = static_cast<int>(e / 40 % 2);
  }
  const PerRegion<LinearElastic> materials{{0, material(0.3)},
                                           {1, LinearElastic(Lame::from_young_poisson(1e15, 0.3))}};
  auto contrast = stiffness_problem(Solid(mesh, materials, Density{1000}), true);
  CHECK(distance(contrast, solution(contrast), solution_by_eigen(contrast)) < 1e-6);
}

TEST_CASE("Cholesky: a free body has six rigid motions, and mass makes it definite") {
  const Solid solid(make_box<Tet4>({.cells = {5, 5, 5}}), material(0.3), Density{1000});
  auto free_body = stiffness_problem(solid, false);
  Cholesky::Workspace<BlockMatrix<3, double>> workspace;
  CHECK(Cholesky{}.solve(free_body.A, free_body.b, free_body.x, workspace).stop == LinearStop::indefinite);
  auto with_mass = stiffness_problem(solid, false, 1e3);
  CHECK(distance(with_mass, solution(with_mass), solution_by_pcg(with_mass)) < 1e-10);
}
