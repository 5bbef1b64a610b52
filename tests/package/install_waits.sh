#!/usr/bin/env bash
# cmake/install_missing.sh where another program holds apt's lock: it says so, waits and installs; it gives up in the end,
# and at once where apt fails for another reason. apt and dpkg are stand-ins.
#   install_waits.sh <install_missing.sh>
set -uo pipefail
script=$(realpath -- "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export FOLDER=$folder PATH=$folder:$PATH

printf '#!/bin/sh\nexec "$@"\n' >"$folder/sudo"
printf '#!/bin/sh\nexit 1\n' >"$folder/dpkg-query"
cat >"$folder/apt-get" <<'FAKE'
#!/bin/sh
echo "$*" >>"$FOLDER/calls"
if [ "$(wc -l <"$FOLDER/calls")" -le "$LOCKED" ]; then
  echo "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 42 (unattended-upgr)" >&2
  exit 100
fi
[ -z "$BROKEN" ] || { echo "E: Unable to locate package no-such-package" >&2; exit 100; }
FAKE
chmod +x "$folder"/*

fail() { echo "$1: $output"; exit 1; }
run() { rm -f "$folder/calls"; output=$(LOCKED=$1 BROKEN=$2 APT_WAIT=$3 "$script" no-such-package 2>&1); }

run 3 "" 60 || fail "does not wait"
[[ $output == *"Another program is using apt: waiting for it, up to"*"held by process 42"* ]] || fail "does not say that it waits"
[ "$(grep -c "install .*no-such-package" "$folder/calls")" -eq 1 ] || fail "does not install once"
run 99 "" 2 && fail "waits for ever"
[[ $output == *"Could not get lock"* ]] || fail "does not say why it gives up"
run 0 yes 60 && fail "takes a failure for success"
[ "$(wc -l <"$folder/calls")" -eq 2 ] || fail "tries again what fails for another reason"
[[ $output == *"Unable to locate package"* ]] || fail "does not say why it failed"
exit 0
