// The same steps on several numbers of threads.
#pragma once

#include "integrator/bodies.hpp"
#include "integrator/scene.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

namespace pliant::test {

// Two steps of a hanging, swinging body, positions and velocities, on each number of threads.
// `make(mesh, pinned)` makes its scene.
template <class Make>
void check_bits_on_any_threads(Make&& make) {
  const auto mesh = jittered_box({15, 8, 8}, 0.05);
  const auto held = nodes_where(mesh, [](const auto& X) { return X.x() < 0.02; });
  const auto end_with = [&](int threads) {
    const WithThreads with(threads);
    const auto scene = make(mesh, held);
    scene->set_gravity({0, -9.81, 0});
    scene->set_velocities(0.2 * noise(mesh.node_count(), 51));
    for (int n = 0; n < 2; ++n) REQUIRE(scene->step());
    Points both(3, 2 * mesh.node_count());
    both << scene->positions(), scene->velocities();
    return both;
  };
  const Points one = end_with(1);
  for (const int threads : {2, 3, 7}) CHECK(end_with(threads) == one);
}

}  // namespace pliant::test
