#!/usr/bin/env bash
# Runs commands with one fault each (killed at a named place, in a call or at a random moment; a full or broken disk) and checks the result.
#
# Usage: Scripts/faults.sh TRIALS [SEED]      for example: Scripts/faults.sh 3000
#
# Tests/FaultTests generates the trials, the same ones for the same seed. It prints their results, and a line to repeat each failed one.
# Linux only. `make test` runs 60 of them, `make test-deep` 600.
set -euo pipefail
cd "$(dirname "$0")/.."

export COFFER_FAULT_TRIALS=${1:?how many trials} COFFER_FAULT_SEED=${2:-1}
# In memory if possible: the trials write to disk thousands of times.
if [[ -z ${TMPDIR:-} && -w /dev/shm ]]; then export TMPDIR=/dev/shm; fi
swift test --filter FaultTests
