// From the arbitrary numbers that a file gives its nodes to indices from 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace pliant::detail::io {

// Memory is proportional to the number of nodes, however far apart their tags are.
class NodeTags {
 public:
  NodeTags() = default;

  // tags[i] is the tag of node i.
  explicit NodeTags(std::vector<std::int64_t> tags) {
    if (tags.empty()) return;
    const auto [smallest, largest] = std::minmax_element(tags.begin(), tags.end());
    first_ = *smallest;
    // Unsigned, so that no pair of tags overflows the difference.
    const std::uint64_t span = distance(*largest);
    if (span / 4 <= tags.size()) {
      make_table(tags, static_cast<std::size_t>(span) + 1);
    } else {
      make_sorted(tags);
    }
  }

  // A tag that two nodes share.
  std::optional<std::int64_t> repeated() const { return repeated_; }

  // The node with this tag, or -1.
  int find(std::int64_t tag) const {
    if (!sorted_.empty()) {
      const auto entry = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair{tag, 0});
      return entry != sorted_.end() && entry->first == tag ? entry->second : -1;
    }
    if (tag < first_ || distance(tag) >= table_.size()) return -1;
    return table_[static_cast<std::size_t>(distance(tag))];
  }

 private:
  std::uint64_t distance(std::int64_t tag) const {
    return static_cast<std::uint64_t>(tag) - static_cast<std::uint64_t>(first_);
  }

  void make_table(const std::vector<std::int64_t>& tags, std::size_t size) {
    table_.assign(size, -1);
    for (std::size_t i = 0; i < tags.size(); ++i) {
      int& entry = table_[static_cast<std::size_t>(distance(tags[i]))];
      if (entry != -1) repeated_ = tags[i];
      entry = static_cast<int>(i);
    }
  }

  void make_sorted(const std::vector<std::int64_t>& tags) {
    sorted_.reserve(tags.size());
    for (std::size_t i = 0; i < tags.size(); ++i) sorted_.emplace_back(tags[i], static_cast<int>(i));
    std::sort(sorted_.begin(), sorted_.end());
    for (std::size_t i = 1; i < sorted_.size(); ++i) {
      if (sorted_[i].first == sorted_[i - 1].first) repeated_ = sorted_[i].first;
    }
  }

  std::int64_t first_ = 0;
  std::vector<int> table_;                            // by tag - first_, where the tags lie close together
  std::vector<std::pair<std::int64_t, int>> sorted_;  // (tag, node), where they do not
  std::optional<std::int64_t> repeated_;
};

}  // namespace pliant::detail::io
