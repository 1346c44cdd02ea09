"""Reads files with Hadoop's client, in the JVM of the driver or in one that a Python worker starts.

    store ─▶ Hadoop's client ─▶ FIFO ─▶ Python ─▶ standard input of coffer

Only requests go through Py4J, which encodes bytes as text. A Python worker can't use its executor's JVM, so it starts another one
with the same class path and configuration, when it reads such a file for the first time. It costs about a second and 150 MB, and ends with
the worker.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import pyspark
from py4j.java_gateway import GatewayParameters, JavaGateway
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException

from coffer_spark.command import UNREADABLE, CofferError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark import SparkContext

_PIPE_SIZE = 1 << 18
_JVM_OPTIONS = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]


class Status(NamedTuple):
    """The properties of a file that change with its content."""

    size: int
    version: int
    """The time of the last modification."""


class Readable(Protocol):
    """A source of bytes."""

    def read(self, size: int, /) -> bytes:
        """Read at most this number of bytes, and none only at the end."""


def read_fully(source: Readable, count: int) -> bytes:
    """Read this number of bytes, or up to the end."""
    pieces = []
    while count and (piece := source.read(count)):
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)


@dataclass(frozen=True)
class Settings:
    """What a JVM on another machine needs to read the same files."""

    configuration: bytes
    """Hadoop's configuration of the driver, as XML."""
    class_path: str | None
    """`spark.executor.extraClassPath`."""

    @classmethod
    def of(cls, context: SparkContext) -> Settings:
        """Return the settings of the driver."""
        writer = _jvm(context).java.io.StringWriter()
        context._jsc.hadoopConfiguration().writeXml(writer)  # noqa: SLF001
        return cls(writer.toString().encode(), context.getConf().get("spark.executor.extraClassPath"))


class Hadoop:
    """A client."""

    def __init__(self, jvm: Any, configuration: Any) -> None:  # noqa: ANN401
        """Use Hadoop's classes in a JVM."""
        self._jvm = jvm
        self._configuration = configuration

    @classmethod
    def of_driver(cls, context: SparkContext) -> Hadoop:
        """Return the client of the driver's JVM."""
        return cls(_jvm(context), context._jsc.hadoopConfiguration())  # noqa: SLF001

    def status(self, name: str) -> Status:
        """Return the size and version of a file.

        :raises CofferError: if there is no such file, or it can't be read.
        """
        with _errors_of(name):
            system, path = self._located(name)
            found = system.getFileStatus(path)
            if found.isDirectory():
                raise CofferError(UNREADABLE, f"coffer-spark: cannot read {name}: it is a folder")
            return Status(found.getLen(), found.getModificationTime())

    def exists(self, name: str) -> bool:
        """Return true if there is a file or folder.

        :raises CofferError: if the file system can't be read.
        """
        with _errors_of(name):
            system, path = self._located(name)
            return bool(system.exists(path))

    @contextmanager
    def range(self, name: str, start: int, end: int) -> Iterator[Readable]:
        """Open a range of a file. The block reads as many of its bytes as it needs.

        :raises CofferError: when the block ends, if the file can't be read or has fewer bytes, and the block has read to their end.
        """
        with _errors_of(name):
            system, path = self._located(name)
            source = system.open(path)
        try:
            with _errors_of(name):
                source.seek(start)
            with self._copied(source, name, end - start) as content:
                yield content
        finally:
            source.close()

    def _located(self, name: str) -> tuple[Any, Any]:
        """Return the file system of a name, and its Hadoop path."""
        path = self._jvm.org.apache.hadoop.fs.Path(name)
        return path.getFileSystem(self._configuration), path

    @contextmanager
    def _copied(self, source: Any, name: str, count: int) -> Iterator[Readable]:  # noqa: ANN401
        """Copy the bytes of a stream of the JVM through a FIFO."""
        with tempfile.TemporaryDirectory(prefix="coffer-") as folder:
            fifo = Path(folder) / "fifo"
            os.mkfifo(fifo, 0o600)
            # Without another writer, the reader would find the end before the JVM opens the FIFO.
            reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
            keeper = os.open(fifo, os.O_WRONLY)
            os.set_blocking(reader, True)
            if set_size := getattr(fcntl, "F_SETPIPE_SZ", None):
                fcntl.fcntl(reader, set_size, _PIPE_SIZE)
            failures: list[Py4JError] = []
            is_open = threading.Event()

            def copy() -> None:
                try:
                    limited = self._jvm.org.apache.hadoop.util.LimitInputStream(source, count)
                    sink = self._jvm.java.io.FileOutputStream(str(fifo))
                    is_open.set()
                    try:
                        self._jvm.org.apache.hadoop.io.IOUtils.copyBytes(limited, sink, _PIPE_SIZE, False)  # noqa: FBT003
                    finally:
                        sink.close()
                except Py4JError as failure:
                    failures.append(failure)
                finally:
                    is_open.set()
                    os.close(keeper)

            thread = threading.Thread(target=copy, daemon=True)
            with open(reader, "rb", buffering=0) as file:  # noqa: PTH123
                counted = _Counted(file)
                thread.start()
                try:
                    yield counted
                    is_at_end = counted.count < count and not file.read(1)
                finally:
                    # The JVM can open the FIFO only while it has a reader. Closing the reader ends the copying.
                    is_open.wait()
                    file.close()
                    thread.join()
            if is_at_end:
                with _errors_of(name):
                    if failures:
                        raise failures[0]
                raise CofferError(UNREADABLE, f"coffer-spark: cannot read {name}: it is shorter than before")


class _Counted:
    """Counts the bytes that are read from a file."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self.count = 0

    def read(self, size: int) -> bytes:
        content = self._file.read(size)
        self.count += len(content)
        return content


@contextmanager
def _errors_of(name: str) -> Iterator[None]:
    try:
        yield
    except Py4JJavaError as failure:
        message = f"coffer-spark: cannot read {name}: {failure.java_exception.toString()}"
        raise CofferError(UNREADABLE, message) from None
    except PySparkException as failure:
        # In the driver's JVM, PySpark gives some errors classes of their own.
        raise CofferError(UNREADABLE, f"coffer-spark: cannot read {name}: {failure}") from None
    except (Py4JError, OSError) as failure:
        raise CofferError(UNREADABLE, f"coffer-spark: cannot read {name}: {failure}") from failure


def _jvm(context: SparkContext) -> Any:  # noqa: ANN401
    if context._jvm is None:  # noqa: SLF001
        raise AssertionError
    return context._jvm  # noqa: SLF001


class _Worker:
    """The client of this Python worker, which Spark uses for many tasks."""

    def __init__(self) -> None:
        self._client: Hadoop | None = None
        self._settings: Settings | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def client(self, settings: Settings, jars: Path) -> Hadoop:
        """Return the client, after starting its JVM if there is none.

        :param jars: the folder of the jars that Spark has sent.
        """
        if self._client is None or self._settings != settings or self._process is None or self._process.poll() is not None:
            jvm = self._start(settings, jars)
            configuration = jvm.org.apache.hadoop.conf.Configuration(False)  # noqa: FBT003
            configuration.addResource(jvm.java.io.ByteArrayInputStream(settings.configuration))
            self._client, self._settings = Hadoop(jvm, configuration), settings
        return self._client

    def _start(self, settings: Settings, jars: Path) -> Any:  # noqa: ANN401
        home = os.environ.get("SPARK_HOME")
        folder = Path(home) / "jars" if home else Path(pyspark.__file__).parent / "jars"
        # On YARN, the container's class path has Spark's jars.
        known = [settings.class_path, os.environ.get("CLASSPATH"), os.environ.get("HADOOP_CONF_DIR"), f"{folder}/*", f"{jars}/*"]
        java_home = os.environ.get("JAVA_HOME")
        java = str(Path(java_home) / "bin" / "java") if java_home else shutil.which("java") or "java"
        words = [java, *_JVM_OPTIONS, "-classpath", os.pathsep.join(path for path in known if path)]
        # It ends when its standard input does: with this process.
        process = subprocess.Popen(
            [*words, "py4j.GatewayServer", "--die-on-broken-pipe", "--enable-auth", "0"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        if process.stdout is None:
            raise AssertionError
        port, token = process.stdout.readline().strip(), process.stdout.readline().strip()
        if not port or not token:
            process.kill()
            message = f"{java} doesn't start Py4J with the class path {words[-1]}"
            raise ChildProcessError(message)
        self._process = process
        return JavaGateway(gateway_parameters=GatewayParameters(port=int(port), auth_token=token.decode())).jvm


worker = _Worker()
