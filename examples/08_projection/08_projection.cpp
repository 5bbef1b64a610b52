// 08_projection: does removing the negative eigenvalues of a Hessian make a simulation explode?
//
// The problem: an implicit step solves (M + dt^2 K) dv = b, and K is not positive definite if a body is
// compressed, twisted or stretched far. The remedy is to write the Hessian of each element as a sum over its
// eigenvalues and eigenvectors, and to omit the negative ones:
//
//     H+ = sum_i max(lambda_i, 0) q_i q_i^T
//
// A thesis (Martin Garcia 2022, sections 4.5 and 6.4) did so for stable neo-Hookean material, whose bodies
// exploded, and rejected the method. Here the printed formulas are compared with the right ones.
//
//         ___                  let go
//        |   |                __________
//        |   |   pulled out  |          |   or twisted, squashed, dropped
//      __|___|__             |__________|
//      ///held//
//
// Run:  08_projection     every scene with every way to build the Hessian
//
// Returns 0 if in the first scene, with one linear system per step, the body comes to rest with the right
// projection and with none of the printed formulas, and if with converged steps and a line search it comes to
// rest in every scene with the right projection, and only with it.
//
// Read before: 02_custom_energy, and the page docs/projection.md.
#include "reconstructed_neo_hookean.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

using namespace pliant;

namespace {

const Lame material = Lame::from_young_poisson(1e6, 0.49);  // Pa, -
constexpr double dt = 1.0 / 60;                             // s
constexpr int steps = 60;

struct Way {
  const char* name;
  Reconstruction reconstruction;
  Projection projection;
};

const std::vector<Way> ways = {
    {"no projection", Reconstruction::library, Projection::none},
    {"clamp", Reconstruction::library, Projection::clamp},
    {"absolute", Reconstruction::library, Projection::absolute},
    {"right modes", Reconstruction::right, Projection::clamp},
    {"printed factor 1/sqrt2", Reconstruction::halved, Projection::clamp},
    {"printed z, normalised", Reconstruction::volume_modes, Projection::clamp},
    {"as printed", Reconstruction::published, Projection::clamp},
};

// Step 1: is it a projection at all? It must leave a positive definite part of the Hessian alone. So: its
// distance from the projection that a numerical 9x9 eigensolver finds, relative.
double error_of(Reconstruction reconstruction) {
  SmallMatrix<double, 3, 3> F;  // pulled by 80 %, and narrower and sheared
  F << 0.8, 0.1, 0,             //
      0.05, 1.8, 0.02,          //
      0, 0.1, 0.7;
  const StableNeoHookean energy(material);
  const ReconstructedNeoHookean rebuilt(material, reconstruction);
  const SmallMatrix<double, 9, 9> truth =
      project_numerically<double, 9>(energy.hessian(F), Projection::clamp);
  return (rebuilt.hessian(F, Projection::clamp) - truth).norm() / truth.norm();
}

// The origin of the printed vectors: they are modes of the volume term alone: of the block d2J/(ds_i ds_j),
// with that block's own eigenvalues e. Returns |B z - e z| / |e z|, the largest of the three.
double error_as_volume_modes() {
  const Eigen::Vector3d s(1.7, 1.1, 0.6);
  Eigen::Matrix3d B;
  B << 0, s(2), s(1),  //
      s(2), 0, s(0),   //
      s(1), s(0), 0;
  double largest = 0;
  const Eigen::Vector3d eigenvalues = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(B).eigenvalues();
  for (const double e : eigenvalues) {
    const Eigen::Vector3d z = printed_vector(s, e);
    largest = std::max(largest, (B * z - e * z).norm() / (std::abs(e) * z.norm()));
  }
  return largest;
}

// Step 2: scenes. A unit cube of 48 tetrahedra stands on the ground and is held there.
struct Scene {
  const char* name;
  std::function<Eigen::Vector3d(const Eigen::Vector3d&)> position, velocity;
};

Eigen::Vector3d nothing(const Eigen::Vector3d&) { return Eigen::Vector3d::Zero(); }

const std::vector<Scene> scenes = {
    {"pulled to 180 % and let go",
     [](const Eigen::Vector3d& X) -> Eigen::Vector3d {
       return {X.x(), 1.8 * X.y(), X.z()};
     },
     nothing},
    {"twisted by 1.5 rad and let go",
     [](const Eigen::Vector3d& X) -> Eigen::Vector3d {
       const double c = std::cos(1.5 * X.y()), s = std::sin(1.5 * X.y()), a = X.x() - 0.5, b = X.z() - 0.5;
       return {0.5 + c * a - s * b, X.y(), 0.5 + s * a + c * b};
     },
     nothing},
    {"dropped: sticks to the ground at 10 m/s", [](const Eigen::Vector3d& X) { return X; },
     [](const Eigen::Vector3d&) { return Eigen::Vector3d(0, -10, 0); }},
    {"squashed to 35 % and let go",
     [](const Eigen::Vector3d& X) -> Eigen::Vector3d {
       return {X.x(), 0.35 * X.y(), X.z()};
     },
     nothing},
};

// The result of a run.
struct Fate {
  int exploded = 0;   // the step in which the energy passed 10,000 times that of the start; 0: never
  int failed = 0;     // the step that failed; 0: none
  StepStop why = {};  // the reason of the failure
  double left = 0;    // energy at the end, relative to that of the start
  double most = 0;    // the highest energy, likewise
  int newton_iterations = 0;

  bool came_to_rest() const { return exploded == 0 && failed == 0 && left < 1e-2; }
};

Fate run(const Scene& scene, const Way& way, Newton newton) {
  const auto mesh = make_box<Tet4>({.lengths = {1, 1, 1}, .cells = {2, 2, 2}, .split = Split::kuhn});
  newton.projection = way.projection;
  Simulation sim(Solid(mesh, ReconstructedNeoHookean(material, way.reconstruction), Density{1000}),
                 BackwardEuler{.dt = dt, .newton = newton}, Pcg<BlockJacobi>{.tolerance = 1e-10},
                 Pinned(nodes_where(mesh, [](const auto& X) { return X.y() < 1e-9; })));
  NodeMatrix<double, 3> x = mesh.nodes, v = mesh.nodes;
  for (std::ptrdiff_t i = 0; i < mesh.node_count(); ++i) {
    x.col(i) = scene.position(mesh.nodes.col(i));
    v.col(i) = scene.velocity(mesh.nodes.col(i));
  }
  for (const int node : sim.constraint().nodes()) v.col(node).setZero();
  sim.set_positions(x);
  sim.set_velocities(v);
  const double start = sim.energies().total();

  Fate fate;
  for (int step = 1; step <= steps && fate.exploded == 0 && fate.failed == 0; ++step) {
    const StepReport report = sim.step();
    if (!report) {
      fate.failed = step;
      fate.why = report.stop;
    }
    fate.newton_iterations += report.newton_iterations;
    fate.left = report.energies.total() / start;
    fate.most = std::max(fate.most, fate.left);
    if (!(fate.left <= 1e4)) fate.exploded = step;
  }
  return fate;
}

const char* in_words(StepStop stop) {
  switch (stop) {
    case StepStop::indefinite:
      return "the matrix is not positive definite";
    case StepStop::linear_solver_failed:
      return "conjugate gradients do not converge";
    case StepStop::not_converged:
      return "200 Newton iterations are not enough";
    case StepStop::stalled:
      return "no step lowers the potential";
    default:
      return "the state is not finite";
  }
}

void print(const Way& way, const Fate& fate) {
  std::printf("  %-24s", way.name);
  if (fate.exploded > 0) std::printf("explodes in step %d\n", fate.exploded);
  else if (fate.failed > 0) std::printf("no step %d: %s\n", fate.failed, in_words(fate.why));
  else
    std::printf("%.2g of the energy is left, %.3g at most, %d Newton iterations\n", fate.left, fate.most,
                fate.newton_iterations);
}

int run() {
  bool right = true;
  std::printf("Distance of the rebuilt Hessian from the projected one, relative:\n");
  for (const Way& way : ways) {
    if (way.projection != Projection::clamp) continue;
    const double error = error_of(way.reconstruction);
    const bool exact = way.reconstruction <= Reconstruction::right;
    std::printf("  %-24s%.2g\n", way.name, error);
    right = right && (exact ? error < 1e-12 : error > 0.1);
  }

  const double as_volume_modes = error_as_volume_modes();
  std::printf("The printed z are modes of the volume term but for %.2g\n", as_volume_modes);
  right = right && as_volume_modes < 1e-12;

  // Step 3: one linearised step per frame, the scheme of the thesis. It has no guarantee, not even with the
  // right projection; but in the first scene the body comes to rest with it, and not with the printed
  // formulas.
  for (const Scene& scene : scenes) {
    std::printf("\nOne linear system per step, %s:\n", scene.name);
    for (const Way& way : ways) {
      const Fate fate = run(scene, way, Newton::linearised());
      print(way, fate);
      if (&scene == &scenes.front() && way.projection != Projection::none) {
        right = right && fate.came_to_rest() == (way.reconstruction <= Reconstruction::right);
      }
    }
  }

  // Step 4: a minimisation per step, with a line search. Now the body comes to rest in every scene with the
  // right projection, and the energy never rises; with the printed formulas Newton's method does not
  // converge.
  for (const Scene& scene : scenes) {
    std::printf("\nConverged steps with a line search, %s:\n", scene.name);
    for (const Way& way : ways) {
      const Fate fate = run(scene, way, {.max_iterations = 200, .hessian = HessianStrategy::always_project});
      print(way, fate);
      if (way.projection != Projection::none) {
        const bool exact = way.reconstruction <= Reconstruction::right;
        right = right && fate.came_to_rest() == exact && (!exact || fate.most < 1);
      }
    }
  }
  return right ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "08_projection: %s\n", error.what());
    return 1;
  }
}
