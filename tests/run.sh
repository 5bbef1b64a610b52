#!/usr/bin/env bash
# Installs what is missing, builds and runs the tests: each once with the assertions of Eigen, a part with
# AddressSanitizer and UBSan, and a part with g++; the examples, the package and the headers. The files of a folder are
# compiled together and optimised as little as the time asks for; the whole matrix, file by file, is full.sh.
# The last line is "N passed, N failed, N skipped".
set -uo pipefail
cd "$(dirname "$0")/.."

cmake/install_missing.sh g++ cmake ninja-build libeigen3-dev catch2 clang libomp-dev libclang-rt-14-dev || exit 1
source tests/steps.sh

# Clang takes a third of the time of g++ for a test, and one unit for a folder of tests half of that again. g++ may use a
# gigabyte before it collects its garbage, which saves it an eighth of its time.
together="-D PLIANT_TESTS_PER_UNIT=40 -D PLIANT_PRECOMPILE=ON -D PLIANT_BUILD_BENCH=OFF"
tests_only="$together -D PLIANT_TEST_PACKAGE=OFF -D PLIANT_BUILD_EXAMPLES=OFF"
gnu_flags="--param ggc-min-heapsize=1000000 --param ggc-min-expand=200"

# Each folder of tests is run once by clang, two of them with sanitizers, and a few by g++ too. The sanitized builds leave
# out the cases tagged [slow]; they compile and run two to three times as long, so of the other folders they take the
# files that index most. None is built with -DNDEBUG: Eigen asserts sizes, indices and what must not alias.
with_sanitizers="core;io"
with_sanitizers_too="linear_solver/cholesky;linear_solver/incomplete_factor;linear_solver/aggregates"
with_sanitizers_too+=";linear_solver/minimum_degree;linear_solver/bounded_solve;contact/bounding_volume_hierarchy"
with_sanitizers_too+=";contact/triangle_mesh;integrator/on_any_threads_implicit"
# The OpenMP library of Clang allocates memory itself: on several threads allocations can be counted with g++ only.
with_gnu="element;pliant;simd;simulation/allocation;simulation/growing_pattern_allocation"

# The package contains pliant::compiled with one type.
build_and_test "g++: package, headers, a part of the tests" release --preset release $together -D PLIANT_COMPILED=ON \
  -D "PLIANT_COMPILED_TYPES=Tet4, StableNeoHookean, double | BackwardEuler | Pcg<BlockJacobi> | Pinned" \
  -D PLIANT_BUILD_EXAMPLES=OFF -D CMAKE_CXX_FLAGS="$gnu_flags" -D CMAKE_CXX_FLAGS_RELEASE=-O1 \
  -D PLIANT_TEST_FOLDERS="$with_gnu"
build_and_test "g++ -O3 -march=native: what computes in lanes" native --preset release $tests_only \
  -D CMAKE_CXX_FLAGS="$gnu_flags" -D CMAKE_CXX_FLAGS_RELEASE=-O3 -D PLIANT_NATIVE=ON \
  -D PLIANT_TEST_FOLDERS="simd;element;assembly/element_kernel;assembly/hex8_stiffness"
build_and_test "clang: examples, tests" clang --preset clang $together -D PLIANT_TEST_PACKAGE=OFF \
  -D CMAKE_CXX_FLAGS_RELEASE=-O1 -D PLIANT_COMPILED=ON -D PLIANT_STEP_FEW_COMPOSITIONS=ON \
  -D PLIANT_TEST_FOLDERS="compile_fail;$(other_folders "$with_sanitizers")"
LSAN_OPTIONS=suppressions=$PWD/tests/support/leaks_of_others.txt:print_suppressions=0 \
  build_and_test "clang with AddressSanitizer and UBSan" sanitize --preset debug-sanitize $tests_only \
  -D CMAKE_CXX_COMPILER=clang++ -D PLIANT_TEST_FOLDERS="$with_sanitizers;$with_sanitizers_too"
# ThreadSanitizer understands the OpenMP of Clang through its tool Archer; with that of g++ it reports false races.
OMP_TOOL_LIBRARIES=libarcher.so TSAN_OPTIONS=ignore_noninstrumented_modules=1 \
  build_and_test "clang with ThreadSanitizer: a scene of each integrator" thread --preset debug-sanitize $tests_only \
  -D CMAKE_CXX_COMPILER=clang++ -D PLIANT_SANITIZE=thread -D PLIANT_TESTS_PER_UNIT=1 \
  -D PLIANT_TEST_FOLDERS="integrator/on_any_threads;integrator/on_any_threads_implicit"
finish
