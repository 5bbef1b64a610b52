// What single precision does to a trajectory.
#include "integrator/scene.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

// The height of the tip [m] of a soft bar that is held at one end, 10 m from the origin, and swings down: 30
// values over half a second.
template <class Scalar>
std::vector<double> swing(double dt) {
  const auto mesh = make_box<Tet4>({.lengths = {0.4, 0.1, 0.1}, .cells = {6, 1, 1}, .origin = {10, 0, 0}});
  const auto bar = make_scene<StableNeoHookean, Scalar>(
      {.mesh = mesh,
       .lame = Lame::from_young_poisson(3e4, 0.4),
       .integrator = {.dt = dt},
       .linear_tolerance = 1e-6,
       .pinned = nodes_where(mesh, [](const auto& X) { return X.x() < 10 + 1e-6; })});
  bar->set_gravity({0, -9.81, 0});
  const int tip = nodes_where(mesh, [](const auto& X) { return X.x() > 10.4 - 1e-6; }).front();
  const double start = mesh.nodes(1, tip);
  std::vector<double> heights;
  const long each = std::lround(1 / (60 * dt));
  for (int k = 0; k < 30; ++k) {
    for (long n = 0; n < each; ++n) REQUIRE(bar->step());
    heights.push_back(bar->positions()(1, tip) - start);
  }
  return heights;
}

}  // namespace

// A velocity that were the difference of two rounded positions would lose in each step what is below half a
// unit in the last place: the swing is shorter by a tenth for the smallest dt, and looks stiff.
TEST_CASE("A bar swings in float as in double, however short the steps and 10 m from the origin") {
  for (const double dt : {1.0 / 60, 1.0 / 600, 1.0 / 6000}) {
    INFO("dt = " << dt);
    const auto in_double = swing<double>(dt), in_float = swing<float>(dt);
    const double amplitude = -*std::min_element(in_double.begin(), in_double.end());
    CHECK(amplitude > 0.1);
    double difference = 0;
    for (std::size_t k = 0; k < in_double.size(); ++k) {
      difference = std::max(difference, std::abs(in_double[k] - in_float[k]));
    }
    CHECK(difference < 2e-4 * amplitude);
    CHECK(difference > 0);
  }
}
