// A pattern of the elements and of pairs of nodes that vary.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include <pliant/assembly/block_matrix.hpp>
#include <pliant/core/error.hpp>

namespace pliant {

// Contains the blocks of the elements and of the required pairs. As long as the pattern contains all pairs of
// a call, it stays the same object: matrices keep their layout, solvers keep their analysis, and nothing is
// allocated. The blocks of pairs that are no longer required are zero. A missing pair leads to a new pattern,
// for which solvers are set up anew. That costs more than a solve, so that a caller should require all pairs
// that are likely to be needed soon, such as those within some margin of each other.
//
// A new pattern takes over the pairs of the old one, unless it would then have more than twice as many as are
// required. It depends only on the calls so far.
class GrowingPattern {
 public:
  GrowingPattern() = default;
  explicit GrowingPattern(std::shared_ptr<const BlockPattern> elements)
      : elements_(std::move(elements)), pattern_(elements_) {}

  // The current pattern of matrices; that of the elements itself before the first pair.
  const std::shared_ptr<const BlockPattern>& pattern() const { return pattern_; }
  const std::shared_ptr<const BlockPattern>& elements() const { return elements_; }

  // Makes the pattern contain the blocks of all pairs. Their order does not matter; they may be repeated, and
  // may share an element. Returns true if the pattern is a new one. Throws IndexError for a node that does
  // not exist, and MeshError if there are too many blocks; the pattern is then unchanged.
  bool require(const std::vector<NodePair>& pairs) {
    const auto nodes = elements_->rows();
    for (const NodePair& pair : pairs) {
      for (const int node : {pair.a, pair.b}) {
        if (node < 0 || node >= nodes) throw IndexError("node of a pair", node, nodes);
      }
    }
    const bool renewed = renew();
    const auto is_there = [&](const BlockPattern& pattern, const NodePair& pair) {
      return pattern.has(std::min(pair.a, pair.b), std::max(pair.a, pair.b));
    };
    const bool all = std::all_of(pairs.begin(), pairs.end(),
                                 [&](const NodePair& pair) { return is_there(*pattern_, pair); });
    if (all) return renewed;

    std::vector<NodePair> asked;
    for (const NodePair& pair : pairs) {
      if (!is_there(*elements_, pair)) asked.push_back({std::min(pair.a, pair.b), std::max(pair.a, pair.b)});
    }
    std::sort(asked.begin(), asked.end());
    asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
    std::vector<NodePair> together;
    std::set_union(asked.begin(), asked.end(), pairs_.begin(), pairs_.end(), std::back_inserter(together));
    build(together.size() > 2 * asked.size() ? asked : together);
    return true;
  }

  // Builds the pattern of restored pairs, if that has still to be done. Returns true if the pattern is a new
  // one.
  bool renew() {
    if (!restored_) return false;
    build(pairs_);
    return true;
  }

  // The pairs of the pattern, see core/history.hpp. Restored pairs are in the pattern after the next call of
  // renew or require.
  using History = std::vector<NodePair>;
  void save(History& history) const { history = pairs_; }
  void restore(History&& history) {
    restored_ = restored_ || history != pairs_;
    pairs_ = std::move(history);
  }

 private:
  // Leaves everything unchanged if an allocation fails.
  void build(std::vector<NodePair> pairs) {
    pattern_ = pairs.empty()
                   ? elements_
                   : std::make_shared<const BlockPattern>(BlockPattern::with_pairs(elements_, pairs));
    pairs_ = std::move(pairs);
    restored_ = false;
  }

  std::shared_ptr<const BlockPattern> elements_, pattern_;
  std::vector<NodePair> pairs_;  // that share no element, a < b, ascending
  bool restored_ = false;        // whether the pattern of pairs_ has still to be built
};

}  // namespace pliant
