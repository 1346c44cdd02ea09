"""Conversion in parallel gives the records of coffer convert, in their order."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest
from conftest import COFFER

from coffer_spark import CofferError, convert

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession


def lines(folder: Path) -> bytes:
    assert (folder / "_SUCCESS").exists()
    return b"".join(file.read_bytes() for file in sorted(folder.glob("part-*")))


def converted(file: Path, *options: str) -> bytes:
    words = [COFFER, "convert", *options, "--to", "ndjson", str(file), "-"]
    return subprocess.run(words, check=True, capture_output=True).stdout


@pytest.mark.parametrize("collection", ["/expenses", "/cars", "/ideas"])
def test_collections(spark: SparkSession, generate: Callable[..., Path], tmp_path: Path, collection: str) -> None:
    """The large one is cut, others are converted by one task."""
    file = generate("ev-charging-tracker", "5MB")
    convert(spark, file, tmp_path / "out", collection=collection, coffer=COFFER, tasks=5)
    assert lines(tmp_path / "out") == converted(file, "--collection", collection)
    count = len(list((tmp_path / "out").glob("part-*")))
    assert count == 5 if collection == "/expenses" else count == 1


def test_root(spark: SparkSession, generate: Callable[..., Path], tmp_path: Path) -> None:
    """A document that is an array, as JSON, as JSON Lines and compressed."""
    file = generate("keeptrack-legacy-entries", "4MB")
    (tmp_path / "file.ndjson").write_bytes(converted(file))
    subprocess.run([COFFER, "compress", str(file), str(tmp_path / "file.json.lz4")], check=True, capture_output=True)
    for number, source in enumerate([file, tmp_path / "file.ndjson", tmp_path / "file.json.lz4"]):
        convert(spark, source, tmp_path / str(number), coffer=COFFER, tasks=3)
        assert lines(tmp_path / str(number)) == converted(file)


def test_parquet(spark: SparkSession, generate: Callable[..., Path], tmp_path: Path) -> None:
    file = generate("ev-charging-tracker", "4MB")
    out = tmp_path / "out"
    convert(spark, file, out, format="parquet", collection="/expenses", coffer=COFFER, tasks=3)
    expected = [json.loads(line)["id"] for line in converted(file, "--collection", "/expenses").splitlines()]
    parts = sorted(out.glob("part-*"))
    assert [row.id for part in parts for row in spark.read.parquet(str(part)).select("id").collect()] == expected
    convert(spark, file, tmp_path / "ids", format="parquet", schema="id long", collection="/expenses", coffer=COFFER)
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
    spark: SparkSession, generate: Callable[..., Path], tmp_path: Path, collection: str, place: float | None, message: str
) -> None:
    """A malformed document gives the message of the command, and no output."""
    file, content = tmp_path / "file.json", bytearray(generate("ev-charging-tracker", "4MB").read_bytes())
    if place:
        content[content.index(b":", int(len(content) * place))] = ord("}")
    file.write_bytes(content)
    words = [COFFER, "convert", "--collection", collection, "--to", "ndjson", str(file), "-"]
    expected = subprocess.run(words, check=False, capture_output=True)
    with pytest.raises(CofferError, match=message) as raised:
        convert(spark, file, tmp_path / "out", collection=collection, coffer=COFFER, tasks=3)
    assert (raised.value.status, str(raised.value)) == (expected.returncode, expected.stderr.decode().strip())
    assert not (tmp_path / "out" / "_SUCCESS").exists()


def test_existing_output(spark: SparkSession, generate: Callable[..., Path], tmp_path: Path) -> None:
    with pytest.raises(CofferError, match="already exists") as raised:
        convert(spark, generate("swiff", "3MB"), tmp_path, coffer=COFFER)
    assert raised.value.status == 4
