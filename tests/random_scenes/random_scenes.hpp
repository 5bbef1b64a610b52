// Runs scenes at random and counts how they end.
#pragma once

#include "random_scenes/scene.hpp"
#include "support/catch.hpp"

#include <cstdlib>

namespace pliant::test {

// `count` scenes, or PLIANT_RANDOM_SCENES of them, from the seed PLIANT_FIRST_SEED on. None may be wrong, and
// no more than a part may stop before its end.
template <class Energy, class Steps = ImplicitSteps>
void run_random_scenes(int count, bool may_invert, double stopped_part, int steps = 50,
                       const Steps& kind = {}) {
  const char* const wanted = std::getenv("PLIANT_RANDOM_SCENES");
  const char* const first = std::getenv("PLIANT_FIRST_SEED");
  if (wanted) count = std::atoi(wanted);
  const auto seed = static_cast<std::uint64_t>(first ? std::atoll(first) : 0);
  int stopped = 0;
  for (std::uint64_t k = 0; k < static_cast<std::uint64_t>(count); ++k) {
    const SceneOutcome outcome = run_scene<Energy>(seed + k, may_invert, steps, kind);
    INFO(outcome.description);
    CHECK(outcome.wrong == "");
    if (outcome.stop != StepStop::converged) ++stopped;
  }
  INFO(stopped << " of " << count << " scenes stopped early");
  CHECK(stopped <= stopped_part * count);
}

}  // namespace pliant::test
