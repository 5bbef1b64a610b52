#include "support/catch.hpp"

#include <pliant/core/function_ref.hpp>

namespace {

using pliant::detail::core::FunctionRef;
using pliant::detail::core::Monitor;

int twice(int n) { return 2 * n; }

int applied(FunctionRef<int(int)> function, int n) { return function(n); }

}  // namespace

TEST_CASE("A FunctionRef calls lambdas, constant and temporary objects and functions") {
  int calls = 0;
  const auto counting = [&calls](int n) { return ++calls + n; };
  CHECK(applied(counting, 10) == 11);
  CHECK(applied(counting, 10) == 12);
  auto changing = [calls = 0](int n) mutable { return ++calls + n; };
  CHECK(applied(changing, 10) == 11);
  CHECK(applied(changing, 10) == 12);  // it refers to the object and does not copy it
  CHECK(applied([](int n) { return n - 1; }, 10) == 9);
  CHECK(applied(twice, 10) == 20);
  CHECK(applied(&twice, 10) == 20);
  const FunctionRef<int(int)> reference = counting, copy = reference;
  CHECK(copy(10) == 13);
}

TEST_CASE("A FunctionRef passes references and results on") {
  const auto larger = [](double& a, double& b) -> double& { return a > b ? a : b; };
  const FunctionRef<double&(double&, double&)> reference = larger;
  double one = 1, two = 2;
  CHECK(&reference(one, two) == &two);
}

TEST_CASE("A Monitor goes on by default") {
  CHECK(Monitor<int, double>{}(1, 2.0));
  const auto stops = [](int, double) { return false; };
  CHECK_FALSE(Monitor<int, double>{stops}(1, 2.0));
}
