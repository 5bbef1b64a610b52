#include "assembly/eigen_view.hpp"
#include "assembly/products.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <limits>
#include <set>

#include <pliant/assembly/growing_pattern.hpp>
#include <pliant/assembly/packed_matrix.hpp>

using namespace pliant;
using namespace eigen_view;

namespace {

// Neighbours are at most `reach` apart, as those of a mesh are after the nodes have been numbered.
std::shared_ptr<const BlockPattern> element_pattern(int nodes, int reach, std::mt19937& random) {
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(nodes));
  std::uniform_int_distribution<int> close(1, reach);
  for (int i = 0; i < nodes; ++i) {
    for (int k = 0; k < 6; ++k) {
      const int j = i + close(random);
      if (j >= nodes) continue;
      rows[static_cast<std::size_t>(i)].push_back(j);
      rows[static_cast<std::size_t>(j)].push_back(i);
    }
  }
  return std::make_shared<const BlockPattern>(BlockPattern::from_graph(graph_of_rows(std::move(rows))));
}

std::vector<NodePair> random_pairs(int nodes, int count, std::mt19937& random) {
  std::uniform_int_distribution<int> node(0, nodes - 1);
  std::vector<NodePair> pairs(static_cast<std::size_t>(count));
  for (NodePair& pair : pairs) pair = {node(random), node(random)};
  return pairs;
}

std::set<std::pair<int, int>> blocks_of(const BlockPattern& pattern) {
  std::set<std::pair<int, int>> blocks;
  for (int i = 0; i < pattern.rows(); ++i) {
    for (int k = pattern.row_begin[static_cast<std::size_t>(i)];
         k < pattern.row_begin[static_cast<std::size_t>(i) + 1]; ++k) {
      blocks.emplace(i, pattern.columns[static_cast<std::size_t>(k)]);
    }
  }
  return blocks;
}

void add_to(std::set<std::pair<int, int>>& blocks, const std::vector<NodePair>& pairs) {
  for (const NodePair& pair : pairs) blocks.emplace(std::min(pair.a, pair.b), std::max(pair.a, pair.b));
}

}  // namespace

TEST_CASE("GrowingPattern: holds the blocks of the elements and of the pairs, in order, and no others") {
  std::mt19937 random(1);
  for (const int nodes : {1, 2, 9, 300, 5000, 20000}) {
    INFO(nodes << " nodes");
    const auto elements = element_pattern(nodes, 60, random);
    GrowingPattern growing(elements);
    CHECK(growing.pattern() == elements);
    CHECK(!growing.require({}));
    CHECK(!growing.require({{nodes / 2, nodes / 2}}));
    CHECK(growing.pattern() == elements);

    const auto pairs = random_pairs(nodes, std::max(1, nodes / 10), random);
    auto expected = blocks_of(*elements);
    add_to(expected, pairs);
    const bool any_new = expected.size() > static_cast<std::size_t>(elements->blocks());
    CHECK(growing.require(pairs) == any_new);
    const BlockPattern& pattern = *growing.pattern();
    CHECK(blocks_of(pattern) == expected);
    CHECK(pattern.blocks() == std::ssize(expected));
    CHECK(&pattern.of_elements() == elements.get());
    CHECK(growing.elements() == elements);
    for (int i = 0; i < nodes; ++i) {
      const auto first = pattern.columns.begin() + pattern.row_begin[static_cast<std::size_t>(i)];
      const auto last = pattern.columns.begin() + pattern.row_begin[static_cast<std::size_t>(i) + 1];
      REQUIRE(*first == i);
      REQUIRE(std::is_sorted(first, last));
    }
    CHECK(pattern.halo_size == elements->halo_size);
  }
}

TEST_CASE(
    "GrowingPattern: stays the same object for pairs that it has, and forgets when it has twice too many") {
  std::mt19937 random(2);
  const auto elements = element_pattern(500, 10, random);
  GrowingPattern growing(elements);
  const std::vector<NodePair> first{{3, 400}, {400, 3}, {499, 0}, {0, 1}}, second{{7, 300}, {499, 0}},
      third{{8, 200}};
  CHECK(growing.require(first));
  const auto with_first = growing.pattern();
  for (const auto& pairs : {first, std::vector<NodePair>{{3, 400}}, std::vector<NodePair>{}}) {
    CHECK(!growing.require(pairs));
    CHECK(growing.pattern() == with_first);
  }
  CHECK(growing.require(second));
  auto expected = blocks_of(*elements);
  add_to(expected, first);
  add_to(expected, second);
  CHECK(growing.pattern() != with_first);
  CHECK(blocks_of(*growing.pattern()) == expected);
  CHECK(!growing.require(first));

  // Four pairs, of which one is asked for.
  CHECK(growing.require(third));
  expected = blocks_of(*elements);
  add_to(expected, third);
  CHECK(blocks_of(*growing.pattern()) == expected);
}

TEST_CASE("GrowingPattern: refuses nodes that do not exist and stays what it was") {
  std::mt19937 random(3);
  GrowingPattern growing(element_pattern(50, 10, random));
  CHECK(growing.require({{0, 49}}));
  const auto before = growing.pattern();
  for (const NodePair wrong : {NodePair{0, 50}, NodePair{-1, 3}}) {
    CHECK_THROWS_AS(growing.require({{0, 48}, wrong}), IndexError);
    CHECK(growing.pattern() == before);
  }
  const std::vector<NodePair> pairs{{0, 49}};
  const std::size_t blocks = static_cast<std::size_t>(growing.elements()->blocks());
  CHECK_NOTHROW(BlockPattern::with_pairs(growing.elements(), pairs, blocks + 1));
  CHECK_THROWS_AS(BlockPattern::with_pairs(growing.elements(), pairs, blocks), MeshError);
}

TEST_CASE("GrowingPattern: a history makes an equal pattern") {
  std::mt19937 random(4);
  const auto elements = element_pattern(3000, 40, random);
  GrowingPattern growing(elements), other(elements);
  growing.require(random_pairs(3000, 80, random));
  GrowingPattern::History history;
  growing.save(history);
  other.restore(std::move(history));
  CHECK(other.require({}));
  CHECK(!other.require({}));
  CHECK(blocks_of(*other.pattern()) == blocks_of(*growing.pattern()));
  growing.save(history);
  CHECK(!other.require(history));
  const auto same = other.pattern();
  other.restore(GrowingPattern::History(history));
  CHECK(!other.require({}));
  CHECK(other.pattern() == same);
  other.restore({});
  CHECK(other.require({}));
  CHECK(other.pattern() == elements);
}

TEMPLATE_TEST_CASE_SIG("GrowingPattern: products equal Eigen's, for any number of threads the same bits", "",
                       ((class Scalar, int Dim), Scalar, Dim), (double, 2), (double, 3), (float, 2),
                       (float, 3)) {
  std::mt19937 random(5);
  detail::assembly::PackedMatrix<Dim, Scalar> packed;
  for (const int nodes : {1, 5, 1000, 5000, 20000}) {
    GrowingPattern growing(element_pattern(nodes, 60, random));
    for (int round = 0; round < 3; ++round) {
      INFO(nodes << " nodes, round " << round);
      growing.require(random_pairs(nodes, 1 + nodes / 30, random));
      const BlockPattern& pattern = *growing.pattern();
      if (nodes >= 5000) CHECK(pattern.far_slots.size() > 50);
      const auto A = random_symmetric<Dim, Scalar>(growing.pattern(), random);
      const auto x = random_vector<Dim, Scalar>(nodes, random);
      const Eigen::SparseMatrix<double> full = sparse(A);
      check_products(full, x, [&](auto&& use) { use(A); });
      check_products(full, x, [&](auto&& use) {
        packed.assign(A);
        use(packed);
      });
    }
  }
}

TEMPLATE_TEST_CASE_SIG("GrowingPattern: a number that is not finite reaches its row and column, nothing else",
                       "", ((class Scalar, int Dim), Scalar, Dim), (double, 2), (double, 3), (float, 3)) {
  std::mt19937 random(6);
  const int nodes = 5000;
  GrowingPattern growing(element_pattern(nodes, 60, random));
  growing.require(random_pairs(nodes, 300, random));
  const BlockPattern& pattern = *growing.pattern();
  const auto x = random_vector<Dim, Scalar>(nodes, random);
  detail::assembly::PackedMatrix<Dim, Scalar> packed;
  REQUIRE(pattern.far_slots.size() > 2);
  for (const int slot : {pattern.far_slots.front(), pattern.far_slots[pattern.far_slots.size() / 2],
                         pattern.far_slots.back()}) {
    auto A = random_symmetric<Dim, Scalar>(growing.pattern(), random), bad = A;
    bad.block(slot)(0, 1) = std::numeric_limits<Scalar>::quiet_NaN();
    const auto row = static_cast<std::ptrdiff_t>(
        std::upper_bound(pattern.row_begin.begin(), pattern.row_begin.end(), slot) -
        pattern.row_begin.begin() - 1);
    const int column = pattern.columns[static_cast<std::size_t>(slot)];
    const auto check = [&](const auto& multiply) {
      NodeVector<Dim, Scalar> clean(nodes), y(nodes);
      multiply(A, clean);
      CHECK(!std::isfinite(multiply(bad, y)));
      CHECK(padding_is_zero(y));
      for (std::ptrdiff_t i = 0; i < nodes; ++i) {
        for (int r = 0; r < Dim; ++r) {
          const bool touched = (r == 0 && i == row) || (r == 1 && i == column);
          if (touched) CHECK(!std::isfinite(y.node(i)(r)));
          else if (!same_bits(y.node(i)(r), clean.node(i)(r))) FAIL("entry " << r << " of node " << i);
        }
      }
    };
    check([&](const auto& matrix, auto& y) { return matrix.multiply(x, y); });
    check([&](const auto& matrix, auto& y) {
      packed.assign(matrix);
      return packed.multiply(x, y);
    });
  }
}

TEMPLATE_TEST_CASE_SIG("BlockMatrix: adds blocks to both halves, |A| |x| and the diagonal know pairs", "",
                       ((class Scalar, int Dim), Scalar, Dim), (double, 2), (double, 3), (float, 3)) {
  std::mt19937 random(7);
  const int nodes = 200;
  GrowingPattern growing(element_pattern(nodes, 60, random));
  const auto pairs = random_pairs(nodes, 200, random);
  growing.require(pairs);
  BlockMatrix<Dim, Scalar> A(growing.pattern());
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(Dim * nodes, Dim * nodes);
  std::uniform_int_distribution<int> number(-8, 8);  // sums of which are exact
  for (const NodePair& pair : pairs) {
    typename BlockMatrix<Dim, Scalar>::Block block;
    for (int k = 0; k < Dim * Dim; ++k) block(k) = static_cast<Scalar>(number(random));
    if (pair.a == pair.b) block = (block + block.transpose()).eval();
    A.add(pair.a, pair.b, block);
    const Eigen::MatrixXd wide = block.template cast<double>();
    expected.block(Dim * pair.a, Dim * pair.b, Dim, Dim) += wide;
    if (pair.a != pair.b) expected.block(Dim * pair.b, Dim * pair.a, Dim, Dim) += wide.transpose();
  }
  CHECK(dense(A) == expected);
  for (int i = 0; i < nodes; ++i) {
    REQUIRE(A.diagonal(i).template cast<double>() == expected.block(Dim * i, Dim * i, Dim, Dim));
  }
  const auto x = random_vector<Dim, Scalar>(nodes, random);
  NodeVector<Dim, Scalar> y(nodes);
  A.multiply_magnitudes(x, y);
  const Eigen::VectorXd magnitudes = expected.cwiseAbs() * stacked(x).cwiseAbs();
  CHECK((stacked(y) - magnitudes).norm() <=
        16 * std::numeric_limits<Scalar>::epsilon() * std::max(1.0, magnitudes.norm()));
}
