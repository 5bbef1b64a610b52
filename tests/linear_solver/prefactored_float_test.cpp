#include "linear_solver/prefactored_facts.hpp"
#include "support/catch.hpp"

using namespace pliant;
using namespace pliant::test;

TEST_CASE(
    "Prefactored, in floats: the inverse of the matrix that was factorised, which turns with the body") {
  is_exact(elastic_problem(bar_mesh<float>(2, 2, 9), {.state = Deformed::twisted}));
  turns_with_the_body(elastic_problem(bar_mesh<float>(2, 2, 9), {.held = false}));
}

TEST_CASE(
    "Prefactored, in floats: symmetric and positive definite, also where the body is bent or scrambled") {
  for (const Deformed state : {Deformed::twisted, Deformed::scrambled}) {
    is_positive_definite(elastic_problem(bar_mesh<float>(2, 2, 9)),
                         elastic_problem(bar_mesh<float>(2, 2, 9), {.state = state}));
  }
}
