"""Conversion of one collection to JSON Lines or Parquet: each task converts a range of records."""

from __future__ import annotations

import base64
import os
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, NamedTuple

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from coffer_spark.command import REFUSED, USAGE, CofferError, Command, end_with_parent, error
from coffer_spark.plan import read_plan
from coffer_spark.progress import job_group
from coffer_spark.shipping import shipment
from coffer_spark.tasks import sent_files, task_count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark import SparkContext
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

    from coffer_spark.plan import File

_CHUNK = 1 << 20


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

    :param output: the folder, on any file system that Spark can write.
    :param collection: the array as a JSON Pointer, such as "/expenses". By default the document is an array, or JSON Lines.
    :param input_format: the syntax; by default as the name ends.
    :param schema: the schema for Parquet. Without one, Spark reads all records once more to infer it.
    :param compression: a codec of Spark's writer.
    :param coffer: the command; by default the one on the PATH. It is sent to the executors.
    :param tasks: the number of tasks; by default one for 128 MiB, and at least two for each processor.
    :param progress: show on standard error how many tasks are done.
    :raises CofferError: if the output exists, or the command can't read the document or find the array.
    """
    command = Command.find(coffer)
    name = os.fspath(path)
    context = spark.sparkContext
    if format not in {"jsonl", "parquet"}:
        message = f"coffer-spark: the format is jsonl or parquet, not {format}"
        raise CofferError(USAGE, message)
    if _exists(context, os.fspath(output)):
        message = f"coffer-spark: {os.fspath(output)} already exists"
        raise CofferError(REFUSED, message)
    count = tasks if tasks is not None else task_count([name], context.defaultParallelism)
    syntax = ["--from", input_format] if input_format else []
    whole = [*syntax, "--to", "ndjson", *(["--collection", collection] if collection else [])]
    pieces = _pieces(command, name, count, collection, syntax, whole)
    convert_pieces = ConvertPieces(shipment.send(command, context), os.getcwd(), name)  # noqa: PTH109
    lines = context.parallelize(pieces, len(pieces)).mapPartitions(convert_pieces)
    try:
        with job_group(context, "converting", shown=progress):
            if format == "jsonl":
                rows = lines.map(lambda line: (line,))
                spark.createDataFrame(rows, "value string", verifySchema=False).write.text(os.fspath(output), compression)
            else:
                reader = spark.read if schema is None else spark.read.schema(schema)
                reader.json(lines).write.parquet(os.fspath(output), compression=compression)
    except (Py4JJavaError, PySparkException) as failure:
        if CofferError.__name__ not in str(failure):
            raise
        # A task knows only its range. The command has the message and the place.
        command.run(["convert", *whole, "--", name, "-"], output=subprocess.DEVNULL)
        raise


class Piece(NamedTuple):
    """What a task converts."""

    options: list[str]
    """Options of coffer convert."""
    start: int
    end: int | None
    """The end of the range. None: the whole file."""
    before: bytes
    after: bytes
    is_wanted: bool
    """False for records of another collection, which are only read, because they may be malformed."""


def _pieces(  # noqa: PLR0913, PLR0917
    command: Command, name: str, count: int, collection: str, syntax: list[str], whole: list[str]
) -> list[list[Piece]]:
    """Return the pieces of each task."""
    with tempfile.TemporaryDirectory(prefix="coffer-") as folder:
        path = Path(folder) / "plan.json"
        command.run(["split", "--syntax-only", *syntax, "--tasks", str(count), "--output", str(path), "--", name])
        plan = read_plan(path)
    file = plan["files"][0]
    if not _is_cut(command, file, collection, whole):
        return [[Piece(whole, 0, None, b"", b"", is_wanted=True)]]
    pieces = []
    for task in plan["tasks"]:
        of_task = []
        for part in task["parts"]:
            gap = file["gaps"][part["gap"] or 0]
            start, end, is_wanted = part["start"]["offset"], part["end"]["offset"], gap["pointer"] == collection
            if file["syntax"] == "ndjson":
                of_task.append(Piece(["--from", "ndjson", "--to", "ndjson"], start, end, b"", b"", is_wanted))
            else:
                # A part ends after a comma, except for the last one of the array.
                comma = int(end != gap["end"]["offset"])
                of_task.append(Piece(["--from", "json", "--to", "ndjson"], start, end - comma, b"[", b"]", is_wanted))
        pieces.append(of_task)
    return pieces


def _is_cut(command: Command, file: File, collection: str, whole: list[str]) -> bool:
    """Return true if the array is cut into parts, and all is well outside the parts."""
    if [gap["pointer"] for gap in file["gaps"]].count(collection) != 1 or len(file["pieces"]) != len(file["gaps"]) + 1:
        return False
    if file["syntax"] == "ndjson":
        return True
    # The document without the parts is a document in which these arrays are empty.
    envelope = b"".join(base64.b64decode(piece["bytes"]) for piece in file["pieces"])
    words = [*whole, "--from", "json"]
    try:
        return not command.run(["convert", *words, "-", "-"], content=envelope).stdout
    except CofferError:
        return False


@dataclass(frozen=True)
class ConvertPieces:
    """Converts pieces of a document on an executor."""

    command: str
    folder: str
    path: str

    def __call__(self, tasks: Iterable[Sequence[Piece]]) -> Iterator[str]:
        """Give the lines."""
        command = Command(str(sent_files() / self.command))
        path = Path(self.folder) / self.path
        for pieces in tasks:
            for piece in map(Piece._make, pieces):
                yield from _lines(command, path, piece)


def _lines(command: Command, path: Path, piece: Piece) -> Iterator[str]:
    words = ["convert", *piece.options, "-", "-"]
    with (
        path.open("rb") as source,
        tempfile.TemporaryFile() as messages,
        subprocess.Popen(
            [command.path, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=messages,
            bufsize=_CHUNK,
            preexec_fn=end_with_parent(),  # noqa: PLW1509
        ) as process,
    ):
        if process.stdin is None or process.stdout is None:
            raise AssertionError
        source.seek(piece.start)
        feeder = threading.Thread(target=_feed, args=(source, piece, process.stdin))
        feeder.start()
        for line in process.stdout:
            if piece.is_wanted:
                yield line[:-1].decode()
        feeder.join()
        if process.wait():
            messages.seek(0)
            raise error(process.returncode, words, messages.read())


def _feed(source: IO[bytes], piece: Piece, sink: IO[bytes]) -> None:
    rest = piece.end - piece.start if piece.end is not None else None
    # A command that ends early has closed its end: its exit status says why.
    try:
        with sink:
            sink.write(piece.before)
            while chunk := source.read(_CHUNK if rest is None else min(_CHUNK, rest)):
                sink.write(chunk)
                if rest is not None:
                    rest -= len(chunk)
            sink.write(piece.after)
    except BrokenPipeError:
        pass


def _exists(context: SparkContext, output: str) -> bool:
    jvm = context._jvm  # noqa: SLF001
    if jvm is None:
        raise AssertionError
    path = jvm.org.apache.hadoop.fs.Path(output)
    return bool(path.getFileSystem(context._jsc.hadoopConfiguration()).exists(path))  # noqa: SLF001
