// Every word of the lane vocabulary against the same operation on scalars, lane by lane. Shared by the tests
// of lanes on vector registers and of lanes without them.
#pragma once

#include "support/catch.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <pliant/simd/lane.hpp>

namespace lane_checks {

using namespace pliant;
using namespace pliant::simd;

// Equal to the last bit (so -0 is not 0), or both NaN.
template <class T>
bool same(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  return (a != a && b != b) || std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

// Numbers of every kind: ordinary ones, signed zeros, infinities, NaN, the subnormal, the largest and
// smallest.
template <class T>
std::vector<T> numbers_of_every_kind() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> numbers{T(0),
                         -T(0),
                         T(1),
                         T(-1),
                         Limits::min(),
                         -Limits::min(),
                         Limits::max(),
                         Limits::lowest(),
                         Limits::infinity(),
                         -Limits::infinity(),
                         Limits::quiet_NaN(),
                         Limits::denorm_min(),
                         -Limits::denorm_min(),
                         Limits::epsilon(),
                         T(1) + Limits::epsilon(),
                         T(3) / T(7)};
  std::mt19937 generator(3);
  std::normal_distribution<T> normal;
  while (numbers.size() < 160) numbers.push_back(normal(generator));
  return numbers;
}

// W numbers of the list, starting anywhere.
template <class L>
L take(const std::vector<scalar_of<L>>& numbers, std::size_t start) {
  L result;
  for (int i = 0; i < width_of<L>; ++i)
    set_lane(result, i, numbers[(start + static_cast<std::size_t>(i)) % numbers.size()]);
  return result;
}

// Calls check(a, b, c) with lanes of all kinds of numbers in many combinations.
template <class L, class Check>
void for_many(Check&& check) {
  const auto numbers = numbers_of_every_kind<scalar_of<L>>();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (std::size_t step : {0, 1, 2, 3, 5, 7, 10, 11, 50, 51, 77})
      check(take<L>(numbers, i), take<L>(numbers, i + step), take<L>(numbers, i + 3 * step + 17));
  }
}

// The number of lanes in which two lane values differ.
template <class L>
int differences(const L& a, const L& b) {
  int count = 0;
  for (int i = 0; i < width_of<L>; ++i) count += same(lane(a, i), lane(b, i)) ? 0 : 1;
  return count;
}

// The lane whose numbers are function(i).
template <class L, class Function>
L lane_of(Function&& function) {
  L result;
  for (int i = 0; i < width_of<L>; ++i) set_lane(result, i, static_cast<scalar_of<L>>(function(i)));
  return result;
}

template <class L>
void check_arithmetic() {
  using T = scalar_of<L>;
  int wrong = 0;
  for_many<L>([&](const L& a, const L& b, const L&) {
    wrong += differences<L>(a + b, lane_of<L>([&](int i) { return lane(a, i) + lane(b, i); }));
    wrong += differences<L>(a - b, lane_of<L>([&](int i) { return lane(a, i) - lane(b, i); }));
    wrong += differences<L>(a * b, lane_of<L>([&](int i) { return lane(a, i) * lane(b, i); }));
    wrong += differences<L>(a / b, lane_of<L>([&](int i) { return lane(a, i) / lane(b, i); }));
    wrong += differences<L>(-a, lane_of<L>([&](int i) { return -lane(a, i); }));
    wrong += differences<L>(a + T(2), lane_of<L>([&](int i) { return lane(a, i) + T(2); }));
    wrong += differences<L>(T(2) / a, lane_of<L>([&](int i) { return T(2) / lane(a, i); }));
    L sum_ = a, difference = a, product = a, quotient = a;
    sum_ += b, difference -= b, product *= b, quotient /= b;
    wrong += differences<L>(sum_, a + b) + differences<L>(difference, a - b);
    wrong += differences<L>(product, a * b) + differences<L>(quotient, a / b);
  });
  CHECK(wrong == 0);
}

template <class L>
void check_functions() {
  using T = scalar_of<L>;
  using std::abs;
  using std::max;
  using std::min;
  using std::sqrt;
  int wrong = 0;
  for_many<L>([&](const L& a, const L& b, const L&) {
    wrong += differences<L>(sqrt(a), lane_of<L>([&](int i) { return std::sqrt(lane(a, i)); }));
    wrong += differences<L>(abs(a), lane_of<L>([&](int i) { return std::abs(lane(a, i)); }));
    wrong += differences<L>(max(a, b), lane_of<L>([&](int i) { return std::max(lane(a, i), lane(b, i)); }));
    wrong += differences<L>(min(a, b), lane_of<L>([&](int i) { return std::min(lane(a, i), lane(b, i)); }));
    wrong += differences<L>(per_lane(a, [](T x) { return x + x; }), a + a);
    wrong +=
        differences<L>(power_of_two_below(a), lane_of<L>([&](int i) {
                         const T x = std::abs(lane(a, i));
                         if (!(x < std::numeric_limits<T>::infinity()))
                           return std::numeric_limits<T>::infinity();
                         return x < std::numeric_limits<T>::min() ? T(0) : std::ldexp(T(1), std::ilogb(x));
                       }));
  });
  CHECK(wrong == 0);
}

// Over normal numbers of every size; what is subnormal has the root 0.
template <class L>
void check_cube_root() {
  using T = scalar_of<L>;
  int wrong = 0;
  const auto check = [&](const L& a) {
    const L root = cbrt(a);
    for (int i = 0; i < width_of<L>; ++i) {
      const T x = lane(a, i), expected = std::abs(x) < std::numeric_limits<T>::min() ? T(0) : std::cbrt(x);
      if (!std::isfinite(x)) continue;
      wrong +=
          std::abs(lane(root, i) - expected) <= 4 * std::numeric_limits<T>::epsilon() * std::abs(expected)
              ? 0
              : 1;
    }
  };
  for_many<L>([&](const L& a, const L&, const L&) { check(a); });
  for (int exponent = std::numeric_limits<T>::min_exponent - 1;
       exponent < std::numeric_limits<T>::max_exponent; ++exponent) {
    for (const T fraction : {T(1), T(1.1), T(-1.5), T(1.7), T(-1.9999)}) {
      check(lane_of<L>([&](int i) { return std::ldexp(fraction, exponent) * (i % 2 == 0 ? 1 : -1); }));
    }
  }
  CHECK(wrong == 0);
}

template <class L>
void check_multiply_add() {
  using T = scalar_of<L>;
  int wrong = 0;
  for_many<L>([&](const L& a, const L& b, const L& c) {
    const L result = multiply_add(a, b, c);
    for (int i = 0; i < width_of<L>; ++i) {
      volatile T product = lane(a, i) * lane(b, i);  // rounded, so that the compiler cannot fuse
      const T rounded_twice = product + lane(c, i);
      const T fused = std::fma(lane(a, i), lane(b, i), lane(c, i));
      wrong += same(lane(result, i), rounded_twice) || same(lane(result, i), fused) ? 0 : 1;
    }
  });
  CHECK(wrong == 0);
}

template <class L>
void check_masks() {
  int wrong = 0;
  const auto check = [&](const auto& mask, auto&& expected) {
    bool every = true, some = false;
    for (int i = 0; i < width_of<L>; ++i) {
      wrong += mask[i] == expected(i) ? 0 : 1;
      every = every && expected(i);
      some = some || expected(i);
    }
    wrong += all(mask) == every && any(mask) == some ? 0 : 1;
  };
  for_many<L>([&](const L& a, const L& b, const L& c) {
    check(a < b, [&](int i) { return lane(a, i) < lane(b, i); });
    check(a > b, [&](int i) { return lane(a, i) > lane(b, i); });
    check(a <= b, [&](int i) { return lane(a, i) <= lane(b, i); });
    check(a >= b, [&](int i) { return lane(a, i) >= lane(b, i); });
    check(a == b, [&](int i) { return lane(a, i) == lane(b, i); });
    check(a != b, [&](int i) { return lane(a, i) != lane(b, i); });
    check((a < b) & (a < c), [&](int i) { return lane(a, i) < lane(b, i) && lane(a, i) < lane(c, i); });
    check((a < b) | (a < c), [&](int i) { return lane(a, i) < lane(b, i) || lane(a, i) < lane(c, i); });
    wrong +=
        differences<L>(select(a < b, b, c),
                       lane_of<L>([&](int i) { return lane(a, i) < lane(b, i) ? lane(b, i) : lane(c, i); }));
  });
  CHECK(wrong == 0);
}

template <class L>
void check_memory() {
  using T = scalar_of<L>;
  constexpr int W = width_of<L>;
  std::vector<T> numbers(3 * static_cast<std::size_t>(W) + 2);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<T>(i + 1);

  const L a = load<L>(numbers.data() + 1);  // aligned for a number only
  for (int i = 0; i < W; ++i) CHECK(lane(a, i) == static_cast<T>(i + 2));
  store(numbers.data() + W + 1, a + T(100));
  for (int i = 0; i < W; ++i) CHECK(numbers[static_cast<std::size_t>(W + 1 + i)] == static_cast<T>(i + 102));
  CHECK(numbers[static_cast<std::size_t>(W)] == static_cast<T>(W + 1));  // its neighbours stay
  CHECK(numbers[static_cast<std::size_t>(2 * W + 1)] == static_cast<T>(2 * W + 2));

  int offsets[W];
  for (int i = 0; i < W; ++i) offsets[i] = (5 * i + 2) % (W + 1);
  const L gathered = gather<L>(numbers.data(), offsets);
  for (int i = 0; i < W; ++i) CHECK(lane(gathered, i) == static_cast<T>((5 * i + 2) % (W + 1) + 1));

  T expected = lane(a, 0);
  for (int i = 1; i < W; ++i) expected += lane(a, i);
  CHECK(sum(a) == expected);
  CHECK(sum(lane_of<L>([](int i) { return i == 0 ? T(1) / std::numeric_limits<T>::epsilon() : T(1); })) > 0);

  L copy = a;
  set_lane(copy, W - 1, T(-1));
  CHECK(lane(copy, W - 1) == T(-1));
  CHECK(lane(a, W - 1) == static_cast<T>(W + 1));
  for (int i = 0; i + 1 < W; ++i) CHECK(lane(copy, i) == lane(a, i));
}

template <class L>
void check_transpose() {
  constexpr int W = width_of<L>;
  L rows[W];
  for (int i = 0; i < W; ++i) rows[i] = lane_of<L>([&](int k) { return 100 * i + k; });
  transpose(rows);
  int wrong = 0;
  for (int i = 0; i < W; ++i)
    wrong += differences<L>(rows[i], lane_of<L>([&](int k) { return 100 * k + i; }));
  CHECK(wrong == 0);
}

// The error of log in units in the last place of the exact result.
template <class T>
long double log_error(T x, T result) {
  const long double exact = std::log(static_cast<long double>(x));
  const long double unit = std::ldexp(1.0L, std::ilogb(exact) - std::numeric_limits<T>::digits + 1);
  return std::abs(static_cast<long double>(result) - exact) / unit;
}

template <class L>
void check_log() {
  using T = scalar_of<L>;
  using Limits = std::numeric_limits<T>;
  using std::log;
  std::mt19937_64 generator(11);
  std::uniform_real_distribution<T> mantissa(T(1), T(2));
  std::uniform_int_distribution<int> exponent(Limits::min_exponent - Limits::digits,
                                              Limits::max_exponent - 1);
  std::uniform_real_distribution<T> around_one(T(0.5), T(2));
  std::uniform_real_distribution<T> exponent_of_distance(T(-20), T(-1));
  long double worst = 0;
  const auto check = [&](auto&& draw) {
    for (int round = 0; round < 2000; ++round) {
      const L x = lane_of<L>([&](int) { return draw(); });
      const L y = log(x);
      for (int i = 0; i < width_of<L>; ++i) {
        if (lane(x, i) == T(0)) continue;
        const long double error =
            lane(x, i) == T(1) ? std::abs(lane(y, i)) : log_error(lane(x, i), lane(y, i));
        if (!(error <= worst)) worst = error;
      }
    }
  };
  check([&] { return std::ldexp(mantissa(generator), exponent(generator)); });
  check([&] { return around_one(generator); });
  check([&] { return T(1) + std::exp2(exponent_of_distance(generator)); });
  check([&] { return T(1) - std::exp2(exponent_of_distance(generator)); });
  CHECK(worst <= 1.0L);

  const std::vector<std::pair<T, T>> known{{T(1), T(0)},
                                           {T(0), -Limits::infinity()},
                                           {-T(0), -Limits::infinity()},
                                           {T(-1), Limits::quiet_NaN()},
                                           {-Limits::denorm_min(), Limits::quiet_NaN()},
                                           {-Limits::infinity(), Limits::quiet_NaN()},
                                           {Limits::quiet_NaN(), Limits::quiet_NaN()},
                                           {Limits::infinity(), Limits::infinity()}};
  for (std::size_t start = 0; start < known.size(); ++start) {
    const auto at = [&](int i) { return known[(start + static_cast<std::size_t>(i)) % known.size()]; };
    CHECK(differences<L>(log(lane_of<L>([&](int i) { return at(i).first; })),
                         lane_of<L>([&](int i) { return at(i).second; })) == 0);
  }
  for (T x : {Limits::denorm_min(), Limits::min(), Limits::max(), Limits::min() - Limits::denorm_min()})
    CHECK(log_error(x, lane(log(L(x)), 0)) <= 1.0L);
}

// All of it, for one type of lane.
template <class L>
void check_vocabulary() {
  check_arithmetic<L>();
  check_functions<L>();
  check_cube_root<L>();
  check_multiply_add<L>();
  check_masks<L>();
  check_memory<L>();
  check_transpose<L>();
  check_log<L>();
}

}  // namespace lane_checks
