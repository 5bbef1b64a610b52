// Any text as the value of an XML attribute.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pliant::detail::io {

// The first code point of the UTF-8 text and its number of bytes, 0 if it is not valid.
struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;
};

inline CodePoint first_code_point(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t bytes = first < 0x80       ? 1
                            : first >> 5 == 6  ? 2
                            : first >> 4 == 14 ? 3
                            : first >> 3 == 30 ? 4
                                               : 0;
  if (bytes == 0 || text.size() < bytes) return {};
  std::uint32_t value = bytes == 1 ? first : first & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if (byte(i) >> 6 != 2) return {};
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  // No longer than needed.
  constexpr std::uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < smallest[bytes]) return {};
  return {value, bytes};
}

// Which code points XML 1.0 allows, section 2.2.
inline bool xml_allows(std::uint32_t c) {
  return c == 0x9 || c == 0xA || c == 0xD || (c >= 0x20 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD) ||
         (c >= 0x10000 && c <= 0x10FFFF);
}

struct XmlText {
  std::string text;
  std::string fault;  // the reason if there is no such text, otherwise empty
};

// The value of an attribute in double quotes that a reader decodes to `text`, which is UTF-8.
inline XmlText xml_attribute(std::string_view text) {
  XmlText result;
  const auto hexadecimal = [](std::uint32_t value) {
    char digits[8];
    return std::string(digits, std::to_chars(digits, digits + sizeof digits, value, 16).ptr);
  };
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = first_code_point(text.substr(i));
    if (c.bytes == 0) {
      result.fault =
          "its name is not UTF-8, it has the byte 0x" + hexadecimal(static_cast<unsigned char>(text[i]));
      return result;
    }
    if (!xml_allows(c.value)) {
      result.fault = "its name has the character 0x" + hexadecimal(c.value) + ", which XML does not allow";
      return result;
    }
    constexpr std::string_view special = "&<>\"\t\n\r";
    if (c.bytes == 1 && special.find(text[i]) != std::string_view::npos) {
      result.text += "&#x" + hexadecimal(c.value) + ";";
    } else {
      result.text += text.substr(i, c.bytes);
    }
    i += c.bytes;
  }
  return result;
}

}  // namespace pliant::detail::io
