// The typed errors that the library throws. Each names the wrong value, so that a program can react to it and
// its message tells the user what to change.
#pragma once

#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "pliant needs infinities and NaN: add -fno-finite-math-only where -ffast-math is on"
#endif

#if !defined(__cpp_exceptions) && !defined(_CPPUNWIND)
#error "pliant reports bad input by exceptions: compile the files that include it without -fno-exceptions"
#include <pliant/needs_exceptions>  // there is no such file, so that compilers stop here
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace pliant {

namespace detail::core {

// True if `value` is neither infinite nor NaN; tested on its bits, so that -ffast-math cannot remove the
// test.
inline bool is_finite(double value) {
  constexpr std::uint64_t exponent = 0x7ff0000000000000u;
  return (std::bit_cast<std::uint64_t>(value) & exponent) != exponent;
}

// A number with its unit in the form used by messages: "0.5 N", "infinite", "not a number".
inline std::string in_words(double value, const char* unit = "", int digits = 3) {
  if (!is_finite(value)) return value > 0 ? "infinite" : value < 0 ? "minus infinite" : "not a number";
  std::ostringstream text;
  text.precision(digits);
  text << value << (*unit == 0 ? "" : " ") << unit;
  return text.str();
}

}  // namespace detail::core

// Base of all exceptions of the library's own.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A parameter outside its admissible range, e.g. "poisson_ratio = 0.5: must lie in (-1, 0.5)".
class ParameterError : public Error {
 public:
  ParameterError(std::string parameter, double value, const std::string& requirement)
      : Error(describe(parameter, value, requirement)),
        parameter_(std::move(parameter)),
        requirement_(requirement),
        value_(value) {}

  const std::string& parameter() const noexcept { return parameter_; }
  const std::string& requirement() const noexcept { return requirement_; }
  double value() const noexcept { return value_; }

 private:
  static std::string describe(const std::string& parameter, double value, const std::string& requirement) {
    return parameter + " = " + detail::core::in_words(value, "", 17) + ": " + requirement;
  }

  std::string parameter_;
  std::string requirement_;
  double value_;
};

// Two sizes that must agree but do not, e.g. "positions: 7 columns given, 12 expected".
class SizeError : public Error {
 public:
  SizeError(const std::string& what, std::ptrdiff_t given, std::ptrdiff_t expected)
      : Error(what + ": " + std::to_string(given) + " given, " + std::to_string(expected) + " expected"),
        given_(given),
        expected_(expected) {}

  std::ptrdiff_t given() const noexcept { return given_; }
  std::ptrdiff_t expected() const noexcept { return expected_; }

 private:
  std::ptrdiff_t given_;
  std::ptrdiff_t expected_;
};

// An index outside [0, size), e.g. "pinned node 12: outside [0, 8)".
class IndexError : public Error {
 public:
  IndexError(const std::string& what, std::ptrdiff_t index, std::ptrdiff_t size)
      : Error(what + " " + std::to_string(index) + ": outside [0, " + std::to_string(size) + ")"),
        index_(index),
        size_(size) {}

  std::ptrdiff_t index() const noexcept { return index_; }
  std::ptrdiff_t size() const noexcept { return size_; }

 private:
  std::ptrdiff_t index_;
  std::ptrdiff_t size_;
};

// A mesh, or a mesh file, that cannot be used. For a mesh in memory the file is empty; the line is 0 if the
// error has none (binary data, statements on the whole file).
class MeshError : public Error {
 public:
  explicit MeshError(std::string reason) : MeshError({}, 0, std::move(reason)) {}
  MeshError(std::string file, std::size_t line, std::string reason)
      : Error(describe(file, line, reason)),
        file_(std::move(file)),
        line_(line),
        reason_(std::move(reason)) {}

  const std::string& file() const noexcept { return file_; }
  std::size_t line() const noexcept { return line_; }
  const std::string& reason() const noexcept { return reason_; }

 private:
  static std::string describe(const std::string& file, std::size_t line, const std::string& reason) {
    if (file.empty()) return reason;
    return line == 0 ? file + ": " + reason : file + ":" + std::to_string(line) + ": " + reason;
  }

  std::string file_;
  std::size_t line_;
  std::string reason_;
};

// A file that cannot be written.
class WriteError : public Error {
 public:
  WriteError(std::string file, const std::string& reason)
      : Error(file + ": " + reason), file_(std::move(file)) {}

  const std::string& file() const noexcept { return file_; }

 private:
  std::string file_;
};

// A saved state that does not fit this simulation, e.g. "state: nodes: 12 in the state, 81 here".
class StateError : public Error {
 public:
  StateError(std::string what, const std::string& difference)
      : Error("state: " + what + ": " + difference), what_differs_(std::move(what)) {}

  const std::string& what_differs() const noexcept { return what_differs_; }

 private:
  std::string what_differs_;
};

namespace detail::core {

// False, but evaluated only when a template that depends on the types is instantiated: for a static_assert
// that suggests the correct code.
template <class...>
inline constexpr bool always_false = false;

// Throws unless `value` is finite and `admissible`.
inline void require_parameter(bool admissible, const char* parameter, double value, const char* requirement) {
  if (!admissible || !is_finite(value)) throw ParameterError(parameter, value, requirement);
}

inline void require_size(const char* what, std::ptrdiff_t given, std::ptrdiff_t expected) {
  if (given != expected) throw SizeError(what, given, expected);
}

// For a part of an array, such as ": rows" of "positions". The name is concatenated only if it is needed, and
// in a function that is not inlined: GCC 12 gives false warnings about std::string in the callers otherwise.
[[noreturn, gnu::cold, gnu::noinline]] inline void wrong_size(const char* what, const char* part,
                                                              std::ptrdiff_t given, std::ptrdiff_t expected) {
  throw SizeError(std::string(what).append(part), given, expected);
}
inline void require_size(const char* what, const char* part, std::ptrdiff_t given, std::ptrdiff_t expected) {
  if (given != expected) wrong_size(what, part, given, expected);
}

}  // namespace detail::core
}  // namespace pliant
