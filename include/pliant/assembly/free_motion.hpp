// Unconstrained rigid modes.
#pragma once

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include <pliant/algebra/tensor.hpp>
#include <pliant/assembly/block_matrix.hpp>
#include <pliant/mesh/disjoint_sets.hpp>

namespace pliant {

// A node and a constrained direction.
template <int Dim>
struct HeldDirection {
  int node;                        // internal numbering
  SmallVector<double, Dim> along;  // of unit length
};

namespace detail::assembly {

// The rigid motions of a connected part of a body: Dim translations, then the rotations about the axes
// through its centre, by the angle 1 / size, so that all modes move the nodes by similar distances.
template <int Dim>
class RigidFreedom {
 public:
  static constexpr int count = Dim == 2 ? 3 : 6;
  using Motion = SmallVector<double, count>;

  void set_extent(const SmallVector<double, Dim>& centre, double size) {
    centre_ = centre;
    size_ = size > 0 ? size : 1;
  }

  // Excludes the motions that displace the node at `position` along `direction`.
  void hold(const SmallVector<double, Dim>& position, const SmallVector<double, Dim>& direction) {
    held_ = true;
    Motion row;
    SmallVector<double, Dim> arm;
    for (int axis = 0; axis < Dim; ++axis) {
      row[axis] = direction[axis];
      arm[axis] = (position[axis] - centre_[axis]) / size_;
    }
    if constexpr (Dim == 2) {
      row[2] = arm[0] * direction[1] - arm[1] * direction[0];
    } else {
      for (int axis = 0; axis < 3; ++axis) {
        const int j = (axis + 1) % 3, k = (axis + 2) % 3;
        row[3 + axis] = arm[j] * direction[k] - arm[k] * direction[j];
      }
    }
    // The component orthogonal to the previous rows; computed twice, for accuracy.
    for (int pass = 0; pass < 2; ++pass) row = algebra::orthogonal_part<count>(row, rows_);
    const double length = norm(row);
    if (length > rounding) rows_.push_back(row / length);
  }

  bool held() const { return held_; }
  int left() const { return count - static_cast<int>(rows_.size()); }

  // The remaining motion with the largest component along one of the axes, in words.
  std::string words() const {
    Motion motion = Motion::Zero();
    for (int k = 0; k < count; ++k) {
      const Motion candidate = algebra::orthogonal_part<count>(Motion::Unit(k), rows_);
      if (norm(candidate) > norm(motion) + rounding) motion = candidate;
    }
    double translation = 0, rotation = 0;
    for (int k = 0; k < count; ++k) {
      double& part = k < Dim ? translation : rotation;
      part = std::hypot(part, motion[k]);
    }
    const bool turns = rotation > rounding * translation;
    if (turns && Dim == 2) return "turn";
    std::ostringstream text;
    text.precision(3);
    text << (turns ? "turn about an axis along (" : "move along (");
    for (int k = 0; k < Dim; ++k) {
      const double component = turns ? motion[(Dim + k) % count] / rotation : motion[k] / translation;
      text << (k == 0 ? "" : ", ") << (std::abs(component) < rounding ? 0 : component);
    }
    text << ")";
    return text.str();
  }

 private:
  static constexpr double rounding = 1e-6;

  static double norm(const Motion& motion) { return std::sqrt(algebra::dot<double, count>(motion, motion)); }

  SmallVector<double, Dim> centre_ = SmallVector<double, Dim>::Zero();  // [m]
  double size_ = 1;                                                     // [m]
  bool held_ = false;
  std::vector<Motion> rows_;  // orthonormal
};

// Describes the parts of a body that can move as rigid bodies although the displacements along `directions`
// are held; empty if there are none. Parts are the connected components of the pattern; `x` are positions
// [m]. Parts that share only a node or an edge count as one, although they can rotate there.
template <class Vector>
std::string free_motion(const BlockPattern& pattern,
                        const std::vector<HeldDirection<Vector::dim>>& directions,
                        const std::vector<int>& to_user, const Vector& x) {
  constexpr int dim = Vector::dim;
  using Point = SmallVector<double, dim>;
  const auto nodes = static_cast<int>(pattern.rows());
  mesh::DisjointSets sets(nodes);
  for (int i = 0; i < nodes; ++i) {
    for (int k = pattern.row_begin[static_cast<std::size_t>(i)];
         k < pattern.row_begin[static_cast<std::size_t>(i) + 1]; ++k) {
      sets.join(i, pattern.columns[static_cast<std::size_t>(k)]);
    }
  }
  std::vector<double> size(static_cast<std::size_t>(nodes), 0);  // by representative
  for (int i = 0; i < nodes; ++i) {
    const int representative = sets.representative(i);
    double& largest = size[static_cast<std::size_t>(representative)];
    largest = std::max(largest, static_cast<double>((x.node(i) - x.node(representative)).norm()));
  }
  std::vector<RigidFreedom<dim>> parts(static_cast<std::size_t>(nodes));
  for (int i = 0; i < nodes; ++i) {
    if (sets.representative(i) == i) {
      parts[static_cast<std::size_t>(i)].set_extent(Point(x.node(i).template cast<double>()),
                                                    size[static_cast<std::size_t>(i)]);
    }
  }
  for (const auto& [node, along] : directions) {
    auto& part = parts[static_cast<std::size_t>(sets.representative(node))];
    part.hold(Point(x.node(node).template cast<double>()), along);
  }
  std::string words;
  for (int i = 0; i < nodes; ++i) {
    const auto& part = parts[static_cast<std::size_t>(i)];
    if (sets.representative(i) != i || part.left() == 0) continue;
    if (!words.empty()) words += "; ";
    words += "the part of node " + std::to_string(to_user[static_cast<std::size_t>(i)]) + " can ";
    if (!part.held()) {
      words += "move and turn freely, for none of its nodes is held";
    } else if (part.left() == 1) {
      words += part.words() + ", which no constraint holds";
    } else {
      words += part.words() + " and in " + std::to_string(part.left() - 1) +
               (part.left() == 2 ? " other way" : " other ways") + ", which no constraint holds";
    }
  }
  return words;
}

}  // namespace detail::assembly

}  // namespace pliant
