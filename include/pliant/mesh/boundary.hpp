// The boundary of a mesh: the faces (in 2D the edges) that belong to one element only.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <pliant/core/compressed_rows.hpp>
#include <pliant/core/error.hpp>
#include <pliant/mesh/mesh.hpp>

namespace pliant {

// Nodes of a face of the element, and faces of the element: 3 and 4 for Tet4.
template <Element E>
inline constexpr int face_nodes =
    static_cast<int>(std::tuple_size_v<std::remove_cvref_t<decltype(E::faces[0])>>);
template <Element E>
inline constexpr int face_count =
    static_cast<int>(std::tuple_size_v<std::remove_cvref_t<decltype(E::faces)>>);

// A face and all elements that have it.
struct SharedFace {
  std::vector<int> nodes;     // in increasing order
  std::vector<int> elements;  // in increasing order
};

// The boundary, one column or entry per face, in the order of the elements and of their faces.
template <Element E>
struct BoundaryFaces {
  // Node numbers of the mesh (nodes of a face x #faces), counter-clockwise seen from outside; in 2D an edge
  // has the body on its left.
  Eigen::Matrix<int, face_nodes<E>, Eigen::Dynamic, Eigen::DontAlign> faces;
  std::vector<int> elements;             // the element of each face
  std::vector<int> local_faces;          // and its index in E::faces
  std::vector<SharedFace> non_manifold;  // faces of more than two elements, not in the boundary

  std::ptrdiff_t face_count() const { return faces.cols(); }
};

namespace detail::mesh {

template <Element E>
using FaceNodes = std::array<int, static_cast<std::size_t>(face_nodes<E>)>;

// Some nodes of an element: one of its faces, or all of them (then `face` is 0).
template <std::size_t Nodes>
struct NodeTuple {
  std::array<int, Nodes> nodes;  // in increasing order
  int element;
  int face;
};

// Calls visit(std::span<const NodeTuple<Nodes>>) for each set of equal node tuples, ordered by (element,
// face) within a set. for_each_tuple(f) calls f(tuple) for every tuple and is run twice. All node numbers lie
// in [0, node_count). Tuples are sorted into buckets by their lowest node; buckets are short in a mesh, so
// the time is linear.
template <std::size_t Nodes, class ForEachTuple, class Visit>
void group_by_nodes(std::ptrdiff_t node_count, ForEachTuple&& for_each_tuple, Visit&& visit) {
  using Tuple = NodeTuple<Nodes>;
  core::CompressedRows<Tuple, std::size_t> buckets;
  buckets.sort(node_count, [&](auto&& take) {
    for_each_tuple([&take](const Tuple& tuple) { take(tuple.nodes[0], tuple); });
  });

  const auto order = [](const Tuple& a, const Tuple& b) {
    return std::tie(a.nodes, a.element, a.face) < std::tie(b.nodes, b.element, b.face);
  };
  for (std::ptrdiff_t node = 0; node < node_count; ++node) {
    const std::span<Tuple> tuples = buckets[node];
    std::sort(tuples.begin(), tuples.end(), order);
    for (std::size_t begin = 0, next = 0; begin < tuples.size(); begin = next) {
      while (next < tuples.size() && tuples[next].nodes == tuples[begin].nodes) ++next;
      visit(std::span<const Tuple>(&tuples[begin], next - begin));
    }
  }
}

// The nodes of a face of an element, in the order of E::faces.
template <Element E>
FaceNodes<E> nodes_of_face(const ElementMatrix<E>& elements, Eigen::Index element, int face) {
  FaceNodes<E> nodes;
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    nodes[a] = elements(E::faces[static_cast<std::size_t>(face)][a], element);
  }
  return nodes;
}

// Groups the faces of the elements for which `wanted(element)` holds; see group_by_nodes.
template <Element E, class Wanted, class Visit>
void group_faces(const ElementMatrix<E>& elements, std::ptrdiff_t node_count, Wanted&& wanted,
                 Visit&& visit) {
  constexpr std::size_t count = std::tuple_size_v<FaceNodes<E>>;
  group_by_nodes<count>(
      node_count,
      [&elements, &wanted](auto&& take) {
        for (Eigen::Index element = 0; element < elements.cols(); ++element) {
          if (!wanted(element)) continue;
          for (int face = 0; face < face_count<E>; ++face) {
            std::array<int, count> nodes = nodes_of_face<E>(elements, element, face);
            std::sort(nodes.begin(), nodes.end());
            take(NodeTuple<count>{nodes, static_cast<int>(element), face});
          }
        }
      },
      visit);
}

template <std::size_t Nodes>
SharedFace shared_face(std::span<const NodeTuple<Nodes>> uses) {
  SharedFace face{{uses[0].nodes.begin(), uses[0].nodes.end()}, {}};
  for (const auto& use : uses) face.elements.push_back(use.element);
  return face;
}

// Throws IndexError if an element refers to a node that does not exist.
template <Element E, class Scalar>
void require_indices_in_range(const Mesh<E, Scalar>& mesh) {
  for (Eigen::Index element = 0; element < mesh.elements.cols(); ++element) {
    for (const int node : mesh.elements.col(element)) {
      if (node < 0 || node >= mesh.node_count()) {
        throw IndexError("element " + std::to_string(element) + ": node", node, mesh.node_count());
      }
    }
  }
}

}  // namespace detail::mesh

// The boundary of the mesh. Normals point outward for elements of positive volume, and inward for flipped
// elements. Throws IndexError at a node number outside the mesh.
template <Element E, class Scalar>
BoundaryFaces<E> boundary_faces(const Mesh<E, Scalar>& mesh) {
  detail::mesh::require_indices_in_range(mesh);
  BoundaryFaces<E> boundary;
  std::vector<detail::mesh::NodeTuple<std::tuple_size_v<detail::mesh::FaceNodes<E>>>> single;
  detail::mesh::group_faces<E>(
      mesh.elements, mesh.node_count(), [](Eigen::Index) { return true; },
      [&boundary, &single](auto uses) {
        if (uses.size() == 1) single.push_back(uses[0]);
        if (uses.size() > 2) boundary.non_manifold.push_back(detail::mesh::shared_face(uses));
      });
  std::sort(single.begin(), single.end(), [](const auto& a, const auto& b) {
    return std::tie(a.element, a.face) < std::tie(b.element, b.face);
  });

  boundary.faces.resize(face_nodes<E>, static_cast<Eigen::Index>(single.size()));
  Eigen::Index column = 0;
  for (const auto& use : single) {
    const auto nodes = detail::mesh::nodes_of_face<E>(mesh.elements, use.element, use.face);
    std::copy(nodes.begin(), nodes.end(), boundary.faces.col(column++).data());
    boundary.elements.push_back(use.element);
    boundary.local_faces.push_back(use.face);
  }
  return boundary;
}

}  // namespace pliant
