#!/usr/bin/env bash
# What the threads of other programs cost a run, as a table in Markdown: on a machine that has nothing else to do, the time of
# the threads that the library chooses by the time of as many as there are cores, by order; beside one busy loop for each core,
# by the time of one thread. Two runs in turn, medians of RUNS (7) ratios; the machine should have nothing else to do.
#   bench/busy_machine/measure.sh build/bench/bench/bench_busy_machine
set -euo pipefail
program=$(realpath -- "$1")
runs=${RUNS:-7}
cores=${CORES:-$(nproc)}
unset OMP_WAIT_POLICY OMP_DYNAMIC GOMP_SPINCOUNT KMP_BLOCKTIME
export OMP_NUM_THREADS=$cores

# ratio <threads of the other run> <run>...: median of the ratios, and of the seconds
ratio() {
  local threads=$1 n free other
  shift
  for ((n = 0; n < runs; ++n)); do
    free=$("$program" "$@" 0)
    other=$("$program" "$@" "$threads")
    awk -v a="$free" -v b="$other" 'BEGIN { printf "%.3f %.2f %.2f\n", a / b, a, b }'
  done | sort -g | awk '{ row[NR] = $0 } END { split(row[int((NR + 1) / 2)], a); printf "%s (%s / %s s)", a[1], a[2], a[3] }'
}

scenes=("BackwardEuler 24 250" "TwoLevel 24 500" "OperatorSplitting 24 6000"
        "CentralDifferences 24 500" "BackwardEuler 12 4000" "OperatorSplitting 12 50000" "CentralDifferences 12 2500")
declare -A quiet
for scene in "${scenes[@]}"; do quiet[$scene]=$(ratio "$cores" $scene); done

loops=()
trap 'kill "${loops[@]}" 2>/dev/null || true' EXIT
for ((n = 0; n < cores; ++n)); do
  sh -c 'while :; do :; done' &
  loops+=($!)
done
echo "| integrator, cells along the bar, steps | chosen / $cores by order, quiet | chosen / 1 by order, beside $cores busy loops |"
echo "|---|---|---|"
for scene in "${scenes[@]}"; do echo "| $scene | ${quiet[$scene]} | $(ratio 1 $scene) |"; done
