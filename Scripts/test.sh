#!/usr/bin/env bash
# Builds and runs all tests, and checks recorded reports with the programs that read them. The last lines list the available public test suites.
#
# Usage: Scripts/test.sh [OPTION…]      more options of `swift test`, such as --filter
#        Scripts/test.sh --build        builds them only
#        Scripts/test.sh --build --product coffer      builds the command that they run
#
# With CI=true a missing suite fails the run, everyday tests are stopped after 25 minutes, with a list of those still running, and the build has
# no debug information, compiles modules as a whole and indexes the package's own code alone: a module of tests takes 40 % less processor time, if
# nothing is built again.
set -euo pipefail
cd "$(dirname "$0")/.."

began=$SECONDS
build=(swift build --force-resolved-versions)
if [[ ${CI:-} == true ]]; then
  build+=(-Xswiftc -gnone -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 1)
  # SwiftPM needs an index to look for XCTest's tests; that of other modules takes a fifth of the time of a module of tests.
  build+=(-Xswiftc -index-ignore-system-modules -Xswiftc -Xfrontend -Xswiftc -index-ignore-stdlib)
  build+=(-Xswiftc -Xfrontend -Xswiftc -index-ignore-clang-modules)
fi
if [[ ${1-} == --build ]]; then
  shift
  if (($# == 0)); then set -- --build-tests; fi
  exec "${build[@]}" "$@"
fi
"${build[@]}" --build-tests
built=$SECONDS

are_complete=true
suites=$(Scripts/conformance.sh) || are_complete=false
limited=()
if [[ ${CI:-} == true && ${COFFER_TEST_DEPTH:-} != deep ]]; then limited=(timeout --kill-after=10 1500); fi
log=.build/tests.log status=0
${limited[@]+"${limited[@]}"} swift test --skip-build "$@" 2>&1 | tee "$log" || status=$?
if ((status == 124 || status == 137)); then
  echo "stopped after 1500 s; still running:" >&2
  Scripts/unfinished-tests.awk "$log" >&2
fi
if ((status != 0)); then
  # The log is long, and CI systems may show its end alone.
  echo "Failures:" >&2
  grep -E '^(✘|↳)' "$log" | tail -n 200 >&2 || true
  exit "$status"
fi
reports_checked=true
if (($# == 0)); then
  echo "Reports as others read them:"
  Scripts/check-reports.sh || status=$?
  if ((status == 75)); then
    reports_checked=false status=0
    echo "  could not run: the tools can't be installed"
  fi
  ((status == 0)) || exit "$status"
fi
echo "built in $((built - began)) s, ran in $((SECONDS - built)) s, depth ${COFFER_TEST_DEPTH:-everyday}"

echo "Public test suites:"
while read -r suite; do
  case $suite in
    *': missing,'*) echo "  could not run: $suite" ;;
    *) echo "  $suite" ;;
  esac
done <<<"$suites"
if [[ $reports_checked == false && ${CI:-} == true ]]; then
  echo "CI requires the checks of reports" >&2
  exit 1
fi
if [[ $are_complete == false && ${CI:-} == true ]]; then
  echo "CI requires both suites, but one is missing" >&2
  exit 1
fi
