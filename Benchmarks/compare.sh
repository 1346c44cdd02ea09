#!/usr/bin/env bash
# Compares Coffer with common programs: `coffer validate`, which checks every rule of a format, with JSON checkers, for one format or for each;
# `coffer convert`, `compress` and `decompress` with formatters and compressors; `coffer import` and `export` with the sqlite3 shell; and
# `coffer validate` on folders of small files with schema validators.
#
# Usage: Benchmarks/compare.sh [SIZE] [--files N] [--rounds N] [--table check|convert|formats|archives|transfer|files] [--only NAME,…] [--publish]
#
#   SIZE            size of the generated backup (default: 1GB; for transfer 663MB: two million expenses)
#   --files N       files of 19 kB for the table files, with four times as many of 1 kB (default: 5000)
#   --rounds N      turns per program (default: 5)
#   --table NAME    only this table
#   --only NAME,…   only programs whose names contain one of these, and their peers
#   --publish       also writes complete tables to Benchmarks/Results and docs/performance.md
#
# The programs take turns on the same file or folder, which is in the page cache. Prints Markdown tables, and writes them as pages, with a
# picture, to out/benchmarks. Compare/peers.py, files.py, conversions.py and transfers.py list the programs, Compare/measuring.py measures them;
# Peers/ has the programs that call a library.
set -euo pipefail
cd "$(dirname "$0")/.."

peers=.build/peers

# Compiles a program of Peers for this processor, if it isn't up to date.
build_peer() {
  local source=Benchmarks/Peers/$1.cpp program=$peers/$1 flags
  [[ $program -nt $source ]] && return
  read -ra flags < <(pkg-config --cflags --libs "$2")
  c++ -std=c++17 -O3 -march=native -DNDEBUG -o "$program" "$source" "${flags[@]}"
}

# Standard output is only for the table.
{
  Scripts/dependencies.sh --benchmarks
  mkdir -p "$peers"
  build_peer rapidjson_validate RapidJSON
  build_peer simdjson_check simdjson
  Scripts/python-tools.sh "$peers/python" --requirement Benchmarks/Peers/requirements.txt
  Scripts/build.sh
} >&2
exec python3 -B Benchmarks/Compare "$@"
