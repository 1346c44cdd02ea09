#!/usr/bin/env bash
# Fails if a release build contains failpoints, at which tests end or fail a run: neither their names nor that of the variable may be in it.
#
# Usage: Scripts/no-failpoints.sh .build/release/coffer
set -euo pipefail
cd "$(dirname "$0")/.."

command=${1:?the command}
names=$(grep -oE '^ +"[a-z-]+",$' Sources/Base/Failpoints/Failpoint.swift | grep -oE '[a-z-]+')
[[ -n $names ]] || { echo "no failpoint in the sources" >&2; exit 1; }
for name in $names COFFER_FAILPOINT; do
  if grep -aqF -e "$name" "$command"; then
    echo "$command: has the failpoint $name" >&2
    exit 1
  fi
done
echo "$command: none of $(wc -w <<<"$names") failpoints"
