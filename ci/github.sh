#!/usr/bin/env bash
# The steps of the GitHub action (action.yml). Inputs are environment variables, so that no text of a workflow becomes code.
#
# Usage: ci/github.sh find        VERSION, SHA256, REPOSITORY
#        ci/github.sh install     VERSION, SHA256, REPOSITORY
#        ci/github.sh validate    FILES, RULES, OPTIONS
set -euo pipefail

# fail MESSAGE: ends the step with an annotation.
fail() {
  echo "::error title=Coffer::$1"
  exit 2
}

# Checks the inputs, and sets `folder`, where the command is installed, and `tarball`.
locate() {
  [[ $VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail 'version must be three numbers, such as 1.2.3'
  [[ $SHA256 =~ ^([0-9a-f]{64})?$ ]] || fail 'sha256 must be 64 lowercase hexadecimal digits'
  local system
  system=$(uname | tr '[:upper:]' '[:lower:]')
  tarball=coffer-$VERSION-$system-$(uname -m).tar.gz
  # The checksum is part of the name: another one is another installation.
  folder=$RUNNER_TEMP/coffer-$VERSION-$system-$(uname -m)${SHA256:+-$SHA256}
}

# Says which folder the runner's cache keeps, unless this version is already on the PATH.
find() {
  locate
  if is_installed; then return; fi
  echo "folder=$folder" >>"$GITHUB_OUTPUT"
  echo "key=$(basename "$folder")" >>"$GITHUB_OUTPUT"
}

is_installed() {
  [[ -z $SHA256 && $(coffer --version 2>&1) == "$VERSION" ]]
}

# Installs the release, unless this version is already on the PATH, or in the cache.
install() {
  locate
  if is_installed; then return; fi
  if [[ $("$folder/bin/coffer" --version 2>&1) != "$VERSION" ]]; then
    local release expected work
    release=$GITHUB_SERVER_URL/$REPOSITORY/releases/download/v$VERSION
    work=$(mktemp -d "$RUNNER_TEMP/coffer.XXXXXX")
    download "$release/$tarball" "$work/$tarball"
    expected=$SHA256
    if [[ -z $expected ]]; then
      download "$release/SHA256SUMS" "$work/SHA256SUMS"
      expected=$(awk -v name="$tarball" '$2 == name { print $1 }' "$work/SHA256SUMS")
      [[ -n $expected ]] || fail "SHA256SUMS of the release doesn't list $tarball"
    fi
    [[ $(checksum "$work/$tarball") == "$expected" ]] || fail "the checksum of $tarball is wrong"
    # The folder gets its name when it is complete.
    mkdir "$work/coffer"
    tar -xzf "$work/$tarball" -C "$work/coffer" --strip-components 1
    rm -rf "$folder"
    mv "$work/coffer" "$folder"
  fi
  echo "$folder/bin" >>"$GITHUB_PATH"
}

download() {
  curl --fail --silent --show-error --location --retry 3 --output "$2" "$1" || fail "can't download $1"
}

# macOS has shasum, small Linux images only sha256sum.
checksum() {
  { sha256sum "$1" 2>/dev/null || shasum --algorithm 256 "$1"; } | cut -d ' ' -f 1
}

# Validates the files. Findings become annotations, because problem matchers read the text report; the other reports are files.
validate() {
  local folder token status=0 lines=() paths=()
  folder=$(mktemp -d "$RUNNER_TEMP/coffer.XXXXXX")
  find_files
  split "${OPTIONS-}"
  local arguments=(--report "sarif=$folder/coffer.sarif" --report "markdown=$folder/summary.md" ${lines[@]+"${lines[@]}"})
  if [[ -n ${RULES-} ]]; then arguments+=(--rules "$RULES"); fi

  echo "::add-matcher::$GITHUB_ACTION_PATH/ci/github-matchers.json"
  # The runner must not take a document's text for its commands.
  token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  echo "::stop-commands::$token"
  coffer validate "${arguments[@]}" -- "${paths[@]}" || status=$?
  echo "::$token::"
  echo '::remove-matcher owner=coffer::'
  echo '::remove-matcher owner=coffer-notes::'

  echo "exit-status=$status" >>"$GITHUB_OUTPUT"
  if [[ -s $folder/coffer.sarif ]]; then echo "sarif=$folder/coffer.sarif" >>"$GITHUB_OUTPUT"; fi
  if [[ -s $folder/summary.md ]]; then cat "$folder/summary.md" >>"$GITHUB_STEP_SUMMARY"; fi
  exit "$status"
}

# Sets `paths` to the files that FILES names.
find_files() {
  local pattern matches
  split "${FILES-}"
  shopt -s globstar nullglob
  for pattern in ${lines[@]+"${lines[@]}"}; do
    # An empty IFS leaves blanks in names alone.
    # shellcheck disable=SC2206
    IFS='' matches=($pattern)
    ((${#matches[@]} > 0)) || fail "no file matches $pattern"
    paths+=("${matches[@]}")
  done
  unset IFS
  ((${#paths[@]} > 0)) || fail 'files names no file'
}

# Sets `lines` to the lines of a text without empty ones, and without blanks around them.
split() {
  local line
  lines=()
  while read -r line; do
    if [[ -n $line ]]; then lines+=("$line"); fi
  done <<<"$1"
}

case ${1-} in
  find | install | validate) "$1" ;;
  *) fail 'usage: ci/github.sh find|install|validate' ;;
esac
