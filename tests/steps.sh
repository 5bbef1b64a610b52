# What run.sh and full.sh share: build and test one configuration after the other, go on after a failure, and count.
# To be sourced at the top of the source tree.

passed=0
failed=0
skipped=0
jobs=$(nproc)
export CMAKE_GENERATOR=Ninja CTEST_OUTPUT_ON_FAILURE=1
# Tests run side by side, each with as many threads as there are cores: those that wait must not spin.
export OMP_WAIT_POLICY=passive
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_SLOPPINESS=pch_defines,time_macros
fi

title() { printf '\n== %s  [%d min %02d s]\n' "$1" $((SECONDS / 60)) $((SECONDS % 60)); }

# other_folders <folder;folder;...>: the folders of tests but these; the test beside the folders is in "pliant".
other_folders() {
  (cd tests && echo pliant && find . -mindepth 2 -maxdepth 2 -name '*_test.cpp' -printf '%h\n') | sed 's|^\./||' |
    sort -u | grep -vxF "${1//;/$'\n'}" | paste -sd ';'
}

# step <log> <command>...: a command that prints how far it is, once a minute, and its errors if it fails, which counts as
# one failed test. How far it is stands in the last line of the form "[done/all] what" of its log.
step() {
  local log=$1 process minute=$((SECONDS + 60))
  shift
  "$@" >"$log" 2>&1 </dev/null &
  process=$!
  while kill -0 "$process" 2>/dev/null; do
    sleep 0.5
    if [ "$SECONDS" -ge "$minute" ]; then
      minute=$((SECONDS + 60))
      printf '   %3d min  %s\n' $((SECONDS / 60)) "$(tail -n 1 "$log" | grep -oE '^\[[0-9]+/[0-9]+\]' || echo "$1")"
    fi
  done
  wait "$process" && return 0
  echo "FAILED: $*"
  grep -E 'error|Error|FAILED|warning' -A 6 "$log" | head -n 200
  echo "(whole log: $log)"
  failed=$((failed + 1))
  return 1
}

# build <folder> <argument of cmake>...: configures and builds in build/<folder>, going on after an error.
build() {
  local folder=build/$1
  shift
  mkdir -p "$folder"
  step "$folder/configure.log" cmake -B "$folder" "$@" || return 1
  step "$folder/build.log" cmake --build "$folder" -j "$jobs" -- -k 0
}

# run_tests <folder> <argument of ctest>...: runs what could be built, prints each test that does not pass and how far it
# is after every twentieth, and adds to the count.
run_tests() {
  local folder=build/$1 log=build/$1/ctest.log
  shift
  ctest --test-dir "$folder" -j "$jobs" --no-tests=error "$@" </dev/null 2>&1 | tee "$log" |
    grep --line-buffered -vE '^ +Start |^ *[0-9]*[1-9]/[0-9]+ .*Passed|^ *[0-9]*[13579]0/[0-9]+ .*Passed'
  local all bad idle
  read -r bad all < <(sed -nE 's/.*tests passed, ([0-9]+) tests failed out of ([0-9]+)/\1 \2/p' "$log") ||
    { bad=1 all=1; }
  idle=$(grep -c '(Skipped)$' "$log")
  failed=$((failed + bad))
  skipped=$((skipped + idle))
  passed=$((passed + all - bad - idle))
}

# build_and_test <title> <folder> <argument of cmake>...
build_and_test() {
  title "$1"
  shift
  build "$@"
  [ -f "build/$1/CTestTestfile.cmake" ] && run_tests "$1"
}

# build_only <title> <folder> <argument of cmake>...: a build without a test in it, which counts as one.
build_only() {
  title "$1"
  shift
  build "$@" && passed=$((passed + 1))
}

# The last line of the output, and the exit status.
finish() {
  title "done"
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
