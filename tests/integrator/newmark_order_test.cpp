// The order of Newmark in dt.
#include "integrator/order.hpp"

#include <pliant/integrator/newmark.hpp>

using namespace pliant;
using namespace pliant::test;
using namespace pliant::test::order;

TEST_CASE("Newmark: the motion is large enough to be nonlinear") {
  const Points linear = truth({Law::linear, {}}), nonlinear = truth({Law::stable_neo_hookean, {}});
  CHECK((linear - nonlinear).norm() > 0.03 * (nonlinear - mesh.nodes).norm());
}

TEST_CASE("Newmark: converged steps with beta = 1/4, gamma = 1/2 are of second order") {
  require_order(2, slopes({Law::stable_neo_hookean, {}}, Newmark{.newton = tight()}));
  require_order(2, slopes({Law::stable_neo_hookean, alpha}, Newmark{.newton = tight()}));
  require_order(2, slopes({Law::stable_neo_hookean, beta}, Newmark{.newton = tight()}));
}

// With the tangent as it is; one that has lost its negative eigenvalues is off by more than a power of dt.
TEST_CASE("Newmark: single iterations are of second order too where the damping is constant") {
  Newton newton = Newton::linearised();
  newton.hessian = HessianStrategy::on_demand;
  require_order(2, slopes({Law::stable_neo_hookean, alpha}, Newmark{.newton = newton}));
  require_order(2, slopes({Law::linear, beta}, Newmark{.newton = Newton::linearised()}));
}

TEST_CASE("Newmark: a load that is set to its value in the middle of each step keeps second order") {
  require_order(2, slopes({Law::stable_neo_hookean, alpha, true}, Newmark{.newton = tight()}));
}

TEST_CASE("Newmark: gamma > 1/2 is of first order") {
  require_order(
      1, slopes({Law::stable_neo_hookean, {}}, Newmark{.beta = 0.3025, .gamma = 0.6, .newton = tight()}));
}
