"""Files that Hadoop reads: reports are those of one process that reads them by path."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import COFFER, TEMPORARY, Generate, check, command_with, deep, defects, malformed, printed, uri, validated

from coffer_spark import CofferError, convert, scanning, validate
from coffer_spark.storage import DriverFiles, is_remote, plain_name

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def check_uris(spark: SparkSession, files: list[Path], **arguments: object) -> None:
    check(spark, validated(*files, "--json"), list(map(uri, files)), **arguments)


@pytest.mark.in_both
@pytest.mark.parametrize("key_buckets", [3, *deep(0)])
def test_defects(spark: SparkSession, backup: Path, key_buckets: int) -> None:
    """Executors scan ranges and read parts; the driver reads the envelope, and near findings."""
    check_uris(spark, [backup], key_buckets=key_buckets)


def test_malformed(spark: SparkSession, backup: Path, tmp_path: Path) -> None:
    """The driver reads the rest."""
    check_uris(spark, [malformed(backup, 0.3, tmp_path / "malformed.json")])


def test_files_of_all_kinds(spark: SparkSession, generate: Generate, tmp_path: Path) -> None:
    """Small files, which share a task, compressed ones, with and without a name that says so, JSON Lines, and an archive."""
    large = generate("swiff", "3MB", *defects("swiff"))
    printed("compress", large, tmp_path / "a b.json.lz4")
    compressed = (tmp_path / "a b.json.lz4").read_bytes()
    (tmp_path / "c.json").write_bytes(compressed + bytes(2 << 20))
    (tmp_path / "f.json").write_bytes(b"\x50\x2a\x4d\x18" + (2 << 20).to_bytes(4, "little") + bytes(2 << 20) + compressed)
    printed("generate", "smilepile", tmp_path / "d.zip", "--defect", "file-missing=1")
    printed("convert", generate("keeptrack-legacy-entries", "2MB", "--defect", "required=3"), tmp_path / "e.ndjson")
    (tmp_path / "empty.json").touch()
    names = ["a b.json.lz4", "c.json", "d.zip", "e.ndjson", "empty.json", "f.json"]
    for tasks in [5, *deep(1)]:
        check_uris(spark, [large, *(tmp_path / name for name in names)], tasks=tasks)


def test_paths_and_uris(spark: SparkSession, generate: Generate) -> None:
    one, other = generate("swiff", "3MB", *defects("swiff")), generate("ev-charging-tracker", "2MB")
    check(spark, validated(one, other, "--json"), [f"file://{one}", uri(other)])


def test_scans_of_paths(spark: SparkSession, backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Executors scan large files, also those with paths."""
    monkeypatch.setattr(scanning, "_SCANNED_SIZE", 1 << 20)
    monkeypatch.chdir(backup.parent)
    check(spark, validated(backup.name, "--json"), [backup.name])


def test_conversion(spark: SparkSession, backup: Path, tmp_path: Path) -> None:
    convert(spark, uri(backup), uri(tmp_path / "out"), collection="/expenses", coffer=COFFER, tasks=3)
    parts = sorted((tmp_path / "out").glob("part-*"))
    assert len(parts) == 3
    expected = printed("convert", "--collection", "/expenses", "--to", "ndjson", backup, "-")
    assert b"".join(part.read_bytes() for part in parts) == expected
    cut = tmp_path / "cut.json"
    cut.write_bytes(backup.read_bytes()[:-100_000])
    with pytest.raises(CofferError) as raised:
        convert(spark, uri(cut), tmp_path / "other", collection="/expenses", coffer=COFFER, tasks=3)
    assert raised.value.status == 3


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("viewfs://test/gone/x.json", "FileNotFoundException"),
        ("gone://x/y.json", "No FileSystem for scheme"),
        ("hdfs://gone.invalid:1/x.json", "cannot read hdfs://gone.invalid:1/x.json: .*UnknownHostException"),
        (uri(Path(TEMPORARY)), "it is a folder"),
    ],
)
def test_errors(spark: SparkSession, name: str, message: str) -> None:
    with pytest.raises(CofferError, match=message) as raised:
        validate(spark, [name], coffer=COFFER)
    assert raised.value.status == 3


def test_lost_file(spark: SparkSession, backup: Path, tmp_path: Path) -> None:
    """A file that vanishes after it was planned is an error of the run."""
    file = tmp_path / "file.json"
    file.write_bytes(backup.read_bytes())
    command = command_with(tmp_path, f"case $1 in validate) rm -f '{file}' ;; esac")
    with pytest.raises(CofferError) as raised:
        validate(spark, [uri(file)], coffer=command, tasks=8)
    assert raised.value.status in {3, 4}


def test_range_server(spark: SparkSession, tmp_path: Path) -> None:
    """Any range has its bytes; the end of a file is an end."""
    content = bytes(number * 7 % 251 for number in range(300_000))
    file = tmp_path / "a b"
    file.write_bytes(content)
    files = DriverFiles(spark.sparkContext)
    with files.served([uri(file)]) as served:
        (descriptor,) = served.descriptors
        with socket.socket(fileno=os.dup(descriptor)) as connection, connection.makefile("rwb") as stream:

            def answer(request: str) -> str:
                stream.write(f"{request} {uri(file)}\n".encode())
                stream.flush()
                return stream.readline().decode().strip()

            assert answer("stat").split()[0] == "300000"
            for offset, count in [(0, 10), (10, 100_000), (65_000, 1000), (299_990, 10), (0, 300_000), (299_999, 100)]:
                length = int(answer(f"read {offset} {count}"))
                assert 0 < length <= count
                assert stream.read(length) == content[offset : offset + length]


@pytest.mark.parametrize(
    ("name", "plain", "remote"),
    [
        ("file:///a b", "/a b", False),
        ("file:/a", "/a", False),
        ("file://localhost/a", "/a", False),
        ("file://host/a", "file://host/a", True),
        ("hdfs:/a", "hdfs:/a", True),
        ("s3a://b/c", "s3a://b/c", True),
        ("a.json", "a.json", False),
        ("/a:/b", "/a:/b", False),
        ("a:b", "a:b", False),
    ],
)
def test_names(name: str, plain: str, remote: bool) -> None:  # noqa: FBT001
    assert plain_name(name) == plain
    assert is_remote(plain) == remote


def test_report_of_json_lines(spark: SparkSession, tmp_path: Path) -> None:
    """JSON Lines whose name doesn't say so."""
    file = tmp_path / "lines.txt"
    file.write_text("".join(json.dumps({"id": number % 70_000, "text": "x" * 20}) + "\n" for number in range(80_000)))
    rules = tmp_path / "rules.json"
    rules.write_text('{"type": "array", "primaryKey": "id"}')
    expected = validated(file, "--json", "--from", "ndjson", "--rules", rules)
    assert expected.status == 1
    check(spark, expected, [uri(file)], rules=str(rules), options=["--from", "ndjson"])
