// A step that fails says why and leaves the state as it was, to the last bit.
#include "integrator/bodies.hpp"
#include "integrator/scene.hpp"
#include "support/catch.hpp"

#include <limits>
#include <stdexcept>

#include <pliant/energy/bonet_wood_neo_hookean.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

struct Snapshot {
  Points x, v;
  double time, energy;

  explicit Snapshot(Scene& scene)
      : x(scene.positions()), v(scene.velocities()), time(scene.time()), energy(scene.energies().total()) {}

  bool operator==(const Snapshot& other) const {
    const bool same_energy =
        energy == other.energy || (!(energy == energy) && !(other.energy == other.energy));
    return x == other.x && v == other.v && time == other.time && same_energy;
  }
};

// Steps, expects the failure and the unchanged state, then brings the body back to its rest shape and expects
// it to step on.
StepReport require_failure(Scene& scene, const Mesh<Tet4>& mesh, StepStop expected) {
  const Snapshot before(scene);
  StepReport report;
  for (int repeat = 0; repeat < 2; ++repeat) {  // the second time from the state restored
    report = scene.step();
    INFO(report.message());
    CHECK_FALSE(report);
    CHECK(report.stop == expected);
    CHECK(report.time == before.time);
    CHECK(Snapshot(scene) == before);
    CHECK(report.message().find("unchanged") != std::string::npos);
  }
  scene.set_positions(mesh.nodes);
  scene.set_velocities(Points::Zero(3, mesh.node_count()));
  const StepReport next = scene.step();
  INFO(next.message());
  CHECK(next);
  CHECK(scene.time() > before.time);
  return report;
}

// Mirrors the element's apex to the other side of its face.
void invert(const Mesh<Tet4>& mesh, Points& x, std::ptrdiff_t element) {
  const auto corner = [&](int a) { return Eigen::Vector3d(x.col(mesh.elements(a, element))); };
  const Eigen::Vector3d normal = (corner(2) - corner(1)).cross(corner(3) - corner(1)).normalized();
  x.col(mesh.elements(0, element)) -= 2 * normal * normal.dot(corner(0) - corner(1));
}

const auto box = jittered_box({3, 2, 2});
const auto left = nodes_where(box, [](const auto& X) { return X.x() < 0.05; });

}  // namespace

TEST_CASE("failure: cancelled by the callback") {
  for (const Newton& newton : {Newton{}, Newton::linearised()}) {
    for (const int patience : {0, 1, 2}) {
      if (patience > 0 && newton.max_iterations == 1) continue;
      const auto scene =
          make_scene<StableNeoHookean>({.mesh = box, .integrator = {.newton = newton}, .pinned = left});
      scene->set_gravity({0, -9.81, 0});
      REQUIRE(scene->step());
      scene->set_velocities(5 * noise(box.node_count(), 1));
      scene->on_progress([&](const Progress& progress) { return progress.newton_iteration < patience; });
      const Snapshot before(*scene);
      const StepReport report = scene->step();
      CHECK(report.stop == StepStop::cancelled);
      CHECK(report.newton_iterations == patience);
      CHECK(Snapshot(*scene) == before);
      CHECK(report.message().find("cancelled") != std::string::npos);
      scene->on_progress({});
      CHECK(scene->step());
    }
  }
}

TEST_CASE("failure: cancelled within a linear solve, and an exception of the callback") {
  const auto scene = make_scene<StableNeoHookean>(
      {.mesh = box, .lame = Lame::from_young_poisson(1e6, 0.499), .integrator = {.dt = 1}, .pinned = left});
  scene->set_velocities(noise(box.node_count(), 1));
  scene->on_progress([](const Progress& progress) { return progress.linear_iteration < 64; });
  const Snapshot before(*scene);
  const StepReport report = scene->step();
  CHECK(report.stop == StepStop::cancelled);
  CHECK(report.linear_iterations == 64);
  CHECK(Snapshot(*scene) == before);

  scene->on_progress([](const Progress& progress) -> bool {
    if (progress.newton_iteration == 1) throw std::runtime_error("the user's own");
    return true;
  });
  CHECK_THROWS_AS(scene->step(), std::runtime_error);
  CHECK(scene->positions() == before.x);
  CHECK(scene->velocities() == before.v);
  CHECK(scene->energies().total() == before.energy);
  scene->on_progress({});
  CHECK(scene->step());
}

TEST_CASE("failure: an element has left the domain of its energy") {
  for (const Newton& newton : {Newton{}, Newton::linearised()}) {
    for (const std::ptrdiff_t element : {0, 17, 59}) {
      const auto scene = make_scene<BonetWoodNeoHookean>({.mesh = box, .integrator = {.newton = newton}});
      // One element apart from the others is flattened; nothing else is.
      Mesh<Tet4> mesh = box;
      Points x = box.nodes;
      invert(mesh, x, element);
      std::vector<int> inverted;
      for (int e = 0; e < mesh.element_count(); ++e) {
        Eigen::Matrix3d edges;
        for (int a = 0; a < 3; ++a)
          edges.col(a) = x.col(mesh.elements(a + 1, e)) - x.col(mesh.elements(0, e));
        if (edges.determinant() <= 0) inverted.push_back(e);
      }
      scene->set_positions(x);
      const StepReport report = require_failure(*scene, box, StepStop::energy_undefined);
      CAPTURE(element, report.undefined_element);
      CHECK(std::count(inverted.begin(), inverted.end(), report.undefined_element) == 1);
      if (inverted.size() == 1) CHECK(report.undefined_element == element);
      CHECK(report.message().find("element " + std::to_string(report.undefined_element)) !=
            std::string::npos);
    }
  }
}

TEST_CASE("failure: a full step leads out of the domain; a line search does not let it") {
  Points velocity = Points::Zero(3, box.node_count());
  for (int i = 0; i < box.node_count(); ++i) velocity(0, i) = -200 * box.nodes(0, i);
  for (const bool line_search : {false, true}) {
    Newton newton = line_search ? Newton{.max_iterations = 200} : Newton::linearised();
    const auto scene = make_scene<BonetWoodNeoHookean>({.mesh = box,
                                                        .lame = Lame::from_young_poisson(1e2, 0.3),
                                                        .integrator = {.dt = 0.02, .newton = newton}});
    scene->set_velocities(velocity);
    if (line_search) {
      const StepReport report = scene->step();
      INFO(report.message());
      CHECK(report);
      CHECK(report.line_search_steps > 0);
    } else {
      const StepReport report = require_failure(*scene, box, StepStop::energy_undefined);
      CHECK(report.undefined_element >= 0);
    }
  }
}

TEST_CASE("failure: no step lowers the potential with the line search steps allowed") {
  Points velocity = Points::Zero(3, box.node_count());
  for (int i = 0; i < box.node_count(); ++i) velocity(0, i) = -200 * box.nodes(0, i);
  const auto scene =
      make_scene<BonetWoodNeoHookean>({.mesh = box,
                                       .lame = Lame::from_young_poisson(1e2, 0.3),
                                       .integrator = {.dt = 0.02, .newton = {.max_line_search_steps = 1}}});
  scene->set_velocities(velocity);
  require_failure(*scene, box, StepStop::stalled);
}

TEST_CASE("failure: too few iterations") {
  const auto scene = make_scene<StableNeoHookean>(
      {.mesh = box, .integrator = {.dt = 0.02, .newton = {.max_iterations = 2, .tolerance = 1e-12}}});
  scene->set_velocities(5 * noise(box.node_count(), 1));
  const StepReport report = require_failure(*scene, box, StepStop::not_converged);
  CHECK(report.newton_iterations == 2);
  CHECK(report.residual > report.residual_goal);
}

TEST_CASE("failure: an indefinite matrix without projection") {
  for (const bool line_search : {false, true}) {
    Newton newton = line_search ? Newton{} : Newton::linearised();
    newton.projection = Projection::none;
    const auto scene =
        make_scene<StableNeoHookean>({.mesh = box, .integrator = {.dt = 0.1, .newton = newton}});
    scene->set_positions(Eigen::Vector3d(0.3, 0.9, 0.9).asDiagonal() * box.nodes);
    const StepReport report = require_failure(*scene, box, StepStop::indefinite);
    CHECK(report.message().find("positive definite") != std::string::npos);

    newton.projection = Projection::clamp;
    const auto projected =
        make_scene<StableNeoHookean>({.mesh = box, .integrator = {.dt = 0.1, .newton = newton}});
    projected->set_positions(Eigen::Vector3d(0.3, 0.9, 0.9).asDiagonal() * box.nodes);
    CHECK(projected->step());
  }
}

TEST_CASE("failure: the linear solver's iteration limit; with a line search the iterate is used") {
  for (const bool line_search : {false, true}) {
    const auto scene = make_scene<StableNeoHookean>(
        {.mesh = box,
         .integrator = {.dt = 0.05,
                        .newton = line_search ? Newton{.max_iterations = 500} : Newton::linearised()},
         .linear_iterations = 3});
    scene->set_velocities(noise(box.node_count(), 1));
    if (line_search) {
      const StepReport report = scene->step();
      INFO(report.message());
      CHECK(report.stop == StepStop::converged);
      continue;
    }
    const Snapshot before(*scene);
    const StepReport report = scene->step();
    CHECK(report.stop == StepStop::linear_solver_failed);
    CHECK(report.linear_iterations == 3);
    CHECK(report.linear_residual > report.linear_goal);
    CHECK(Snapshot(*scene) == before);
    CHECK(report.message().find("linear solver") != std::string::npos);
  }
}

TEST_CASE("failure: numbers that overflow") {
  for (const Newton& newton : {Newton{}, Newton::linearised()}) {
    CAPTURE(newton.max_iterations);
    const auto scene = make_scene<StableNeoHookean>({.mesh = box, .integrator = {.newton = newton}});
    scene->set_velocities(1e200 * noise(box.node_count(), 1));
    require_failure(*scene, box, StepStop::not_finite);
    scene->set_positions(1e120 * noise(box.node_count(), 1));
    require_failure(*scene, box, StepStop::not_finite);
    scene->set_external_forces(1e300 * noise(box.node_count(), 1));
    const Snapshot before(*scene);
    CHECK(scene->step().stop == StepStop::not_finite);
    CHECK(Snapshot(*scene) == before);

    const auto small =
        make_scene<StableNeoHookean, float>({.mesh = box, .integrator = {.dt = 1e-30, .newton = newton}});
    small->set_gravity({0, -9.81, 0});
    CHECK(small->step().stop == StepStop::not_finite);  // 1 / dt^2 overflows
    CHECK(small->positions() == Points(box.nodes.cast<float>().cast<double>()));
  }
}

TEST_CASE("no failure: at rest, without any load") {
  for (const Newton& newton : {Newton{}, Newton{.tolerance = 0}, Newton::linearised()}) {
    for (const auto& pinned : {std::vector<int>{}, left}) {
      const auto scene =
          make_scene<LinearElastic>({.mesh = box, .integrator = {.newton = newton}, .pinned = pinned});
      const StepReport report = scene->step();
      INFO(report.message());
      CHECK(report);
      CHECK((scene->positions() - box.nodes).cwiseAbs().maxCoeff() < 1e-15);
    }
  }
}
