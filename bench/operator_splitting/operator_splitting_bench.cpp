// A step of OperatorSplitting and its phases, in floats: bars of cells of 1 cm, held at one end, that swing.
#include <random>
#include <stdexcept>

#include <benchmark/benchmark.h>

#include <pliant/pliant.hpp>

namespace {

using namespace pliant;
using namespace pliant::simd;

constexpr double dt = 0.01;
const FixedCorotated rubber(Lame::from_young_poisson(1e6, 0.33));

template <class Scalar>
Mesh<Tet4, Scalar> bar(int size) {
  const int cells[3][3] = {{24, 11, 10}, {40, 16, 16}, {70, 28, 28}};
  const auto& c = cells[size];
  return make_box<Tet4, Scalar>({.lengths = {0.01 * c[0], 0.01 * c[1], 0.01 * c[2]},
                                 .cells = {c[0], c[1], c[2]},
                                 .split = Split::kuhn});
}

template <class Simulation>
void run(benchmark::State& state, Simulation& sim) {
  set_thread_count(static_cast<int>(state.range(1)));
  sim.set_gravity({0, -9.81, 0});
  for (int n = 0; n < 20; ++n) {
    if (!sim.step()) return state.SkipWithError("a step failed");
  }
  for (auto _ : state) {
    if (!sim.step()) return state.SkipWithError("a step failed");
  }
  state.counters["tets"] = static_cast<double>(sim.mesh().element_count());
  state.counters["ns_per_tet"] =
      benchmark::Counter(static_cast<double>(sim.mesh().element_count()) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  set_thread_count(0);
}

template <class Scalar>
void step(benchmark::State& state) {
  const auto mesh = bar<Scalar>(static_cast<int>(state.range(0)));
  Simulation sim(Solid(mesh, rubber, Density{1000}), OperatorSplitting{.dt = dt},
                 Pinned(nodes_where(mesh, [](const auto& X) { return X.x() < 1e-6; })));
  run(state, sim);
}

// Steps that each have another dt than the one before, and so make a factor.
void step_of_another_length(benchmark::State& state) {
  const auto mesh = bar<float>(static_cast<int>(state.range(0)));
  Simulation sim(Solid(mesh, rubber, Density{1000}), OperatorSplitting{.dt = dt},
                 Pinned(nodes_where(mesh, [](const auto& X) { return X.x() < 1e-6; })));
  bool half = false;
  for (auto _ : state) {
    half = !half;
    sim.set_integrator({.dt = half ? dt / 2 : dt});
    if (!sim.step()) return state.SkipWithError("a step failed");
  }
}

Mesh<Tet4, float> bar_of_crowd() {
  return make_box<Tet4, float>({.lengths = {0.25, 0.05, 0.05}, .cells = {25, 5, 5}});
}

// All copies of a mesh, those at place(0), place(1), ..., in one.
template <class Place>
Mesh<Tet4, float> in_one_mesh(const Mesh<Tet4, float>& one, int count, Place&& place) {
  Mesh<Tet4, float> all;
  all.nodes.resize(3, count * one.node_count());
  all.elements.resize(4, count * one.element_count());
  for (int k = 0; k < count; ++k) {
    all.nodes.middleCols(k * one.node_count(), one.node_count()) = one.nodes.colwise() + place(k);
    all.elements.middleCols(k * one.element_count(), one.element_count()) =
        one.elements.array() + k * static_cast<int>(one.node_count());
  }
  return all;
}

// Many bars of 3,125 elements in a row, each held at one end: those that are alike are solved together.
// Without a floor, with one far below, with one that their tips rest on.
void crowd(benchmark::State& state) {
  const int count = static_cast<int>(state.range(0));
  const auto all = in_one_mesh(bar_of_crowd(), count,
                               [](int k) { return Eigen::Vector3f(0, 0, 0.1f * static_cast<float>(k)); });
  Simulation sim(Solid(all, rubber, Density{1000}), OperatorSplitting{.dt = dt},
                 Pinned(nodes_where(all, [](const auto& X) { return X.x() < 1e-6; })));
  const double heights[] = {0, -1000, -0.01};
  const auto floor = static_cast<std::size_t>(state.range(2));
  if (floor > 0) sim.add_collider(HalfSpace({0, heights[floor], 0}, {0, 1, 0}), {.friction = 0.5});
  run(state, sim);
  state.counters["contacts"] = static_cast<double>(sim.contacts().size());
}

// A hundred of them in a square, so many millimetres apart, held at one end: given as one mesh with poses, or
// in one mesh whose nodes floats round the more the farther they are.
void spread_crowd(benchmark::State& state) {
  const auto one = bar_of_crowd();
  const auto place = [&](int k) {
    return Eigen::Vector3d(1e-3 * static_cast<double>(state.range(0)) * Eigen::Vector3d(k / 10, 0, k % 10));
  };
  const auto held = nodes_where(one, [](const auto& X) { return X.x() < 1e-6f; });
  std::vector<Pose<3>> poses;
  for (int k = 0; k < 100; ++k) poses.emplace_back(place(k));
  const Copies crowd(Solid(one, rubber, Density{1000}), poses);
  const Pinned ends(crowd.nodes(held));
  const auto measure = [&](const auto& solid) {
    Simulation sim(solid, OperatorSplitting{.dt = dt}, ends);
    run(state, sim);
    const StepReport report = sim.step();
    state.counters["copies"] = report.copies;
  };
  if (state.range(1) == 0) return measure(crowd);
  measure(Solid(in_one_mesh(one, 100, [&](int k) { return Eigen::Vector3f(place(k).cast<float>()); }), rubber,
                Density{1000}));
}

// What implicit Euler takes for the same step, linearised, to 1e-3 and to 1e-6.
template <class Scalar>
void backward_euler_step(benchmark::State& state) {
  const auto mesh = bar<Scalar>(static_cast<int>(state.range(0)));
  Simulation sim(Solid(mesh, CorotatedLinear(Lame::from_young_poisson(1e6, 0.33)), Density{1000}),
                 BackwardEuler{.dt = dt, .newton = Newton::linearised()},
                 Pcg<TwoLevel>{.tolerance = std::pow(10.0, -static_cast<double>(state.range(2)))},
                 Pinned(nodes_where(mesh, [](const auto& X) { return X.x() < 1e-6; })));
  run(state, sim);
}

// The arrays of a step.
struct Phases {
  static constexpr Isa isa = PLIANT_NATIVE_ISA;
  detail::operator_splitting::SplitMesh<float, isa> mesh;
  detail::operator_splitting::StretchElements<float, isa> elements;
  detail::operator_splitting::VolumeConstraints<float, isa> constraints;
  AlignedVector<float> x, y, scratch;
  std::ptrdiff_t tets = 0, entries = 0;

  explicit Phases(int size) {
    const auto body = bar<float>(size);
    const Solid solid(body, rubber, Density{1000});
    const ElasticSystem<Solid<Tet4, FixedCorotated, float>> system(solid);
    const RawCoefficients& c = rubber.coefficients<3>();
    std::vector<detail::operator_splitting::SplitNode> nodes;
    for (int i = 0; i < body.node_count(); ++i)
      nodes.push_back({static_cast<double>(system.mass().node(i)(0)), 1});
    std::vector<detail::operator_splitting::SplitElement<float>> all;
    system.for_each_point([&](const auto& point, const auto&) {
      all.push_back({point.nodes, point.gradients, static_cast<double>(point.volume), c.mu, c.lambda});
    });
    const auto count = static_cast<int>(body.node_count());
    const int nowhere = 4 * count;
    const auto batches = detail::operator_splitting::batches_of(
        detail::operator_splitting::pairs_of(mesh.make(std::move(all), nodes, dt)), count, elements.width);
    constraints.clear();
    const int multipliers = constraints.append(batches, mesh.inverse_masses(), dt, count, nowhere);
    elements.append(batches, dt, multipliers, constraints.step);
    x.assign(static_cast<std::size_t>(nowhere) + 4, 0);
    y = x;
    scratch.assign(factor().scratch_size(), 0);
    std::mt19937 random(1);
    std::uniform_real_distribution<float> noise(-1e-4f, 1e-4f);
    for (int place = 0; place < count; ++place) {
      const int node = system.numbering().to_user[static_cast<std::size_t>(mesh.node_at(place))];
      for (int i = 0; i < 3; ++i)
        x[static_cast<std::size_t>(4 * place + i)] = body.nodes(i, node) + noise(random);
    }
    elements.find_rotations(x.data());
    tets = body.element_count();
    entries = static_cast<std::ptrdiff_t>(factor().stored_numbers());
  }

  const detail::operator_splitting::Panels<float>& factor() const { return mesh.factor(); }
};

void per(benchmark::State& state, const char* name, std::ptrdiff_t count) {
  state.counters[name] =
      benchmark::Counter(static_cast<double>(count) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void stretch_forces(benchmark::State& state) {
  Phases body(static_cast<int>(state.range(0)));
  const auto multipliers = detail::operator_splitting::Multipliers<float>::at_start(
      body.constraints.multipliers(), detail::operator_splitting::StartFrom::last);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        body.elements.pull(0, body.elements.size(), 1, multipliers, body.x.data(), body.y.data()));
    benchmark::ClobberMemory();
  }
  per(state, "ns_per_tet", body.tets);
}

void solve(benchmark::State& state) {
  Phases body(static_cast<int>(state.range(0)));
  const int parts = body.factor().parts();
  std::fill(body.y.begin(), body.y.end(), 1e-3f);
  for (auto _ : state) {
    for (int p = 0; p <= parts; ++p) body.factor().sweep_forward(p, body.y.data());
    for (int p = parts; p >= 0; --p) body.factor().sweep_backward(p, body.y.data(), body.scratch.data());
    benchmark::ClobberMemory();
    state.PauseTiming();
    std::fill(body.y.begin(), body.y.end(), 1e-3f);
    state.ResumeTiming();
  }
  per(state, "ns_per_number", body.entries);
}

void volume_relaxation(benchmark::State& state) {
  Phases body(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    body.constraints.relax(0, body.constraints.size(), false, body.x.data());
    benchmark::ClobberMemory();
  }
  per(state, "ns_per_tet", body.tets);
}

// How good a step is, beside BackwardEuler: where a bar that hangs out from a wall comes to rest, relative to
// where that has it. 1000 nu; dt in units of 0.1 ms; whether incremental, or as published.
double sinking(const char* which, double nu, double step_length, bool incremental) {
  const auto mesh = make_box<Tet4>({.lengths = {0.3, 0.1, 0.1}, .cells = {6, 2, 2}});
  const Pinned held(nodes_where(mesh, [](const auto& X) { return X.x() < 1e-9; }));
  const Solid bar(mesh, FixedCorotated(Lame::from_young_poisson(3e5, nu)), Density{1000},
                  Rayleigh{.alpha = 15});
  const auto rest = [&](auto& sim) {
    sim.set_gravity({0, -9.81, 0});
    while (sim.time() < 3) {
      if (!sim.step()) throw std::runtime_error(which);
    }
    return -sim.positions().row(1).minCoeff();
  };
  if (step_length > 0) {
    Simulation sim(bar,
                   OperatorSplitting{.dt = step_length, .rotation_iterations = 2, .incremental = incremental},
                   held);
    return rest(sim);
  }
  Simulation sim(bar, BackwardEuler{.dt = 0.01}, Cholesky{}, held);
  return rest(sim);
}

void hanging_bar(benchmark::State& state) {
  const double nu = static_cast<double>(state.range(0)) / 1000,
               length = static_cast<double>(state.range(1)) * 1e-4;
  double found = 0;
  for (auto _ : state) found = sinking("operator splitting", nu, length, state.range(2) != 0);
  state.counters["relative_sinking"] = found / sinking("backward Euler", nu, 0, false);
}

// A ball that has come to rest on a floor; dt in units of 0.1 ms, 0: BackwardEuler with 10 ms.
void resting_ball(benchmark::State& state) {
  const auto mesh = make_ball<Tet4>({.radius = 0.1, .shells = 3, .center = {0, 0.1, 0}});
  const Solid ball(mesh, FixedCorotated(Lame::from_young_poisson(1e5, 0.4)), Density{1000},
                   Rayleigh{.alpha = 5});
  const double length = static_cast<double>(state.range(0)) * 1e-4;
  const auto rest = [&](auto& sim) {
    sim.set_gravity({0, -9.81, 0});
    sim.add_collider(HalfSpace({0, 0, 0}, {0, 1, 0}), {.friction = 0.6});
    while (sim.time() < 3) {
      if (!sim.step()) return state.SkipWithError("a step failed");
    }
    auto now = mesh;
    now.nodes = sim.positions();
    state.counters["height"] = sim.positions().row(1).maxCoeff();
    state.counters["volume"] = total_volume(now) / total_volume(mesh);
  };
  for (auto _ : state) {
    if (length > 0) {
      Simulation sim(ball, OperatorSplitting{.dt = length});
      rest(sim);
    } else {
      Simulation sim(ball, BackwardEuler{.dt = 0.01}, Pcg<>{});
      rest(sim);
    }
  }
}

// An undamped bar of 1 x 0.2 x 0.2 m, 1e6 Pa, that swings under its weight for 4 s: its total energy, at the
// start, relative to its depth at rest, -1. Cells across, nu in thousandths, dt in units of 0.1 ms.
void undamped_bar(benchmark::State& state) {
  const int cells = static_cast<int>(state.range(0));
  const double nu = static_cast<double>(state.range(1)) / 1000,
               length = static_cast<double>(state.range(2)) * 1e-4;
  const auto mesh = make_box<Tet4>({.lengths = {1, 0.2, 0.2}, .cells = {5 * cells, cells, cells}});
  const Pinned held(nodes_where(mesh, [](const auto& X) { return X.x() < 1e-9; }));
  const auto energy_after = [&](double time, double damping, const OperatorSplitting& integrator) {
    Simulation sim(Solid(mesh, FixedCorotated(Lame::from_young_poisson(1e6, nu)), Density{1000},
                         Rayleigh{.alpha = damping}),
                   integrator, held);
    sim.set_gravity({0, -9.81, 0});
    while (sim.time() < time - 1e-9) {
      if (!sim.step()) state.SkipWithError("a step failed");
    }
    return sim.energies().total();
  };
  double end = 0;
  for (auto _ : state) end = energy_after(4, 0, {.dt = length});
  state.counters["energy"] = end / std::abs(energy_after(2, 15, {.dt = 0.002}));
}

// Elements that are inverted 5 s after a bar was turned inside out; cells along it, volume iterations.
void turned_inside_out(benchmark::State& state) {
  const int cells = static_cast<int>(state.range(0));
  const auto mesh = make_box<Tet4>({.lengths = {0.2, 0.1, 0.1}, .cells = {cells, cells / 2, cells / 2}});
  auto now = mesh;
  for (auto _ : state) {
    Simulation sim(
        Solid(mesh, FixedCorotated(Lame::from_young_poisson(1e5, 0.3)), Density{1000}, Rayleigh{.alpha = 2}),
        OperatorSplitting{.dt = dt, .volume_iterations = static_cast<int>(state.range(1))},
        Pinned(nodes_where(mesh, [](const auto& X) { return X.x() < 1e-9; })));
    Eigen::MatrixXd start = mesh.nodes;
    start.row(0) *= -1;
    sim.set_positions(start);
    for (int n = 0; n < 500; ++n) {
      if (!sim.step()) return state.SkipWithError("a step failed");
    }
    now.nodes = sim.positions();
  }
  state.counters["tets"] = static_cast<double>(mesh.element_count());
  state.counters["inverted"] = static_cast<double>((element_volumes(now).array() < 0).count());
}

// 15,840, 61,440 and 329,280 tets; threads; digits of the solver.
void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
}
void steps(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgsProduct({{0, 1, 2}, {1, 2}})->Unit(benchmark::kMillisecond)->UseRealTime();
}
void solved_steps(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgsProduct({{0, 1}, {1}, {3, 6}})->Unit(benchmark::kMillisecond)->UseRealTime();
}
BENCHMARK(step<float>)->Apply(steps);
BENCHMARK(step<double>)->Apply(steps);
BENCHMARK(step_of_another_length)->Apply(sizes);
// Bodies; threads; floor.
BENCHMARK(crowd)
    ->ArgsProduct({{1, 7, 16, 100}, {1, 2}, {0}})
    ->ArgsProduct({{100}, {1}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
// Millimetres; poses or one mesh.
BENCHMARK(spread_crowd)
    ->Name("crowd/spread")
    ->ArgsProduct({{300, 3000, 30000}, {0, 1}})
    ->Args({1000000, 0})  // in floats the elements of one mesh have no volume there
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(backward_euler_step<float>)->Apply(solved_steps);
BENCHMARK(stretch_forces)->Apply(sizes);
BENCHMARK(solve)->Apply(sizes);
BENCHMARK(volume_relaxation)->Apply(sizes);
BENCHMARK(hanging_bar)
    ->ArgsProduct({{0, 300, 450}, {100, 40, 20, 10, 5}, {0, 1}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(resting_ball)->Arg(100)->Arg(20)->Arg(0)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(undamped_bar)
    ->ArgsProduct({{4, 8}, {0, 330, 450, 490}, {100, 40, 20, 10}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(turned_inside_out)->ArgsProduct({{8, 16}, {0, 2}})->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
