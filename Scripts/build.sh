#!/usr/bin/env bash
# Builds the command: .build/release/coffer.
#
# Usage: Scripts/build.sh [OPTION…]      more options of `swift build`
#
# On Linux Swift's own libraries become a part of it: it starts in 8 ms instead of 14.5, takes 4 MiB less, and runs where no Swift is installed.
# On macOS they belong to the system.
set -euo pipefail
cd "$(dirname "$0")/.."

build=(swift build -c release --product coffer)
if [[ $(uname) == Linux ]]; then build+=(--static-swift-stdlib); fi
exec "${build[@]}" "$@"
