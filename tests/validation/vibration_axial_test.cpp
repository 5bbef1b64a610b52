// The first axial frequency of a bar that is held at one end: f = c / (4 L), c = sqrt(E / rho), exact in
// space for nu = 0.
#include "validation/record.hpp"
#include "validation/vibration.hpp"

using namespace pliant;
using namespace vibration;
using validation::fixed;

// Between a held and a free end u = sin(k X), k = pi / (2 L), is a mode of the discrete bar of cells h too:
//   lumped mass      omega = (2 c / h) sin(k h / 2),
//   consistent mass  omega = (c / h) sqrt(6 (1 - cos k h) / (2 + cos k h)).
TEST_CASE("Hex8: the first axial frequency, from K u = omega^2 M u") {
  validation::Record record("vibration", "1 axial");
  const double c = std::sqrt(E / density), k = pi / (2 * length), exact = c / (4 * length);
  record.table("`Hex8`, axial vibration, f in Hz; exactly c/(4L) = " + fixed(exact, 6),
               {"cells", "lumped mass", "error", "order", "consistent mass", "error", "order"});
  std::vector<double> sizes, lumped, consistent;
  double discrete = 0;
  for (const int n : {2, 4, 8, 16}) {
    const auto body = beam(n, 1);
    const Problem problem(body);
    Eigen::MatrixXd axial = Eigen::MatrixXd::Zero(3, body.mesh().node_count());
    axial.row(0) = (k * body.mesh().nodes.row(0)).array().sin();
    const Eigen::VectorXd shape = problem.unknowns(axial);
    const double h = length / n, kh = k * h;
    const double with_lumped = mode_like(shape, problem.K, problem.lumped).omega,
                 with_consistent = mode_like(shape, problem.K, problem.consistent).omega;
    discrete = std::max(discrete, std::abs(with_lumped / (2 * c / h * std::sin(kh / 2)) - 1));
    discrete = std::max(
        discrete,
        std::abs(with_consistent / (c / h * std::sqrt(6 * (1 - std::cos(kh)) / (2 + std::cos(kh)))) - 1));
    sizes.push_back(h);
    lumped.push_back(1 - with_lumped / (2 * pi) / exact);
    consistent.push_back(with_consistent / (2 * pi) / exact - 1);
    CHECK((lumped.back() > 0 && consistent.back() > 0));  // from below and from above
    const std::size_t last = sizes.size() - 1;
    const auto rate = [&](const std::vector<double>& errors) {
      return last == 0 ? "" : fixed(validation::order(errors[last - 1], errors[last]), 3);
    };
    record.entries({std::to_string(n) + " x 1 x 1", fixed(with_lumped / (2 * pi), 6),
                    fixed(-100 * lumped[last], 3) + " %", rate(lumped), fixed(with_consistent / (2 * pi), 6),
                    fixed(100 * consistent[last], 3) + " %", rate(consistent)});
  }
  record.curve("cantilever, frequencies", "axial, lumped mass", sizes, lumped);
  record.curve("cantilever, frequencies", "axial, consistent mass", sizes, consistent);
  record.at_most("`Hex8`, axial frequency, 2 to 16 cells, both masses", "closed form of the discrete bar",
                 discrete, 1e-10);
  record.between("`Hex8`, axial frequency, order with lumped mass, 8 to 16 cells", "c/(4L), from below",
                 validation::order(lumped[2], lumped[3]), 1.98, 2.02);
  record.between("`Hex8`, axial frequency, order with consistent mass, 8 to 16 cells", "c/(4L), from above",
                 validation::order(consistent[2], consistent[3]), 1.98, 2.02);
}
