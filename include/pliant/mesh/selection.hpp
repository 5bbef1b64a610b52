// Sets of nodes: by position, by region, on the boundary, nearest to a point.
// All functions return node numbers of the mesh in increasing order, each once.
#pragma once

#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <pliant/core/error.hpp>
#include <pliant/mesh/boundary.hpp>
#include <pliant/mesh/mesh.hpp>

namespace pliant {

// The nodes whose rest position X [m] satisfies the predicate: bool predicate(const SmallVector<Scalar, dim>&
// X). Example: nodes_where(mesh, [](const auto& X) { return X.y() > 0.9; }). `mesh` is a Mesh or a MixedMesh.
template <class MeshType, class Predicate>
std::vector<int> nodes_where(const MeshType& mesh, Predicate&& predicate) {
  std::vector<int> selected;
  for (Eigen::Index node = 0; node < mesh.nodes.cols(); ++node) {
    const SmallVector<typename MeshType::Scalar, MeshType::dim> X = mesh.nodes.col(node);
    if (predicate(X)) selected.push_back(static_cast<int>(node));
  }
  return selected;
}

namespace detail::mesh {

// The numbers of the marked nodes.
inline std::vector<int> marked_nodes(const std::vector<char>& marks) {
  std::vector<int> selected;
  for (std::size_t node = 0; node < marks.size(); ++node) {
    if (marks[node]) selected.push_back(static_cast<int>(node));
  }
  return selected;
}

}  // namespace detail::mesh

// The nodes of the elements of a region. Nodes on an interface belong to the regions on both of its sides.
// Throws MeshError if no element is in the region, because an accidentally empty selection would go
// unnoticed, and IndexError at a node number outside the mesh.
template <Element E, class Scalar>
std::vector<int> nodes_of_region(const Mesh<E, Scalar>& mesh, int region) {
  if (!mesh.regions.empty()) {
    detail::core::require_size("regions", static_cast<std::ptrdiff_t>(mesh.regions.size()),
                               mesh.element_count());
  }
  detail::mesh::require_indices_in_range(mesh);
  std::vector<char> marks(static_cast<std::size_t>(mesh.node_count()), 0);
  for (Eigen::Index element = 0; element < mesh.elements.cols(); ++element) {
    if (mesh.region(element) != region) continue;
    for (const int node : mesh.elements.col(element)) marks[static_cast<std::size_t>(node)] = 1;
  }
  std::vector<int> selected = detail::mesh::marked_nodes(marks);
  if (selected.empty()) {
    std::set<int> present(mesh.regions.begin(), mesh.regions.end());
    if (mesh.regions.empty() && mesh.element_count() > 0) present.insert(0);
    std::string text = "no element is in region " + std::to_string(region) + "; regions of this mesh:";
    for (const int number : present) text += " " + std::to_string(number);
    throw MeshError(text);
  }
  return selected;
}

// The same for a region given by its name. Throws MeshError, with the names the mesh has, for any other name.
template <Element E, class Scalar>
std::vector<int> nodes_of_region(const Mesh<E, Scalar>& mesh, std::string_view name) {
  std::string known;
  for (const auto& [number, region_name] : mesh.region_names) {
    if (region_name == name) return nodes_of_region(mesh, number);
    known += " '" + region_name + "'";
  }
  throw MeshError("no region is named '" + std::string(name) +
                  "'; names in this mesh:" + (known.empty() ? " none" : known));
}

// The nodes of a set of the mesh, e.g. of a surface group of its file. Throws MeshError, with the names the
// mesh has, for any other name.
template <Element E, class Scalar>
const std::vector<int>& node_set(const Mesh<E, Scalar>& mesh, const std::string& name) {
  const auto found = mesh.node_sets.find(name);
  if (found != mesh.node_sets.end()) return found->second;
  std::string known;
  for (const auto& [other, nodes] : mesh.node_sets) known += " '" + other + "'";
  throw MeshError("no node set is named '" + name +
                  "'; sets in this mesh:" + (known.empty() ? " none" : known));
}

// The nodes of the boundary faces. Throws IndexError at a node number outside the mesh.
template <Element E, class Scalar>
std::vector<int> boundary_nodes(const Mesh<E, Scalar>& mesh) {
  const BoundaryFaces<E> boundary = boundary_faces(mesh);
  std::vector<char> marks(static_cast<std::size_t>(mesh.node_count()), 0);
  for (Eigen::Index face = 0; face < boundary.faces.cols(); ++face) {
    for (const int node : boundary.faces.col(face)) marks[static_cast<std::size_t>(node)] = 1;
  }
  return detail::mesh::marked_nodes(marks);
}

// The node nearest to the point X [m]; of several at the same distance the lowest number. Nodes without
// finite coordinates are skipped. Throws MeshError if no node is left.
template <Element E, class Scalar>
int nearest_node(const Mesh<E, Scalar>& mesh,
                 const SmallVector<typename Mesh<E, Scalar>::Scalar, E::dim>& X) {
  int nearest = -1;
  double least = std::numeric_limits<double>::infinity();
  for (Eigen::Index node = 0; node < mesh.nodes.cols(); ++node) {
    const double distance = (mesh.nodes.col(node) - X).template cast<double>().norm();
    if (distance < least) {
      least = distance;
      nearest = static_cast<int>(node);
    }
  }
  if (nearest < 0) throw MeshError("nearest_node: no node at a finite distance from the point");
  return nearest;
}

}  // namespace pliant
