"""Reports of `coffer validate` as values."""

from __future__ import annotations

import json
import logging
import os
import subprocess
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from coffer._command import CofferError, find_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Severity = Literal["error", "warning", "note"]

_log = logging.getLogger("coffer")

# The exit statuses of a run that has a report: valid, findings, a file that can't be read, no verdict.
_REPORTED = frozenset({0, 1, 3, 5})


@dataclass(frozen=True, slots=True)
class Record:
    """The record of a collection that a finding is in."""

    collection: str
    """A JSON Pointer, such as /expenses."""
    key: str | None
    """Its primary key as text."""
    title: str | None
    """The name of the collection in the format."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation of a rule. Lines and columns are counted from 1, offsets in bytes from 0. A column is a character."""

    code: str
    severity: Severity
    message: str
    keyword: str
    pointer: str
    line: int
    column: int
    offset: int
    end_line: int | None
    end_column: int | None
    end_offset: int | None
    schema: str
    """The place of the rule in the rule document, a JSON Pointer."""
    excerpt: str | None
    """The start of the value; None with `redact`, and for values that are missing."""
    entry: str | None
    """The entry of a ZIP archive, unless the finding is in its document."""
    record: Record | None
    baseline: str | None
    """Whether a baseline has it: `known`, `new` or None without one."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file has no verdict."""

    code: str
    """A stable code, such as `truncated`, `not-found` or `unknown-format`."""
    message: str
    line: int | None
    column: int | None
    offset: int | None


@dataclass(frozen=True, slots=True)
class Counts:
    """All findings, also those that the report doesn't show."""

    error: int
    warning: int
    note: int
    by_code: dict[str, int] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Report:
    """The result for one file."""

    file: str
    valid: bool
    """The command's verdict: no finding of severity error, unless options such as --fail-on or --max-errors say otherwise."""
    format: str | None
    version: int | str | None
    bytes: int
    records: int
    counts: Counts
    findings: tuple[Finding, ...]
    """Of each rule some, in the order of the document."""
    not_shown: int
    problem: Problem | None
    """Why there is no verdict; None if there is one."""
    document: dict[str, Any] = field(compare=False, repr=False)
    """The file's whole object in the JSON report. Later versions may add members."""


def validate(  # noqa: PLR0913
    path: str | os.PathLike[str],
    *,
    rules: str | os.PathLike[str] | None = None,
    now: datetime | str | None = None,
    max_findings: int | None = None,
    redact: bool = False,
    options: Iterable[str] = (),
) -> Report:
    """Validate a backup: JSON, JSON Lines or ZIP, also in LZ4, gzip or zstd.

    What the command says beside its report, such as rules that it doesn't apply, goes to the logger `coffer`.

    :param path: the file.
    :param rules: the name of a format or the path of a rule document as text, or a path; by default the format is detected.
    :param now: what counts as now, with its time zone; by default the clock.
    :param max_findings: how many findings the report shows; all are counted.
    :param redact: leave values of the document out of the report.
    :param options: more options of `coffer validate`, such as `["--jobs=1", "--memory-limit=64MiB"]`.
    :raises CofferError: if there is no verdict.
    :raises ValueError: for a time without a zone, or a NUL in an argument.
    :raises TypeError: for options in one string.
    :raises OSError: if the command can't be started.
    """
    report = _run(_words(rules, now, max_findings, redact, options), path)
    if report.problem is not None:
        message = f"{report.file}: {report.problem.message}"
        raise CofferError(message, code=report.problem.code, report=report)
    return report


def validate_all(  # noqa: PLR0913
    paths: Iterable[str | os.PathLike[str]],
    *,
    rules: str | os.PathLike[str] | None = None,
    now: datetime | str | None = None,
    max_findings: int | None = None,
    redact: bool = False,
    options: Iterable[str] = (),
) -> Iterator[Report]:
    """Validate backups one after the other, each on all processors, and yield the report of each when it is done.

    Parameters and errors are those of `validate`, but a file without a verdict has a `problem`, and doesn't end the iteration. Each file is
    a run of the command: an option that writes a file would write it again and again.
    """
    if isinstance(paths, str | os.PathLike):
        message = "paths is a single path; use validate"
        raise TypeError(message)
    words = _words(rules, now, max_findings, redact, options)
    for path in paths:
        yield _run(words, path)


def _words(
    rules: str | os.PathLike[str] | None,
    now: datetime | str | None,
    max_findings: int | None,
    redact: bool,  # noqa: FBT001
    options: Iterable[str],
) -> list[str]:
    """Return the arguments of the command up to the file."""
    if isinstance(options, str):
        message = "options is a string; it must be a list"
        raise TypeError(message)
    words = ["validate", "--json", *options]
    if rules is not None:
        # Text may be a format's name, which has no slash.
        words.append(f"--rules={_path(rules) if isinstance(rules, str) else os.path.abspath(rules)}")  # noqa: PTH100
    if isinstance(now, datetime):
        if now.utcoffset() is None:
            message = "now has no time zone"
            raise ValueError(message)
        now = now.astimezone(UTC).isoformat()
    if now is not None:
        words.append(f"--now={now}")
    if max_findings is not None:
        words.append(f"--max-findings={max_findings}")
    if redact:
        words.append("--redact")
    return words


def _path(path: str | os.PathLike[str]) -> str:
    """Return a path that doesn't mean standard input."""
    name = os.fspath(path)
    return "./-" if name == "-" else name


def _run(words: list[str], path: str | os.PathLike[str]) -> Report:
    """Run the command for a file."""
    run = subprocess.run([find_command(), *words, "--", _path(path)], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    messages = run.stderr.decode(errors="replace").splitlines()
    if run.returncode < 0:
        message = " ".join([f"coffer was ended by signal {-run.returncode}", *messages])
        raise CofferError(message)
    try:
        (document,) = json.loads(run.stdout)["files"]
    except (KeyError, TypeError, ValueError):
        document = None
    if run.returncode not in _REPORTED or document is None:
        # What follows the first message is for people at a terminal.
        message = messages[0] if messages else "an option asks for other output than one file's report"
        raise CofferError(message.removeprefix("coffer: "))
    for message in messages:
        _log.warning("%s", message)
    return _report(document)


def _report(document: dict[str, Any]) -> Report:
    counts = document["counts"]
    return Report(
        file=document["file"],
        valid=document["valid"],
        format=document["format"],
        version=document["version"],
        bytes=document["bytes"],
        records=document["records"],
        counts=Counts(counts["error"], counts["warning"], counts["note"], counts["byCode"]),
        findings=tuple(map(_finding, document["findings"])),
        not_shown=document["notShown"],
        problem=_problem(document),
        document=document,
    )


def _problem(document: dict[str, Any]) -> Problem | None:
    if "error" in document:
        error = document["error"]
        return Problem(error["code"], error["message"], error.get("line"), error.get("column"), error.get("offset"))
    match document.get("formatProblem"):
        case None:
            return None
        case "ambiguous-format":
            formats = ", ".join(candidate["format"] for candidate in document["candidates"])
            message = f"several formats fit, so no rules were applied: {formats}"
        case _:
            message = "no known format fits, so no rules were applied"
    return Problem(document["formatProblem"], message, None, None, None)


def _finding(members: dict[str, Any]) -> Finding:
    record = members.get("record")
    return Finding(
        code=members["code"],
        severity=members["severity"],
        message=members["message"],
        keyword=members["keyword"],
        pointer=members["pointer"],
        line=members["line"],
        column=members["column"],
        offset=members["offset"],
        end_line=members.get("endLine"),
        end_column=members.get("endColumn"),
        end_offset=members.get("endOffset"),
        schema=members["schema"],
        excerpt=members.get("excerpt"),
        entry=members.get("entry"),
        record=Record(record["collection"], record.get("key"), record.get("title")) if record else None,
        baseline=members.get("baseline"),
    )
