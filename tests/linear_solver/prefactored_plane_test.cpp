#include "linear_solver/prefactored_facts.hpp"
#include "support/catch.hpp"

using namespace pliant;
using namespace pliant::test;

TEST_CASE(
    "Prefactored, in the plane: the inverse of the matrix that was factorised, which turns with the body") {
  is_exact(elastic_problem(strip_mesh(3, 12), {.state = Deformed::twisted}));
  turns_with_the_body(elastic_problem(strip_mesh(3, 12), {.held = false}));
}

TEST_CASE(
    "Prefactored, in the plane: symmetric and positive definite, also where the body is bent or scrambled") {
  for (const Deformed state : {Deformed::twisted, Deformed::scrambled}) {
    is_positive_definite(elastic_problem(strip_mesh(3, 12)),
                         elastic_problem(strip_mesh(3, 12), {.state = state}));
  }
}
