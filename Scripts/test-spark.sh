#!/usr/bin/env bash
# Tests Spark/ with the wheel in out/package, which Scripts/package.sh makes if it is missing: style, types, and runs on two clusters of this machine.
#
# Usage: Scripts/test-spark.sh [OPTION…]      more options of pytest, such as -k skew
#
# With COFFER_TEST_DEPTH=deep, almost all tests run on both clusters, with more cases: 7 minutes instead of 3 on two cores. COFFER names
# another command. Tools come from PyPI at the versions of Spark/requirements.txt, into .build/spark-tools (700 MB). Exit status 75:
# they could not be installed.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$PWD/.build tools=$PWD/.build/spark-tools requirements=Spark/requirements.txt

install_tools() {
  python3 -m venv --clear "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements"
  cp "$requirements" "$tools/installed.txt"
}

# A function in a condition would go on after errors: it is a process of its own.
export -f install_tools
export tools requirements
if ! cmp -s "$requirements" "$tools/installed.txt"; then bash -eu -o pipefail -c install_tools || exit 75; fi

if ! compgen -G 'out/package/coffer_json-*.whl' >/dev/null; then
  Scripts/dependencies.sh --package
  Scripts/package.sh
fi
"$tools/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall out/package/coffer_json-*.whl
export COFFER=${COFFER:-$tools/bin/coffer}
cd Spark
"$tools/bin/ruff" check --quiet .
"$tools/bin/ruff" format --quiet --check .
"$tools/bin/mypy" --cache-dir "$build/mypy" .
# Spark writes the executors' folders here.
export PYTHONDONTWRITEBYTECODE=1
"$tools/bin/pytest" --quiet -o cache_dir="$build/pytest" "$@"
