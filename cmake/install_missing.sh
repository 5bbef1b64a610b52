#!/usr/bin/env bash
# install_missing.sh <Debian package>...: installs those that are missing, quietly. Where there is no apt it says
# what is needed and leaves the rest to CMake, which knows better what it can find.
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
quiet_apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
"${quiet_apt[@]}" update </dev/null >/dev/null || echo "apt-get update failed; trying with the lists that are here"
"${quiet_apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null >/dev/null
