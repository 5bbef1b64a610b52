// Which preconditioner suits a time step: solves to 1e-6 from zero by Pcg with BlockJacobi, with TwoLevel and
// with what Automatic settles on, for a compact and a limbed body, at rest, twisted and scrambled, for time
// steps of 1 to 33 ms and up to nearly incompressible (E = 1e6; ten times as stiff is a step 3.2 times as
// long). The table of docs/performance.md.
#include "baseline/scene.hpp"
#include "linear_solver/held_body.hpp"

#include <random>

namespace {

using namespace pliant;

enum Body : int { box, armadillo };
enum Shape : int { at_rest, twisted, scrambled };

Mesh<Tet4> mesh_of(std::int64_t body) {
  if (body == box) return baseline::box_of_centimetres(false);
  const std::string file = baseline::measured_mesh("tetgen/pbd__armadillo_4k.node");
  return file.empty() ? Mesh<Tet4>{} : read_mesh<Tet4>(file);
}

NodeMatrix<double, 3> positions_of(const Mesh<Tet4>& mesh, std::int64_t shape) {
  if (shape == twisted) return baseline::twisted(mesh);
  NodeMatrix<double, 3> x = mesh.nodes;
  const double size = bounding_box(mesh).lengths().minCoeff();
  std::mt19937 random(1);
  for (std::ptrdiff_t i = 0; shape == scrambled && i < x.cols(); ++i) {
    for (int k = 0; k < 3; ++k) {
      x(k, i) += 0.05 * size * (2.0 * static_cast<double>(random()) / std::mt19937::max() - 1);
    }
  }
  return x;
}

template <class Preconditioner>
void solve(benchmark::State& state) {
  auto mesh = mesh_of(state.range(0));
  if (mesh.element_count() == 0) return state.SkipWithError("the measured meshes are absent");
  const NodeMatrix<double, 3> x = positions_of(mesh, state.range(2));
  const auto bounds = bounding_box(mesh);
  int axis = 0;
  const double length = bounds.lengths().maxCoeff(&axis), end = bounds.lower(axis) + 0.05 * length;
  baseline::HeldBody body(std::move(mesh), static_cast<double>(state.range(1)) / 1000, x,
                          static_cast<double>(state.range(3)) / 1000, Projection::clamp,
                          [&](const auto& X) { return X(axis) < end; });
  baseline::solve_from_zero<Pcg<Preconditioner>>(state, body);
}

// Body, 1000 nu, shape, dt in ms.
void cases(benchmark::internal::Benchmark* benchmark) {
  for (const int body : {box, armadillo}) {
    for (const int nu : {330, 450, 499}) {
      for (const int shape : {at_rest, twisted, scrambled}) {
        for (const int dt : {1, 10, 33}) benchmark->Args({body, nu, shape, dt});
      }
    }
  }
  benchmark->Unit(benchmark::kMillisecond)->MinTime(0.05);
}

BENCHMARK(solve<BlockJacobi>)->Name("defaults/block_jacobi")->Apply(cases);
BENCHMARK(solve<TwoLevel>)->Name("defaults/two_level")->Apply(cases);
BENCHMARK(solve<Automatic>)->Name("defaults/automatic")->Apply(cases);

}  // namespace
