// The mesh: nodes, elements and regions, in the user's numbering.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <pliant/algebra/matrix.hpp>
#include <pliant/element/concept.hpp>

namespace pliant {

// Element indices, one column per element (nodes of an element x #elements).
template <Element E>
using ElementMatrix = Eigen::Matrix<int, E::nodes, Eigen::Dynamic, Eigen::DontAlign>;

// A plain aggregate: nothing is checked until a diagnosis is asked for or a Solid is built from it.
template <Element ElementType,        // Tet4, ...
          class ScalarType = double>  // float or double; everything built on the mesh follows
struct Mesh {
  using Element = ElementType;
  using Scalar = ScalarType;
  static constexpr int dim = Element::dim;

  NodeMatrix<Scalar, dim> nodes;                      // rest positions [m], dim x #nodes
  ElementMatrix<Element> elements;                    // node indices, Element::nodes x #elements
  std::vector<int> regions;                           // one region number per element; empty: all in region 0
  std::map<int, std::string> region_names;            // names of region numbers, where the file gave any
  std::map<std::string, std::vector<int>> node_sets;  // by name; from a file, the nodes of its groups of
                                                      // points, lines and surfaces

  std::ptrdiff_t node_count() const { return nodes.cols(); }
  std::ptrdiff_t element_count() const { return elements.cols(); }
  int region(std::ptrdiff_t element) const {
    return regions.empty() ? 0 : regions[static_cast<std::size_t>(element)];
  }
};

}  // namespace pliant
