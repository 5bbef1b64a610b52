#include "io/plane_triangle.hpp"
#include "io/reading.hpp"
#include "io/sample_snapshot.hpp"

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <pliant/element/tet4.hpp>
#include <pliant/io/input.hpp>
#include <pliant/io/vtu.hpp>

using namespace pliant;

namespace {

// An independent and simple reader of what write_vtu writes.
class VtuFile {
 public:
  explicit VtuFile(const std::filesystem::path& path) : text_(detail::file_bytes(path)) {
    const std::string mark = "<AppendedData encoding=\"raw\">\n_";
    data_ = text_.find(mark);
    REQUIRE(data_ != std::string::npos);
    data_ += mark.size();
    REQUIRE(text_.ends_with("\n  </AppendedData>\n</VTKFile>\n"));
  }

  // The value of an attribute of the first tag that contains the words.
  std::string attribute(const std::string& tag, const std::string& name) const {
    const std::size_t start = text_.find(tag);
    REQUIRE(start < data_);
    const std::size_t end = text_.find('>', start);
    const std::size_t value = text_.find(" " + name + "=\"", start);
    REQUIRE(value < end);
    const std::size_t first = value + name.size() + 3;
    return text_.substr(first, text_.find('"', first) - first);
  }

  template <class T>
  std::vector<T> values(const std::string& name, const std::string& type, int components) const {
    const std::string tag = "Name=\"" + name + "\"";
    const std::size_t start = text_.rfind("<DataArray", text_.find(tag));
    const std::string element = text_.substr(start, text_.find('>', start) - start);
    CHECK(element.find("type=\"" + type + "\"") != std::string::npos);
    CHECK(element.find("NumberOfComponents=\"" + std::to_string(components) + "\"") != std::string::npos);
    const std::size_t offset = data_ + std::stoul(attribute(tag, "offset"));
    std::uint64_t size = 0;
    std::memcpy(&size, text_.data() + offset, sizeof size);
    REQUIRE(offset + 8 + size < text_.size());
    std::vector<T> result(size / sizeof(T));
    std::memcpy(result.data(), text_.data() + offset + 8, size);
    return result;
  }

 private:
  std::string text_;
  std::size_t data_ = 0;
};

}  // namespace

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
  Mesh<PlaneTriangle> mesh;
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
  CHECK_FALSE(std::filesystem::exists(folder.path / "taken.vtu.part"));
  CHECK_THROWS_AS(write_vtu(folder.path / "", sample_mesh<double>()), WriteError);
}
