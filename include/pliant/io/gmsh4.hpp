// The sections of Gmsh's formats 4.0 and 4.1.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <pliant/io/gmsh_file.hpp>

namespace pliant::detail::io {

// Reads the sections of one file; $Entities, which gives the physical groups, comes before $Elements.
class Gmsh4Reader {
 public:
  Gmsh4Reader(GmshFile& gmsh, bool is_40) : gmsh_(gmsh), in_(gmsh.in), is_40_(is_40) {}

  // Four counts, then points, curves, surfaces and volumes: "tag box group-count groups...", and for all but
  // points "boundary-count boundary...". The box is 6 numbers; for a point of 4.1 it is 3.
  void read_entities() {
    std::array<std::size_t, 4> counts{};
    for (std::size_t& count : counts) count = entity_count("entities");
    end_of_row("the numbers of entities");
    for (std::size_t dimension = 0; dimension < 4; ++dimension) {
      for (std::size_t i = 0; i < counts[dimension]; ++i) read_entity(dimension, false);
    }
  }

  // Partitions and ghost entities, then entities as above with their parent and partitions.
  void read_partitioned_entities() {
    short_size("the number of partitions");
    const std::size_t ghosts =
        in_.count(short_size("the number of ghost entities"), gmsh_.binary ? 8 : 4, "ghost entities");
    for (std::size_t i = 0; i < 2 * ghosts; ++i) integer("a ghost entity");
    std::array<std::size_t, 4> counts{};
    for (std::size_t& count : counts) count = entity_count("entities");
    for (std::size_t dimension = 0; dimension < 4; ++dimension) {
      for (std::size_t i = 0; i < counts[dimension]; ++i) read_entity(dimension, true);
    }
  }

  // Blocks of the nodes on one entity. 4.1: first all tags, then all coordinates; 4.0: "tag x y z" per node.
  // With the parametric flag as many surface parameters as the entity has dimensions follow the coordinates.
  void read_nodes() {
    const std::size_t bytes_per_node = gmsh_.binary ? 8 + 3 * 8 - (is_40_ ? 4u : 0u) : 8;
    const std::uint64_t blocks = size("the number of node blocks");
    const std::size_t total = in_.count(size("the number of nodes"), bytes_per_node, "nodes");
    const TagRange range = read_tag_range();
    end_of_row("the numbers of nodes");
    gmsh_.mesh.nodes.resize(3, static_cast<Eigen::Index>(total));
    std::vector<std::int64_t> tags(total);
    std::size_t first = 0;
    for (std::uint64_t block = 0; block < blocks; ++block) {
      const std::int64_t dimension = block_dimension();
      const std::int64_t parametric = integer("the parametric flag");
      const std::size_t count = in_.count(size("the number of nodes in a block"), bytes_per_node, "nodes");
      end_of_row("the header of a node block");
      if (parametric != 0 && parametric != 1) in_.fail("the parametric flag is neither 0 nor 1");
      if (count > total - first) fail_sum("node", total);
      const std::int64_t parameters = parametric == 1 ? dimension : 0;
      if (!is_40_) {
        for (std::size_t i = 0; i < count; ++i) {
          expect_item(i, count, "nodes of a block");
          tags[first + i] = node_tag();
        }
      }
      for (std::size_t i = 0; i < count; ++i) {
        expect_item(i, count, "nodes of a block");
        if (is_40_) tags[first + i] = node_tag();
        for (int axis = 0; axis < 3; ++axis) {
          gmsh_.mesh.nodes(axis, static_cast<Eigen::Index>(first + i)) = real("a coordinate");
        }
        for (std::int64_t k = 0; k < parameters; ++k) real("a parametric coordinate");
        end_of_row("the coordinates of a node");
      }
      first += count;
    }
    if (first != total) fail_sum("node", total);
    remark_tag_range(range, tags);
    gmsh_.set_node_tags(std::move(tags));
  }

  // Blocks of the elements of one type on one entity: "tag nodes..." per element.
  void read_elements() {
    const std::uint64_t blocks = size("the number of element blocks");
    const std::size_t total = in_.count(size("the number of elements"), gmsh_.binary ? 8 : 4, "elements");
    read_tag_range();
    end_of_row("the numbers of elements");
    std::size_t read = 0;
    for (std::uint64_t block = 0; block < blocks; ++block) {
      const std::vector<std::int64_t>& groups = groups_of_block();
      const GmshElementType& type = gmsh_.element_type(integer("an element type"));
      const auto width = static_cast<std::size_t>(type.nodes) + 1;
      const std::size_t bytes_each = width * (gmsh_.binary ? (is_40_ ? 4u : 8u) : 2u);
      const std::size_t count = in_.count(size("the number of elements in a block"), bytes_each, "elements");
      end_of_row("the header of an element block");
      if (count > total - read) fail_sum("element", total);
      for (std::size_t i = 0; i < count; ++i) {
        expect_item(i, count, "elements of a block");
        const std::int64_t number = tag("an element number");
        for (int& node : gmsh_.element_nodes(type)) node = gmsh_.node(tag("a node of an element"));
        end_of_row("the nodes of an element");
        gmsh_.add_element(type, number, groups);
      }
      read += count;
    }
    if (read != total) fail_sum("element", total);
    if (several_regions_) {
      gmsh_.mesh.remarks.push_back(
          "some volumes belong to several physical groups; the first one became the region of their cells");
    }
  }

 private:
  // Values, in text or binary.
  std::int64_t integer(const char* what) {
    return gmsh_.binary ? in_.number<std::int32_t>(what) : in_.integer(what);
  }
  double real(const char* what) { return gmsh_.binary ? in_.finite_number<double>(what) : in_.real(what); }
  std::uint64_t size(const char* what) {
    if (gmsh_.binary) return in_.number<std::uint64_t>(what);
    const std::int64_t value = in_.integer(what);
    if (value < 0) in_.fail(std::string(what) + " is negative: " + std::to_string(value));
    return static_cast<std::uint64_t>(value);
  }
  // The numbers of partitions are int in 4.0.
  std::uint64_t short_size(const char* what) {
    if (!is_40_ || !gmsh_.binary) return size(what);
    return in_.count(in_.number<std::int32_t>(what), 1, what);
  }
  // Node and element numbers are int in 4.0, size_t in 4.1.
  std::int64_t tag(const char* what) {
    if (!gmsh_.binary) return in_.integer(what);
    if (is_40_) return in_.number<std::int32_t>(what);
    return static_cast<std::int64_t>(in_.number<std::uint64_t>(what));
  }
  std::int64_t node_tag() { return tag("a node number"); }

  void expect_item(std::size_t listed, std::size_t declared, const char* items) {
    if (!gmsh_.binary) in_.expect_item(listed, declared, items);
  }

  void end_of_row(const char* after) { gmsh_.end_of_row(after); }

  // The smallest and the largest tag, which 4.1 declares.
  struct TagRange {
    std::uint64_t smallest = 0;
    std::uint64_t largest = 0;
  };

  TagRange read_tag_range() {
    if (is_40_) return {};
    const std::uint64_t smallest = size("the smallest number");
    return {smallest, size("the largest number")};
  }

  void remark_tag_range(const TagRange& declared, const std::vector<std::int64_t>& tags) {
    if (is_40_ || tags.empty()) return;
    const auto [smallest, largest] = std::minmax_element(tags.begin(), tags.end());
    if (static_cast<std::uint64_t>(*smallest) == declared.smallest &&
        static_cast<std::uint64_t>(*largest) == declared.largest) {
      return;
    }
    gmsh_.mesh.remarks.push_back("the nodes are declared to be numbered from " +
                                 std::to_string(declared.smallest) + " to " +
                                 std::to_string(declared.largest) + ", but are from " +
                                 std::to_string(*smallest) + " to " + std::to_string(*largest));
  }

  std::size_t entity_count(const char* items) {
    return in_.count(size("the number of entities"), gmsh_.binary ? 4 + 3 * 8 + 8 : 8, items);
  }

  void read_entity(std::size_t dimension, bool partitioned) {
    const std::int64_t tag = integer("an entity number");
    if (partitioned) {
      integer("the dimension of the parent");
      integer("the number of the parent");
      const std::size_t partitions =
          in_.count(short_size("the number of partitions"), gmsh_.binary ? 4 : 2, "partitions");
      for (std::size_t i = 0; i < partitions; ++i) integer("a partition");
    }
    const int box = dimension == 0 && !is_40_ ? 3 : 6;
    for (int i = 0; i < box; ++i) skip_box_number();
    const std::size_t groups = integer_count("the number of physical groups");
    if (groups > most_groups) {
      in_.fail("an entity is in " + std::to_string(groups) + " physical groups; at most " +
               std::to_string(most_groups) + " are read");
    }
    std::vector<std::int64_t> of_entity;
    for (std::size_t i = 0; i < groups; ++i) of_entity.push_back(integer("a physical group"));
    if (groups > 0) groups_[{static_cast<std::int64_t>(dimension), tag}] = std::move(of_entity);
    if (dimension > 0) skip_integers("the number of bounding entities");
    end_of_row("the description of an entity");
  }

  // A bounding box can be infinite or NaN if the modeller has none; it is not used.
  void skip_box_number() {
    if (gmsh_.binary) {
      in_.number<double>("a bounding box");
    } else {
      in_.word("a bounding box");
    }
  }

  std::size_t integer_count(const char* what) {
    return in_.count(size(what), gmsh_.binary ? 4 : 2, "numbers");
  }

  void skip_integers(const char* what) {
    const std::size_t count = integer_count(what);
    for (std::size_t i = 0; i < count; ++i) integer(what);
  }

  // "dimension tag" in 4.1, "tag dimension" in 4.0.
  std::pair<std::int64_t, std::int64_t> block_entity() {
    const std::int64_t first = integer("the entity of a block");
    const std::int64_t second = integer("the entity of a block");
    const auto [dimension, tag] = is_40_ ? std::pair{second, first} : std::pair{first, second};
    if (dimension < 0 || dimension > 3) {
      in_.fail("the dimension of an entity is " + std::to_string(dimension) + ", not 0, 1, 2 or 3");
    }
    return {dimension, tag};
  }

  std::int64_t block_dimension() { return block_entity().first; }

  // The physical groups of the entity of a block of elements, or 0.
  const std::vector<std::int64_t>& groups_of_block() {
    const auto entity = block_entity();
    const auto found = groups_.find(entity);
    if (found == groups_.end()) return no_group_;
    several_regions_ = several_regions_ || (entity.first == 3 && found->second.size() > 1);
    return found->second;
  }

  [[noreturn]] void fail_sum(const std::string& item, std::size_t total) const {
    in_.fail("the " + item + " blocks do not add up to the " + std::to_string(total) + " " + item +
             "s declared");
  }

  static constexpr std::size_t most_groups = 64;  // so that a small file cannot cause large node sets

  GmshFile& gmsh_;
  Input& in_;
  bool is_40_;
  bool several_regions_ = false;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> groups_;  // by dimension, entity
  const std::vector<std::int64_t> no_group_{0};
};

}  // namespace pliant::detail::io
