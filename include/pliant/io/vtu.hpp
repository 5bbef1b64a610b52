// Writes meshes and states as VTK's XML files for unstructured grids (.vtu), which ParaView reads. The
// numbers are appended in binary, so that a file is about as large as the arrays in memory. Reference: "VTK
// File Formats", kitware.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <pliant/core/error.hpp>
#include <pliant/io/body_snapshot.hpp>
#include <pliant/io/snapshot.hpp>
#include <pliant/io/write_file.hpp>
#include <pliant/mesh/mixed_mesh.hpp>

namespace pliant {
namespace detail::io {

constexpr std::uint8_t vtk_cell_number(CellKind kind) {
  constexpr std::array<std::uint8_t, 8> numbers{1, 3, 5, 9, 10, 12, 13, 14};
  return numbers[static_cast<std::size_t>(kind)];
}

// Collects the arrays of one file: descriptions for the XML part, bytes for the appended part.
class VtuArrays {
 public:
  // The XML element of an array of tuples of `components` numbers.
  template <class T>
  std::string add(std::string_view name, const T* values, std::size_t count, int components = 1) {
    const std::string xml = "        <DataArray type=\"" + type_name<T>() + "\" Name=\"" + std::string(name) +
                            "\" NumberOfComponents=\"" + std::to_string(components) +
                            "\" format=\"appended\" offset=\"" + std::to_string(bytes_.size()) + "\"/>\n";
    const std::uint64_t size = count * sizeof(T);
    append(&size, sizeof size);
    append(values, count * sizeof(T));
    return xml;
  }

  const std::string& bytes() const { return bytes_; }

 private:
  template <class T>
  static std::string type_name() {
    const std::string kind = std::is_floating_point_v<T> ? "Float" : std::is_signed_v<T> ? "Int" : "UInt";
    return kind + std::to_string(8 * sizeof(T));
  }

  void append(const void* data, std::size_t size) {
    if (size > 0) bytes_.append(static_cast<const char*>(data), size);
  }

  std::string bytes_;
};

// Three rows, the third zero in two dimensions, and checked for size.
template <class Scalar, class Derived>
NodeMatrix<Scalar, 3> in_space(const char* what, const Eigen::MatrixBase<Derived>& columns,
                               std::ptrdiff_t count, int dim) {
  core::require_size(what, " columns", columns.cols(), count);
  core::require_size(what, " rows", columns.rows(), dim);
  NodeMatrix<Scalar, 3> space = NodeMatrix<Scalar, 3>::Zero(3, count);
  space.topRows(dim) = columns.template cast<Scalar>();
  return space;
}

// The cells of a mesh as the arrays of a .vtu file.
struct VtuCells {
  std::vector<std::int32_t> nodes;
  std::vector<std::int64_t> offsets;  // where the nodes of each cell end
  std::vector<std::uint8_t> types;
  std::vector<std::int32_t> regions;
  std::vector<std::int32_t> parts;  // of a mixed mesh

  template <Element E, class Scalar>
  explicit VtuCells(const Mesh<E, Scalar>& mesh) {
    add(mesh, mesh.node_count());
  }

  template <class Scalar, class... Elements>
  explicit VtuCells(const MixedMesh<Scalar, Elements...>& mesh) {
    std::int32_t number = 0;
    const auto add_part = [&](const auto& part) {
      add(part, mesh.node_count());
      parts.resize(types.size(), number++);
    };
    std::apply([&](const auto&... part) { (add_part(part), ...); }, mesh.parts);
  }

  explicit VtuCells(const NodeMatrix<int, 3>& triangles)
      : nodes(triangles.data(), triangles.data() + triangles.size()),
        types(static_cast<std::size_t>(triangles.cols()), vtk_cell_number(CellKind::triangle)) {
    for (std::int64_t end = 3; end <= triangles.size(); end += 3) offsets.push_back(end);
  }

  // The XML elements of their arrays of cells. Bodies have no regions.
  std::string describe(VtuArrays& arrays) const {
    std::string xml;
    if (regions.size() == types.size()) xml += arrays.add("region", regions.data(), regions.size());
    if (!parts.empty()) xml += arrays.add("part", parts.data(), parts.size());
    return xml;
  }

 private:
  // The cells of a Mesh or a MeshPart.
  template <class Cells>
  void add(const Cells& cells, std::ptrdiff_t node_count) {
    using E = typename Cells::Element;
    for (std::ptrdiff_t k = 0; k < cells.elements.size(); ++k) {
      const std::ptrdiff_t node = cells.elements.data()[k];
      if (node < 0 || node >= node_count) throw IndexError("element node", node, node_count);
    }
    if (!cells.regions.empty())
      core::require_size("regions", std::ssize(cells.regions), cells.element_count());
    nodes.insert(nodes.end(), cells.elements.data(), cells.elements.data() + cells.elements.size());
    for (std::ptrdiff_t e = 0; e < cells.element_count(); ++e) {
      offsets.push_back((offsets.empty() ? 0 : offsets.back()) + E::nodes);
      types.push_back(vtk_cell_number(E::cell_kind));
      regions.push_back(cells.region(e));
    }
  }
};

// The text and bytes of a .vtu file; `point_data` and `cell_data` are already described and collected in
// `arrays`.
template <class Scalar>
std::string vtu_bytes(const NodeMatrix<Scalar, 3>& points, const VtuCells& cells, VtuArrays& arrays,
                      const std::string& point_data, const std::string& cell_data = "") {
  const char* byte_order = std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";
  std::string xml =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"" +
      std::string(byte_order) +
      "\" header_type=\"UInt64\">\n  <UnstructuredGrid>\n    <Piece NumberOfPoints=\"" +
      std::to_string(points.cols()) + "\" NumberOfCells=\"" + std::to_string(cells.types.size()) + "\">\n";
  xml += "      <Points>\n";
  xml += arrays.add("Points", points.data(), static_cast<std::size_t>(points.size()), 3);
  xml += "      </Points>\n      <Cells>\n";
  xml += arrays.add("connectivity", cells.nodes.data(), cells.nodes.size());
  xml += arrays.add("offsets", cells.offsets.data(), cells.offsets.size());
  xml += arrays.add("types", cells.types.data(), cells.types.size());
  xml += "      </Cells>\n      <PointData>\n" + point_data + "      </PointData>\n      <CellData>\n";
  xml += cells.describe(arrays);
  xml += cell_data +
         "      </CellData>\n    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding=\"raw\">\n_";
  return xml + arrays.bytes() + "\n  </AppendedData>\n</VTKFile>\n";
}

}  // namespace detail::io

// The mesh at rest, with the cell array "region", and "part" for a MixedMesh. Folders are created, symbolic
// links are followed. Throws WriteError, SizeError if the numbers of regions and elements differ, and
// IndexError for an element with a node that does not exist.
template <class MeshType>
requires detail::io::is_mesh<MeshType>
void write_vtu(const std::filesystem::path& path, const MeshType& mesh) {
  detail::io::VtuArrays arrays;
  using Scalar = typename MeshType::Scalar;
  const auto points = detail::io::in_space<Scalar>("positions", mesh.nodes, mesh.node_count(), MeshType::dim);
  detail::io::write_file(path, detail::io::vtu_bytes(points, detail::io::VtuCells(mesh), arrays, ""));
}

// A state: the points are its positions, with the point arrays "displacement" [m] and "velocity" [m/s] and
// the cell arrays of the mesh; for solids that flow also the cell array "plastic_strain" [-], 3 x 3. Throws
// as above, and SizeError for a state of another size than the mesh.
template <Snapshot S>
void write_vtu(const std::filesystem::path& path, const S& snapshot) {
  const auto& mesh = snapshot.mesh();
  using MeshType = std::remove_cvref_t<decltype(mesh)>;
  using Scalar = typename MeshType::Scalar;
  constexpr int dim = MeshType::dim;
  const auto rest = detail::io::in_space<Scalar>("rest positions", mesh.nodes, mesh.node_count(), dim);
  const auto positions =
      detail::io::in_space<Scalar>("positions", snapshot.positions(), mesh.node_count(), dim);
  const auto velocities =
      detail::io::in_space<Scalar>("velocities", snapshot.velocities(), mesh.node_count(), dim);
  const NodeMatrix<Scalar, 3> displacement = positions - rest;
  const auto size = static_cast<std::size_t>(rest.size());
  detail::io::VtuArrays arrays;
  std::string point_data = arrays.add("displacement", displacement.data(), size, 3);
  point_data += arrays.add("velocity", velocities.data(), size, 3);
  const detail::io::VtuCells cells(mesh);
  std::string cell_data;
  if constexpr (requires { snapshot.cell_plastic_strains(); }) {
    const NodeMatrix<Scalar, 9> strains = snapshot.cell_plastic_strains();
    detail::core::require_size("plastic strains of cells", strains.cols(), std::ssize(cells.types));
    cell_data = arrays.add("plastic_strain", strains.data(), static_cast<std::size_t>(strains.size()), 9);
  }
  detail::io::write_file(path, detail::io::vtu_bytes(positions, cells, arrays, point_data, cell_data));
}

// Rigid bodies in a state: the points are the corners of their surfaces, with the point arrays "displacement"
// from the start [m] and "velocity" [m/s], and the cell arrays "body", the number of the body, "mass" [kg],
// "body_velocity" of the centre of mass [m/s] and "angular_velocity" [rad/s]. Throws WriteError, SizeError
// for arrays that do not fit together, and IndexError for a node or a body that does not exist.
inline void write_vtu(const std::filesystem::path& path, const BodySnapshot& bodies) {
  const std::ptrdiff_t nodes = bodies.positions.cols(), triangles = bodies.triangles.cols();
  detail::core::require_size("displacements of bodies", bodies.displacements.cols(), nodes);
  detail::core::require_size("velocities of bodies", bodies.velocities.cols(), nodes);
  detail::core::require_size("bodies of triangles", std::ssize(bodies.body_of), triangles);
  detail::core::require_size("body velocities", std::ssize(bodies.body_velocities),
                             std::ssize(bodies.masses));
  detail::core::require_size("angular velocities", std::ssize(bodies.angular_velocities),
                             std::ssize(bodies.masses));
  for (std::ptrdiff_t k = 0; k < bodies.triangles.size(); ++k) {
    const int node = bodies.triangles.data()[k];
    if (node < 0 || node >= nodes) throw IndexError("node of a triangle", node, nodes);
  }
  detail::io::VtuArrays arrays;
  const auto size = static_cast<std::size_t>(bodies.positions.size());
  std::string point_data = arrays.add("displacement", bodies.displacements.data(), size, 3);
  point_data += arrays.add("velocity", bodies.velocities.data(), size, 3);
  std::vector<double> masses;
  std::vector<SmallVector<double, 3>> linear, angular;
  for (const std::int32_t body : bodies.body_of) {
    if (body < 0 || body >= std::ssize(bodies.masses))
      throw IndexError("body", body, std::ssize(bodies.masses));
    const auto number = static_cast<std::size_t>(body);
    masses.push_back(bodies.masses[number]);
    linear.push_back(bodies.body_velocities[number]);
    angular.push_back(bodies.angular_velocities[number]);
  }
  const auto flat = [](const auto& vectors) { return vectors.empty() ? nullptr : vectors.front().data(); };
  std::string cell_data = arrays.add("body", bodies.body_of.data(), bodies.body_of.size());
  cell_data += arrays.add("mass", masses.data(), masses.size());
  cell_data += arrays.add("body_velocity", flat(linear), 3 * linear.size(), 3);
  cell_data += arrays.add("angular_velocity", flat(angular), 3 * angular.size(), 3);
  const detail::io::VtuCells cells(bodies.triangles);
  detail::io::write_file(path, detail::io::vtu_bytes(bodies.positions, cells, arrays, point_data, cell_data));
}

template <class Other>
requires(!Snapshot<Other> && !detail::io::is_mesh<Other>) void write_vtu(const std::filesystem::path&,
                                                                         const Other&) {
  static_assert(
      detail::core::always_false<Other>,
      "write_vtu writes a mesh, or the state of a Simulation or another Snapshot: of a solid, "
      "write_vtu(path, solid.mesh()); of a Simulation with rigid bodies, sim.soft() or sim.bodies()");
}

}  // namespace pliant
