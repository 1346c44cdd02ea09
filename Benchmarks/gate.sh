#!/usr/bin/env bash
# Fails if a byte takes more instructions than Benchmarks/thresholds allows: a CI gate that doesn't depend on the machine's load.
#
# Usage: Benchmarks/gate.sh              compares, and fails at more than 3 % above a threshold
#        Benchmarks/gate.sh --update     writes the counts to Benchmarks/thresholds
#
# Each case is a generated document in two sizes, both larger than a slice, because smaller documents are read in another way. cachegrind, which
# takes 2.5 times less time than callgrind, counts the instructions that `coffer validate` or `coffer convert` executes on each; the difference,
# divided by the difference in bytes, is the cost of a byte. Start-up and the compilation of rules are in both counts, so they cancel out. Two
# runs of the same binary agree to 0.4 %, because hashing and the clock are pinned.
#
# The thresholds are those of x86-64. On other processors, counts are printed, and not compared.
#
# valgrind's processor has AVX2 but no AVX-512, and code that is selected at run time (libc, a byte scanner) is selected for that processor, so
# AVX-512 paths are never counted. Counts also change with the compiler and libc: after an update of the toolchain, use `--update`.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."

tolerance=3
thresholds=Benchmarks/thresholds
coffer=.build/release/coffer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The cases: a name, the command, the rules (a file, or - for those of the format), and the document: a format and options of
# `coffer generate`, or a function of this script.
cases() {
  echo 'ev-pretty validate - ev-charging-tracker'
  echo 'ev-compact validate - ev-charging-tracker --compact'
  echo 'ev-branches validate Benchmarks/Rules/ev-branches.json ev-charging-tracker'
  echo 'ev-convert convert - ev-charging-tracker'
  echo 'ev-lines validate - lines'
  echo 'expressions validate Benchmarks/Rules/expressions.json expressions'
  for format in aquavate keeptrack smilepile smilepile-specification swiff; do
    echo "$format-pretty validate - $format"
    echo "$format-compact validate - $format --compact"
  done
}

# Prints the given number of megabytes of query expressions, each 200 levels deep: the cost of a level must not grow with the depth.
expressions() {
  awk -v size="${1%MB}000000" 'BEGIN {
    count = split("and or not", op, " ")
    while (bytes < size) {
      expression = "{\"op\":\"in\",\"property\":\"city\",\"values\":[\"Bonn\",7]}"
      for (level = 1; level < 100; level++) {
        name = op[level % count + 1]
        inner = name == "not" ? expression : "{\"op\":\"<\",\"property\":\"year\",\"value\":" level "}," expression
        expression = "{\"op\":\"" name "\",\"args\":[" inner "]}"
      }
      printf "%s%s", bytes ? "," : "[", expression
      bytes += length(expression) + 1
    }
    print "]"
  }'
}

# valgrind 3.19 can't read Swift's DWARF 5, and doesn't need it.
prepare() {
  Scripts/dependencies.sh --gate
  # .ci/run has built it, and builds tests at the same time.
  if [[ ${COFFER_IS_BUILT:-} != true ]]; then Scripts/build.sh; fi
  strip -g -o "$work/coffer" "$coffer"
}

# Prints the instructions of a whole run: the file, the command, and the rules.
instructions() {
  local arguments=("$2" --jobs 1 "$1")
  case $2 in
    validate) arguments+=(--now 2026-07-01T00:00:00Z) ;;
    convert) arguments+=(-) ;;
  esac
  if [[ $1 == *.ndjson ]]; then arguments+=(--syntax-only); fi
  if [[ $3 != - ]]; then arguments+=(--rules "$3"); fi
  if ! SWIFT_DETERMINISTIC_HASHING=1 valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --log-file="$1.log" \
    "$work/coffer" "${arguments[@]}" >"$1.output"; then
    cat "$1.log" >&2
    tail -n 20 "$1.output" >&2
    return 1
  fi
  awk '/I +refs:/ { gsub(",", ""); print $NF }' "$1.log"
}

# Prints "instructions bytes" of a case in one size: its name, its command, its rules, the size, the document.
measure() {
  local file=$work/$1-$4.json total
  case $5 in
    expressions) expressions "$4" >"$file" ;;
    lines)
      "$coffer" generate ev-charging-tracker "$file" --force --size "$4" --seed 7 2>/dev/null
      "$coffer" convert --collection /expenses "$file" "${file%.json}.ndjson" 2>/dev/null
      file=${file%.json}.ndjson
      ;;
    *) "$coffer" generate "$5" "$file" --force --size "$4" --seed 7 "${@:6}" 2>/dev/null ;;
  esac
  total=$(instructions "$file" "$2" "$3")
  echo "$total $(wc -c <"$file")"
}

# Prints "name instructions-per-byte" for a line of `cases`.
count_case() {
  local name command rules arguments small large
  read -r name command rules arguments <<<"$1"
  # Options are a list of words: splitting is intended.
  # shellcheck disable=SC2086
  small=$(measure "$name" "$command" "$rules" 2MB $arguments)
  # shellcheck disable=SC2086
  large=$(measure "$name" "$command" "$rules" 5MB $arguments)
  echo "$name $small $large" | awk '{ printf "%s %.2f\n", $1, ($4 - $2) / ($5 - $3) }'
}

# Counts every case, as many in parallel as there are processors.
count() {
  local case number=0 running=()
  while read -r case; do
    number=$((number + 1))
    count_case "$case" >"$work/count-$(printf %02d "$number")" &
    running+=($!)
    if ((${#running[@]} == $(nproc))); then
      wait "${running[0]}"
      running=("${running[@]:1}")
    fi
  done < <(cases)
  for process in "${running[@]}"; do wait "$process"; done
  cat "$work"/count-*
}

update() {
  {
    echo '# Instructions that coffer may take per byte of input: Benchmarks/gate.sh compares, --update rewrites this file.'
    cat "$work/counts"
  } >"$thresholds"
  cat "$thresholds"
}

# Prints a line per case, and fails if one exceeds its threshold or has none.
compare() {
  if [[ $(uname -m) != x86_64 ]]; then
    cat "$work/counts"
    echo "not compared: the thresholds are those of x86-64, and this is $(uname -m)"
    return
  fi
  awk -v tolerance="$tolerance" '
    /^#/ { next }
    NR == FNR { allowed[$1] = $2; next }
    !($1 in allowed) { printf "%-30s %6.2f instructions per byte, but no threshold: run Benchmarks/gate.sh --update\n", $1, $2; failed = 1; next }
    {
      change = ($2 / allowed[$1] - 1) * 100
      verdict = "within the threshold"
      if (change > tolerance) { verdict = "TOO MANY"; failed = 1 }
      if (change < -tolerance) verdict = "better: tighten the threshold with Benchmarks/gate.sh --update"
      printf "%-30s %6.2f instructions per byte, threshold %6.2f (%+.1f %%): %s\n", $1, $2, allowed[$1], change, verdict
    }
    END { exit failed }
  ' "$thresholds" "$work/counts"
}

case ${1-} in
  '') act=compare ;;
  --update) act=update ;;
  *) echo "usage: Benchmarks/gate.sh [--update]" >&2; exit 2 ;;
esac
prepare
count >"$work/counts"
"$act"
