// The connected components of bodies (pieces), and the recognition of copies among them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include <pliant/algebra/rotation.hpp>
#include <pliant/assembly/ordering.hpp>
#include <pliant/mesh/disjoint_sets.hpp>
#include <pliant/operator_splitting/split_mesh.hpp>

namespace pliant::detail::operator_splitting {

// A connected component: all nodes that are connected by elements.
template <class Scalar>
struct SplitPiece {
  std::vector<int> nodes;                      // of the system, in the user's order
  std::vector<SplitElement<Scalar>> elements;  // their nodes are numbers in `nodes`
  std::vector<SmallVector<double, 3>> rest;    // positions of its nodes, relative to the first [m]
  double extent = 0;  // the largest coordinate at rest [m], which determines the rounding
  int original = -1;  // for pieces of Copies: the number of the first node in the original mesh
};

// Pieces that are copies of each other.
struct CopyGroup {
  int reference;            // the piece with the smallest rounding of coordinates, whose shape all take
  std::vector<int> pieces;  // ascending
};

// Orders the nodes of an element ascending, up to an exchange that makes it right-handed.
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

// Whether pieces are copies of each other: with the same elements in the same order, equal up to a
// translation and rotation, and with equal properties of their `nodes` (of the system).
template <class Scalar>
class CopyTest {
 public:
  explicit CopyTest(const std::vector<SplitNode>& nodes) : nodes_(nodes) {}

  bool operator()(const SplitPiece<Scalar>& a, const SplitPiece<Scalar>& b) const {
    if (a.nodes.size() != b.nodes.size()) return false;
    if (a.original >= 0 && a.original == b.original) return have_same_nodes(a, b);
    return std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(), b.elements.end(),
                      [](const auto& e, const auto& f) {
                        return e.nodes == f.nodes && e.mu == f.mu && e.lambda == f.lambda;
                      }) &&
           have_same_shape(a, b) && have_same_nodes(a, b) && have_same_masses(a, b);
  }

 private:
  static constexpr double epsilon = std::numeric_limits<Scalar>::epsilon();
  static constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

  using Point = SmallVector<double, 3>;

  // Whether a rigid motion maps all nodes at rest to those of the other piece, up to the rounding of their
  // coordinates. If this rounding is not small against the heights of elements, the result is false.
  static bool have_same_shape(const SplitPiece<Scalar>& a, const SplitPiece<Scalar>& b) {
    constexpr double part_of_height = 0.1;
    const double rounding = 2 * epsilon * std::max(a.extent, b.extent) + 4 * epsilon * size_of(a);
    for (const SplitElement<Scalar>& e : a.elements) {
      if (static_cast<double>(e.gradients.rowwise().norm().maxCoeff()) * rounding > part_of_height)
        return false;
    }
    const Point middle_a = middle_of(a), middle_b = middle_of(b);
    SmallMatrix<double, 3, 3> covariance = SmallMatrix<double, 3, 3>::Zero();
    for (std::size_t i = 0; i < a.rest.size(); ++i)
      covariance += (b.rest[i] - middle_b) * (a.rest[i] - middle_a).transpose();
    const SmallMatrix<double, 3, 3> R = rotation_matrix(nearest_rotation(covariance));
    for (std::size_t i = 0; i < a.rest.size(); ++i) {
      const Point difference = b.rest[i] - middle_b - R * (a.rest[i] - middle_a);
      if (!(difference.norm() <= rounding)) return false;
    }
    return true;
  }

  static Point middle_of(const SplitPiece<Scalar>& piece) {
    Point sum = Point::Zero();
    for (const Point& x : piece.rest) sum += x;
    return sum / static_cast<double>(piece.rest.size());
  }
  static double size_of(const SplitPiece<Scalar>& piece) {
    double size = 0;
    for (const Point& x : piece.rest) size = std::max(size, x.cwiseAbs().maxCoeff());
    return size;
  }

  // The loss 1 - kept has an absolute error of the rounding of 1.
  bool have_same_nodes(const SplitPiece<Scalar>& a, const SplitPiece<Scalar>& b) const {
    for (std::size_t i = 0; i < a.nodes.size(); ++i) {
      const SplitNode &u = nodes_[at(a.nodes[i])], &v = nodes_[at(b.nodes[i])];
      const double lost = 1 - u.kept;
      if (u.fixed != v.fixed ||
          std::abs(u.kept - v.kept) > 16 * epsilon * lost + 4 * std::numeric_limits<double>::epsilon()) {
        return false;
      }
    }
    return true;
  }

  // Relative to the volumes of the nodes, which have the same rounding.
  bool have_same_masses(const SplitPiece<Scalar>& a, const SplitPiece<Scalar>& b) const {
    const std::vector<double> volume = volumes(a), other = volumes(b);
    for (std::size_t i = 0; i < a.nodes.size(); ++i) {
      const double mass = nodes_[at(a.nodes[i])].mass * other[i];
      if (std::abs(mass - nodes_[at(b.nodes[i])].mass * volume[i]) > 64 * epsilon * mass) return false;
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

// Divides elements, with node numbers of the system, into pieces; the numbering and the rest positions [m] of
// the system are given. Two components that differ by a rigid motion only become pieces with equal numbers.
// `nodes_of_copy`: the number of nodes of each of Copies, otherwise 0.
template <class Scalar, class Vector>
std::vector<SplitPiece<Scalar>> pieces_of(const std::vector<SplitElement<Scalar>>& elements,
                                          const Numbering& numbering, const Vector& rest,
                                          std::ptrdiff_t nodes_of_copy = 0) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  mesh::DisjointSets sets(std::ssize(numbering.to_user));
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
      if (nodes_of_copy > 0)
        pieces.back().original = numbering.to_user[at(node)] % static_cast<int>(nodes_of_copy);
    }
    SplitPiece<Scalar>& own = pieces[at(piece)];
    local[at(node)] = static_cast<int>(own.nodes.size());
    own.nodes.push_back(node);
    own.rest.push_back((rest.node(node) - rest.node(own.nodes.front())).template cast<double>());
    own.extent = std::max(own.extent, static_cast<double>(rest.node(node).cwiseAbs().maxCoeff()));
  }
  for (const auto& element : elements) {
    auto& own = pieces[at(piece_of[at(sets.representative(element.nodes[0]))])].elements;
    own.push_back(element);
    for (int& node : own.back().nodes) node = local[at(node)];
    sort_nodes(own.back());
  }
  for (auto& piece : pieces) {
    std::sort(piece.elements.begin(), piece.elements.end(),
              [](const auto& a, const auto& b) { return a.nodes < b.nodes; });
  }
  return pieces;
}

// Groups of pieces that are copies of each other, see CopyTest.
template <class Scalar>
std::vector<CopyGroup> groups_of_copies(const std::vector<SplitPiece<Scalar>>& pieces,
                                        const std::vector<SplitNode>& nodes) {
  constexpr std::ptrdiff_t most_tried = 16;  // of the groups of that size, so that the time stays linear
  const auto piece = [&](int i) -> const SplitPiece<Scalar>& { return pieces[static_cast<std::size_t>(i)]; };
  const CopyTest<Scalar> are_copies(nodes);
  std::vector<int> order(pieces.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int p, int q) { return piece(p).extent < piece(q).extent; });
  std::map<std::array<std::size_t, 2>, std::vector<CopyGroup>> groups_of_size;
  for (const int p : order) {
    auto& groups = groups_of_size[{piece(p).nodes.size(), piece(p).elements.size()}];
    const auto first_tried = groups.end() - std::min(std::ssize(groups), most_tried);
    const auto own = std::find_if(first_tried, groups.end(), [&](const CopyGroup& group) {
      return are_copies(piece(group.reference), piece(p));
    });
    if (own != groups.end()) own->pieces.push_back(p);
    else groups.push_back({p, {p}});
  }
  std::vector<CopyGroup> all;
  for (auto& [size, groups] : groups_of_size) {
    for (CopyGroup& group : groups) {
      std::sort(group.pieces.begin(), group.pieces.end());
      all.push_back(std::move(group));
    }
  }
  std::sort(all.begin(), all.end(),
            [](const CopyGroup& a, const CopyGroup& b) { return a.pieces.front() < b.pieces.front(); });
  return all;
}

}  // namespace pliant::detail::operator_splitting
