// The bytes of a mesh file and a position in them, used by all readers: no read passes the end, and a
// declared count is accepted only if the rest of the file has room for it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#if __has_include(<sys/stat.h>) && !defined(_WIN32)
#include <sys/stat.h>
#define PLIANT_HAS_STAT_BLOCKS
#endif

#include <pliant/core/error.hpp>

namespace pliant::detail::io {

// The number of bytes of a file that take up no disk space; all bytes if the system does not report it.
inline std::uintmax_t bytes_in_holes(const std::filesystem::path& path, std::uintmax_t size) {
#ifdef PLIANT_HAS_STAT_BLOCKS
  struct stat status;
  constexpr std::uintmax_t block = 512;  // unit of st_blocks, regardless of the block size of the disk
  if (::stat(path.c_str(), &status) == 0) {
    return size - std::min(size, block * static_cast<std::uintmax_t>(status.st_blocks));
  }
#endif
  return size;
}

// The contents of a regular file. Memory grows with the bytes read, because the reported size of the file may
// be wrong. The holes of a sparse file cost nothing on the disk, but memory here: a file with more than
// `most_zeros` bytes in holes is rejected as soon as that many consecutive zero bytes have been read.
inline std::string file_bytes(const std::filesystem::path& path,
                              std::size_t most_zeros = std::size_t{1} << 28) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw MeshError(path.string(), 0, "there is no such file");
  // A pipe or a device could block forever or never end.
  if (!std::filesystem::is_regular_file(path, error))
    throw MeshError(path.string(), 0, "is not a regular file");
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::ifstream stream(path, std::ios::binary);
  if (error || !stream) throw MeshError(path.string(), 0, "cannot be opened for reading");
  const std::string too_large = "does not fit into the memory: " + std::to_string(size) + " bytes";
  std::string bytes;
  std::size_t zeros_begin = 0;  // of the zeros at the end of the bytes
  try {
    constexpr std::size_t smallest_piece = std::size_t{1} << 20;
    constexpr std::size_t largest_piece = std::size_t{1} << 26;
    while (stream) {
      const std::size_t start = bytes.size();
      const std::uintmax_t unread = size > start ? size - start : 0;
      // One byte more than the rest of the file, so that one read detects the end.
      const auto piece = static_cast<std::size_t>(
          std::min<std::uintmax_t>(std::clamp(start, smallest_piece, largest_piece), unread + 1));
      bytes.resize(start + piece);
      stream.read(bytes.data() + start, static_cast<std::streamsize>(piece));
      bytes.resize(start + static_cast<std::size_t>(stream.gcount()));
      for (std::size_t end = bytes.size(); end > start; --end) {
        if (bytes[end - 1] == '\0') continue;
        zeros_begin = end;
        break;
      }
      if (bytes.size() - zeros_begin > most_zeros && bytes_in_holes(path, size) > most_zeros) {
        throw MeshError(path.string(), 0,
                        "is a sparse file: of the " + std::to_string(size) +
                            " bytes that it claims, those from " + std::to_string(zeros_begin) + " to " +
                            std::to_string(bytes.size()) + " are zero");
      }
    }
  } catch (const std::bad_alloc&) {
    throw MeshError(path.string(), 0, too_large);
  } catch (const std::length_error&) {
    throw MeshError(path.string(), 0, too_large);
  }
  if (stream.bad() || bytes.size() < size) {
    throw MeshError(path.string(), 0, "cannot be read to its end");
  }
  return bytes;
}

// Without regard to the case of ASCII letters.
inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

// A word of a file in quotes, shortened for messages.
inline std::string in_quotes(std::string_view word) {
  constexpr std::size_t longest = 32;
  std::string text = "'";
  for (const char c : word.substr(0, longest)) text += (c >= ' ' && c <= '~') ? c : '?';
  return text + (word.size() > longest ? "...'" : "'");
}

// How a text format separates its words, besides blanks and line ends.
struct TextSyntax {
  char comment = '\0';    // starts a comment that runs to the end of the line
  char separator = '\0';  // counts as a blank
};

// The origin of a range of bytes, for messages.
struct Origin {
  std::size_t offset = 0;     // of its first byte among all bytes
  std::string file;           //
  std::size_t line_base = 0;  // lines of `file` before it
};

class Input {
 public:
  Input(std::string_view bytes, std::string file, TextSyntax syntax = {})
      : Input(bytes, std::vector<Origin>{{0, std::move(file), 0}}, syntax) {}

  // Bytes concatenated from several files; the first origin has offset 0.
  Input(std::string_view bytes, std::vector<Origin> origins, TextSyntax syntax = {})
      : bytes_(bytes), origins_(std::move(origins)), comment_(syntax.comment) {
    for (const char blank : {' ', '\t', '\r', '\n', '\v', '\f'}) blank_[index(blank)] = true;
    if (syntax.separator != '\0') blank_[index(syntax.separator)] = true;
    if (bytes_.substr(0, 3) == "\xEF\xBB\xBF") position_ = 3;  // UTF-8 byte-order mark
  }

  std::size_t position() const { return position_; }
  void seek(std::size_t position) { position_ = word_ = position; }
  std::size_t size() const { return bytes_.size(); }
  std::size_t remaining() const { return bytes_.size() - position_; }
  std::string_view rest() const { return bytes_.substr(position_); }
  const std::string& file() const { return origins_.front().file; }

  // Text
  // ---------------------------------------------------------------------------------------------------------

  // The next word, or an empty one at the end.
  std::string_view peek_word() {
    skip_blanks();
    word_ = position_;
    std::size_t end = position_;
    while (end < bytes_.size() && !ends_word(bytes_[end])) ++end;
    return bytes_.substr(position_, end - position_);
  }

  std::string_view next_word() {
    const std::string_view word = peek_word();
    position_ += word.size();
    return word;
  }

  // `what` is for the message: "expected the number of nodes, found 'abc'".
  std::string_view word(const char* what) {
    const std::string_view text = next_word();
    if (text.empty()) fail_at_end(what);
    return text;
  }

  std::int64_t integer(const char* what) {
    const char* first = start_number(what);
    std::int64_t value = 0;
    const auto [stop, status] = std::from_chars(first, bytes_end(), value);
    if (status == std::errc::result_out_of_range) fail("the number " + found() + " is too large");
    if (status != std::errc{} || !ends_number(stop)) fail_expected(what);
    position_ = static_cast<std::size_t>(stop - bytes_.data());
    return value;
  }

  // A finite number. Takes 1, -.5, +1e-3 and Fortran's 1.0D+00.
  double real(const char* what) {
    const char* first = start_number(what);
    double value = 0;
    const auto [stop, status] = std::from_chars(first, bytes_end(), value);
    if (status == std::errc{} && ends_number(stop)) {
      position_ = static_cast<std::size_t>(stop - bytes_.data());
    } else {
      value = unusual_real(what);
    }
    if (!core::is_finite(value)) fail(std::string(what) + " is " + found() + ", not a finite number");
    return value;
  }

  // Whether the next number, if any, stands on a later line.
  bool at_line_end() {
    skip_blanks_in_line();
    return position_ == bytes_.size() || is_line_end(bytes_[position_]);
  }

  // `after` is for the message: "unexpected '7' after the coordinates".
  void expect_line_end(const char* after) {
    if (at_line_end()) return;
    fail("unexpected " + in_quotes(peek_word()) + " after " + after);
  }

  // The rest of the line, without its end, which is consumed.
  std::string_view line() {
    word_ = position_;
    const std::size_t start = position_;
    while (position_ < bytes_.size() && !is_line_end(bytes_[position_])) ++position_;
    const std::string_view text = bytes_.substr(start, position_ - start);
    if (rest().substr(0, 2) == "\r\n") ++position_;
    if (position_ < bytes_.size()) ++position_;
    return text;
  }

  // Binary
  // -------------------------------------------------------------------------------------------------------

  // From here on messages name a byte, not a line. `swap`: the file has the other byte order.
  void set_binary(bool swap) {
    binary_ = true;
    swap_ = swap;
  }

  template <class T>
  T number(const char* what) {
    word_ = position_;
    if (remaining() < sizeof(T)) fail_at_end(what);
    std::array<char, sizeof(T)> raw;
    std::memcpy(raw.data(), bytes_.data() + position_, sizeof(T));
    if (swap_) std::reverse(raw.begin(), raw.end());
    position_ += sizeof(T);
    return std::bit_cast<T>(raw);
  }

  // A finite float or double.
  template <class T>
  double finite_number(const char* what) {
    const double value = static_cast<double>(number<T>(what));
    if (!core::is_finite(value)) fail(std::string(what) + " is not a finite number");
    return value;
  }

  void skip(std::size_t count, const char* what) {
    if (remaining() < count) fail_at_end(what);
    position_ += count;
  }

  // Counts and indices
  // -------------------------------------------------------------------------------------------

  // A declared number of items, each of which takes at least `bytes_each` bytes of the rest of the file.
  template <std::integral T>
  std::size_t count(T declared, std::size_t bytes_each, const char* items) const {
    if (declared < 0)
      fail("the number of " + std::string(items) + " is negative: " + std::to_string(declared));
    // One byte more: the last item of a text needs no blank after it.
    const std::uint64_t room = (remaining() + 1) / bytes_each;
    if (static_cast<std::uint64_t>(declared) > room) {
      fail(std::to_string(declared) + " " + items + " are declared, but the rest of the file has room for " +
           std::to_string(room) + " at most");
    }
    if (room > largest_int && static_cast<std::uint64_t>(declared) > largest_int) {
      fail(std::to_string(declared) + " " + items + " are more than an int can number");
    }
    return static_cast<std::size_t>(declared);
  }

  // Throws unless the next word of the text is a number. `listed` of the `declared` items have been read.
  void expect_item(std::size_t listed, std::size_t declared, const char* items) {
    skip_blanks();
    word_ = position_;
    if (position_ < bytes_.size()) {
      const char c = bytes_[position_];
      if ((c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.') return;
      if (is_not_finite_word(peek_word())) return;
    }
    fail(std::to_string(declared) + " " + items + " are declared, but " + std::to_string(listed) +
         " are listed: " + (position_ == bytes_.size() ? "the file ends" : found() + " follows"));
  }

  // Whether a word stands for a number that is not finite.
  static bool is_not_finite_word(std::string_view word) {
    return equal_ignoring_case(word, "nan") || equal_ignoring_case(word, "inf") ||
           equal_ignoring_case(word, "infinity");
  }

  // A node index that must lie in [base, base + count); returned from 0.
  int node_index(std::int64_t index, std::int64_t base, std::size_t count) const {
    // The difference is taken without sign: no pair of numbers overflows it.
    const std::uint64_t offset = static_cast<std::uint64_t>(index) - static_cast<std::uint64_t>(base);
    if (index < base || offset >= count) {
      fail("a cell refers to node " + std::to_string(index) + ", but the nodes are " +
           (count == 0 ? std::string("none")
                       : std::to_string(base) + " to " +
                             std::to_string(base + static_cast<std::int64_t>(count) - 1)));
    }
    return static_cast<int>(offset);
  }

  int region_number(std::int64_t number) const {
    constexpr std::int64_t largest = largest_int;
    if (number > largest || number < -largest) {
      fail("the region number " + std::to_string(number) + " does not fit into an int");
    }
    return static_cast<int>(number);
  }

  // Failure
  // ------------------------------------------------------------------------------------------------------

  // Throws a MeshError that names the line (text) or the byte (binary data) of the last word or number read.
  [[noreturn]] void fail(const std::string& reason) const { fail(reason, word_); }

  [[noreturn]] void fail(const std::string& reason, std::size_t position) const {
    throw error_at(position, reason);
  }

  MeshError error_at(std::size_t position, const std::string& reason) const {
    if (binary_) return {file(), 0, reason + " (at byte " + std::to_string(position) + ")"};
    std::size_t piece = origins_.size() - 1;
    while (origins_[piece].offset > position) --piece;
    const Origin& origin = origins_[piece];
    return {origin.file, origin.line_base + 1 + line_ends(origin.offset, position), reason};
  }

  // Line ends in [first, last): "\n", "\r\n" or a lone "\r".
  std::size_t line_ends(std::size_t first, std::size_t last) const {
    std::size_t count = 0;
    for (std::size_t i = first; i < last; ++i) {
      const bool lone_return = bytes_[i] == '\r' && (i + 1 == bytes_.size() || bytes_[i + 1] != '\n');
      count += (bytes_[i] == '\n' || lone_return) ? 1u : 0u;
    }
    return count;
  }

 private:
  static constexpr auto largest_int = static_cast<std::uint32_t>(std::numeric_limits<int>::max());

  static std::size_t index(char c) { return static_cast<unsigned char>(c); }
  static bool is_line_end(char c) { return c == '\n' || c == '\r'; }
  bool ends_word(char c) const { return blank_[index(c)] || (comment_ != '\0' && c == comment_); }
  const char* bytes_end() const { return bytes_.data() + bytes_.size(); }
  bool ends_number(const char* stop) const { return stop == bytes_end() || ends_word(*stop); }

  void skip_blanks() {
    while (position_ < bytes_.size()) {
      const char c = bytes_[position_];
      if (blank_[index(c)]) {
        ++position_;
      } else if (comment_ != '\0' && c == comment_) {
        skip_comment();
      } else {
        return;
      }
    }
  }

  void skip_blanks_in_line() {
    while (position_ < bytes_.size() && blank_[index(bytes_[position_])] && !is_line_end(bytes_[position_])) {
      ++position_;
    }
    if (position_ < bytes_.size() && comment_ != '\0' && bytes_[position_] == comment_) skip_comment();
  }

  void skip_comment() {
    while (position_ < bytes_.size() && !is_line_end(bytes_[position_])) ++position_;
  }

  // The first character of the next word; a plus sign, which from_chars refuses, is passed.
  const char* start_number(const char* what) {
    skip_blanks();
    word_ = position_;
    if (position_ == bytes_.size()) fail_at_end(what);
    const char* first = bytes_.data() + position_;
    return *first == '+' && first + 1 != bytes_end() && first[1] != '-' ? first + 1 : first;
  }

  // A Fortran exponent, or a number outside the range of double.
  double unusual_real(const char* what) {
    std::string text(next_word());
    if (!text.empty() && text[0] == '+' && text.substr(0, 2) != "+-") text.erase(0, 1);
    for (char& c : text) {
      if (c == 'd' || c == 'D') c = 'e';
    }
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, value);
    if (stop != end || status == std::errc::invalid_argument) fail_expected(what);
    if (status == std::errc{}) return value;
    return is_tiny(text) ? 0 : std::numeric_limits<double>::infinity();
  }

  // Whether a well-formed number outside the range of double is too small for it, not too large.
  static bool is_tiny(std::string_view text) {
    const std::size_t e = text.find_first_of("eE");
    std::int64_t exponent = 0;
    if (e != std::string_view::npos) {
      const std::size_t first = e + (text[e + 1] == '+' ? 2u : 1u);
      const auto status = std::from_chars(text.data() + first, text.data() + text.size(), exponent);
      if (status.ec == std::errc::result_out_of_range) return text[first] == '-';
    }
    const std::string_view mantissa = text.substr(0, e);
    const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
    const std::size_t digit = std::min(mantissa.find_first_of("123456789"), mantissa.size());
    constexpr std::int64_t large = std::int64_t{1} << 60;
    exponent = std::clamp(exponent, -large, large);
    return exponent + static_cast<std::int64_t>(point) - static_cast<std::int64_t>(digit) < 0;
  }

  std::string found() const {
    std::size_t end = word_;
    while (end < bytes_.size() && !ends_word(bytes_[end])) ++end;
    return in_quotes(bytes_.substr(word_, end - word_));
  }

  [[noreturn]] void fail_expected(const char* what) const {
    fail("expected " + std::string(what) + ", found " + found());
  }
  [[noreturn]] void fail_at_end(const char* what) const {
    fail("the file ends where " + std::string(what) + " should follow", bytes_.size());
  }

  std::string_view bytes_;
  std::vector<Origin> origins_;
  char comment_;
  std::array<bool, 256> blank_{};
  std::size_t position_ = 0;
  std::size_t word_ = 0;  // start of the last word or number read, for messages
  bool binary_ = false;
  bool swap_ = false;
};

}  // namespace pliant::detail::io
