#!/bin/sh
# Demonstrates Coffer: generates a backup with a few planted defects, validates it, and expects all of them to be found.
#
# Usage: Scripts/demo.sh       after Scripts/build.sh; files go to out/
set -eu

coffer=.build/release/coffer
backup=out/backup.json
ledger=out/backup.ledger

run() {
  printf '\n$ %s\n' "$*"
  "$@"
}

mkdir -p out
run $coffer generate ev-charging-tracker $backup --force --size 100MB --seed 7 --ledger $ledger \
  --defect reference=2 --defect duplicate=1 --defect enum=1 --defect future=1 --defect order=1 --defect unknown=1

printf '\nThe ledger lists the planted defects:\n'
run cat $ledger

printf '\nValidation finds them:\n'
status=0
run $coffer validate $backup || status=$?

printf '\nexit status %d' $status
if [ $status -ne 1 ]; then
  printf ', expected 1 (findings of severity error)\n'
  exit 1
fi
printf ': findings of severity error, as expected\n'
printf '\nThis build lacks import, export, query, backup, restore and bench; make build adds them.\n'
