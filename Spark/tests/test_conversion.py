"""Conversion in parallel gives the records of coffer convert, in their order."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest
from conftest import COFFER, Generate, deep, malformed, printed

from coffer_spark import CofferError, convert

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def document(generate: Generate) -> Path:
    """Give a document without defects."""
    return generate("ev-charging-tracker", "5MB")


def lines(folder: Path) -> bytes:
    assert (folder / "_SUCCESS").exists()
    return b"".join(file.read_bytes() for file in sorted(folder.glob("part-*")))


def converted(file: Path, *options: str) -> bytes:
    return printed("convert", *options, "--to", "ndjson", file, "-")


@pytest.mark.parametrize("collection", ["/expenses", "/cars", *deep("/ideas")])
def test_collections(spark: SparkSession, document: Path, tmp_path: Path, collection: str) -> None:
    """The large one is cut, others are converted by one task."""
    convert(spark, document, tmp_path / "out", collection=collection, coffer=COFFER, tasks=5)
    assert lines(tmp_path / "out") == converted(document, "--collection", collection)
    count = len(list((tmp_path / "out").glob("part-*")))
    assert count == 5 if collection == "/expenses" else count == 1


def test_root(spark: SparkSession, generate: Generate, tmp_path: Path) -> None:
    """A document that is an array, as JSON, as JSON Lines and compressed."""
    file = generate("keeptrack-legacy-entries", "4MB")
    (tmp_path / "file.ndjson").write_bytes(converted(file))
    printed("compress", file, tmp_path / "file.json.lz4")
    for number, source in enumerate([file, tmp_path / "file.ndjson", tmp_path / "file.json.lz4"]):
        convert(spark, source, tmp_path / str(number), coffer=COFFER, tasks=3)
        assert lines(tmp_path / str(number)) == converted(file)


def test_parquet(spark: SparkSession, document: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    convert(spark, document, out, format="parquet", collection="/expenses", coffer=COFFER, tasks=3)
    expected = [json.loads(line)["id"] for line in converted(document, "--collection", "/expenses").splitlines()]
    parts = sorted(out.glob("part-*"))
    assert [row.id for part in parts for row in spark.read.parquet(str(part)).select("id").collect()] == expected
    convert(spark, document, tmp_path / "ids", format="parquet", schema="id long", collection="/expenses", coffer=COFFER)
    assert spark.read.parquet(str(tmp_path / "ids")).count() == len(expected)


@pytest.mark.parametrize(
    ("collection", "place", "message"),
    [
        ("/expenses", 0.9, "file.json:"),
        ("/cars", 0.9, "file.json:"),
        ("/gone", None, "the document has no member 'gone'"),
        ("expenses", None, "--collection must be a JSON Pointer"),
    ],
)
def test_error(  # noqa: PLR0913, PLR0917
    spark: SparkSession, document: Path, tmp_path: Path, collection: str, place: float | None, message: str
) -> None:
    """A malformed document gives the message of the command, and no output."""
    file = malformed(document, place, tmp_path / "file.json") if place else document
    words = [COFFER, "convert", "--collection", collection, "--to", "ndjson", str(file), "-"]
    expected = subprocess.run(words, check=False, capture_output=True)
    with pytest.raises(CofferError, match=message) as raised:
        convert(spark, file, tmp_path / "out", collection=collection, coffer=COFFER, tasks=3)
    assert (raised.value.status, str(raised.value)) == (expected.returncode, expected.stderr.decode().strip())
    assert not (tmp_path / "out" / "_SUCCESS").exists()


def test_existing_output(spark: SparkSession, document: Path, tmp_path: Path) -> None:
    with pytest.raises(CofferError, match="already exists") as raised:
        convert(spark, document, tmp_path, coffer=COFFER)
    assert raised.value.status == 4
