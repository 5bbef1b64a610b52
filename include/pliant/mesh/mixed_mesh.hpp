// Elements of several kinds on common nodes.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <pliant/mesh/mesh.hpp>

namespace pliant {

// The elements of one part, in the node numbers of the whole.
template <Element ElementType>
struct MeshPart {
  using Element = ElementType;

  ElementMatrix<Element> elements;          // node indices, Element::nodes x #elements
  std::vector<int> regions;                 // one region number per element; empty: all in region 0
  std::map<int, std::string> region_names;  // names of region numbers

  std::ptrdiff_t element_count() const { return elements.cols(); }
  int region(std::ptrdiff_t element) const {
    return regions.empty() ? 0 : regions[static_cast<std::size_t>(element)];
  }
};

// A plain aggregate, like Mesh. The elements are numbered part by part.
template <class ScalarType, Element First, Element... More>  // one element kind for each part
struct MixedMesh {
  using Scalar = ScalarType;
  static constexpr int dim = First::dim;

  NodeMatrix<Scalar, dim> nodes;  // rest positions [m], dim x #nodes
  std::tuple<MeshPart<First>, MeshPart<More>...> parts;

  std::ptrdiff_t node_count() const { return nodes.cols(); }
  std::ptrdiff_t element_count() const {
    return std::apply([](const auto&... part) { return (part.element_count() + ...); }, parts);
  }
};

}  // namespace pliant
