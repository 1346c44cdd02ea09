"""Reports of Spark and of one process have the same bytes."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from conftest import COFFER, NOW, Generate, check, deep, defects, formats, malformed, printed, validated

from coffer_spark import CofferError, validate

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

SMALL_FILES = int(os.environ.get("SMALL_FILES", "20000"))
REPORT_FORMATS = ["json", "sarif", "junit", "github", "markdown", "gitlab", "rdjsonl", "checkstyle", "html"]


@pytest.mark.in_both
@pytest.mark.parametrize("name", formats())
def test_formats(spark: SparkSession, generate: Generate, name: str) -> None:
    file = generate(name, "2MB", *defects(name))
    expected = validated(file, "--json")
    assert expected.status
    check(spark, expected, [file], tasks=3)


@pytest.mark.in_both
@pytest.mark.parametrize("place", [0.3, *deep(0.01, 0.7, 0.99)])
def test_malformed(spark: SparkSession, backup: Path, tmp_path: Path, place: float) -> None:
    file = malformed(backup, place, tmp_path / "malformed.json")
    expected = validated(file, "--json")
    assert expected.status == 3
    check(spark, expected, [file])


def test_report_formats(spark: SparkSession, backup: Path, tmp_path: Path) -> None:
    def reports(folder: str) -> list[str]:
        (tmp_path / folder).mkdir()
        return [word for name in REPORT_FORMATS for word in ("--report", f"{name}={tmp_path / folder / name}")]

    expected = validated(backup, "--json", *reports("expected"))
    check(spark, expected, [backup], report_options=["--json", *reports("spark")])
    # JUnit's has the seconds, and the page the time and the command.
    run_facts = r' time="[0-9.]+"|<dt>(Checked|Command)</dt><dd>.*?</dd>'
    (expected_texts, texts) = (
        {name: re.sub(run_facts, "", (tmp_path / folder / name).read_text()) for name in REPORT_FORMATS} for folder in ("expected", "spark")
    )
    assert texts == expected_texts


def test_files_of_all_kinds(spark: SparkSession, generate: Generate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative names, JSON Lines, LZ4, an archive, an empty file, and a file that is no JSON."""
    monkeypatch.chdir(tmp_path)
    large = generate("swiff", "3MB", *defects("swiff"))
    (tmp_path / "a 'b\".json").write_bytes(large.read_bytes())
    (tmp_path / "empty.json").touch()
    (tmp_path / "text.json").write_text("no JSON\n")
    printed("compress", large, "c.json.lz4")
    printed("generate", "smilepile", "d.zip", "--defect", "file-missing=1")
    printed("convert", generate("keeptrack-legacy-entries", "2MB", "--defect", "required=3"), "e.ndjson")
    names = ["a 'b\".json", "c.json.lz4", "d.zip", "e.ndjson", "empty.json", "text.json"]
    expected = validated(*names, "--json", "--max-findings", "5")
    check(spark, expected, names, options=["--max-findings", "5"])


@dataclass
class Skewed:
    """99 % of references are to one value; others are to none, or to a duplicate."""

    file: Path
    rules: Path
    parents: list[int]
    children: list[int]
    """The parent of each child."""


@pytest.fixture(scope="module")
def skewed(tmp_path_factory: pytest.TempPathFactory) -> Skewed:
    folder = tmp_path_factory.mktemp("skewed")
    parents = [number // 2 if number == 1001 else number for number in range(30_000)]
    children = [7 if number % 100 else 29_990 + number // 1000 for number in range(100_000)]
    made = Skewed(folder / "skewed.json", folder / "rules.json", parents, children)
    keys = {"primaryKey": "id"}
    reference = {"fields": "parent", "reference": {"resource": "/parents", "fields": "id"}}
    properties = {
        "parents": {"type": "array", **keys},
        "children": {"type": "array", **keys, "foreignKeys": [reference]},
    }
    made.rules.write_text(json.dumps({"type": "object", "properties": properties}))
    document = {
        "children": [{"id": number, "parent": parent} for number, parent in enumerate(children)],
        "parents": [{"id": parent, "name": "x" * 40} for parent in parents],
    }
    made.file.write_text(json.dumps(document))
    return made


@pytest.mark.in_both
@pytest.mark.parametrize("key_buckets", [64, *deep(3, 0)])
def test_skewed_references(spark: SparkSession, skewed: Skewed, key_buckets: int) -> None:
    expected = validated(skewed.file, "--json", "--rules", skewed.rules)
    assert expected.status == 1
    check(spark, expected, [skewed.file], rules=str(skewed.rules), key_buckets=key_buckets)


def test_keys_as_in_sql(spark: SparkSession, skewed: Skewed) -> None:
    """Plain SQL finds the same duplicates and dangling references as coffer does in Spark's shuffle."""
    frame = spark.createDataFrame(list(enumerate(skewed.parents)), "position long, id long")
    frame.createOrReplaceTempView("parents")
    spark.createDataFrame(list(enumerate(skewed.children)), "position long, parent long").createOrReplaceTempView("children")
    numbered = "select position, row_number() over (partition by id order by position) as number from parents"
    duplicates = spark.sql(f"select position from ({numbered}) where number > 1")  # noqa: S608
    dangling = spark.sql("select position from children left anti join parents on parent = id")
    report = validate(spark, [skewed.file], coffer=COFFER, now=NOW, tasks=5, rules=str(skewed.rules))

    def records(code: str) -> list[int]:
        return [int(finding["pointer"].split("/")[2]) for finding in report.files[0]["findings"] if finding["code"] == code]

    assert records("primary-key") == sorted(row.position for row in duplicates.collect())
    assert records("foreign-key") == sorted(row.position for row in dangling.collect())
    assert len(records("foreign-key")) > 100


def test_more_groups_than_one(spark: SparkSession, backup: Path) -> None:
    """Results of many tasks are joined on executors first."""
    check(spark, validated(backup, "--json"), [backup], tasks=70, key_buckets=2)


def test_status_without_findings(spark: SparkSession, generate: Generate) -> None:
    file = generate("aquavate", "2MB")
    check(spark, validated(file, "--json"), [file])


def test_small_files(spark: SparkSession, generate: Generate, tmp_path: Path) -> None:
    """A task reads many of them."""
    backups = [generate("ev-charging-tracker", "4kB"), generate("ev-charging-tracker", "4kB", "--defect", "reference=1")]
    files = [tmp_path / str(number) for number in range(SMALL_FILES)]
    for number, file in enumerate(files):
        file.hardlink_to(backups[number % 100 == 0])
    check(spark, validated(*files, "--json"), files, tasks=None)


class TestErrors:
    """Errors have the message and the exit status of the command."""

    @pytest.mark.parametrize(
        ("status", "message", "arguments"),
        [
            (3, "cannot open {}/gone.json: no such file or directory", {"paths": ["{}/gone.json"]}),
            (3, "cannot open {}/gone.json: no such file or directory", {"paths": "{}/gone.json"}),
            (2, "name at least one file", {"paths": []}),
            (2, "standard input", {"paths": ["{}/file.json", "-"]}),
            (2, "without line breaks", {"paths": ["{}/file\n.json"]}),
            (2, "'{}/file\\udcff.json': names must be UTF-8", {"paths": ["{}/file\udcff.json"]}),
            (2, "unknown option", {"options": ["--wrong"]}),
            (2, "there is no format 'wrong'", {"rules": "wrong"}),
            (2, "unknown keyword 'tpye'", {"rules": "{}/rules.json"}),
            (2, "invalid for '--report", {"report_options": ["--report", "wrong=x"]}),
            (4, "would replace", {"report_options": ["--json", "--output", "{}/file.json"]}),
            (2, "must be between 1 and 1,000,000", {"tasks": 0}),
        ],
    )
    def test_error(
        self,
        spark: SparkSession,
        tmp_path: Path,
        status: int,
        message: str,
        arguments: dict[str, list[str] | str | int],
    ) -> None:
        (tmp_path / "file.json").write_text("{}")
        (tmp_path / "rules.json").write_text('{"tpye": "object"}')

        def place(value: object) -> object:
            if isinstance(value, list):
                return [word.replace("{}", str(tmp_path)) for word in value]
            return value.replace("{}", str(tmp_path)) if isinstance(value, str) else value

        words = {"paths": [str(tmp_path / "file.json")]} | {name: place(value) for name, value in arguments.items()}
        with pytest.raises(CofferError) as raised:
            validate(spark, coffer=COFFER, **words)  # type: ignore[arg-type]
        assert message.replace("{}", str(tmp_path)).lower() in str(raised.value).lower()
        assert raised.value.status == status

    def test_no_command(self, spark: SparkSession) -> None:
        with pytest.raises(CofferError, match="is not an executable file"):
            validate(spark, ["x"], coffer="/gone/coffer")
