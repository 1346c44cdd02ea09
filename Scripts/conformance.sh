#!/usr/bin/env bash
# Puts two third-party test suites (MIT licence) into .build/conformance for the tests. Prints a line per suite, with the reason if it is missing.
#
# Usage: Scripts/conformance.sh      exit status 1 if a suite is missing
#
# Uses the folder ../shared/conformance if it exists; otherwise fetches both suites from their repositories, at these commits.
set -euo pipefail
cd "$(dirname "$0")/.."

target=.build/conformance
status=0

# fetch NAME ADDRESS COMMIT FROM=TO…: checks out folders of a repository and moves each from FROM to TO.
fetch() {
  local name=$1 address=$2 commit=$3 clone=$target/.clone-$1 missing='' reason pair
  shift 3
  for pair in "$@"; do [[ -e $target/${pair#*=} ]] || missing=$pair; done
  if [[ -z $missing && $(cat "$target/$name.commit" 2>/dev/null) == "$commit" ]]; then
    echo "$name: commit ${commit:0:12} of $address"
    return
  fi
  rm -rf "$clone"
  git init --quiet "$clone"
  if ! reason=$(GIT_TERMINAL_PROMPT=0 git -C "$clone" fetch --quiet --depth 1 "$address" "$commit" 2>&1); then
    echo "$name: missing, could not be fetched from $address: $(grep -m 1 "^fatal" <<<"$reason" || tail -n 1 <<<"$reason")"
    rm -rf "$clone"
    status=1
    return
  fi
  git -C "$clone" checkout --quiet FETCH_HEAD
  for pair in "$@"; do
    rm -rf "${target:?}/${pair#*=}"
    mv "$clone/${pair%=*}" "$target/${pair#*=}"
  done
  rm -rf "$clone"
  echo "$commit" >"$target/$name.commit"
  echo "$name: commit ${commit:0:12} of $address"
}

mkdir -p .build
if [[ -d ../shared/conformance/json-parsing && -d ../shared/conformance/json-schema-2020-12 ]]; then
  [[ -L $target ]] || rm -rf "$target"
  ln -sfn "$PWD/../shared/conformance" "$target"
  echo "JSONTestSuite: from ../shared/conformance"
  echo "JSON-Schema-Test-Suite: from ../shared/conformance"
  exit
fi
[[ ! -L $target ]] || rm "$target"
mkdir -p "$target"
fetch JSONTestSuite https://github.com/nst/JSONTestSuite 1ef36fa01286573e846ac449e8683f8833c5b26a \
  test_parsing=json-parsing
fetch JSON-Schema-Test-Suite https://github.com/json-schema-org/JSON-Schema-Test-Suite \
  44401e0c046704b476ec9d2e2fccdaee618f259d tests/draft2020-12=json-schema-2020-12 tests/draft2019-09=json-schema-2019-09 \
  tests/draft7=json-schema-draft7 tests/draft6=json-schema-draft6 tests/draft4=json-schema-draft4 \
  remotes=json-schema-2020-12-remotes
exit $status
