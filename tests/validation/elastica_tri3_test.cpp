// The large deflection of a cantilever of triangles.
#include "validation/elastica.hpp"

#include <pliant/energy/st_venant_kirchhoff.hpp>
#include <pliant/mesh/make_rectangle.hpp>

using namespace pliant;
using elastica::Tip;
using validation::fixed;

// A beam of thickness 1/20. Linear triangles stretch evenly over their height and so need several over that
// of the beam. With nu = 0 plane strain is the stress state of a beam. At the limit remains that the beam can
// be sheared: 0.6 (h / L)^2 = 0.15 % of a small deflection.
TEST_CASE("Tri3: the elastica") {
  validation::Record record("elastica", "2 tri3");
  const double h = 0.05, E = 1e6, k = 2;
  const StVenantKirchhoff energy(Lame::from_young_poisson(E, 0));
  const Tip exact = elastica::exact(k);
  record.table("`Tri3`, thickness L/20, P L^2 = 2 E I: sinking w/L of the end, exactly " + fixed(exact.w, 6) +
                   ", and its way back u/L, exactly " + fixed(exact.u, 6),
               {"cells", "w/L", "below the elastica", "order", "u/L", "below the elastica"});
  std::vector<Tip> tips;
  std::vector<double> sizes, errors;
  for (const int n : {1, 2, 4, 8}) {
    const Solid beam(make_rectangle<Tri3>({.lengths = {1, h}, .cells = {40 * n, 2 * n}}), energy,
                     Density{1000});
    tips.push_back(elastica::measured(beam, k * E * h * h * h / 12, 8, 1e-9));
    sizes.push_back(h / (2 * n));
    errors.push_back((exact.w - tips.back().w) / exact.w);
    const std::size_t last = errors.size() - 1;
    record.entries({std::to_string(40 * n) + " x " + std::to_string(2 * n), fixed(tips.back().w, 6),
                    fixed(100 * errors[last], 2) + " %",
                    last == 0 ? "" : fixed(validation::order(errors[last - 1], errors[last]), 2),
                    fixed(tips.back().u, 6), fixed(100 * (1 - tips.back().u / exact.u), 2) + " %"});
    if (last > 0) CHECK(errors[last] < errors[last - 1] / 2);
  }
  record.curve("elastica, w/L", "Tri3, k = 2", sizes, errors);
  record.equals("`Tri3`, P L^2 = 2 E I, w/L, the last two meshes extrapolated to second order", "elastica",
                validation::richardson(tips[2].w, tips[3].w, 2), exact.w, 3e-3 * exact.w);
  record.equals("`Tri3`, P L^2 = 2 E I, u/L, the same", "elastica",
                validation::richardson(tips[2].u, tips[3].u, 2), exact.u, 6e-3 * exact.u);
}
