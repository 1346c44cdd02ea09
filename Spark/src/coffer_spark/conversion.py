"""Conversion of one collection to JSON Lines or Parquet: each task converts a range of records."""

from __future__ import annotations

import base64
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, NamedTuple

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from coffer_spark.command import REFUSED, USAGE, CofferError, Command
from coffer_spark.hadoop import Hadoop
from coffer_spark.plan import read_plan
from coffer_spark.planning import Inputs
from coffer_spark.progress import job_group
from coffer_spark.storage import Range, copy, is_remote
from coffer_spark.tasks import sent_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

    from coffer_spark.plan import File, Part
    from coffer_spark.storage import Storage


def convert(  # noqa: PLR0913
    spark: SparkSession,
    path: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    format: Literal["jsonl", "parquet"] = "jsonl",  # noqa: A002
    collection: str = "",
    input_format: Literal["json", "ndjson"] | None = None,
    schema: StructType | str | None = None,
    compression: str | None = None,
    coffer: str | None = None,
    tasks: int | None = None,
    progress: bool = False,
) -> None:
    """Convert the items of one array to a folder of JSON Lines or Parquet files.

    The files, in the order of their names, have the records that `coffer convert --collection` writes, in the same order. If the document
    is malformed, nothing is written.

    :param path: a path by which the driver and all executors can read the document, or a URI that Hadoop can read.
    :param output: the folder, on any file system that Spark can write.
    :param collection: the array as a JSON Pointer, such as "/expenses". By default the document is an array, or JSON Lines.
    :param input_format: the syntax; by default as the name ends.
    :param schema: the schema for Parquet. Without one, Spark reads all records once more to infer it.
    :param compression: a codec of Spark's writer.
    :param coffer: the command; by default that of the package coffer-json. It is sent to the executors.
    :param tasks: the number of tasks; by default one for 128 MiB, and at least two for each processor.
    :param progress: show on standard error how many tasks are done.
    :raises CofferError: if the output exists, or the command can't read the document or find the array.
    """
    command = Command.find(coffer)
    folder = os.fspath(output)
    context = spark.sparkContext
    if format not in {"jsonl", "parquet"}:
        message = f"coffer-spark: the format is jsonl or parquet, not {format}"
        raise CofferError(USAGE, message)
    if Hadoop.of_driver(context).exists(folder):
        message = f"coffer-spark: {folder} already exists"
        raise CofferError(REFUSED, message)
    inputs = Inputs.of([path], command, context, shows_progress=progress)
    conversion = _Conversion(inputs, collection, ["--from", input_format] if input_format else [])
    with inputs.storage:
        pieces = conversion.pieces(tasks)
        lines = context.parallelize(pieces, len(pieces)).mapPartitions(ConvertPieces(inputs.sent_command, inputs.storage))
        try:
            with job_group(context, "converting", shown=progress):
                if format == "jsonl":
                    rows = lines.map(lambda line: (line,))
                    spark.createDataFrame(rows, "value string", verifySchema=False).write.text(folder, compression)
                else:
                    reader = spark.read if schema is None else spark.read.schema(schema)
                    reader.json(lines).write.parquet(folder, compression=compression)
        except (Py4JJavaError, PySparkException) as failure:
            if CofferError.__name__ not in str(failure):
                raise
            # A task knows only its range. The command has the message and the place.
            conversion.raise_error()
            raise


class Piece(NamedTuple):
    """A range of a document that a task converts."""

    part: Range
    options: list[str]
    """Options of coffer convert."""
    needs_brackets: bool = False
    """True for records of a JSON array, without the array's own brackets."""
    is_wanted: bool = True
    """False for records of another array, which are only read, because they may be malformed."""


@dataclass(frozen=True)
class _Conversion:
    """A conversion of one array."""

    inputs: Inputs
    collection: str
    syntax: list[str]
    """The option that names the syntax, if there is one."""

    @property
    def _name(self) -> str:
        return self.inputs.names[0]

    @property
    def _selection(self) -> list[str]:
        return ["--collection", self.collection] if self.collection else []

    def pieces(self, tasks: int | None) -> list[list[Piece]]:
        """Return the pieces of each task.

        :raises CofferError: if the command can't read the document.
        """
        with tempfile.TemporaryDirectory(prefix="coffer-") as folder:
            path = Path(folder) / "plan.json"
            self.inputs.write_plan(path, ["--syntax-only", *self.syntax], tasks)
            plan = read_plan(path)
        file = plan["files"][0]
        if self._is_cut(file):
            return [[self._piece(part, file) for part in task["parts"]] for task in plan["tasks"]]
        whole = Range(self._name, 0, file["bytes"])
        return [[Piece(whole, [*_options(file), *self._selection])]]

    def _piece(self, part: Part, file: File) -> Piece:
        """Return the piece for records of one array, or for lines."""
        gap = file["gaps"][part["gap"]]
        start, end = part["start"]["offset"], part["end"]["offset"]
        is_array = file["syntax"] == "json"
        if is_array and end < gap["end"]["offset"]:
            # Without the comma before the next part.
            end -= 1
        records = Range(self._name, start, end)
        return Piece(records, _options(file), needs_brackets=is_array, is_wanted=gap["pointer"] == self.collection)

    def _is_cut(self, file: File) -> bool:
        """Return true if the array is cut into parts, and all is well outside the parts."""
        gaps = [gap["pointer"] for gap in file["gaps"]]
        if gaps.count(self.collection) != 1 or len(file["pieces"]) != len(gaps) + 1:
            return False
        if file["syntax"] == "ndjson":
            return True
        # The document without the parts is a document in which these arrays are empty.
        envelope = b"".join(base64.b64decode(piece["bytes"]) for piece in file["pieces"])
        words = ["convert", "--from", "json", "--to", "ndjson", *self._selection, "-", "-"]
        try:
            return not self.inputs.command.run(words, content=envelope).stdout
        except CofferError:
            return False

    def raise_error(self) -> None:
        """Convert the document in one process, which reads it up to the error.

        :raises CofferError: the error.
        """
        words = ["convert", *self.syntax, "--to", "ndjson", *self._selection]
        if not is_remote(self._name):
            self.inputs.command.run([*words, "--", self._name, "-"], output=subprocess.DEVNULL)
            return
        (size,) = self.inputs.files.sizes([self._name])

        def feed(sink: IO[bytes]) -> None:
            with self.inputs.files.range(Range(self._name, 0, size)) as source:
                copy(source, size, sink)

        with self.inputs.command.fed([*words, "-", "-"], feed) as output:
            for _ in output:
                pass


def _options(file: File) -> list[str]:
    return ["--from", file["syntax"], "--to", "ndjson"]


@dataclass(frozen=True)
class ConvertPieces:
    """Converts pieces of a document on an executor."""

    command: str
    storage: Storage

    def __call__(self, tasks: Iterable[Sequence[Piece]]) -> Iterator[str]:
        """Give the lines."""
        command = sent_command(self.command)
        for pieces in tasks:
            for piece in pieces:
                yield from self._lines(command, piece)

    def _lines(self, command: Command, piece: Piece) -> Iterator[str]:
        def feed(sink: IO[bytes]) -> None:
            sink.write(b"[" if piece.needs_brackets else b"")
            self.storage.copy(piece.part, sink)
            sink.write(b"]" if piece.needs_brackets else b"")

        with command.fed(["convert", *piece.options, "-", "-"], feed) as output:
            for line in output:
                if piece.is_wanted:
                    yield line[:-1].decode()
