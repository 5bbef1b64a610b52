// What BackwardEuler keeps and what it takes.
#include "validation/conservation.hpp"

#include <pliant/integrator/backward_euler.hpp>

using pliant::BackwardEuler;

TEST_CASE("BackwardEuler: free fall, momenta and energy") {
  validation::Record record("conservation", "1 backward_euler");
  conservation::free_fall<BackwardEuler>(record, "`BackwardEuler`");
  conservation::momenta<BackwardEuler>(record, "`BackwardEuler`");
  conservation::dissipation<BackwardEuler>(record, "`BackwardEuler`");
}
