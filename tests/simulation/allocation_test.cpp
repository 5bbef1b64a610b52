// Puts versions of malloc and its relatives before the C library's that count and may fail.
#include "allocations.hpp"
#include "potential/terms.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <cstdlib>

#include <pliant/constraint/pinned.hpp>
#include <pliant/contact/shape/half_space.hpp>
#include <pliant/energy/fixed_corotated.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/central_differences.hpp>
#include <pliant/integrator/newmark.hpp>
#include <pliant/integrator/quasistatic.hpp>
#include <pliant/io/make_triangle_mesh.hpp>
#include <pliant/linear_solver/bounded/mprgp.hpp>
#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/linear_solver/preconditioner/prefactored.hpp>
#include <pliant/linear_solver/preconditioner/two_level.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/operator_splitting/operator_splitting.hpp>
#include <pliant/simulation/simulation.hpp>

#if CAN_COUNT_ALLOCATIONS

std::atomic<long> allocations{0}, failing_allocation{0};

namespace {
bool finds_memory() { return ++allocations != failing_allocation; }
}  // namespace

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) noexcept { return finds_memory() ? __libc_malloc(size) : nullptr; }
void* calloc(std::size_t count, std::size_t size) noexcept {
  return finds_memory() ? __libc_calloc(count, size) : nullptr;
}
void* realloc(void* old, std::size_t size) noexcept {
  return finds_memory() ? __libc_realloc(old, size) : nullptr;
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return finds_memory() ? __libc_memalign(alignment, size) : nullptr;
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return finds_memory() ? __libc_memalign(alignment, size) : nullptr;
}
int posix_memalign(void** result, std::size_t alignment, std::size_t size) noexcept {
  *result = finds_memory() ? __libc_memalign(alignment, size) : nullptr;
  return *result == nullptr ? 12 : 0;
}
}

using namespace pliant;

namespace {

// before(k): what comes before step k.
template <class Simulation, class Before>
void three_steps_without_allocation(Simulation& simulation, Before&& before) {
  bool done = true;
  const long at_first = allocations;
  for (int step = 0; step < 3; ++step) {
    before(step);
    done = done && simulation.step();
  }
  const long in_the_end = allocations;
  CHECK(in_the_end - at_first == 0);
  CHECK(done);
}

// Three steps after the first, each of another length, on each number of threads.
template <class Solid, class Integrator, class... Solver>
void steps_without_allocation(const Solid& solid, const Integrator& integrator, const Solver&... solver) {
  const auto bottom = nodes_where(solid.mesh(), [](const auto& X) { return X.y() < 1e-6; });
  for (const int threads : thread_counts_without_allocation) {
    INFO(threads << " threads");
    const WithThreads with(threads);
    Simulation simulation(solid, integrator, solver..., Pinned(bottom));
    simulation.set_gravity({0, -9.81, 0});
    REQUIRE(simulation.step());
    three_steps_without_allocation(simulation, [&](int step) {
      simulation.set_gravity({0, -9.81, 0.1 * step});  // so that statics has something to do
      Integrator other = integrator;
      other.dt *= 1 - 0.1 * step;
      simulation.set_integrator(other);
    });
  }
}

const StableNeoHookean rubber(Lame::from_young_poisson(1e5, 0.4));
// Large enough for seven threads: 4800 tets.
const BoxShape box{.cells = {10, 10, 8}, .split = Split::kuhn};

}  // namespace

TEST_CASE("The counter counts") {
  const void* volatile seen = nullptr;  // what nobody sees need not be allocated
  const long before = allocations;
  {
    const Eigen::VectorXd some = Eigen::VectorXd::Zero(100);
    seen = some.data();
  }
  {
    const std::vector<int> more(1000);
    seen = more.data();
  }
  {
    const NodeVector<3, double> aligned(10);
    seen = aligned.data();
  }
  CHECK(seen != nullptr);
  CHECK(allocations - before >= 3);
}

TEST_CASE("A step allocates nothing once the first has run: Newton") {
  steps_without_allocation(
      Solid(make_box<Tet4>(box), rubber, Density{1000}, Rayleigh{.alpha = 0.1, .beta = 0.01}),
      BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{});
}

TEST_CASE("A step allocates nothing once the first has run: terms of a program's own") {
  const auto solid = Solid(make_box<Tet4>(box), rubber, Density{1000});
  const std::vector<double> drag(static_cast<std::size_t>(solid.node_count()), 0.1);
  const LaggedDrag lagged{drag, {4, 5, 6}, std::vector<Eigen::Vector3d>(drag.size())};
  steps_without_allocation(solid.with(Springs{{{7, 50, {0.5, 0, 0}}}}, lagged, Floor{{1, 2, 3}, 1e-3, 0.5}),
                           BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{});
}

TEST_CASE("A step allocates nothing once the first has run: one linearised iteration, in floats") {
  steps_without_allocation(Solid(make_box<Tet4, float>(box), rubber, Density{1000}),
                           BackwardEuler{.dt = 0.01, .newton = Newton::linearised()},
                           Pcg<Jacobi>{.tolerance = 1e-4});
}

TEST_CASE("A step allocates nothing once the first has run: Newmark") {
  steps_without_allocation(
      Solid(make_box<Tet4>(box), rubber, Density{1000}, Rayleigh{.alpha = 0.1, .beta = 0.01}),
      Newmark{.dt = 0.01}, Pcg<BlockJacobi>{});
}

TEST_CASE("A step allocates nothing once the first has run: central differences") {
  steps_without_allocation(
      Solid(make_box<Tet4>(box), rubber, Density{1000}, Rayleigh{.alpha = 0.1, .beta = 1e-4}),
      CentralDifferences{.dt = 0.01});
}

TEST_CASE("A step allocates nothing once the first has run: statics") {
  steps_without_allocation(Solid(make_box<Tet4>(box), rubber, Density{1000}), QuasiStatic{},
                           Pcg<BlockJacobi>{});
}

TEST_CASE("A step allocates nothing once the first has run: a direct solver") {
  steps_without_allocation(Solid(make_box<Tet4>(box), rubber, Density{1000}), BackwardEuler{.dt = 0.01},
                           Cholesky{});
}

TEST_CASE("A step allocates nothing once the first has run: operator splitting") {
  const auto mesh = make_box<Tet4>(box);
  for (const int threads : thread_counts_without_allocation) {
    INFO(threads << " threads");
    const WithThreads with(threads);
    Simulation simulation(
        Solid(mesh, FixedCorotated(Lame::from_young_poisson(1e5, 0.4)), Density{1000}, Rayleigh{.alpha = 1}),
        OperatorSplitting{.dt = 0.01}, Pinned(nodes_where(mesh, [](const auto& X) { return X.y() < 1e-6; })));
    simulation.set_gravity({0, -9.81, 0});
    REQUIRE(simulation.step());
    three_steps_without_allocation(simulation, [](int) {});
  }
}

TEST_CASE("A step allocates nothing where contact is steady") {
  for (const int threads : thread_counts_without_allocation) {
    INFO(threads << " threads");
    const WithThreads with(threads);
    Simulation simulation(Solid(make_box<Tet4>(box), rubber, Density{1000}, Rayleigh{.alpha = 20}),
                          BackwardEuler{.dt = 0.02}, Pcg<BlockJacobi>{});
    simulation.set_gravity({0, -9.81, 0});
    simulation.add_collider(HalfSpace(Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(0, 1, 0)), {.friction = 0.5});
    simulation.add_collider(
        make_triangle_mesh(make_box<Tet4>({.lengths = {1, 1, 1}, .cells = {2, 2, 2}})), {},
        [](double t) { return Pose<3>(Eigen::Matrix3d::Identity(), Eigen::Vector3d(-1 + 0.001 * t, 0, 0)); });
    for (int step = 0; step < 40; ++step) REQUIRE(simulation.step());
    three_steps_without_allocation(simulation, [](int) {});
  }
}

TEST_CASE("A step allocates nothing where contact is steady: central differences") {
  for (const int threads : thread_counts_without_allocation) {
    INFO(threads << " threads");
    const WithThreads with(threads);
    Simulation simulation(Solid(make_box<Tet4>(box), rubber, Density{1000}, Rayleigh{.alpha = 20}),
                          CentralDifferences{.dt = 0.02});
    simulation.set_gravity({0, -9.81, 0});
    simulation.add_collider(HalfSpace(Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(0, 1, 0)), {.friction = 0.5});
    for (int step = 0; step < 40; ++step) REQUIRE(simulation.step());
    three_steps_without_allocation(simulation, [](int) {});
    CHECK(simulation.contacts().size() > 3);
  }
}

TEST_CASE("A step allocates nothing once the first has run: two levels") {
  steps_without_allocation(Solid(make_box<Tet4>(box), rubber, Density{1000}), BackwardEuler{.dt = 0.01},
                           Pcg<TwoLevel>{});
}

TEST_CASE("A step allocates nothing once the first has run: an earlier factor, also where it is made anew") {
  steps_without_allocation(Solid(make_box<Tet4>(box), rubber, Density{1000}), BackwardEuler{.dt = 0.01},
                           Pcg<Prefactored>{});
  steps_without_allocation(Solid(make_box<Tet4>(box), rubber, Density{1000}), BackwardEuler{.dt = 0.01},
                           Pcg<Prefactored>{.preconditioner = {.refactor_above = 0}});
}

TEST_CASE("A solve with bounds allocates nothing once the first has run") {
  const ElasticSystem system(Solid(make_box<Tet4>(box), rubber, Density{1000}));
  auto A = system.make_matrix();
  auto b = system.make_vector(), x = system.make_vector();
  using Vector = decltype(b);
  auto bounds = BoxConstraints<Vector>::unbounded(b.nodes());
  for (std::ptrdiff_t i = 0; i < A.rows(); ++i) {
    A.diagonal(i).diagonal().setConstant(2);
    if (i > 0) A.diagonal(i)(0, 1) = A.diagonal(i)(1, 0) = 1;
    b.node(i).setConstant(i % 3 == 0 ? 1 : -2);
    bounds.lower.node(i).setConstant(-0.1);
  }
  typename Mprgp<Jacobi>::Workspace<decltype(A)> workspace;
  for (const int threads : thread_counts_without_allocation) {
    const WithThreads with(threads);
    REQUIRE(Mprgp<Jacobi>{}.solve(A, b, bounds, x, workspace));
    x.set_zero();
    const long before = allocations;
    const MprgpReport report = Mprgp<Jacobi>{}.solve(A, b, bounds, x, workspace);
    const long after = allocations;
    CHECK(after - before == 0);
    CHECK(report.active > 0);
    CHECK(report.iterations > 0);
  }
}

#else

TEST_CASE("Allocations are not counted here") {
  SKIP_HERE("there is a sanitizer, or another C library than glibc");
}

#endif
