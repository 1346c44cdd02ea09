#!/usr/bin/env bash
# Compares the kernels of the structure scan and of the lane with the portable ones on random documents: those of this processor, and those of
# AArch64 under qemu.
#
# Usage: Scripts/kernels.sh [COUNT]      documents to compare (default: 100000)
#
# On Debian and Ubuntu it installs a C compiler for AArch64 and qemu.
set -euo pipefail
cd "$(dirname "$0")/.."

count=${1:-100000}
out=.build/kernels
sources=(Tests/Kernels/compare_kernels.c Sources/CLibraries/CByteScan/*.c Sources/CLibraries/CJSONEvents/Lane.c Sources/CLibraries/CJSONEvents/KeySets.c)
flags=(-std=c11 -O2 -Wall -Werror -ISources/CLibraries/CByteScan/include -ISources/CLibraries/CJSONEvents/include -ISources/CLibraries/CJSONEvents -ISources/CLibraries/CByteScan)
mkdir -p "$out"

Scripts/dependencies.sh --kernels

echo "$(uname -m):"
cc "${flags[@]}" -o "$out/compare" "${sources[@]}"
"$out/compare" "$count" 1

if [[ $(uname -m) != aarch64 && $(uname -m) != arm64 ]]; then
  echo 'aarch64, under qemu:'
  aarch64-linux-gnu-gcc "${flags[@]}" -static -o "$out/compare-aarch64" "${sources[@]}"
  qemu-aarch64-static "$out/compare-aarch64" "$count" 1
fi
