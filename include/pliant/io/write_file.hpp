// Writing a whole file.
#pragma once

#include <filesystem>
#include <fstream>
#include <ios>
#include <string>
#include <string_view>
#include <system_error>

#include <pliant/core/error.hpp>

namespace pliant::detail {

// Creates the folders of `path` and writes `bytes` to it. The file is complete or it is not there under this
// name: a program that watches it never sees a part.
inline void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::error_code error;
  if (path.filename().empty()) throw WriteError(path.string(), "names no file");
  if (path.has_parent_path()) {
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) throw WriteError(path.string(), "its folder cannot be created: " + error.message());
  }
  std::filesystem::path part = path;
  part += ".part";
  std::ofstream stream(part, std::ios::binary | std::ios::trunc);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) {
    std::filesystem::remove(part, error);
    throw WriteError(path.string(), "cannot be written");
  }
  std::filesystem::rename(part, path, error);
  if (error) {
    const std::string reason = error.message();
    std::filesystem::remove(part, error);
    throw WriteError(path.string(), "cannot be written: " + reason);
  }
}

}  // namespace pliant::detail
