"""Sessions of Spark, generated backups, and the reports of one process.

At the everyday depth, only tests with the mark `in_both` run on both clusters. With COFFER_TEST_DEPTH=deep, all do, and there are more
cases.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import pytest
from pyspark.sql import SparkSession

from coffer_spark import validate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

COFFER = os.environ["COFFER"]
DEEP = os.environ.get("COFFER_TEST_DEPTH") == "deep"
NOW = "2026-07-01T00:00:00Z"
LOCAL, CLUSTER = "local[2]", "local-cluster[2,1,1024]"
TEMPORARY = tempfile.gettempdir()
# Short runs don't profit from optimised code.
JVM_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


class Generate(Protocol):
    """Generates backups, each only once."""

    def __call__(self, name: str, size: str, *options: str) -> Path: ...


def deep(*cases: Any) -> tuple[Any, ...]:  # noqa: ANN401
    """Return cases for the depth "deep"; none at the everyday depth."""
    return cases if DEEP else ()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "spark" not in metafunc.fixturenames:
        return
    marks = {mark.name for mark in metafunc.definition.iter_markers()}
    if "in_cluster" in marks:
        masters = [CLUSTER]
    elif "in_both" in marks or DEEP:
        masters = [LOCAL, CLUSTER]
    else:
        masters = [LOCAL]
    metafunc.parametrize("spark", masters, indirect=True, scope="session")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    """Start each cluster only once."""
    items.sort(key=lambda item: str(item.callspec.params.get("spark", "")) if hasattr(item, "callspec") else "")


@pytest.fixture(scope="session")
def spark(request: pytest.FixtureRequest) -> Iterator[SparkSession]:
    created = (
        SparkSession.builder.master(request.param)
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.executor.memory", "512m")
        .config("spark.driver.maxResultSize", "4m")
        .config("spark.driver.extraJavaOptions", JVM_OPTIONS)
        .config("spark.executor.extraJavaOptions", JVM_OPTIONS)
        .config(f"spark.hadoop.fs.viewfs.mounttable.test.link.{TEMPORARY}", f"file://{TEMPORARY}")
        .getOrCreate()
    )
    yield created
    created.stop()


def uri(path: Path) -> str:
    """Return the name of a file in a file system that only Hadoop knows: a view of the temporary folder."""
    return f"viewfs://test{path}"


@pytest.fixture(scope="session")
def generate(tmp_path_factory: pytest.TempPathFactory) -> Generate:
    folder = tmp_path_factory.mktemp("backups")
    known: dict[tuple[str, ...], Path] = {}

    def run(name: str, size: str, *options: str) -> Path:
        key = (name, size, *options)
        if key not in known:
            file = folder / f"{len(known)}-{name}.json"
            _generate([name, str(file), "--size", size, "--seed", "7"], list(options))
            known[key] = file
        return known[key]

    return run


def _generate(words: list[str], options: list[str]) -> None:
    """Generate a backup without the defects that a document of this format and size can't have."""
    while (finished := subprocess.run([COFFER, "generate", *words, *options], check=False, capture_output=True, text=True)).returncode:
        refused = re.search(r"defects of kind ([a-z-]+)", finished.stderr)
        assert refused, finished.stderr
        index = options.index(f"{refused[1]}=1")
        del options[index - 1 : index + 1]


def formats() -> list[str]:
    """Return the names of all formats."""
    listed = subprocess.run([COFFER, "formats", "--json"], check=True, capture_output=True).stdout
    return [found["name"] for found in json.loads(listed)["formats"]]


# Those of archives, and one that ends the validation early.
_OTHER_DEFECTS = {"checksum", "file-missing", "file-extra", "path-unsafe", "version"}


def defects(name: str) -> list[str]:
    """Return options for a defect of each kind that documents of a format can have."""
    listed = subprocess.run([COFFER, "generate", "--list-defects", name], check=True, capture_output=True, text=True).stdout
    kinds = {line.split()[0] for line in listed.splitlines()[1:]}
    return [word for kind in sorted(kinds - _OTHER_DEFECTS) for word in ("--defect", f"{kind}=1")]


@pytest.fixture(scope="session")
def backup(generate: Generate) -> Path:
    """Give a backup that tasks share, with defects."""
    return generate("ev-charging-tracker", "4MB", *defects("ev-charging-tracker"))


def malformed(source: Path, place: float, file: Path) -> Path:
    """Write a document that is malformed after this part of it."""
    content = bytearray(source.read_bytes())
    # After a name: strings may contain colons, too.
    content[content.index(b'":', int(len(content) * place)) + 1] = ord("}")
    file.write_bytes(content)
    return file


def command_with(folder: Path, script: str) -> str:
    """Return a command that runs lines of a shell first."""
    path = folder / "coffer"
    path.write_text(f"#!/bin/sh\n{script}\nexec '{COFFER}' \"$@\"\n")
    path.chmod(0o755)
    return str(path)


def printed(*words: str | Path) -> bytes:
    """Return what the command prints."""
    return subprocess.run([COFFER, *words], check=True, capture_output=True).stdout


@dataclass
class Expected:
    """The report of one process."""

    status: int
    text: str


def validated(*words: str | Path) -> Expected:
    finished = subprocess.run([COFFER, "validate", *words, "--now", NOW], check=False, capture_output=True)
    return Expected(finished.returncode, finished.stdout.decode())


def check(spark: SparkSession, expected: Expected, files: Sequence[str | Path], **arguments: object) -> None:
    """Compare the report of Spark with that of one process, which reads all files by path."""
    report = validate(spark, files, now=NOW, **({"coffer": COFFER, "tasks": 5, "key_buckets": 4} | arguments))  # type: ignore[arg-type]
    assert (report.status, report.text.replace("viewfs://test/", "/")) == (expected.status, expected.text)
