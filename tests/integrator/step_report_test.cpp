#include "support/catch.hpp"

#include <cmath>
#include <limits>
#include <set>

#include <pliant/integrator/step_report.hpp>

using namespace pliant;

TEST_CASE("a step report is true exactly where the step was accepted, and every reason has its own words") {
  std::set<std::string> messages;
  for (const StepStop stop :
       {StepStop::converged, StepStop::accepted, StepStop::not_converged, StepStop::stalled,
        StepStop::energy_undefined, StepStop::not_finite, StepStop::indefinite,
        StepStop::linear_solver_failed, StepStop::cancelled, StepStop::penetration, StepStop::too_stiff,
        StepStop::inverted, StepStop::too_many_iterations, StepStop::time_stands_still, StepStop::free_motion,
        StepStop::rows_unmet}) {
    StepReport report;
    report.stop = stop;
    const bool accepted = stop == StepStop::converged || stop == StepStop::accepted;
    CHECK(static_cast<bool>(report) == accepted);
    const std::string message = report.message();
    CHECK((message.find("state is unchanged") == std::string::npos) == accepted);
    messages.insert(message);
  }
  CHECK(messages.size() == 16);
}

TEST_CASE("a step report's message carries its numbers") {
  StepReport report;
  report.time = 1.25;
  report.newton_iterations = 7;
  report.linear_iterations = 123;
  report.residual = 0.5;
  report.residual_goal = 0.75;
  CHECK(report.message() ==
        "t = 1.25 s: converged (7 Newton and 123 linear iterations, residual 0.5 N, goal 0.75 N)");
  report.stop = StepStop::energy_undefined;
  report.undefined_element = 42;
  CHECK(report.message().find("in element 42") != std::string::npos);
  report.undefined_element = -1;
  CHECK(report.message().find("element") == std::string::npos);
  report.stop = StepStop::linear_solver_failed;
  report.linear_residual = 11;
  report.linear_goal = 13;
  CHECK(report.message().find("residual 11 N, goal 13 N") != std::string::npos);
  report.linear_residual = -std::numeric_limits<double>::quiet_NaN();
  report.residual = std::numeric_limits<double>::infinity();
  CHECK(report.message() ==
        "t = 1.25 s: the linear solver did not converge (residual not a number, goal 13 N); the state is "
        "unchanged (7 Newton and 123 linear iterations, residual infinite, goal 0.75 N)");
  report.stop = StepStop::converged;
  report.residual = 0.5;
  report.inverted_elements = 6;
  CHECK(report.message() ==
        "t = 1.25 s: converged (7 Newton and 123 linear iterations, residual 0.5 N, goal 0.75 N); 6 elements "
        "were inverted");
  report.stop = StepStop::inverted;
  CHECK(report.message().find("negative volume, however small the increments: 6") != std::string::npos);
  report.stop = StepStop::penetration;
  report.blocked_node = 17;
  report.blocking_colliders = {3, -1};
  CHECK(report.message().find("node 17 could not be kept out of collider 3") != std::string::npos);
  report.blocking_colliders = {3, 5};
  CHECK(report.message().find("node 17 finds no room between colliders 3 and 5") != std::string::npos);
}

TEST_CASE("the total of the energies is their sum") {
  CHECK(Energies{.kinetic = 1, .elastic = 2, .gravitational = -4, .external = 8}.total() == 7);
}

TEST_CASE("the message of an explicit step tells its substeps and the stable one") {
  StepReport report;
  report.substeps = 12;
  report.stable_dt = 0.00125;
  CHECK(report.message() == "t = 0 s: converged (12 substeps, the longest stable one 0.00125 s)");
  report.substeps = 1;
  report.stable_dt = std::numeric_limits<double>::infinity();
  CHECK(report.message() == "t = 0 s: converged (1 substep, any length of which is stable)");
}

TEST_CASE("a step report of an integrator without a residual claims none") {
  StepReport report = StepReport::without_residual();
  for (const double unknown : {report.residual, report.residual_goal, report.first_residual,
                               report.potential_drop, report.linear_residual, report.linear_goal})
    CHECK(std::isnan(unknown));
  report.stop = StepStop::accepted;
  report.time = 2;
  CHECK(report.message() == "t = 2 s: done; this integrator knows no residual");
  report.inverted_elements = 12;
  CHECK(report.message() == "t = 2 s: done; this integrator knows no residual; 12 elements were inverted");
  report.inverted_elements = 1;
  CHECK(report.message() == "t = 2 s: done; this integrator knows no residual; 1 element was inverted");
  report.inverted_elements = 0;
  CHECK(report.message().find("inverted") == std::string::npos);
  report.stop = StepStop::cancelled;
  CHECK(report.message() == "t = 2 s: cancelled by the progress callback; the state is unchanged");
  report.stop = StepStop::converged;
  report.substeps = 3;
  report.stable_dt = 0.5;
  CHECK(report.message() == "t = 2 s: converged (3 substeps, the longest stable one 0.5 s)");
}
