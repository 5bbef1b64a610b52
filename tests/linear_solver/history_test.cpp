// What solvers remember from one matrix to the next: saved and restored, it leads to the same bits.
#include "linear_solver/elastic_problem.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <pliant/linear_solver/krylov/pcg.hpp>
#include <pliant/linear_solver/preconditioner/prefactored.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

using Matrix = BlockMatrix<3, double>;
using Problems = std::vector<ElasticProblem<3, double>>;

// A bar that is twisted more and more, a little in each step and much at times; the incomplete factor of the
// matrices of some breaks down.
Problems twisted_more_and_more(const std::vector<std::size_t>& nearly_incompressible = {}) {
  Problems problems;
  for (std::size_t k = 0; k < 26; ++k) {
    const double angle = 0.02 * static_cast<double>(k) + (k < 16 ? 0 : 1.5);
    const bool breaks = std::find(nearly_incompressible.begin(), nearly_incompressible.end(), k) !=
                        nearly_incompressible.end();
    problems.push_back(elastic_problem(
        bar_mesh(2, 2, 7), {.nu = breaks ? 0.499 : 0.33, .state = test::Deformed::twisted, .angle = angle}));
  }
  return problems;
}

// Whether Prefactored has made a factor, which stays if the step is undone. TwoLevel makes its own again.
template <class Workspace>
bool replaces_factor(const Workspace& workspace) {
  if constexpr (requires { workspace.preconditioner.factorisations; }) {
    return workspace.preconditioner.factorisations > 0;
  }
  return false;
}

template <class Solver>
void check_history(const Solver& solver, const Problems& problems) {
  using Workspace = typename Solver::template Workspace<Matrix>;
  auto A = problems.front().A;  // all on one pattern
  const auto solve = [&](Workspace& workspace, std::size_t begin, std::size_t end) {
    std::vector<double> record;
    for (std::size_t k = begin; k < end; ++k) {
      const auto& problem = problems[k];
      std::copy(problem.A.values(), problem.A.values() + A.pattern().blocks() * 9, A.values());
      auto x = problem.x;
      workspace.set_positions(problem.positions);
      const LinearReport report = solver.solve(A, problem.b, x, workspace);
      REQUIRE(report);
      record.push_back(report.iterations);
      record.insert(record.end(), x.data(), x.data() + x.nodes() * NodeVector<3, double>::stride);
    }
    return record;
  };
  int remembered = 0, undone = 0;
  for (const std::size_t middle : {0, 1, 4, 9, 14, 20}) {
    INFO("saved before matrix " << middle);
    Workspace saved;
    solve(saved, 0, middle);
    typename Workspace::History history, again;
    saved.save(history);
    const auto truth = solve(saved, middle, problems.size());
    saved.restore(typename Workspace::History(history));
    saved.save(again);  // before a matrix could take over what was restored
    CHECK((solve(saved, middle, problems.size()) == truth));
    Workspace fresh;
    fresh.restore(std::move(history));
    CHECK((solve(fresh, middle, problems.size()) == truth));
    // A step that takes over what was restored, and is undone.
    Workspace tried;
    tried.restore(typename Workspace::History(again));
    tried.begin_step();
    solve(tried, middle, middle + 1);
    tried.step_undone();
    if (!replaces_factor(tried)) {
      ++undone;
      CHECK((solve(tried, middle, problems.size()) == truth));
    }
    Workspace other;
    solve(other, 12, 18);
    other.restore(std::move(again));
    CHECK((solve(other, middle, problems.size()) == truth));
    Workspace ignorant;
    if (solve(ignorant, middle, problems.size()) != truth) ++remembered;
  }
  CHECK(remembered >= 2);  // otherwise this tests nothing
  CHECK(undone >= 2);
}

}  // namespace

TEST_CASE("TwoLevel: a history that is restored leads to the same bits") {
  check_history(Pcg<TwoLevel>{}, twisted_more_and_more());
}

TEST_CASE("TwoLevel: so does one with factors that broke down") {
  check_history(Pcg<TwoLevel>{}, twisted_more_and_more({2, 8, 20}));
}

TEST_CASE("Automatic: a history that is restored leads to the same bits") {
  check_history(Pcg<>{.preconditioner = {.switch_above = 30, .switch_below = 0}}, twisted_more_and_more());
}

TEST_CASE("Prefactored: a history that is restored leads to the same bits") {
  for (const int refactor_above : {2, 8})
    check_history(Pcg<Prefactored>{.preconditioner = {.refactor_above = refactor_above}},
                  twisted_more_and_more());
}
