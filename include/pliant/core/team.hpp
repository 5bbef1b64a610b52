// The number of threads of a parallel loop: the requested number, or as many as currently save time.
//
// At the end of every loop all threads wait for the last one. If another program uses the core of one thread,
// the others wait for a time slice of some milliseconds, in every loop, however short: two threads can then
// take a hundred times as long as one. A Team detects this by clocks: a loop loses time if it takes longer
// than half of its threads would, and gains time otherwise. After a net loss of some milliseconds the team is
// halved, down to one thread. After a pause the whole team is tried again; the pause doubles after each
// attempt that fails.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace pliant {

namespace detail::core {

using Nanoseconds = std::int64_t;

inline Nanoseconds wall_time() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

#if defined(CLOCK_THREAD_CPUTIME_ID)
inline constexpr bool has_processor_time = true;
#else
inline constexpr bool has_processor_time = false;
#endif

// The processor time of the calling thread; zero on systems that do not provide it.
inline Nanoseconds processor_time() {
  std::timespec time{};
#if defined(CLOCK_THREAD_CPUTIME_ID)
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
#endif
  return Nanoseconds{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// The threads of the loops that one thread of the program starts.
class Team {
 public:
  static constexpr Nanoseconds most_lost = 5'000'000;
  static constexpr Nanoseconds first_pause = 50'000'000;
  static constexpr Nanoseconds longest_pause = 2'000'000'000;

  // The number of threads of the next loop, if the whole team has `most`; clock() returns the current time.
  template <class Clock>
  int size(int most, Clock&& clock) {
    if (halvings_ > 0 && --loops_to_clock_ <= 0) {
      loops_to_clock_ = loops_per_clock;
      if (const Nanoseconds now = clock(); now >= pause_end_) {
        halvings_ = 0;
        tried_ = now;
        times_ = true;
      }
    }
    return std::max(most >> halvings_, 1);
  }

  // Whether to time the next loop: always while time is being lost, otherwise after a loop or a gap that was
  // long against the cost of timing.
  bool times() const { return times_; }

  // Records a timed loop that took `wall`; `work` is the processor time of all its threads together.
  void timed(int threads, Nanoseconds wall, Nanoseconds work, Nanoseconds now) {
    // Half of the threads need 2 work / threads if each has its own core; because they share cores with other
    // programs, 3 work / threads is assumed.
    const Nanoseconds by_half = 3 * work / threads;
    lost_ = std::max<Nanoseconds>(lost_ + wall - by_half - price_of_a_loop, 0);
    if (lost_ > most_lost) halve(now);
  }

  // Records the end of a loop.
  void ended(Nanoseconds now) {
    times_ = lost_ > 0 || now - last_end_ > worth_timing;
    last_end_ = now;
  }

 private:
  static constexpr Nanoseconds price_of_a_loop = 5'000;
  static constexpr Nanoseconds worth_timing = 250'000;
  static constexpr int loops_per_clock = 16;

  void halve(Nanoseconds now) {
    if (halvings_ == 0) {
      const bool in_vain = now - tried_ < pause_;
      pause_ = in_vain ? std::min(2 * pause_, longest_pause) : first_pause;
    }
    ++halvings_;
    lost_ = 0;
    pause_end_ = now + pause_;
    loops_to_clock_ = loops_per_clock;
  }

  Nanoseconds lost_ = 0;      // in loops since the last halving, minus gains
  Nanoseconds last_end_ = 0;  // of a loop
  Nanoseconds tried_ = 0;     // when the whole team was last tried
  Nanoseconds pause_ = 0;
  Nanoseconds pause_end_ = 0;
  int halvings_ = 0;
  int loops_to_clock_ = 0;
  bool times_ = true;
};

inline constinit thread_local Team team;

inline std::atomic<int> requested_threads{0};

// Whether this value of OMP_DYNAMIC (null if unset) forbids using fewer threads than OpenMP has.
inline bool forbids_fewer_threads(const char* omp_dynamic) {
  return omp_dynamic != nullptr && (*omp_dynamic == 'f' || *omp_dynamic == 'F');
}

// Whether loops may use fewer threads than thread_count().
inline bool may_take_fewer_threads() {
  static const bool forbidden = forbids_fewer_threads(std::getenv("OMP_DYNAMIC"));
  return has_processor_time && !forbidden && requested_threads == 0;
}

}  // namespace detail::core

// From now on the loops of the library use this number of threads at any load of the machine. With 0, the
// default, they use at most as many as OpenMP has (OMP_NUM_THREADS, omp_set_num_threads), and fewer while
// another program uses the cores, unless OMP_DYNAMIC=false is in the environment. Results do not depend on
// the number.
inline void set_thread_count(int threads) { detail::core::requested_threads = std::max(threads, 0); }

// The largest number of threads of a loop: the requested number, otherwise that of OpenMP, otherwise one.
inline int thread_count() {
#if defined(_OPENMP)
  const int requested = detail::core::requested_threads;
  return requested > 0 ? requested : omp_get_max_threads();
#else
  return 1;
#endif
}

}  // namespace pliant
