// Central differences against the closed form of one mode.
//
// One node of a tetrahedron is free; the three that are held make its three modes those of the axes, of
// omega^2 = V (lambda + 2 mu) / (m L^2) along x and V mu / (m L^2) across, m = rho V / 4.
#include "integrator/axial_bar.hpp"

#include <pliant/integrator/central_differences.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

struct OneNode {
  double mu = 3e4, density = 1000, L = 0.1;
  double omega = std::sqrt(4 * 2 * mu / (density * L * L));  // along x, where lambda = 0: the highest
  Mesh<Tet4> mesh;

  OneNode() {
    mesh.nodes.resize(3, 4);
    mesh.nodes << 0, L, 0, 0, 0, 0, L, 0, 0, 0, 0, L;
    mesh.elements.resize(4, 1);
    mesh.elements << 0, 1, 2, 3;
  }

  std::unique_ptr<Scene> scene(const CentralDifferences& integrator, const Rayleigh& damping = {}) const {
    auto result = make_scene<LinearElastic, double, CentralDifferences>({.mesh = mesh,
                                                                         .lame = Lame::from_mu_lambda(mu, 0),
                                                                         .density = density,
                                                                         .damping = damping,
                                                                         .integrator = integrator,
                                                                         .pinned = {0, 2, 3}});
    Points x = mesh.nodes;
    x(0, 1) += amplitude;
    result->set_positions(x);
    return result;
  }

  double displacement(const Scene& scene) const { return scene.positions()(0, 1) - L; }

  static constexpr double amplitude = 1e-3;
};

// x+ = x + h v', v' = v'_before - h (omega^2 x + alpha (v' + v'_before) / 2 + beta omega^2 v'_before)
Recurrence closed_form(double omega, const Rayleigh& damping, double h) {
  const double s = 1 + h * damping.alpha / 2;
  const double kept = (1 - h * damping.alpha / 2 - h * damping.beta * omega * omega) / s;
  return {1 + kept - h * h * omega * omega / s, kept};
}

}  // namespace

TEST_CASE("CentralDifferences: a mode swings by the closed form up to just below the limit omega dt = 2") {
  const OneNode body;
  for (const double w : {0.1, 1.0, 1.9, 1.999}) {
    const auto scene = body.scene({.dt = w / body.omega, .safety = 0.9999});
    const double angle = std::acos(1 - w * w / 2);
    for (int n = 1; n <= 1000; ++n) {
      const StepReport report = scene->step();
      INFO(report.message());
      REQUIRE(report);
      REQUIRE(report.substeps == 1);
      REQUIRE(report.stable_dt == Approx(2 / body.omega).epsilon(1e-12));
      REQUIRE(body.displacement(*scene) == Approx(1e-3 * std::cos(n * angle)).margin(1e-8));
      // The velocity is the central difference.
      const double v = -1e-3 * std::sin(n * angle) * std::sin(angle) * body.omega / w;
      REQUIRE(scene->velocities()(0, 1) == Approx(v).margin(1e-7 * body.omega));
    }
  }
}

TEST_CASE("CentralDifferences: a step above the limit is cut into substeps, or refused with the stable one") {
  const OneNode body;
  for (const double w : {2.001, 3.0, 50.0}) {
    const double dt = w / body.omega;
    const auto scene = body.scene({.dt = dt});
    const int parts = static_cast<int>(std::ceil(w / (CentralDifferences{}.safety * 2)));
    const double angle = std::acos(1 - w * w / (2.0 * parts * parts));
    for (int n = 1; n <= 20; ++n) {
      const StepReport report = scene->step();
      REQUIRE(report);
      REQUIRE(report.substeps == parts);
      REQUIRE(std::isnan(report.residual));  // none is known
      REQUIRE(scene->time() == Approx(n * dt));
      REQUIRE(body.displacement(*scene) == Approx(1e-3 * std::cos(n * parts * angle)).margin(1e-9));
    }

    const auto refused = body.scene({.dt = dt, .max_substeps = parts - 1});
    const Points x = refused->positions();
    for (int repeat = 0; repeat < 2; ++repeat) {
      const StepReport report = refused->step();
      CHECK(report.stop == StepStop::too_stiff);
      CHECK(report.stable_dt == Approx(2 / body.omega));
      CHECK(report.message().find("max_substeps") != std::string::npos);
      CHECK(refused->positions() == x);
      CHECK(refused->time() == 0);
    }
  }
}

TEST_CASE("CentralDifferences: damped modes, their closed form and their limit") {
  const OneNode body;
  for (const double zeta : {0.01, 0.3, 2.0}) {
    for (const Rayleigh damping :
         {Rayleigh{.alpha = 2 * zeta * body.omega}, Rayleigh{.beta = 2 * zeta / body.omega},
          Rayleigh{zeta * body.omega, zeta / body.omega}}) {
      const double high = damping.beta * body.omega / 2;
      const double limit = 2 / body.omega * (std::sqrt(1 + high * high) - high);
      CHECK(closed_form(body.omega, damping, 0.999 * limit).amplification() < 1 + 1e-12);
      CHECK(closed_form(body.omega, damping, 1.001 * limit).amplification() > 1);
      for (const double part : {0.05, 0.5, 0.999}) {
        CAPTURE(zeta, damping.alpha, damping.beta, part);
        const auto scene = body.scene({.dt = part * limit, .safety = 0.9995}, damping);
        std::vector<double> q{1e-3};
        for (int n = 0; n < 8; ++n) {
          const StepReport report = scene->step();
          REQUIRE(report);
          REQUIRE(report.substeps == 1);
          REQUIRE(report.stable_dt == Approx(limit));
          q.push_back(body.displacement(*scene));
        }
        const Recurrence expected = closed_form(body.omega, damping, part * limit);
        for (std::size_t n = 0; n + 2 < q.size(); ++n) {
          CHECK(q[n + 2] == Approx(expected.trace * q[n + 1] - expected.determinant * q[n]).margin(1e-13));
        }
      }
    }
  }
}

TEST_CASE("CentralDifferences: parameters out of range are refused by name") {
  CHECK_THROWS_WITH((CentralDifferences{.dt = 0}.check()), Catch::Contains("CentralDifferences::dt"));
  CHECK_THROWS_WITH((CentralDifferences{.safety = 1}.check()), Catch::Contains("safety"));
  CHECK_THROWS_WITH((CentralDifferences{.safety = 0}.check()), Catch::Contains("safety"));
  CHECK_THROWS_WITH((CentralDifferences{.max_substeps = 0}.check()), Catch::Contains("max_substeps"));
  CHECK_THROWS_WITH((CentralDifferences{.renewal = 0}.check()), Catch::Contains("renewal"));
  CHECK_NOTHROW(CentralDifferences{}.check());
}
