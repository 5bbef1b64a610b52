// Every file of the collection of meshes in the formats that are read: the counts, volumes and bounding box
// that other programs found, or a MeshError where a right reader refuses.
#include "io/measure_cells.hpp"
#include "support/catch.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <pliant/element/tet4.hpp>
#include <pliant/io/read_mesh.hpp>

using namespace pliant;

namespace {

namespace fs = std::filesystem;

using Row = std::map<std::string, std::string>;  // by column name

// Where this library decides otherwise than the readers the table was made with.
const std::map<std::string, std::string> refused_on_purpose{
    {"vtk/planarhex__hex_ellipsoid_coarse.vtk",
     "hexahedra that are called tetrahedra: type 10 with 8 nodes, of which VTK takes the first four"},
    {"vtk/vtkio__rectilinear_grid_binary.vtk",
     "a rectilinear grid, which the table has no counts for either"},
};

fs::path collection() {
  const char* folder = std::getenv("PLIANT_TEST_DATA");
  return (folder != nullptr ? fs::path(folder) : fs::path(PLIANT_SOURCE_DIR) / "../shared") / "meshes";
}

std::string no_collection() {
  return "there is no collection of meshes at " + collection().string() + " (set PLIANT_TEST_DATA)";
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::vector<Row> read_manifest() {
  std::ifstream table(collection() / "MANIFEST.tsv");
  std::vector<Row> rows;
  std::string line;
  std::getline(table, line);
  const std::vector<std::string> names = split(line, '\t');
  while (std::getline(table, line)) {
    const std::vector<std::string> fields = split(line, '\t');
    Row row;
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = i < fields.size() ? fields[i] : "";
    const std::string& format = row["format"];
    if (format == "gmsh-msh" || format == "medit" || format == "tetgen" || format == "vega-veg" ||
        format == "vtk-legacy") {
      rows.push_back(row);
    }
  }
  return rows;
}

// A number of the table; nothing where it is empty.
std::optional<double> value(const Row& row, const std::string& name) {
  const std::string& text = row.at(name);
  return text.empty() ? std::nullopt : std::optional(std::stod(text));
}

std::size_t count_of(const CellMesh& mesh, CellKind kind) {
  std::size_t count = 0;
  for (const CellBlock* block : blocks_of(mesh, kind)) count += block->count();
  return count;
}

// "line=1; point=1; of which tri6:4, tet10:6" as {"line": 1, "point": 1} and {"tri6": 4, "tet10": 6}.
std::pair<std::map<std::string, std::size_t>, std::map<std::string, std::size_t>> other_cells(
    const std::string& text) {
  std::map<std::string, std::size_t> kinds;
  std::map<std::string, std::size_t> higher;
  std::string words = text;
  for (char& c : words) {
    if (c == ';' || c == ',') c = ' ';
  }
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    if (word == "of" || word == "which") continue;
    const std::size_t sign = word.find_first_of("=:");
    REQUIRE(sign != std::string::npos);
    (word[sign] == '=' ? kinds : higher)[word.substr(0, sign)] = std::stoul(word.substr(sign + 1));
  }
  return {kinds, higher};
}

// The cells that are not linear, in the table's words.
std::map<std::string, std::size_t> higher_order_of(const CellMesh& mesh) {
  static const std::array<std::string, 8> names{"point", "line", "tri",   "quad",
                                                "tet",   "hex",  "wedge", "pyramid"};
  std::map<std::string, std::size_t> higher;
  for (const OtherCells& others : mesh.others) {
    if (others.kind)
      higher[names[static_cast<std::size_t>(*others.kind)] + std::to_string(others.nodes)] = others.count;
    if (others.name == "polylines")
      higher["line3"] += others.count;  // the only polylines there are have three nodes
  }
  return higher;
}

std::size_t count_of(const CellMesh& mesh, const std::string& name) {
  for (const OtherCells& others : mesh.others) {
    if (others.name == name) return others.count;
  }
  return 0;
}

void compare_counts(const CellMesh& mesh, const Row& row) {
  CHECK(static_cast<double>(mesh.nodes.cols()) == value(row, "nV"));
  CHECK(static_cast<double>(count_of(mesh, CellKind::tet)) == value(row, "nTet"));
  CHECK(static_cast<double>(count_of(mesh, CellKind::hex)) == value(row, "nHex"));
  CHECK(static_cast<double>(count_of(mesh, CellKind::triangle)) == value(row, "nTri"));
  CHECK(static_cast<double>(count_of(mesh, CellKind::quad)) == value(row, "nQuad"));
  auto [kinds, higher] = other_cells(row.at("other"));
  CHECK(count_of(mesh, CellKind::wedge) == kinds["wedge"]);
  CHECK(count_of(mesh, CellKind::pyramid) == kinds["pyramid"]);
  CHECK(count_of(mesh, CellKind::line) + count_of(mesh, "polylines") == kinds["line"]);
  CHECK(count_of(mesh, CellKind::vertex) == kinds["point"]);
  CHECK(count_of(mesh, "polygons") == kinds["poly"]);
  CHECK(count_of(mesh, "triangle strips") == kinds["vtk6"]);
  CHECK(higher_order_of(mesh) == higher);
}

void compare_measures(const CellMesh& mesh, const Row& row) {
  double volume = 0;
  for (const CellKind kind : {CellKind::tet, CellKind::hex, CellKind::wedge, CellKind::pyramid}) {
    volume += signed_volume(mesh, kind);
  }
  // The table has 12 digits; volumes of both signs may cancel.
  const double scale = value(row, "vol_abs").value_or(0);
  CHECK(volume == Approx(value(row, "vol_signed").value_or(0)).epsilon(1e-10).margin(1e-11 * scale));
  if (const auto tets = value(row, "vol_tet")) {
    CHECK(signed_volume(mesh, CellKind::tet) == Approx(*tets).epsilon(1e-10).margin(1e-11 * scale));
  }
  if (const auto hexes = value(row, "vol_hex")) {
    CHECK(signed_volume(mesh, CellKind::hex) == Approx(*hexes).epsilon(1e-10).margin(1e-11 * scale));
  }
  if (const auto expected = value(row, "area_2d")) {
    double sum = 0;
    for (const CellKind kind : {CellKind::triangle, CellKind::quad}) {
      for (const CellBlock* block : blocks_of(mesh, kind)) {
        for (std::size_t i = 0; i < block->count(); ++i) sum += area(corners_of(mesh, block->cell(i)));
      }
    }
    CHECK(sum == Approx(*expected).epsilon(1e-10));
  }
  if (mesh.nodes.cols() == 0) return;
  const double size = mesh.nodes.cwiseAbs().maxCoeff();
  std::istringstream smallest(row.at("bbox_min"));
  std::istringstream largest(row.at("bbox_max"));
  for (int axis = 0; axis < 3; ++axis) {
    double low = 0;
    double high = 0;
    REQUIRE(smallest >> low);
    REQUIRE(largest >> high);
    CHECK(mesh.nodes.row(axis).minCoeff() == Approx(low).epsilon(1e-8).margin(1e-8 * size));
    CHECK(mesh.nodes.row(axis).maxCoeff() == Approx(high).epsilon(1e-8).margin(1e-8 * size));
  }
}

// A text has lines to name; what is wrong with a file that is not there, or with binary data, has none.
bool names_lines(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  return stream && bytes.find('\0') == std::string::npos;
}

enum class Verdict { accept, refuse, either };

Verdict verdict_of(const Row& row) {
  const std::string& expected = row.at("expected");
  if (refused_on_purpose.contains(row.at("file"))) return Verdict::refuse;
  if (row.at("format") == "gmsh-msh" && row.at("version").substr(0, 2) == "1.") return Verdict::refuse;
  if (expected.empty() || expected == "accept" || expected == "accept-report") return Verdict::accept;
  if (expected.substr(0, 8) == "error (f" || expected == "error") return Verdict::refuse;
  return Verdict::either;
}

// The other files of TetGen or Vega, which have no rows of numbers of their own.
bool is_companion(const Row& row) {
  return row.at("peculiarity").find("companion file") != std::string::npos;
}

void check_refusal(const MeshError& error) {
  CHECK_FALSE(error.file().empty());
  CHECK_FALSE(error.reason().empty());
  if (error.line() == 0) CHECK_FALSE(names_lines(error.file()));
}

}  // namespace

TEST_CASE("every mesh of the collection is read right, or refused for a reason") {
  if (!fs::exists(collection() / "MANIFEST.tsv")) SKIP_HERE(no_collection());
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (const Row& row : read_manifest()) {
    if (is_companion(row)) continue;
    INFO(row.at("file") << ": " << row.at("peculiarity"));
    const Verdict verdict = verdict_of(row);
    try {
      const CellMesh mesh = read_cells(collection() / row.at("file"));
      ++accepted;
      CHECK(verdict != Verdict::refuse);
      if (!row.at("nV").empty()) {
        compare_counts(mesh, row);
        compare_measures(mesh, row);
      }
      const std::string& expected = row.at("expected");
      // What a reader should warn about is remarked, or the file holds nothing to simulate.
      if (expected == "error-or-warn") CHECK((!mesh.remarks.empty() || mesh.nodes.cols() == 0));
      if (expected == "error-or-empty") CHECK(count_of(mesh, CellKind::tet) == 0);
    } catch (const MeshError& error) {
      ++refused;
      INFO(error.what());
      CHECK(verdict != Verdict::accept);
      check_refusal(error);
    }
  }
  CHECK(accepted > 250);
  CHECK(refused > 60);
}

TEST_CASE("either file of a TetGen pair leads to the same mesh") {
  if (!fs::exists(collection() / "MANIFEST.tsv")) SKIP_HERE(no_collection());
  for (const Row& row : read_manifest()) {
    const fs::path cells = collection() / row.at("file");
    if (row.at("format") != "tetgen" || cells.extension() != ".ele" || row.at("expected") != "") continue;
    INFO(cells.string());
    const CellMesh mesh = read_cells(cells);
    CHECK(mesh.nodes == read_cells(fs::path(cells).replace_extension(".node")).nodes);
  }
}
