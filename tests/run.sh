#!/usr/bin/env bash
# Installs what is missing, builds and runs the tests: g++ release with everything, g++ debug with AddressSanitizer
# and UBSan without the slow tests, Clang. The last line is "N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")/.."

cmake/install_missing.sh g++ cmake ninja-build libeigen3-dev catch2 libbenchmark-dev clang libomp-dev || exit 1
source tests/steps.sh

build_and_test "g++, release: all tests, headers, package, examples, benchmarks" release --preset release
build_and_test "g++, debug with sanitizers" debug-sanitize --preset debug-sanitize
build_and_test "clang" clang --preset clang
finish
