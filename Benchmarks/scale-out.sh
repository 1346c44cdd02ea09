#!/usr/bin/env bash
# Compares one process with the tasks of `coffer split`, run by GNU parallel and by Spark on this machine: the table of docs/scale-out.md.
#
# Usage: Benchmarks/scale-out.sh [SIZE [ROUNDS]]      a backup of this size (default: 5GB) that is generated, and turns (default: 3)
#        Benchmarks/scale-out.sh keys [COUNT]         200,000,000 keys and as many references, with executors of 512 MB
#
# Spark runs if Scripts/test-spark.sh has installed it. COFFER names another command, SPARK another Python environment with PySpark (default:
# .build/spark-tools), FOLDER the folder of the files (default: out/scale-out). Prints seconds, and fails if a report differs from that of one
# process.
set -euo pipefail
cd "$(dirname "$0")/.."

repository=$PWD spark=${SPARK:-$PWD/.build/spark-tools} folder=${FOLDER:-out/scale-out}
coffer=${COFFER:-$PWD/.build/release/coffer}
if [[ ! -x $coffer ]]; then Scripts/build.sh >&2; fi
mkdir -p "$folder"
cd "$folder"
# spark-submit looks for the Python that has PySpark.
PATH=$spark/bin:$PATH
options=(--now 2026-07-01T00:00:00Z --no-progress)

# timed NAME COMMAND…: prints its seconds and the memory of its largest process. A finding isn't a failure here.
timed() {
  local name=$1
  shift
  /usr/bin/time -f "%e s  %M kB  $name" -o time "$@" || [[ $? == 1 ]]
  tail -n 1 time
}

tasks() { # COUNT
  seq 0 $(($1 - 1)) | parallel --jobs 2 "$coffer" validate --plan plan.json --task {} --partial {}.partial --jobs 1 --no-progress
}
export -f tasks
export coffer

by_parallel() { # FILE COUNT
  timed "parallel, $2 tasks: split" "$coffer" split "$1" --tasks "$2" --output plan.json "${options[@]}"
  timed "parallel, $2 tasks: tasks" bash -c "tasks $2"
  # shellcheck disable=SC2046
  timed "parallel, $2 tasks: merge" "$coffer" report merge --plan plan.json $(seq -f %g.partial 0 $(($2 - 1))) --json --output merged.json \
    --no-progress
  cmp one.json merged.json
  rm -f -- *.partial
}

by_spark() { # NAME EXECUTOR-MB WORD…
  local name=$1 memory=$2
  shift 2
  timed "Spark, two executors of $memory MB: $name" "$spark/bin/spark-submit" --master "local-cluster[2,1,$memory]" \
    --conf spark.executor.memory="${memory}m" --conf spark.ui.enabled=false --conf spark.driver.host=127.0.0.1 \
    "$repository/Spark/coffer-spark.py" --coffer "$coffer" --json --output merged.json --progress plain "$@" 2>spark.log
  cmp one.json merged.json
}

if [[ ${1:-} == keys ]]; then
  # Scattered ids and references to other records, of which some dangle, and two duplicate ids.
  count=${2:-200000000} rules=rules.json file=keys.json
  printf '%s' '{"properties": {"items": {"type": "array", "primaryKey": "id", "items": {"required": ["id", "next"]}, "foreignKeys": [' \
    '{"fields": "next", "reference": {"resource": "/items", "fields": "id"}}]}}}' >$rules
  if [[ ! -e $file ]]; then
    cc -O2 -o keys "$repository/Benchmarks/Peers/keys.c"
    ./keys "$count" >$file
  fi
  timed 'one process, two threads' "$coffer" validate $file --rules $rules --jobs 2 --json --output one.json "${options[@]}"
  by_spark "$count keys and references" 512 --rules $rules "${options[@]:0:2}" $file
  exit
fi

file=ev.json
if [[ ! -e $file ]]; then
  "$coffer" generate ev-charging-tracker $file --size "${1:-5GB}" --seed 7 --defect reference=5 --defect order=5 --no-progress >/dev/null 2>&1
fi
cat $file >/dev/null
for ((round = 0; round < ${2:-3}; round++)); do
  timed 'one process, two threads' "$coffer" validate $file --jobs 2 --json --output one.json "${options[@]}"
  timed 'one process, one thread' "$coffer" validate $file --jobs 1 --json --output one.json "${options[@]}"
  for count in 1 2 4 8; do by_parallel $file $count; done
  if [[ -x $spark/bin/spark-submit ]]; then
    by_spark 'keys by the shuffle' 2048 "${options[@]:0:2}" $file
    by_spark 'keys on the driver' 2048 --key-buckets 0 "${options[@]:0:2}" $file
  fi
done
