#!/usr/bin/env bash
# Installs packages of PyPI into a virtual environment, unless it has just these. Prints nothing.
#
# Usage: Scripts/python-tools.sh FOLDER ARGUMENT…      arguments of `pip install`: NAME==VERSION, --requirement FILE
set -euo pipefail

folder=$1
shift
wanted=$(
  for argument; do
    echo "$argument"
    if [[ -f $argument ]]; then cat "$argument"; fi
  done
)
if [[ $(cat "$folder/wanted" 2>/dev/null) == "$wanted" ]]; then exit; fi
python3 -m venv --clear "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
echo "$wanted" >"$folder/wanted"
