#include "support/catch.hpp"

#include <cmath>
#include <limits>
#include <string>

#include <pliant/energy/bonet_wood_neo_hookean.hpp>
#include <pliant/energy/lame.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>

using namespace pliant;

namespace {

const double not_a_number = std::numeric_limits<double>::quiet_NaN(),
             infinity = std::numeric_limits<double>::infinity();

// The number at the beginning of a text, by itself or in words.
double number_in(const std::string& text) {
  const auto begins = [&](const char* words) { return text.rfind(words, 0) == 0; };
  if (begins("not a number: ")) return not_a_number;
  if (begins("infinite: ")) return infinity;
  if (begins("minus infinite: ")) return -infinity;
  return std::stod(text);
}

// The parameter that `make` refuses, and its value must stand in the message; "" if nothing is thrown.
template <class Make>
std::string refused(const Make& make, double value) {
  try {
    make();
  } catch (const ParameterError& error) {
    const std::string message = error.what(), start = error.parameter() + " = ";
    const double named = message.rfind(start, 0) == 0 ? number_in(message.substr(start.size())) : 12345;
    const auto same = [value](double x) { return x == value || (std::isnan(x) && std::isnan(value)); };
    return same(named) && same(error.value()) ? error.parameter() : "no value in: " + message;
  }
  return "";
}

}  // namespace

TEST_CASE("Lame: from Young's modulus and Poisson's ratio and back") {
  const Lame lame = Lame::from_young_poisson(1e5, 0.45);
  CHECK(lame.mu() == Approx(34482.7586207).epsilon(1e-12));
  CHECK(lame.lambda() == Approx(310344.827586).epsilon(1e-12));
  CHECK(lame.bulk_modulus() == Approx(1e5 / (3 * (1 - 2 * 0.45))).epsilon(1e-14));
  for (const double nu : {-0.99, -0.3, 0.0, 0.2, 0.4999}) {
    CHECK(Lame::from_young_poisson(7, nu).young_modulus() == Approx(7).epsilon(1e-13));
    CHECK(Lame::from_young_poisson(7, nu).poisson_ratio() == Approx(nu).epsilon(1e-13).margin(1e-15));
  }
  const Lame same = Lame::from_mu_lambda(lame.mu(), lame.lambda());
  CHECK(same.young_modulus() == Approx(1e5));
  CHECK(same.poisson_ratio() == Approx(0.45));
}

TEST_CASE("Lame: refuses what no material has, naming it") {
  for (const double nu : {0.5, 0.6, 1e9, -1.0, -1.5, infinity, -infinity, not_a_number}) {
    CHECK(refused([nu] { Lame::from_young_poisson(1e6, nu); }, nu) == "poisson_ratio");
  }
  for (const double young : {0.0, -1e6, infinity, -infinity, not_a_number}) {
    CHECK(refused([young] { Lame::from_young_poisson(young, 0.3); }, young) == "young_modulus");
  }
  for (const double mu : {0.0, -1.0, infinity, not_a_number}) {
    CHECK(refused([mu] { Lame::from_mu_lambda(mu, 1); }, mu) == "mu");
  }
  for (const double lambda : {-2.0, -0.67, infinity, not_a_number}) {
    CHECK(refused([lambda] { Lame::from_mu_lambda(1, lambda); }, lambda) == "lambda");
  }
  CHECK_NOTHROW(Lame::from_mu_lambda(1, -0.66));
  CHECK_NOTHROW(Lame::from_young_poisson(1e-9, -0.999));
  CHECK_NOTHROW(Lame::from_young_poisson(1e12, 0.49999999));
}

TEST_CASE("RawCoefficients: refused when not numbers, otherwise taken as they are") {
  for (const double mu : {0.0, -1.0, not_a_number}) {
    CHECK(refused([mu] { StableNeoHookean(RawCoefficients{mu, 1}); }, mu) == "mu");
  }
  CHECK(refused([] { BonetWoodNeoHookean(RawCoefficients{1, not_a_number}); }, not_a_number) == "lambda");
  CHECK_NOTHROW(StableNeoHookean(RawCoefficients{1, -5}));
}
