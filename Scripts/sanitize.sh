#!/usr/bin/env bash
# Runs the tests under ThreadSanitizer and AddressSanitizer, each with its own build folder.
#
# XCTest is disabled, because its runner leaks 144 bytes.
#
# Tests that expect a trap are skipped: they run in their own processes, which the sanitizers' runtimes don't survive.
# ThreadSanitizer runs only threaded tests; under it, the rest would take a quarter of an hour and find nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

threaded=(PipelinesTests CompressionTests ConverterTests SelectiveConversionTests RecordTests RecordReadingTests SlicerTests
  SliceEquivalenceTests SyntheticValidationTests EVChargingTrackerTests ArchiveValidationTests InspectorTests
  InspectionEquivalenceTests MigrationStreamingTests ComparerTests MergerTests ImportModelTests ImportTests DatabaseExportTests
  RuleDrafterTests RuleScorerTests SplitPlaceTests AutosaveTests ManyFilesExecutionTests)
# Tests with thousands of random cases take too long under AddressSanitizer; the library that fault tests preload must not precede its runtime.
left_out=(MisuseTests "128 levels of nesting trap" "closing more brackets than are open traps" "closing with the wrong bracket traps"
  CommandTests FaultTests SliceEquivalenceTests KeyIndexTests)

for name in "${threaded[@]}" "${left_out[@]}"; do
  [[ -d Tests/$name ]] || grep -rqE "(struct|func) \`?\w*$name\b" Tests || { echo "sanitize.sh: no tests named $name" >&2; exit 1; }
done
joined() { local IFS='|'; echo "$*"; }

TSAN_OPTIONS=suppressions=$PWD/Scripts/races.txt \
  swift test --disable-xctest --sanitize=thread --scratch-path .build/thread --filter "$(joined "${threaded[@]}")" --skip CommandTests
# On Linux it includes LeakSanitizer.
LSAN_OPTIONS=print_suppressions=0:suppressions=$PWD/Scripts/leaks.txt swift test --disable-xctest --sanitize=address --scratch-path .build/address --skip "$(joined "${left_out[@]}")"
