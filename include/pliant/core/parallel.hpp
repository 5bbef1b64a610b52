// Parallel loops whose results do not depend on the number of threads; serial without OpenMP.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include <pliant/core/function_ref.hpp>
#include <pliant/core/team.hpp>
#include <pliant/core/thrown_in_parts.hpp>

namespace pliant {

namespace detail::core {

// Whether the team chooses the number of threads of a loop with a maximum of `most`.
inline bool team_chooses(int most) { return most > 1 && may_take_fewer_threads(); }

// The current number of threads of a loop of many parts: thread_count(), or fewer while another program uses
// the cores. For work that must be cut more finely for more threads, at a cost; its results must not depend
// on it.
inline int present_thread_count() {
  const int most = thread_count();
  return team_chooses(most) ? core::team.size(most, wall_time) : most;
}

#if defined(_OPENMP)
// Calls run(part) once for every part in [0, parts), on more than one thread.
inline void run_on_threads(int threads, int parts, FunctionRef<void(int)> run) {
  Team& own_team = team;
  const bool watched = team_chooses(threads);
  const bool timed = watched && own_team.times();
  const auto start = timed ? wall_time() : 0;
  std::atomic<Nanoseconds> work{0};
  ThrownInParts thrown;
#pragma omp parallel num_threads(threads)
  {
    const auto own_start = timed ? processor_time() : 0;
#pragma omp for schedule(static) nowait
    for (int part = 0; part < parts; ++part) thrown.run(run, part);
    if (timed) work.fetch_add(processor_time() - own_start, std::memory_order_relaxed);
  }
  if (watched) {
    const auto end = wall_time();
    if (timed) own_team.timed(std::min(parts, threads), end - start, work, end);
    own_team.ended(end);
  }
  thrown.rethrow();
}
#endif

// Calls run(part) once for every part in [0, parts), on at most thread_count() threads. An exception of `run`
// is passed on, the first one if several parts throw; the other parts may have run or not.
inline void parallel_parts(int parts, FunctionRef<void(int)> run) {
#if defined(_OPENMP)
  // Starts the whole team, even if some threads have no work: OpenMP ends threads when a team shrinks, and
  // starts new ones when it grows again.
  const int threads = parts > 1 ? present_thread_count() : 1;
  if (threads > 1) return run_on_threads(threads, parts, run);
#endif
  for (int part = 0; part < parts; ++part) run(part);
}

// The division of [0, size) into chunks, which depends on the size alone, not on the number of threads.
class Chunks {
 public:
  static constexpr int most = 64;

  // Chunks of at least `grain` items, all but the last a multiple of 8 items.
  constexpr Chunks(std::ptrdiff_t size, std::ptrdiff_t grain)
      : size_(size), length_((std::max(grain, (size + most - 1) / most) + 7) / 8 * 8) {}

  constexpr int count() const { return static_cast<int>((size_ + length_ - 1) / length_); }
  constexpr std::ptrdiff_t begin(int chunk) const { return chunk * length_; }
  constexpr std::ptrdiff_t end(int chunk) const { return std::min(size_, (chunk + 1) * length_); }

 private:
  std::ptrdiff_t size_;
  std::ptrdiff_t length_;
};

// Calls run(begin, end) on chunks that cover [0, size).
template <class Run>
void parallel_for(std::ptrdiff_t size, std::ptrdiff_t grain, Run&& run) {
  const Chunks chunks(size, grain);
  parallel_parts(chunks.count(), [&](int chunk) { run(chunks.begin(chunk), chunks.end(chunk)); });
}

// The sum of run(begin, end) over chunks that cover [0, size), added in the order of the chunks. T needs +=
// and a default constructor that returns zero.
template <class T, class Run>
T parallel_sum(std::ptrdiff_t size, std::ptrdiff_t grain, Run&& run) {
  const Chunks chunks(size, grain);
  T partial[Chunks::most] = {};
  parallel_parts(chunks.count(),
                 [&](int chunk) { partial[chunk] = run(chunks.begin(chunk), chunks.end(chunk)); });
  T total{};
  for (int chunk = 0; chunk < chunks.count(); ++chunk) total += partial[chunk];
  return total;
}

}  // namespace detail::core

}  // namespace pliant
