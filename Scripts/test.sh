#!/usr/bin/env bash
# Builds and runs all tests. The last lines say which public test suites were available.
#
# Usage: Scripts/test.sh [OPTION…]      more options of `swift test`, such as --filter
#
# With CI=true a missing suite fails the run.
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
    *': missing,'*) echo "  could not run: $suite" ;;
    *) echo "  $suite" ;;
  esac
done <<<"$suites"
if [[ $are_complete == false && ${CI:-} == true ]]; then
  echo "a suite is missing, and CI requires both" >&2
  exit 1
fi
