#!/usr/bin/env bash
# Builds and runs all tests. The last lines say which public test suites were available.
#
# Usage: Scripts/test.sh [OPTION…]      more options of `swift test`, such as --filter
#
# With CI=true a missing suite fails the run, and everyday tests that take longer than 15 minutes are ended: those still running are named.
set -euo pipefail
cd "$(dirname "$0")/.."

are_complete=true
suites=$(Scripts/conformance.sh) || are_complete=false

began=$SECONDS
swift build --build-tests --force-resolved-versions
built=$SECONDS
limited=()
if [[ ${CI:-} == true && ${COFFER_TEST_DEPTH:-} != deep ]]; then limited=(timeout --kill-after=10 900); fi
log=.build/tests.log status=0
${limited[@]+"${limited[@]}"} swift test --skip-build "$@" 2>&1 | tee "$log" || status=$?
if ((status == 124 || status == 137)); then
  echo "ended after 900 s; these were still running:" >&2
  Scripts/unfinished-tests.awk "$log" >&2
fi
((status == 0)) || exit "$status"
# Slices are read by the lane otherwise.
if (($# == 0)); then
  COFFER_SLICE_PARSER=yajl swift test --skip-build --filter 'ConformanceTests|SuiteTests|SlicerTests|SliceEquivalenceTests' | tail -n 1
fi
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
