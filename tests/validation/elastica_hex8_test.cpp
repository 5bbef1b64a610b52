// The large deflection of a cantilever of hexahedra.
#include "validation/elastica.hpp"

#include <pliant/energy/st_venant_kirchhoff.hpp>
#include <pliant/mesh/make_box.hpp>

using namespace pliant;
using elastica::Tip;
using validation::fixed;

// To the printed digits of a table from elliptic integrals.
TEST_CASE("the elastica integrated here is that of elliptic integrals") {
  struct Row {
    double k, w, u;
  };
  for (const auto& [k, w, u] :
       {Row{0.1, 0.03329532, 0.00066540}, Row{0.5, 0.16214358, 0.01591896}, Row{1, 0.30172077, 0.05643324},
        Row{2, 0.49345748, 0.16064172}, Row{5, 0.71379152, 0.38762836}, Row{10, 0.81060902, 0.55499560}}) {
    const Tip tip = elastica::exact(k);
    CHECK(tip.w == Approx(w).margin(1e-8));
    CHECK(tip.u == Approx(u).margin(1e-8));
  }
}

// A beam of thickness 1/50, one hexahedron over the section. The cells' parasitic shear makes the beam too
// stiff by the factor 1 + (cell length / thickness)^2 / 2 for nu = 0 and falls with the second power of their
// length. What remains at the limit is that this beam can be sheared and stretched: about (h / L)^2 = 4e-4.
TEST_CASE("Hex8: the elastica", "[slow]") {
  validation::Record record("elastica", "1 hex8");
  const double h = 0.02, E = 1e6;
  const StVenantKirchhoff energy(Lame::from_young_poisson(E, 0));
  for (const double k : {1.0, 5.0}) {
    const Tip exact = elastica::exact(k);
    const std::string load = "P L^2 = " + validation::text(k, 2) + " E I";
    record.table("`Hex8`, thickness L/50, " + load + ": sinking w/L of the end, exactly " +
                     fixed(exact.w, 6) + ", and its way back u/L, exactly " + fixed(exact.u, 6),
                 {"cells", "w/L", "below the elastica", "order", "u/L", "below the elastica"});
    std::vector<Tip> tips;
    std::vector<double> sizes, errors;
    for (const int n : {50, 100, 200, 400}) {
      const Solid beam(make_box<Hex8>({.lengths = {1, h, h}, .cells = {n, 1, 1}}), energy, Density{1000});
      tips.push_back(elastica::measured(beam, k * E * h * h * h * h / 12, k > 2 ? 20 : 8, 1e-9));
      sizes.push_back(1.0 / n);
      errors.push_back((exact.w - tips.back().w) / exact.w);
      const std::size_t last = errors.size() - 1;
      record.entries({std::to_string(n) + " x 1 x 1", fixed(tips.back().w, 6),
                      fixed(100 * errors[last], 2) + " %",
                      last == 0 ? "" : fixed(validation::order(errors[last - 1], errors[last]), 2),
                      fixed(tips.back().u, 6), fixed(100 * (1 - tips.back().u / exact.u), 2) + " %"});
      if (last > 0) CHECK(errors[last] < errors[last - 1] / 2);
    }
    record.curve("elastica, w/L", "Hex8, k = " + validation::text(k, 2), sizes, errors);
    record.equals("`Hex8`, " + load + ", w/L, the last two meshes extrapolated to second order", "elastica",
                  validation::richardson(tips[2].w, tips[3].w, 2), exact.w, 1e-3 * exact.w);
    record.equals("`Hex8`, " + load + ", u/L, the same", "elastica",
                  validation::richardson(tips[2].u, tips[3].u, 2), exact.u, 2e-3 * exact.u);
  }
}
