#!/usr/bin/env bash
# The whole matrix, for a release or a change of the frame; takes hours.
#   tests/full.sh              every pair of compiler, OpenMP or none, -march=native or none; every sanitizer
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

if [ "${1:-}" = product ]; then
  build_and_test "every combination" full-product --preset release -D CMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" \
    -D PLIANT_COMPOSITION=product -D PLIANT_TEST_FOLDERS=composition -D PLIANT_TEST_PACKAGE=OFF \
    -D PLIANT_BUILD_EXAMPLES=OFF -D PLIANT_BUILD_BENCH=OFF
  finish
  exit
fi

# Every pair of compiler, OpenMP and instruction set; with each compiler once as users build, and once as fast as it
# compiles.
while read -r preset openmp native optimisation; do
  folder=full-$preset-openmp-$openmp-native-$native
  build_and_test "$folder" "$folder" --preset "$preset" -D PLIANT_USE_OPENMP=$openmp -D PLIANT_NATIVE=$native \
    -D CMAKE_CXX_FLAGS_RELEASE="$optimisation -DNDEBUG"
done <<'COMBINATIONS'
release ON ON -O3
release OFF OFF -O1
clang ON OFF -O1
clang OFF ON -O3
COMBINATIONS

for compiler in g++ clang++; do
  build_and_test "$compiler, AddressSanitizer and UBSan" "full-address-$compiler" --preset debug-sanitize \
    -D CMAKE_CXX_COMPILER=$compiler -D PLIANT_SKIP_SLOW_TESTS=OFF
done

# ThreadSanitizer understands the OpenMP of Clang through its tool Archer; with that of g++ it reports false races.
export OMP_TOOL_LIBRARIES=libarcher.so TSAN_OPTIONS=ignore_noninstrumented_modules=1
build_and_test "clang, ThreadSanitizer" full-thread --preset debug-sanitize -D CMAKE_CXX_COMPILER=clang++ \
  -D PLIANT_SANITIZE=thread
finish
