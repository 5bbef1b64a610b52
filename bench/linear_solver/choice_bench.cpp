// One solve to 1e-6 by Pcg from zero, with two preconditioners, and by Cholesky, its analysis done before,
// for bodies that are held at one end: slender and compact ones, in a time step and at rest, up to nearly
// incompressible. The figures of "Which solver when" in docs/settings.md.
#include "linear_solver/held_body.hpp"

namespace {

using namespace pliant;

enum Body : int { bar, cube, large_cube };

Mesh<Tet4> mesh_of(std::int64_t body) {
  if (body == bar) return make_box<Tet4>({.lengths = {20, 1, 1}, .cells = {100, 5, 5}});  // 12,500 tets
  const int n = body == cube ? 14 : 24;                                                   // 13,720; 69,120
  return make_box<Tet4>({.lengths = {1, 1, 1}, .cells = {n, n, n}});
}

template <class Solver>
void solve(benchmark::State& state) {
  auto mesh = mesh_of(state.range(0));
  const NodeMatrix<double, 3> at_rest = mesh.nodes;
  baseline::HeldBody body(std::move(mesh), static_cast<double>(state.range(1)) / 1000, at_rest,
                          state.range(2) != 0 ? 0.01 : 0, Projection::none,
                          [](const auto& X) { return X.x() < 1e-6; });
  baseline::solve_from_zero<Solver>(state, body);
}

// Body, 1000 nu, dynamic or not.
void cases(benchmark::internal::Benchmark* benchmark) {
  for (const int body : {bar, cube, large_cube}) {
    benchmark->Args({body, 300, 1})->Args({body, 300, 0})->Args({body, 450, 0});
    benchmark->Args({body, 499, 1})->Args({body, 499, 0});
  }
  benchmark->Unit(benchmark::kMillisecond)->MinTime(0.2);
}

BENCHMARK(solve<Pcg<TwoLevel>>)->Name("choice/two_level")->Apply(cases);
BENCHMARK(solve<Pcg<BlockJacobi>>)->Name("choice/block_jacobi")->Apply(cases);
BENCHMARK(solve<Cholesky>)->Name("choice/cholesky")->Apply(cases);

}  // namespace
