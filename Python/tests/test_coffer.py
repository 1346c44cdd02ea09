"""Tests of the installed wheel."""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import pytest

import coffer

if TYPE_CHECKING:
    from collections.abc import Iterator

RULES = {"properties": {"users": {"primaryKey": "id", "items": {"properties": {"age": {"maximum": 150, "severity": "warning"}}}}}}


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    return write(tmp_path / "rules.json", RULES)


def write(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value))
    return path


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    return write(tmp_path / "broken.json", {"users": [{"id": 1, "age": 200}, {"id": 1}]})


def test_findings_have_places_and_records(broken: Path, rules: Path) -> None:
    report = coffer.validate(broken, rules=rules)
    assert (report.valid, report.records, report.not_shown, report.problem) == (False, 2, 0, None)
    assert (report.counts.error, report.counts.warning, report.counts.by_code) == (1, 1, {"maximum": 1, "primary-key": 1})
    warning, error = report.findings
    assert (warning.severity, warning.code, warning.pointer, warning.excerpt) == ("warning", "maximum", "/users/0/age", "200")
    assert (error.line, error.column, error.offset, error.end_offset) == (1, 42, 41, 42)
    assert error.record == coffer.Record("/users", "1", None)
    assert error.schema == "/properties/users/primaryKey"
    assert report.document["values"]["/properties/users/primaryKey"] == 2


def test_reports_can_be_compared_and_hashed(broken: Path, rules: Path) -> None:
    assert {coffer.validate(broken, rules=rules)} == {coffer.validate(broken, rules=rules, options=["--jobs", "1"])}


def test_a_valid_document(tmp_path: Path, rules: Path) -> None:
    assert coffer.validate(str(write(tmp_path / "a.json", {"users": []})), rules=str(rules)).valid


def test_formats_are_detected(tmp_path: Path) -> None:
    backup = tmp_path / "backup.json"
    generate(backup)
    report = coffer.validate(backup, now=datetime(2026, 7, 1, tzinfo=UTC))
    assert (report.valid, report.format, report.version) == (True, "ev-charging-tracker", 9)
    # Its dates are later than this.
    assert coffer.validate(backup, now="2001-01-01T00:00:00Z").counts.error > 0


def generate(path: Path) -> None:
    subprocess.run(
        [coffer.find_command(), "generate", "ev-charging-tracker", path, "--size=20kB", "--seed=7"], check=True, capture_output=True
    )


@pytest.mark.parametrize(
    ("content", "code"), [('{"users": [', "truncated"), ('{"users" 1}', "syntax"), (None, "not-found"), ('{"users": []}', "unknown-format")]
)
def test_without_a_verdict(tmp_path: Path, content: str | None, code: str) -> None:
    path = tmp_path / "a.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(coffer.CofferError) as caught:
        coffer.validate(path)
    assert (caught.value.code, str(path) in str(caught.value)) == (code, True)
    assert caught.value.report is not None
    assert not caught.value.report.valid
    # Others in the same run are not affected.
    valid = tmp_path / "valid.json"
    generate(valid)
    problems = [report.problem and report.problem.code for report in coffer.validate_all([valid, path, valid], now="2026-07-01T00:00:00Z")]
    assert problems == [None, code, None]


@pytest.mark.parametrize("rule", [{"type": "objec"}, {"no-such-keyword": 1}, []])
def test_rules_that_do_not_compile(tmp_path: Path, broken: Path, rule: object) -> None:
    with pytest.raises(coffer.CofferError, match="rules\\.json:1:") as caught:
        coffer.validate(broken, rules=write(tmp_path / "rules.json", rule))
    assert (caught.value.code, caught.value.report) == (None, None)


@pytest.mark.parametrize("option", ["--no-such-option", "--help", "--version", "--output=report.json", "--output-format=sarif", "x.json"])
def test_options_that_change_the_output_are_errors(
    broken: Path, rules: Path, option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(coffer.CofferError):
        coffer.validate(broken, rules=rules, options=[option])


def test_hostile_names(tmp_path: Path, rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ["-", "--help", "--rules=x", "a b\n.json", "$(id)", "é.json"]:
        write(tmp_path / name, {"users": []})
        assert coffer.validate(name, rules=rules).valid
        write(tmp_path / name, RULES)
        assert not coffer.validate(write(tmp_path / "b.json", {"users": [{"id": 1}, {"id": 1}]}), rules=name).valid
    with pytest.raises(ValueError, match="null byte"):
        coffer.validate("a\0b", rules=rules)
    with pytest.raises(coffer.CofferError, match="UTF-8"):
        coffer.validate(os.fsdecode(b"\xff.json"), rules=rules)


def test_values_can_be_left_out(tmp_path: Path, rules: Path) -> None:
    path = write(tmp_path / "a.json", {"users": [{"id": "secret"}, {"id": "secret"}]})
    assert "secret" not in str(coffer.validate(path, rules=rules, redact=True).document)


def test_all_findings_are_counted(tmp_path: Path, rules: Path) -> None:
    path = write(tmp_path / "a.json", {"users": [{"id": 1}] * 100})
    report = coffer.validate(path, rules=rules, max_findings=3)
    assert (len(report.findings), report.counts.error, report.not_shown) == (3, 99, 96)


def test_a_time_without_a_zone_is_refused(broken: Path) -> None:
    with pytest.raises(ValueError, match="time zone"):
        coffer.validate(broken, now=datetime(2026, 7, 1))  # noqa: DTZ001


def test_rules_that_are_not_applied_are_logged(tmp_path: Path, broken: Path, caplog: pytest.LogCaptureFixture) -> None:
    rules = write(tmp_path / "draft.json", {"$schema": "http://json-schema.org/draft-07/schema#", "prefixItems": [{}]})
    with caplog.at_level(logging.WARNING, logger="coffer"):
        coffer.validate(broken, rules=rules)
    assert "not applied" in caplog.text


def test_reports_come_one_by_one(tmp_path: Path, rules: Path, broken: Path) -> None:
    """The next path isn't asked for before a report is used."""
    asked = []

    def paths() -> Iterator[Path]:
        for number in range(3):
            asked.append(number)
            yield broken

    reports = coffer.validate_all(paths(), rules=rules)
    assert not next(reports).valid
    assert asked == [0]
    assert len(list(reports)) == 2
    assert list(coffer.validate_all([], rules=rules)) == []
    assert len(list(coffer.validate_all([tmp_path / f"{number}.json" for number in range(20)], rules=rules))) == 20


def test_text_in_the_place_of_a_list_is_refused(broken: Path, rules: Path) -> None:
    with pytest.raises(TypeError, match="single path"):
        list(coffer.validate_all(str(broken), rules=rules))
    with pytest.raises(TypeError, match="must be a list"):
        coffer.validate(broken, rules=rules, options="--redact")


def test_a_path_is_never_the_name_of_a_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "swiff", RULES)
    document = write(tmp_path / "a.json", {"users": []})
    assert coffer.validate(document, rules=PurePath("swiff")).valid
    assert not coffer.validate(document, rules="swiff").valid


def test_the_verdict_is_that_of_the_options(broken: Path, rules: Path) -> None:
    assert coffer.validate(broken, rules=rules, options=["--max-errors", "primary-key=1"]).valid


def test_times_of_all_zones(broken: Path, rules: Path) -> None:
    zone = timezone(timedelta(hours=5, minutes=30, seconds=15))
    assert coffer.validate(broken, rules=rules, now=datetime(2026, 7, 1, tzinfo=zone)).counts.error == 1


def test_messages_of_errors_are_one_line(broken: Path) -> None:
    with pytest.raises(coffer.CofferError) as caught:
        coffer.validate(broken, options=["--jobs=x"])
    assert "\n" not in str(caught.value)


def test_the_command_and_the_module() -> None:
    version = subprocess.run([coffer.find_command(), "--version"], check=True, capture_output=True).stdout
    module = [sys.executable, "-m", "coffer"]
    assert subprocess.run([*module, "--version"], check=True, capture_output=True).stdout == version
    assert subprocess.run([*module, "validate", "--no-such-option"], check=False, capture_output=True).returncode == 2


def test_without_the_command(tmp_path: Path) -> None:
    """A package without its command says so."""
    copy = tmp_path / "coffer"
    shutil.copytree(Path(coffer.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    words = [sys.executable, "-S", "-m", "coffer", "--version"]
    run = subprocess.run(words, check=False, capture_output=True, text=True, cwd=tmp_path, env={})
    assert (run.returncode, run.stderr) == (127, "coffer: the command of coffer-json is not installed: install the wheel again\n")
