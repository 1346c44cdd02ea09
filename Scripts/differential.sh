#!/usr/bin/env bash
# Compares results with those of jsonschema-rs, an independent implementation.
#
# Usage: Scripts/differential.sh COUNT [SEED]        random schemas and instances, for example: Scripts/differential.sh 20000
#        Scripts/differential.sh benchmark [FOLDER]  the real schemas and documents of jsonschema-benchmark; FOLDER: a checkout of it
#
# Tests/SchemaPairs generates the pairs, the same ones for the same seed; Tests/Differential compares, and explains the known differences.
set -euo pipefail
cd "$(dirname "$0")/.."

what=${1:?how many pairs, or benchmark}
python=.build/differential

Scripts/python-tools.sh "$python" jsonschema-rs==0.60.3
if [[ $what == benchmark ]]; then
  commit=862e479d7f7e4520adcbe059abec5e27e91800e4 folder=${2:-.build/jsonschema-benchmark}
  if [[ $# -lt 2 && ! -e $folder/schemas ]]; then
    git init --quiet "$folder"
    git -C "$folder" fetch --quiet --depth 1 https://github.com/sourcemeta-research/jsonschema-benchmark "$commit"
    git -C "$folder" checkout --quiet FETCH_HEAD
  fi
  swift build -c release --product coffer
  exec "$python/bin/python" -B Tests/Differential/benchmark.py .build/release/coffer "$folder/schemas"
fi
COFFER_DIFFERENTIAL=1 swift build -c release --product schema-pairs
.build/release/schema-pairs --seed "${2:-0}" --count "$what" | "$python/bin/python" -B Tests/Differential/compare.py
