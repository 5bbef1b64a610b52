// Nodes that coincide.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <vector>

#include <pliant/core/error.hpp>
#include <pliant/mesh/disjoint_sets.hpp>
#include <pliant/mesh/mesh.hpp>

namespace pliant {
namespace detail::mesh {

template <class Scalar, int Dim>
bool is_finite_node(const NodeMatrix<Scalar, Dim>& nodes, Eigen::Index node) {
  for (int axis = 0; axis < Dim; ++axis) {
    if (!core::is_finite(static_cast<double>(nodes(axis, node)))) return false;
  }
  return true;
}

// Joins all nodes at most `tolerance` apart, by sorting them into cubes of half that size: all nodes in one
// cube are joined, and candidates lie in cubes at most two away. The cubes are sorted, so that their
// neighbours are found by forward sweeps, one for each direction: time n log n for any tolerance.
template <class Scalar, int Dim>
class ProximityJoin {
 public:
  ProximityJoin(const NodeMatrix<Scalar, Dim>& nodes, double tolerance, DisjointSets& sets)
      : nodes_(nodes), tolerance_(tolerance), sets_(sets) {
    sort_into_cubes();
    Direction direction;
    direction.fill(0);
    sweep(direction, 0);
  }

 private:
  using Key = std::array<std::int64_t, static_cast<std::size_t>(Dim)>;
  using Direction = std::array<int, static_cast<std::size_t>(Dim - 1)>;  // on all axes but the last

  struct Cube {
    Key key;
    std::size_t begin;  // its nodes are members_[begin, end)
    std::size_t end;
  };

  // Returns false if the tolerance is below the spacing of the numbers: then only equal positions are within
  // it, which are joined elsewhere.
  bool find_key(Eigen::Index node, Key& key) const {
    for (int axis = 0; axis < Dim; ++axis) {
      const double cell = 2 * (static_cast<double>(nodes_(axis, node)) / tolerance_);
      if (!core::is_finite(cell) || std::abs(cell) > 0x1p51) return false;
      key[static_cast<std::size_t>(axis)] = static_cast<std::int64_t>(std::floor(cell));
    }
    return true;
  }

  void sort_into_cubes() {
    struct Entry {
      Key key;
      int node;
    };
    std::vector<Entry> entries;
    for (Eigen::Index node = 0; node < nodes_.cols(); ++node) {
      Entry entry{{}, static_cast<int>(node)};
      if (find_key(node, entry.key)) entries.push_back(entry);
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.key, a.node) < std::tie(b.key, b.node);
    });
    for (std::size_t i = 0; i < entries.size(); ++i) {
      members_.push_back(entries[i].node);
      if (i == 0 || entries[i].key != entries[i - 1].key) {
        cubes_.push_back({entries[i].key, i, i + 1});
      } else {
        sets_.join(entries[i].node, entries[i - 1].node);
        cubes_.back().end = i + 1;
      }
    }
  }

  // Visits every direction on the axes from `axis` on, but of each pair of opposite ones only one.
  void sweep(Direction& direction, std::size_t axis) {
    if (axis == direction.size()) {
      for (const int step : direction) {
        if (step < 0) return;
        if (step > 0) break;
      }
      join_neighbours(direction);
      return;
    }
    for (direction[axis] = -2; direction[axis] <= 2; ++direction[axis]) sweep(direction, axis + 1);
    direction[axis] = 0;
  }

  // Joins each cube with those whose keys differ by `direction`, and by -2 ... 2 on the last axis.
  void join_neighbours(const Direction& direction) {
    std::size_t first = 0;
    for (std::size_t cube = 0; cube < cubes_.size(); ++cube) {
      Key low = cubes_[cube].key;
      for (std::size_t axis = 0; axis < direction.size(); ++axis) low[axis] += direction[axis];
      Key high = low;
      low.back() -= 2;
      high.back() += 2;
      while (first < cubes_.size() && cubes_[first].key < low) ++first;
      for (std::size_t other = first; other < cubes_.size() && cubes_[other].key <= high; ++other) {
        if (other > cube) join_if_close(cubes_[cube], cubes_[other]);
      }
    }
  }

  void join_if_close(const Cube& a, const Cube& b) {
    if (sets_.representative(members_[a.begin]) == sets_.representative(members_[b.begin])) return;
    for (std::size_t i = a.begin; i < a.end; ++i) {
      for (std::size_t j = b.begin; j < b.end; ++j) {
        const auto difference = (nodes_.col(members_[i]) - nodes_.col(members_[j])).template cast<double>();
        if ((difference / tolerance_).squaredNorm() <= 1) return sets_.join(members_[i], members_[j]);
      }
    }
  }

  const NodeMatrix<Scalar, Dim>& nodes_;
  double tolerance_;
  DisjointSets& sets_;
  std::vector<Cube> cubes_;   // in the order of their keys
  std::vector<int> members_;  // node numbers, cube after cube
};

}  // namespace detail::mesh

// For each node the lowest-numbered node of its cluster. A cluster is a connected set of nodes with gaps of
// at most `tolerance` [m], so it does not depend on the numbering of the nodes. A node without finite
// coordinates is a cluster by itself. Throws ParameterError if the tolerance is negative or not finite.
template <class Scalar, int Dim>
std::vector<int> coincident_nodes(const NodeMatrix<Scalar, Dim>& nodes, double tolerance = 0) {
  detail::core::require_parameter(tolerance >= 0 && detail::core::is_finite(tolerance), "tolerance",
                                  tolerance, "must be finite and not negative");
  detail::mesh::DisjointSets sets(nodes.cols());

  std::vector<int> order;
  for (Eigen::Index node = 0; node < nodes.cols(); ++node) {
    if (detail::mesh::is_finite_node(nodes, node)) order.push_back(static_cast<int>(node));
  }
  const auto compare = [&nodes](int a, int b) {
    for (int axis = 0; axis < Dim; ++axis) {
      if (nodes(axis, a) != nodes(axis, b)) return nodes(axis, a) < nodes(axis, b) ? -1 : 1;
    }
    return 0;
  };
  std::sort(order.begin(), order.end(), [&compare](int a, int b) { return compare(a, b) < 0; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (compare(order[i - 1], order[i]) == 0) sets.join(order[i - 1], order[i]);
  }
  if (tolerance > 0) detail::mesh::ProximityJoin<Scalar, Dim>(nodes, tolerance, sets);

  std::vector<int> representatives(static_cast<std::size_t>(nodes.cols()));
  for (std::size_t node = 0; node < representatives.size(); ++node) {
    representatives[node] = sets.representative(static_cast<int>(node));
  }
  return representatives;
}

}  // namespace pliant
