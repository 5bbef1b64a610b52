// Parallel loops whose results do not depend on the number of threads; serial where OpenMP is absent.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include <pliant/core/thrown_in_parts.hpp>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace pliant {

namespace detail {
inline std::atomic<int> requested_threads{0};
}

// Threads the library's loops use from now on; 0 leaves the choice to OpenMP. Results do not depend on it.
inline void set_thread_count(int threads) { detail::requested_threads = std::max(threads, 0); }

// Threads the library's loops use: what was asked for, else OpenMP's number, else one.
inline int thread_count() {
#if defined(_OPENMP)
  const int requested = detail::requested_threads;
  return requested > 0 ? requested : omp_get_max_threads();
#else
  return 1;
#endif
}

// Calls run(part) once for every part in [0, parts), on at most thread_count() threads. What `run` throws, of
// several parts the first, is thrown on; which of the other parts have run then is not known.
template <class Run>
void parallel_parts(int parts, Run&& run) {
#if defined(_OPENMP)
  // Always the whole team, even where some have nothing to do: OpenMP ends threads when a team shrinks, and
  // starts new ones when it grows again.
  const int threads = thread_count();
  if (parts > 1 && threads > 1) {
    detail::ThrownInParts thrown;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int part = 0; part < parts; ++part) thrown.run(run, part);
    thrown.rethrow();
    return;
  }
#endif
  for (int part = 0; part < parts; ++part) run(part);
}

// How [0, size) is cut into chunks: by the size alone, never by the number of threads.
class Chunks {
 public:
  static constexpr int most = 64;

  // Chunks of at least `grain` items, a multiple of 8 items each but the last.
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

// The sum of run(begin, end) over chunks that cover [0, size), added up in the order of the chunks. T needs a
// default constructor that makes zero, and +=.
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

}  // namespace pliant
