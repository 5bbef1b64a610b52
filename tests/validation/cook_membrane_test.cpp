// Cook's membrane at small strain: plane stress, and plane strain near nu = 0.5.
#include "validation/cook_membrane.hpp"

#include "validation/record.hpp"

#include <pliant/energy/plane_stress.hpp>

using namespace pliant;
using validation::fixed;

// E = 1, nu = 1/3, F = 1. The values for the same meshes come from an independent program; so does the limit,
// from biquadratic elements on 64 x 64 cells: 23.968, uncertain by 0.001.
TEST_CASE("Cook's membrane in plane stress") {
  validation::Record record("cook_membrane", "1 plane stress");
  const PlaneStress energy(LinearElastic(Lame::from_young_poisson(1, 1.0 / 3)));
  const auto deflection = [&](int n) {
    return cook_membrane::displacement(Solid(cook_membrane::mesh(n), energy, Density{1}), n, 1, 1, 1e-9).y();
  };
  const std::vector<int> cells{8, 16, 32, 64, 128};
  const std::vector<double> truth{17.331163, 21.592150, 23.275122, 23.774216};
  const double limit = 23.968;
  std::vector<double> v, sizes, errors;
  record.table("Plane stress, E = 1, nu = 1/3, F = 1: deflection v(48, 52)",
               {"cells", "measured", "the same mesh", "below the limit 23.968", "order"});
  for (std::size_t k = 0; k < cells.size(); ++k) {
    v.push_back(deflection(cells[k]));
    sizes.push_back(1.0 / cells[k]);
    errors.push_back((limit - v[k]) / limit);
    record.entries({std::to_string(cells[k]) + " x " + std::to_string(cells[k]), fixed(v[k], 6),
                    k < truth.size() ? fixed(truth[k], 6) : "", fixed(100 * errors[k], 2) + " %",
                    k == 0 ? "" : fixed(validation::order(errors[k - 1], errors[k]), 2)});
  }
  record.curve("Cook's membrane, deflection", "plane stress", sizes, errors);
  for (std::size_t k = 0; k < truth.size(); ++k) {
    record.at_most("`Tri3`, plane stress, " + std::to_string(cells[k]) + " x " + std::to_string(cells[k]),
                   "an independent program on the same mesh", std::abs(v[k] / truth[k] - 1), 1e-7);
  }
  // The order of the sequence itself, which the corner of the clamped side and the linear triangles set.
  const double p = validation::order(v[3] - v[2], v[4] - v[3]);
  record.equals("`Tri3`, plane stress, 32 to 128 cells extrapolated with their own order " + fixed(p, 2),
                "biquadratic elements, extrapolated", validation::richardson(v[3], v[4], p), limit, 0.012);
}

// E = 250, nu = 0.4999, F = 100: linear triangles lock. The limit is about 7.40.
TEST_CASE("Cook's membrane in plane strain near nu = 0.5") {
  validation::Record record("cook_membrane", "2 plane strain");
  const LinearElastic energy(Lame::from_young_poisson(250, 0.4999));
  const Solid panel(cook_membrane::mesh(32), energy, Density{1});
  record.equals("`Tri3`, plane strain, nu = 0.4999, 32 x 32 (locked; the limit is about 7.40)",
                "an independent program on the same mesh",
                cook_membrane::displacement(panel, 32, 100, 1, 1e-6).y(), 2.297, 5e-4);
}
