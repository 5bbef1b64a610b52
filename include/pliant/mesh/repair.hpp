// Repairs of a mesh. Each function makes one kind of repair and reports its changes, with maps of the node
// and element numbers. They accept every mesh that the doctor accepts; elements that they cannot judge are
// not changed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <pliant/core/error.hpp>
#include <pliant/mesh/coincident.hpp>
#include <pliant/mesh/doctor.hpp>
#include <pliant/mesh/mesh.hpp>

namespace pliant {

// A repaired mesh, with a record of the changes.
template <class MeshType>
struct Repair {
  MeshType mesh;                 // the mesh after the repair
  std::vector<int> node_map;     // new number of each old node; -1: dropped
  std::vector<int> element_map;  // new number of each old element; -1: dropped
  std::ptrdiff_t changes = 0;    // nodes or elements that were dropped, merged or reoriented
  std::string message;           // the changes, with the first of the old numbers

  // The new numbers of some old nodes: sorted, each once, without dropped nodes. Throws IndexError at a
  // number outside the old mesh.
  std::vector<int> new_nodes(const std::vector<int>& old_nodes) const {
    std::vector<int> nodes;
    for (const int node : old_nodes) {
      if (node < 0 || static_cast<std::size_t>(node) >= node_map.size()) {
        throw IndexError("node", node, static_cast<std::ptrdiff_t>(node_map.size()));
      }
      const int now = node_map[static_cast<std::size_t>(node)];
      if (now >= 0) nodes.push_back(now);
    }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
  }

  // This repair and then `next`, a repair of this one's mesh, as one:
  //   auto fixed = merge_duplicate_nodes(mesh, 1e-9);
  //   fixed = fixed.followed_by(reorient(fixed.mesh));
  // The maps then lead from the first mesh to the last; the numbers in each line of the message are those
  // before that repair. Throws SizeError if `next` repaired another mesh.
  Repair followed_by(Repair next) const {
    detail::core::require_size("nodes of the next repair", static_cast<std::ptrdiff_t>(next.node_map.size()),
                               mesh.node_count());
    detail::core::require_size("elements of the next repair",
                               static_cast<std::ptrdiff_t>(next.element_map.size()), mesh.element_count());
    next.node_map = compose(node_map, next.node_map);
    next.element_map = compose(element_map, next.element_map);
    next.changes += changes;
    next.message = message + "\n" + next.message;
    return next;
  }

 private:
  static std::vector<int> compose(std::vector<int> first, const std::vector<int>& second) {
    for (int& number : first) {
      if (number >= 0) number = second[static_cast<std::size_t>(number)];
    }
    return first;
  }
};

namespace detail::mesh {

// Keeps the columns whose mark is not 0, and returns the map from old columns to new ones.
template <class Matrix>
std::vector<int> keep_columns(Matrix& matrix, const std::vector<char>& keep) {
  std::vector<int> map(keep.size(), -1);
  int kept = 0;
  for (std::size_t column = 0; column < keep.size(); ++column) {
    if (!keep[column]) continue;
    map[column] = kept;
    matrix.col(kept++) = matrix.col(static_cast<Eigen::Index>(column)).eval();
  }
  matrix.conservativeResize(Eigen::NoChange, kept);
  return map;
}

// Maps the node numbers of the elements and of the node sets; numbers outside the mesh stay unchanged.
// Dropped nodes are removed from the sets.
template <class MeshType>
void renumber(MeshType& mesh, const std::vector<int>& node_map) {
  const auto moved = [&](int node) {
    const bool inside = node >= 0 && static_cast<std::size_t>(node) < node_map.size();
    return inside ? node_map[static_cast<std::size_t>(node)] : node;
  };
  for (int& node : mesh.elements.reshaped()) node = moved(node);
  constexpr int dropped = -1;
  for (auto& [name, nodes] : mesh.node_sets) {
    std::transform(nodes.begin(), nodes.end(), nodes.begin(), moved);
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    std::erase(nodes, dropped);
  }
}

inline std::vector<int> unchanged(std::ptrdiff_t count) {
  std::vector<int> map(static_cast<std::size_t>(count));
  std::iota(map.begin(), map.end(), 0);
  return map;
}

// "reorient: 2 elements turned: 3, 7"
inline std::string repair_message(const std::string& repair, const std::vector<int>& numbers,
                                  const std::string& noun, const std::string& verb) {
  if (numbers.empty()) return repair + ": nothing to do";
  return repair + ": " + counted(numbers.size(), noun, verb, verb) + ": " + first_few(numbers);
}

// Drops elements with their regions. Throws SizeError if the mesh has region numbers, but not one per
// element.
template <Element E, class Scalar>
Repair<Mesh<E, Scalar>> drop_elements(const Mesh<E, Scalar>& mesh, const std::vector<int>& elements,
                                      const char* repair) {
  if (!mesh.regions.empty()) {
    core::require_size("regions", static_cast<std::ptrdiff_t>(mesh.regions.size()), mesh.element_count());
  }
  std::vector<char> keep(static_cast<std::size_t>(mesh.element_count()), 1);
  for (const int element : elements) keep[static_cast<std::size_t>(element)] = 0;

  Repair<Mesh<E, Scalar>> result{mesh,
                                 unchanged(mesh.node_count()),
                                 {},
                                 static_cast<std::ptrdiff_t>(elements.size()),
                                 repair_message(repair, elements, "element", "dropped")};
  result.element_map = keep_columns(result.mesh.elements, keep);
  if (!mesh.regions.empty()) {
    result.mesh.regions.clear();
    for (std::size_t element = 0; element < keep.size(); ++element) {
      if (keep[element]) result.mesh.regions.push_back(mesh.regions[element]);
    }
  }
  return result;
}

// Local node numbers that reverse the orientation of an element: its new node a is the old node order[a].
template <Element E>
constexpr std::array<int, static_cast<std::size_t>(E::nodes)> mirrored_order() {
  if constexpr (E::cell_kind == CellKind::triangle) {
    return {0, 2, 1};
  } else if constexpr (E::cell_kind == CellKind::quad) {
    return {0, 3, 2, 1};
  } else if constexpr (E::cell_kind == CellKind::tet) {
    return {0, 1, 3, 2};
  } else {
    static_assert(E::cell_kind == CellKind::hex, "reorient: this kind of cell is not supported");
    return {4, 5, 6, 7, 0, 1, 2, 3};
  }
}

}  // namespace detail::mesh

// Drops the given elements (their nodes stay). Throws IndexError at a number outside the mesh, and SizeError
// if the mesh has region numbers, but not one per element.
template <Element E, class Scalar>
Repair<Mesh<E, Scalar>> drop_elements(const Mesh<E, Scalar>& mesh, std::vector<int> elements) {
  for (const int element : elements) {
    if (element < 0 || element >= mesh.element_count()) {
      throw IndexError("drop_elements: element", element, mesh.element_count());
    }
  }
  std::sort(elements.begin(), elements.end());
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  return detail::mesh::drop_elements(mesh, elements, "drop_elements");
}

// Drops the elements that have no volume or a repeated node. Throws SizeError as drop_elements does.
template <Element E, class Scalar>
Repair<Mesh<E, Scalar>> drop_degenerate_elements(const Mesh<E, Scalar>& mesh) {
  const Diagnosis diagnosis = diagnose(mesh);
  std::vector<int> elements;
  std::merge(diagnosis.elements_repeating_a_node.begin(), diagnosis.elements_repeating_a_node.end(),
             diagnosis.degenerate_elements.begin(), diagnosis.degenerate_elements.end(),
             std::back_inserter(elements));
  return detail::mesh::drop_elements(mesh, elements, "drop_degenerate_elements");
}

// Drops every element that has the same nodes as an earlier one. Throws SizeError as drop_elements does.
template <Element E, class Scalar>
Repair<Mesh<E, Scalar>> drop_duplicate_elements(const Mesh<E, Scalar>& mesh) {
  std::vector<int> elements;
  for (const Duplicate& duplicate : diagnose(mesh).duplicate_elements) elements.push_back(duplicate.number);
  return detail::mesh::drop_elements(mesh, elements, "drop_duplicate_elements");
}

// Makes the volume of flipped elements positive by reordering their nodes.
template <Element E, class Scalar>
Repair<Mesh<E, Scalar>> reorient(const Mesh<E, Scalar>& mesh) {
  const std::vector<int> flipped = diagnose(mesh).flipped_elements;
  Repair<Mesh<E, Scalar>> result{mesh, detail::mesh::unchanged(mesh.node_count()),
                                 detail::mesh::unchanged(mesh.element_count()),
                                 static_cast<std::ptrdiff_t>(flipped.size()),
                                 detail::mesh::repair_message("reorient", flipped, "element", "turned")};
  constexpr auto order = detail::mesh::mirrored_order<E>();
  for (const int element : flipped) {
    for (std::size_t a = 0; a < order.size(); ++a) {
      result.mesh.elements(static_cast<int>(a), element) = mesh.elements(order[a], element);
    }
  }
  return result;
}

// Drops the nodes that belong to no element.
template <Element E, class Scalar>
Repair<Mesh<E, Scalar>> drop_unreferenced_nodes(const Mesh<E, Scalar>& mesh) {
  const std::vector<int> unreferenced = diagnose(mesh).unreferenced_nodes;
  std::vector<char> keep(static_cast<std::size_t>(mesh.node_count()), 1);
  for (const int node : unreferenced) keep[static_cast<std::size_t>(node)] = 0;

  Repair<Mesh<E, Scalar>> result{
      mesh,
      {},
      detail::mesh::unchanged(mesh.element_count()),
      static_cast<std::ptrdiff_t>(unreferenced.size()),
      detail::mesh::repair_message("drop_unreferenced_nodes", unreferenced, "node", "dropped")};
  result.node_map = detail::mesh::keep_columns(result.mesh.nodes, keep);
  detail::mesh::renumber(result.mesh, result.node_map);
  return result;
}

// Merges each cluster of nodes with gaps of at most `tolerance` [m] into one node (see coincident_nodes; keep
// the tolerance well below the length of the shortest edge). The merged node has the position of the member
// with the lowest x, then y, then z; neither clusters nor positions depend on the numbering. Elements that
// collapse are kept, and the message counts them. Throws ParameterError if the tolerance is negative or not
// finite.
template <Element E, class Scalar>
Repair<Mesh<E, Scalar>> merge_duplicate_nodes(const Mesh<E, Scalar>& mesh, double tolerance = 0) {
  const std::vector<int> representatives = coincident_nodes(mesh.nodes, tolerance);
  Repair<Mesh<E, Scalar>> result{mesh, {}, detail::mesh::unchanged(mesh.element_count()), 0, {}};
  std::vector<char> keep(representatives.size(), 1);
  std::vector<int> merged;
  for (std::size_t node = 0; node < representatives.size(); ++node) {
    if (representatives[node] == static_cast<int>(node)) continue;
    merged.push_back(static_cast<int>(node));
    keep[node] = 0;
    auto survivor = result.mesh.nodes.col(representatives[node]);
    const auto member = mesh.nodes.col(static_cast<Eigen::Index>(node));
    if (std::lexicographical_compare(member.begin(), member.end(), survivor.begin(), survivor.end()))
      survivor = member;
  }
  result.changes = static_cast<std::ptrdiff_t>(merged.size());
  result.message =
      detail::mesh::repair_message("merge_duplicate_nodes", merged, "node", "merged into others");

  result.node_map = detail::mesh::keep_columns(result.mesh.nodes, keep);
  for (std::size_t node = 0; node < representatives.size(); ++node) {
    result.node_map[node] = result.node_map[static_cast<std::size_t>(representatives[node])];
  }
  detail::mesh::renumber(result.mesh, result.node_map);

  std::size_t collapsed = 0;
  for (Eigen::Index element = 0; element < mesh.elements.cols(); ++element) {
    if (detail::mesh::repeats_a_node<E>(result.mesh.elements, element) &&
        !detail::mesh::repeats_a_node<E>(mesh.elements, element)) {
      ++collapsed;
    }
  }
  if (collapsed > 0) {
    result.message += "; " + detail::mesh::counted(collapsed, "element", "has", "have") +
                      " one node twice now: the tolerance is too large, or drop_degenerate_elements(mesh)";
  }
  return result;
}

}  // namespace pliant
