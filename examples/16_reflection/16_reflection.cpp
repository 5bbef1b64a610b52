// 16_reflection: a body starts as its own mirror image and recovers its shape.
//
// The problem: every element of a free body at rest is turned inside out, det F = -1. The nearest rotation R
// of each element, which is never a reflection, pulls it through the plane; neighbours in different
// directions obstruct each other.
//
//           O                   _|_                   O
//         --|--      ->         ~|~         ->      --|--        seen from the front: the same again, but
//          / \                  /~\                  / \         left has become right and right left
//        det F = -1           some of both           det F = 1
//
// Kugelstadt, Koschier, Bender 2018, "Fast corotated FEM using operator splitting", figure 5: an armadillo
// recovers in just a few time steps.
//
// What to look at: after five steps nearly all elements have turned, the last ones after about 20, and then
// the body oscillates until damping has stopped it. This is the effect of the term mu |F - R|^2 alone, that
// of Arap. The volume constraint of an element prevents a passage through det F = 0: with it from the start a
// fine stiff body stays scrambled, a coarse one does not. So switch it off, by `volume_iterations = 0`, until
// every element is positive, and then on again; the factor of the matrix stays valid.
//
// Run:  16_reflection                   a generated figure, 2400 tetrahedra
//       16_reflection body.msh          tetrahedra of a mesh file, made one metre long
//       16_reflection - 3 out/figure    a finer figure, and .vtu files of every step
//
// Returns 0 if in the end no element is inverted and no node is farther than a thousandth of the length of
// the body from its rest position, up to a rigid motion; the elements turned within half a second; the centre
// of mass has not moved; and the matrix was factorised once.
//
// Read before: 14_crowd, and `OperatorSplitting` in docs/settings.md.
#include "../support/facts.hpp"
#include "../support/figure.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

#include <Eigen/Geometry>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

constexpr double density = 1000, dt = 0.01, half_a_second = 0.5;  // kg/m^3, s
constexpr int steps = 300;

// The largest distance of a node from its rest position, after the best rigid motion.
double distance_to_rest(const NodeMatrix<double, 3>& rest, const NodeMatrix<double, 3>& x) {
  const Eigen::Matrix4d motion = Eigen::umeyama(rest, x, false);
  return (x - (motion.topRows<3>() * rest.colwise().homogeneous())).colwise().norm().maxCoeff();
}

// Step 1: the run. `relax_at_once`: whether volumes are relaxed from the start, or after the body has turned.
template <class EnergyModel>
bool recover(const char* name, const Mesh<Tet4>& body, const EnergyModel& energy, bool relax_at_once,
             const std::string& output) {
  const OperatorSplitting with_volumes{.dt = dt, .volume_iterations = 1},
      without{.dt = dt, .volume_iterations = 0};
  const Solid solid(body, energy, Density{density}, Rayleigh{.alpha = 5});
  Simulation sim(solid, relax_at_once ? with_volumes : without);
  NodeMatrix<double, 3> mirrored = body.nodes;
  mirrored.row(0) *= -1;
  sim.set_positions(mirrored);

  const Eigen::VectorXd volumes = element_volumes(body);
  auto now = body;
  const auto centre_of_mass = [&] {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (Eigen::Index e = 0; e < body.element_count(); ++e) {
      for (const int node : body.elements.col(e)) sum += volumes(e) / 4 * sim.positions().col(node);
    }
    return Eigen::Vector3d(sum / volumes.sum());
  };
  const Eigen::Vector3d centre = centre_of_mass();
  std::unique_ptr<VtkSeries> series;
  if (!output.empty()) series = std::make_unique<VtkSeries>(output);

  int factorisations = 0, turned = 0;  // turned: the step since which no element is inverted
  for (int step = 1; step <= steps; ++step) {
    const StepReport report = sim.step();
    if (!report) throw std::runtime_error(report.message());
    if (series) series->write(sim);
    factorisations += report.factorisations;
    now.nodes = sim.positions();
    const auto inverted = (element_volumes(now).array() <= 0).count();
    if (inverted > 0) turned = step + 1;
    if (inverted == 0 && turned == step) sim.set_integrator(with_volumes);
    if (step == 1 || step == 5 || step == 20 || step == steps) {
      std::printf("%-34s %5d %9td %13.5f\n", step == 1 ? name : "", step, inverted,
                  distance_to_rest(body.nodes, sim.positions()));
    }
  }

  // Step 2: the facts.
  const Eigen::ArrayXd ratios = element_volumes(now).array() / volumes.array();
  const double length = bounding_box(body).lengths().maxCoeff();
  Facts facts;
  facts.expect(turned <= half_a_second / dt, "every element has turned within half a second");
  facts.expect(ratios.minCoeff() > 0.99 && ratios.maxCoeff() < 1.01, "every element has its volume again");
  facts.expect(distance_to_rest(body.nodes, sim.positions()) < 1e-3 * length, "the body has its shape again");
  facts.expect((centre_of_mass() - centre).norm() < 1e-9 * length, "its centre of mass has stayed");
  facts.expect(factorisations == 1, "the matrix is factorised once");
  return facts.exit_code() == 0;
}

int run(int argc, char** argv) {
  const std::string file = argc > 1 ? argv[1] : "-";
  const auto body = body_of(file, argc > 2 ? std::atoi(argv[2]) : 2), coarse = make_figure(1);
  const auto lame = Lame::from_young_poisson(1e6, 0.33);
  std::printf("%td tetrahedra, the coarse figure: %td\n", body.element_count(), coarse.element_count());
  std::printf("%-34s  step  inverted  distance to rest/m\n", "");
  const bool arap = recover("Arap", body, Arap(lame), false, "");
  const bool later =
      recover("FixedCorotated, volumes later", body, FixedCorotated(lame), false, argc > 3 ? argv[3] : "");
  const bool at_once = recover("FixedCorotated, coarse, at once", coarse, FixedCorotated(lame), true, "");
  return arap && later && at_once ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "16_reflection: %s\n", error.what());
    return 1;
  }
}
