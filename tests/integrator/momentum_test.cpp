// Bodies of floats that are so stiff that rounding holds them harder than their inertia.
#include "integrator/bodies.hpp"
#include "support/catch.hpp"

#include <pliant/constraint/pinned.hpp>
#include <pliant/contact/shape/half_space.hpp>
#include <pliant/energy/fixed_corotated.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/central_differences.hpp>
#include <pliant/integrator/newmark.hpp>
#include <pliant/operator_splitting/operator_splitting.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

constexpr double density = 7800, gravity = 9.81;
const Eigen::Vector3d down(0, -gravity, 0);

struct Case {
  double young_modulus, edge, dt;
};

// The spring that rounding makes, epsilon E L, against m / dt^2: some 300, 3, 0.3, 0.3 and 1e-6.
const std::vector<Case> cases{
    {2e9, 1e-3, 1e-2}, {2e9, 1e-3, 1e-3}, {2e9, 1e-2, 1e-2}, {2e11, 0.1, 1e-2}, {1e5, 0.1, 1e-2}};

// In floats, as they are simulated.
Mesh<Tet4> cube(double edge, const Eigen::Vector3d& origin = {0, 0, 0}) {
  Mesh<Tet4> mesh = make_box<Tet4>({.lengths = {edge, edge, edge}, .cells = {2, 2, 2}});
  mesh.nodes.colwise() += origin;
  mesh.nodes = mesh.nodes.cast<float>().cast<double>();
  return mesh;
}

// All nodes at the velocity `along`, turning about the middle.
Points moving(const Mesh<Tet4>& mesh, const Eigen::Vector3d& along, const Eigen::Vector3d& turning) {
  const Eigen::Vector3d middle = mesh.nodes.rowwise().mean();
  Points v(3, mesh.node_count());
  for (std::ptrdiff_t i = 0; i < v.cols(); ++i) {
    v.col(i) = along + turning.cross(Eigen::Vector3d(mesh.nodes.col(i) - middle));
  }
  return v;
}

// Of a body of that mesh, relative to the momentum of the fastest of its velocities.
struct Motion {
  double mass;
  Eigen::Vector3d velocity, place, spin;  // means; angular momentum about the centre [kg m^2/s]
};

Motion motion_of(const Eigen::VectorXd& mass, const Points& x, const Points& v) {
  const double sum = mass.sum();
  const Eigen::Vector3d velocity = momentum(mass, v) / sum, place = x * mass / sum;
  return {sum, velocity, place, angular_momentum(mass, x.colwise() - place, v.colwise() - velocity)};
}

// With a mass damping `alpha` [1/s] by implicit Euler.
template <class Integrator>
void falls(const Case& c, const Integrator& integrator, double alpha = 0) {
  INFO("E " << c.young_modulus << " Pa, edge " << c.edge << " m, dt " << c.dt << " s");
  const auto mesh = cube(c.edge);
  const auto mass = node_masses(mesh, density);
  const auto scene =
      make_scene<StableNeoHookean, float, Integrator>({.mesh = mesh,
                                                       .lame = Lame::from_young_poisson(c.young_modulus, 0.3),
                                                       .density = density,
                                                       .damping = {.alpha = alpha},
                                                       .integrator = integrator,
                                                       .linear_tolerance = 1e-6});
  scene->set_velocities(moving(mesh, {1, 0, 0}, {0, 0, 0}));
  scene->set_gravity(down);
  constexpr int steps = 20;
  Eigen::Vector3d right(1, 0, 0);
  double way = 0;
  for (int k = 0; k < steps; ++k) {
    REQUIRE(scene->step());
    right = (right + c.dt * down) / (1 + alpha * c.dt);
    way += c.dt * right.x();
  }
  const Motion end = motion_of(mass, scene->positions(), scene->velocities());
  CHECK((end.velocity - right).norm() < 3e-6);
  CHECK(std::abs(end.place.x() - c.edge / 2 - way) < 3e-6 * way);
}

// What backward Euler leaves of the angular velocity of a rigid body whose moments of inertia are equal. Seen
// from a step that turns it by `angle`, the next one starts out for 2 I - R(-angle), which turns it by
// atan(sin / (2 - cos)) at best.
double left_of_spin(double speed, double dt, int steps) {
  double angle = std::atan(speed * dt);
  for (int k = 1; k < steps; ++k) angle = std::atan2(std::sin(angle), 2 - std::cos(angle));
  return std::sin(angle) / (speed * dt);
}

}  // namespace

TEST_CASE("A body of floats falls as any other, however stiff it is") {
  for (const Case& c : cases) {
    falls<BackwardEuler>(c, {.dt = c.dt});
    falls<BackwardEuler>(c, {.dt = c.dt}, 0.5);
    falls<BackwardEuler>(c, {.dt = c.dt, .newton = Newton::linearised()});
    falls<Newmark>(c, {.dt = c.dt});
    falls<Newmark>(c, {.dt = c.dt, .newton = Newton::linearised()});
  }
}

TEST_CASE("A body of floats spins as a rigid one, however stiff it is") {
  for (const Case& c : cases) {
    if (c.young_modulus < 1e6) continue;
    INFO("E " << c.young_modulus << " Pa, edge " << c.edge << " m, dt " << c.dt << " s");
    const auto mesh = cube(c.edge);
    const auto mass = node_masses(mesh, density);
    const Eigen::Vector3d turning(3, 2, 10);
    const Points v = moving(mesh, {1, 0, 0}, turning);
    const Motion start = motion_of(mass, mesh.nodes, v.cast<float>().cast<double>());
    const auto spun = [&](auto&& scene) {
      scene->set_velocities(v);
      scene->set_gravity(down);
      for (int k = 0; k < 20; ++k) REQUIRE(scene->step());
      return motion_of(mass, scene->positions(), scene->velocities());
    };
    // Velocities, and with them the momentum, are known to the rounding of the positions over dt.
    const double rounding = 1e-7 * 0.2 / c.dt / (turning.norm() * c.edge);
    const Lame lame = Lame::from_young_poisson(c.young_modulus, 0.3);
    const Motion euler = spun(make_scene<StableNeoHookean, float>({.mesh = mesh,
                                                                   .lame = lame,
                                                                   .density = density,
                                                                   .integrator = {.dt = c.dt},
                                                                   .linear_tolerance = 1e-6}));
    const double left = left_of_spin(turning.norm(), c.dt, 20);
    CHECK((euler.spin - left * start.spin).norm() < (1e-5 + 2 * rounding) * start.spin.norm());
    CHECK(std::abs(euler.velocity.x() - 1) < 3e-6);
    const Motion newmark = spun(make_scene<StableNeoHookean, float, Newmark>({.mesh = mesh,
                                                                              .lame = lame,
                                                                              .density = density,
                                                                              .integrator = {.dt = c.dt},
                                                                              .linear_tolerance = 1e-6}));
    CHECK((newmark.spin - start.spin).norm() < (0.02 + 20 * rounding) * start.spin.norm());
    CHECK(std::abs(newmark.velocity.x() - 1) < 3e-6);
  }
}

namespace {

using Body = Solid<Tet4, StableNeoHookean, float>;

// A cube of floats over the plane y = 0, which rubs.
class OnFloor {
 public:
  using Made = Simulation<Body, BackwardEuler, Pcg<BlockJacobi>, Pinned>;

  OnFloor(const Case& c, const Mesh<Tet4>& mesh, double friction, const Newton& newton = {},
          const std::vector<int>& pinned = {})
      : mass_(node_masses(mesh, density)),
        simulation_(body_of(mesh, c), BackwardEuler{.dt = c.dt, .newton = newton}, Pcg<BlockJacobi>{},
                    Pinned(pinned)) {
    simulation_.set_gravity(down);
    simulation_.add_collider(HalfSpace<3>({0, 0, 0}, {0, 1, 0}), {.friction = friction});
  }

  Made& simulation() { return simulation_; }
  double weight() const { return gravity * mass_.sum(); }
  Eigen::Vector3d velocity() const {
    return momentum(mass_, simulation_.velocities().cast<double>()) / mass_.sum();
  }

 private:
  static Body body_of(const Mesh<Tet4>& mesh, const Case& c) {
    Mesh<Tet4, float> rounded;
    rounded.nodes = mesh.nodes.cast<float>();
    rounded.elements = mesh.elements;
    return {rounded, StableNeoHookean(Lame::from_young_poisson(c.young_modulus, 0.3)), Density{density}};
  }

  Eigen::VectorXd mass_;
  Made simulation_;
};

}  // namespace

TEST_CASE("A body of floats slides on a smooth floor as any other, however stiff it is") {
  for (const Case& c : cases) {
    for (const Newton& newton : {Newton{}, Newton::linearised()}) {
      INFO("E " << c.young_modulus << " Pa, edge " << c.edge << " m, dt " << c.dt << " s"
                << (newton.line_search ? "" : ", linearised"));
      const auto mesh = cube(c.edge);
      OnFloor scene(c, mesh, 0, newton);
      scene.simulation().set_velocities(moving(mesh, {1, 0, 0.2}, {0, 0, 0}));
      constexpr int steps = 10;
      for (int k = 0; k < steps; ++k) {
        const double before = scene.velocity().y();
        const StepReport report = scene.simulation().step();
        INFO(report.message());
        REQUIRE(report);
        // The floor gives the momentum that gravity does not explain.
        const double pressed = scene.simulation().constraint_forces().cast<double>().row(1).sum(),
                     gained = (scene.velocity().y() - before) / (gravity * c.dt) + 1;
        CHECK(std::abs(pressed / scene.weight() - gained) < 2e-3);
        if (c.young_modulus > 1e6) CHECK(std::abs(pressed / scene.weight() - 1) < 2e-3);
      }
      CHECK(std::abs(scene.velocity().x() - 1) < 2e-6);
      CHECK(std::abs(scene.velocity().z() - 0.2) < 2e-6);
      CHECK(scene.simulation().positions().row(1).minCoeff() > -1e-6 * c.edge);
    }
  }
}

TEST_CASE("A body of floats falls onto the floor beside a held one, however stiff they are") {
  for (const Case& c : cases) {
    INFO("E " << c.young_modulus << " Pa, edge " << c.edge << " m, dt " << c.dt << " s");
    const auto alone = cube(c.edge, {0, 0.05 * c.edge, 0});
    auto mesh = alone;
    const auto count = alone.node_count();
    append(cube(c.edge, {2 * c.edge, 0.05 * c.edge, 0}), mesh);
    std::vector<int> pinned;
    for (auto i = static_cast<int>(count); i < 2 * count; i += 2) pinned.push_back(i);
    OnFloor scene(c, mesh, 0, {}, pinned);
    auto& simulation = scene.simulation();
    Points v = Points::Zero(3, mesh.node_count());
    v.leftCols(count) = moving(alone, {1, 0.02, 0}, {0, 0, 0});
    simulation.set_velocities(v);
    const Eigen::VectorXd mass = node_masses(alone, density);
    bool landed = false;
    for (int k = 1; k <= 12; ++k) {
      const StepReport report = simulation.step();
      INFO("step " << k << ": " << report.message());
      REQUIRE(report);
      const Eigen::Vector3d mean =
          momentum(mass, simulation.velocities().leftCols(count).cast<double>()) / mass.sum();
      landed = landed || simulation.positions().leftCols(count).row(1).minCoeff() < 1e-4f * c.edge;
      CHECK(std::abs(mean.x() - 1) < 3e-6);
      if (!landed) CHECK(std::abs(mean.y() - (0.02 - gravity * k * c.dt)) < 3e-6);
      CHECK((simulation.positions().rightCols(count) - mesh.nodes.rightCols(count).cast<float>()).norm() <
            3e-2 * c.edge);
    }
    CHECK(landed);
  }
}

TEST_CASE("operator splitting: a body of floats moves as any other, however stiff it is") {
  for (const Case& c : cases) {
    INFO("E " << c.young_modulus << " Pa, edge " << c.edge << " m, dt " << c.dt << " s");
    const auto alone = cube(c.edge);
    auto mesh = alone;
    const auto count = alone.node_count();
    append(cube(c.edge, {2 * c.edge, 0, 0}), mesh);
    Mesh<Tet4, float> rounded;
    rounded.nodes = mesh.nodes.cast<float>();
    rounded.elements = mesh.elements;
    constexpr double alpha = 0.5;  // [1/s]
    Simulation bodies(Solid(rounded, FixedCorotated(Lame::from_young_poisson(c.young_modulus, 0.3)),
                            Density{density}, Rayleigh{.alpha = alpha}),
                      OperatorSplitting{.dt = c.dt}, Pinned({static_cast<int>(count)}));
    Points v = Points::Zero(3, mesh.node_count());
    v.leftCols(count) = moving(alone, {1, 0, 0}, {0, 0, 0});
    bodies.set_velocities(v);
    bodies.set_gravity(down);
    Eigen::Vector3d right(1, 0, 0);
    for (int k = 0; k < 20; ++k) {
      REQUIRE(bodies.step());
      right = (right + c.dt * down) / (1 + alpha * c.dt);
    }
    const Eigen::VectorXd mass = node_masses(alone, density);
    const Eigen::Vector3d mean =
        momentum(mass, bodies.velocities().leftCols(count).cast<double>()) / mass.sum();
    CHECK((mean - right).norm() < 3e-6);
  }
}

TEST_CASE("central differences: a body of floats loses nothing to the many substeps that it needs") {
  constexpr double edge = 1e-2, dt = 5e-3;
  constexpr int steps = 6;
  const auto mesh = cube(edge, {1, 0, 0});
  Mesh<Tet4, float> rounded;
  rounded.nodes = mesh.nodes.cast<float>();
  rounded.elements = mesh.elements;
  Simulation body(Solid(rounded, StableNeoHookean(Lame::from_young_poisson(2e9, 0.3)), Density{density}),
                  CentralDifferences{.dt = dt, .max_substeps = 10000});
  body.set_velocities(moving(mesh, {1, 0, 0}, {0, 0, 0}));
  body.set_gravity(down);
  int substeps = 0;
  for (int k = 0; k < steps; ++k) {
    const StepReport report = body.step();
    REQUIRE(report);
    substeps += report.substeps;
  }
  CHECK(substeps > 3000);
  constexpr double time = steps * dt;
  const auto mass = node_masses(mesh, density);
  const Motion end = motion_of(mass, body.positions().cast<double>(), body.velocities().cast<double>());
  CHECK((end.velocity - Eigen::Vector3d(1, 0, 0) - time * down).norm() < 1e-6);
  const Eigen::Vector3d way = end.place - mesh.nodes * mass / mass.sum();
  CHECK((way - Eigen::Vector3d(time, 0, 0) - time * time / 2 * down).norm() < steps * 1e-7);
}
