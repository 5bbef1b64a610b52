// Many soft balls as one mesh of many pieces. In floats, which halve the memory that a step of
// OperatorSplitting reads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include <pliant/pliant.hpp>

struct Crowd {
  pliant::Mesh<pliant::Tet4, float> mesh;
  std::vector<Eigen::Index> first_node;  // of each ball, and the end

  int count() const { return static_cast<int>(first_node.size()) - 1; }

  // The centre of ball k with its nodes at x [m].
  template <class Positions>
  Eigen::Vector3d middle(const Positions& x, int k) const {
    const auto begin = first_node[static_cast<std::size_t>(k)],
               end = first_node[static_cast<std::size_t>(k) + 1];
    return x.middleCols(begin, end - begin).template cast<double>().rowwise().mean();
  }
};

// Balls of a radius at the given places [m], with about the given number of tetrahedra in all: a ball of n
// shells has 20 n^3, and some balls have one shell more than the others.
inline Crowd make_crowd(double radius, const std::vector<Eigen::Vector3d>& places, int tetrahedra) {
  using namespace pliant;
  const auto count = static_cast<int>(places.size());
  const auto of_ball = [](int shells) { return 20 * shells * shells * shells; };
  const int shells = std::max(1, static_cast<int>(std::cbrt(tetrahedra / (20.0 * count)) + 1e-9));
  const int fine = (tetrahedra - count * of_ball(shells)) / (of_ball(shells + 1) - of_ball(shells));
  const auto ball = make_ball<Tet4>({.radius = radius, .shells = shells}),
             fine_ball = make_ball<Tet4>({.radius = radius, .shells = shells + 1});
  Crowd crowd{{}, {0}};
  std::vector<int> elements;
  std::vector<double> nodes;
  for (int k = 0; k < count; ++k) {
    const auto& copy = k < fine ? fine_ball : ball;
    const auto first = static_cast<int>(crowd.first_node.back());
    for (const auto& X : copy.nodes.colwise()) {
      for (int axis = 0; axis < 3; ++axis)
        nodes.push_back(X(axis) + places[static_cast<std::size_t>(k)](axis));
    }
    for (Eigen::Index i = 0; i < copy.elements.size(); ++i)
      elements.push_back(first + copy.elements.data()[i]);
    crowd.first_node.push_back(first + copy.node_count());
  }
  crowd.mesh.nodes =
      Eigen::Map<const NodeMatrix<double, 3>>(nodes.data(), 3, crowd.first_node.back()).cast<float>();
  crowd.mesh.elements = Eigen::Map<const ElementMatrix<Tet4>>(elements.data(), 4,
                                                              static_cast<Eigen::Index>(elements.size() / 4));
  return crowd;
}
