#!/usr/bin/env bash
# The whole matrix, for a release or a change of the frame; takes two hours of two cores.
#   tests/full.sh              every pair of compiler, OpenMP or none, -march=native or none; every sanitizer
#   tests/full.sh clang thread some of its four builds: release, clang, address, thread
#   tests/full.sh syntax       errors and warnings of clang in all tests, without code
#   tests/full.sh product      one step of every combination of element, energy, integrator, solver and constraint
#   tests/full.sh fuzz [sec]   each fuzzer for so many seconds (default 600)
set -uo pipefail
cd "$(dirname "$0")/.."

cmake/install_missing.sh g++ cmake ninja-build libeigen3-dev catch2 libbenchmark-dev clang libomp-dev \
  libclang-rt-14-dev || exit 1
source tests/steps.sh

fuzz() {
  local seconds=$1 fuzzer name dictionary
  build fuzz --preset clang -D CMAKE_BUILD_TYPE=RelWithDebInfo -D PLIANT_BUILD_FUZZERS=ON -D PLIANT_BUILD_TESTS=OFF \
    -D PLIANT_BUILD_EXAMPLES=OFF -D PLIANT_BUILD_BENCH=OFF
  for fuzzer in build/fuzz/tests/*_fuzzer; do
    name=$(basename "$fuzzer")
    title "$name, $seconds s"
    mkdir -p "build/fuzz/corpus/$name"
    dictionary=tests/fuzz/${name%_fuzzer}.dict
    if step "build/fuzz/$name.log" "$fuzzer" -max_total_time="$seconds" -max_len=16384 -timeout=60 \
      -dict="$dictionary" -artifact_prefix="build/fuzz/$name-" "build/fuzz/corpus/$name"; then
      passed=$((passed + 1))
    fi
  done
}

if [ "${1:-}" = fuzz ]; then
  fuzz "${2:-600}"
  finish
  exit
fi

if [ "${1:-}" = syntax ]; then
  build_only "clang: errors and warnings in all tests" full-syntax --preset clang -D CMAKE_BUILD_TYPE=Debug \
    -D CMAKE_CXX_FLAGS_DEBUG=-O0 -D PLIANT_TESTS_PER_UNIT=8 -D PLIANT_TESTS_SYNTAX_ONLY=ON \
    -D PLIANT_TEST_PACKAGE=OFF -D PLIANT_BUILD_BENCH=OFF -D PLIANT_BUILD_EXAMPLES=OFF
  finish
  exit
fi

if [ "${1:-}" = product ]; then
  build_and_test "every combination" full-product --preset release -D CMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" \
    -D PLIANT_COMPOSITION=product -D PLIANT_TEST_FOLDERS=composition -D PLIANT_TEST_PACKAGE=OFF \
    -D PLIANT_BUILD_EXAMPLES=OFF -D PLIANT_BUILD_BENCH=OFF
  finish
  exit
fi

# Every pair of compiler, OpenMP or none, -march=native or none; every sanitizer. The sanitized builds leave out what
# runs the same code once more to measure its accuracy, and that with ThreadSanitizer what knows no threads.
sanitized=$(other_folders "composition;validation")
threaded=$(other_folders "pliant;composition;element;energy;io;mesh;optional;solid;testing;validation")

[ $# -gt 0 ] || set -- release clang address thread
for configuration in "$@"; do
  case $configuration in
    release) build_and_test "g++ -O3, OpenMP, native" full-release --preset release -D PLIANT_NATIVE=ON ;;
    clang)
      build_and_test "clang -O1, no OpenMP, native" full-clang --preset clang -D PLIANT_USE_OPENMP=OFF \
        -D PLIANT_NATIVE=ON -D CMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" ;;
    address)
      build_and_test "g++ with AddressSanitizer and UBSan, no OpenMP" full-address --preset debug-sanitize \
        -D PLIANT_USE_OPENMP=OFF -D PLIANT_SKIP_SLOW_TESTS=OFF -D PLIANT_TEST_FOLDERS="$sanitized" ;;
    thread)
      # ThreadSanitizer understands the OpenMP of Clang through its tool Archer; with that of g++ it reports false races.
      export OMP_TOOL_LIBRARIES=libarcher.so TSAN_OPTIONS=ignore_noninstrumented_modules=1
      build_and_test "clang with ThreadSanitizer, OpenMP" full-thread --preset debug-sanitize \
        -D CMAKE_CXX_COMPILER=clang++ -D PLIANT_SANITIZE=thread -D PLIANT_TEST_FOLDERS="$threaded" ;;
    *)
      echo "no such build: $configuration"
      exit 2 ;;
  esac
done
finish
