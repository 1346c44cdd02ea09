#!/usr/bin/env bash
# Runs commands with one fault each (killed at a named place, in a call or at some moment; the disk full, or broken) and looks at what they left.
#
# Usage: Scripts/faults.sh TRIALS [SEED]      for example: Scripts/faults.sh 3000
#
# Tests/FaultTests makes the trials, and the same from the same seed; it prints what became of them, and a line to see each again that went wrong.
# Linux only. `make test` runs 60 of them, `make test-deep` 600.
set -euo pipefail
cd "$(dirname "$0")/.."

export COFFER_FAULT_TRIALS=${1:?how many trials} COFFER_FAULT_SEED=${2:-1}
# In memory, where there is such a place: the disk is asked to write thousands of times.
if [[ -z ${TMPDIR:-} && -w /dev/shm ]]; then export TMPDIR=/dev/shm; fi
swift test --filter FaultTests
