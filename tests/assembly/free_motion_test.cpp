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

template <int Dim>
std::string words(const std::vector<int>& fixed) {
  return free_motion(two_chains(), fixed, to_user, positions<Dim>());
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
  CHECK_THAT(point, Contains("node 4") && Contains("point") && !Contains("node 9"));
  const std::string line = words<3>({0, 1, 2, 5, 6, 8});
  CHECK_THAT(line, Contains("node 9") && Contains("line") && !Contains("node 4"));
}

TEST_CASE("Free motion, 2D: two nodes hold a part") {
  using Catch::Contains;
  CHECK(words<2>({0, 1, 5, 8}).empty());
  CHECK_THAT(words<2>({0, 1, 5}), Contains("node 4") && Contains("point") && !Contains("node 9"));
  CHECK_THAT(words<2>({5, 6}), Contains("node 9") && Contains("freely") && !Contains("node 4"));
}
