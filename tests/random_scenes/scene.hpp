// Scenes at random: bodies in any state meet colliders of any kind.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>

#include <pliant/pliant.hpp>

namespace pliant::test {

// How a scene went. `wrong` says what is a defect: a number that is not finite, a node in a collider, a step
// that fails without a reason or does not restore the state. A step that fails with a reason is none.
struct SceneOutcome {
  std::string description, wrong;
  int steps = 0;
  StepStop stop = StepStop::converged;  // of the last step
};

// What the seed alone decides.
class RandomScene {
 public:
  explicit RandomScene(std::uint64_t seed) : random_(seed) { text_ << "seed " << seed << ':'; }

  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53;
  }
  double log_between(double low, double high) { return std::exp(between(std::log(low), std::log(high))); }
  int one_of(int count) { return static_cast<int>(between(0, count)); }
  Eigen::Vector3d vector(double size) {
    return {between(-size, size), between(-size, size), between(-size, size)};
  }
  Eigen::Vector3d direction() {
    for (;;) {
      const Eigen::Vector3d v = vector(1);
      if (v.norm() > 0.1 && v.norm() < 1) return v.normalized();
    }
  }

  // At least 300 tets about the origin, of about a metre.
  Mesh<Tet4> mesh() {
    switch (one_of(3)) {
      case 0: {
        text_ << " box";
        auto box = make_box<Tet4>(
            {.lengths = {between(0.3, 1), between(0.3, 1), between(0.3, 1)}, .cells = {4, 4, 4}});
        box.nodes.colwise() -= Eigen::Vector3d(box.nodes.rowwise().mean());
        return box;
      }
      case 1:
        text_ << " ball";
        return make_ball<Tet4>({.radius = between(0.2, 0.5), .shells = 3});
      default:
        text_ << " thin plate";
        auto plate = make_box<Tet4>({.lengths = {1, 0.1, 1}, .cells = {6, 2, 6}});
        plate.nodes.colwise() -= Eigen::Vector3d(plate.nodes.rowwise().mean());
        return plate;
    }
  }

  Lame material() {
    const double E = log_between(1e3, 1e8), nu = between(0, 0.49);
    text_ << " E " << E << " nu " << nu;
    return Lame::from_young_poisson(E, nu);
  }

  double time_step() {
    const double steps[] = {1.0 / 1000, 1.0 / 100, 1.0 / 60, 1.0 / 30};
    const double dt = steps[one_of(4)];
    text_ << " dt " << dt;
    return dt;
  }

  // Nodes where a body may be found; `may_invert` allows states in which elements are turned inside out.
  Eigen::Matrix3Xd positions(const Eigen::Matrix3Xd& rest, bool may_invert) {
    Eigen::Matrix3Xd x = rest;
    switch (one_of(may_invert ? 5 : 2)) {
      case 0:
        text_ << " at rest";
        break;
      case 1: {
        text_ << " stretched";
        const Eigen::Vector3d stretches(between(0.5, 2), between(0.5, 2), between(0.5, 2));
        x = stretches.asDiagonal() * rest;
        break;
      }
      case 2:
        text_ << " mirrored";
        x.row(0) *= -1;
        break;
      case 3:
        text_ << " flat";
        x.row(1).setZero();
        break;
      default:
        text_ << " scrambled";
        for (Eigen::Index i = 0; i < x.cols(); ++i) x.col(i) = vector(0.5);
    }
    return x;
  }

  Eigen::Matrix3Xd velocities(Eigen::Index nodes) {
    const double size = one_of(3) == 0 ? 0 : log_between(0.1, 300);
    text_ << " speed " << size;
    return (size * direction()).replicate(1, nodes);
  }

  Surface surface() {
    Surface surface{.friction = one_of(2) == 0 ? 0 : between(0, 1.5)};
    return surface;
  }

  // A collider near the body.
  detail::contact::AnyCollider<3> collider() {
    const Eigen::Vector3d away = direction(), near = 0.8 * away;
    switch (one_of(5)) {
      case 0:
        text_ << ", half-space";
        return HalfSpace<3>(near, -away);
      case 1: {
        text_ << ", sphere";
        const double radius = log_between(0.05, 2);
        return Sphere<3>((0.8 + radius) * away, radius);
      }
      case 2: {
        text_ << ", box";
        const double size = log_between(0.05, 2);
        const Eigen::Vector3d centre = (0.8 + size) * away,
                              half = Eigen::Vector3d::Constant(size / std::sqrt(3.0));
        return Box<3>(centre - half, centre + half);
      }
      case 3: {
        text_ << ", capsule";
        const double radius = log_between(0.05, 0.5);
        const Eigen::Vector3d centre = (0.8 + radius) * away, axis = away.unitOrthogonal();
        return Capsule<3>(centre - axis, centre + axis, radius);
      }
      default: {
        text_ << ", mesh";
        const double radius = log_between(0.1, 1);
        auto ball = make_ball<Tet4>({.radius = radius, .shells = 3});
        ball.nodes.colwise() += Eigen::Vector3d((0.8 + radius) * away);
        return make_triangle_mesh(ball);
      }
    }
  }

  std::function<Pose<3>(double)> path() {
    if (one_of(2) == 0) return nullptr;
    text_ << " (moving)";
    const Eigen::Vector3d velocity = vector(1), axis = direction();
    const double spin = between(-2, 2);
    return
        [=](double t) { return Pose<3>(Eigen::AngleAxisd(spin * t, axis), Eigen::Vector3d(t * velocity)); };
  }

  std::string description() const { return text_.str(); }

 private:
  std::mt19937_64 random_;
  std::ostringstream text_;
};

// Of implicit steps, unless an explicit integrator is asked for.
struct ImplicitSteps {
  template <class Solid>
  auto simulation_of(Solid solid, double dt) const {
    return Simulation(std::move(solid),
                      BackwardEuler{.dt = dt, .newton = {.max_iterations = 100, .tolerance = 1e-3}},
                      Pcg<BlockJacobi>{.tolerance = 1e-3});
  }
};
// A body that is turned inside out stiffens within a few substeps.
struct ExplicitSteps {
  template <class Solid>
  auto simulation_of(Solid solid, double dt) const {
    return Simulation(std::move(solid), CentralDifferences{.dt = dt, .max_substeps = 1300, .renewal = 2});
  }
};

template <class Energy, class Steps = ImplicitSteps>
SceneOutcome run_scene(std::uint64_t seed, bool may_invert, int steps = 50, const Steps& kind = {}) {
  RandomScene scene(seed);
  const auto mesh = scene.mesh();
  const Lame lame = scene.material();
  const double dt = scene.time_step();
  auto sim = kind.simulation_of(Solid(mesh, Energy(lame), Density{1000}), dt);
  sim.set_gravity(Eigen::Vector3d(0, -9.81, 0));
  sim.set_positions(scene.positions(mesh.nodes, may_invert));
  sim.set_velocities(scene.velocities(mesh.node_count()));
  struct Placed {
    detail::contact::AnyCollider<3> shape;
    std::function<Pose<3>(double)> path;
  };
  std::vector<Placed> colliders;
  for (int k = scene.one_of(3); k >= 0; --k) {
    detail::contact::AnyCollider<3> shape = scene.collider();
    auto path = scene.path();
    sim.add_collider(shape, scene.surface(), path);
    colliders.push_back({std::move(shape), std::move(path)});
  }

  SceneOutcome outcome{.description = scene.description(), .wrong = {}};
  for (; outcome.steps < steps; ++outcome.steps) {
    const Eigen::Matrix3Xd x = sim.positions(), v = sim.velocities();
    const StepReport report = sim.step();
    outcome.stop = report.stop;
    std::ostringstream wrong;
    if (!report) {
      if (report.message().empty()) wrong << "no reason";
      if (sim.positions() != x || sim.velocities() != v) wrong << "the state is not what it was before";
    } else if (!sim.positions().allFinite() || !sim.velocities().allFinite() ||
               !sim.constraint_forces().allFinite()) {
      wrong << "not finite";
    }
    for (const Placed& collider : colliders) {
      if (!report) break;
      const Pose<3> pose = collider.path ? collider.path(sim.time()) : Pose<3>();
      for (Eigen::Index i = 0; i < x.cols(); ++i) {
        const auto near = collider.shape.nearest(pose.to_local(sim.positions().col(i)), 0);
        if (near && near->distance < -1e-9) {
          wrong << "node " << i << " is " << -near->distance << " m inside a collider";
          break;
        }
      }
    }
    outcome.wrong = wrong.str();
    if (!outcome.wrong.empty()) {
      outcome.wrong += " after step " + std::to_string(outcome.steps) + ": " + report.message();
      return outcome;
    }
    if (!report) return outcome;
  }
  return outcome;
}

}  // namespace pliant::test
