// Runs that are saved and gone on with, compared bit by bit.
#pragma once

#include "support/catch.hpp"
#include "support/threads.hpp"

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include <pliant/integrator/step_report.hpp>

namespace pliant::test {

// All that a simulation tells after each of some steps, as bits.
class Record {
 public:
  template <class Simulation>
  void add(Simulation& sim, const StepReport& report) {
    add(sim.positions());
    add(sim.velocities());
    add(sim.constraint_forces());
    add(sim.time());
    const Energies energies = sim.energies();
    for (const double e : {energies.kinetic, energies.elastic, energies.gravitational, energies.external})
      add(e);
    if constexpr (requires { sim.integrator().newton; }) add(report.residual);
    for (const int count : {report.newton_iterations, report.linear_iterations, report.line_search_steps,
                            report.substeps, report.contacts, report.contact_passes})
      add(static_cast<double>(count));
    for (const auto& contact : sim.contacts()) {
      add(static_cast<double>(contact.node));
      add(static_cast<double>(contact.collider));
      add(contact.force);
    }
    ends_.push_back(bits_.size());
  }

  // The first step that is not the same; -1: all are.
  int first_difference(const Record& other) const {
    for (std::size_t k = 0; k < bits_.size() || k < other.bits_.size(); ++k) {
      if (k < bits_.size() && k < other.bits_.size() && bits_[k] == other.bits_[k]) continue;
      int step = 0;
      while (step < std::ssize(ends_) && ends_[static_cast<std::size_t>(step)] <= k) ++step;
      return step;
    }
    return -1;
  }

 private:
  void add(double number) { bits_.push_back(std::bit_cast<std::uint64_t>(number)); }
  template <class Derived>
  void add(const Eigen::MatrixBase<Derived>& numbers) {
    for (Eigen::Index j = 0; j < numbers.cols(); ++j) {
      for (Eigen::Index i = 0; i < numbers.rows(); ++i) add(static_cast<double>(numbers(i, j)));
    }
  }

  std::vector<std::uint64_t> bits_;
  std::vector<std::size_t> ends_;  // of each step
};

struct NoEvents {
  void operator()(auto&, int) const {}
};

// Steps begin ... end - 1, with what the events do before each.
template <class Simulation, class Events>
Record run(Simulation& sim, int begin, int end, Events&& events) {
  Record record;
  for (int n = begin; n < end; ++n) {
    events(sim, n);
    const StepReport report = sim.step();
    INFO("step " << n << ": " << report.message());
    REQUIRE(report);
    record.add(sim, report);
  }
  return record;
}

// What a simulation tells between two steps.
template <class Simulation>
Record told(Simulation& sim) {
  Record record;
  record.add(sim, StepReport());
  return record;
}

// A run of `before` + `after` steps that is saved in between. It goes on as if it had not been saved; in the
// same way once it has gone on, under other loads at last, and its state was given back; and so does another
// simulation that was made in the same way and is given the state, whether it has made no step yet or some,
// and on other threads. make() returns a pointer to a new simulation, events(sim, n) comes before step n.
template <class Make, class Events = NoEvents>
void check_saved_state(Make&& make, int before, int after, Events&& events = {}) {
  const int end = before + after;
  const auto unbroken = make();
  run(*unbroken, 0, before, events);
  const Record start = told(*unbroken), truth = run(*unbroken, before, end, events);

  const auto saved = make();
  run(*saved, 0, before, events);
  auto state = saved->state();
  CHECK(state.time() == saved->time());
  CHECK((state.positions() == saved->positions()));
  CHECK((state.velocities() == saved->velocities()));
  CHECK(run(*saved, before, end, events).first_difference(truth) == -1);
  const Record ended = told(*saved);
  const auto last = saved->state();
  saved->set_gravity({1, 2, 3});
  saved->set_external_forces(saved->positions());
  saved->set_state(state);
  CHECK(told(*saved).first_difference(start) == -1);
  const auto once_more = saved->state();  // before a step could take over what was restored
  CHECK(run(*saved, before, end, events).first_difference(truth) == -1);

  const auto fresh = make();
  fresh->set_state(once_more);
  CHECK(told(*fresh).first_difference(start) == -1);
  CHECK(run(*fresh, before, end, events).first_difference(truth) == -1);

  const auto used = make();
  run(*used, 0, before / 2, events);
  used->copy_state_to(state);
  used->set_state(last);
  CHECK(told(*used).first_difference(ended) == -1);
  fresh->set_state(once_more);
  fresh->copy_state_to(state);  // into one that there is
  used->set_state(std::move(state));
  const WithThreads threads(3);
  CHECK(run(*used, before, end, events).first_difference(truth) == -1);
}

}  // namespace pliant::test
