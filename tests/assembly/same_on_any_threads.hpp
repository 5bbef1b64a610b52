// The same bits on any number of threads, for a body of any element.
#pragma once

#include "assembly/brute_force.hpp"
#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <pliant/assembly/system.hpp>

// `body` is large enough to be cut into several parts: 64 batches of elements for each.
template <class Body>
void same_on_any_threads(const Body& body) {
  using System = pliant::ElasticSystem<Body>;
  REQUIRE(body.mesh().element_count() >=
          7 * 64 * pliant::detail::assembly::ElementBatches<pliant::Tet4, typename Body::Scalar>::width);
  std::mt19937 random(1);
  const Eigen::MatrixXd shape = brute_force::perturbed(body.mesh().nodes, 0.01, random);
  System first{body};
  auto x = first.make_vector(), first_gradient = first.make_vector(), gradient = first.make_vector();
  auto first_matrix = first.make_matrix(), matrix = first.make_matrix();
  first.to_internal(shape, x);
  double first_energy = 0;
  {
    const WithThreads one(1);
    first_energy = first.tangent(x, pliant::Projection::none, 1, first_gradient, first_matrix);
  }
  for (const int threads : thread_counts) {
    INFO(threads << " threads");
    const WithThreads set(threads);
    System system{body};
    CHECK(eigen_view::same_bits(system.tangent(x, pliant::Projection::none, 1, gradient, matrix),
                                first_energy));
    CHECK(eigen_view::same_bits(gradient, first_gradient));
    CHECK(eigen_view::same_bits(matrix, first_matrix));
    CHECK(eigen_view::same_bits(system.mass(), first.mass()));
  }
}
