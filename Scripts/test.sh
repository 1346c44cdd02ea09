#!/usr/bin/env bash
# Builds and runs all tests; the last lines name the public test suites that ran, and those that could not.
#
# Usage: Scripts/test.sh [OPTION…]      more options of `swift test`, such as --filter
#
# With CI=true a suite that could not run is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

are_complete=true
suites=$(Scripts/conformance.sh) || are_complete=false

began=$SECONDS
swift build --build-tests --force-resolved-versions
built=$SECONDS
swift test --skip-build "$@"
echo "built in $((built - began)) s, ran in $((SECONDS - built)) s, depth ${COFFER_TEST_DEPTH:-everyday}"

echo "Public test suites:"
while read -r suite; do
  case $suite in
    *': missing,'*) echo "  did not run: $suite" ;;
    *) echo "  ran: $suite" ;;
  esac
done <<<"$suites"
if [[ $are_complete == false && ${CI:-} == true ]]; then
  echo "a suite is missing, and CI requires both" >&2
  exit 1
fi
