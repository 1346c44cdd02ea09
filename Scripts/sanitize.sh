#!/bin/sh
# Runs the tests under ThreadSanitizer and AddressSanitizer, each in a build folder of its own.
#
# Tests that expect a trap run in processes of their own, which the sanitizers' runtimes don't survive: they are left out.
# ThreadSanitizer runs what uses threads; under it, the rest takes a quarter of an hour and has nothing to find.
set -eu

threaded='PipelinesTests|CompressionTests|ConverterTests|SelectiveConversionTests|RecordTests|RecordReadingTests|SlicerTests'
threaded="$threaded|SliceEquivalenceTests|SyntheticValidationTests|EVChargingTrackerTests|ArchiveValidationTests"
threaded="$threaded|InspectorTests|InspectionEquivalenceTests|MigrationStreamingTests|ComparerTests|MergerTests"
swift test --sanitize=thread --scratch-path .build/thread --filter "$threaded"
# Leaks are not looked for: reading rule documents leaves some of their enumerations behind, a known debt.
# What chance makes in thousands takes too long under this one; what fault tests load before the command must not stand before its runtime.
ASAN_OPTIONS=detect_leaks=0 swift test --sanitize=address --scratch-path .build/address \
  --skip 'MisuseTests|CommandTests|FaultTests|SliceEquivalenceTests|KeyIndexTests'
