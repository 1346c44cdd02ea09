#!/usr/bin/env bash
# Measures Coffer beside the programs that people use today: `coffer validate`, which checks every rule of a format, beside those that check
# JSON, of one format or of each; `coffer convert`, `compress` and `decompress` beside those that write it in another layout, or compress it;
# `coffer import` and `export` beside the sqlite3 shell.
#
# Usage: Benchmarks/compare.sh [SIZE] [--rounds N] [--table check|convert|formats|archives|transfer] [--only NAME,…] [--publish]
#
#   SIZE            of the backup that is generated, 1GB unless told, and 663MB for transfer: two million expenses
#   --rounds N      how many turns each program takes, 5 unless told
#   --table NAME    one of the tables alone
#   --only NAME,…   only programs whose names contain one of these, and those to which they are compared
#   --publish       writes the tables from which nothing was left out into Benchmarks/Results and docs/performance.md, too
#
# The programs take turns on the same file, which is in the page cache. Prints Markdown tables; out/benchmarks gets them as pages, with a
# picture. What is measured stands in Compare/peers.py, conversions.py and transfers.py, how in Compare/measuring.py; Peers/ has the programs that
# call a library.
set -euo pipefail
cd "$(dirname "$0")/.."

peers=.build/peers

# Compiles a program of Peers, which uses a library, for this processor, unless that has been done.
build_peer() {
  local source=Benchmarks/Peers/$1.cpp program=$peers/$1 flags
  [[ $program -nt $source ]] && return
  read -ra flags < <(pkg-config --cflags --libs "$2")
  c++ -std=c++17 -O3 -march=native -DNDEBUG -o "$program" "$source" "${flags[@]}"
}

# Installs the Python packages into a folder of their own, unless that has been done.
install_python_packages() {
  local requirements=Benchmarks/Peers/requirements.txt python=$peers/python
  cmp -s "$requirements" "$python/installed.txt" && return
  python3 -m venv --clear "$python"
  "$python/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements"
  cp "$requirements" "$python/installed.txt"
}

# Standard output is for the table.
{
  Scripts/dependencies.sh --benchmarks
  mkdir -p "$peers"
  build_peer rapidjson_validate RapidJSON
  build_peer simdjson_check simdjson
  install_python_packages
  Scripts/build.sh
} >&2
exec python3 -B Benchmarks/Compare "$@"
