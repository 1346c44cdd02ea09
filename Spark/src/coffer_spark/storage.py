"""Files by path, and by URI of a Hadoop file system: hdfs:, s3a: and others."""

from __future__ import annotations

import re
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from pyspark import SparkFiles

from coffer_spark.command import UNREADABLE, CofferError
from coffer_spark.hadoop import Hadoop, Settings, read_fully, worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from pyspark import Broadcast, SparkContext

    from coffer_spark.hadoop import Readable, Status

_CHUNK = 1 << 20


class Range(NamedTuple):
    """Bytes of a file."""

    name: str
    start: int
    end: int


def is_remote(name: str) -> bool:
    """Return true for a name that Hadoop must read, and that coffer reads through a range server."""
    return re.match(r"[A-Za-z0-9+.-]{2,}:/", name) is not None


def plain_name(name: str) -> str:
    """Return the path of a URI with the scheme file, and any other name as it is."""
    return re.sub(r"^file:(//(localhost)?)?(?=/(?!/))", "", name)


def copy(source: Readable, count: int, sink: IO[bytes]) -> None:
    """Copy this number of bytes, or up to the end of the source."""
    while count and (chunk := source.read(min(_CHUNK, count))):
        count -= len(chunk)
        sink.write(chunk)


@dataclass(frozen=True)
class Storage:
    """Reads files on executors."""

    folder: str
    """The driver's working folder: relative paths are those of the driver."""
    settings: Broadcast[Settings] | None
    """None, if all files have paths."""

    @classmethod
    def of(cls, names: Iterable[str], folder: str, context: SparkContext) -> Storage:
        """Return a storage that reads files with these names."""
        return cls(folder, context.broadcast(Settings.of(context)) if any(map(is_remote, names)) else None)

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, *_: object) -> None:
        """Remove the settings from the executors."""
        if self.settings:
            self.settings.destroy()

    @property
    def working_folder(self) -> str | None:
        """The driver's working folder, if this machine has a folder with this path."""
        return self.folder if Path(self.folder).is_dir() else None

    @contextmanager
    def opened(self, part: Range) -> Iterator[Readable]:
        """Open a range of a file. Of a file with a path, the bytes after the range follow.

        :raises CofferError: if the file can't be read.
        """
        try:
            if is_remote(part.name):
                if self.settings is None:
                    raise AssertionError
                hadoop = worker.client(self.settings.value, Path(SparkFiles.getRootDirectory()))
                with hadoop.range(*part) as content:
                    yield content
            else:
                with (Path(self.folder) / part.name).open("rb", buffering=0) as file:
                    file.seek(part.start)
                    yield file
        except BrokenPipeError:
            # The command that gets the bytes has ended.
            raise
        except OSError as failure:
            raise CofferError(UNREADABLE, f"coffer-spark: cannot read {part.name}: {failure.strerror or failure}") from failure

    def feed(self, parts: Iterable[Range]) -> Callable[[IO[bytes]], None]:
        """Return a function that writes ranges to a sink, one after another."""

        def write(sink: IO[bytes]) -> None:
            for part in parts:
                self.copy(part, sink)

        return write

    def copy(self, part: Range, sink: IO[bytes]) -> None:
        """Write a range of a file to a sink, up to the end of the file at most.

        :raises CofferError: if it can't be read.
        """
        with self.opened(part) as source:
            copy(source, part.end - part.start, sink)


class Served(NamedTuple):
    """How a command reaches a range server."""

    options: list[str]
    descriptors: list[int]


class DriverFiles:
    """Reads files on the driver."""

    def __init__(self, context: SparkContext) -> None:
        """Use the client of the driver's JVM."""
        self._hadoop = Hadoop.of_driver(context)
        self._known: dict[str, Status] = {}

    def sizes(self, names: Sequence[str]) -> list[int]:
        """Return the sizes of files: 0 for those with paths that can't be read, of which coffer has the error.

        :raises CofferError: if a file with a URI can't be read.
        """
        remote = [name for name in set(names) if is_remote(name)]
        if remote:
            with ThreadPool(min(len(remote), 16)) as pool:
                self._known |= zip(remote, pool.map(self._hadoop.status, remote), strict=True)

        def size(name: str) -> int:
            if known := self._known.get(name):
                return known.size
            path = Path(name)
            return path.stat().st_size if path.is_file() else 0

        return [size(name) for name in names]

    def range(self, part: Range) -> AbstractContextManager[Readable]:
        """Open a range of a file with a URI.

        :raises CofferError: as `Hadoop.range`.
        """
        return self._hadoop.range(*part)

    @contextmanager
    def served(self, names: Iterable[str]) -> Iterator[Served]:
        """Serve files to a command in the block, unless all of them have paths."""
        if not any(map(is_remote, names)):
            yield Served([], [])
            return
        ours, theirs = socket.socketpair()
        with ours, theirs:
            # The first request for a file's status is answered with what the driver knows.
            server = threading.Thread(target=_RangeServer(self._hadoop, dict(self._known), ours).run, daemon=True)
            server.start()
            try:
                yield Served(["--range-server", str(theirs.fileno())], [theirs.fileno()])
            finally:
                theirs.shutdown(socket.SHUT_RDWR)
                server.join()


class _RangeServer:
    """Answers the requests of a command: see "Files that another process reads" in docs/scale-out.md."""

    # Reading near a finding needs little; reading on needs large pieces, each of which opens the file once.
    _FIRST_PIECE, _LAST_PIECE = 1 << 16, 1 << 26

    def __init__(self, hadoop: Hadoop, known: dict[str, Status], connection: socket.socket) -> None:
        self._hadoop = hadoop
        self._known = known
        self._connection = connection
        self._sizes: dict[str, int] = {}
        # What was read last.
        self._name = ""
        self._start = 0
        self._piece = b""

    def run(self) -> None:
        """Answer until the other end is closed."""
        try:
            with self._connection.makefile("rwb") as stream:
                for line in stream:
                    for piece in self._reply(line.decode().rstrip("\n")):
                        stream.write(piece)
                    stream.flush()
        except OSError:
            # The command has ended.
            return

    def _reply(self, request: str) -> list[bytes | memoryview]:
        kind, _, name = request.partition(" ")
        try:
            if kind == "stat":
                status = self._known.pop(name, None) or self._hadoop.status(name)
                self._sizes[name] = status.size
                return [f"{status.size} {status.version}\n".encode()]
            offset, count, name = name.split(" ", 2)
            content = self._read(name, int(offset), int(count))
            return [b"%d\n" % len(content), content]
        except CofferError as error:
            reason = error.message.removeprefix(f"coffer-spark: cannot read {name}: ")
            return [f"error {' '.join(reason.split())}\n".encode()]

    def _read(self, name: str, offset: int, count: int) -> memoryview:
        end = self._start + len(self._piece)
        if name != self._name or not self._start <= offset < end:
            is_next = name == self._name and offset == end
            size = max(count, min(self._LAST_PIECE, 8 * len(self._piece)) if is_next else self._FIRST_PIECE)
            size = min(size, self._sizes[name] - offset)
            with self._hadoop.range(name, offset, offset + size) as source:
                piece = read_fully(source, size)
            self._name, self._start, self._piece = name, offset, piece
        start = offset - self._start
        return memoryview(self._piece)[start : start + count]
