// What the typed errors say and carry.
#include "support/catch.hpp"

#include <cmath>
#include <limits>
#include <string>

#include <pliant/core/error.hpp>

using namespace pliant;

TEST_CASE("a parameter error names the parameter, the value and the requirement", "[core]") {
  const ParameterError error("poisson_ratio", 0.5, "must lie in (-1, 0.5)");
  CHECK(std::string(error.what()) == "poisson_ratio = 0.5: must lie in (-1, 0.5)");
  CHECK(error.parameter() == "poisson_ratio");
  CHECK(error.value() == 0.5);
  CHECK(std::string(ParameterError("dt", 1.0 / 3, "too long").what()) ==
        "dt = 0.33333333333333331: too long");
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const double either : {nan, -nan})
    CHECK(std::string(ParameterError("dt", either, "no").what()) == "dt = not a number: no");
  CHECK(std::string(ParameterError("dt", inf, "no").what()) == "dt = infinite: no");
  CHECK(std::string(ParameterError("dt", -inf, "no").what()) == "dt = minus infinite: no");
}

TEST_CASE("a size error gives both sizes, an index error the range", "[core]") {
  const SizeError size("positions", 7, 12);
  CHECK(std::string(size.what()) == "positions: 7 given, 12 expected");
  CHECK(size.given() == 7);
  CHECK(size.expected() == 12);
  const IndexError index("pinned node", 12, 8);
  CHECK(std::string(index.what()) == "pinned node 12: outside [0, 8)");
  CHECK(index.index() == 12);
  CHECK(index.size() == 8);
}

TEST_CASE("a mesh error says as much of file and line as there is", "[core]") {
  const MeshError full("hand.msh", 12, "unknown element type 99");
  CHECK(std::string(full.what()) == "hand.msh:12: unknown element type 99");
  CHECK(full.file() == "hand.msh");
  CHECK(full.line() == 12);
  CHECK(full.reason() == "unknown element type 99");
  CHECK(std::string(MeshError("hand.msh", 0, "truncated").what()) == "hand.msh: truncated");
  CHECK(std::string(MeshError("no elements").what()) == "no elements");
  CHECK(std::string(WriteError("out.vtu", "permission denied").what()) == "out.vtu: permission denied");
}

TEST_CASE("every error can be caught as pliant::Error and as std::runtime_error", "[core]") {
  CHECK_THROWS_AS(throw ParameterError("a", 1, "b"), Error);
  CHECK_THROWS_AS(throw SizeError("a", 1, 2), Error);
  CHECK_THROWS_AS(throw IndexError("a", 1, 2), Error);
  CHECK_THROWS_AS(throw MeshError("a"), Error);
  CHECK_THROWS_AS(throw WriteError("a", "b"), std::runtime_error);
}

TEST_CASE("required parameters are admissible and finite", "[core]") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK_NOTHROW(detail::core::require_parameter(true, "a", 1, "b"));
  CHECK_THROWS_AS(detail::core::require_parameter(false, "a", 1, "b"), ParameterError);
  CHECK_THROWS_AS(detail::core::require_parameter(true, "a", infinity, "b"), ParameterError);
  CHECK_THROWS_AS(detail::core::require_parameter(true, "a", std::nan(""), "b"), ParameterError);
  CHECK_NOTHROW(detail::core::require_size("a", 3, 3));
  CHECK_THROWS_AS(detail::core::require_size("a", 2, 3), SizeError);
}
