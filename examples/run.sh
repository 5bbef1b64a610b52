#!/usr/bin/env bash
# examples/run.sh [[--with-holes] mesh file]: installs what is missing, builds the first example and runs it, on a
# tetrahedral mesh (.msh .mesh .node .veg .vtk) or, without one, on a body that it generates.
set -euo pipefail
arguments=()
for argument in "$@"; do
  [ ! -e "$argument" ] || argument=$(realpath -- "$argument")
  arguments+=("$argument")
done
cd "$(dirname "$0")/.."

cmake/install_missing.sh g++ cmake make libeigen3-dev
log=build/examples.log
mkdir -p build
echo "Building the first example (a minute)"
if ! { cmake -B build/examples -D CMAKE_BUILD_TYPE=Release -D PLIANT_NATIVE=ON -D PLIANT_WARNINGS_AS_ERRORS=OFF \
         -D PLIANT_BUILD_TESTS=OFF -D PLIANT_BUILD_BENCH=OFF &&
       cmake --build build/examples --target 01_hello; } >"$log" 2>&1 </dev/null; then
  tail -n 60 "$log"
  exit 1
fi

build/examples/examples/01_hello "${arguments[@]}"
echo "The other examples: cmake --build build/examples, then build/examples/examples/02_custom_energy and so on"
