#include "support/catch.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include <pliant/io/node_tags.hpp>

using pliant::detail::io::NodeTags;

TEST_CASE("node tags lead to the nodes, close together or far apart") {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
  const std::vector<std::vector<std::int64_t>> cases{
      {1, 2, 3, 4},           {4, 2, 3, 1}, {0, 5, 9}, {-3, 7}, {1, 9'000'000'000'000'000'000},
      {smallest, 0, largest}, {42}};
  for (const auto& tags : cases) {
    const NodeTags map(tags);
    CHECK_FALSE(map.repeated());
    for (std::size_t i = 0; i < tags.size(); ++i) CHECK(map.find(tags[i]) == static_cast<int>(i));
    for (const std::int64_t other : {std::int64_t{8}, std::int64_t{-4}, smallest + 1, largest - 1}) {
      CHECK(map.find(other) == -1);
    }
  }
}

TEST_CASE("a repeated node tag is told, close together or far apart") {
  CHECK(NodeTags({1, 2, 1}).repeated() == 1);
  CHECK(NodeTags({1, 5'000'000'000, 7, 5'000'000'000}).repeated() == 5'000'000'000);
}

TEST_CASE("no nodes, no tags") {
  CHECK(NodeTags().find(0) == -1);
  CHECK(NodeTags(std::vector<std::int64_t>{}).find(1) == -1);
}
