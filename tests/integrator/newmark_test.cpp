// Newmark against the closed form of one mode.
#include "integrator/axial_bar.hpp"

#include <pliant/integrator/newmark.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

// Of u'' + 2 zeta omega u' + omega^2 u = 0, w = omega dt: Hughes, The Finite Element Method, section 9.1.
Recurrence closed_form(const Newmark& rule, double w, double zeta) {
  const double D = 1 + 2 * rule.gamma * zeta * w + rule.beta * w * w;
  const double half_trace = 1 - (zeta * w + w * w * (rule.gamma + 0.5) / 2) / D;
  return {2 * half_trace, 1 - (2 * zeta * w + w * w * (rule.gamma - 0.5)) / D};
}

}  // namespace

TEST_CASE("Newmark: a mode is amplified by the closed form, whatever the step, the rule and the damping") {
  const Bar bar;
  struct Rule {
    double beta, gamma;
  };
  for (const Newton& newton : {Newton::linearised(), tight()}) {
    for (const Rule rule : {Rule{0.25, 0.5}, Rule{0.3025, 0.6}, Rule{1.0 / 6, 0.5}, Rule{0.5, 1}}) {
      for (const double w : {0.1, 1.0, 4.0, 10.0}) {
        for (const Rayleigh damping : {Rayleigh{}, Rayleigh{.alpha = 6}, Rayleigh{.beta = 1e-3}}) {
          if (newton.max_iterations > 1 && damping.alpha > 0) continue;  // enough is enough
          const Newmark integrator{
              .dt = w / bar.omega, .beta = rule.beta, .gamma = rule.gamma, .newton = newton};
          const double zeta = (damping.alpha / bar.omega + damping.beta * bar.omega) / 2;
          const Recurrence measured = Recurrence::fitted(bar.amplitudes(integrator, damping, 6));
          const Recurrence expected = closed_form(integrator, w, zeta);
          CAPTURE(rule.beta, rule.gamma, w, damping.alpha, damping.beta);
          CHECK(measured.trace == Approx(expected.trace).epsilon(1e-7).margin(1e-7));
          CHECK(measured.determinant == Approx(expected.determinant).epsilon(1e-7).margin(1e-7));
          CHECK(measured.amplification() == Approx(expected.amplification()).epsilon(1e-4));
        }
      }
    }
  }
  // What the documentation says of them.
  CHECK(closed_form({}, 10, 0).amplification() == Approx(1));
  CHECK(closed_form({.beta = 0.3025, .gamma = 0.6}, 10, 0).amplification() == Approx(0.82).epsilon(0.01));
  CHECK(closed_form({.beta = 1.0 / 6}, 3.46, 0).amplification() == Approx(1));
  CHECK(closed_form({.beta = 1.0 / 6}, 3.47, 0).amplification() > 1.05);
}

TEST_CASE("Newmark: a damped mode decays at the rate zeta omega, zeta = (alpha / omega + beta omega) / 2") {
  const Bar bar;
  for (const Rayleigh damping : {Rayleigh{.alpha = 6}, Rayleigh{.beta = 1e-3}, Rayleigh{4, 5e-4}}) {
    const double zeta = (damping.alpha / bar.omega + damping.beta * bar.omega) / 2;
    const double dt = 0.05 / bar.omega;
    const Recurrence measured =
        Recurrence::fitted(bar.amplitudes(Newmark{.dt = dt, .newton = tight()}, damping, 12));
    CHECK(-std::log(measured.amplification()) / dt == Approx(zeta * bar.omega).epsilon(2e-3));
  }
}

TEST_CASE("Newmark: parameters out of range are refused by name") {
  CHECK_THROWS_WITH((Newmark{.dt = 0}.check()), Catch::Contains("Newmark::dt"));
  CHECK_THROWS_WITH((Newmark{.beta = 0}.check()), Catch::Contains("CentralDifferences"));
  CHECK_THROWS_WITH((Newmark{.beta = 0.51}.check()), Catch::Contains("Newmark::beta = 0.51"));
  CHECK_THROWS_WITH((Newmark{.gamma = 0.49}.check()), Catch::Contains("Newmark::gamma"));
  CHECK_THROWS_WITH((Newmark{.gamma = 1.01}.check()), Catch::Contains("Newmark::gamma"));
  CHECK_THROWS_AS((Newmark{.gamma = std::nan("")}.check()), ParameterError);
  CHECK_THROWS_AS((Newmark{.newton = {.max_iterations = 0}}.check()), ParameterError);
  CHECK_NOTHROW((Newmark{.beta = 0.5, .gamma = 1}.check()));
}
