#include "io/reading.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/stat.h>
#include <unistd.h>
#endif

#include <pliant/io/input.hpp>
#include <pliant/io/write_file.hpp>
#include <pliant/io/xml_text.hpp>

using namespace pliant;

namespace {

std::ptrdiff_t entries_of(const std::filesystem::path& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

void check_not_written(const std::filesystem::path& path, const std::string& reason) {
  try {
    detail::io::write_file(path, "x");
    FAIL("was written: " << path);
  } catch (const WriteError& error) {
    INFO(error.what());
    CHECK(error.file() == path.string());
    CHECK(std::string(error.what()).find(reason) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("a file is written with its folders, replaced, and nothing is left beside it") {
  const TemporaryFolder folder;
  const auto path = folder.path / "a" / "b" / (std::string(240, 'x') + ".obj");
  detail::io::write_file(path, "one");
  CHECK(detail::io::file_bytes(path) == "one");
  detail::io::write_file(path, std::string("t\0o", 3));
  CHECK(detail::io::file_bytes(path) == std::string("t\0o", 3));
  CHECK(entries_of(path.parent_path()) == 1);
}

TEST_CASE("a file of the user's that ends in .part is not touched") {
  const TemporaryFolder folder;
  const auto mine = folder.write("x.vtu.part", "mine");
  detail::io::write_file(folder.path / "x.vtu", "one");
  CHECK(detail::io::file_bytes(mine) == "mine");
  check_not_written(folder.path / "x.vtu.part" / "y", "folder cannot be created");
  CHECK(entries_of(folder.path) == 2);
}

TEST_CASE("why a file cannot be written is said in the words of the system") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path / "x.vtu");
  check_not_written(folder.path / "x.vtu", "cannot be written: Is a directory");
  check_not_written(folder.path / std::string(300, 'x'), "cannot be written: File name too long");
  check_not_written(folder.path / "", "names no file");
  if (std::filesystem::exists("/dev/full")) {
    check_not_written("/dev/full", "cannot be written: No space left on device");
    CHECK(std::filesystem::is_character_file("/dev/full"));
  }
  CHECK(entries_of(folder.path) == 1);
}

#if defined(__unix__) || defined(__APPLE__)

TEST_CASE("symbolic links stay, and what they lead to is written") {
  const TemporaryFolder folder;
  folder.write("store/target", "old");
  std::filesystem::create_symlink("store/target", folder.path / "link");
  std::filesystem::create_symlink(folder.path / "link", folder.path / "second");
  std::filesystem::create_symlink("store/none", folder.path / "dangling");
  detail::io::write_file(folder.path / "link", "new");
  CHECK(std::filesystem::is_symlink(folder.path / "link"));
  CHECK(detail::io::file_bytes(folder.path / "store" / "target") == "new");
  detail::io::write_file(folder.path / "second", "newer");
  CHECK(std::filesystem::is_symlink(folder.path / "second"));
  CHECK(detail::io::file_bytes(folder.path / "store" / "target") == "newer");
  detail::io::write_file(folder.path / "dangling", "first");
  CHECK(std::filesystem::is_symlink(folder.path / "dangling"));
  CHECK(detail::io::file_bytes(folder.path / "store" / "none") == "first");
  // A link in the path of the folder.
  std::filesystem::create_directory_symlink("store", folder.path / "folder");
  detail::io::write_file(folder.path / "folder" / "third", "third");
  CHECK(detail::io::file_bytes(folder.path / "store" / "third") == "third");
  CHECK(entries_of(folder.path / "store") == 3);
  CHECK(entries_of(folder.path) == 5);
  std::filesystem::create_symlink("round", folder.path / "round");
  check_not_written(folder.path / "round", "cannot be written: Too many levels of symbolic links");
}

TEST_CASE("the permissions of a file that is replaced are kept") {
  const TemporaryFolder folder;
  const auto path = folder.write("x", "old");
  const auto mine = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
  std::filesystem::permissions(path, mine);
  detail::io::write_file(path, "new");
  CHECK(std::filesystem::status(path).permissions() == mine);
  std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  if (::geteuid() == 0) return;  // to whom nothing is forbidden
  check_not_written(path, "cannot be written: Permission denied");
  CHECK(detail::io::file_bytes(path) == "new");
}

TEST_CASE("a pipe is written straight into, and stays one") {
  const TemporaryFolder folder;
  const auto path = folder.path / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::string read;
  std::thread reader([&] {
    std::ifstream stream(path, std::ios::binary);
    read.assign(std::istreambuf_iterator<char>(stream), {});
  });
  const std::string bytes(200000, 'x');
  detail::io::write_file(path, bytes);
  reader.join();
  CHECK(read == bytes);
  CHECK(std::filesystem::is_fifo(path));
  CHECK(entries_of(folder.path) == 1);
}

TEST_CASE("an open file of the process is written into under the name of its descriptor") {
  const TemporaryFolder folder;
  const auto path = folder.write("log", "before ");
  std::FILE* const file = std::fopen(path.c_str(), "r+b");
  const std::filesystem::path name = "/dev/fd/" + std::to_string(::fileno(file));
  if (std::filesystem::exists(name)) {
    std::filesystem::create_symlink(name, folder.path / "link");
    detail::io::write_file(folder.path / "link", "after");
    CHECK(detail::io::file_bytes(path) == "before after");
    std::string same(5, '\0');
    std::fseek(file, 7, SEEK_SET);
    CHECK(std::fread(same.data(), 1, 5, file) == 5);
    CHECK(same == "after");
  }
  std::fclose(file);
}

#endif

TEST_CASE("two writers of one file never tear it") {
  const TemporaryFolder folder;
  const auto path = folder.path / "x";
  detail::io::write_file(path, std::string(100000, 'a'));
  std::atomic<int> running = 2;
  const auto write = [&](char letter) {
    for (int i = 0; i < 100; ++i) detail::io::write_file(path, std::string(100000, letter));
    --running;
  };
  std::thread first(write, 'a'), second(write, 'b');
  int torn = 0;
  while (running > 0) {
    const std::string bytes = detail::io::file_bytes(path);
    torn += bytes == std::string(100000, bytes[0]) ? 0 : 1;
  }
  first.join();
  second.join();
  CHECK(torn == 0);
  CHECK(entries_of(folder.path) == 1);
}

TEST_CASE("what is inserted before the tail of a file leaves the rest in place") {
  const TemporaryFolder folder;
  const auto path = folder.write("x", "head TAIL");
  CHECK(detail::io::insert_before_tail(path, 5, "one ", "TAIL"));
  CHECK(detail::io::file_bytes(path) == "head one TAIL");
  // A file that ends otherwise, is longer or is not there is left alone.
  CHECK_FALSE(detail::io::insert_before_tail(path, 5, "one ", "TAIL"));
  CHECK_FALSE(detail::io::insert_before_tail(path, 9, "one ", "tail"));
  CHECK_FALSE(detail::io::insert_before_tail(folder.path / "none", 0, "one ", ""));
  CHECK(detail::io::file_bytes(path) == "head one TAIL");
}

TEST_CASE("a text as the value of an XML attribute") {
  const auto xml = [](std::string_view text) { return detail::io::xml_attribute(text).text; };
  const auto fault = [](std::string_view text) { return detail::io::xml_attribute(text).fault; };
  CHECK(xml("a&<>\"'\t\n\r") == "a&#x26;&#x3c;&#x3e;&#x22;'&#x9;&#xa;&#xd;");
  const std::string letters = "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \x7F";
  CHECK(xml(letters) == letters);
  CHECK(fault(letters).empty());
  CHECK(fault("caf\xE9").find("is not UTF-8, it has the byte 0xe9") != std::string::npos);
  CHECK(fault("caf\xC3").find("the byte 0xc3") != std::string::npos);   // cut
  CHECK(fault("\xC0\xAF").find("the byte 0xc0") != std::string::npos);  // longer than needed
  CHECK(fault("\xF5\x80\x80\x80").find("character 0x140000") != std::string::npos);
  CHECK(fault("\x01").find("the character 0x1, which XML does not allow") != std::string::npos);
  CHECK(fault("\xED\xA0\x80").find("character 0xd800") != std::string::npos);  // half of a pair
  CHECK(fault("\xEF\xBF\xBF").find("character 0xffff") != std::string::npos);
}
