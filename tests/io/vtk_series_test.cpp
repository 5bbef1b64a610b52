#include "io/reading.hpp"
#include "io/sample_snapshot.hpp"

#include <filesystem>
#include <limits>
#include <string>

#include <pliant/io/input.hpp>
#include <pliant/io/vtk_series.hpp>

using namespace pliant;

namespace {

std::string index_of(const std::string& entries) {
  return "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n" +
         entries + "  </Collection>\n</VTKFile>\n";
}

}  // namespace

TEST_CASE("a series: numbered frames, and an index that is complete after each") {
  const TemporaryFolder folder;
  VtkSeries out(folder.path / "new" / "folder" / "body");
  CHECK(out.index() == folder.path / "new" / "folder" / "body.pvd");
  CHECK(out.frame_count() == 0);
  SampleSnapshot<double> state;
  out.write(state);
  const std::string first = "    <DataSet timestep=\"0\" file=\"body_0000.vtu\"/>\n";
  CHECK(detail::io::file_bytes(out.index()) == index_of(first));
  state.t = 0.1;
  state.x.setZero();
  out.write(state);
  CHECK(detail::io::file_bytes(out.index()) ==
        index_of(first + "    <DataSet timestep=\"0.1\" file=\"body_0001.vtu\"/>\n"));
  CHECK(out.frame_count() == 2);
  const auto frame = [&](const char* name) {
    return detail::io::file_bytes(folder.path / "new" / "folder" / name);
  };
  CHECK(frame("body_0000.vtu").size() == frame("body_0001.vtu").size());
  CHECK(frame("body_0000.vtu") != frame("body_0001.vtu"));
  // Nothing else is left lying about.
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path / "new" / "folder"), {}) == 3);
}

TEST_CASE("a stem may hold points and characters that XML reserves") {
  const TemporaryFolder folder;
  VtkSeries out(folder.path / "a.b&\"<c");
  out.write(SampleSnapshot<double>{});
  CHECK(
      detail::io::file_bytes(folder.path / "a.b&\"<c.pvd").find("file=\"a.b&#x26;&#x22;&#x3c;c_0000.vtu\"") !=
      std::string::npos);
}

TEST_CASE("a frame that cannot be written leaves the series as it was") {
  const TemporaryFolder folder;
  VtkSeries out(folder.path / "body");
  out.write(SampleSnapshot<double>{});
  const std::string index = detail::io::file_bytes(out.index());
  std::filesystem::create_directories(folder.path / "body_0001.vtu" / "x");
  CHECK_THROWS_AS(out.write(SampleSnapshot<double>{}), WriteError);
  CHECK(out.frame_count() == 1);
  CHECK(detail::io::file_bytes(out.index()) == index);
  std::filesystem::remove_all(folder.path / "body_0001.vtu");
  out.write(SampleSnapshot<double>{});
  CHECK(out.frame_count() == 2);
}

TEST_CASE("the index grows in place") {
  const TemporaryFolder folder;
  SampleSnapshot<double> state;
  VtkSeries out(folder.path / "body");
  out.write(state);
  const auto same = folder.path / "same";
  std::filesystem::create_hard_link(out.index(), same);
  std::string entries;
  for (int frame = 0; frame < 3; ++frame) {
    if (frame > 0) out.write(state);
    entries += "    <DataSet timestep=\"0\" file=\"body_000" + std::to_string(frame) + ".vtu\"/>\n";
    CHECK(detail::io::file_bytes(out.index()) == index_of(entries));
    CHECK(std::filesystem::equivalent(out.index(), same));
  }
  // Where somebody has changed or removed it, it is written anew.
  for (const bool removed : {false, true}) {
    folder.write("body.pvd", "not what it was");
    if (removed) std::filesystem::remove(out.index());
    out.write(state);
    entries += "    <DataSet timestep=\"0\" file=\"body_000" + std::to_string(removed ? 4 : 3) + ".vtu\"/>\n";
    CHECK(detail::io::file_bytes(out.index()) == index_of(entries));
  }
  // A new series of the same name begins anew.
  VtkSeries(folder.path / "body").write(state);
  CHECK(detail::io::file_bytes(out.index()) ==
        index_of("    <DataSet timestep=\"0\" file=\"body_0000.vtu\"/>\n"));
}

TEST_CASE("a series can begin with the state that a simulation has before its first step") {
  const TemporaryFolder folder;
  SampleSnapshot<double> state;
  VtkSeries out(folder.path / "body", state);
  CHECK(out.frame_count() == 1);
  CHECK(detail::io::file_bytes(out.index()) ==
        index_of("    <DataSet timestep=\"0\" file=\"body_0000.vtu\"/>\n"));
}

TEST_CASE("names that XML cannot hold are refused before anything is written") {
  const TemporaryFolder folder;
  for (const std::string name : {"a\x01", "caf\xE9"}) {
    VtkSeries out(folder.path / name);
    CHECK_THROWS_AS(out.write(SampleSnapshot<double>{}), WriteError);
    CHECK(std::filesystem::is_empty(folder.path));
  }
  VtkSeries(folder.path / "two\nlines").write(SampleSnapshot<double>{});
  CHECK(detail::io::file_bytes(folder.path / "two\nlines.pvd").find("file=\"two&#xa;lines_0000.vtu\"") !=
        std::string::npos);
}

TEST_CASE("a time that is not finite is refused") {
  const TemporaryFolder folder;
  SampleSnapshot<double> state;
  state.t = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(VtkSeries(folder.path / "body").write(state), ParameterError);
  CHECK(std::filesystem::is_empty(folder.path));
}

TEST_CASE("a stem must name a file") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(VtkSeries(folder.path / "").write(SampleSnapshot<double>{}), WriteError);
}
