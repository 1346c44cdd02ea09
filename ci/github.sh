#!/usr/bin/env bash
# The steps of the GitHub action (action.yml). Inputs are environment variables, so that no text of a workflow becomes code.
#
# Usage: ci/github.sh install     VERSION, SHA256, REPOSITORY
#        ci/github.sh validate    FILES, RULES, OPTIONS
#
# Needs bash (also the 3.2 of macOS), awk, curl and tar, which the runners of GitHub have.
set -euo pipefail

# fail MESSAGE: ends the step with an annotation.
fail() {
  echo "::error title=Coffer::$1"
  exit 2
}

# Installs the release, unless this version is already on the PATH. action.yml caches the folder of what is downloaded.
install() {
  [[ $VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail 'version must be three numbers, such as 1.2.3'
  [[ $SHA256 =~ ^([0-9a-f]{64})?$ ]] || fail 'sha256 must be 64 lowercase hexadecimal digits'
  if [[ -z $SHA256 && $(coffer --version 2>&1) == "$VERSION" ]]; then return; fi
  local system tarball release=$GITHUB_SERVER_URL/$REPOSITORY/releases/download/v$VERSION downloads=$RUNNER_TEMP/coffer-release folder expected
  system=$(uname | tr '[:upper:]' '[:lower:]')
  tarball=coffer-$VERSION-$system-$(uname -m).tar.gz
  download "$release" "$tarball" "$downloads"
  expected=$SHA256
  if [[ -z $expected ]]; then
    download "$release" SHA256SUMS "$downloads"
    expected=$(awk -v name="$tarball" '$2 == name { print $1 }' "$downloads/SHA256SUMS")
  fi
  if [[ $(checksum "$downloads/$tarball") != "$expected" ]]; then
    # The cache must not keep it.
    rm -rf "$downloads"
    if [[ -z $expected ]]; then fail "SHA256SUMS of the release doesn't list $tarball"; fi
    fail "the checksum of $tarball is wrong"
  fi
  folder=$(mktemp -d "$RUNNER_TEMP/coffer.XXXXXX")
  tar -xzf "$downloads/$tarball" -C "$folder" --strip-components 1
  # Only on macOS, the command needs libraries: those of the formula.
  if [[ $system == darwin ]]; then brew install --quiet libidn2 libyaml lz4 pcre2 sqlite yajl zstd; fi
  echo "$folder/bin" >>"$GITHUB_PATH"
}

# download ADDRESS NAME FOLDER: the file appears complete, or not at all.
download() {
  if [[ -e $3/$2 ]]; then return; fi
  command -v curl >/dev/null || fail 'the runner has no curl'
  mkdir -p "$3"
  curl --fail --silent --show-error --location --retry 3 --output "$3/.part" "$1/$2" || fail "can't download $1/$2"
  mv "$3/.part" "$3/$2"
}

# macOS has shasum, small images of Linux only sha256sum.
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
  shopt -s nullglob
  for pattern in ${lines[@]+"${lines[@]}"}; do
    if [[ $pattern == *'**'* ]]; then shopt -s globstar 2>/dev/null || fail "** needs bash 4 or later: 'brew install bash', or name the folders"; fi
    # An empty IFS leaves blanks in names alone.
    # shellcheck disable=SC2206
    IFS='' matches=($pattern)
    ((${#matches[@]} > 0)) || fail "no file matches $pattern"
    paths+=("${matches[@]}")
  done
  unset IFS
  ((${#paths[@]} > 0)) || fail 'files names no file'
}

# Sets `lines` to the lines of a text without empty ones, and without blanks around them. Lines may end as on Windows.
split() {
  local line
  lines=()
  while read -r line; do
    line=${line%$'\r'}
    if [[ -n $line ]]; then lines+=("$line"); fi
  done <<<"$1"
}

case ${1-} in
  install | validate) "$1" ;;
  *) fail 'usage: ci/github.sh install|validate' ;;
esac
