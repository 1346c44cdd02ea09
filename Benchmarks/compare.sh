#!/usr/bin/env bash
# Measures `coffer validate`, which checks every rule of the format, beside `json_verify -q`, which checks syntax alone.
#
# Usage: Benchmarks/compare.sh [SIZE]        SIZE: of the backup that is generated, 1GB unless told
#
# The two take turns, five runs each, on the same file, which is in the page cache. Prints medians as a Markdown table.
set -euo pipefail
cd "$(dirname "$0")/.."

size=${1:-1GB}
rounds=5
coffer=.build/release/coffer
backup=out/compare.json
results=$(mktemp -d)
trap 'rm -rf "$results" "$backup"' EXIT

Scripts/dependencies.sh --benchmarks
[[ -x $coffer ]] || swift build -c release --product coffer
if command -v gtime >/dev/null; then time=gtime; else time=/usr/bin/time; fi

# Appends "seconds kilobytes" of a run to a file.
measure() {
  "$time" --append --output "$results/$1" --format '%e %M' "${@:2}" >/dev/null
}

# The median of a column, over the runs.
median() {
  awk -v column="$2" '{ print $column }' "$results/$1" | sort -n | sed -n "$(((rounds + 1) / 2))p"
}

row() {
  awk -v name="\`$2\`" -v seconds="$(median "$1" 1)" -v kilobytes="$(median "$1" 2)" -v bytes="$bytes" -v peer="$(median json_verify 1)" \
    'BEGIN { printf "| %-20s | %8.2f | %6.0f | %17.2f | %12.1f |\n", name, seconds, bytes / seconds / 1e6, peer / seconds, kilobytes / 1024 }'
}

mkdir -p out
"$coffer" generate ev-charging-tracker "$backup" --size "$size" --seed 7
bytes=$(wc -c <"$backup")
for ((round = 1; round <= rounds; round++)); do
  measure json_verify json_verify -q <"$backup"
  measure coffer "$coffer" validate "$backup"
done

printf '\n%.0f MB, medians of %d runs, %s\n\n' "$((bytes / 1000000))" "$rounds" "$(uname -sm)"
echo '| command              |  seconds |   MB/s | times json_verify |     peak MiB |'
echo '| -------------------- | -------: | -----: | ----------------: | -----------: |'
row json_verify 'json_verify -q'
row coffer 'coffer validate'
