#!/usr/bin/env bash
# Installs what is missing, builds and runs the tests: all with g++ and the assertions of Eigen; a part with
# AddressSanitizer and UBSan, with ThreadSanitizer and with Clang. Several files are compiled together and optimised as
# little as the time asks for; the whole matrix, file by file, is full.sh.
# The last line is "N passed, N failed, N skipped".
set -uo pipefail
cd "$(dirname "$0")/.."

cmake/install_missing.sh g++ cmake ninja-build libeigen3-dev catch2 clang libomp-dev libclang-rt-14-dev || exit 1
source tests/steps.sh

# g++ may use a gigabyte before it collects its garbage, which saves it an eighth of its time.
gnu_flags="--param ggc-min-heapsize=1000000 --param ggc-min-expand=200"
together="-D PLIANT_TESTS_PER_UNIT=8"
tests_only="$together -D PLIANT_TEST_PACKAGE=OFF -D PLIANT_BUILD_BENCH=OFF -D PLIANT_BUILD_EXAMPLES=OFF"

# Without -DNDEBUG: Eigen asserts sizes, indices and what must not alias.
build_and_test "g++: all tests, headers, package, examples" release --preset release $together \
  -D CMAKE_CXX_FLAGS="$gnu_flags" -D CMAKE_CXX_FLAGS_RELEASE=-O1 -D PLIANT_PRECOMPILE=ON -D PLIANT_BUILD_BENCH=OFF
build_and_test "g++ with AddressSanitizer and UBSan" debug-sanitize --preset debug-sanitize $tests_only \
  -D CMAKE_CXX_FLAGS="$gnu_flags" \
  -D PLIANT_TEST_FOLDERS="constraint;solid;integrator/each_on_any_threads"
# ThreadSanitizer understands the OpenMP of Clang through its tool Archer; with that of g++ it reports false races.
OMP_TOOL_LIBRARIES=libarcher.so TSAN_OPTIONS=ignore_noninstrumented_modules=1 \
  build_and_test "clang with ThreadSanitizer: a scene of each integrator" thread --preset debug-sanitize $tests_only \
  -D CMAKE_CXX_COMPILER=clang++ -D PLIANT_SANITIZE=thread -D PLIANT_TEST_FOLDERS="integrator/each_on_any_threads"
build_and_test "clang" clang --preset clang -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_FLAGS_DEBUG=-O0 $tests_only \
  -D PLIANT_TEST_FOLDERS="compile_fail;element;constraint;solid" -D PLIANT_SKIP_SLOW_TESTS=ON
finish
