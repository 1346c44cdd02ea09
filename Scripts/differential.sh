#!/usr/bin/env bash
# Holds verdicts on schemas and instances of chance against those of jsonschema-rs, which shares nothing with Coffer.
#
# Usage: Scripts/differential.sh COUNT [SEED]      for example: Scripts/differential.sh 20000
#
# Tests/SchemaPairs makes the pairs, and the same from the same seed; Tests/Differential compares, and says which differences have a reason.
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
