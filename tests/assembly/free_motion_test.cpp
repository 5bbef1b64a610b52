#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"

#include <pliant/assembly/free_motion.hpp>

using namespace pliant;

namespace {

// Two bodies: the nodes 0 to 4 and the nodes 5 to 9, each a chain.
BlockPattern two_chains() {
  Adjacency graph;
  graph.begin.push_back(0);
  for (int i = 0; i < 10; ++i) {
    if (i != 0 && i != 5) graph.list.push_back(i - 1);
    if (i != 4 && i != 9) graph.list.push_back(i + 1);
    graph.begin.push_back(static_cast<int>(graph.list.size()));
  }
  return BlockPattern::from_graph(graph);
}

// Users see the nodes in the opposite order.
const std::vector<int> to_user{9, 8, 7, 6, 5, 4, 3, 2, 1, 0};

template <int Dim>
NodeVector<Dim, double> positions() {
  NodeVector<Dim, double> x(10);
  for (int i = 0; i < 10; ++i) {  // 0, 1, 2 and 5, 6, 7 on lines, far from the origin; the others beside them
    x.node(i).setConstant(1000 + 1e-3 * (i % 5));
    if (i % 5 >= 3) x.node(i)(1) += 1e-3;
  }
  return x;
}

// Held along all axes, or along one direction each.
template <int Dim>
std::string words(const std::vector<int>& fixed, std::vector<HeldDirection<Dim>> directions = {}) {
  for (const int node : fixed) {
    for (int axis = 0; axis < Dim; ++axis) {
      directions.push_back({node, SmallVector<double, Dim>(SmallVector<double, Dim>::Unit(axis))});
    }
  }
  return detail::assembly::free_motion(two_chains(), directions, to_user, positions<Dim>());
}

}  // namespace

TEST_CASE("Free motion, 3D: three nodes that are not on a line hold a part") {
  using Catch::Contains;
  CHECK(words<3>({0, 1, 3, 5, 6, 8}).empty());
  CHECK(words<3>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}).empty());
  const std::string none = words<3>({});
  CHECK_THAT(none, Contains("node 9") && Contains("node 4") && Contains("freely"));
  const std::string second_only = words<3>({0, 1, 3});
  CHECK_THAT(second_only, Contains("node 4") && Contains("freely") && !Contains("node 9"));
  const std::string point = words<3>({0, 1, 3, 7, 7});
  CHECK_THAT(point,
             Contains("node 4") && Contains("turn") && Contains("2 other ways") && !Contains("node 9"));
  const std::string line = words<3>({0, 1, 2, 5, 6, 8});
  CHECK_THAT(line, Contains("node 9 can turn about an axis along (0.577, 0.577, 0.577), which"));
  CHECK_THAT(line, !Contains("node 4"));
}

TEST_CASE("Free motion, 2D: two nodes hold a part") {
  using Catch::Contains;
  CHECK(words<2>({0, 1, 5, 8}).empty());
  CHECK_THAT(words<2>({0, 1, 5}), Contains("node 4 can turn, which") && !Contains("node 9"));
  CHECK_THAT(words<2>({5, 6}), Contains("node 9") && Contains("freely") && !Contains("node 4"));
}

TEST_CASE("Free motion: nodes that slide hold what they do not slide along") {
  using Catch::Contains;
  using Held = HeldDirection<3>;
  const Eigen::Vector3d x(1, 0, 0), y(0, 1, 0), z(0, 0, 1);
  // Three nodes on a floor, two of them at a wall, one in the corner of three walls: six directions.
  const std::vector<Held> floor{{0, z}, {1, z}, {3, z}};
  const auto with = [](std::vector<Held> list, const std::vector<Held>& more) {
    list.insert(list.end(), more.begin(), more.end());
    return list;
  };
  CHECK(words<3>({5, 6, 8}, with(floor, {{0, x}, {3, x}, {0, y}})).empty());
  CHECK_THAT(words<3>({5, 6, 8}, floor), Contains("node 9 can move along (1, 0, 0) and in 2 other ways"));
  CHECK_THAT(words<3>({5, 6, 8}, with(floor, {{0, x}, {3, x}})),
             Contains("node 9 can move along (0, 1, 0), which no constraint holds"));
  CHECK_THAT(words<3>({5, 6, 8}, with(floor, {{0, x}, {0, y}})),
             Contains("turn about an axis along (0, 0, 1), which"));
  const Eigen::Vector2d across(0.6, 0.8), up(0, 1);
  CHECK_THAT(words<2>({5, 8}, {{0, across}, {1, across}, {3, across}}), Contains("move along (0.8, -0.6)"));
  CHECK(words<2>({5, 8}, {{0, across}, {0, up}, {3, up}}).empty());
}
