// Cook's membrane at finite strain, in plane strain.
#include "validation/cook_membrane.hpp"
#include "validation/record.hpp"

#include <array>

#include <pliant/energy/stable_neo_hookean.hpp>

using namespace pliant;
using validation::fixed;

// E = 240.565, F = 100 in ten parts. The values for the same meshes come from an independent program, and so
// does the fine value: biquadratic elements on 32 x 32 cells.
TEST_CASE("Cook's membrane at finite strain", "[slow]") {
  validation::Record record("cook_membrane", "3 finite strain");
  const std::vector<int> cells{8, 16, 32, 64};
  struct Case {
    double nu, fine;
    std::array<double, 3> truth;
  };
  std::vector<std::vector<double>> all;
  const std::vector<Case> cases{{0.3, 7.885572, {5.906027, 7.178666, 7.678809}},
                                {0.45, 7.247939, {4.357935, 5.847719, 6.749626}},
                                {0.49, 6.989069, {3.000106, 4.131775, 5.536300}}};
  for (const auto& [nu, fine, truth] : cases) {
    const StableNeoHookean energy(Lame::from_young_poisson(240.565, nu));
    const std::string name = "finite strain, nu = " + validation::text(nu, 2);
    record.table("`StableNeoHookean`, " + name + ", E = 240.565, F = 100: deflection v(48, 52)",
                 {"cells", "measured", "the same mesh", "below the fine value " + fixed(fine, 4), "order"});
    std::vector<double> v, sizes, errors;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const int n = cells[k];
      v.push_back(
          cook_membrane::displacement(Solid(cook_membrane::mesh(n), energy, Density{1}), n, 100, 10, 1e-8)
              .y());
      sizes.push_back(1.0 / n);
      errors.push_back((fine - v[k]) / fine);
      record.entries({std::to_string(n) + " x " + std::to_string(n), fixed(v[k], 6),
                      k < truth.size() ? fixed(truth[k], 6) : "", fixed(100 * errors[k], 2) + " %",
                      k == 0 ? "" : fixed(validation::order(errors[k - 1], errors[k]), 2)});
    }
    record.curve("Cook's membrane, deflection", name, sizes, errors);
    double difference = 0;
    for (std::size_t k = 0; k < truth.size(); ++k) {
      difference = std::max(difference, std::abs(v[k] / truth[k] - 1));
    }
    record.at_most("`Tri3`, " + name + ", 8, 16 and 32 cells", "an independent program on the same meshes",
                   difference, 1e-6);
    all.push_back(v);
  }
  // At nu = 0.3 nothing locks, and the sequence can be extrapolated.
  const std::vector<double>& v = all.front();
  const double p = validation::order(v[2] - v[1], v[3] - v[2]);
  record.equals(
      "`Tri3`, finite strain, nu = 0.3, 16 to 64 cells extrapolated with their own order " + fixed(p, 2),
      "biquadratic elements on 32 x 32", validation::richardson(v[2], v[3], p), cases.front().fine, 0.04);
}
