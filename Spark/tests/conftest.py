"""Sessions of Spark, and generated backups."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import SparkSession

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

COFFER = os.environ["COFFER"]
NOW = "2026-07-01T00:00:00Z"
LOCAL, CLUSTER = "local[2]", "local-cluster[2,1,1024]"

TEMPORARY = tempfile.gettempdir()


def uri(path: Path) -> str:
    """Return the name of a file in a file system that only Hadoop knows: a view of the temporary folder."""
    return f"viewfs://test{path}"


def session(master: str) -> SparkSession:
    return (
        SparkSession.builder.master(master)
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.executor.memory", "512m")
        .config("spark.driver.maxResultSize", "4m")
        .config(f"spark.hadoop.fs.viewfs.mounttable.test.link.{TEMPORARY}", f"file://{TEMPORARY}")
        .getOrCreate()
    )


# The tests that run in both; others run in a local session only at the depth "deep".
_IN_BOTH = {"test_formats", "test_malformed", "test_skewed_references", "test_defects"}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Function]) -> None:
    if os.environ.get("COFFER_TEST_DEPTH") == "deep":
        return

    def is_left_out(item: pytest.Function) -> bool:
        return hasattr(item, "callspec") and item.callspec.params.get("spark") == LOCAL and item.originalname not in _IN_BOTH

    config.hook.pytest_deselected(items=list(filter(is_left_out, items)))
    items[:] = [item for item in items if not is_left_out(item)]


@pytest.fixture(scope="session", params=[LOCAL, CLUSTER])
def spark(request: pytest.FixtureRequest) -> Iterator[SparkSession]:
    created = session(request.param)
    yield created
    created.stop()


@pytest.fixture(scope="session")
def generate(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Give a function that generates backups."""
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


@dataclass
class Expected:
    status: int
    text: str


def validated(*words: str | Path) -> Expected:
    """Return the report of one process."""
    finished = subprocess.run([COFFER, "validate", *words, "--now", NOW], check=False, capture_output=True)
    return Expected(finished.returncode, finished.stdout.decode())


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
