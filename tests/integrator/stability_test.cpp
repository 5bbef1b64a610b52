// Converged, line-searched backward Euler is stable: the incremental potential never rises, whatever the
// start and the step, and a held body comes to rest in equilibrium.
#include "integrator/dense_body.hpp"
#include "integrator/scene.hpp"
#include "support/catch.hpp"

#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

int inverted_elements(const Mesh<Tet4>& mesh, const Points& x) {
  int count = 0;
  for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) {
    Eigen::Matrix3d edges;
    for (int a = 0; a < 3; ++a) edges.col(a) = x.col(mesh.elements(a + 1, e)) - x.col(mesh.elements(0, e));
    if (edges.determinant() <= 0) ++count;
  }
  return count;
}

}  // namespace

// |v+ - v|_M^2 / 2 + E(x+) + dt / 2 v+.C v+ <= |v|_M^2 / 2 + E(x) + f.(x+ - x): the incremental potential at
// the end of the step is not above that at its start.
TEST_CASE("energy and dissipation never exceed the work done") {
  const auto mesh = jittered_box({3, 2, 2});
  const double density = 1000;
  const auto lame = Lame::from_young_poisson(1e5, 0.45);
  const DenseBody body(mesh, Law::stable_neo_hookean, lame, density);
  const Eigen::VectorXd& mass = body.mass();
  enum class Start { scrambled, squashed, stretched };
  for (const double alpha : {0.0, 2.0}) {
    for (const Start start : {Start::scrambled, Start::squashed, Start::stretched}) {
      for (const double dt : {1e-3, 1.0 / 60, 0.1}) {
        for (const bool falling : {false, true}) {
          // Each iteration lowers the potential, so that stopping early is as stable. Converging from such
          // starts can take hundreds of iterations.
          const Newton newton{.max_iterations = 20, .require_convergence = false};
          const auto scene = make_scene<StableNeoHookean>({.mesh = mesh,
                                                           .lame = lame,
                                                           .density = density,
                                                           .damping = {.alpha = alpha},
                                                           .integrator = {.dt = dt, .newton = newton},
                                                           .linear_tolerance = 1e-8});
          Points x = mesh.nodes;
          if (start == Start::scrambled) x = 0.15 * noise(mesh.node_count(), 11);
          if (start == Start::squashed) x.row(0) *= 0.1;
          if (start == Start::stretched) x.row(1) *= 3;
          if (start == Start::scrambled) REQUIRE(inverted_elements(mesh, x) > 20);
          Points v = noise(mesh.node_count(), 12);
          scene->set_positions(x);
          scene->set_velocities(v);
          const Eigen::Vector3d g = falling ? Eigen::Vector3d(0, -9.81, 0) : Eigen::Vector3d(0, 0, 0);
          scene->set_gravity(g);
          double before = kinetic_energy(mass, v) + body.energy(x);
          for (int n = 0; n < 12; ++n) {
            CAPTURE(alpha, static_cast<int>(start), dt, falling, n);
            const StepReport report = scene->step();
            INFO(report.message());
            REQUIRE(report);
            const Points x_end = scene->positions(), v_end = scene->velocities();
            const double elastic = body.energy(x_end), work = g.dot((x_end - x) * mass);
            CHECK(report.energies.elastic == Approx(elastic).epsilon(1e-10).margin(1e-12));
            const double left =
                kinetic_energy(mass, v_end - v) + elastic + dt * alpha * kinetic_energy(mass, v_end);
            CHECK(left <= before + work + 1e-11 * (std::abs(before) + std::abs(work)));
            x = x_end;
            v = v_end;
            before = kinetic_energy(mass, v) + elastic;
          }
        }
      }
    }
  }
}

// Every node is thrown up to an edge length away from its place. (From a cloud that forgets the places, all
// elements recover too, but a mesh can be left wound around itself, in a local minimum of the energy. So it
// can where a strong stiffness damping holds what is stretched and lets go what is flat.)
TEST_CASE("a scrambled body recovers its shape") {
  const auto mesh = jittered_box({3, 2, 2});
  for (unsigned seed = 11; seed < 17; ++seed) {
    const auto scene = make_scene<StableNeoHookean>(
        {.mesh = mesh,
         .lame = Lame::from_young_poisson(1e5, 0.45),
         .integrator = {.dt = 1.0 / 60, .newton = {.max_iterations = 30, .require_convergence = false}},
         .linear_tolerance = 1e-4});
    scene->set_positions(mesh.nodes + 0.1 * noise(mesh.node_count(), seed));
    REQUIRE(inverted_elements(mesh, scene->positions()) > 5);
    const double start = scene->energies().elastic;
    for (int n = 0; n < 120; ++n) {
      const StepReport report = scene->step();
      INFO(report.message());
      REQUIRE(report);
    }
    CHECK(inverted_elements(mesh, scene->positions()) == 0);
    CHECK(scene->energies().elastic < 1e-6 * start);
  }
}

// At rest the gradient of the elastic energy, from the second implementation, is each free node's weight, and
// the reactions at the held nodes add up to the weight of the body.
TEST_CASE("a held body comes to rest, its weight on its supports") {
  const auto mesh = jittered_box({3, 1, 1}, 0.05);
  const auto pinned = nodes_where(mesh, [](const auto& X) { return X.x() < 0.025; });
  const Eigen::Vector3d g(9.81, 0, -1);
  const double density = 1000;
  for (const double E : {1e4, 1e5, 1e7, 1e9}) {
    for (const double dt : {1e-3, 1.0 / 60, 0.1}) {
      const auto lame = Lame::from_young_poisson(E, 0.3);
      const DenseBody body(mesh, Law::stable_neo_hookean, lame, density);
      // Near critical damping of the first bending mode (about 0.16 sqrt(E / rho) h / L^2 in Hz) or faster.
      const double omega = std::sqrt(E / density) * 0.05 / (0.15 * 0.15);
      const auto scene = make_scene<StableNeoHookean>({.mesh = mesh,
                                                       .lame = lame,
                                                       .density = density,
                                                       .damping = {.alpha = 2 * omega},
                                                       .integrator = {.dt = dt, .newton = tight(1e-9)},
                                                       .linear_tolerance = 1e-10,
                                                       .pinned = pinned});
      scene->set_gravity(g);
      const int steps = std::max(20, static_cast<int>(40 / (omega * dt)));
      CAPTURE(E, dt, steps);
      StepReport report;
      for (int n = 0; n < steps; ++n) {
        report = scene->step();
        INFO(report.message());
        REQUIRE(report);
      }
      const double speed_scale = std::sqrt(9.81 * 0.15);
      CHECK(scene->velocities().cwiseAbs().maxCoeff() < 1e-6 * speed_scale);

      Points unbalanced = body.gradient(scene->positions()) - g * body.mass().transpose();
      Eigen::Vector3d reaction = Eigen::Vector3d::Zero();
      for (const int i : pinned) {
        reaction += unbalanced.col(i);
        unbalanced.col(i).setZero();
      }
      const double weight = body.mass().sum() * g.norm();
      CHECK(unbalanced.norm() < 1e-5 * weight);
      CHECK((reaction + body.mass().sum() * g).norm() < 1e-5 * weight);
    }
  }
}
