"""What executors run: the tasks of a plan, the joining of their results, and the search for violations of keys."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pyspark import SparkFiles, TaskContext

from coffer_spark.command import UNREADABLE, CofferError, Command
from coffer_spark.frames import frames

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark import Broadcast, SparkContext

    from coffer_spark.storage import Range, Storage


class Output(NamedTuple):
    """What a task or a reducer gives: a result, a frame of keys, or an error."""

    partition: int
    """The partition that receives it: a bucket of keys, or, after all buckets, a group of results."""
    task: int
    status: int
    """0, or the exit status of an error, whose message is the content."""
    content: bytes

    @classmethod
    def of(cls, error: CofferError, partition: int, task: int) -> Output:
        """Return an error as an output, so that Spark doesn't try again."""
        return cls(partition, task, error.status, error.message.encode())


_TASK_SIZE = 128 << 20

SCHEMA = "partition int, task int, status int, content binary"

GROUP_SIZE = 64
"""The number of results that an executor joins to one."""


class Task(NamedTuple):
    """A task of the plan."""

    number: int
    parts: Sequence[Range] | None
    """What Spark has to read for it. None: the command reads the files itself."""


@dataclass(frozen=True)
class Job:
    """What all executors need to know of a run."""

    command: str
    """The name of the command among the files that Spark has sent."""
    plan: Broadcast[bytes]
    digest: str
    """The plan's SHA-256 digest."""
    storage: Storage
    threads: int
    buckets: int
    """The number of buckets of keys. 0: keys stay in the results."""
    attempts: int
    """How often Spark tries a task."""

    def plan_path(self) -> str:
        """Return the path of the plan on this executor, where it is written once."""
        path = sent_files() / f"coffer-plan-{self.digest}.json"
        if not path.exists():
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
                file.write(self.plan.value)
            Path(file.name).replace(path)
        return str(path)

    def run(self, words: Sequence[str], folder: str, parts: Sequence[Range] | None = None) -> CofferError | None:
        """Run the command with the plan.

        :param parts: what to give it on its standard input.
        :return: the error of the command, if it is final.
        :raises CofferError: an error after which Spark should try again.
        """
        words = [*words, "--plan", self.plan_path()]
        try:
            if parts is None:
                sent_command(self.command).run(words, folder=self.storage.working_folder, temporary=folder)
            else:
                with sent_command(self.command).fed([*words, "-"], self.storage.feed(parts), temporary=folder):
                    pass
        except CofferError as error:
            return final(error, self.attempts)
        return None

    @property
    def options(self) -> list[str]:
        """Options of commands that read documents."""
        return ["--jobs", str(self.threads), "--no-progress"]


def sent_command(name: str) -> Command:
    """Return the command that Spark has sent."""
    return Command(str(sent_files() / name))


def sent_files() -> Path:
    """Return the folder of the files that Spark has sent. Spark removes it at the end."""
    return Path(SparkFiles.getRootDirectory()).resolve()


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder for one attempt of a task: two may run at the same time. Spark removes it if this process is killed."""
    return tempfile.TemporaryDirectory(prefix="coffer-", dir=sent_files())


def attempts(context: SparkContext) -> int:
    """Return how often Spark tries a task: only once in local mode, unless the master says otherwise."""
    if found := re.fullmatch(r"local(\[[^,]*(,\s*(\d+)\s*)?\])?", str(context.master)):
        return int(found.group(3) or 1)
    return int(context.getConf().get("spark.task.maxFailures", "4") or 4)


def final(error: CofferError, attempts: int) -> CofferError:
    """Return the error of a task, unless Spark should try the task again: reading may fail once and work later.

    :param attempts: how often Spark tries a task.
    :raises CofferError: the error, so that Spark tries again.
    """
    context = TaskContext.get()
    is_last_attempt = context is None or context.attemptNumber() + 1 >= attempts
    if error.status == UNREADABLE and not is_last_attempt:
        raise error
    return error


def task_count(size: int, parallelism: int) -> int:
    """Return a number of tasks for that many bytes: one for 128 MiB, and at least two for each processor."""
    return max(2 * parallelism, min(-(-size // _TASK_SIZE), 100_000))


@dataclass(frozen=True)
class RunTasks:
    """Runs tasks of the plan."""

    job: Job

    def __call__(self, tasks: Iterable[Task]) -> Iterator[Output]:
        """Give the result of each task, and its frames of keys."""
        for task in tasks:
            with temporary_folder() as folder:
                yield from self._run(task, Path(folder))

    def _run(self, task: Task, folder: Path) -> Iterator[Output]:
        job, number = self.job, task.number
        partial, rows = folder / "partial", folder / "rows"
        words = ["validate", "--task", str(number), "--partial", str(partial), *job.options]
        group = job.buckets + number // GROUP_SIZE
        if error := job.run([*words, "--keys", str(rows)] if job.buckets else words, str(folder), task.parts):
            yield Output.of(error, group, number)
            return
        yield Output(group, number, 0, partial.read_bytes())
        if job.buckets:
            with rows.open("rb") as file:
                for bucket, frame in frames(file):
                    yield Output(bucket, number, 0, frame)


@dataclass(frozen=True)
class JoinResults:
    """Joins the results of a group of tasks to one."""

    job: Job

    def __call__(self, outputs: Iterable[Output]) -> Iterator[Output]:
        """Give the joined result, and errors."""
        with temporary_folder() as name:
            folder = Path(name)
            tasks, failed = [], False
            for partition, task, status, content in outputs:
                if status:
                    failed = True
                    yield Output(partition, task, status, bytes(content))
                else:
                    (folder / str(task)).write_bytes(content)
                    tasks.append(task)
            if failed or not tasks:
                return
            joined = folder / str(tasks[0])
            if len(tasks) > 1:
                joined = folder / "joined"
                words = ["report", "merge", "--partial", str(joined), *(str(folder / str(task)) for task in tasks)]
                if error := self.job.run([*words, *self.job.options], name):
                    yield Output.of(error, 0, min(tasks))
                    return
            yield Output(0, min(tasks), 0, joined.read_bytes())


@dataclass(frozen=True)
class DecideKeys:
    """Finds the duplicate keys and dangling references of a bucket."""

    job: Job
    rest: Sequence[tuple[int, Broadcast[bytes]]]
    """The frames of the merging process, in packs, each with the number of its first bucket."""

    def __call__(self, outputs: Iterable[Output]) -> Iterator[Output]:
        """Give the violations."""
        context = TaskContext.get()
        if context is None:
            return
        bucket = context.partitionId()
        with temporary_folder() as name:
            rows, violations = Path(name) / "rows", Path(name) / "violations"
            with rows.open("wb") as file:
                for output in outputs:
                    file.write(output[3])
                file.write(max((pack for pack in self.rest if pack[0] <= bucket), key=lambda pack: pack[0])[1].value)
            words = ["report", "keys", "--bucket", str(bucket), "--output", str(violations), str(rows)]
            if error := self.job.run(words, name):
                yield Output.of(error, bucket, bucket)
                return
            yield Output(bucket, bucket, 0, violations.read_bytes())
