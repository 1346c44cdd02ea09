"""The driver: plans a validation, runs its tasks on Spark, and joins their results."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coffer_spark.command import FINDINGS, REFUSED, UNDECIDED, UNREADABLE, USAGE, CofferError, Command
from coffer_spark.frames import frames
from coffer_spark.plan import read_plan, task_ranges
from coffer_spark.planning import Inputs
from coffer_spark.progress import job_group
from coffer_spark.storage import is_remote
from coffer_spark.tasks import GROUP_SIZE, SCHEMA, DecideKeys, Job, JoinResults, Output, RunTasks, Task, attempts

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pyspark import RDD, Broadcast, SparkContext
    from pyspark.sql import SparkSession

    from coffer_spark.plan import Plan

# The exit statuses of coffer validate that come with a report, if it prints one; any other one is an error.
_STATUSES_WITH_REPORT = frozenset({0, FINDINGS, UNREADABLE, UNDECIDED})
_PACK_SIZE = 4 << 20


@dataclass(frozen=True)
class Report:
    """The result of a validation, as `coffer validate` gives it."""

    status: int
    """The exit status of `coffer validate`: 0 valid, 1 invalid, 3 unreadable, 5 no verdict."""
    content: bytes
    """What the command prints on standard output."""
    messages: str = ""
    """What it prints on standard error."""

    @property
    def text(self) -> str:
        """The report as text."""
        return self.content.decode()

    @cached_property
    def files(self) -> list[dict[str, Any]]:
        """The report on each file, if the report is JSON."""
        files: list[dict[str, Any]] = json.loads(self.content)["files"]
        return files


def validate(  # noqa: PLR0913
    spark: SparkSession,
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    rules: str | None = None,
    now: str | None = None,
    options: Sequence[str] = (),
    report_options: Sequence[str] = ("--json",),
    coffer: str | None = None,
    tasks: int | None = None,
    key_buckets: int = 64,
    progress: bool = False,
) -> Report:
    """Validate files.

    :param paths: paths by which the driver and all executors can read the files, or URIs that Hadoop can read. One file needs no list.
    :param rules: the rules: the name of a format, or the path of a rule document. By default, formats are detected.
    :param now: the current time to assume, such as "2026-07-01T00:00:00Z".
    :param options: other options of `coffer split`, such as `["--max-findings", "100"]`.
    :param report_options: options of `coffer report merge`, such as `["--json", "--fail-on", "warning"]`.
    :param coffer: the command; by default that of the package coffer-json. It is sent to the executors.
    :param tasks: the number of tasks; by default one for 128 MiB, and at least two for each processor.
    :param key_buckets: the number of buckets of Spark's shuffle of keys. 0: the driver joins them, which suits small files.
    :param progress: show on standard error how many tasks are done.
    :raises CofferError: if the command refuses, or can't read or write a file.
    """
    command = Command.find(coffer)
    context = spark.sparkContext
    # A string is a sequence, too.
    files = [paths] if isinstance(paths, str | os.PathLike) else paths
    inputs = Inputs.of(files, command, context, shows_progress=progress)
    words = [*(["--rules", rules] if rules else []), *(["--now", now] if now else []), *options]
    if key_buckets:
        words.append(f"--key-buckets={key_buckets}")
    with inputs.storage, tempfile.TemporaryDirectory(prefix="coffer-") as name:
        folder = Path(name)
        plan = folder / "plan.json"
        inputs.write_plan(plan, words, tasks)
        merge = _Merge(inputs, plan, folder, list(report_options))
        merge.check()
        plan_bytes = plan.read_bytes()
        job = Job(
            command=inputs.sent_command,
            plan=context.broadcast(plan_bytes),
            digest=hashlib.sha256(plan_bytes).hexdigest(),
            storage=inputs.storage,
            threads=int(context.getConf().get("spark.task.cpus", "1") or 1),
            buckets=key_buckets,
            attempts=attempts(context),
        )
        try:
            return _Run(spark, job, _tasks(read_plan(plan)), merge).report()
        finally:
            job.plan.destroy()


def _tasks(plan: Plan) -> list[Task]:
    """Return the tasks, each with what Spark has to read for it."""
    return [Task(number, parts if any(is_remote(part.name) for part in parts) else None) for number, parts in enumerate(task_ranges(plan))]


@dataclass
class _Merge:
    """The merging process on the driver."""

    inputs: Inputs
    plan: Path
    folder: Path
    options: list[str]

    def check(self) -> None:
        """Check the options of the report before the tasks run.

        :raises CofferError: if the command refuses them.
        """
        try:
            # The null device is never the result of a task, but the command checks its options first.
            self.inputs.command.run([*self._words, *self.options, os.devnull])
        except CofferError as error:
            if error.status in {USAGE, REFUSED}:
                raise

    def rest(self, partials: Sequence[str]) -> Path:
        """Return the file with the rows of keys that the tasks don't have."""
        rows = self.folder / "rows"
        self._run(["--keys", str(rows), *partials], frozenset({0}))
        return rows

    def report(self, partials: Sequence[str], violations: Sequence[str]) -> Report:
        """Return the report."""
        words = [*self.options, *(word for path in violations for word in ("--violations", path)), *partials]
        finished = self._run(words, _STATUSES_WITH_REPORT)
        messages = finished.stderr.decode(errors="replace")
        if finished.returncode == UNREADABLE and not finished.stdout and messages:
            raise CofferError(finished.returncode, messages.strip())
        return Report(finished.returncode, finished.stdout, messages)

    def _run(self, words: Sequence[str], statuses: frozenset[int]) -> subprocess.CompletedProcess[bytes]:
        with self.inputs.files.served(self.inputs.names) as served:
            return self.inputs.command.run([*self._words, *served.options, *words], statuses=statuses, descriptors=served.descriptors)

    @property
    def _words(self) -> list[str]:
        return ["report", "merge", "--plan", str(self.plan), "--no-progress"]


@dataclass
class _Run:
    """A run of all tasks."""

    spark: SparkSession
    job: Job
    tasks: Sequence[Task]
    merge: _Merge

    def report(self) -> Report:
        """Run the tasks, and join their results."""
        context = self.spark.sparkContext
        buckets = self.job.buckets
        groups = -(-len(self.tasks) // GROUP_SIZE)
        with job_group(context, "validating", shown=self.merge.inputs.shows_progress):
            outputs = context.parallelize(self.tasks, len(self.tasks)).mapPartitions(RunTasks(self.job))
            # One shuffle brings the results to the groups, and the keys to the buckets. Both jobs below read it.
            shuffled: RDD[Any] = (
                self.spark.createDataFrame(outputs, SCHEMA, verifySchema=False).repartitionById(buckets + groups, "partition").rdd
            )
            partials = self._store(shuffled, JoinResults(self.job), range(buckets, buckets + groups), "partial")
        if not buckets:
            return self.merge.report(partials, [])
        rest = _packs(self.merge.rest(partials), buckets, context)
        try:
            with job_group(context, "joining keys", shown=self.merge.inputs.shows_progress):
                violations = self._store(shuffled, DecideKeys(self.job, rest), range(buckets), "violations")
        finally:
            for _, pack in rest:
                pack.destroy()
        return self.merge.report(partials, violations)

    def _store(
        self,
        rdd: RDD[Any],
        function: Callable[[Iterable[Output]], Iterator[Output]],
        partitions: Sequence[int],
        name: str,
    ) -> list[str]:
        """Run a function on partitions, and write what it gives to files of the driver.

        Some partitions at a time, so that the driver's memory doesn't hold all results.

        :raises CofferError: the error of the first task that has one.
        """
        context = self.spark.sparkContext
        size = max(16, 2 * context.defaultParallelism)
        paths = []
        for start in range(0, len(partitions), size):
            outputs = context.runJob(rdd, function, partitions[start : start + size])
            if errors := [output for output in outputs if output.status]:
                first = min(errors, key=lambda output: output.task)
                raise CofferError(first.status, first.content.decode(errors="replace"))
            for output in outputs:
                path = self.merge.folder / f"{output.task}.{name}"
                path.write_bytes(output.content)
                paths.append(str(path))
        return paths


def _packs(path: Path, buckets: int, context: SparkContext) -> list[tuple[int, Broadcast[bytes]]]:
    """Broadcast the frames of a file in packs of some buckets each, so that an executor needs to hold only one in memory.

    :return: the packs, each with the number of its first bucket.
    """
    sizes = [0] * buckets
    with path.open("rb") as file:
        for bucket, frame in frames(file):
            sizes[bucket] += len(frame)
    starts = [0]
    for bucket in range(1, buckets):
        if sum(sizes[starts[-1] : bucket + 1]) > _PACK_SIZE:
            starts.append(bucket)
    packs = []
    for start, end in zip(starts, [*starts[1:], buckets], strict=True):
        with path.open("rb") as file:
            pack = b"".join(frame for bucket, frame in frames(file) if start <= bucket < end)
        packs.append((start, context.broadcast(pack)))
    return packs
