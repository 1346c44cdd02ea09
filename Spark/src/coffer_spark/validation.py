"""The driver: plans a validation, runs its tasks on Spark, and joins their results."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark import SparkFiles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

# The exit statuses of coffer validate that come with a report; any other one is an error.
_STATUSES_WITH_REPORT = frozenset({0, 1, 3, 5})


class CofferError(Exception):
    """The command refused its arguments, or could not read or write a file."""

    def __init__(self, status: int, message: str) -> None:
        """Store the exit status and the command's own message."""
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Report:
    """The result of a validation, as `coffer validate --json` gives it."""

    status: int
    """The exit status of `coffer validate`: 0 valid, 1 invalid, 3 unreadable, 5 no verdict."""
    text: str
    """The report as JSON, to the byte."""

    @property
    def files(self) -> list[dict[str, Any]]:
        """The report on each file."""
        files: list[dict[str, Any]] = json.loads(self.text)["files"]
        return files


def validate(  # noqa: PLR0913
    spark: SparkSession,
    paths: Sequence[str],
    *,
    coffer: str | None = None,
    tasks: int | None = None,
    options: Sequence[str] = (),
    report_options: Sequence[str] = (),
    reports: Mapping[str, str] | None = None,
) -> Report:
    """Validate files that the driver and all executors can read by these paths.

    :param coffer: the command; by default the one on the PATH. It is sent to the executors.
    :param tasks: the number of tasks; by default twice the default parallelism.
    :param options: options of `coffer split`, such as `["--rules", "rules.json", "--now", "2026-07-01T00:00:00Z"]`.
    :param report_options: options of `coffer report merge`, such as `["--fail-on", "warning"]`.
    :param reports: files for reports in other formats, by format: `{"sarif": "a.sarif"}`.
    :raises CofferError: if the command refuses, or can't read or write a file.
    """
    command = coffer or shutil.which("coffer")
    if command is None:
        message = "there is no coffer on the PATH: name the command"
        raise CofferError(2, message)
    context = spark.sparkContext
    count = tasks or 2 * context.defaultParallelism
    with tempfile.TemporaryDirectory(prefix="coffer-") as name:
        folder = Path(name)
        plan = folder / f"{folder.name}-plan.json"
        _run([command, "split", *map(str, paths), "--tasks", str(count), "--output", str(plan), *options])
        context.addFile(command)
        context.addFile(str(plan))
        # Executors have only what the driver sends.
        package = Path(__file__).parent
        context.addPyFile(shutil.make_archive(str(folder / package.name), "zip", package.parent, package.name))
        run = _Task(Path(command).name, plan.name)
        results = context.parallelize(range(count), count).mapPartitions(run).toLocalIterator(prefetchPartitions=True)
        partials = list(_store(results, folder))
        wanted = [word for format_, path in (reports or {}).items() for word in ("--report", f"{format_}={path}")]
        merge = [command, "report", "merge", "--plan", str(plan), "--json", *wanted, *report_options]
        finished = _run([*merge, *partials], _STATUSES_WITH_REPORT)
        return Report(finished.returncode, finished.stdout.decode())


class _Task:
    """Runs the tasks of a partition on an executor."""

    def __init__(self, command: str, plan: str) -> None:
        self.command = command
        self.plan = plan

    def __call__(self, numbers: Iterable[int]) -> Iterator[tuple[int, bytes]]:
        command, plan = SparkFiles.get(self.command), SparkFiles.get(self.plan)
        for number in numbers:
            # A task may run twice at a time: each run has a folder of its own.
            with tempfile.TemporaryDirectory(prefix="coffer-") as folder:
                partial = Path(folder) / "partial"
                _run([command, "validate", "--plan", plan, "--task", str(number), "--partial", str(partial), "--jobs", "1"])
                yield number, partial.read_bytes()


def _store(results: Iterable[tuple[int, bytes]], folder: Path) -> Iterator[str]:
    """Write results to files, one at a time, so that the driver's memory doesn't hold all of them."""
    for number, content in results:
        path = folder / f"{number}.partial"
        path.write_bytes(content)
        yield str(path)


def _run(words: Sequence[str], expected: frozenset[int] = frozenset({0})) -> subprocess.CompletedProcess[bytes]:
    finished = subprocess.run(words, capture_output=True, check=False)
    if finished.returncode not in expected or (finished.returncode != 0 and not finished.stdout):
        raise CofferError(finished.returncode, finished.stderr.decode(errors="replace").strip())
    return finished
