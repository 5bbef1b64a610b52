// The report of the mesh doctor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pliant/mesh/boundary.hpp>

namespace pliant {

// A node or element that repeats another.
struct Duplicate {
  int number;    // the node or element
  int original;  // the lowest-numbered one that it repeats
};

// A kind of finding, as text for `message()`.
struct Finding {
  enum class Severity {
    error,  // no Solid can be built
    note,   // worth knowing, and perhaps intended
  };

  Severity severity;
  std::string text;    // "2 elements are flipped (negative volume): 3, 7"
  std::string repair;  // "reorient(mesh)"; empty where there is nothing to do
};

// The findings of the doctor: all numbers, in increasing order, counted from 0. Of missing nodes, repeated
// node, non-finite nodes, degenerate, tangled and flipped, an element is listed under the first that applies.
struct Diagnosis {
  std::string_view element_name;  // "Tet4"
  std::ptrdiff_t node_count = 0;
  std::ptrdiff_t element_count = 0;
  std::ptrdiff_t region_entries = 0;  // entries of Mesh::regions: none, or as many as elements

  // Errors.
  std::vector<int> non_finite_nodes;              // with a NaN or infinite coordinate
  std::vector<int> elements_missing_nodes;        // with a node number outside [0, node_count)
  std::vector<int> elements_repeating_a_node;     // with one node in two places
  std::vector<int> elements_of_non_finite_nodes;  // with one of non_finite_nodes
  std::vector<int> degenerate_elements;  // |V| <= 1e-12 L^dim, L their longest extent, or not representable
  std::vector<int> tangled_elements;     // positive volume at some quadrature points, negative at others
  std::vector<int> flipped_elements;     // negative volume
  std::vector<Duplicate> duplicate_elements;   // with the nodes of another element, in any order
  std::vector<int> unreferenced_nodes;         // of no element: without mass
  std::vector<SharedFace> non_manifold_faces;  // of more than two elements
  std::vector<SharedFace> folded_faces;        // of two elements on the same side: they overlap

  // Notes.
  std::vector<Duplicate>
      duplicate_nodes;                  // coincide with another node: a crack, or parts that should be joined
  std::vector<int> slivers;             // of positive volume, but nearly flat: see DiagnosisOptions
  std::vector<int> distorted_elements;  // of positive volume at the quadrature points, but not at a corner
  std::vector<std::ptrdiff_t>
      component_sizes;       // elements of each connected component, ordered by its first element
  int worst_element = -1;    // of positive volume and the lowest quality; -1: none
  double worst_quality = 0;  // its quality, see element_quality

  // A Solid can be built from the mesh: there is no error.
  bool usable() const {
    const auto is_error = [](const Finding& finding) { return finding.severity == Finding::Severity::error; };
    const std::vector<Finding> all = findings();
    return std::none_of(all.begin(), all.end(), is_error);
  }

  // All findings, errors first; empty for a mesh without defects.
  std::vector<Finding> findings() const;

  // The report as text of several lines: a summary, then each finding with the first of its numbers and its
  // repair.
  std::string message() const;
};

namespace detail::mesh {

// "1 element is", "3 elements are".
inline std::string counted(std::size_t count, const std::string& noun, const std::string& singular,
                           const std::string& plural) {
  return std::to_string(count) + " " + noun + (count == 1 ? " " + singular : "s " + plural);
}

// The first few of `count` items, each as text(i), and how many more there are.
template <class Text>
std::string first_few(std::size_t count, Text&& text) {
  constexpr std::size_t few = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(count, few); ++i) list += (i == 0 ? "" : ", ") + text(i);
  if (count > few) list += ", ... (" + std::to_string(count - few) + " more)";
  return list;
}

inline std::string first_few(const std::vector<int>& numbers) {
  return first_few(numbers.size(), [&numbers](std::size_t i) { return std::to_string(numbers[i]); });
}

inline std::string first_few(const std::vector<Duplicate>& duplicates) {
  return first_few(duplicates.size(), [&duplicates](std::size_t i) {
    return std::to_string(duplicates[i].number) + " (= " + std::to_string(duplicates[i].original) + ")";
  });
}

// "nodes 0 1 2 of elements 4 7"
inline std::string first_few(const std::vector<SharedFace>& faces) {
  return first_few(faces.size(), [&faces](std::size_t i) {
    std::string text = "nodes";
    for (const int node : faces[i].nodes) text.append(" ").append(std::to_string(node));
    return text + " of elements " + first_few(faces[i].elements);
  });
}

// Collects findings, one for each list that is not empty.
class FindingList {
 public:
  template <class Numbers>
  void add(Finding::Severity severity, const Numbers& numbers, const std::string& noun,
           const std::string& singular, const std::string& plural, const std::string& repair) {
    if (numbers.empty()) return;
    add(severity, counted(numbers.size(), noun, singular, plural) + ": " + first_few(numbers), repair);
  }
  void add(Finding::Severity severity, std::string text, std::string repair) {
    findings_.push_back({severity, std::move(text), std::move(repair)});
  }

  std::vector<Finding> take() && { return std::move(findings_); }

 private:
  std::vector<Finding> findings_;
};

}  // namespace detail::mesh

inline std::vector<Finding> Diagnosis::findings() const {
  using enum Finding::Severity;
  detail::mesh::FindingList list;
  if (element_count == 0) list.add(error, "the mesh has no elements", "");
  if (region_entries != 0 && region_entries != element_count) {
    list.add(error,
             "the mesh has " + std::to_string(region_entries) + " region numbers for " +
                 std::to_string(element_count) + " elements",
             "give every element a region number, or none: mesh.regions.clear()");
  }
  list.add(error, non_finite_nodes, "node", "has a coordinate that is not finite",
           "have a coordinate that is not finite", "correct it, or drop its elements");
  list.add(error, elements_missing_nodes, "element", "refers to a node that does not exist",
           "refer to nodes that do not exist", "drop_elements(mesh, diagnosis.elements_missing_nodes)");
  list.add(error, elements_repeating_a_node, "element", "has the same node twice", "have the same node twice",
           "drop_degenerate_elements(mesh)");
  list.add(error, elements_of_non_finite_nodes, "element", "has a node that is not finite",
           "have a node that is not finite", "drop_elements(mesh, diagnosis.elements_of_non_finite_nodes)");
  list.add(error, degenerate_elements, "element", "has no volume", "have no volume",
           "drop_degenerate_elements(mesh)");
  list.add(error, tangled_elements, "element",
           "is folded in itself (negative volume at some quadrature points)",
           "are folded in themselves (negative volume at some quadrature points)",
           "drop_elements(mesh, diagnosis.tangled_elements)");
  list.add(error, flipped_elements, "element", "is flipped (negative volume)",
           "are flipped (negative volume)", "reorient(mesh)");
  list.add(error, duplicate_elements, "element", "has the nodes of another one",
           "have the nodes of another one", "drop_duplicate_elements(mesh)");
  list.add(error, non_manifold_faces, "face", "belongs to more than two elements",
           "belong to more than two elements",
           "find the elements that overlap and drop_elements(mesh, those)");
  list.add(error, folded_faces, "face", "has both its elements on the same side",
           "have both their elements on the same side",
           "find the elements that overlap and drop_elements(mesh, those)");
  list.add(error, unreferenced_nodes, "node", "belongs to no element", "belong to no element",
           "drop_unreferenced_nodes(mesh)");

  list.add(note, duplicate_nodes, "node", "coincides with another one", "coincide with another one",
           "if the parts should be connected: merge_duplicate_nodes(mesh)");
  if (!slivers.empty()) {
    std::ostringstream worst;
    worst << "; the worst quality is " << worst_quality;
    list.add(note,
             detail::mesh::counted(slivers.size(), "element", "is nearly flat", "are nearly flat") + ": " +
                 detail::mesh::first_few(slivers) + worst.str(),
             "");
  }
  list.add(note, distorted_elements, "element", "has a corner without positive volume",
           "have a corner without positive volume", "");
  if (component_sizes.size() > 1) {
    const auto size = [this](std::size_t i) { return std::to_string(component_sizes[i]); };
    list.add(note,
             "the mesh has " + std::to_string(component_sizes.size()) + " connected components, of " +
                 detail::mesh::first_few(component_sizes.size(), size) + " elements",
             "");
  }
  return std::move(list).take();
}

inline std::string Diagnosis::message() const {
  std::ostringstream text;
  text << "mesh of " << element_count << " " << element_name << " elements and " << node_count
       << " nodes: " << (usable() ? "usable" : "not usable") << " (numbers count from 0)";
  for (const Finding& finding : findings()) {
    text << "\n  " << (finding.severity == Finding::Severity::error ? "error: " : "note:  ") << finding.text;
    if (!finding.repair.empty()) text << "\n         -> " << finding.repair;
  }
  return text.str();
}

// Prints the message and ends the line.
inline std::ostream& operator<<(std::ostream& stream, const Diagnosis& diagnosis) {
  return stream << diagnosis.message() << '\n';
}

}  // namespace pliant
