"""Reports of `coffer validate` as values."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, TYPE_CHECKING, Any, Literal

from coffer._command import find_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Severity = Literal["error", "warning", "note"]

_log = logging.getLogger("coffer")

# The exit statuses of a run that reports on all files: valid, findings, a file that can't be read, no verdict.
_COMPLETE = frozenset({0, 1, 3, 5})
# Systems limit the size of arguments. Linux allows 2 MiB, with the environment.
_BYTES_OF_NAMES = 131_072


class CofferError(Exception):
    """There is no verdict: wrong usage, rules that don't compile, a document that can't be read or decided."""

    def __init__(self, message: str, *, code: str | None = None, report: Report | None = None) -> None:
        """Store what happened."""
        super().__init__(message)
        self.code = code
        """The code of the report's problem, such as `truncated`. None if the command didn't get as far as the file."""
        self.report = report
        """What is known of the file, such as findings before the place where it is damaged."""


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
    options: Sequence[str] = (),
) -> Report:
    """Validate a backup: JSON, JSON Lines or ZIP, also in LZ4, gzip or zstd.

    What the command says beside its report, such as rules that it doesn't apply, goes to the logger `coffer`.

    :param path: the file.
    :param rules: the name of a format, or the path of a rule document; by default the format is detected.
    :param now: what counts as now, with its time zone; by default the clock.
    :param max_findings: how many findings the report shows; all are counted.
    :param redact: leave values of the document out of the report.
    :param options: more options of `coffer validate`, such as `["--jobs=1", "--memory-limit=64MiB"]`.
    :return: the report; its `valid` says whether the document has no finding of severity error.
    :raises CofferError: if there is no verdict.
    :raises ValueError: for a time without a zone, or a NUL in an argument.
    """
    (report,) = validate_all([path], rules=rules, now=now, max_findings=max_findings, redact=redact, options=options)
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
    options: Sequence[str] = (),
) -> Iterator[Report]:
    """Validate backups, and yield the report of each as soon as it is done, in the order of the paths.

    The parameters are those of `validate`. A file without a verdict has a `problem`, and doesn't end the run. To close the iterator
    ends the run. The errors below are raised by the iteration.

    :raises CofferError: for wrong usage, or rules that don't compile.
    :raises ValueError: for a time without a zone, or a NUL in an argument.
    """
    words = ["validate", "--json", *options]
    if rules is not None:
        words.append(f"--rules={_path(rules)}")
    if isinstance(now, datetime):
        if now.utcoffset() is None:
            message = "now has no time zone"
            raise ValueError(message)
        now = now.isoformat()
    if now is not None:
        words.append(f"--now={now}")
    if max_findings is not None:
        words.append(f"--max-findings={max_findings}")
    if redact:
        words.append("--redact")
    for names in _batches(paths):
        yield from _run(words, names)


def _path(path: str | os.PathLike[str]) -> str:
    """Return a path that doesn't mean standard input."""
    name = os.fspath(path)
    return "./-" if name == "-" else name


def _batches(paths: Iterable[str | os.PathLike[str]]) -> Iterator[list[str]]:
    """Return lists of paths that are short enough for the arguments of a command."""
    batch: list[str] = []
    size = 0
    for path in paths:
        name = _path(path)
        size += len(os.fsencode(name)) + 1
        if batch and size > _BYTES_OF_NAMES:
            yield batch
            batch, size = [], len(os.fsencode(name)) + 1
        batch.append(name)
    if batch:
        yield batch


def _run(words: list[str], names: list[str]) -> Iterator[Report]:
    """Run the command, and yield a report for each file."""
    # A file instead of a pipe: nobody reads messages while reports are read.
    with (
        tempfile.TemporaryFile() as messages,
        subprocess.Popen(
            [find_command(), *words, "--", *names], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=messages
        ) as process,
    ):
        count = 0
        try:
            if process.stdout is None:
                raise AssertionError
            for document in _files(process.stdout):
                count += 1
                if count > len(names):
                    message = f"an option is a file's name: {document['file']}"
                    raise CofferError(message)
                yield _report(document)
            status = process.wait()
        finally:
            process.terminate()
        messages.seek(0)
        text = messages.read().decode(errors="replace").strip()
    if status < 0:
        message = f"coffer was ended by {signal.Signals(-status).name}"
        raise CofferError(message)
    if status not in _COMPLETE or count != len(names):
        # Such as --help or --output.
        message = text or "coffer printed no report: an option asks for other output"
        raise CofferError(message)
    for line in text.splitlines():
        _log.warning("%s", line)


def _files(stream: IO[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the items of `files` in a report as they are written. The command indents them by four blanks."""
    lines: list[bytes] = []
    is_inside = False
    for line in stream:
        if line.startswith(b'  "files": ['):
            is_inside = True
        elif line.startswith(b"  ]"):
            is_inside = False
        elif is_inside:
            lines.append(line)
            if line in (b"    }\n", b"    },\n"):
                yield json.loads(b"".join(lines).rstrip(b",\n"))
                lines = []


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
