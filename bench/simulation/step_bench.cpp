// A whole linearised backward Euler step against the Eigen program, and against the same program in sparse
// expressions, on the same mesh from the same states.
#include "baseline/eigen_expressions.hpp"
#include "baseline/scene.hpp"

#include <memory>

#include <benchmark/benchmark.h>

namespace {

using namespace pliant;

constexpr double dt = 0.01, density = 1000, tolerance = 1e-6;
const Lame lame = Lame::from_young_poisson(1e6, 0.45);
const Eigen::Vector3d gravity(0, -9.81, 0);

struct Scene {
  Mesh<Tet4> mesh;
  std::vector<int> held;
};

// 0: the armadillo of 3,717 tets, where the measured meshes are; n > 0: a bar of 4n x n x n cells.
Scene make_scene(int n) {
  Scene scene;
  if (n == 0) {
    const std::string file = baseline::measured_mesh("tetgen/pbd__armadillo_4k.node");
    if (file.empty()) return scene;
    scene.mesh = read_mesh<Tet4>(file);
  } else {
    scene.mesh = make_box<Tet4>({.lengths = {1, 0.25, 0.25}, .cells = {4 * n, n, n}});
  }
  const auto box = bounding_box(scene.mesh);
  int axis = 0;
  const double length = box.lengths().maxCoeff(&axis);
  scene.held =
      nodes_where(scene.mesh, [&](const auto& X) { return X(axis) > box.upper(axis) - 0.1 * length; });
  return scene;
}

template <class Preconditioner>
auto make_simulation(const Scene& scene, Projection projection) {
  Newton newton = Newton::linearised();
  newton.projection = projection;
  auto simulation = std::make_unique<
      Simulation<Solid<Tet4, StableNeoHookean, double>, BackwardEuler, Pcg<Preconditioner>, Pinned>>(
      Solid(scene.mesh, StableNeoHookean(lame), Density{density}), BackwardEuler{.dt = dt, .newton = newton},
      Pcg<Preconditioner>{.tolerance = tolerance}, Pinned(scene.held));
  simulation->set_gravity(gravity);
  return simulation;
}

// A run starts anew every so many steps, so that both sides see the same states.
constexpr int run_length = 50;

template <class Project>
void eigen_step(benchmark::State& state, Project&& project) {
  const Scene scene = make_scene(static_cast<int>(state.range(0)));
  if (scene.mesh.element_count() == 0) return state.SkipWithError("the measured meshes are absent");
  baseline::Body body(scene.mesh, lame, density, scene.held);
  const Eigen::VectorXd rest = body.x;
  long iterations = 0;
  int steps = 0;
  for (auto _ : state) {
    if (steps % run_length == 0) {
      body.x = rest;
      body.v.setZero();
    }
    iterations += body.step(dt, gravity, tolerance, project);
    ++steps;
  }
  state.counters["iterations"] = static_cast<double>(iterations) / steps;
}

void eigen_expressions(benchmark::State& state) {
  const Scene scene = make_scene(static_cast<int>(state.range(0)));
  if (scene.mesh.element_count() == 0) return state.SkipWithError("the measured meshes are absent");
  baseline::Body body(scene.mesh, lame, density, scene.held), other(scene.mesh, lame, density, scene.held);
  baseline::ExpressionStep expressions(body, scene.held, dt);
  const Eigen::VectorXd rest = body.x;
  for (int i = 0; i < run_length; ++i) {
    body.step(dt, gravity, tolerance, baseline::as_it_is);
    expressions.step(other, gravity, tolerance, baseline::as_it_is);
  }
  const double difference = (body.x - other.x).cwiseAbs().maxCoeff();
  if (!(difference <= 1e-4 * bounding_box(scene.mesh).lengths().maxCoeff())) {
    return state.SkipWithError("the two Eigen programs end in different states");
  }
  long iterations = 0;
  int steps = 0;
  for (auto _ : state) {
    if (steps % run_length == 0) {
      other.x = rest;
      other.v.setZero();
    }
    iterations += expressions.step(other, gravity, tolerance, baseline::as_it_is);
    ++steps;
  }
  state.counters["iterations"] = static_cast<double>(iterations) / steps;
}

template <class Preconditioner>
void pliant_step(benchmark::State& state, Projection projection) {
  const Scene scene = make_scene(static_cast<int>(state.range(0)));
  if (scene.mesh.element_count() == 0) return state.SkipWithError("the measured meshes are absent");
  set_thread_count(static_cast<int>(state.range(1)));
  auto simulation = make_simulation<Preconditioner>(scene, projection);
  if (projection == Projection::none) {
    baseline::Body body(scene.mesh, lame, density, scene.held);
    for (int i = 0; i < run_length; ++i) {
      body.step(dt, gravity, tolerance, baseline::as_it_is);
      if (!simulation->step()) return state.SkipWithError("a step failed");
    }
    const auto& x = simulation->positions();
    const double difference =
        (Eigen::Map<const Eigen::VectorXd>(x.data(), x.size()) - body.x).cwiseAbs().maxCoeff();
    const double size = bounding_box(scene.mesh).lengths().maxCoeff();
    if (!(difference <= 1e-4 * size)) return state.SkipWithError("the two programs end in different states");
    state.counters["difference"] = difference / size;
  }
  long iterations = 0;
  int steps = 0;
  const auto rest = scene.mesh.nodes;
  const NodeMatrix<double, 3> still = NodeMatrix<double, 3>::Zero(3, rest.cols());
  for (auto _ : state) {
    if (steps % run_length == 0) {
      simulation->set_positions(rest);
      simulation->set_velocities(still);
    }
    const StepReport report = simulation->step();
    if (!report) return state.SkipWithError("a step failed");
    iterations += report.linear_iterations;
    ++steps;
  }
  state.counters["iterations"] = static_cast<double>(iterations) / steps;
  set_thread_count(0);
}

void eigen_program(benchmark::State& state) { eigen_step(state, baseline::as_it_is); }
void eigen_program_clamped(benchmark::State& state) { eigen_step(state, baseline::clamp_numerically); }
void pliant_jacobi(benchmark::State& state) { pliant_step<Jacobi>(state, Projection::none); }
void pliant_block_jacobi(benchmark::State& state) { pliant_step<BlockJacobi>(state, Projection::none); }
void pliant_clamped(benchmark::State& state) { pliant_step<BlockJacobi>(state, Projection::clamp); }

// Scene, threads. Bars: 8 is 10,240 tets of the five-tet cut or 12,288 of the six-tet one, 16 eight times as
// many.
#define PLIANT_SCENES ->Args({0, 1})->Args({8, 1})->Unit(benchmark::kMillisecond)->MinTime(0.5)
BENCHMARK(eigen_expressions) PLIANT_SCENES;
BENCHMARK(eigen_program) PLIANT_SCENES;
BENCHMARK(pliant_jacobi) PLIANT_SCENES;
BENCHMARK(pliant_block_jacobi) PLIANT_SCENES;
BENCHMARK(eigen_program_clamped) PLIANT_SCENES;
BENCHMARK(pliant_clamped) PLIANT_SCENES;
BENCHMARK(pliant_block_jacobi)
    ->Name("pliant_block_jacobi/threads")
    ->Args({0, 2})
    ->Args({16, 1})
    ->Args({16, 2})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MinTime(0.5);

}  // namespace
