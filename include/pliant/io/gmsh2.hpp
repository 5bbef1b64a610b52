// The sections of Gmsh's format 2 (2.0 to 2.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <pliant/io/gmsh_file.hpp>

namespace pliant::detail::io {

// $Nodes: count, then per node "number x y z"; in binary (int, double, double, double).
// $ParametricNodes: the same, followed by the dimension and the number of the node's entity, and the node's
// parameter on a curve, or two of them on a surface.
inline void read_gmsh2_nodes(GmshFile& gmsh, bool parametric) {
  Input& in = gmsh.in;
  const std::int64_t declared = in.integer("the number of nodes");
  gmsh.end_of_row("the number of nodes");
  if (gmsh.binary) in.line();
  const std::size_t bytes_each = gmsh.binary ? 4 + 3 * 8 + (parametric ? 8u : 0u) : 8;
  const std::size_t count = in.count(declared, bytes_each, "nodes");
  const auto integer = [&](const char* what) {
    return gmsh.binary ? in.number<std::int32_t>(what) : in.integer(what);
  };
  const auto real = [&](const char* what) {
    return gmsh.binary ? in.finite_number<double>(what) : in.real(what);
  };
  gmsh.mesh.nodes.resize(3, static_cast<Eigen::Index>(count));
  std::vector<std::int64_t> tags(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!gmsh.binary) in.expect_item(i, count, "nodes");
    tags[i] = integer("a node number");
    const auto column = static_cast<Eigen::Index>(i);
    for (int axis = 0; axis < 3; ++axis) gmsh.mesh.nodes(axis, column) = real("a coordinate");
    if (parametric) {
      const std::int64_t dimension = integer("the dimension of an entity");
      if (dimension < 0 || dimension > 3) {
        in.fail("the dimension of an entity is " + std::to_string(dimension) + ", not 0, 1, 2 or 3");
      }
      integer("the number of an entity");
      const std::int64_t parameters = dimension < 3 ? dimension : 0;
      for (std::int64_t k = 0; k < parameters; ++k) real("a parametric coordinate");
    }
    gmsh.end_of_row("the last number of a node");
  }
  gmsh.set_node_tags(std::move(tags));
}

// In text, per element "number type tag-count tags... nodes...". The first tag is the physical group.
inline void read_gmsh2_text_element(GmshFile& gmsh) {
  Input& in = gmsh.in;
  const std::int64_t number = in.integer("an element number");
  const GmshElementType& type = gmsh.element_type(in.integer("an element type"));
  const std::size_t tag_count = in.count(in.integer("the number of tags"), 2, "tags");
  std::int64_t group = 0;
  for (std::size_t i = 0; i < tag_count; ++i) {
    const std::int64_t tag = in.integer("a tag");
    if (i == 0) group = tag;
  }
  for (int& node : gmsh.element_nodes(type)) node = gmsh.node(in.integer("a node of an element"));
  gmsh.end_of_row("the nodes of an element");
  gmsh.add_element(type, number, {&group, 1});
}

// In binary, blocks of elements of one type: ints "type count tag-count", then per element "number tags...
// nodes...". Returns the number of elements in the block, at most `limit`.
inline std::size_t read_gmsh2_binary_block(GmshFile& gmsh, std::size_t limit) {
  Input& in = gmsh.in;
  const GmshElementType& type = gmsh.element_type(in.number<std::int32_t>("an element type"));
  const auto declared = in.number<std::int32_t>("the number of elements in a block");
  const auto tag_count = in.count(in.number<std::int32_t>("the number of tags"), 4, "tags");
  const std::size_t bytes_each = 4 * (1 + tag_count + static_cast<std::size_t>(type.nodes));
  const std::size_t count = in.count(declared, bytes_each, "elements");
  if (count == 0 || count > limit) in.fail("the blocks of elements do not add up to the number of elements");
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = in.number<std::int32_t>("an element number");
    std::int64_t group = 0;
    for (std::size_t tag = 0; tag < tag_count; ++tag) {
      const auto value = in.number<std::int32_t>("a tag");
      if (tag == 0) group = value;
    }
    for (int& node : gmsh.element_nodes(type))
      node = gmsh.node(in.number<std::int32_t>("a node of an element"));
    gmsh.add_element(type, number, {&group, 1});
  }
  return count;
}

inline void read_gmsh2_elements(GmshFile& gmsh) {
  Input& in = gmsh.in;
  const std::int64_t declared = in.integer("the number of elements");
  gmsh.end_of_row("the number of elements");
  if (gmsh.binary) in.line();
  const std::size_t count = in.count(declared, 8, "elements");
  if (gmsh.binary) {
    for (std::size_t read = 0; read < count;) read += read_gmsh2_binary_block(gmsh, count - read);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      in.expect_item(i, count, "elements");
      read_gmsh2_text_element(gmsh);
    }
  }
}

}  // namespace pliant::detail::io
