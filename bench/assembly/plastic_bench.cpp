// What plasticity costs an element: gradient and stiffness of the elastic energy, of the same with plasticity
// before anything has flowed, and after everything has.
#include <cmath>

#include <benchmark/benchmark.h>

#include <pliant/pliant.hpp>

namespace {

using namespace pliant;

enum class Material { elastic, plastic, flowed };

template <class Energy, Material material>
auto solid_of() {
  const auto mesh = make_box<Tet4>({.cells = {20, 20, 20}});
  const Energy elastic(Lame::from_young_poisson(1e6, 0.3));
  if constexpr (material == Material::elastic) return Solid(mesh, elastic, Density{1000});
  else return Solid(mesh, Plastic(elastic, {.yield = 1e-3, .creep = 10}), Density{1000});
}

template <class Energy, Material material, Evaluate evaluate>
void evaluation(benchmark::State& state) {
  const auto solid = solid_of<Energy, material>();
  ElasticSystem system(solid);
  auto x = system.rest(), g = system.make_vector();
  for (std::ptrdiff_t i = 0; i < x.nodes(); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      x.node(i)(axis) += 0.01 * std::sin(static_cast<double>(7 * i + 3 * axis));
    }
  }
  if constexpr (material == Material::flowed) system.end_step(x, x, 0, 0.01);
  auto A = system.make_matrix();
  for (auto _ : state) {
    double energy = 0;
    if constexpr (evaluate == Evaluate::gradient) energy = system.gradient(x, g);
    else energy = system.tangent(x, Projection::clamp, 1, g, A);
    benchmark::DoNotOptimize(energy);
  }
}

#define PLASTIC_BENCHMARKS(energy)                                                                     \
  BENCHMARK(evaluation<energy, Material::elastic, Evaluate::gradient>)->Unit(benchmark::kMillisecond); \
  BENCHMARK(evaluation<energy, Material::plastic, Evaluate::gradient>)->Unit(benchmark::kMillisecond); \
  BENCHMARK(evaluation<energy, Material::flowed, Evaluate::gradient>)->Unit(benchmark::kMillisecond);  \
  BENCHMARK(evaluation<energy, Material::elastic, Evaluate::tangent>)->Unit(benchmark::kMillisecond);  \
  BENCHMARK(evaluation<energy, Material::plastic, Evaluate::tangent>)->Unit(benchmark::kMillisecond);  \
  BENCHMARK(evaluation<energy, Material::flowed, Evaluate::tangent>)->Unit(benchmark::kMillisecond)

PLASTIC_BENCHMARKS(CorotatedLinear);
PLASTIC_BENCHMARKS(LinearElastic);

}  // namespace
