"""The script has the options and exit statuses of the command."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import COFFER, JVM_OPTIONS, LOCAL, NOW, deep, validated

SCRIPT = Path(__file__).resolve().parent.parent / "coffer-spark.py"
SUBMIT = Path(sys.executable).parent / "spark-submit"
OPTIONS = [
    *f"--master {LOCAL} --conf spark.ui.enabled=false --conf spark.driver.host=127.0.0.1".split(),
    *("--driver-java-options", JVM_OPTIONS),
]


def run(*words: str | Path) -> subprocess.CompletedProcess[bytes]:
    environment = os.environ | {"PYSPARK_SUBMIT_ARGS": shlex.join([*OPTIONS, "pyspark-shell"])}
    return subprocess.run([sys.executable, SCRIPT, "--coffer", COFFER, *words], check=False, capture_output=True, env=environment)


def test_report(backup: Path, tmp_path: Path) -> None:
    options = ["--json", "--max-findings=3", "--fail-on", "warning"]
    expected = validated(backup, *options)
    found = run("--tasks", "3", "--progress", "plain", *options, "--now", NOW, "--report", f"sarif={tmp_path / 'sarif'}", "--", backup)
    assert (found.returncode, found.stdout.decode()) == (expected.status, expected.text)
    assert (tmp_path / "sarif").exists()
    assert "coffer-spark: validating: " in found.stderr.decode()


def test_submit(backup: Path, tmp_path: Path) -> None:
    """spark-submit joins standard error to standard output, so the report is a file."""
    expected = validated(backup, "--json")
    # It looks for the Python that has PySpark.
    environment = os.environ | {"PATH": f"{SUBMIT.parent}{os.pathsep}{os.environ['PATH']}"}
    options = ["--coffer", COFFER, "--key-buckets", "4", "--json", "--now", NOW]
    words = [str(SUBMIT), *OPTIONS, str(SCRIPT), *options, "--output", str(tmp_path / "report"), str(backup)]
    found = subprocess.run(words, check=False, capture_output=True, env=environment)
    assert (found.returncode, (tmp_path / "report").read_text()) == (expected.status, expected.text)


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["x", "--wrong"], 2, "unknown option '--wrong'"),
        (["x", "--partial", "y"], 2, "unknown option '--partial'"),
        (["--json"], 2, "name at least one file"),
        *deep((["gone.json"], 3, "cannot open gone.json")),
    ],
)
def test_errors(words: list[str], status: int, message: str) -> None:
    found = run(*words)
    assert found.returncode == status
    assert message in found.stderr.decode()
    assert not found.stdout
