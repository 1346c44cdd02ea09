"""Scans of large files in ranges, on executors: the driver needs to read only their envelopes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from coffer_spark.command import CofferError
from coffer_spark.hadoop import read_fully
from coffer_spark.storage import Range, is_remote
from coffer_spark.tasks import attempts, final, sent_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark import SparkContext

    from coffer_spark.storage import Storage

_SCANNED_SIZE = 1 << 30
"""The driver scans smaller files, if they have paths."""
_SMALLEST_RANGE, _LARGEST_RANGE = 1 << 20, 1 << 24
_MOST_RANGES = 1 << 16
_COMPRESSED_NAMES = (".gz", ".lz4", ".zip", ".zst")
_COMPRESSED = re.compile(
    rb"""
    \x1f\x8b                        # gzip
    | \x04\x22\x4d\x18              # LZ4
    | \x02\x21\x4c\x18              # LZ4 before version 1.4
    | \x28\xb5\x2f\xfd              # zstd
    | [\x50-\x5f]\x2a\x4d\x18       # a frame that decoders of LZ4 and zstd skip
    | PK(\x03\x04|\x05\x06)         # ZIP
    """,
    re.VERBOSE,
)
"""The first bytes of compressed files and archives."""


def ranges(names: Sequence[str], sizes: Sequence[int], tasks: int) -> list[Range]:
    """Return the ranges to scan: small enough that arrays are cut into parts for all tasks."""
    total = sum(sizes)
    length = max(_SMALLEST_RANGE, min(_LARGEST_RANGE, total // (8 * tasks)), -(-total // _MOST_RANGES))
    return [
        Range(name, start, min(start + length, size))
        for name, size in dict(zip(names, sizes, strict=True)).items()
        if size > (_SMALLEST_RANGE if is_remote(name) else _SCANNED_SIZE) and not name.endswith(_COMPRESSED_NAMES)
        for start in range(0, size, length)
    ]


def scan(found: Sequence[Range], command: str, storage: Storage, syntax: list[str], context: SparkContext) -> list[str]:
    """Scan ranges on executors.

    :param command: the name of the command among the files that Spark has sent.
    :param syntax: the options that name the syntax.
    :return: the lines of the scans, without those of compressed files. They have less than a kilobyte each.
    :raises CofferError: if a file can't be read.
    """
    scan_ranges = ScanRanges(command, storage, syntax, attempts(context))
    scans = context.parallelize(found, min(len(found), 8 * context.defaultParallelism)).mapPartitions(scan_ranges).collect()
    for scan in scans:
        if scan.status:
            raise CofferError(scan.status, scan.content)
    compressed = {scan.name for scan in scans if not scan.content}
    return [scan.content for scan in scans if scan.name not in compressed]


class Scan(NamedTuple):
    """The scan of a range."""

    name: str
    status: int
    """0, or the exit status of an error, whose message is the content."""
    content: str
    """A line of JSON. It is empty for the first range of a compressed file, which can't be scanned."""


@dataclass(frozen=True)
class ScanRanges:
    """Scans ranges on an executor."""

    command: str
    storage: Storage
    syntax: list[str]
    attempts: int

    def __call__(self, found: Iterable[Range]) -> Iterator[Scan]:
        """Give the scan of each range."""
        for part in found:
            try:
                yield Scan(part.name, 0, self._scan(part))
            except CofferError as error:
                yield Scan(part.name, error.status, final(error, self.attempts).message)

    def _scan(self, part: Range) -> str:
        if part.start == 0:
            with self.storage.opened(part) as source:
                if _COMPRESSED.match(read_fully(source, 4)):
                    return ""
        command = sent_command(self.command)
        words = ["split", "scan", "--range", f"{part.start}-{part.end}", "--name", part.name, *self.syntax, "--no-progress"]
        if not is_remote(part.name):
            return command.run([*words, "--", part.name], folder=self.storage.working_folder).stdout.decode()
        with command.fed([*words, "-"], self.storage.feed([part])) as output:
            return output.read().decode()
