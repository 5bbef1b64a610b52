// A simulation in which something goes wrong once, in whatever it does, and which goes on then.
#pragma once

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <atomic>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <pliant/constraint/pinned.hpp>
#include <pliant/contact/shape/half_space.hpp>
#include <pliant/contact/shape/sphere.hpp>
#include <pliant/io/vtk_series.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/simulation.hpp>

namespace pliant::test {

// What a user's code throws, at the call of that number; 0: at none.
struct Trouble : std::exception {
  const char* what() const noexcept override { return "trouble"; }
};
inline std::atomic<long> users_calls{0}, failing_call{0};
inline void count_users_call() {
  if (++users_calls == failing_call) throw Trouble();
}

// All that a simulation tells of its state.
template <class Simulation>
std::vector<double> told_by(Simulation& sim) {
  std::vector<double> numbers{sim.time()};
  for (const auto* matrix : {&sim.positions(), &sim.velocities(), &sim.constraint_forces()})
    for (std::ptrdiff_t i = 0; i < matrix->size(); ++i) numbers.push_back(matrix->data()[i]);
  for (const auto& contact : sim.contacts()) {
    numbers.push_back(contact.node);
    numbers.push_back(contact.collider);
    for (int k = 0; k < Simulation::dim; ++k) numbers.push_back(contact.force[k]);
  }
  const Energies energies = sim.energies();
  for (const double energy : {energies.kinetic, energies.elastic, energies.gravitational})
    numbers.push_back(energy);
  return numbers;
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

struct Run {
  long chances = 0;         // that something had to go wrong
  int failures = 0;         // actions that were broken off
  bool kept = true;         // whether those left the state as it was
  bool done = true;         // whether all steps succeeded
  int contacts = 0;         // most nodes that pressed on colliders
  std::vector<double> end;  // what the simulation tells in the end
  std::string file;         // that was written
};

// Builds a simulation, lets colliders come and go and its parts be replaced, takes steps and writes a file.
// `count` counts the chances that something has to go wrong; it does so at the k-th, for which `failing`
// becomes that number. What was broken off is done again.
template <class Make>
Run run_with_trouble(const Make& make, const detail::contact::AnyCollider<3>& floor, std::atomic<long>& count,
                     std::atomic<long>& failing, long k) {
  Run run;
  decltype(make()) sim;
  const auto attempt = [&](auto&& action) {
    for (;;) {
      const std::vector<double> before = sim ? told_by(*sim) : std::vector<double>{};
      const long at_first = count;
      failing = k > run.chances ? at_first + k - run.chances : 0;
      bool broken = false;
      try {
        action();
      } catch (const std::bad_alloc&) {
        broken = true;
      } catch (const Trouble&) {
        broken = true;
      } catch (const WriteError&) {  // a stream says no more than that it failed
        broken = true;
      }
      failing = 0;
      run.chances += count - at_first;
      if (!broken) return;
      ++run.failures;
      run.kept = run.kept && (!sim || same_bits(before, told_by(*sim)));
    }
  };
  const auto step = [&] {
    attempt([&] {
      const StepReport report = sim->step();
      run.done = run.done && report;
      run.contacts = std::max(run.contacts, report.contacts);
    });
  };
  attempt([&] { sim = make(); });
  const auto held = [&](double width) {
    return Pinned(nodes_where(sim->mesh(), [&](const auto& X) { return X.x() < width; }));
  };
  sim->set_gravity({0, -9.81, 0});
  step();
  attempt([&] { sim->add_collider(floor, {.friction = 0.3}); });
  step();
  int ball = -1;
  attempt([&] {
    ball = sim->add_collider(Sphere({0.8, 0.31, 0.1}, 0.1), {.friction = 0.3}, [](double t) {
      count_users_call();
      return Pose<3>(Eigen::Matrix3d::Identity(), {0, -t, 0});
    });
  });
  for (int n = 0; n < 2; ++n) step();
  attempt([&] { sim->set_constraint(held(0.3)); });
  step();
  attempt([&] { sim->remove_collider(ball); });
  attempt([&] {
    auto other = sim->integrator();
    other.dt *= 0.5;
    if constexpr (requires { other.newton.hessian; }) other.newton.hessian = HessianStrategy::progressive;
    sim->set_integrator(other);
  });
  step();
  static const TemporaryFolder folder;
  attempt([&] { write_vtu(folder.path / "state.vtu", *sim); });
  {
    std::ifstream stream(folder.path / "state.vtu", std::ios::binary);
    run.file.assign(std::istreambuf_iterator<char>(stream), {});
  }
  for (int n = 0; n < 2; ++n) step();
  run.end = told_by(*sim);
  return run;
}

// Each chance in turn, or `tries` of them.
template <class Make>
void goes_on_after_trouble(const Make& make, const detail::contact::AnyCollider<3>& floor,
                           std::atomic<long>& count, std::atomic<long>& failing, long tries = 0) {
  const Run undisturbed = run_with_trouble(make, floor, count, failing, 0);
  REQUIRE(undisturbed.failures == 0);
  CHECK(undisturbed.done);
  CHECK(undisturbed.contacts > 0);
  CHECK(undisturbed.chances > 10);
  const long stride = tries > 0 ? undisturbed.chances / tries : 1;
  long failures = 0, runs = 0;
  for (long k = 1; k <= undisturbed.chances; k += stride) {
    const Run run = run_with_trouble(make, floor, count, failing, k);
    failures += run.failures;
    ++runs;
    const bool same = same_bits(run.end, undisturbed.end) && run.file == undisturbed.file;
    if (run.kept && run.done && same) continue;
    INFO("the " << k << "-th chance of " << undisturbed.chances);
    CHECK(run.kept);
    CHECK(run.done);
    CHECK(same);
  }
  CHECK(failures > runs / 2);
}

inline HalfSpace<3> ground() { return {{0, -0.03, 0}, {0, 1, 0}}; }

// A bar along x with its lowest corner at the origin.
inline BoxShape small_bar() { return {.lengths = {1, 0.2, 0.2}, .cells = {3, 1, 1}}; }

}  // namespace pliant::test
