// Tests that compare results for several numbers of threads.
#pragma once

#include <array>

#include <pliant/core/parallel.hpp>

inline constexpr std::array thread_counts{1, 2, 3, 7};

// For tests that count allocations: the OpenMP library of Clang allocates memory for parallel loops itself.
#if defined(__clang__) && defined(_OPENMP)
inline constexpr std::array thread_counts_without_allocation{1};
#else
inline constexpr std::array thread_counts_without_allocation = thread_counts;
#endif

// Sets the number of threads and leaves it to OpenMP again at the end.
class WithThreads {
 public:
  explicit WithThreads(int threads) { pliant::set_thread_count(threads); }
  ~WithThreads() { pliant::set_thread_count(0); }
  WithThreads(const WithThreads&) = delete;
  WithThreads& operator=(const WithThreads&) = delete;
};
