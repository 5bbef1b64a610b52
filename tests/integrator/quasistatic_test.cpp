// Static equilibrium against closed forms, against dynamics that has come to rest, and against itself.
#include "integrator/bodies.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>

#include <pliant/constraint/pinned.hpp>
#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/energy/bonet_wood_neo_hookean.hpp>
#include <pliant/energy/bower_neo_hookean.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/quasistatic.hpp>
#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/mesh/boundary.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

using Path = std::function<Eigen::Vector3d(const Eigen::Vector3d&, double)>;

// Every static body of this file: some nodes held, some moved.
template <class Energy>
using Static = Simulation<Solid<Tet4, Energy, double>, QuasiStatic, Pcg<BlockJacobi>,
                          Together<Pinned, PrescribedMotion<Path>>>;

template <class Energy>
std::unique_ptr<Static<Energy>> make_static(const Mesh<Tet4>& mesh, const Energy& energy,
                                            std::vector<int> held, std::vector<int> moved = {},
                                            Path path = {}, QuasiStatic integrator = {}) {
  return std::make_unique<Static<Energy>>(Solid(mesh, energy, Density{1000}), integrator,
                                          Pcg<BlockJacobi>{.tolerance = 1e-10}, Pinned(std::move(held)),
                                          PrescribedMotion<Path>(std::move(moved), std::move(path)));
}

Mesh<Tet4> bar() { return make_box<Tet4>({.lengths = {1, 0.25, 0.25}, .cells = {8, 2, 2}}); }

std::vector<int> nodes_at(const Mesh<Tet4>& mesh, int axis, double value) {
  return nodes_where(mesh, [&](const auto& X) { return std::abs(X(axis) - value) < 1e-9; });
}

const Lame soft = Lame::from_young_poisson(1e5, 0.4);

// The end of the bar is pulled, and turned by 120 degrees about the axis, from t = 0 to 1.
const Path pull_and_turn = [](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
  const Eigen::Vector3d axis(0, 0.125, 0.125);
  return axis + rotation(2.0944 * t, {1, 0, 0}) * (X - axis) + Eigen::Vector3d(0.3 * t, 0, 0);
};

}  // namespace

TEST_CASE("QuasiStatic: a surface that is moved affinely takes the inside along, in one step") {
  Eigen::Matrix3d F;
  F << 1.6, 0.4, 0, -0.3, 0.7, 0.2, 0.1, 0, 1.2;
  const auto mesh = jittered_box({4, 3, 3});
  const auto inside = nodes_where(mesh, [&](const auto& X) {
    return X(0) > 0.05 && X(0) < 0.35 && X(1) > 0.05 && X(1) < 0.25 && X(2) > 0.05 && X(2) < 0.25;
  });
  std::vector<int> outside;
  for (int i = 0; i < mesh.node_count(); ++i) {
    if (std::find(inside.begin(), inside.end(), i) == inside.end()) outside.push_back(i);
  }
  REQUIRE(inside.size() == 12);
  const auto sim =
      make_static(mesh, StableNeoHookean(soft), {}, outside,
                  [&](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d { return X + t * (F * X - X); });
  const StepReport report = sim->step();
  REQUIRE(report);
  CHECK(report.newton_iterations <= 6);
  CHECK((sim->positions() - F * mesh.nodes).cwiseAbs().maxCoeff() < 1e-7);
  CHECK(sim->velocities().norm() == 0);
  CHECK(sim->time() == 1);
}

TEST_CASE("QuasiStatic: the linear bar under a dead load at its end: F L / (E A)") {
  const double E = 1e5, length = 1, area = 0.0625, load = 50;
  const auto mesh = make_box<Tet4>({.lengths = {length, 0.25, 0.25}, .cells = {8, 2, 2}});
  const auto sim = make_static(mesh, LinearElastic(Lame::from_young_poisson(E, 0)), nodes_at(mesh, 0, 0));
  // A uniform traction on the end: each boundary triangle gives a third of its force to each of its nodes.
  Points forces = Points::Zero(3, mesh.node_count());
  const auto boundary = boundary_faces(mesh);
  for (std::ptrdiff_t f = 0; f < boundary.faces.cols(); ++f) {
    const Eigen::Vector3i t = boundary.faces.col(f);
    if ((mesh.nodes(0, t(0)) + mesh.nodes(0, t(1)) + mesh.nodes(0, t(2))) < 3 * length - 1e-9) continue;
    const Eigen::Vector3d a = mesh.nodes.col(t(1)) - mesh.nodes.col(t(0));
    const Eigen::Vector3d b = mesh.nodes.col(t(2)) - mesh.nodes.col(t(0));
    for (int k = 0; k < 3; ++k) forces(0, t(k)) += a.cross(b).norm() / 2 / area * load / 3;
  }
  REQUIRE(forces.row(0).sum() == Approx(load));
  sim->set_external_forces(forces);
  const StepReport report = sim->step();
  REQUIRE(report);
  CHECK(report.newton_iterations == 1);
  Points expected = mesh.nodes;
  expected.row(0) *= 1 + load / (E * area);
  CHECK((sim->positions() - expected).cwiseAbs().maxCoeff() < 1e-9);
  // Clapeyron: the energy is half the work of the load.
  CHECK(report.energies.elastic == Approx(load * load * length / (2 * E * area)).epsilon(1e-8));
  CHECK(report.potential_drop == Approx(report.energies.elastic).epsilon(1e-8));
}

TEST_CASE("QuasiStatic: where a damped body comes to rest") {
  const auto mesh = bar();
  const auto held = nodes_at(mesh, 0, 0);
  const auto statics = make_static(mesh, StableNeoHookean(soft), held);
  statics->set_gravity({0, -9.81, 0});
  const StepReport report = statics->step();
  REQUIRE(report);
  const double sag = (mesh.nodes - statics->positions()).row(1).maxCoeff();
  CHECK(sag > 0.1);

  const auto dynamics =
      make_scene<StableNeoHookean>({.mesh = mesh,
                                    .lame = soft,
                                    .damping = {.alpha = 5, .beta = 0.05},
                                    .integrator = {.dt = 0.05, .newton = {.tolerance = 1e-9}},
                                    .pinned = held});
  dynamics->set_gravity({0, -9.81, 0});
  for (int i = 0; i < 400; ++i) REQUIRE(dynamics->step());
  CHECK((dynamics->positions() - statics->positions()).cwiseAbs().maxCoeff() < 1e-5 * sag);
  CHECK(report.energies.total() <= dynamics->energies().total() + 1e-9);
}

TEST_CASE("QuasiStatic: one long step and many short ones end in the same equilibrium") {
  const auto mesh = bar();
  const auto run = [&](int steps, int increments) {
    const auto sim = make_static(mesh, StableNeoHookean(soft), nodes_at(mesh, 0, 0), nodes_at(mesh, 0, 1),
                                 pull_and_turn, {.dt = 1.0 / steps, .increments = increments});
    for (int i = 0; i < steps; ++i) REQUIRE(sim->step());
    CHECK(sim->time() == Approx(1));
    return Points(sim->positions());
  };
  const Points once = run(1, 1);
  CHECK((once - run(1, 6)).cwiseAbs().maxCoeff() < 1e-5);
  CHECK((once - run(6, 1)).cwiseAbs().maxCoeff() < 1e-5);
}

TEST_CASE("QuasiStatic: a part that does not converge is halved") {
  const auto mesh = bar();
  const auto twisted = [&](int max_halvings, int increments) {
    return make_static(mesh, StableNeoHookean(soft), nodes_at(mesh, 0, 0), nodes_at(mesh, 0, 1),
                       pull_and_turn,
                       {.increments = increments,
                        .max_halvings = max_halvings,
                        .newton = {.max_iterations = 3, .tolerance = 1e-6}});
  };
  const auto impatient = twisted(0, 1);
  CHECK(impatient->step().stop == StepStop::not_converged);
  CHECK(impatient->positions() == mesh.nodes);
  CHECK(impatient->time() == 0);

  const auto patient = twisted(6, 1), fine = twisted(0, 64);
  const StepReport report = patient->step();
  REQUIRE(report);
  CHECK(report.newton_iterations > 3);
  REQUIRE(fine->step());
  CHECK((patient->positions() - fine->positions()).cwiseAbs().maxCoeff() < 1e-5);
}

TEST_CASE("QuasiStatic: what no halving can help fails with its reason, and the body stays") {
  const auto mesh = bar();
  // At the end of the path the elements on the end of the bar are flat.
  const Path to_a_point = [](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
    return X + t * (Eigen::Vector3d(1, 0.125, 0.125) - X);
  };
  const auto sim = make_static(mesh, BonetWoodNeoHookean(soft), nodes_at(mesh, 0, 0), nodes_at(mesh, 0, 1),
                               to_a_point, {.max_halvings = 2});
  const StepReport report = sim->step();
  CHECK(report.stop == StepStop::energy_undefined);
  CHECK(report.undefined_element >= 0);
  CHECK(sim->positions() == mesh.nodes);
  CHECK(sim->time() == 0);
}

TEST_CASE("QuasiStatic: loads grow from those of the last equilibrium; a failed step leaves them there") {
  const auto mesh = bar();
  const auto held = nodes_at(mesh, 0, 0);
  const auto sim = make_static(mesh, StableNeoHookean(soft), held);
  bool cancel = false;
  sim->on_progress([&](const Progress&) { return !cancel; });
  sim->set_gravity({0, -9.81, 0});
  cancel = true;
  CHECK(sim->step().stop == StepStop::cancelled);
  CHECK(sim->positions() == mesh.nodes);
  cancel = false;
  REQUIRE(sim->step());
  const Points bent = sim->positions();
  const StepReport again = sim->step();  // nothing has changed
  REQUIRE(again);
  CHECK(again.newton_iterations <= 1);
  CHECK((sim->positions() - bent).cwiseAbs().maxCoeff() < 1e-6);
  sim->set_gravity({0, 0, 0});
  REQUIRE(sim->step());
  CHECK((sim->positions() - mesh.nodes).cwiseAbs().maxCoeff() < 1e-6);
}

TEST_CASE("QuasiStatic: rigid motions that nothing holds are told in words") {
  const auto mesh = bar();
  const auto loose = make_static(mesh, StableNeoHookean(soft), {});
  const StepReport report = loose->step();
  CHECK(report.stop == StepStop::free_motion);
  CHECK_THAT(report.message(), Catch::Contains("freely"));
  CHECK(make_static(mesh, StableNeoHookean(soft), {3})->step().stop == StepStop::free_motion);

  // Allowed: a strained body that floats comes back to its shape.
  const auto floating = make_static(mesh, StableNeoHookean(soft), {}, {}, {},
                                    {.allow_free_motion = true, .newton = {.tolerance = 1e-9}});
  floating->set_positions(1.3 * mesh.nodes + 0.02 * noise(mesh.node_count(), 3));
  REQUIRE(floating->step());
  CHECK(floating->energies().elastic < 1e-9);
}

TEST_CASE("QuasiStatic: parameters out of range are named") {
  const auto refuses = [](const QuasiStatic& integrator, const char* name) {
    CHECK_THROWS_WITH(integrator.check(), Catch::Contains(name));
  };
  refuses({.dt = 0}, "dt");
  refuses({.increments = 0}, "increments");
  refuses({.max_halvings = -1}, "max_halvings");
  refuses({.max_newton_iterations = 0}, "max_newton_iterations");
  refuses({.newton = {.max_iterations = 0}}, "max_iterations");
  refuses({.newton = {.line_search = false}}, "line_search");
}

// The first guess takes the whole way in one linear step. It may fold elements, and be under forces thousands
// of times those of the result.
TEST_CASE("QuasiStatic: the tolerance is relative to the forces of the result, however wild the way") {
  const auto mesh = make_box<Tet4>({.lengths = {3, 1, 1}, .cells = {6, 2, 2}});
  const auto far = nodes_at(mesh, 0, 3);
  const StableNeoHookean energy(Lame::from_young_poisson(1e5, 0.49));
  for (const bool twisted : {false, true}) {
    const Path path = [twisted](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
      if (!twisted) return X + Eigen::Vector3d(12 * t, 0, 0);
      const Eigen::Vector3d axis(0, 0.5, 0.5);
      return axis + rotation(2 * t, {1, 0, 0}) * (X - axis);
    };
    const auto sim = make_static(mesh, energy, nodes_at(mesh, 0, 0), far, path);
    const StepReport report = sim->step();
    INFO(report.message());
    REQUIRE(report);
    // The force that moves the end, by differences of the energy along its way.
    const auto energy_at = [&](double t) {
      const auto other = make_static(mesh, energy, nodes_at(mesh, 0, 0), far,
                                     [&](const Eigen::Vector3d& X, double) { return path(X, t); });
      other->set_positions(sim->positions());
      REQUIRE(other->step());
      return other->energies().elastic;
    };
    const double work = (energy_at(1.01) - energy_at(0.99)) / 0.02;  // force times 12 m, or moment times 2
    CAPTURE(twisted, work, report.residual_goal);
    CHECK(report.residual_goal < 2e-5 * work);
    CHECK(report.residual <= report.residual_goal);
  }
}

TEST_CASE("QuasiStatic in float: what is moved far converges as what is far away already") {
  const auto box = make_box<Tet4>({.lengths = {2, 1, 1}, .cells = {4, 2, 2}, .origin = {-1, -0.5, -0.5}});
  const auto ends = nodes_where(box, [](const auto& X) { return std::abs(X.x()) > 1 - 1e-9; });
  double goals[2];
  for (const double moved : {0.0, 10.0}) {
    Mesh<Tet4, float> mesh;
    mesh.nodes = box.nodes.cast<float>();
    mesh.nodes.row(1).array() += static_cast<float>(10 - moved);
    mesh.elements = box.elements;
    const auto path = [moved](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
      return {X.x() * (1 + 0.2 * t), X.y() + moved * t, X.z()};
    };
    Simulation sim(Solid(mesh, StableNeoHookean(soft), Density{1000}), QuasiStatic{.max_halvings = 0},
                   Pcg<BlockJacobi>{}, PrescribedMotion(ends, path));
    const StepReport report = sim.step();
    INFO(report.message());
    CHECK(report);
    CHECK(report.newton_iterations <= 8);
    goals[moved > 0] = report.residual_goal;
  }
  CHECK(goals[1] == Approx(goals[0]).epsilon(0.3));
}

namespace {

int inverted_elements(const Mesh<Tet4>& mesh, const Points& x) {
  int count = 0;
  for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) {
    Eigen::Matrix3d edges;
    for (int a = 0; a < 3; ++a) edges.col(a) = x.col(mesh.elements(a + 1, e)) - x.col(mesh.elements(0, e));
    count += edges.determinant() < 0;
  }
  return count;
}

Path turn(double angle, const Eigen::Vector3d& axis, const Eigen::Vector3d& center) {
  return [=](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
    return center + rotation(angle * t, axis) * (X - center);
  };
}

}  // namespace

TEST_CASE("QuasiStatic: a part that ends with elements turned inside out is halved, or refused, or allowed") {
  const auto mesh = make_box<Tet4>({.lengths = {2, 1, 1}, .cells = {10, 5, 5}});
  const auto twisted = [&](const QuasiStatic& integrator) {
    return make_static(mesh, StableNeoHookean(Lame::from_young_poisson(1, 0.3)), nodes_at(mesh, 0, 0),
                       nodes_at(mesh, 0, 2), turn(M_PI, {1, 0, 0}, {0, 0.5, 0.5}), integrator);
  };
  const auto allowed = twisted({.allow_inverted_elements = true});
  const StepReport wrong = allowed->step();
  REQUIRE(wrong);
  CHECK(wrong.inverted_elements > 0);
  CHECK(wrong.inverted_elements == inverted_elements(mesh, allowed->positions()));
  CHECK_THAT(wrong.message(), Catch::Contains("inverted"));

  const auto refused = twisted({.max_halvings = 0});
  const StepReport failed = refused->step();
  CHECK(failed.stop == StepStop::inverted);
  CHECK(failed.inverted_elements == wrong.inverted_elements);
  CHECK(refused->positions() == mesh.nodes);
  CHECK(refused->time() == 0);

  const auto halved = twisted({}), in_four = twisted({.increments = 4});
  const StepReport report = halved->step();
  INFO(report.message());
  REQUIRE(report);
  REQUIRE(in_four->step());
  CHECK(report.inverted_elements == 0);
  CHECK(inverted_elements(mesh, halved->positions()) == 0);
  CHECK(report.energies.elastic == Approx(0.15945).epsilon(1e-4));
  CHECK(report.energies.elastic == Approx(in_four->energies().elastic).epsilon(1e-6));
  CHECK(wrong.energies.elastic > 1.01 * report.energies.elastic);
}

TEST_CASE("QuasiStatic: a cube whose both ends are turned together is turned, and not inverted") {
  const auto cube = make_box<Tet4>({.cells = {2, 2, 2}});
  std::vector<int> ends = nodes_at(cube, 0, 0), right = nodes_at(cube, 0, 1);
  ends.insert(ends.end(), right.begin(), right.end());
  const Path path = turn(M_PI / 2, {0, 0, 1}, {0.5, 0.5, 0.5});
  Simulation sim(Solid(cube, BowerNeoHookean(Lame::from_young_poisson(1e5, 0.3)), Density{1000}),
                 QuasiStatic{}, Cholesky{}, PrescribedMotion(ends, path));
  const StepReport report = sim.step();
  INFO(report.message());
  REQUIRE(report);
  CHECK(report.inverted_elements == 0);
  CHECK(report.energies.elastic < 1e-6);  // of 46,448 J where the step is one part
  for (int i = 0; i < cube.node_count(); ++i)
    CHECK((sim.positions().col(i) - path(cube.nodes.col(i), 1)).norm() < 1e-6);
}

TEST_CASE("QuasiStatic: of small strains, which know no inversion, it is only told") {
  const auto mesh = bar();
  const auto sim = make_static(mesh, LinearElastic(soft), nodes_at(mesh, 0, 0), nodes_at(mesh, 0, 1),
                               turn(M_PI, {1, 0, 0}, {0, 0.125, 0.125}), {.max_halvings = 0});
  const StepReport report = sim->step();
  REQUIRE(report);
  CHECK(report.inverted_elements > 0);
  CHECK(report.inverted_elements == inverted_elements(mesh, sim->positions()));
}

TEST_CASE("QuasiStatic: a step takes no more Newton iterations than it may, and says so") {
  const auto mesh = bar();
  const auto twisted = [&](int most, int increments, int each) {
    return make_static(mesh, StableNeoHookean(soft), nodes_at(mesh, 0, 0), nodes_at(mesh, 0, 1),
                       pull_and_turn,
                       {.increments = increments,
                        .max_halvings = 20,
                        .max_newton_iterations = most,
                        .newton = {.max_iterations = each}});
  };
  const auto needed = twisted(1000, 1, 200)->step();
  REQUIRE(needed);
  const int all = needed.newton_iterations;
  REQUIRE(all > 4);
  CHECK(twisted(all, 1, 200)->step());
  for (const auto& [most, increments, each] : {std::array{all - 1, 1, 200}, {5, 1, 2}, {2, 4, 200}}) {
    const auto sim = twisted(most, increments, each);
    const StepReport report = sim->step();
    CHECK(report.stop == StepStop::too_many_iterations);
    CHECK(report.newton_iterations == most * increments);
    CHECK_THAT(report.message(), Catch::Contains("max_newton_iterations"));
    CHECK(sim->positions() == mesh.nodes);
  }
}

TEST_CASE("QuasiStatic: naming one field of Newton leaves the others as they are") {
  const QuasiStatic named{.newton = {.tolerance = 1e-9}}, not_named{};
  CHECK(named.newton.max_iterations == 200);
  CHECK(named.newton.hessian == HessianStrategy::progressive);
  CHECK(not_named.newton.tolerance == 1e-6);
  CHECK(BackwardEuler{.newton = {.tolerance = 1e-9}}.newton.max_iterations == 30);
  // Parameters made elsewhere are taken as they are, there and back.
  const Newton own{.max_iterations = 7,
                   .tolerance = 1,
                   .absolute_tolerance = 2,
                   .reduction = 0.3,
                   .require_convergence = false,
                   .projection = Projection::absolute,
                   .line_search = false,
                   .sufficient_decrease = 0.4,
                   .max_line_search_steps = 5,
                   .keep_history = true};
  const Newton back = QuasiStatic{.newton = own}.newton;
  CHECK(back.max_iterations == 7);
  CHECK(back.tolerance == 1);
  CHECK(back.absolute_tolerance == 2);
  CHECK(back.reduction == 0.3);
  CHECK_FALSE(back.require_convergence);
  CHECK(back.projection == Projection::absolute);
  CHECK(back.hessian == HessianStrategy::on_demand);
  CHECK_FALSE(back.line_search);
  CHECK(back.sufficient_decrease == 0.4);
  CHECK(back.max_line_search_steps == 5);
  CHECK(back.keep_history);
}

TEST_CASE("QuasiStatic: a time in which a part of a step is lost fails it") {
  const auto mesh = bar();
  for (const int increments : {1, 4}) {
    const auto sim =
        make_static(mesh, StableNeoHookean(soft), nodes_at(mesh, 0, 0), {}, {}, {.increments = increments});
    sim->set_time(2e13);
    CHECK(sim->step().stop == (increments == 1 ? StepStop::converged : StepStop::time_stands_still));
  }
}
