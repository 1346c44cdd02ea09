#!/usr/bin/env bash
# The steps of the GitHub action (action.yml). Inputs are environment variables, so that no text of a workflow becomes code.
#
# Usage: ci/github.sh install     VERSION, SHA256, REPOSITORY
#        ci/github.sh validate    FILES, RULES, OPTIONS
set -euo pipefail

# fail MESSAGE: ends the step with an annotation.
fail() {
  echo "::error title=Coffer::$1"
  exit 2
}

as_root() {
  if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

# Installs the release, and the libraries that it needs, unless this version is already installed.
install() {
  [[ $VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail 'version must be three numbers, such as 1.2.3'
  [[ $SHA256 =~ ^([0-9a-f]{64})?$ ]] || fail 'sha256 must be 64 lowercase hexadecimal digits'
  if [[ $(coffer --version 2>&1) == "$VERSION" ]]; then return; fi
  command -v apt-get >/dev/null || fail 'Coffer releases are Debian packages: use a runner with Ubuntu or Debian'
  local folder package release
  folder=$(mktemp -d "$RUNNER_TEMP/coffer.XXXXXX")
  package=coffer_$VERSION-1_$(dpkg --print-architecture).deb
  release=$GITHUB_SERVER_URL/$REPOSITORY/releases/download/v$VERSION
  download "$release/$package" "$folder/$package"
  if [[ -n $SHA256 ]]; then
    echo "$SHA256  $package" >"$folder/expected"
  else
    download "$release/SHA256SUMS" "$folder/SHA256SUMS"
    grep -F -e "  $package" "$folder/SHA256SUMS" >"$folder/expected" || fail "SHA256SUMS of the release doesn't list $package"
  fi
  (cd "$folder" && sha256sum --check --quiet expected) || fail "the checksum of $package is wrong"
  # The package lists of a runner may be old.
  add_package "$folder/$package" || { as_root apt-get update -qq && add_package "$folder/$package"; }
}

download() {
  curl --fail --silent --show-error --location --retry 3 --output "$2" "$1" || fail "can't download $1"
}

add_package() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends "$1"
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
  install | validate) "$1" ;;
  *) fail 'usage: ci/github.sh install|validate' ;;
esac
