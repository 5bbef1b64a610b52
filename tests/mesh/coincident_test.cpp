#include "support/catch.hpp"

#include <algorithm>
#include <ctime>
#include <limits>
#include <map>
#include <random>
#include <set>

#include <pliant/mesh/coincident.hpp>

using namespace pliant;

namespace {

// Every pair against every other, until nothing changes.
template <class Scalar, int Dim>
std::vector<int> by_brute_force(const NodeMatrix<Scalar, Dim>& nodes, double tolerance) {
  std::vector<int> lowest(static_cast<std::size_t>(nodes.cols()));
  for (std::size_t i = 0; i < lowest.size(); ++i) lowest[i] = static_cast<int>(i);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < lowest.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (lowest[i] == lowest[j]) continue;
        const auto a = nodes.col(static_cast<Eigen::Index>(i)).template cast<double>();
        const auto b = nodes.col(static_cast<Eigen::Index>(j)).template cast<double>();
        if (!((a - b).norm() <= tolerance)) continue;
        lowest[i] = lowest[j] = std::min(lowest[i], lowest[j]);
        changed = true;
      }
    }
  }
  return lowest;
}

template <int Dim>
NodeMatrix<double, Dim> random_nodes(int count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> coordinate(-1, 1);
  NodeMatrix<double, Dim> nodes(Dim, count);
  for (double& x : nodes.reshaped()) x = coordinate(generator);
  return nodes;
}

}  // namespace

TEST_CASE("coincident_nodes finds the clusters that a comparison of all pairs finds") {
  for (unsigned seed = 0; seed < 4; ++seed) {
    for (const double tolerance : {0.0, 1e-9, 0.03, 0.1, 0.2, 5.0}) {
      CHECK(coincident_nodes(random_nodes<3>(300, seed), tolerance) ==
            by_brute_force(random_nodes<3>(300, seed), tolerance));
      CHECK(coincident_nodes(random_nodes<2>(300, seed), tolerance / 4) ==
            by_brute_force(random_nodes<2>(300, seed), tolerance / 4));
    }
  }
}

TEST_CASE("coincident_nodes on a lattice, where distances sit on the tolerance and cells on their borders") {
  NodeMatrix<double, 3> nodes(3, 216);
  for (int i = 0; i < 216; ++i) nodes.col(i) << i % 6 - 3, i / 6 % 6 - 3, i / 36 - 3;
  for (const double tolerance : {0.999, 1.0, 1.001}) {
    CHECK(coincident_nodes(nodes, tolerance) == by_brute_force(nodes, tolerance));
  }
  CHECK(coincident_nodes(nodes, 1.0) == std::vector<int>(216, 0));
}

TEST_CASE("coincident_nodes does not depend on the numbering of the nodes") {
  const auto nodes = random_nodes<3>(400, 11);
  std::vector<int> order(400);
  for (int i = 0; i < 400; ++i) order[static_cast<std::size_t>(i)] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(12));
  NodeMatrix<double, 3> shuffled(3, 400);
  for (int i = 0; i < 400; ++i) shuffled.col(i) = nodes.col(order[static_cast<std::size_t>(i)]);

  const auto clusters = [](const std::vector<int>& representatives, auto name) {
    std::map<int, std::set<int>> members;
    for (std::size_t i = 0; i < representatives.size(); ++i) members[representatives[i]].insert(name(i));
    std::set<std::set<int>> sets;
    for (const auto& entry : members) sets.insert(entry.second);
    return sets;
  };
  const auto plain =
      clusters(coincident_nodes(nodes, 0.12), [](std::size_t i) { return static_cast<int>(i); });
  CHECK(plain.size() < 390);
  CHECK(plain.size() > 100);
  CHECK(clusters(coincident_nodes(shuffled, 0.12), [&order](std::size_t i) { return order[i]; }) == plain);
}

TEST_CASE(
    "coincident_nodes: -0 equals 0, NaN equals nothing, tolerances beyond the resolution find equal "
    "positions") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  NodeMatrix<double, 2> nodes(2, 9);
  nodes << 0.0, -0.0, nan, nan, infinity, infinity, 1e30, 1e30, 1,  //
      0, 0, 1, 1, 0, 0, -1e30, -1e30, 1;
  const std::vector<int> expected{0, 0, 2, 3, 4, 5, 6, 6, 8};
  for (const double tolerance : {0.0, 1e-300, 5e-324, 1e-9, 0.5})
    CHECK(coincident_nodes(nodes, tolerance) == expected);
  CHECK(coincident_nodes(nodes, 1e300) == std::vector<int>{0, 0, 2, 3, 4, 5, 0, 0, 0});
  CHECK_THROWS_AS(coincident_nodes(nodes, -1e-9), ParameterError);
  CHECK_THROWS_AS(coincident_nodes(nodes, nan), ParameterError);
  CHECK_THROWS_AS(coincident_nodes(nodes, infinity), ParameterError);
  CHECK(coincident_nodes(NodeMatrix<float, 3>(3, 0), 1).empty());
}

TEST_CASE(
    "coincident_nodes compares no node with all others, on a lattice, in one heap, and with an outlier") {
  const auto lattice = [](int n) {
    NodeMatrix<double, 3> nodes(3, n * n * n + 1);
    for (int i = 0; i < n * n * n; ++i) nodes.col(i) << i % n, i / n % n, i / (n * n);
    nodes.col(n * n * n).setConstant(1e200);
    return nodes;
  };
  const auto seconds_since = [](std::clock_t start) {
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;  // of this process
  };

  // The time for all pairs of few nodes, and from it for all pairs of all nodes.
  const NodeMatrix<double, 3> few = lattice(10);
  std::clock_t start = std::clock();
  int close = 0;
  for (Eigen::Index i = 0; i < few.cols(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) close += (few.col(i) - few.col(j)).squaredNorm() <= 1;
  }
  const double all_pairs = 729 * seconds_since(start);
  CHECK(close == 3 * 10 * 10 * 9);

  const NodeMatrix<double, 3> nodes = lattice(30);
  for (const double tolerance : {1e-300, 1e-12, 0.9, 1.0, 3.0, 1e3, 1e9}) {
    start = std::clock();
    const auto representatives = coincident_nodes(nodes, tolerance);
    CHECK(seconds_since(start) < all_pairs / 3);
    CHECK(representatives[30 * 30 * 30 - 1] == (tolerance < 1 ? 30 * 30 * 30 - 1 : 0));
    CHECK(representatives.back() == 30 * 30 * 30);
  }
}
