#!/usr/bin/env bash
# Installs what is missing, builds and runs the tests: g++ release with everything; g++ with AddressSanitizer and UBSan
# and Clang a part. Optimised as little as the time asks for; the whole matrix, with -O3 and the benchmarks, is full.sh.
# The last line is "N passed, N failed, N skipped".
set -uo pipefail
cd "$(dirname "$0")/.."

cmake/install_missing.sh g++ cmake ninja-build libeigen3-dev catch2 clang libomp-dev || exit 1
source tests/steps.sh

# g++ may use a gigabyte before it collects its garbage, which saves it an eighth of its time.
gnu_flags="--param ggc-min-heapsize=1000000 --param ggc-min-expand=200"

build_and_test "g++, release: all tests, headers, package, examples" release --preset release \
  -D CMAKE_CXX_FLAGS="$gnu_flags" -D CMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" -D PLIANT_BUILD_BENCH=OFF
build_and_test "g++ with AddressSanitizer and UBSan" debug-sanitize --preset debug-sanitize \
  -D CMAKE_CXX_FLAGS="$gnu_flags" \
  -D PLIANT_TEST_FOLDERS="constraint;solid"
build_and_test "clang" clang --preset clang -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_FLAGS_DEBUG=-O0 \
  -D PLIANT_TEST_FOLDERS="element;constraint;solid" \
  -D PLIANT_SKIP_SLOW_TESTS=ON -D PLIANT_TEST_PACKAGE=OFF -D PLIANT_BUILD_BENCH=OFF -D PLIANT_BUILD_EXAMPLES=OFF
finish
