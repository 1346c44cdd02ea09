"""The reports of Spark and of one process have the same bytes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import SparkSession

from coffer_spark import CofferError, validate

if TYPE_CHECKING:
    from collections.abc import Iterator

COFFER = os.environ["COFFER"]
NOW = ["--now", "2026-07-01T00:00:00Z"]


@pytest.fixture(scope="session", params=["local[2]", "local-cluster[2,1,1024]"])
def spark(request: pytest.FixtureRequest) -> Iterator[SparkSession]:
    session = (
        SparkSession.builder.master(request.param)
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.mark.parametrize("name", ["ev-charging-tracker", "swiff", "aquavate", "smilepile", "keeptrack"])
def test_same_report(spark: SparkSession, tmp_path: Path, name: str) -> None:
    file = tmp_path / "export.json"
    subprocess.run([COFFER, "generate", name, file, "--size", "5MB", "--seed", "7"], check=True, capture_output=True)
    expected = subprocess.run([COFFER, "validate", file, "--json", *NOW], check=False, capture_output=True)
    report = validate(spark, [str(file)], coffer=COFFER, tasks=5, options=NOW)
    assert (report.status, report.text) == (expected.returncode, expected.stdout.decode())


def test_missing_file(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(CofferError, match="no such file"):
        validate(spark, [str(tmp_path / "gone.json")], coffer=COFFER)
