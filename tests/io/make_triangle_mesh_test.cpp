#include "contact/collider_facts.hpp"
#include "contact/surfaces.hpp"

#include <filesystem>
#include <fstream>

#include <pliant/element/hex8.hpp>
#include <pliant/io/make_triangle_mesh.hpp>
#include <pliant/mesh/make_box.hpp>

using namespace pliant;

TEST_CASE("make_triangle_mesh: the skin of a ball of tets has its sides and its nodes") {
  const auto mesh = make_ball<Tet4, float>({.radius = 2, .shells = 6, .center = {1, 0, 0}});
  const TriangleMesh collider = make_triangle_mesh(mesh);
  CHECK(collider.triangle_count() == boundary_faces(mesh).face_count());
  CHECK(collider.nearest({1, 0, 0}, 0)->distance < -1.9);
  CHECK(collider.nearest({4, 0, 0}, 9)->distance == Approx(1).margin(0.03));
  CHECK(collider.first_hit({9, 0.01, 0.02}, {1, 0, 0})->point.x() == Approx(3).margin(0.03));
}

TEST_CASE("make_triangle_mesh: the skin of a block of hexahedra has two triangles per face") {
  const auto mesh = make_box<Hex8>({.cells = {2, 3, 4}});
  const TriangleMesh collider = make_triangle_mesh(mesh);
  CHECK(collider.triangle_count() == 2 * 2 * (2 * 3 + 3 * 4 + 4 * 2));
  const auto box = collider.bounds();
  const SmallVector<double, 3> middle = (box.lower + box.upper) / 2;
  CHECK(collider.nearest(middle, 0)->distance == Approx(-(box.upper - box.lower).minCoeff() / 2));
}

TEST_CASE("make_triangle_mesh: a flipped element is found") {
  auto mesh = make_ball<Tet4>({.shells = 2});
  const auto boundary = boundary_faces(mesh);
  mesh.elements.col(boundary.elements[0]).head<2>().reverseInPlace();
  CHECK_THROWS_WITH(make_triangle_mesh(mesh), Catch::Contains("faces inwards"));
}

TEST_CASE("read_triangle_mesh: a file of triangles, closed, open, and without any") {
  const auto folder = std::filesystem::temp_directory_path() / "pliant_read_triangle_mesh";
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const char* triangles) {
    std::ofstream(folder / name) << "MeshVersionFormatted 2\nDimension 3\n"
                                    "Vertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
                                 << triangles << "End\n";
    return folder / name;
  };
  const TriangleMesh solid =
      read_triangle_mesh(write("solid.mesh", "Triangles 4\n1 3 2 0\n1 2 4 0\n1 4 3 0\n2 3 4 0\n"));
  CHECK(solid.triangle_count() == 4);
  CHECK(solid.nearest({0.1, 0.2, 0.2}, 0)->distance == Approx(-0.1));
  CHECK(solid.nearest({1, 1, 1}, 9)->distance == Approx(2 / std::sqrt(3)));
  const auto open = write("open.mesh", "Triangles 1\n1 3 2 0\n");
  CHECK_THROWS_WITH(read_triangle_mesh(open), Catch::Contains("open.mesh") && Catch::Contains("closed"));
  CHECK(read_two_sided_triangle_mesh(open).nearest({0.2, 0.2, -1}, 2)->distance == 1);
  CHECK_THROWS_WITH(read_triangle_mesh(write("none.mesh", "Tetrahedra 1\n1 2 3 4 0\n")),
                    Catch::Contains("none.mesh") && Catch::Contains("there are no triangles"));
  std::filesystem::remove_all(folder);
}
