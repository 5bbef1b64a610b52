// Bodies of hexahedra and tetrahedra with different energies, moved by one Simulation.
#include "io/reading.hpp"
#include "io/vtu_file.hpp"
#include "support/catch.hpp"

#include <cstdint>

#include <Eigen/Geometry>

#include <pliant/constraint/pinned.hpp>
#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/element/hex8.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/backward_euler.hpp>
#include <pliant/integrator/quasistatic.hpp>
#include <pliant/io/vtk_series.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/simulation.hpp>
#include <pliant/solid/copies.hpp>

using namespace pliant;

namespace {

constexpr Pcg<BlockJacobi> exact{.tolerance = 1e-13, .max_iterations = 5000};
constexpr Newton to_the_end{.max_iterations = 100, .tolerance = 1e-11};

auto hexahedra(const LinearElastic& energy, Rayleigh damping = {}) {
  return Solid(make_box<Hex8>({.lengths = {1, 0.5, 0.5}, .cells = {4, 2, 2}}), energy, Density{1000},
               damping);
}
auto tetrahedra(const StableNeoHookean& energy, Rayleigh damping = {}, double begin = 1) {
  return Solid(make_box<Tet4>({.lengths = {1, 0.5, 0.5}, .cells = {4, 2, 2}, .origin = {begin, 0, 0}}),
               energy, Density{500}, damping);
}

const LinearElastic stiff(Lame::from_young_poisson(4e5, 0));
const StableNeoHookean soft(Lame::from_young_poisson(1e5, 0));

}  // namespace

// The faces of hexahedra are bilinear and those of tetrahedra flat: where they meet, uniform stress is not
// quite in balance at the nodes on the edges, so the stretch is only nearly uniform.
TEST_CASE("a bar of hexahedra and tetrahedra in a row is stretched evenly but for their different faces") {
  const StableNeoHookean both(Lame::from_young_poisson(1e5, 0));
  const LinearElastic same(Lame::from_young_poisson(1e5, 0));
  const Bodies bar(Weld{1e-12}, hexahedra(same), tetrahedra(both));
  const auto left = nodes_where(bar.mesh(), [](const auto& X) { return X.x() == 0; });
  const auto right = nodes_where(bar.mesh(), [](const auto& X) { return X.x() == 2; });
  Simulation sim(bar, QuasiStatic{.newton = to_the_end}, exact, Pinned(left),
                 PrescribedMotion(right, [](const auto& X, double) {
                   return SmallVector<double, 3>(X.x() + 1e-3, X.y(), X.z());
                 }));
  const StepReport report = sim.step();
  INFO(report.message());
  REQUIRE(report);
  double furthest = 0;
  for (std::ptrdiff_t k = 0; k < bar.node_count(); ++k) {
    const double even = bar.nodes()(0, k) * (1 + 5e-4);
    furthest = std::max(furthest, std::abs(sim.positions()(0, k) - even));
  }
  CHECK(furthest < 0.1 * 1e-3);
}

TEST_CASE("bodies that nothing joins move as each would alone, with their own damping") {
  const Rayleigh sluggish{.alpha = 3, .beta = 0.02}, lively{.alpha = 0, .beta = 0.001};
  const auto first = hexahedra(stiff, sluggish);
  const auto second = tetrahedra(soft, lively, 2);
  const Bodies both(first, second);
  const auto held = [](const auto& mesh) {
    return nodes_where(mesh, [](const auto& X) { return X.x() == 0 || X.x() == 2; });
  };
  for (const bool linearised : {false, true}) {
    const Newton newton = linearised ? Newton::linearised() : to_the_end;
    const BackwardEuler integrator{.dt = 0.02, .newton = newton};
    Simulation one(first, integrator, exact, Pinned(held(first.mesh())));
    Simulation two(second, integrator, exact, Pinned(held(second.mesh())));
    Simulation all(both, integrator, exact, Pinned(held(both.mesh())));
    one.set_gravity({0, -9.81, 0});
    two.set_gravity({0, -9.81, 0});
    all.set_gravity({0, -9.81, 0});
    for (int step = 0; step < 5; ++step) {
      REQUIRE(one.step());
      REQUIRE(two.step());
      REQUIRE(all.step());
    }
    CHECK((all.positions().leftCols(first.node_count()) - one.positions()).norm() < 1e-9);
    CHECK((all.positions().rightCols(second.node_count()) - two.positions()).norm() < 1e-9);
    CHECK((one.positions() - first.nodes()).norm() > 1e-3);
    CHECK((two.positions() - second.nodes()).norm() > 1e-3);
    CHECK(all.energies().elastic == Approx(one.energies().elastic + two.energies().elastic).epsilon(1e-7));
  }
}

TEST_CASE("a state of bodies is written with the cells of both kinds") {
  const Bodies bar(Weld{1e-12}, hexahedra(stiff), tetrahedra(soft));
  Simulation sim(bar, BackwardEuler{.dt = 0.01}, exact);
  const TemporaryFolder folder;
  VtkSeries out(folder.path / "bar");
  out.write(sim);
  const VtuFile file(folder.path / "bar_0000.vtu");
  const auto& [hexes, tets] = bar.mesh().parts;
  const auto hex_count = static_cast<std::size_t>(hexes.element_count());
  const auto types = file.values<std::uint8_t>("types", "UInt8", 1);
  const auto offsets = file.values<std::int64_t>("offsets", "Int64", 1);
  const auto part = file.values<std::int32_t>("part", "Int32", 1);
  const auto nodes = file.values<std::int32_t>("connectivity", "Int32", 1);
  REQUIRE(types.size() == static_cast<std::size_t>(bar.mesh().element_count()));
  REQUIRE(offsets.size() == types.size());
  REQUIRE(part.size() == types.size());
  for (std::size_t e = 0; e < types.size(); ++e) {
    const bool hex = e < hex_count;
    CHECK(types[e] == (hex ? 12 : 10));
    CHECK(part[e] == (hex ? 0 : 1));
    const auto end = static_cast<std::size_t>(offsets[e]);
    const std::size_t corners = hex ? 8 : 4;
    CHECK(end == (hex ? 8 * (e + 1) : 8 * hex_count + 4 * (e + 1 - hex_count)));
    const auto column = static_cast<std::ptrdiff_t>(hex ? e : e - hex_count);
    for (std::size_t a = 0; a < corners; ++a) {
      const auto row = static_cast<std::ptrdiff_t>(a);
      CHECK(nodes[end - corners + a] == (hex ? hexes.elements(row, column) : tets.elements(row, column)));
    }
  }
}

// In floats, which 2 km away know a place to 0.1 mm.
TEST_CASE("Copies of several materials move far away as at the origin, by forces and by paths") {
  auto mesh = make_box<Tet4, float>({.lengths = {0.3, 0.1, 0.1}, .cells = {3, 1, 1}});
  for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e)
    mesh.regions.push_back(mesh.nodes(0, mesh.elements(0, e)) < 0.15f ? 0 : 1);
  const PerRegion<StableNeoHookean> energies{{0, StableNeoHookean(Lame::from_young_poisson(1e5, 0.3))},
                                             {1, StableNeoHookean(Lame::from_young_poisson(4e5, 0.3))}};
  const auto left = nodes_where(mesh, [](const auto& X) { return X.x() < 1e-6f; });
  const auto right = nodes_where(mesh, [](const auto& X) { return X.x() > 0.2999f; });
  const auto end_at = [&](double distance) {
    const Copies pair(
        Solid(mesh, energies, Density{1000}),
        std::vector<Pose<3>>{Pose<3>(), Pose<3>(Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitX()),
                                                Eigen::Vector3d(distance, 0, distance))});
    // The ends go 0.01 mm in each step.
    Simulation sim(
        pair, BackwardEuler{.dt = 0.01, .newton = {.tolerance = 1e-4}}, Pcg<BlockJacobi>{.tolerance = 1e-6},
        Pinned(pair.nodes(left)),
        PrescribedMotion(pair.nodes(right), [](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
          return X + Eigen::Vector3d(1e-3 * t, 0, 0);
        }));
    sim.set_gravity({0, -9.81, 0});
    for (int n = 0; n < 20; ++n) REQUIRE(sim.step());
    const Eigen::MatrixXd x = sim.relative_positions().cast<double>();
    for (const int node : pair.nodes(right)) CHECK(x(0, node) == Approx(0.3 + 2e-4).margin(2e-7));
    CHECK((sim.positions().cast<double>().rightCols(mesh.node_count()).colwise() -
           Eigen::Vector3d(distance, 0, distance) - x.rightCols(mesh.node_count()))
              .cwiseAbs()
              .maxCoeff() <= 1.3e-4 * distance / 2000 + 1e-12);
    // From a saved state it goes on with the same bits.
    const auto state = sim.state();
    const auto next = [&sim] {
      REQUIRE(sim.step());
      return Eigen::MatrixXf(sim.relative_positions());
    };
    const Eigen::MatrixXf first = next();
    next();
    sim.set_state(state);
    CHECK((sim.relative_positions().cast<double>() == x));
    CHECK((next() == first));
    return x;
  };
  const Eigen::MatrixXd near = end_at(0), far = end_at(2000);
  CHECK((near.leftCols(mesh.node_count()) - mesh.nodes.cast<double>()).cwiseAbs().maxCoeff() > 1e-3);
  CHECK((near - far).cwiseAbs().maxCoeff() < 1e-6);
}
