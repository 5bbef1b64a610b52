// Memory that runs out, once, anywhere in what writes files.
#include "allocations.hpp"
#include "io/sample_snapshot.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <new>
#include <optional>
#include <string>

#include <pliant/io/obj.hpp>
#include <pliant/io/vtk_series.hpp>
#include <pliant/mesh/boundary.hpp>

#if CAN_COUNT_ALLOCATIONS

using namespace pliant;

namespace {

using Files = std::map<std::string, std::string>;  // bytes by name

Files files_of(const std::filesystem::path& folder) {
  Files files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    files[entry.path().filename().string()].assign(std::istreambuf_iterator<char>(stream), {});
  }
  return files;
}

struct Written {
  Files files;
  long allocations = 0;
  int failures = 0;
};

// Writes a series of three frames, and a surface through a link, in a folder of their own. The k-th
// allocation fails, k from 1 on, and what it breaks off is done again.
Written write_all(const SampleSnapshot<double>& snapshot, long k) {
  const TemporaryFolder folder;
  const auto faces = boundary_faces(snapshot.mesh()).faces;
  std::filesystem::create_symlink("surface.obj", folder.path / "link.obj");
  Written result;
  const auto attempt = [&](auto&& action) {
    for (bool done = false; !done;) {
      const long at_first = allocations;
      failing_allocation = k > result.allocations ? at_first + k - result.allocations : 0;
      try {
        action();
        done = true;
      } catch (const std::bad_alloc&) {
        ++result.failures;
      } catch (const WriteError&) {  // a stream says no more than that it failed
        ++result.failures;
      }
      failing_allocation = 0;
      result.allocations += allocations - at_first;
    }
  };
  std::optional<VtkSeries> series;
  attempt([&] { series.emplace(folder.path / "series"); });
  for (int frame = 0; frame < 3; ++frame) attempt([&] { series->write(snapshot); });
  attempt([&] { write_obj(folder.path / "link.obj", snapshot.positions(), faces); });
  CHECK(series->frame_count() == 3);
  CHECK(std::filesystem::is_symlink(folder.path / "link.obj"));
  result.files = files_of(folder.path);
  return result;
}

}  // namespace

TEST_CASE("Files are the same, and no others are left, where an allocation has failed") {
  const SampleSnapshot<double> snapshot;
  const Written undisturbed = write_all(snapshot, 0);
  REQUIRE(undisturbed.failures == 0);
  REQUIRE(undisturbed.files.size() == 6);  // three frames, an index, a surface and the link to it
  REQUIRE(undisturbed.allocations > 50);
  int failures = 0;
  for (long k = 1; k <= undisturbed.allocations; ++k) {
    const Written written = write_all(snapshot, k);
    failures += written.failures;
    INFO("allocation " << k << " of " << undisturbed.allocations);
    CHECK(written.files == undisturbed.files);
  }
  CHECK(failures > undisturbed.allocations / 2);
}

#else

TEST_CASE("Allocations cannot fail where files are written") {
  WARN("skipped: there is a sanitizer, or another C library than glibc");
}

#endif
