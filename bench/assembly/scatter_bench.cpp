// Where the entries of an element's stiffness go: searched in the rows of Eigen's sparse matrix, sorted from
// triplets, added at positions known before, and in lanes. All with the computation of the elements.
#include "baseline/eigen_body.hpp"
#include "baseline/scene.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace pliant;

const Lame lame = Lame::from_young_poisson(1e6, 0.45);

template <class Assemble>
void eigen(benchmark::State& state, Assemble&& assemble, bool scatters = true) {
  const int n = static_cast<int>(state.range(0));
  const auto mesh = baseline::cube(n);
  baseline::Body body(mesh, lame, 1000, {});
  const auto x = baseline::disturbed(mesh, n);
  body.x = Eigen::Map<const Eigen::VectorXd>(x.data(), x.size());
  body.assemble_tangent(baseline::as_it_is);
  const Eigen::VectorXd truth = body.matrix * body.x;
  assemble(body);
  if (scatters && !((body.matrix * body.x - truth).norm() <= 1e-12 * truth.norm())) {
    return state.SkipWithError("the matrices disagree");
  }
  for (auto _ : state) benchmark::DoNotOptimize(assemble(body));
  baseline::per_element(state, mesh.element_count());
}

void eigen_elements_alone(benchmark::State& state) {
  const auto compute = [](baseline::Body& body) { return body.element_matrices(baseline::as_it_is); };
  eigen(state, compute, false);
}
void eigen_searched(benchmark::State& state) {
  eigen(state, [](baseline::Body& body) { return body.assemble_tangent_by_search(baseline::as_it_is); });
}
void eigen_triplets(benchmark::State& state) {
  eigen(state, [](baseline::Body& body) { return body.assemble_tangent_from_triplets(baseline::as_it_is); });
}
void eigen_positions(benchmark::State& state) {
  eigen(state, [](baseline::Body& body) { return body.assemble_tangent(baseline::as_it_is); });
}

// That it computes the same is checked in element_kernel_bench.cpp, and here by a product.
void lanes(benchmark::State& state) {
  set_thread_count(1);
  const int n = static_cast<int>(state.range(0));
  const auto mesh = baseline::cube(n);
  ElasticSystem system(Solid(mesh, StableNeoHookean(lame), Density{1000}));
  auto x = system.make_vector(), g = system.make_vector();
  auto A = system.make_matrix();
  const auto user = baseline::disturbed(mesh, n);
  system.to_internal(user, x);
  system.tangent(x, Projection::none, 1.0, g, A);
  A.multiply(x, g);
  NodeMatrix<double, 3> product(3, mesh.node_count());
  system.to_user(g, product);
  baseline::Body body(mesh, lame, 1000, {});
  body.x = Eigen::Map<const Eigen::VectorXd>(user.data(), user.size());
  body.assemble_tangent(baseline::as_it_is);
  const Eigen::VectorXd truth = body.matrix * body.x;
  if (!((Eigen::Map<const Eigen::VectorXd>(product.data(), product.size()) - truth).norm() <=
        1e-9 * truth.norm())) {
    return state.SkipWithError("lanes and scalar Eigen disagree");
  }
  for (auto _ : state) benchmark::DoNotOptimize(system.tangent(x, Projection::none, 1.0, g, A));
  baseline::per_element(state, mesh.element_count());
  set_thread_count(0);
}

// Cells along an edge. 14: 13,720 tets; 24: 69,120.
#define PLIANT_SIZES ->Arg(14)->Arg(24)->Unit(benchmark::kMillisecond)
BENCHMARK(eigen_elements_alone) PLIANT_SIZES;
BENCHMARK(eigen_searched) PLIANT_SIZES;
BENCHMARK(eigen_triplets) PLIANT_SIZES;
BENCHMARK(eigen_positions) PLIANT_SIZES;
BENCHMARK(lanes) PLIANT_SIZES;

}  // namespace
