// A folder for the files that a test writes.
#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>

// A folder of its own, gone at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    path = std::filesystem::temp_directory_path() / ("pliant_" + std::to_string(std::random_device()()));
    std::filesystem::create_directories(path);
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path write(const std::string& name, std::string_view bytes) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name, std::ios::binary) << bytes;
    return path / name;
  }

  std::filesystem::path path;
};
