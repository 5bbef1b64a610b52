// The order of central differences in dt.
#include "integrator/order.hpp"

#include <pliant/integrator/central_differences.hpp>

using namespace pliant;
using namespace pliant::test;
using namespace pliant::test::order;

TEST_CASE("CentralDifferences: second order, mass damping included") {
  require_order(2, slopes({Law::stable_neo_hookean, {}}, CentralDifferences{}));
  require_order(2, slopes({Law::stable_neo_hookean, alpha}, CentralDifferences{}));
}

TEST_CASE(
    "CentralDifferences: a load that is set to its value in the middle of each step keeps second order") {
  require_order(2, slopes({Law::stable_neo_hookean, alpha, true}, CentralDifferences{}));
}

TEST_CASE("CentralDifferences: a stiffness damping, which lags, is of first order") {
  require_order(1, slopes({Law::stable_neo_hookean, {.beta = 5e-4}}, CentralDifferences{}));
}
