#!/usr/bin/env bash
# Runs the tests under ThreadSanitizer and AddressSanitizer, each in a build folder of its own.
#
# There are no tests of XCTest, whose own runner leaks 144 bytes.
#
# Tests that expect a trap run in processes of their own, which the sanitizers' runtimes don't survive: they are left out.
# ThreadSanitizer runs what uses threads; under it, the rest takes a quarter of an hour and has nothing to find.
set -euo pipefail
cd "$(dirname "$0")/.."

threaded=(PipelinesTests CompressionTests ConverterTests SelectiveConversionTests RecordTests RecordReadingTests SlicerTests
  SliceEquivalenceTests SyntheticValidationTests EVChargingTrackerTests ArchiveValidationTests InspectorTests
  InspectionEquivalenceTests MigrationStreamingTests ComparerTests MergerTests ImportModelTests ImportTests DatabaseExportTests)
# What chance makes in thousands takes too long under this one; what fault tests load before the command must not stand before its runtime.
left_out=(MisuseTests "128 levels of nesting trap" "closing more brackets than are open traps" "closing with the wrong bracket traps"
  CommandTests FaultTests SliceEquivalenceTests KeyIndexTests)

for name in "${threaded[@]}" "${left_out[@]}"; do
  [[ -d Tests/$name ]] || grep -rqE "(struct|func) \`?\w*$name\b" Tests || { echo "sanitize.sh: no tests are called $name" >&2; exit 1; }
done
joined() { local IFS='|'; echo "$*"; }

TSAN_OPTIONS=suppressions=$PWD/Scripts/races.txt \
  swift test --disable-xctest --sanitize=thread --scratch-path .build/thread --filter "$(joined "${threaded[@]}")" --skip CommandTests
# On Linux it comes with LeakSanitizer.
LSAN_OPTIONS=print_suppressions=0:suppressions=$PWD/Scripts/leaks.txt swift test --disable-xctest --sanitize=address --scratch-path .build/address --skip "$(joined "${left_out[@]}")"
