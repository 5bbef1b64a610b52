// What the validation tests measure, for the page docs/validation_results.md.
//
// A test asserts a row and records it in one call, so that the page shows the figures and the bounds of the
// test. Where the environment variable PLIANT_VALIDATION_RECORD names a folder, each record becomes a file
// <phenomenon>.<part>.tsv there, from which docs/validation.py makes the page; else nothing is written.
#pragma once

#include "support/catch.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace validation {

// A number with so many significant digits.
inline std::string text(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
  return buffer;
}

// A number with so many digits behind the point.
inline std::string fixed(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  return buffer;
}

// log(coarse / fine) over log(ratio of the mesh sizes).
inline double order(double coarse, double fine, double ratio = 2) {
  return std::log(coarse / fine) / std::log(ratio);
}

// The limit of values whose error falls with the given order where the mesh size is divided by `ratio`.
inline double richardson(double coarse, double fine, double order, double ratio = 2) {
  return fine + (fine - coarse) / (std::pow(ratio, order) - 1);
}

// One per test case, and a name of its own for each. The phenomenon is a chapter of the page.
class Record {
 public:
  Record(const std::string& phenomenon, const std::string& part) : name_(phenomenon + "." + part + ".tsv") {}

  ~Record() {
    const char* const folder = std::getenv("PLIANT_VALIDATION_RECORD");
    if (folder == nullptr) return;
    std::filesystem::create_directories(folder);
    std::ofstream(std::filesystem::path(folder) / name_) << content_;
  }

  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  // Asserts that a difference, which is relative unless the claim says otherwise, is within its bound.
  void at_most(const std::string& claim, const std::string& truth, double measured, double bound) {
    INFO(claim << ": " << truth);
    CHECK(measured <= bound);
    line("row", {claim, truth, text(measured, 2), "<= " + text(bound, 2)});
  }

  // Asserts that a measured number lies in an interval.
  void between(const std::string& claim, const std::string& truth, double measured, double low, double high) {
    INFO(claim << ": " << truth);
    CHECK(low <= measured);
    CHECK(measured <= high);
    line("row", {claim, truth, text(measured, 5), text(low, 5) + " to " + text(high, 5)});
  }

  // Asserts that a measured number agrees with the true one within a margin.
  void equals(const std::string& claim, const std::string& truth, double measured, double value,
              double margin, int digits = 6) {
    INFO(claim << ": " << truth);
    CHECK(std::abs(measured - value) <= margin);
    line("row", {claim, truth + ": " + text(value, digits), text(measured, digits), "+- " + text(margin, 2)});
  }

  // Begins a table; `entries` adds a line to it.
  void table(const std::string& caption, const std::vector<std::string>& heads) {
    line("table", {caption});
    line("heads", heads);
  }
  void entries(const std::vector<std::string>& cells) { line("cells", cells); }

  // Relative errors over mesh sizes or time steps, for a panel of the plot.
  void curve(const std::string& panel, const std::string& name, const std::vector<double>& sizes,
             const std::vector<double>& errors) {
    std::vector<std::string> cells{panel, name};
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      cells.push_back(text(sizes[k], 6));
      cells.push_back(text(errors[k], 4));
    }
    line("curve", cells);
  }

 private:
  void line(const std::string& kind, const std::vector<std::string>& cells) {
    content_ += kind;
    for (const std::string& cell : cells) content_ += "\t" + cell;
    content_ += "\n";
  }

  std::string name_, content_;
};

}  // namespace validation
