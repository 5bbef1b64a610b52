// Real time: frames of equal length, each with as many time steps as a budget of computing time allows.
#pragma once

#include <chrono>
#include <limits>
#include <type_traits>
#include <utility>

#include <pliant/core/error.hpp>
#include <pliant/integrator/step_report.hpp>

namespace pliant {

// Parameters of `Frames`.
struct FrameRate {
  double frame = 1.0 / 60;   // simulated time of a frame [s]
  double budget = 0.8 / 60;  // computing time of a frame; the rest is for rendering [s]
  int max_substeps = 16;     // of a frame without failures
  int max_halvings = 3;      // of the substep, in a frame with failed substeps
  double averaging = 10;     // number of frames over which the cost of a substep is averaged [-]

  void check() const {
    const double infinity = std::numeric_limits<double>::infinity();
    detail::core::require_parameter(frame > 0 && frame < infinity, "FrameRate::frame", frame,
                                    "must be positive (s)");
    detail::core::require_parameter(budget > 0, "FrameRate::budget", budget, "must be positive (s)");
    detail::core::require_parameter(max_substeps >= 1, "FrameRate::max_substeps", max_substeps,
                                    "must be at least 1");
    detail::core::require_parameter(max_halvings >= 0 && max_halvings <= 20, "FrameRate::max_halvings",
                                    max_halvings, "must lie in [0, 20]");
    detail::core::require_parameter(averaging >= 1 && averaging < infinity, "FrameRate::averaging", averaging,
                                    "must be at least 1 (frames)");
  }
};

// The result of a frame. True if the frame is complete.
struct FrameReport {
  StepReport last;            // of the last substep; of the failed one if the frame failed
  int substeps = 0;           // accepted
  int failed_substeps = 0;    // repeated with half their length
  double dt = 0;              // of the last substep [s]
  int newton_iterations = 0;  // of all substeps, including failed ones
  int linear_iterations = 0;  // of all substeps, including failed ones
  int factorisations = 0;     // of all; OperatorSplitting needs some after each change of dt
  double cost = 0;            // of the frame, in real time [s]
  double mean_substep = 0;    // mean cost of a substep in the last frames [s]
  bool within_budget = true;  // cost <= budget

  explicit operator bool() const { return static_cast<bool>(last); }
  std::string message() const { return last.message(); }
};

// Seconds by the system's steady clock.
struct SteadyClock {
  double operator()() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
};

// Advances a simulation frame by frame:
//   Frames frames(FrameRate{.frame = 1.0 / 60, .budget = 0.8 / 60});
//   FrameReport report = frames.advance(simulation);
// A frame consists of n steps of dt = frame / n, which it sets in the integrator. After each frame, with the
// mean cost c of a substep: if (n + 1) c is below the budget, the next frame has one more substep; if n c is
// above the budget, it has one less, but at least one. Many short steps dissipate less than few long ones.
template <class ClockType = SteadyClock>  // a function that returns the time [s]; another one for tests
class Frames {
 public:
  // Throws ParameterError for a parameter out of range.
  explicit Frames(const FrameRate& rate, ClockType clock = {}) : rate_(rate), clock_(std::move(clock)) {
    rate_.check();
  }

  const FrameRate& rate() const { return rate_; }
  int substeps() const { return substeps_; }  // of the next frame

  // Advances by a frame. If a substep fails, the rest of the frame has twice as many substeps of half the
  // length. If that does not suffice, or if a step was cancelled, the report is false, the state is that
  // after the last successful substep, and the next frame starts from it. Frames end at integer multiples of
  // `frame` after the start of the first one, so that the rounding errors of the substeps do not accumulate.
  template <class Simulation>
  [[nodiscard]] FrameReport advance(Simulation& simulation) {
    static_assert(
        requires(std::remove_cvref_t<decltype(simulation.integrator())> integrator) {
          integrator.dt = 0.1;
          simulation.set_integrator(integrator);
        },
        "frames need an integrator with a field dt, which they set");
    const double begin = clock_();
    if (simulation.time() != end_) {  // in the first frame, and after the time was changed from outside
      start_ = simulation.time();
      frames_ = 0;
    }
    FrameReport report;
    report.dt = rate_.frame / substeps_;
    int left = substeps_, halvings = 0;
    while (left > 0) {
      set_time_step(simulation, report.dt);
      report.last = simulation.step();
      report.newton_iterations += report.last.newton_iterations;
      report.linear_iterations += report.last.linear_iterations;
      report.factorisations += report.last.factorisations;
      if (report) {
        ++report.substeps;
        --left;
        continue;
      }
      if (report.last.stop == StepStop::cancelled || halvings == rate_.max_halvings) break;
      ++report.failed_substeps;
      ++halvings;
      left *= 2;
      report.dt /= 2;
    }
    if (report) {
      ++frames_;
      simulation.set_time(start_ + static_cast<double>(frames_) * rate_.frame);
      report.last.time = simulation.time();
    }
    end_ = report ? simulation.time() : unknown;
    report.cost = clock_() - begin;
    report.within_budget = report.cost <= rate_.budget;
    // The cost of a frame with failures is not representative.
    if (report && report.failed_substeps == 0) adapt(report.cost / substeps_);
    report.mean_substep = mean_;
    return report;
  }

 private:
  template <class Simulation>
  static void set_time_step(Simulation& simulation, double dt) {
    if (simulation.integrator().dt == dt) return;
    auto integrator = simulation.integrator();
    integrator.dt = dt;
    simulation.set_integrator(std::move(integrator));
  }

  void adapt(double cost) {
    mean_ = mean_ < 0 ? cost : mean_ + (cost - mean_) / rate_.averaging;
    if (substeps_ * mean_ > rate_.budget) {
      if (substeps_ > 1) --substeps_;
    } else if ((substeps_ + 1) * mean_ < rate_.budget && substeps_ < rate_.max_substeps) {
      ++substeps_;
    }
  }

  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  FrameRate rate_;
  ClockType clock_;
  int substeps_ = 1;
  double mean_ = -1;      // cost of a substep; negative: unknown [s]
  double start_ = 0;      // of the first frame [s]
  long long frames_ = 0;  // number since then
  double end_ = unknown;  // of the last frame [s]
};

}  // namespace pliant
