#!/usr/bin/env bash
# Compares results for random schemas and instances with those of jsonschema-rs, an independent implementation.
#
# Usage: Scripts/differential.sh COUNT [SEED]      for example: Scripts/differential.sh 20000
#
# Tests/SchemaPairs generates the pairs, the same ones for the same seed; Tests/Differential compares, and explains the known differences.
set -euo pipefail
cd "$(dirname "$0")/.."

count=${1:?how many pairs} seed=${2:-0}
package=jsonschema-rs==0.60.3 python=.build/differential

COFFER_DIFFERENTIAL=1 swift build -c release --product schema-pairs
if [[ ! -e $python/$package ]]; then
  python3 -m venv --clear "$python"
  "$python/bin/pip" install --quiet --disable-pip-version-check "$package"
  touch "$python/$package"
fi
.build/release/schema-pairs --seed "$seed" --count "$count" | "$python/bin/python" -B Tests/Differential/compare.py
