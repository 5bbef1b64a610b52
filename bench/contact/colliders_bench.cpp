// Questions to a TriangleMesh against a search through all of its triangles. Points lie within a hundredth of
// the radius of the surface, segments are as long as the radius; one thread.
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include <pliant/pliant.hpp>

namespace {

using namespace pliant;
using Point = SmallVector<double, 3>;

struct Scene {
  explicit Scene(int shells)
      : surface(surface_of(shells)), mesh(TriangleMesh(surface.first, surface.second)) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int i = 0; i < 4096; ++i) {
      const Point direction = Point(normal(random), normal(random), normal(random)).normalized();
      near.push_back(direction * (1 + 0.01 * uniform(random)));
      within.push_back(Point(uniform(random), uniform(random), uniform(random)));
      from.push_back(1.5 * direction);
      to.push_back(0.5 * direction + 0.3 * within.back());
    }
    for (Eigen::Index t = 0; t < surface.second.cols(); ++t) {
      auto& corners = triangles.emplace_back();
      for (int i = 0; i < 3; ++i)
        corners[static_cast<std::size_t>(i)] = surface.first.col(surface.second(i, t));
    }
  }

  static std::pair<NodeMatrix<double, 3>, TriangleMesh::Triangles> surface_of(int shells) {
    const auto ball = make_ball<Tet4>({.shells = shells});
    return {ball.nodes, boundary_faces(ball).faces};
  }

  std::pair<NodeMatrix<double, 3>, TriangleMesh::Triangles> surface;
  TriangleMesh mesh;
  std::vector<detail::contact::TriangleCorners> triangles;
  std::vector<Point> near, within, from, to;
};

// ask(i) answers the i-th question.
template <class Ask>
void run(benchmark::State& state, const Scene& scene, Ask&& ask) {
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(ask(i));
    i = (i + 1) % scene.near.size();
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["triangles"] = static_cast<double>(scene.triangles.size());
}

const Scene& scene_of(const benchmark::State& state) {
  static const Scene small(23), large(71);
  return state.range(0) == 23 ? small : large;
}

double squared_distance_to_all(const Scene& scene, const Point& x) {
  double best = INFINITY;
  for (const auto& corners : scene.triangles) {
    const auto near = detail::contact::nearest_of_triangle(x, corners);
    best = std::min(best, (x - near.point).squaredNorm());
  }
  return best;
}

double fraction_of_all(const Scene& scene, const Point& from, const Point& to) {
  double first = INFINITY;
  detail::contact::LineThroughTriangles line(from, to, false);
  for (const auto& corners : scene.triangles) {
    const auto crossing = line.crossing(corners);
    if (crossing && crossing->fraction >= 0) first = std::min(first, crossing->fraction);
  }
  return first;
}

void nearest_by_all(benchmark::State& state) {
  const Scene& scene = scene_of(state);
  run(state, scene, [&](std::size_t i) { return squared_distance_to_all(scene, scene.near[i]); });
}

void nearest(benchmark::State& state) {
  const Scene& scene = scene_of(state);
  for (std::size_t i = 0; i < 20; ++i) {
    const double truth = std::sqrt(squared_distance_to_all(scene, scene.near[i]));
    if (std::abs(std::abs(scene.mesh.nearest(scene.near[i], 0.05)->distance) - truth) > 1e-14) {
      state.SkipWithError("the distances disagree");
      return;
    }
  }
  run(state, scene, [&](std::size_t i) { return scene.mesh.nearest(scene.near[i], 0.05); });
}

// Anywhere in the bounds, most of them out of reach.
void nearest_in_bounds(benchmark::State& state) {
  const Scene& scene = scene_of(state);
  run(state, scene, [&](std::size_t i) { return scene.mesh.nearest(scene.within[i], 0.05); });
}

void first_hit_by_all(benchmark::State& state) {
  const Scene& scene = scene_of(state);
  run(state, scene, [&](std::size_t i) { return fraction_of_all(scene, scene.from[i], scene.to[i]); });
}

void first_hit(benchmark::State& state) {
  const Scene& scene = scene_of(state);
  for (std::size_t i = 0; i < 20; ++i) {
    const double truth = fraction_of_all(scene, scene.from[i], scene.to[i]);
    if (std::abs(scene.mesh.first_hit(scene.from[i], scene.to[i])->fraction - truth) > 1e-14) {
      state.SkipWithError("the hits disagree");
      return;
    }
  }
  run(state, scene, [&](std::size_t i) { return scene.mesh.first_hit(scene.from[i], scene.to[i]); });
}

void build(benchmark::State& state) {
  const auto [nodes, triangles] = Scene::surface_of(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(TriangleMesh(nodes, triangles).triangle_count());
}

// Shells of the ball. 23: 10,580 triangles; 71: 100,820.
BENCHMARK(nearest_by_all)->Arg(23)->Arg(71);
BENCHMARK(nearest)->Arg(23)->Arg(71);
BENCHMARK(nearest_in_bounds)->Arg(23)->Arg(71);
BENCHMARK(first_hit_by_all)->Arg(23)->Arg(71);
BENCHMARK(first_hit)->Arg(23)->Arg(71);
BENCHMARK(build)->Arg(23)->Arg(71)->Unit(benchmark::kMillisecond);

}  // namespace
