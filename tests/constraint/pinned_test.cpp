#include "support/catch.hpp"

#include <limits>

#include <pliant/constraint/pinned.hpp>

using namespace pliant;

TEST_CASE("Pinned: holds the nodes given, repetitions included, and no others") {
  NodeConstraints<3> held(6);
  Pinned({4, 1, 4, 4}).describe(held);
  for (int i = 0; i < 6; ++i) CHECK(held.fixed(i) == (i == 1 || i == 4));
  Pinned(std::vector<int>{}).describe(held);
  Pinned({0}).describe(held);  // descriptions add up
  CHECK(held.fixed(0));
  CHECK(held.fixed(4));
}

TEST_CASE("Pinned: a node that does not exist is named") {
  for (const int node : {-1, 6, 7, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
    NodeConstraints<3> held(6);
    try {
      Pinned({1, node, 2}).describe(held);
      FAIL("node " << node << " was accepted");
    } catch (const IndexError& error) {
      CHECK(error.index() == node);
      CHECK(error.size() == 6);
      CHECK(std::string(error.what()).find("Pinned") != std::string::npos);
      CHECK(std::string(error.what()).find(std::to_string(node)) != std::string::npos);
    }
  }
}

TEST_CASE("Pinned: remembers its nodes") { CHECK(Pinned({3, 1, 2}).nodes() == std::vector<int>{3, 1, 2}); }
