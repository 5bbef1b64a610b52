// A cantilever of length 1 m and section 0.1 m x 0.1 m, E = 1e6 Pa, 1 N spread over its end, at small strain.
#include "assembly/static_equilibrium.hpp"
#include "validation/record.hpp"

#include <pliant/assembly/system.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>

using namespace pliant;
using validation::fixed;

namespace {

// The mean deflection of the end [m] on 10 n x n x n cells.
double deflection(int n, double nu) {
  const auto mesh = make_box<Hex8>({.lengths = {1, 0.1, 0.1}, .cells = {10 * n, n, n}});
  ElasticSystem system{Solid(mesh, LinearElastic(Lame::from_young_poisson(1e6, nu)), Density{1000})};
  Eigen::MatrixXd loads = Eigen::MatrixXd::Zero(3, mesh.node_count());
  const double end = 1 - 1e-9, side = 0.1;
  double mean = 0;
  const auto tip = nodes_where(mesh, [end](const auto& X) { return X.x() > end; });
  for (const int i : tip) {
    double share = 1.0 / (n * n);
    for (int axis = 1; axis < 3; ++axis) {
      const double X = mesh.nodes(axis, i);
      if (X < 1e-9 || X > side - 1e-9) share /= 2;
    }
    loads(1, i) = -share;
  }
  const auto held = nodes_where(mesh, [](const auto& X) { return X.x() < 1e-9; });
  const Eigen::MatrixXd x = static_equilibrium::solve(system, mesh.nodes, held, loads, 1e-8);
  for (const int i : tip) mean += (mesh.nodes(1, i) - x(1, i)) / static_cast<double>(tip.size());
  return mean;
}

}  // namespace

// A linear hexahedron that bends is also sheared, which stiffens it by the factor 1 + (G / E)(length /
// height of the beam)^2 of its cells: the coarse meshes are too stiff. The extrapolated limit is compared
// with F L^3 / (3 E I) + F L / (kappa G A), kappa = 5/6. What remains is the clamped side, which the beam
// theory leaves free to contract and to warp.
TEST_CASE("Hex8: the deflection of a cantilever", "[slow]") {
  validation::Record record("cantilever", "1 small strain");
  struct Case {
    double nu, beam, margin;
    std::array<double, 3> truth;
  };
  for (const auto& [nu, beam, margin, truth] : {Case{0, 0.04024, 1e-4, {0.0268, 0.0357, 0.0390}},
                                                Case{0.3, 0.040312, 4e-4, {0.0259, 0.0350, 0.0386}}}) {
    const std::string name = "nu = " + validation::text(nu, 2);
    record.table("`Hex8`, " + name + ": deflection of the end, m. Beam theory with shear: " + fixed(beam, 6),
                 {"cells", "measured", "the same mesh", "below beam theory", "order"});
    std::vector<double> w, sizes, errors;
    for (std::size_t k = 0; k < 4; ++k) {
      const int n = 1 << k;
      w.push_back(deflection(n, nu));
      sizes.push_back(0.1 / n);
      errors.push_back((beam - w[k]) / beam);
      const std::string cells =
          std::to_string(10 * n) + " x " + std::to_string(n) + " x " + std::to_string(n);
      record.entries({cells, fixed(w[k], 6), k < truth.size() ? fixed(truth[k], 4) : "",
                      fixed(100 * errors[k], 2) + " %",
                      k == 0 ? "" : fixed(validation::order(errors[k - 1], errors[k]), 2)});
      if (k < truth.size()) {
        record.equals("`Hex8`, " + name + ", " + cells, "an independent program on the same mesh", w[k],
                      truth[k], 5e-5, 4);
      }
    }
    record.curve("cantilever, deflection", name, sizes, errors);
    record.equals("`Hex8`, " + name + ", the last two meshes extrapolated to second order",
                  "beam theory with shear", validation::richardson(w[2], w[3], 2), beam, margin, 5);
  }
}
