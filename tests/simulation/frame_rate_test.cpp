// The number of substeps of a frame, told by a clock that goes by what a step is said to cost.
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <pliant/simulation/frame_rate.hpp>

using namespace pliant;

namespace {

struct Rule {
  double dt = 0.5;
  int kept = 42;  // a parameter that is no business of the frames
};

// What frames see of a simulation; `cost` [s] of each step is a function of its length.
struct Body {
  double now = 0;  // by the clock [s]
  std::function<double(double)> cost = [](double) { return 1e-3; };
  std::function<bool(double)> fails = [](double) { return false; };
  StepStop reason = StepStop::not_converged;
  std::vector<double> steps = {};  // accepted [s]
  int exchanged = 0;
  Rule rule = {};
  double reached = 0;         // [s]
  double factorised_for = 0;  // dt of the last step [s]

  const Rule& integrator() const { return rule; }
  void set_integrator(Rule other) {
    rule = other;
    ++exchanged;
  }
  double time() const { return reached; }
  void set_time(double time) { reached = time; }
  StepReport step() {
    now += cost(rule.dt);
    StepReport report;
    report.newton_iterations = 2;
    report.linear_iterations = 30;
    report.factorisations = rule.dt == factorised_for ? 0 : 1;
    factorised_for = rule.dt;
    if (fails(rule.dt)) {
      report.stop = reason;
    } else {
      steps.push_back(rule.dt);
      reached += rule.dt;
    }
    report.time = reached;
    return report;
  }
};

constexpr FrameRate sixty{.frame = 1.0 / 60, .budget = 12.5e-3, .max_substeps = 16};

auto frames_of(const Body& body, const FrameRate& rate = sixty) {
  return Frames(rate, [&body] { return body.now; });
}

// The numbers of substeps of so many frames.
template <class FramesOf>
std::vector<int> advance(Body& body, FramesOf& frames, int count) {
  std::vector<int> substeps;
  for (int k = 0; k < count; ++k) {
    const FrameReport report = frames.advance(body);
    REQUIRE(report);
    substeps.push_back(report.substeps);
  }
  return substeps;
}

}  // namespace

TEST_CASE("Substeps grow one a frame to the most that fit in the budget, and stay") {
  Body body;  // 12 steps of 1 ms in 12.5 ms
  body.rule.kept = 7;
  auto frames = frames_of(body);
  const std::vector<int> substeps = advance(body, frames, 200);
  for (int k = 0; k < 200; ++k) CHECK(substeps[static_cast<std::size_t>(k)] == std::min(k + 1, 12));
  CHECK(body.exchanged == 12);  // and not in every frame
  CHECK(body.integrator().kept == 7);
  CHECK(body.integrator().dt == sixty.frame / 12);
}

TEST_CASE("A frame adds up the work of its substeps, and every change of dt shows in it") {
  Body body;
  auto frames = frames_of(body);
  for (int k = 0; k < 20; ++k) {
    const FrameReport report = frames.advance(body);
    REQUIRE(report);
    CHECK(report.newton_iterations == 2 * report.substeps);
    CHECK(report.linear_iterations == 30 * report.substeps);
    CHECK(report.factorisations == (k < 12 ? 1 : 0));
  }
}

TEST_CASE("Never more substeps than allowed, never less than one") {
  Body quick{.cost = [](double) { return 1e-6; }};
  auto quick_frames = frames_of(quick);
  CHECK(advance(quick, quick_frames, 100).back() == 16);

  Body slow{.cost = [](double) { return 1.0; }};
  auto slow_frames = frames_of(slow);
  CHECK(advance(slow, slow_frames, 100) == std::vector<int>(100, 1));
  const FrameReport report = slow_frames.advance(slow);
  CHECK_FALSE(report.within_budget);
  CHECK(report.cost == Approx(1));
  CHECK(report.mean_substep == Approx(1));
}

TEST_CASE("Where the cost of a step jumps the substeps follow, down and up again, one a frame") {
  Body body;
  auto frames = frames_of(body);
  REQUIRE(advance(body, frames, 30).back() == 12);
  body.cost = [](double) { return 4e-3; };  // three fit
  std::vector<int> substeps = advance(body, frames, 60);
  CHECK(substeps.back() == 3);
  CHECK(*std::min_element(substeps.begin(), substeps.end()) == 3);  // none below
  // The mean over ten frames has passed budget / 3 after four or five, and they fall by one each.
  CHECK(substeps[20] <= 4);
  body.cost = [](double) { return 1e-3; };
  const std::vector<int> again = advance(body, frames, 100);
  CHECK(again.back() == 12);
  substeps.insert(substeps.end(), again.begin(), again.end());
  for (std::size_t k = 1; k < substeps.size(); ++k) CHECK(std::abs(substeps[k] - substeps[k - 1]) <= 1);
}

TEST_CASE(
    "Where short steps are cheaper and every step's cost scatters, the substeps change by one at most") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> scatter(0.7, 1.3);
  // 1 ms and 0.2 ms per ms of the step: 9 substeps cost 12.3 ms, 10 of them 13.3 ms.
  Body body{.cost = [&](double dt) { return scatter(random) * (1e-3 + 0.2 * dt); }};
  auto frames = frames_of(body);
  advance(body, frames, 100);
  std::vector<int> count(20, 0);
  for (const int n : advance(body, frames, 1000)) ++count[static_cast<std::size_t>(n)];
  int different = 0;
  for (const int n : count) different += n > 0;
  CHECK(different <= 2);
  CHECK(count[8] + count[9] == 1000);
}

TEST_CASE("Time does not drift: after any number of frames it is their number times their length") {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> scatter(0.5, 4);
  Body body{.cost = [&](double) { return 1e-3 * scatter(random); }};
  body.set_time(2.5);
  auto frames = frames_of(body, {.frame = 1.0 / 60, .budget = 12.5e-3, .averaging = 1});
  double stepped = 2.5;
  for (int k = 1; k <= 10'000; ++k) {
    body.steps.clear();
    const FrameReport report = frames.advance(body);
    REQUIRE(report);
    double sum = 0;
    for (const double dt : body.steps) sum += dt;
    CHECK(std::abs(sum - sixty.frame) <= 1e-17 * report.substeps);
    stepped += sum;
    REQUIRE(body.time() == 2.5 + k * sixty.frame);
    REQUIRE(report.last.time == body.time());
  }
  CHECK(stepped != body.time());  // what it would be without

  body.set_time(0);  // set back by the user: counted from there
  REQUIRE(frames.advance(body));
  CHECK(body.time() == sixty.frame);
}

TEST_CASE("A frame in which substeps fail is done in shorter ones, which does not change the next") {
  const double longest = 1e-3;
  Body body;
  auto frames = frames_of(body);
  REQUIRE(advance(body, frames, 30).back() == 12);
  body.fails = [&](double dt) { return body.steps.size() % 12 >= 5 && dt > longest; };
  body.steps.clear();
  const FrameReport report = frames.advance(body);
  REQUIRE(report);
  // Five of 1.39 ms, then fourteen of half that.
  CHECK(report.substeps == 5 + 2 * 7);
  CHECK(report.failed_substeps == 1);
  CHECK(report.dt == sixty.frame / 24);
  CHECK(report.newton_iterations == 20 * 2);
  CHECK(report.linear_iterations == 20 * 30);
  CHECK(body.time() == 31 * sixty.frame);
  body.fails = [](double) { return false; };
  CHECK(advance(body, frames, 1).back() == 12);
}

TEST_CASE("A frame that fails in the shortest substeps too tells why, and the next starts from where it is") {
  Body body{.fails = [](double) { return true; }};
  auto frames = frames_of(body);
  FrameReport report = frames.advance(body);
  CHECK_FALSE(report);
  CHECK(report.last.stop == StepStop::not_converged);
  CHECK(report.message() == report.last.message());
  CHECK(report.failed_substeps == 3);
  CHECK(report.substeps == 0);
  CHECK(report.dt == sixty.frame / 8);
  CHECK(body.time() == 0);

  // Two of the eight go well.
  body.fails = [&](double dt) { return dt > 2.1e-3 || body.steps.size() == 2; };
  report = frames.advance(body);
  CHECK_FALSE(report);
  CHECK(report.substeps == 2);
  CHECK(body.time() == sixty.frame / 4);
  body.fails = [](double) { return false; };
  REQUIRE(frames.advance(body));
  CHECK(body.time() == sixty.frame / 4 + sixty.frame);
}

TEST_CASE("A cancelled step ends the frame and is not tried again") {
  Body body{.fails = [](double) { return true; }, .reason = StepStop::cancelled};
  auto frames = frames_of(body);
  const FrameReport report = frames.advance(body);
  CHECK_FALSE(report);
  CHECK(report.failed_substeps == 0);
  CHECK(report.last.stop == StepStop::cancelled);
}

TEST_CASE("FrameRate: parameters out of range are refused by name") {
  const auto refused = [](const FrameRate& rate, const char* name) {
    try {
      Frames frames(rate);
    } catch (const ParameterError& error) {
      return std::string(error.what()).find(name) != std::string::npos;
    }
    return false;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(refused({.frame = 0}, "FrameRate::frame"));
  CHECK(refused({.frame = nan}, "FrameRate::frame"));
  CHECK(refused({.budget = -1}, "FrameRate::budget"));
  CHECK(refused({.max_substeps = 0}, "FrameRate::max_substeps"));
  CHECK(refused({.max_halvings = -1}, "FrameRate::max_halvings"));
  CHECK(refused({.averaging = 0.5}, "FrameRate::averaging"));
}

TEST_CASE("SteadyClock goes on, in seconds") {
  const SteadyClock clock;
  const double before = clock();
  CHECK(clock() >= before);
}
