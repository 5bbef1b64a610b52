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

TEST_CASE("Rayleigh: from_frequencies takes cycles per second") {
  // Mass damping alone: zeta = alpha / (4 pi f); stiffness alone: zeta = pi f beta.
  const Rayleigh mass = Rayleigh::from_frequencies(2, 0.1, 5, 0.04);
  CHECK(mass.alpha == Approx(0.8 * 3.14159265358979).epsilon(1e-13));
  CHECK(mass.beta == 0);
  const Rayleigh stiffness = Rayleigh::from_frequencies(2, 0.1, 5, 0.25);
  CHECK(stiffness.alpha == 0);
  CHECK(stiffness.beta == Approx(0.05 / 3.14159265358979).epsilon(1e-13));
  for (const double bad : {0.0, -1.0, infinity, not_a_number}) {
    CHECK(refused([=] { return Rayleigh::from_frequencies(bad, 0.1, 2, 0.1); }) == "frequency1");
    CHECK(refused([=] { return Rayleigh::from_frequencies(1, 0.1, bad, 0.1); }) == "frequency2");
  }
  CHECK(refused([] { return Rayleigh::from_frequencies(2, 0.1, 2, 0.1); }) == "frequency2");
}

TEST_CASE("Rayleigh: ratios of mass or stiffness damping alone are given, whatever the rounding") {
  for (int k = 1; k < 200; ++k) {
    const double omega = 0.37 * k, zeta = 0.013 / k;
    CHECK(refused([=] { return Rayleigh::from_ratios(omega, zeta, 3 * omega, 3 * zeta); }) == "");
    CHECK(refused([=] { return Rayleigh::from_ratios(omega, zeta, 3 * omega, zeta / 3); }) == "");
    CHECK(refused([=] { return Rayleigh::from_ratios(omega, zeta, 3 * omega, 3.0001 * zeta); }) == "alpha");
    CHECK(refused([=] { return Rayleigh::from_ratios(omega, zeta, 3 * omega, zeta / 3.0001); }) == "beta");
  }
}

TEST_CASE("Rayleigh: a refusal says which way the ratio goes too fast") {
  const auto words = [](double zeta1, double zeta2) {
    try {
      (void)Rayleigh::from_ratios(1, zeta1, 2, zeta2);
    } catch (const ParameterError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(words(0.01, 0.9).find("must not rise by a greater factor than the frequency") != std::string::npos);
  CHECK(words(0.9, 0.01).find("must not fall by a greater factor than the frequency rises") !=
        std::string::npos);
  CHECK(words(-0.1, 0.1).find("zeta1") == 0);
  CHECK(words(0.1, -0.1).find("zeta2") == 0);
}

TEST_CASE("Rayleigh: coefficients are finite and not negative") {
  CHECK(refused([] { Rayleigh{}.check(); }) == "");
  CHECK(refused([] { Rayleigh{.alpha = 3, .beta = 0.1}.check(); }) == "");
  for (const double bad : {-1e-12, infinity, not_a_number}) {
    CHECK(refused([=] { Rayleigh{.alpha = bad}.check(); }) == "alpha");
    CHECK(refused([=] { Rayleigh{.beta = bad}.check(); }) == "beta");
  }
}
