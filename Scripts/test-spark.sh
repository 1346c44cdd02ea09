#!/usr/bin/env bash
# Tests Spark/ with the wheel of the command: style, types, and runs on two clusters of this machine.
#
# Usage: Scripts/test-spark.sh [OPTION…]      more options of pytest, such as -k skew
#
# PACKAGES names a folder of packages of this commit; they are made in out/package unless it is set. With COFFER_TEST_DEPTH=deep, almost all tests run on both clusters, with more cases: 7 minutes instead of 3 on two cores. COFFER names
# another command. Tools come from PyPI at the versions of Spark/requirements.txt, into .build/spark-tools (700 MB). Exit status 75:
# they could not be installed.
set -euo pipefail
cd "$(dirname "$0")/.."

build=$PWD/.build tools=$PWD/.build/spark-tools
Scripts/python-tools.sh "$tools" --requirement Spark/requirements.txt || exit 75

if [[ -z ${PACKAGES:-} ]]; then
  Scripts/dependencies.sh --package
  Scripts/package.sh
  PACKAGES=out/package
fi
"$tools/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$PACKAGES"/coffer_json-*.whl
export COFFER=${COFFER:-$tools/bin/coffer}
cd Spark
"$tools/bin/ruff" check --quiet .
"$tools/bin/ruff" format --quiet --check .
"$tools/bin/mypy" --cache-dir "$build/mypy" .
# Spark writes the executors' folders here.
export PYTHONDONTWRITEBYTECODE=1
"$tools/bin/pytest" --quiet -o cache_dir="$build/pytest" "$@"
