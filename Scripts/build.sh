#!/usr/bin/env bash
# Builds the command: .build/release/coffer.
#
# Usage: Scripts/build.sh [OPTION…]      more options of `swift build`
#
# On Linux, Swift's libraries are linked statically: the command starts in 8 ms instead of 14.5, takes 4 MiB less memory, and runs without an
# installed Swift. Without debug information, symbols and exported names it has 51 MB; 16 of them are ICU's data, which Foundation includes and
# Scripts/reduce-icu.py halves. On macOS the libraries belong to the system.
set -euo pipefail
cd "$(dirname "$0")/.."

build=(swift build -c release --product coffer --force-resolved-versions -Xswiftc -gnone)
# With its driver in process, SwiftPM begins a module as soon as its imported interfaces are written (`awaited` in Package.swift): 180 s instead
# of 255. SwiftPM warns that this option will be removed.
driver=--use-integrated-swift-driver
# Without -q, so that grep reads to the end: a pipe that is closed early would fail the test.
if swift build --help | grep -- "$driver" >/dev/null; then build+=("$driver"); fi
if [[ $(uname) == Linux ]]; then
  build+=(--static-swift-stdlib -Xlinker -s -Xlinker --no-export-dynamic)
  toolchain=$(dirname "$(realpath "$(command -v swiftc)")")
  library=$toolchain/../lib/swift_static/linux/lib_FoundationICU.a
  icu=$PWD/.build/icu
  if [[ -e $library && (! $icu.o -nt $library || ! $icu.o -nt Scripts/reduce-icu.py) ]] && command -v python3 >/dev/null && command -v objcopy >/dev/null; then
    mkdir -p .build
    rm -f "$icu.o"
    if Scripts/reduce-icu.py "$library" "$icu.s"; then
      "$toolchain/clang" -c "$icu.s" -o "$icu.o"
    else
      echo "the command includes all of ICU's data and is 16 MB larger" >&2
    fi
    rm -f "$icu.s" "$icu.dat"
  fi
  if [[ -e $icu.o ]]; then export COFFER_ICU_DATA=$icu.o; fi
fi
exec "${build[@]}" "$@"
