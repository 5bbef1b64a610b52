// Writing a whole file, and adding to the end of one.
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <pliant/core/error.hpp>

namespace pliant::detail::io {

[[noreturn]] inline void fail_to_write(const std::filesystem::path& path, int error_number) {
  throw WriteError(path.string(), "cannot be written: " + std::generic_category().message(error_number));
}

// Closes `file`. Returns 0 or an error number.
inline int write_and_close(std::FILE* file, std::string_view bytes) {
  const auto reason = [] { return errno != 0 ? errno : EIO; };
  errno = 0;
  // fwrite takes no null pointer, not even for no bytes.
  const bool written = bytes.empty() || std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  int error = written ? 0 : reason();
  if (std::fclose(file) != 0 && error == 0) error = reason();
  return error;
}

// The folder of a path, with a separator at its end; empty if there is none. It is a string, because a failed
// allocation in a path function of libstdc++ 12 leaves a path that cannot be destroyed.
inline std::filesystem::path::string_type folder_of(const std::filesystem::path& path) {
  const auto& whole = path.native();
  return whole.substr(0, whole.size() - path.filename().native().size());
}

// The destination of the bytes of a file.
struct Destination {
  std::filesystem::path path;
  bool replaced;  // a regular file or a new one; otherwise it is written to directly
  bool exists;
};

// Follows symbolic links, also to a file that does not exist yet, so that the links are kept.
inline Destination destination_of(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) fail_to_write(path, EISDIR);
  const bool exists = std::filesystem::exists(status);
  if (exists && !std::filesystem::is_regular_file(status)) return {path, false, true};
  std::filesystem::path target = path;
  constexpr int most_links = 40;
  for (int link = 0; std::filesystem::is_symlink(std::filesystem::symlink_status(target, error)); ++link) {
    if (link == most_links) fail_to_write(path, ELOOP);
    // The target of /dev/stdout is an open file of this process, under any name.
    const std::string name = target.generic_string();
    if (name.starts_with("/proc/") || name.starts_with("/dev/fd/")) return {path, false, exists};
    const std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error) fail_to_write(path, error.value());
    target = next.is_absolute() ? next : std::filesystem::path(folder_of(target) + next.native());
  }
  return {target, true, exists};
}

// A new file beside `target`, open for writing; null, with errno, if it cannot be created.
inline std::pair<std::FILE*, std::filesystem::path> temporary_beside(const std::filesystem::path& target) {
  static std::atomic<std::uint64_t> counter{0};
  // Names are at most 255 bytes long.
  const std::string stem = target.filename().string().substr(0, 200);
  const auto folder = folder_of(target);
  constexpr int attempts = 100;
  for (int attempt = 0;; ++attempt) {
    const auto time = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    char digits[16];
    char* const end =
        std::to_chars(digits, digits + sizeof digits, (time << 8) + counter.fetch_add(1), 16).ptr;
    const std::filesystem::path name(stem + "." + std::string(digits, end) + ".part");
    std::pair<std::FILE*, std::filesystem::path> result{nullptr, folder + name.native()};
    auto& [file, path] = result;
    errno = 0;
    // "x": fails if the file exists, so that no other writer has it.
    file = std::fopen(path.string().c_str(), "wbx");
    if (file != nullptr || errno != EEXIST || attempt == attempts) return result;
  }
}

// Creates the folders of `path` and writes `bytes` to it. Under this name a regular file is either complete
// or absent: other programs never see a part of it, and of two writers the last one replaces the file. Its
// other names (hard links) keep the old content. A symbolic link is kept, and its target is written. Devices
// and pipes are written to directly.
inline void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::error_code error;
  if (path.filename().empty()) throw WriteError(path.string(), "names no file");
  if (path.has_parent_path()) {
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) throw WriteError(path.string(), "its folder cannot be created: " + error.message());
  }
  const Destination destination = destination_of(path);
  if (!destination.replaced || destination.exists) {
    // The file to be replaced is opened too, to check the permission to write it.
    errno = 0;
    std::FILE* const file = std::fopen(destination.path.string().c_str(), "ab");
    if (file == nullptr) fail_to_write(path, errno);
    const int error_number = write_and_close(file, destination.replaced ? std::string_view() : bytes);
    if (error_number != 0) fail_to_write(path, error_number);
    if (!destination.replaced) return;
  }
  const auto [file, part] = temporary_beside(destination.path);
  if (file == nullptr) fail_to_write(path, errno);
  int error_number = write_and_close(file, bytes);
  if (error_number == 0 && destination.exists) {
    const auto status = std::filesystem::status(destination.path, error);
    if (!error) std::filesystem::permissions(part, status.permissions(), error);
  }
  if (error_number == 0) {
    std::filesystem::rename(part, destination.path, error);
    error_number = error ? error.value() : 0;
  }
  if (error_number == 0) return;
  std::filesystem::remove(part, error);
  fail_to_write(path, error_number);
}

// Writes `bytes` and then `tail` in place of the `tail` that a regular file ends with at `position`: both at
// once, so that a program that is stopped leaves the file with its tail. Returns false without a change if
// the file ends differently or is too large for the type of its size. Throws WriteError; then the file is
// unchanged.
inline bool insert_before_tail(const std::filesystem::path& path, std::uintmax_t position,
                               std::string_view bytes, std::string_view tail) {
  std::error_code error;
  if (position > static_cast<std::uintmax_t>(std::numeric_limits<long>::max()) ||
      !std::filesystem::is_regular_file(path, error) ||
      std::filesystem::file_size(path, error) != position + tail.size()) {
    return false;
  }
  // Before the file is opened, because a failed allocation would leave it open.
  const std::string name = path.string();
  const std::string new_end = std::string(bytes).append(tail);
  std::string found(tail.size(), '\0');
  const auto open_at_tail = [&]() -> std::FILE* {
    std::FILE* const file = std::fopen(name.c_str(), "r+b");
    if (file == nullptr) return nullptr;
    if (std::fseek(file, static_cast<long>(position), SEEK_SET) == 0) return file;
    std::fclose(file);
    return nullptr;
  };
  errno = 0;
  std::FILE* const file = open_at_tail();
  if (file == nullptr) fail_to_write(path, errno);
  const bool as_expected = std::fread(found.data(), 1, found.size(), file) == found.size() && found == tail;
  if (!as_expected || std::fseek(file, static_cast<long>(position), SEEK_SET) != 0) {
    std::fclose(file);
    return false;
  }
  const int error_number = write_and_close(file, new_end);
  if (error_number == 0) return true;
  if (std::FILE* const again = open_at_tail()) write_and_close(again, tail);
  std::filesystem::resize_file(path, position + tail.size(), error);
  fail_to_write(path, error_number);
}

}  // namespace pliant::detail::io
