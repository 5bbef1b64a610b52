// The report of a checker of energies.
#pragma once

#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace pliant {

// One checked property, with the place of its largest error.
struct PropertyCheck {
  std::string property;  // the claim, e.g. "pk1 is the derivative of psi"
  double tolerance;      // the largest error allowed, relative
  double error = 0;      // the largest error found, relative; infinity if a result is not finite
  std::string place;     // the state of the largest error, e.g. "stretched, F = [1.8 0; 0 1]"
  std::string detail;    // numbers to compare, and a guess at the mistake

  bool passed() const noexcept { return error <= tolerance; }
};

// True if all checked properties hold. `message()` lists them, one per line, and for each failure the place
// and size of the largest error.
class [[nodiscard]] CheckReport {
 public:
  explicit operator bool() const noexcept {
    for (const PropertyCheck& check : checks_) {
      if (!check.passed()) return false;
    }
    return !checks_.empty();
  }

  const std::vector<PropertyCheck>& checks() const noexcept { return checks_; }

  std::string message() const {
    std::ostringstream text;
    text.precision(2);
    for (const PropertyCheck& check : checks_) {
      text << (check.passed() ? "  ok      " : "  FAILED  ") << check.property << ": error " << check.error
           << " (allowed " << check.tolerance << ")";
      if (!check.passed()) text << ", worst at " << check.place << ": " << check.detail;
      text << '\n';
    }
    return text.str();
  }

  // Records a measurement of a property. The largest error is kept; NaN counts as larger than any number.
  void see(const std::string& property, double tolerance, double error, const std::string& place,
           const std::string& detail) {
    if (!(error <= std::numeric_limits<double>::max())) error = std::numeric_limits<double>::infinity();
    PropertyCheck* check = nullptr;
    for (PropertyCheck& known : checks_) {
      if (known.property == property) check = &known;
    }
    if (check == nullptr) {
      checks_.push_back({property, tolerance, error, place, detail});
    } else if (error > check->error) {
      *check = {property, tolerance, error, place, detail};
    }
  }

 private:
  std::vector<PropertyCheck> checks_;
};

}  // namespace pliant
