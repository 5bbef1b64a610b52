#include "io/reading.hpp"
#include "io/sample_snapshot.hpp"
#include "io/vtu_file.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <pliant/element/tet4.hpp>
#include <pliant/element/tri3.hpp>
#include <pliant/io/vtu.hpp>

using namespace pliant;

TEST_CASE("a mesh as .vtu: points, cells and regions") {
  const TemporaryFolder folder;
  const auto mesh = sample_mesh<double>();
  write_vtu(folder.path / "new" / "mesh.vtu", mesh);
  const VtuFile file(folder.path / "new" / "mesh.vtu");
  CHECK(file.attribute("<Piece", "NumberOfPoints") == "5");
  CHECK(file.attribute("<Piece", "NumberOfCells") == "2");
  CHECK(file.attribute("<VTKFile", "header_type") == "UInt64");
  CHECK(file.values<double>("Points", "Float64", 3) ==
        std::vector<double>(mesh.nodes.data(), mesh.nodes.data() + 15));
  CHECK(file.values<std::int32_t>("connectivity", "Int32", 1) == std::vector{0, 1, 2, 3, 1, 2, 3, 4});
  CHECK(file.values<std::int64_t>("offsets", "Int64", 1) == std::vector<std::int64_t>{4, 8});
  CHECK(file.values<std::uint8_t>("types", "UInt8", 1) == std::vector<std::uint8_t>{10, 10});
  CHECK(file.values<std::int32_t>("region", "Int32", 1) == std::vector{3, 8});
}

TEST_CASE("a state as .vtu: moved points, displacement and velocity, in the scalar of the mesh") {
  const TemporaryFolder folder;
  SampleSnapshot<float> state;
  state.x.row(2).array() += 0.5f;
  state.v(1, 4) = -2;
  write_vtu(folder.path / "state.vtu", state);
  const VtuFile file(folder.path / "state.vtu");
  CHECK(file.values<float>("Points", "Float32", 3) ==
        std::vector<float>(state.x.data(), state.x.data() + 15));
  const auto displacement = file.values<float>("displacement", "Float32", 3);
  for (std::size_t i = 0; i < 15; ++i) CHECK(displacement[i] == (i % 3 == 2 ? 0.5f : 0.0f));
  CHECK(file.values<float>("velocity", "Float32", 3) ==
        std::vector<float>(state.v.data(), state.v.data() + 15));
}

TEST_CASE("plane meshes get z = 0, and regions are 0 where a mesh has none") {
  const TemporaryFolder folder;
  Mesh<Tri3> mesh;
  mesh.nodes.resize(2, 3);
  mesh.nodes << 0, 1, 0, 0, 0, 1;
  mesh.elements = Eigen::Vector3i(0, 1, 2);
  write_vtu(folder.path / "plane.vtu", mesh);
  const VtuFile file(folder.path / "plane.vtu");
  CHECK(file.values<double>("Points", "Float64", 3) == std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0});
  CHECK(file.values<std::uint8_t>("types", "UInt8", 1) == std::vector<std::uint8_t>{5});
  CHECK(file.values<std::int32_t>("region", "Int32", 1) == std::vector{0});
}

TEST_CASE("an empty mesh is written too") {
  const TemporaryFolder folder;
  write_vtu(folder.path / "empty.vtu", Mesh<Tet4>{});
  CHECK(VtuFile(folder.path / "empty.vtu").values<double>("Points", "Float64", 3).empty());
}

TEST_CASE("a state of the wrong size is refused and leaves no file") {
  const TemporaryFolder folder;
  SampleSnapshot<double> state;
  state.v.resize(3, 4);
  CHECK_THROWS_AS(write_vtu(folder.path / "state.vtu", state), SizeError);
  CHECK(std::filesystem::is_empty(folder.path));
}

TEST_CASE("an element of a node that does not exist is refused and leaves no file") {
  const TemporaryFolder folder;
  for (const int node : {-1, 5}) {
    auto mesh = sample_mesh<double>();
    mesh.elements(3, 1) = node;
    CHECK_THROWS_AS(write_vtu(folder.path / "mesh.vtu", mesh), IndexError);
    SampleSnapshot<double> state;
    state.body = mesh;
    CHECK_THROWS_AS(write_vtu(folder.path / "state.vtu", state), IndexError);
  }
  CHECK(std::filesystem::is_empty(folder.path));
}

TEST_CASE("what cannot be written throws WriteError with the file") {
  const TemporaryFolder folder;
  const auto blocked = folder.write("file", "x");
  CHECK_THROWS_AS(write_vtu(blocked / "mesh.vtu", sample_mesh<double>()), WriteError);
  std::filesystem::create_directories(folder.path / "taken.vtu" / "x");
  try {
    write_vtu(folder.path / "taken.vtu", sample_mesh<double>());
    FAIL("was written");
  } catch (const WriteError& error) {
    CHECK(error.file() == (folder.path / "taken.vtu").string());
  }
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 2);
  CHECK_THROWS_AS(write_vtu(folder.path / "", sample_mesh<double>()), WriteError);
}
