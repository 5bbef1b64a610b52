#include "support/catch.hpp"
#include "support/threads.hpp"

#include <cmath>
#include <new>
#include <vector>

#include <pliant/core/parallel.hpp>

using namespace pliant;

TEST_CASE("Chunks cover the range once, in order, and number at most 64") {
  for (const std::ptrdiff_t size : {0, 1, 7, 8, 9, 63, 64, 65, 511, 512, 513, 4096, 99999, 1000000}) {
    for (const std::ptrdiff_t grain : {1, 8, 100, 1024, 4096}) {
      const Chunks chunks(size, grain);
      INFO("size " << size << ", grain " << grain);
      CHECK(chunks.count() <= Chunks::most);
      std::ptrdiff_t next = 0;
      for (int c = 0; c < chunks.count(); ++c) {
        CHECK(chunks.begin(c) == next);
        CHECK(chunks.end(c) > chunks.begin(c));
        CHECK(chunks.begin(c) % 8 == 0);
        if (c + 1 < chunks.count()) CHECK(chunks.end(c) - chunks.begin(c) >= grain);
        next = chunks.end(c);
      }
      CHECK(next == size);
    }
  }
}

TEST_CASE("parallel_for visits every item once, for any number of threads") {
  for (const int threads : thread_counts) {
    const WithThreads with(threads);
    for (const std::ptrdiff_t size : {0, 1, 1000, 12345}) {
      std::vector<int> visits(static_cast<std::size_t>(size), 0);
      parallel_for(size, 16, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
        for (std::ptrdiff_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
      });
      CHECK(std::vector<int>(static_cast<std::size_t>(size), 1) == visits);
    }
  }
}

TEST_CASE("parallel_parts runs every part once, also more parts than threads and fewer") {
  for (const int threads : thread_counts) {
    const WithThreads with(threads);
    for (const int parts : {0, 1, 2, 5, 64}) {
      std::vector<int> runs(static_cast<std::size_t>(parts), 0);
      parallel_parts(parts, [&](int part) { ++runs[static_cast<std::size_t>(part)]; });
      CHECK(std::vector<int>(static_cast<std::size_t>(parts), 1) == runs);
    }
  }
}

TEST_CASE("parallel_sum gives the same bits for any number of threads, and the right sum") {
  constexpr int size = 54321;
  const auto term = [](std::ptrdiff_t i) { return 1 / (1 + static_cast<double>(i)); };
  const auto sum = [&] {
    return parallel_sum<double>(size, 16, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      double total = 0;
      for (std::ptrdiff_t i = begin; i < end; ++i) total += term(i);
      return total;
    });
  };
  long double exact = 0;
  for (int i = size - 1; i >= 0; --i) exact += term(i);
  const WithThreads one(1);
  const double serial = sum();
  CHECK(std::abs(serial - static_cast<double>(exact)) <= 1e-13);
  for (const int threads : thread_counts) {
    const WithThreads with(threads);
    CHECK(sum() == serial);
  }
  CHECK(parallel_sum<double>(0, 16, [](std::ptrdiff_t, std::ptrdiff_t) { return 1.0; }) == 0);
}

TEST_CASE("The number of threads is what was asked for; none or fewer leaves it to OpenMP") {
  const WithThreads asked(3);
#if defined(_OPENMP)
  CHECK(thread_count() == 3);
  set_thread_count(0);
  CHECK(thread_count() == omp_get_max_threads());
  set_thread_count(-5);
  CHECK(thread_count() == omp_get_max_threads());
#else
  CHECK(thread_count() == 1);
#endif
}

TEST_CASE("What is thrown in a parallel region comes out of it: that of the first part that throws") {
  for (const int threads : thread_counts) {
    const WithThreads with(threads);
    for (const int first : {0, 1, 5, 11}) {
      int caught = -1;
      try {
        parallel_parts(12, [&](int part) {
          if (part >= first) throw part;
        });
      } catch (int part) {
        caught = part;
      }
      CHECK(caught == first);
      CHECK_THROWS_AS(parallel_sum<double>(100000, 8,
                                           [](std::ptrdiff_t begin, std::ptrdiff_t) -> double {
                                             if (begin > 50000) throw std::bad_alloc();
                                             return 1;
                                           }),
                      std::bad_alloc);
      CHECK(parallel_sum<double>(64, 8, [](std::ptrdiff_t, std::ptrdiff_t) { return 1.0; }) == 8);
    }
  }
}
