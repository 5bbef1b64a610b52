#include "support/catch.hpp"
#include "support/threads.hpp"

#include <chrono>
#include <cmath>
#include <new>
#include <thread>
#include <vector>

#include <pliant/core/parallel.hpp>

using namespace pliant;

TEST_CASE("Chunks cover the range once, in order, and number at most 64") {
  for (const std::ptrdiff_t size : {0, 1, 7, 8, 9, 63, 64, 65, 511, 512, 513, 4096, 99999, 1000000}) {
    for (const std::ptrdiff_t grain : {1, 8, 100, 1024, 4096}) {
      const detail::core::Chunks chunks(size, grain);
      INFO("size " << size << ", grain " << grain);
      CHECK(chunks.count() <= detail::core::Chunks::most);
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
      detail::core::parallel_for(size, 16, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
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
      detail::core::parallel_parts(parts, [&](int part) { ++runs[static_cast<std::size_t>(part)]; });
      CHECK(std::vector<int>(static_cast<std::size_t>(parts), 1) == runs);
    }
  }
}

TEST_CASE("parallel_sum gives the same bits for any number of threads, and the right sum") {
  constexpr int size = 54321;
  const auto term = [](std::ptrdiff_t i) { return 1 / (1 + static_cast<double>(i)); };
  const auto sum = [&] {
    return detail::core::parallel_sum<double>(size, 16, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
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
  CHECK(detail::core::parallel_sum<double>(0, 16, [](std::ptrdiff_t, std::ptrdiff_t) { return 1.0; }) == 0);
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

namespace {

constexpr detail::core::Nanoseconds microsecond = 1000;
constexpr detail::core::Nanoseconds millisecond = 1000 * microsecond;

// A team and a clock of its own.
struct Watched {
  // A loop on the team's threads, whose parts take `work` together and that waits for `wait` at its end.
  // Returns the threads.
  int loop(detail::core::Nanoseconds work, detail::core::Nanoseconds wait) {
    const int threads = size();
    const detail::core::Nanoseconds wall = work / threads + (threads > 1 ? wait : 0);
    now += wall;
    if (threads > 1) {
      if (team.times()) team.timed(threads, wall, work, now);
      team.ended(now);
    }
    return threads;
  }

  int size() {
    return team.size(most, [this] { return now; });
  }

  // The time until the whole team is back.
  detail::core::Nanoseconds pause() {
    const detail::core::Nanoseconds start = now;
    while (size() < most && now - start < 10 * detail::core::Team::longest_pause) now += millisecond;
    return now - start;
  }

  int most = 2;
  detail::core::Team team{};
  detail::core::Nanoseconds now = 1000 * millisecond;
};

}  // namespace

TEST_CASE("A team that gains stays whole, also where it waits now and then") {
  for (const int most : {2, 3, 8}) {
    Watched watched{.most = most};
    for (int n = 0; n < 20000; ++n) {
      const bool interrupted = n % 1000 == 999;  // 4 ms of about 20 to 50
      CHECK(watched.loop(100 * microsecond, (interrupted ? 4000 : 5) * microsecond) == most);
    }
  }
}

TEST_CASE("A team that waits for a time slice in every loop is one thread after some milliseconds") {
  for (const int most : {2, 3, 8}) {
    for (const detail::core::Nanoseconds work : {1, 20, 500}) {
      Watched watched{.most = most};
      for (int n = 0; n < 100; ++n) watched.loop(work * microsecond, 5 * microsecond);
      const detail::core::Nanoseconds start = watched.now;
      for (int n = 0; n < 12; ++n) watched.loop(work * microsecond, 3 * millisecond);
      CHECK(watched.size() == 1);
      CHECK(watched.now - start <= 40 * millisecond);
    }
  }
}

TEST_CASE("Where half of a team does well, the half stays") {
  Watched watched{.most = 8};
  for (int n = 0; n < 500; ++n) {
    watched.loop(80 * microsecond, watched.size() > 4 ? 3 * millisecond : 5 * microsecond);
  }
  CHECK(watched.size() == 4);
}

TEST_CASE("The whole team tries again, and less often from one vain attempt to the next") {
  Watched watched;
  const auto lose = [&] {
    for (int n = 0; n < 10 && watched.size() == 2; ++n) {
      watched.loop(20 * microsecond, 3 * millisecond);
    }
  };
  detail::core::Nanoseconds expected = detail::core::Team::first_pause;
  for (int attempt = 0; attempt < 9; ++attempt) {
    lose();
    const detail::core::Nanoseconds pause = watched.pause();
    CHECK(pause >= expected);
    CHECK(pause <= expected + 16 * millisecond);  // the clock is read every 16 loops
    expected = std::min(2 * expected, detail::core::Team::longest_pause);
  }
  CHECK(expected == detail::core::Team::longest_pause);
  for (int n = 0; n < 200000; ++n) watched.loop(20 * microsecond, 5 * microsecond);  // three seconds
  lose();
  CHECK(watched.pause() <= detail::core::Team::first_pause + 16 * millisecond);
}

#if defined(_OPENMP)
TEST_CASE("Loops whose second thread does not get its core run on one, unless the number was ordered") {
  const int before = omp_get_max_threads();
  omp_set_num_threads(2);
  const auto teams_of = [](int loops) {
    int teams = 0;
    for (int n = 0; n < loops; ++n) {
      detail::core::parallel_parts(2, [&](int part) {
        if (part == 0 && omp_in_parallel()) ++teams;
        // Asleep, as the system would lay it to rest: time passes and no work is done.
        if (omp_get_thread_num() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(3));
      });
    }
    return teams;
  };
  CHECK(thread_count() == 2);
  CHECK(teams_of(100) <= 10);
  CHECK(detail::core::present_thread_count() == 1);
  {
    const WithThreads ordered(2);
    CHECK(detail::core::present_thread_count() == 2);
    CHECK(teams_of(20) == 20);
  }
  // The whole team tries again also where work that is cut for one thread asks alone.
  for (int ms = 0; ms < 5000 && detail::core::present_thread_count() < 2; ++ms)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(detail::core::present_thread_count() == 2);
  omp_set_num_threads(before);
}
#endif

TEST_CASE("OMP_DYNAMIC=false, in letters of any size, forbids to take fewer threads") {
  CHECK(detail::core::forbids_fewer_threads("false"));
  CHECK(detail::core::forbids_fewer_threads("FALSE"));
  CHECK_FALSE(detail::core::forbids_fewer_threads("true"));
  CHECK_FALSE(detail::core::forbids_fewer_threads(""));
  CHECK_FALSE(detail::core::forbids_fewer_threads(nullptr));
}

TEST_CASE("What is thrown in a parallel region comes out of it: that of the first part that throws") {
  for (const int threads : thread_counts) {
    const WithThreads with(threads);
    for (const int first : {0, 1, 5, 11}) {
      int caught = -1;
      try {
        detail::core::parallel_parts(12, [&](int part) {
          if (part >= first) throw part;
        });
      } catch (int part) {
        caught = part;
      }
      CHECK(caught == first);
      CHECK_THROWS_AS(detail::core::parallel_sum<double>(100000, 8,
                                                         [](std::ptrdiff_t begin, std::ptrdiff_t) -> double {
                                                           if (begin > 50000) throw std::bad_alloc();
                                                           return 1;
                                                         }),
                      std::bad_alloc);
      CHECK(detail::core::parallel_sum<double>(64, 8, [](std::ptrdiff_t, std::ptrdiff_t) { return 1.0; }) ==
            8);
    }
  }
}
