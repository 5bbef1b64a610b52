// One include for Catch2 v2 and v3, and test cases that cannot run here, which say so.
#pragma once

// An exception in an assertion ends its test case, which fails; without a handler around each assertion tests
// compile faster.
#define CATCH_CONFIG_FAST_COMPILE

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#define SKIP_HERE(reason) SKIP(reason)
#else
#include <iostream>

#include <catch2/catch.hpp>

namespace pliant::test {
inline bool skipped = false;  // a test case of this program
}

// Leaves the test case. Where nothing fails, the program then returns 4, as Catch2 v3 does.
#define SKIP_HERE(reason)                                                                                \
  do {                                                                                                   \
    std::cout << Catch::getResultCapture().getCurrentTestName() << ": skipped: " << reason << std::endl; \
    pliant::test::skipped = true;                                                                        \
    return;                                                                                              \
  } while (false)
#endif
