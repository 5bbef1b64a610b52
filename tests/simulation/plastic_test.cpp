// Plasticity and creep in simulations.
#include "io/vtu_file.hpp"
#include "simulation/plastic_bar.hpp"
#include "support/saved_state.hpp"
#include "support/temporary_folder.hpp"

#include <cmath>
#include <limits>
#include <string>

#include <Eigen/Geometry>

#include <pliant/element/hex8.hpp>
#include <pliant/integrator/central_differences.hpp>
#include <pliant/integrator/quasistatic.hpp>
#include <pliant/io/vtu.hpp>
#include <pliant/mesh/boundary.hpp>
#include <pliant/mesh/make_rectangle.hpp>
#include <pliant/solid/copies.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// A simulation whose nodes are all held at F X. Returns a pointer to it.
template <class Energy, class Matrix>
auto held_at(const Energy& energy, double dt, const Matrix& F) {
  const auto mesh = bar();
  const Solid solid(mesh, energy, Density{1000});
  using Made = decltype(Simulation(solid, BackwardEuler{.dt = dt}, Cholesky{}, Pinned(all_nodes(mesh))));
  auto sim = std::make_unique<Made>(solid, BackwardEuler{.dt = dt}, Cholesky{}, Pinned(all_nodes(mesh)));
  sim->set_positions(F * mesh.nodes);
  return sim;
}

Eigen::Matrix3d stretched(double e) { return Eigen::Vector3d(1 + e, 1, 1).asDiagonal(); }

// The largest difference of a plastic strain from p.
template <class Strains>
double distance(const Strains& strains, const Eigen::Matrix3d& p) {
  const Eigen::Matrix<double, 9, 1> column = p.reshaped();
  return (strains.colwise() - column).cwiseAbs().maxCoeff();
}

}  // namespace

TEMPLATE_TEST_CASE("plastic bar: a held stretch leaves the set of the recurrence, and the bar its length", "",
                   LinearElastic, CorotatedLinear) {
  // p := p + min(1, dt creep)(e - p) while e - p > yield, which tends to e - yield, reached at ln 2 / creep.
  struct Truth {
    double dt, p;
  };
  for (const auto& [dt, truth] :
       {Truth{1.0 / 60, 0.0517747}, Truth{1.0 / 240, 0.0514955}, Truth{1.0 / 960, 0.0504197}}) {
    const auto energy = plastic<TestType>({.yield = 0.05, .creep = 10});
    const auto sim = held_at(energy, dt, stretched(0.1));
    double p = 0;
    for (int step = 0; step < std::lround(0.5 / dt); ++step) {
      run_steps(*sim, 1);
      if (0.1 - p > 0.05) p += dt * 10 * (0.1 - p);
      REQUIRE(distance(sim->plastic_strains(), Eigen::Vector3d(p, 0, 0).asDiagonal()) <= 1e-14);
    }
    CHECK(p == Approx(truth).margin(5e-8));

    // Let go, the bar keeps its set.
    const auto mesh = bar();
    Simulation free(Solid(mesh, energy, Density{1000}), QuasiStatic{}, Cholesky{}, Pinned(left_nodes(mesh)));
    free.set_positions(sim->positions());
    free.set_plastic_strains(sim->plastic_strains());
    run_steps(free, 1);
    for (const int node : right_nodes(mesh))
      CHECK(free.positions()(0, node) == Approx(length * (1 + p)).epsilon(1e-9));
    CHECK(free.energies().elastic <= 1e-12 * young * area * length);
    CHECK((free.plastic_strains() == sim->plastic_strains()));
  }
}

TEMPLATE_TEST_CASE("plastic bar: at the limit it is elastic again", "", LinearElastic, CorotatedLinear) {
  const auto sim =
      held_at(plastic<TestType>({.yield = 0.05, .creep = 10, .limit = 0.2}), 1.0 / 60, stretched(0.5));
  run_steps(*sim, 30);
  CHECK(distance(sim->plastic_strains(), Eigen::Vector3d(0.2, 0, 0).asDiagonal()) <= 1e-14);
  double pull = 0;
  for (const int node : right_nodes(sim->mesh())) pull += sim->constraint_forces()(0, node);
  CHECK(pull == Approx(young * 0.3 * area).epsilon(1e-12));
  CHECK(sim->energies().elastic == Approx(young * 0.3 * 0.3 / 2 * area * length).epsilon(1e-12));
}

TEST_CASE("plastic bar: simple shear, large") {
  // S of F = I + g e1 e2^T is [c, s; s, c + g s] with tan = g / 2.
  const double shear = 0.6, c = 1 / std::sqrt(1 + shear * shear / 4), s = c * shear / 2;
  Eigen::Matrix3d F = Eigen::Matrix3d::Identity(), e = Eigen::Matrix3d::Zero(), small = e;
  F(0, 1) = shear;
  e(0, 0) = c - 1;
  e(0, 1) = e(1, 0) = s;
  e(1, 1) = c + shear * s - 1;
  small(0, 1) = small(1, 0) = shear / 2;
  const Plasticity wax{.yield = 0.1, .creep = 8, .limit = 0.35};
  const auto corotated = held_at(plastic<CorotatedLinear>(wax, 0.3), 0.01, F);
  const auto linear = held_at(plastic<LinearElastic>(wax, 0.3), 0.01, F);
  const auto expect = [&](const Eigen::Matrix3d& strain, Eigen::Matrix3d& p) {
    if ((strain - p).norm() > 0.1) p += 0.08 * (strain - p);
    if (p.norm() > 0.35) p *= 0.35 / p.norm();
  };
  Eigen::Matrix3d p = Eigen::Matrix3d::Zero(), q = p;
  for (int step = 0; step < 40; ++step) {
    run_steps(*corotated, 1);
    run_steps(*linear, 1);
    expect(e, p);
    expect(small, q);
    REQUIRE(distance(corotated->plastic_strains(), p) <= 1e-14);
    REQUIRE(distance(linear->plastic_strains(), q) <= 1e-14);
  }
  CHECK(q.norm() > 0.3);
}

TEST_CASE(
    "plastic bar: with yield 0 it creeps: a held stress relaxes, a held load stretches it without end") {
  const double dt = 0.02, creep = 1.5;
  const auto sim = held_at(plastic<LinearElastic>({.creep = creep}), dt, stretched(0.01));
  for (int step = 1; step <= 50; ++step) {
    run_steps(*sim, 1);
    const double left = 0.01 * std::pow(1 - dt * creep, step);
    REQUIRE(sim->energies().elastic == Approx(young * left * left / 2 * area * length).epsilon(1e-11));
  }
  // exp(-creep t) to first order in dt
  CHECK(std::sqrt(sim->energies().elastic / (young * area * length / 2)) ==
        Approx(0.01 * std::exp(-creep * 50 * dt)).epsilon(0.03));

  // Under a constant stress f / A: p grows by dt creep f / (E A) in each step.
  const auto mesh = bar();
  Simulation loaded(Solid(mesh, plastic<LinearElastic>({.creep = creep}), Density{1000}),
                    QuasiStatic{.dt = dt}, Cholesky{}, Pinned(left_nodes(mesh)));
  Eigen::MatrixXd force = Eigen::MatrixXd::Zero(3, mesh.node_count());
  const double strain = 0.02;
  double weights = 0;  // the shares of the face's nodes: one for each triangle
  const auto faces = boundary_faces(mesh).faces;
  for (std::ptrdiff_t f = 0; f < faces.cols(); ++f) {
    double least = infinity;
    for (int k = 0; k < 3; ++k) least = std::min(least, mesh.nodes(0, faces(k, f)));
    if (least < length - 1e-9) continue;
    for (int k = 0; k < 3; ++k) force(0, faces(k, f)) += 1, weights += 1;
  }
  loaded.set_external_forces(force * (young * area * strain / weights));
  for (int step = 0; step < 20; ++step) {
    run_steps(loaded, 1);
    for (const int node : right_nodes(mesh))
      REQUIRE(loaded.positions()(0, node) / length - 1 ==
              Approx(strain * (1 + step * dt * creep)).epsilon(1e-9));
  }
}

TEST_CASE("plastic bar: below yield every bit is that without plasticity") {
  const auto check = [](auto integrator, auto... solver) {
    const auto mesh = bar(6);
    const auto swing = [&](auto energy) {
      Simulation sim(Solid(mesh, energy, Density{1000}, Rayleigh{.beta = 1e-3}), integrator, solver...,
                     Pinned(left_nodes(mesh)));
      sim.set_gravity({0, -9.81, 3});
      return run(sim, 0, 12, NoEvents{});
    };
    for (const double yield : {0.5, infinity}) {
      CHECK(swing(elastic<CorotatedLinear>(0.3))
                .first_difference(swing(plastic<CorotatedLinear>({.yield = yield, .creep = 10}, 0.3))) == -1);
      CHECK(swing(elastic<LinearElastic>(0.3))
                .first_difference(swing(plastic<LinearElastic>({.yield = yield, .creep = 10}, 0.3))) == -1);
    }
    CHECK(swing(elastic<CorotatedLinear>(0.3))
              .first_difference(swing(plastic<CorotatedLinear>({.yield = 1e-4, .creep = 10}, 0.3))) != -1);
  };
  check(BackwardEuler{.dt = 0.01}, Cholesky{});
  check(CentralDifferences{.dt = 0.01});
  const auto below =
      held_at(plastic<CorotatedLinear>({.yield = 0.05, .creep = 10}), 1.0 / 60, stretched(0.04));
  run_steps(*below, 30);
  CHECK((below->plastic_strains().array() == 0).all());
}

TEST_CASE("a flowing bar: the same material turned in space answers with the turned motion") {
  const Eigen::Matrix3d Q = Eigen::AngleAxisd(2, Eigen::Vector3d(1, -1, 3).normalized()).toRotationMatrix();
  const auto mesh = make_box<Tet4>({.lengths = {length, 0.1, 0.1}, .cells = {4, 2, 2}});
  auto turned = mesh;
  turned.nodes = Q * mesh.nodes;
  const auto left = left_nodes(mesh);
  const auto make = [&](const auto& shape, const Eigen::Vector3d& gravity) {
    const Solid solid(shape, plastic<CorotatedLinear>({.yield = 0.02, .creep = 5, .limit = 0.1}, 0.3),
                      Density{1000});
    using Made = decltype(Simulation(solid, BackwardEuler{.dt = 0.02}, Cholesky{}, Pinned(left)));
    auto sim = std::make_unique<Made>(solid, BackwardEuler{.dt = 0.02, .newton = {.tolerance = 1e-12}},
                                      Cholesky{}, Pinned(left));
    sim->set_gravity(gravity);
    run_steps(*sim, 40);
    return sim;
  };
  const Eigen::Vector3d gravity(20, -60, 10);
  const auto sim = make(mesh, gravity), other = make(turned, Q * gravity);
  CHECK((Q * sim->positions() - other->positions()).cwiseAbs().maxCoeff() <= 1e-9);
  const auto strains = sim->plastic_strains(), turned_strains = other->plastic_strains();
  CHECK(strains.colwise().norm().maxCoeff() == Approx(0.1).epsilon(1e-9));  // some reach the limit
  for (std::ptrdiff_t k = 0; k < strains.cols(); ++k) {
    const Eigen::Matrix3d p = strains.col(k).reshaped(3, 3), q = turned_strains.col(k).reshaped(3, 3);
    CHECK((Q * p * Q.transpose() - q).norm() <= 1e-8);
  }
}

TEST_CASE("a flowing bar: a plane body is a section of a body in space at constant thickness") {
  const double dt = 0.02;
  const auto plane = make_rectangle<Tri3>({.lengths = {1, 1}, .cells = {1, 1}});
  Simulation flat(Solid(plane, plastic<CorotatedLinear>(clay, 0.3), Density{1000}), BackwardEuler{.dt = dt},
                  Cholesky{}, Pinned(all_nodes(plane)));
  Eigen::Matrix2d F;
  F << 1.2, 0.3, -0.1, 0.9;
  flat.set_positions(F * plane.nodes);
  Eigen::Matrix3d G = Eigen::Matrix3d::Identity();
  G.topLeftCorner<2, 2>() = F;
  const auto space = held_at(plastic<CorotatedLinear>(clay, 0.3), dt, G);
  run_steps(flat, 10);
  run_steps(*space, 10);
  const Eigen::Matrix3d p = space->plastic_strains().col(0).reshaped(3, 3);
  CHECK(p.topLeftCorner<2, 2>().norm() > 0.01);
  CHECK((p.topLeftCorner<2, 2>() - flat.plastic_strains().col(0).reshaped(2, 2)).norm() <= 1e-14);
  CHECK(p.row(2).norm() <= 1e-15);
}

TEST_CASE("plastic strains of several solids and regions") {
  // The regions of the first solid flow at different rates, which are mixed in the batches of the kernel; the
  // second solid is elastic, the third has the points of hexahedra.
  auto mesh = bar();
  mesh.regions.clear();
  for (int e = 0; e < static_cast<int>(mesh.element_count()); ++e) mesh.regions.push_back(1 + e % 2);
  const PerRegion<Plastic<CorotatedLinear>> materials{
      {1, plastic<CorotatedLinear>({.yield = 0.05, .creep = 10})},
      {2, plastic<CorotatedLinear>({.yield = 0.02, .creep = 4})}};
  const auto hexes = make_box<Hex8>({.lengths = {length, 0.1, 0.1}, .cells = {2, 1, 1}});
  const Solid first(mesh, materials, Density{1000});
  const Solid second(mesh, elastic<CorotatedLinear>(), Density{1000});
  const Solid third(hexes, plastic<LinearElastic>({.yield = 0.05, .creep = 5}), Density{1000});
  const Bodies bodies(first, second, third);
  Simulation sim(bodies, BackwardEuler{.dt = 0.01}, Cholesky{}, Pinned(all_nodes(bodies.mesh())));
  sim.set_positions(stretched(0.1) * bodies.nodes());
  run_steps(sim, 12);
  double quick = 0, slow = 0, hexahedral = 0;
  for (int step = 0; step < 12; ++step) {
    if (0.1 - quick > 0.05) quick += 0.1 * (0.1 - quick);
    slow += 0.04 * (0.1 - slow);
    hexahedral += 0.05 * (0.1 - hexahedral);
  }
  REQUIRE(slow > 0.02);
  const auto strains = sim.plastic_strains();
  REQUIRE(strains.cols() == mesh.element_count());
  for (int e = 0; e < static_cast<int>(mesh.element_count()); ++e) {
    CHECK(strains(0, e) == Approx(e % 2 == 0 ? quick : slow).epsilon(1e-12));
  }
  const auto points = sim.plastic_strains<2>();
  REQUIRE(points.cols() == 8 * hexes.element_count());
  const Eigen::Matrix3d of_hexahedra = Eigen::Vector3d(hexahedral, 0, 0).asDiagonal();
  CHECK(distance(points, of_hexahedra) <= 1e-14);

  // Cells of all solids, as written for ParaView.
  const auto cells = sim.cell_plastic_strains();
  const std::ptrdiff_t tets = mesh.element_count();
  REQUIRE(cells.cols() == 2 * tets + hexes.element_count());
  CHECK((cells.leftCols(tets) == strains));
  CHECK(cells.middleCols(tets, tets).norm() == 0);
  CHECK(distance(cells.rightCols(hexes.element_count()), of_hexahedra) <= 1e-14);
  const TemporaryFolder folder;
  write_vtu(folder.path / "bodies.vtu", sim);
  const auto written = VtuFile(folder.path / "bodies.vtu").values<double>("plastic_strain", "Float64", 9);
  REQUIRE(static_cast<std::ptrdiff_t>(written.size()) == cells.size());
  CHECK(std::equal(written.begin(), written.end(), cells.data()));
}

TEST_CASE("plastic strains of copies of a solid, which has terms") {
  const Eigen::Matrix3d Q = Eigen::AngleAxisd(1, Eigen::Vector3d(1, 1, 2).normalized()).toRotationMatrix();
  const Solid one(bar(), plastic<CorotatedLinear>({.yield = 0.05, .creep = 10}), Density{1000});
  const Copies copies(one, {Pose<3>(), Pose<3>(Eigen::Quaterniond(Q), Eigen::Vector3d(1, 2, 3))});
  Simulation sim(copies.with(), BackwardEuler{.dt = 0.01}, Cholesky{}, Pinned(all_nodes(copies.mesh())));
  Eigen::MatrixXd x(3, copies.node_count());
  x << stretched(0.1) * one.nodes(), (Q * stretched(0.1) * one.nodes()).colwise() + Eigen::Vector3d(1, 2, 3);
  sim.set_positions(x);
  run_steps(sim, 1);
  const Eigen::Matrix3d p = Eigen::Vector3d(0.01, 0, 0).asDiagonal();
  const auto strains = sim.plastic_strains();
  const std::ptrdiff_t tets = one.mesh().element_count();
  REQUIRE(strains.cols() == 2 * tets);
  CHECK(distance(strains.leftCols(tets), p) <= 1e-14);
  CHECK(distance(strains.rightCols(tets), Q * p * Q.transpose()) <= 1e-14);
  CHECK((sim.cell_plastic_strains() == strains));
}

TEST_CASE("plastic strains are set, and wrong ones refused") {
  const auto sim = held_at(plastic<CorotatedLinear>({.yield = 0.05, .creep = 10}), 0.01, stretched(0.1));
  run_steps(*sim, 3);
  const auto strains = sim->plastic_strains();
  const double energy = sim->energies().elastic;
  CHECK(energy < young * 0.1 * 0.1 / 2 * area * length);
  sim->set_plastic_strains(0 * strains);
  CHECK(sim->energies().elastic == Approx(young * 0.1 * 0.1 / 2 * area * length).epsilon(1e-12));
  sim->set_plastic_strains(strains);
  CHECK(sim->energies().elastic == energy);

  const auto cols = strains.cols();
  CHECK_THROWS_AS(sim->set_plastic_strains(Eigen::MatrixXd::Zero(9, cols - 1)), SizeError);
  CHECK_THROWS_AS(sim->set_plastic_strains(Eigen::MatrixXd::Zero(6, cols)), SizeError);
  Eigen::MatrixXd wrong = strains;
  wrong(4, 2) = not_a_number;
  CHECK_THROWS_AS(sim->set_plastic_strains(wrong), ParameterError);
  wrong = strains;
  wrong(1, 2) = 0.25;
  try {
    sim->set_plastic_strains(wrong);
    CHECK(false);
  } catch (const ParameterError& error) {
    CHECK(error.value() == 0.25);
    CHECK(std::string(error.what()).find("column 2") != std::string::npos);
  }
  CHECK((sim->plastic_strains() == strains));
}
