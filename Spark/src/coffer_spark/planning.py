"""Writes the plan of a run: executors scan large files, and the driver reads their envelopes."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from coffer_spark.command import USAGE, CofferError
from coffer_spark.progress import job_group
from coffer_spark.scanning import ranges, scan
from coffer_spark.shipping import shipment
from coffer_spark.storage import DriverFiles, Storage, plain_name
from coffer_spark.tasks import task_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark import SparkContext

    from coffer_spark.command import Command


@dataclass(frozen=True)
class Inputs:
    """The files of a run, and the command that reads them."""

    names: list[str]
    command: Command
    sent_command: str
    """The name of the command among the files that Spark has sent."""
    files: DriverFiles
    storage: Storage
    context: SparkContext
    shows_progress: bool

    @classmethod
    def of(cls, paths: Sequence[str | os.PathLike[str]], command: Command, context: SparkContext, *, shows_progress: bool) -> Inputs:
        """Return the files, and send the command to the executors.

        :raises CofferError: if there is no file, or a name that a list of files can't have.
        """
        names = [plain_name(os.fspath(path)) for path in paths]
        _check(names)
        storage = Storage.of(names, os.getcwd(), context)  # noqa: PTH109
        return cls(names, command, shipment.send(command, context), DriverFiles(context), storage, context, shows_progress)

    def write_plan(self, path: Path, words: Sequence[str], tasks: int | None) -> None:
        """Write a plan.

        :param words: the options of `coffer split`.
        :param tasks: the number of tasks. None: one for 128 MiB, and at least two for each processor.
        :raises CofferError: if the command refuses, or can't read a file.
        """
        sizes = self.files.sizes(self.names)
        count = tasks if tasks is not None else task_count(sum(sizes), self.context.defaultParallelism)
        with tempfile.TemporaryDirectory(prefix="coffer-") as name:
            scans, names = Path(name) / "scans", Path(name) / "names"
            words = ["split", *words, f"--tasks={count}"]
            if found := ranges(self.names, sizes, max(1, count)):
                with job_group(self.context, "scanning", shown=self.shows_progress):
                    scans.write_text("".join(scan(found, self.sent_command, self.storage, _syntax(words), self.context)))
                words += ["--scans", str(scans)]
            # 20,000 names may be too long for a command line.
            names.write_text("".join(f"{name}\n" for name in self.names), encoding="utf-8")
            with self.files.served(self.names) as served:
                words += ["--files-from", str(names), "--output", str(path), *served.options]
                self.command.run(words, descriptors=served.descriptors)


def _check(names: Sequence[str]) -> None:
    if not names:
        raise CofferError(USAGE, "coffer-spark: name at least one file")
    if "-" in names:
        raise CofferError(USAGE, "coffer-spark: standard input can be read only once: name a file")
    for name in names:
        # Python has surrogates for bytes that aren't UTF-8.
        if not name or re.search(r"[\r\n\ud800-\udfff]", name):
            raise CofferError(USAGE, f"coffer-spark: cannot read {name!a}: names must be UTF-8 without line breaks, and not empty")


def _syntax(options: Sequence[str]) -> list[str]:
    """Return the options that name the syntax."""
    found: list[str] = []
    for index, word in enumerate(options):
        if word.startswith(("--input-format=", "--from=")):
            found.append(word)
        elif word in {"--input-format", "--from"}:
            found += options[index : index + 2]
    return found
