#include "io/reading.hpp"

#include <string>

#include <pliant/io/input.hpp>
#include <pliant/io/obj.hpp>

using namespace pliant;

namespace {

std::string written(const auto& nodes, const auto& triangles) {
  const TemporaryFolder folder;
  write_obj(folder.path / "new" / "surface.obj", nodes, triangles);
  return detail::file_bytes(folder.path / "new" / "surface.obj");
}

}  // namespace

TEST_CASE("a surface as .obj: numbered from 1, without the nodes that no triangle uses") {
  Eigen::Matrix<double, 3, 5> nodes;
  nodes << 0, 9, 1, 0, 0.1, 0, 9, 0, 1, 0, 0, 9, 0, 0, -2.5e-7;
  Eigen::Matrix<int, 3, 2> triangles;
  triangles << 4, 0, 0, 2, 2, 3;
  CHECK(written(nodes, triangles) == "v 0.1 0 -2.5e-07\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 2 3 4\n");
  CHECK(written(nodes.cast<float>(), triangles.cast<long>()).substr(0, 17) == "v 0.1 0 -2.5e-07\n");
  CHECK(written(nodes, Eigen::Matrix<int, 3, Eigen::Dynamic>(3, 0)).empty());
}

TEST_CASE("a surface of wrong indices or sizes is refused") {
  const TemporaryFolder folder;
  const Eigen::Matrix3d nodes = Eigen::Matrix3d::Identity();
  CHECK_THROWS_AS(write_obj(folder.path / "a.obj", nodes, Eigen::Vector3i(0, 1, 3)), IndexError);
  CHECK_THROWS_AS(write_obj(folder.path / "a.obj", nodes, Eigen::Vector3i(0, 1, -1)), IndexError);
  CHECK_THROWS_AS(write_obj(folder.path / "a.obj", nodes, Eigen::Vector4i(0, 1, 2, 0)), SizeError);
  CHECK_THROWS_AS(write_obj(folder.path / "a.obj", Eigen::Matrix2d::Zero(), Eigen::Vector3i(0, 1, 0)),
                  SizeError);
  CHECK(std::filesystem::is_empty(folder.path));
  CHECK_THROWS_AS(write_obj(folder.path / "", nodes, Eigen::Vector3i(0, 1, 2)), WriteError);
}
