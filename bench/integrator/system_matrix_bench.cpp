// Matrix and right-hand side of a linearised backward Euler step once the stiffness is there: what
// IncrementalPotential adds against Eigen's sparse matrices, by expressions and in place.
#include "baseline/eigen_expressions.hpp"
#include "baseline/scene.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace pliant;
using namespace pliant::simd;

constexpr double dt = 0.01, density = 1000;
const Eigen::Vector3d gravity(0, -9.81, 0);

// A system whose stiffness and elastic forces are there already.
struct Assembled : ElasticSystem<Solid<Tet4, StableNeoHookean, double>> {
  using ElasticSystem::ElasticSystem;
  double tangent(const Vector&, Projection, double, Vector&, Matrix&) { return 0; }
};

struct Problem {
  explicit Problem(int n)
      : mesh(baseline::cube(n)),
        body(mesh, lame(), density, {}),
        system(Solid(mesh, StableNeoHookean(lame()), Density{density})),
        filter(NodeConstraints<3>(mesh.node_count()), mesh.nodes, system.numbering(), system.pattern()),
        loads(system.make_vector()),
        u(system.make_vector()),
        g(system.make_vector()),
        A(system.make_matrix()),
        velocity_system(body, dt, 0, 0) {
    newton.projection = Projection::none;
    workspace.prepare(system, newton);
    start.x = start.v = system.make_vector();
    const auto positions = baseline::disturbed(mesh, n);
    const NodeMatrix<double, 3> velocities = 20 * (positions - mesh.nodes);
    body.x = Eigen::Map<const Eigen::VectorXd>(positions.data(), positions.size());
    body.v = Eigen::Map<const Eigen::VectorXd>(velocities.data(), velocities.size());
    body.assemble_tangent(baseline::as_it_is);
    force = -body.gradient;
    for (Eigen::Index i = 0; i < force.size(); ++i) force(i) += body.mass(i) * gravity(i % 3);
    system.to_internal(positions, start.x);
    system.to_internal(velocities, start.v);
    for (std::ptrdiff_t i = 0; i < loads.nodes(); ++i) {
      loads.node(i) = system.mass().node(i).cwiseProduct(gravity);
    }
    ElasticSystem<Solid<Tet4, StableNeoHookean, double>>& elastic = system;
    elastic.tangent(start.x, Projection::none, 1.0, g, A);
  }

  // As BackwardEuler::step makes them.
  void build() {
    using Block = NodeVector<3, double>::Block;
    system.mass().for_each_block([&](std::ptrdiff_t i) {
      const Block a = pliant::detail::integrator::per_mass<Block>(loads.block(i), system.mass().block(i));
      const Block velocity = multiply_add(Block(dt), a, start.v.block(i));
      workspace.potential.predicted.set_block(i, Block(dt) * velocity);
    });
    auto contact = contacts.begin_step(0, dt, start.x);
    const struct {
      Assembled& system;
      const Filter<3, double>& filter;
      ContactStep<NodeVector<3, double>>& contacts;
      const NodeVector<3, double>& loads;
    } context{system, filter, contact, loads};
    detail::integrator::IncrementalPotential<Assembled, Filter<3, double>> potential(
        context, start, {dt, dt * dt, dt, dt, dt}, newton, workspace.potential);
    u.set_zero();
    potential.tangent(u, Projection::none, g, A);
  }

  // Of ours, which is A u = -g for u = dt (v + dv), to the one for dv: A / dt^2, and b dt - A v dt^2.
  bool agrees() {
    velocity_system.build_by_expressions(body.matrix, force, body.v);
    const Eigen::VectorXd Av = velocity_system.A * body.v, b = velocity_system.b;
    velocity_system.build_in_place(body.matrix, force, body.v);
    if (!((velocity_system.A * body.v - Av).norm() <= 1e-12 * Av.norm()) ||
        !((velocity_system.b - b).norm() <= 1e-12 * b.norm())) {
      return false;
    }
    build();
    NodeMatrix<double, 3> product(3, mesh.node_count()), gradient = product;
    A.multiply(start.v, u);
    system.to_user(u, product);
    system.to_user(g, gradient);
    const Eigen::VectorXd ours = dt * dt * Eigen::Map<const Eigen::VectorXd>(product.data(), product.size());
    const Eigen::VectorXd right =
        -dt * Eigen::Map<const Eigen::VectorXd>(gradient.data(), gradient.size()) - ours;
    return (ours - Av).norm() <= 1e-9 * Av.norm() && (right - b).norm() <= 1e-9 * (b.norm() + Av.norm());
  }

  static Lame lame() { return Lame::from_young_poisson(1e6, 0.45); }

  Mesh<Tet4> mesh;
  baseline::Body body;
  Assembled system;
  Filter<3, double> filter;
  Contacts<NodeVector<3, double>> contacts;  // none
  NodeVector<3, double> loads, u, g;
  BlockMatrix<3, double> A;
  State<NodeVector<3, double>> start;
  detail::integrator::IncrementalWorkspace<Assembled, Filter<3, double>> workspace;
  Newton newton = Newton::linearised();
  Eigen::VectorXd force;
  baseline::VelocitySystem velocity_system;
};

void eigen_expressions(benchmark::State& state) {
  Problem problem(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    problem.velocity_system.build_by_expressions(problem.body.matrix, problem.force, problem.body.v);
    benchmark::DoNotOptimize(problem.velocity_system.A.valuePtr());
  }
}

void eigen_in_place(benchmark::State& state) {
  Problem problem(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    problem.velocity_system.build_in_place(problem.body.matrix, problem.force, problem.body.v);
    benchmark::DoNotOptimize(problem.velocity_system.A.valuePtr());
  }
}

void incremental_potential(benchmark::State& state) {
  set_thread_count(1);
  if (!Problem(static_cast<int>(state.range(0))).agrees()) {
    return state.SkipWithError("the systems disagree");
  }
  Problem problem(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    problem.build();
    benchmark::DoNotOptimize(problem.A.values());
  }
  set_thread_count(0);
}

// Cells along an edge. 14: 13,720 tets; 24: 69,120.
#define PLIANT_SIZES ->Arg(14)->Arg(24)->Unit(benchmark::kMicrosecond)
BENCHMARK(eigen_expressions) PLIANT_SIZES;
BENCHMARK(eigen_in_place) PLIANT_SIZES;
BENCHMARK(incremental_potential) PLIANT_SIZES;

}  // namespace
