// Steps that must succeed.
#pragma once

#include "support/catch.hpp"

#include <pliant/integrator/step_report.hpp>

namespace pliant::test {

template <class Simulation>
void run_steps(Simulation& sim, int steps) {
  for (int n = 0; n < steps; ++n) {
    const StepReport report = sim.step();
    INFO(report.message());
    REQUIRE(report);
  }
}

}  // namespace pliant::test
