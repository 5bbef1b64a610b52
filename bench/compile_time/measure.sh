#!/usr/bin/env bash
# Seconds of processor time that the compiler takes, as a table in Markdown: for the headers, for a program with one
# simulation, and for what one more instantiation in the same file adds. The least of three runs each.
#   bench/compile_time/measure.sh [<compiler> [<flag>...]]      default: g++ -O3
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

seconds() {
  local TIMEFORMAT=%U least=1000 run now
  for run in 1 2 3; do
    now=$({ time "$compiler" -std=c++20 "${flags[@]}" -fopenmp -isystem "$eigen" -I include -D STEP="$1" \
      -c bench/compile_time/one_more.cpp -o /dev/null; } 2>&1 | tail -n 1)
    least=$(awk -v a="$least" -v b="$now" 'BEGIN { print a < b ? a : b }')
  done
  echo "$least"
}

echo "| $compiler ${flags[*]} | seconds |"
echo "|---|---|"
for step in "${!names[@]}"; do
  time=$(seconds "$step")
  if ((step == 3)); then base=$time; fi
  if ((step > 3)); then time=$(awk -v a="$time" -v b="$base" 'BEGIN { printf "%.1f", a - b }'); fi
  printf '| %s | %.1f |\n' "${names[step]}" "$time"
done
