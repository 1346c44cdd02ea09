#!/usr/bin/env bash
# Builds a fuzz target with libFuzzer and AddressSanitizer, and runs it.
#
# Usage: Fuzz/run.sh TARGET SECONDS          for example: Fuzz/run.sh reader 60 (or lane, foundation, roundtrip, lz4, gzip, zstd, zip, recover, rules, evaluation)
#        Fuzz/run.sh TARGET FILE…            replays inputs, such as a crash
#
# It starts from Fuzz/Corpus/TARGET (foundation and roundtrip use the reader's inputs in Fuzz/Corpus/reader). New inputs go to
# .build/fuzz/corpus, failing ones to out/fuzz/TARGET.
# Only Linux toolchains include libFuzzer; on a Mac, install a toolchain from swift.org and put it first in PATH.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${1:?the name of a target: reader, lane, foundation, roundtrip, lz4, gzip, zstd, zip, recover, rules or evaluation}
: "${2:?for how many seconds, or which files}"
seeds=Fuzz/Corpus/$target
case $target in
  reader) product=FuzzReader words=json ;;
  lane) product=FuzzLane words=json ;;
  foundation) product=FuzzFoundation words=json seeds=Fuzz/Corpus/reader ;;
  roundtrip) product=FuzzRoundTrip words=json seeds=Fuzz/Corpus/reader ;;
  recover) product=FuzzRecover words=json ;;
  rules) product=FuzzRules words=rules ;;
  evaluation) product=FuzzEvaluation words=rules ;;
  lz4) product=FuzzLZ4 words=lz4 ;;
  gzip) product=FuzzGzip words=gzip ;;
  zstd) product=FuzzZstd words=zstd ;;
  zip) product=FuzzZIP words=zip ;;
  *) echo "no target '$target'; targets: reader, lane, foundation, roundtrip, lz4, gzip, zstd, zip, recover, rules, evaluation" >&2; exit 2 ;;
esac

# Swift uses only the last -sanitize=, so it needs both in one; --sanitize= also applies to C.
COFFER_FUZZ=1 swift build -c release --product $product --scratch-path .build/fuzz \
  --sanitize=fuzzer --sanitize=address -Xswiftc -sanitize=fuzzer,address

export LSAN_OPTIONS=suppressions=$PWD/Scripts/leaks.txt
# Swift's own backtraces read memory that AddressSanitizer forbids.
export SWIFT_BACKTRACE=enable=no
fuzzer=.build/fuzz/release/$product

if [[ ! $2 =~ ^[0-9]+$ ]]; then exec "$fuzzer" "${@:2}"; fi

learned=.build/fuzz/corpus/$target found=out/fuzz/$target
mkdir -p "$learned" "$found"
exec "$fuzzer" -max_total_time="$2" -max_len=16384 -timeout=10 -dict="Fuzz/$words.dict" -artifact_prefix="$found/" -print_final_stats=1 \
  "$learned" "$seeds"
