#include "support/catch.hpp"

#include <limits>
#include <string>

#include <pliant/solid/rayleigh.hpp>

using namespace pliant;

namespace {

template <class Function>
std::string refused(Function&& function) {
  try {
    function();
  } catch (const ParameterError& error) {
    return error.parameter();
  }
  return {};
}

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("Rayleigh: from_ratios gives the ratios asked for, in either order") {
  for (const auto& [omega1, zeta1, omega2, zeta2] :
       {std::array{10.0, 0.02, 200.0, 0.1}, std::array{200.0, 0.1, 10.0, 0.02},
        std::array{1.0, 0.5, 2.0, 0.5}, std::array{3.0, 0.0, 4.0, 0.0}}) {
    const Rayleigh damping = Rayleigh::from_ratios(omega1, zeta1, omega2, zeta2);
    const auto ratio = [&](double omega) { return (damping.alpha / omega + damping.beta * omega) / 2; };
    CHECK(ratio(omega1) == Approx(zeta1).margin(1e-15));
    CHECK(ratio(omega2) == Approx(zeta2).margin(1e-15));
  }
}

TEST_CASE("Rayleigh: ratios that need a negative coefficient are refused") {
  CHECK(refused([] { return Rayleigh::from_ratios(1, 0.01, 2, 0.9); }) == "alpha");
  CHECK(refused([] { return Rayleigh::from_ratios(1, 0.9, 2, 0.01); }) == "beta");
  for (const double bad : {0.0, -1.0, infinity, not_a_number}) {
    CHECK(refused([=] { return Rayleigh::from_ratios(bad, 0.1, 2, 0.1); }) == "omega1");
    CHECK(refused([=] { return Rayleigh::from_ratios(1, 0.1, bad, 0.1); }) == "omega2");
  }
  CHECK(refused([] { return Rayleigh::from_ratios(2, 0.1, 2, 0.1); }) == "omega2");
}

TEST_CASE("Rayleigh: coefficients are finite and not negative") {
  CHECK(refused([] { Rayleigh{}.check(); }) == "");
  CHECK(refused([] { Rayleigh{.alpha = 3, .beta = 0.1}.check(); }) == "");
  for (const double bad : {-1e-12, infinity, not_a_number}) {
    CHECK(refused([=] { Rayleigh{.alpha = bad}.check(); }) == "alpha");
    CHECK(refused([=] { Rayleigh{.beta = bad}.check(); }) == "beta");
  }
}
