#!/usr/bin/env bash
# examples/run.sh [mesh file]: installs what is missing, builds the examples and runs the first one, on a tetrahedral
# mesh (.msh .mesh .node .veg .vtk) or, without one, on a body that it generates.
set -euo pipefail
arguments=()
[ $# -eq 0 ] || arguments=("$(realpath -- "$1")")
cd "$(dirname "$0")/.."

cmake/install_missing.sh g++ cmake make libeigen3-dev
log=build/examples.log
mkdir -p build
echo "Building the examples (a minute or two)"
if ! { cmake -B build/examples -D CMAKE_BUILD_TYPE=Release -D PLIANT_NATIVE=ON -D PLIANT_WARNINGS_AS_ERRORS=OFF \
         -D PLIANT_BUILD_TESTS=OFF -D PLIANT_BUILD_BENCH=OFF &&
       cmake --build build/examples -j "$(nproc)"; } >"$log" 2>&1 </dev/null; then
  tail -n 60 "$log"
  exit 1
fi

build/examples/examples/01_hello "${arguments[@]}"
