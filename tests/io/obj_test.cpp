#include "io/reading.hpp"

#include <array>
#include <sstream>
#include <string>

#include <Eigen/Geometry>

#include <pliant/io/input.hpp>
#include <pliant/io/obj.hpp>
#include <pliant/mesh/boundary.hpp>
#include <pliant/mesh/generators.hpp>

using namespace pliant;

namespace {

std::string written(const auto& nodes, const auto& faces) {
  const TemporaryFolder folder;
  write_obj(folder.path / "new" / "surface.obj", nodes, faces);
  return detail::io::file_bytes(folder.path / "new" / "surface.obj");
}

}  // namespace

TEST_CASE("a surface as .obj: numbered from 1, without the nodes that no face uses") {
  Eigen::Matrix<double, 3, 5> nodes;
  nodes << 0, 9, 1, 0, 0.1, 0, 9, 0, 1, 0, 0, 9, 0, 0, -2.5e-7;
  Eigen::Matrix<int, 3, 2> triangles;
  triangles << 4, 0, 0, 2, 2, 3;
  CHECK(written(nodes, triangles) == "v 0.1 0 -2.5e-07\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 2 3 4\n");
  CHECK(written(nodes.cast<float>(), triangles.cast<long>()).substr(0, 17) == "v 0.1 0 -2.5e-07\n");
  CHECK(written(nodes, Eigen::Matrix<int, 3, Eigen::Dynamic>(3, 0)).empty());
}

TEST_CASE("quads, edges and plane nodes as .obj") {
  Eigen::Matrix<double, 2, 4> square;
  square << 0, 2, 2, 0, 0, 0, 3, 3;
  const std::string vertices = "v 0 0 0\nv 2 0 0\nv 2 3 0\nv 0 3 0\n";
  CHECK(written(square, Eigen::Vector4i(0, 1, 2, 3)) == vertices + "f 1 2 3 4\n");
  Eigen::Matrix<int, 2, 4> edges;
  edges << 0, 1, 2, 3, 1, 2, 3, 0;
  CHECK(written(square, edges) == vertices + "l 1 2\nl 2 3\nl 3 4\nl 4 1\n");
}

namespace {

// Reads the surface back and integrates x n_x over it: the volume inside, in the plane the area.
double enclosed(const std::string& obj) {
  std::vector<Eigen::Vector3d> vertices;
  double volume = 0;
  std::istringstream lines(obj);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "v") {
      double x, y, z;
      words >> x >> y >> z;
      vertices.emplace_back(x, y, z);
      continue;
    }
    std::vector<Eigen::Vector3d> corners;
    for (std::size_t number; words >> number;) corners.push_back(vertices.at(number - 1));
    if (kind == "l") {
      volume += (corners.at(0).x() + corners.at(1).x()) / 2 * (corners.at(1).y() - corners.at(0).y());
    }
    for (std::size_t c = 2; c < corners.size(); ++c) {
      const Eigen::Vector3d &a = corners[0], &b = corners[c - 1], &d = corners[c];
      volume += (a.x() + b.x() + d.x()) / 3 * (b - a).cross(d - a).x() / 2;
    }
  }
  return volume;
}

}  // namespace

TEST_CASE("the boundary of a mesh of any element goes to .obj, closed and outward") {
  const auto tets = make_box<Tet4>({.lengths = {1, 2, 3}, .cells = {2, 2, 1}, .origin = {4, 5, 6}});
  const auto hexahedra = make_box<Hex8>({.lengths = {1, 2, 3}, .cells = {2, 2, 1}, .origin = {4, 5, 6}});
  const auto triangles = make_rectangle<Tri3>({.lengths = {1, 2}, .cells = {2, 3}, .origin = {4, 5}});
  CHECK(enclosed(written(tets.nodes, boundary_faces(tets).faces)) == Approx(6));
  CHECK(enclosed(written(hexahedra.nodes, boundary_faces(hexahedra).faces)) == Approx(6));
  CHECK(enclosed(written(triangles.nodes, boundary_faces(triangles).faces)) == Approx(2));
  CHECK(written(triangles.nodes, triangles.elements).find("\nf 1 2 ") != std::string::npos);
}

TEST_CASE("a surface of wrong indices or sizes is refused") {
  const TemporaryFolder folder;
  const Eigen::Matrix3d nodes = Eigen::Matrix3d::Identity();
  CHECK_THROWS_AS(write_obj(folder.path / "a.obj", nodes, Eigen::Vector3i(0, 1, 3)), IndexError);
  CHECK_THROWS_AS(write_obj(folder.path / "a.obj", nodes, Eigen::Vector3i(0, 1, -1)), IndexError);
  CHECK_THROWS_AS(write_obj(folder.path / "a.obj", nodes, Eigen::Matrix<int, 5, 1>(0, 1, 2, 0, 1)),
                  SizeError);
  CHECK_THROWS_AS(write_obj(folder.path / "a.obj", nodes, Eigen::Matrix<int, 1, 2>(0, 1)), SizeError);
  CHECK_THROWS_AS(write_obj(folder.path / "a.obj", Eigen::Matrix4d::Zero(), Eigen::Vector3i(0, 1, 0)),
                  SizeError);
  CHECK_THROWS_AS(
      write_obj(folder.path / "a.obj", Eigen::Matrix<double, 1, 3>::Zero(), Eigen::Vector3i(0, 1, 2)),
      SizeError);
  CHECK(std::filesystem::is_empty(folder.path));
  CHECK_THROWS_AS(write_obj(folder.path / "", nodes, Eigen::Vector3i(0, 1, 2)), WriteError);
}
