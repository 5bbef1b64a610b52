// Reads a .vtu file back.
#pragma once

#include "support/catch.hpp"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <pliant/io/input.hpp>

// An independent and simple reader of what write_vtu writes.
class VtuFile {
 public:
  explicit VtuFile(const std::filesystem::path& path) : text_(pliant::detail::io::file_bytes(path)) {
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
    if (size > 0) std::memcpy(result.data(), text_.data() + offset + 8, size);
    return result;
  }

 private:
  std::string text_;
  std::size_t data_ = 0;
};
