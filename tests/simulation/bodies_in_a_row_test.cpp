// Two welded materials in a row, against the exact solution.
#include "support/catch.hpp"

#include <pliant/constraint/pinned.hpp>
#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/element/hex8.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/st_venant_kirchhoff.hpp>
#include <pliant/integrator/quasistatic.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;

TEST_CASE("welded bars in a row, nu = 0: the same force stretches each by its own stiffness") {
  const LinearElastic stiff(Lame::from_young_poisson(4e5, 0));
  const StVenantKirchhoff soft(Lame::from_young_poisson(1e5, 0));
  const auto beginning_at = [](double x) {
    return make_box<Hex8>({.lengths = {1, 0.5, 0.5}, .cells = {4, 2, 2}, .origin = {x, 0, 0}});
  };
  const Bodies bar(Weld{1e-12}, Solid(beginning_at(0), stiff, Density{1000}),
                   Solid(beginning_at(1), soft, Density{500}));
  const auto left = nodes_where(bar.mesh(), [](const auto& X) { return X.x() == 0; });
  const auto right = nodes_where(bar.mesh(), [](const auto& X) { return X.x() == 2; });
  Simulation sim(bar, QuasiStatic{.newton = {.max_iterations = 100, .tolerance = 1e-11}},
                 Pcg<BlockJacobi>{.tolerance = 1e-12}, Pinned(left),
                 PrescribedMotion(right, [](const auto& X, double) {
                   return Eigen::Vector3d(X.x() + 0.3, X.y(), X.z());
                 }));
  const StepReport report = sim.step();
  INFO(report.message());
  REQUIRE(report);

  // Stress 4e5 e = P of the stretch 1.3 - e, found by bisection.
  const auto stress = [&](double stretch) {
    return soft.pk1(Eigen::Matrix3d(Eigen::Vector3d(stretch, 1, 1).asDiagonal()))(0, 0);
  };
  double low = 0, high = 0.3;
  for (int k = 0; k < 100; ++k) {
    const double strain = (low + high) / 2;
    (4e5 * strain < stress(1.3 - strain) ? low : high) = strain;
  }
  for (std::ptrdiff_t k = 0; k < bar.node_count(); ++k) {
    const double X = bar.nodes()(0, k);
    const double expected = X <= 1 ? (1 + low) * X : 1 + low + (1.3 - low) * (X - 1);
    CHECK(sim.positions()(0, k) == Approx(expected).margin(1e-9));
    CHECK((sim.positions().col(k) - bar.nodes().col(k)).tail<2>().norm() < 1e-9);
  }
}
