// Meshes of hexahedra and triangles, written as files by the tests themselves, read, and written by the
// library.
#include "io/reading.hpp"
#include "io/vtu_file.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <pliant/io/read_mesh.hpp>
#include <pliant/io/vtu.hpp>
#include <pliant/mesh/boundary.hpp>
#include <pliant/mesh/doctor.hpp>
#include <pliant/mesh/generators.hpp>

using namespace pliant;

namespace {

constexpr double height = -2.25;  // z of the plane meshes

// How the formats call the elements and their boundary faces.
template <Element E>
struct Names;
template <>
struct Names<Hex8> {
  static constexpr int vtk = 12, gmsh = 5, gmsh_face = 3;
  static constexpr const char* medit = "Hexahedra";
  static constexpr const char* left_aside = "quads";
};
template <>
struct Names<Tri3> {
  static constexpr int vtk = 5, gmsh = 2, gmsh_face = 1;
  static constexpr const char* medit = "Triangles";
  static constexpr const char* left_aside = "lines";
};

std::ostringstream text_stream() {
  std::ostringstream text;
  text.precision(std::numeric_limits<double>::max_digits10);
  return text;
}

template <class E>
void write_node(std::ostream& text, const Mesh<E>& mesh, Eigen::Index i) {
  for (int axis = 0; axis < 3; ++axis) text << (axis < E::dim ? mesh.nodes(axis, i) : height) << ' ';
}

template <class Columns>
void write_numbers(std::ostream& text, const Columns& columns, Eigen::Index j, int first) {
  for (Eigen::Index a = 0; a < columns.rows(); ++a) text << ' ' << columns(a, j) + first;
  text << '\n';
}

template <class E>
std::string as_vtk(const Mesh<E>& mesh) {
  auto text = text_stream();
  text << "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS " << mesh.node_count()
       << " double\n";
  for (Eigen::Index i = 0; i < mesh.node_count(); ++i) write_node(text, mesh, i);
  text << "\nCELLS " << mesh.element_count() << ' ' << mesh.element_count() * (E::nodes + 1) << '\n';
  for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
    text << E::nodes;
    write_numbers(text, mesh.elements, e, 0);
  }
  text << "CELL_TYPES " << mesh.element_count() << '\n';
  for (Eigen::Index e = 0; e < mesh.element_count(); ++e) text << Names<E>::vtk << '\n';
  text << "CELL_DATA " << mesh.element_count() << "\nSCALARS region int 1\nLOOKUP_TABLE default\n";
  for (Eigen::Index e = 0; e < mesh.element_count(); ++e) text << mesh.region(e) << '\n';
  return text.str();
}

template <class E>
std::string as_medit(const Mesh<E>& mesh) {
  auto text = text_stream();
  text << "MeshVersionFormatted 2 Dimension 3\nVertices " << mesh.node_count() << '\n';
  for (Eigen::Index i = 0; i < mesh.node_count(); ++i) {
    write_node(text, mesh, i);
    text << "0\n";
  }
  text << Names<E>::medit << ' ' << mesh.element_count() << '\n';
  for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
    for (int a = 0; a < E::nodes; ++a) text << mesh.elements(a, e) + 1 << ' ';
    text << mesh.region(e) << '\n';
  }
  text << "End\n";
  return text.str();
}

// With the faces of the boundary, as Gmsh writes them.
template <class E>
std::string as_gmsh(const Mesh<E>& mesh) {
  const auto boundary = boundary_faces(mesh);
  auto text = text_stream();
  text << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" << mesh.node_count() << '\n';
  for (Eigen::Index i = 0; i < mesh.node_count(); ++i) {
    text << i + 1 << ' ';
    write_node(text, mesh, i);
    text << '\n';
  }
  text << "$EndNodes\n$Elements\n" << boundary.face_count() + mesh.element_count() << '\n';
  for (Eigen::Index f = 0; f < boundary.face_count(); ++f) {
    text << f + 1 << ' ' << Names<E>::gmsh_face << " 2 9 1";
    write_numbers(text, boundary.faces, f, 1);
  }
  for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
    text << boundary.face_count() + e + 1 << ' ' << Names<E>::gmsh << " 2 " << mesh.region(e) << " 1";
    write_numbers(text, mesh.elements, e, 1);
  }
  text << "$EndElements\n";
  return text.str();
}

template <class E>
void survives_round_trips(Mesh<E> mesh, int vtk_type) {
  for (Eigen::Index e = 0; e < mesh.element_count(); ++e) mesh.regions.push_back(static_cast<int>(e % 3));
  REQUIRE(diagnose(mesh).findings().empty());
  const TemporaryFolder folder;
  for (const auto& [name, bytes] : {std::pair<std::string, std::string>{"body.vtk", as_vtk(mesh)},
                                    {"body.mesh", as_medit(mesh)},
                                    {"body.msh", as_gmsh(mesh)}}) {
    INFO(name);
    ReadReport report;
    const auto read = read_mesh<E>(folder.write(name, bytes), report);
    CHECK(read.nodes == mesh.nodes);
    CHECK(read.elements == mesh.elements);
    CHECK(read.regions == mesh.regions);
    CHECK(report.element == E::name);
    CHECK(report.left_aside.size() == (name == "body.msh" ? 1 : 0));
    if (name == "body.msh") CHECK(report.left_aside.at(0).name == Names<E>::left_aside);

    write_vtu(folder.path / "body.vtu", read);
    const VtuFile file(folder.path / "body.vtu");
    CHECK(file.values<std::int32_t>("connectivity", "Int32", 1) ==
          std::vector<std::int32_t>(mesh.elements.data(), mesh.elements.data() + mesh.elements.size()));
    const auto points = file.values<double>("Points", "Float64", 3);
    REQUIRE(points.size() == static_cast<std::size_t>(3 * mesh.node_count()));
    for (std::size_t k = 0; k < points.size(); ++k) {
      const auto axis = static_cast<int>(k % 3);
      CHECK(points[k] == (axis < E::dim ? mesh.nodes(axis, static_cast<Eigen::Index>(k / 3)) : 0));
    }
    const auto cells = static_cast<std::size_t>(mesh.element_count());
    CHECK(file.values<std::uint8_t>("types", "UInt8", 1) ==
          std::vector<std::uint8_t>(cells, static_cast<std::uint8_t>(vtk_type)));
    const auto offsets = file.values<std::int64_t>("offsets", "Int64", 1);
    REQUIRE(offsets.size() == cells);
    CHECK(offsets.back() == mesh.elements.size());
    CHECK(file.values<std::int32_t>("region", "Int32", 1) == mesh.regions);
  }
}

}  // namespace

TEST_CASE("hexahedra from VTK, Medit and Gmsh files, and to .vtu") {
  survives_round_trips(
      make_box<Hex8>({.lengths = {1.1, 0.7, 0.3}, .cells = {3, 2, 2}, .origin = {0.1, -4, 1.0 / 3}}), 12);
}

TEST_CASE("triangles from VTK, Medit and Gmsh files, and to .vtu") {
  survives_round_trips(
      make_rectangle<Tri3>({.lengths = {1.1, 0.7}, .cells = {3, 2}, .origin = {0.1, 1.0 / 3}}), 5);
}

TEST_CASE("read_mesh<Hex8> and <Tri3> say what they need where a file holds other cells") {
  const TemporaryFolder folder;
  const auto hexahedra = folder.write("hexahedra.vtk", as_vtk(make_box<Hex8>()));
  const auto triangles = folder.write("triangles.vtk", as_vtk(make_rectangle<Tri3>()));
  check_refused([&] { read_mesh<Tri3>(hexahedra); }, 0, "found 1 hexahedron; Tri3 needs triangles");
  check_refused([&] { read_mesh<Hex8>(triangles); }, 0, "found 2 triangles; Hex8 needs hexahedra");
}

TEST_CASE("a plane mesh may lie at any height, but must be plane") {
  const TemporaryFolder folder;
  const auto mesh = make_rectangle<Tri3>({.cells = {2, 2}});
  const std::string flat = as_vtk(mesh);
  CHECK(read_mesh<Tri3, float>(folder.write("flat.vtk", flat)).nodes == mesh.nodes.cast<float>());
  const std::string bent = replaced(flat, "-2.25 0.5 0 -2.25", "-2.25 0.5 0 -2.2499999");
  check_refused([&] { read_mesh<Tri3>(folder.write("bent.vtk", bent)); }, 0,
                "a plane mesh is needed, with the same z at all nodes; node 0 lies at z = -2.25");
}
