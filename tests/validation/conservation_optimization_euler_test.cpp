// What OptimizationEuler keeps and what it takes.
#include "validation/conservation.hpp"

#include <pliant/integrator/optimization_euler.hpp>

using pliant::OptimizationEuler;

TEST_CASE("OptimizationEuler: free fall, momenta and energy") {
  validation::Record record("conservation", "2 optimization_euler");
  conservation::free_fall<OptimizationEuler>(record, "`OptimizationEuler`");
  conservation::momenta<OptimizationEuler>(record, "`OptimizationEuler`");
  conservation::dissipation<OptimizationEuler>(record, "`OptimizationEuler`");
}
