#!/usr/bin/env bash
# install_missing.sh <Debian package>...: installs those that are missing, quietly. Where another program holds apt's locks,
# as the daily updates do, it waits for it, up to APT_WAIT seconds (600). Where there is no apt it says what is needed and
# leaves the rest to CMake, which knows better what it can find.
set -euo pipefail

missing=()
for package in "$@"; do
  command -v "$package" >/dev/null && continue
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] && continue
  missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "Perhaps missing (names of Debian packages): ${missing[*]}"
  exit 0
fi

echo "Installing ${missing[*]}"
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
quiet_apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -qq -o Dpkg::Use-Pty=0)
deadline=$((SECONDS + ${APT_WAIT:-600}))
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# apt <argument>...: again and again while its message is that of a lock. apt waits by itself for one of its locks only.
apt() {
  local said=
  until "${quiet_apt[@]}" "$@" </dev/null >/dev/null 2>"$log"; do
    if ! grep -q "Could not get lock\|Unable to lock\|Unable to acquire" "$log" || ((SECONDS >= deadline)); then
      cat "$log" >&2
      return 1
    fi
    [ -n "$said" ] || echo "Another program is using apt: waiting for it, up to $((deadline - SECONDS)) s" \
      "($(grep -o 'held by process.*' "$log" | head -n 1))"
    said=yes
    sleep 1
  done
  cat "$log" >&2
}

apt update || echo "apt-get update failed; trying with the lists that are here"
apt install -y --no-install-recommends "${missing[@]}"
