#!/usr/bin/env bash
# Seconds of processor time that the compiler takes, as a table in Markdown: for the headers, for a program with one
# simulation, and for what one more instantiation in the same file adds. The least of three runs each.
#   bench/compile_time/measure.sh [<compiler> [<flag>...]]      default: g++ -O3
# The last lines are for 01_hello: by itself, with the declarations of pliant::compiled, and with a precompiled header.
set -euo pipefail
cd "$(dirname "$0")/../.."

compiler=${1:-g++}
shift || true
flags=("${@:--O3}")
eigen=${EIGEN_INCLUDE:-/usr/include/eigen3}
names=('`Eigen/Geometry` alone' '`pliant/fwd.hpp`' '`pliant/pliant.hpp`'
  'one `Simulation`: `Tet4`, `StableNeoHookean`, `double`, `BackwardEuler`, `Pcg<BlockJacobi>`, `Pinned`'
  '+ another isotropic energy' '+ a corotational energy' '+ `Hex8`' '+ `Tri3`' '+ `float`' '+ `QuasiStatic`'
  '+ `Pcg<Jacobi>`' '+ `Unconstrained`' '+ `read_mesh`')

# seconds <argument of the compiler>...
seconds() {
  local TIMEFORMAT=%U least=1000 run now
  for run in 1 2 3; do
    now=$({ time "$compiler" -std=c++20 "${flags[@]}" -fopenmp -isystem "$eigen" -I include "$@"; } 2>&1 | tail -n 1)
    least=$(awk -v a="$least" -v b="$now" 'BEGIN { print a < b ? a : b }')
  done
  echo "$least"
}

echo "| $compiler ${flags[*]} | seconds |"
echo "|---|---|"
for step in "${!names[@]}"; do
  time=$(seconds -D STEP="$step" -c bench/compile_time/one_more.cpp -o /dev/null)
  if ((step == 3)); then base=$time; fi
  if ((step > 3)); then time=$(awk -v a="$time" -v b="$base" 'BEGIN { printf "%.1f", a - b }'); fi
  printf '| %s | %.1f |\n' "${names[step]}" "$time"
done

# The declarations need CMake, but no library.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake -S . -B "$folder" -D CMAKE_CXX_COMPILER="$compiler" -D CMAKE_CXX_FLAGS="${flags[*]}" -D PLIANT_COMPILED=ON \
  -D PLIANT_BUILD_TESTS=OFF -D PLIANT_BUILD_EXAMPLES=OFF -D PLIANT_BUILD_BENCH=OFF >/dev/null
compiled=(-D PLIANT_COMPILED -I "$folder/compiled/include")
hello=(-c examples/01_hello/hello.cpp -o /dev/null)
printf '| `01_hello` | %.1f |\n' "$(seconds "${hello[@]}")"
printf '| `01_hello` with `pliant::compiled` | %.1f |\n' "$(seconds "${compiled[@]}" "${hello[@]}")"
all=$folder/all.hpp
echo '#include <pliant/pliant.hpp>' >"$all"
printf '| `pliant/pliant.hpp`, to be precompiled | %.1f |\n' \
  "$(seconds "${compiled[@]}" -x c++-header "$all" -o "$all.gch")"
use=(-include "$all")
if "$compiler" --version | grep -q clang; then use=(-include-pch "$all.gch"); fi
printf '| `01_hello` with both | %.1f |\n' "$(seconds "${use[@]}" "${compiled[@]}" "${hello[@]}")"
