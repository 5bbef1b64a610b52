// The pieces that bodies consist of, and which of them are copies of each other.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <vector>

#include <pliant/assembly/ordering.hpp>
#include <pliant/integrator/split_mesh.hpp>
#include <pliant/mesh/disjoint_sets.hpp>

namespace pliant {

// Nodes that hang together by elements, all that do.
template <class Scalar>
struct SplitPiece {
  std::vector<int> nodes;                      // of the system, in the user's order
  std::vector<SplitElement<Scalar>> elements;  // their nodes are numbers in `nodes`
  double extent = 0;                           // the largest coordinate at rest [m], which tells its rounding
};

namespace detail {

// Makes an element right-handed, its nodes otherwise ascending.
template <class Scalar>
void sort_nodes(SplitElement<Scalar>& e) {
  std::array<int, 4> order{0, 1, 2, 3};
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return e.nodes[static_cast<std::size_t>(a)] < e.nodes[static_cast<std::size_t>(b)];
  });
  const SplitElement<Scalar> old = e;
  const auto take = [&](int from, int to) {
    e.nodes[static_cast<std::size_t>(to)] = old.nodes[static_cast<std::size_t>(from)];
    e.gradients.row(to) = old.gradients.row(from);
  };
  for (int a = 0; a < 4; ++a) take(order[static_cast<std::size_t>(a)], a);
  if (determinant(SmallMatrix<Scalar, 3, 3>(e.gradients.template bottomRows<3>())) < 0) {
    take(order[2], 3);
    take(order[3], 2);
  }
}

// Whether pieces are copies of each other: of the same elements in the same order, moved and turned, with the
// same `nodes`, those of the system.
template <class Scalar>
class CopyTest {
 public:
  explicit CopyTest(const std::vector<SplitNode>& nodes) : nodes_(nodes) {}

  bool operator()(const SplitPiece<Scalar>& a, const SplitPiece<Scalar>& b) const {
    const double rounding = 4 * epsilon * std::max(a.extent, b.extent);  // of a rest position [m]
    return a.nodes.size() == b.nodes.size() &&
           std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(), b.elements.end(),
                      [&](const auto& e, const auto& f) { return same_at_rest(e, f, rounding); }) &&
           same_nodes(a, b);
  }

 private:
  static constexpr double epsilon = std::numeric_limits<Scalar>::epsilon();
  static constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

  // The metric of the gradients of the shape functions is that of the rest shape. A node that is off by d
  // changes the gradients G by |G|^2 d. Where that is not little, nothing is said to be the same.
  static bool same_at_rest(const SplitElement<Scalar>& a, const SplitElement<Scalar>& b, double rounding) {
    constexpr double little = 0.01;
    if (a.nodes != b.nodes || a.mu != b.mu || a.lambda != b.lambda) return false;
    const SmallMatrix<Scalar, 3, 3> u = a.gradients.template bottomRows<3>(),
                                    v = b.gradients.template bottomRows<3>();
    const SmallMatrix<Scalar, 3, 3> difference = u * u.transpose() - v * v.transpose();
    const auto size = static_cast<double>(u.norm());
    return size * rounding < little &&
           static_cast<double>(difference.norm()) <= 2 * size * size * size * rounding;
  }

  // Masses are compared by the volumes that they belong to, which are rounded as they are. What damping takes
  // from a velocity is known to a rounding of 1 only.
  bool same_nodes(const SplitPiece<Scalar>& a, const SplitPiece<Scalar>& b) const {
    const std::vector<double> volume = volumes(a), other = volumes(b);
    for (std::size_t i = 0; i < a.nodes.size(); ++i) {
      const SplitNode &u = nodes_[at(a.nodes[i])], &v = nodes_[at(b.nodes[i])];
      const double mass = u.mass * other[i], lost = 1 - u.kept;
      if (u.fixed != v.fixed || std::abs(mass - v.mass * volume[i]) > 64 * epsilon * mass ||
          std::abs(u.kept - v.kept) > 16 * epsilon * lost + 4 * std::numeric_limits<double>::epsilon()) {
        return false;
      }
    }
    return true;
  }

  static std::vector<double> volumes(const SplitPiece<Scalar>& piece) {
    std::vector<double> result(piece.nodes.size(), 0);
    for (const SplitElement<Scalar>& e : piece.elements) {
      for (const int node : e.nodes) result[at(node)] += e.volume;
    }
    return result;
  }

  const std::vector<SplitNode>& nodes_;
};

}  // namespace detail

// Elements have numbers of nodes of the system, whose numbering and positions at rest [m] are given. Two
// meshes that differ in where they are only, each a piece, become pieces with the same numbers.
template <class Scalar, class Vector>
std::vector<SplitPiece<Scalar>> pieces_of(const std::vector<SplitElement<Scalar>>& elements,
                                          const Numbering& numbering, const Vector& rest) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  detail::DisjointSets sets(std::ssize(numbering.to_user));
  for (const auto& e : elements) {
    for (const int node : e.nodes) sets.join(e.nodes[0], node);
  }
  std::vector<SplitPiece<Scalar>> pieces;
  std::vector<int> piece_of(numbering.to_user.size(), -1), local(numbering.to_user.size());
  for (const int node : numbering.to_internal) {
    int& piece = piece_of[at(sets.representative(node))];
    if (piece < 0) {
      piece = static_cast<int>(pieces.size());
      pieces.emplace_back();
    }
    local[at(node)] = static_cast<int>(pieces[at(piece)].nodes.size());
    pieces[at(piece)].nodes.push_back(node);
    double& extent = pieces[at(piece)].extent;
    extent = std::max(extent, static_cast<double>(rest.node(node).cwiseAbs().maxCoeff()));
  }
  for (const auto& element : elements) {
    auto& own = pieces[at(piece_of[at(sets.representative(element.nodes[0]))])].elements;
    own.push_back(element);
    for (int& node : own.back().nodes) node = local[at(node)];
    detail::sort_nodes(own.back());
  }
  for (auto& piece : pieces) {
    std::sort(piece.elements.begin(), piece.elements.end(),
              [](const auto& a, const auto& b) { return a.nodes < b.nodes; });
  }
  return pieces;
}

// Groups of pieces that are copies of each other, see CopyTest.
template <class Scalar>
std::vector<std::vector<int>> groups_of_copies(const std::vector<SplitPiece<Scalar>>& pieces,
                                               const std::vector<SplitNode>& nodes) {
  constexpr std::ptrdiff_t most_tried = 16;  // of the groups of that size, so that the time stays linear
  const auto piece = [&](int i) -> const SplitPiece<Scalar>& { return pieces[static_cast<std::size_t>(i)]; };
  const detail::CopyTest<Scalar> are_copies(nodes);
  std::map<std::array<std::size_t, 2>, std::vector<std::vector<int>>> groups_of_size;
  for (int p = 0; p < std::ssize(pieces); ++p) {
    auto& groups = groups_of_size[{piece(p).nodes.size(), piece(p).elements.size()}];
    const auto first_tried = groups.end() - std::min(std::ssize(groups), most_tried);
    const auto own = std::find_if(first_tried, groups.end(), [&](const std::vector<int>& group) {
      return are_copies(piece(group.front()), piece(p));
    });
    if (own != groups.end()) own->push_back(p);
    else groups.push_back({p});
  }
  std::vector<std::vector<int>> all;
  for (auto& [size, groups] : groups_of_size) all.insert(all.end(), groups.begin(), groups.end());
  return all;
}

}  // namespace pliant
