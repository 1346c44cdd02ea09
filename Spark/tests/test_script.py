"""The script has the options and exit statuses of the command."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import COFFER, DEEP, JVM_OPTIONS, LOCAL, NOW, command_with, deep, validated

SCRIPT = Path(__file__).resolve().parent.parent / "coffer-spark.py"
SUBMIT = Path(sys.executable).parent / "spark-submit"
OPTIONS = [
    *f"--master {LOCAL} --conf spark.ui.enabled=false --conf spark.driver.host=127.0.0.1".split(),
    *("--driver-java-options", JVM_OPTIONS),
]

ENVIRONMENT = os.environ | {"PYSPARK_SUBMIT_ARGS": shlex.join([*OPTIONS, "pyspark-shell"])}


def run(*words: str | Path) -> subprocess.CompletedProcess[bytes]:
    """Run the script with the command of the installed wheel."""
    return subprocess.run([sys.executable, SCRIPT, *words], check=False, capture_output=True, env=ENVIRONMENT)


def test_report(backup: Path, tmp_path: Path) -> None:
    options = ["--json", "--max-findings=3", "--fail-on", "warning"]
    expected = validated(backup, *options)
    own = ["--tasks", "3", "--key-buckets", "4", "--progress", "plain"]
    found = run(*own, *options, "--now", NOW, "--report", f"sarif={tmp_path / 'sarif'}", "--", backup)
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


@pytest.mark.skipif(not DEEP, reason="takes a session of its own")
def test_interruption(backup: Path, tmp_path: Path) -> None:
    """Ctrl-C ends Spark and has the exit status of the command."""
    command = command_with(tmp_path, f"case $1 in validate) touch '{tmp_path}/begun'; sleep 60 ;; esac")
    with subprocess.Popen([sys.executable, SCRIPT, "--coffer", command, backup], env=ENVIRONMENT, stderr=subprocess.PIPE) as process:
        while not (tmp_path / "begun").exists():
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=30)
    assert process.returncode == 130
    assert messages.decode().endswith("coffer-spark: interrupted\n")


@pytest.mark.skipif(not DEEP, reason="takes a session of its own")
def test_closed_output(backup: Path) -> None:
    """A reader that stops early isn't an error."""
    reader, writer = os.pipe()
    os.close(reader)
    words = [sys.executable, str(SCRIPT), "--coffer", COFFER, "--now", NOW, str(backup)]
    found = subprocess.run(words, check=False, env=ENVIRONMENT, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert found.returncode == validated(backup).status
    assert b"Traceback" not in found.stderr
    assert b"BrokenPipe" not in found.stderr


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
