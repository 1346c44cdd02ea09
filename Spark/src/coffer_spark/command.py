"""The coffer command: how it is found and run, and its errors."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Feed = Callable[[IO[bytes]], None]

# The exit statuses of coffer.
FINDINGS, USAGE, UNREADABLE, REFUSED, UNDECIDED = 1, 2, 3, 4, 5


class CofferError(Exception):
    """The command refused its arguments, or could not read or write a file."""

    def __init__(self, status: int, message: str) -> None:
        """Store the exit status and the command's own message."""
        super().__init__(status, message)
        self.status = status
        self.message = message

    def __str__(self) -> str:
        """Return the command's message."""
        return self.message


@dataclass(frozen=True)
class Command:
    """An executable file."""

    path: str

    @classmethod
    def find(cls, path: str | None) -> Command:
        """Return the command at a path, or that of the package coffer-json.

        :raises CofferError: if there is none.
        """
        if path is None:
            # Executors don't have this package.
            import coffer  # noqa: PLC0415

            try:
                return cls(coffer.find_command())
            except coffer.CofferError as error:
                message = f"coffer-spark: {error}"
                raise CofferError(USAGE, message) from None
        found = shutil.which(path)
        if found is None:
            message = f"coffer-spark: {path} is not an executable file"
            raise CofferError(USAGE, message)
        return cls(str(Path(found).resolve()))

    def run(  # noqa: PLR0913
        self,
        words: Sequence[str],
        *,
        statuses: frozenset[int] = frozenset({0}),
        folder: str | None = None,
        temporary: str | None = None,
        content: bytes | None = None,
        output: int = subprocess.PIPE,
        descriptors: Sequence[int] = (),
    ) -> subprocess.CompletedProcess[bytes]:
        """Run the command to its end.

        :param statuses: the exit statuses that aren't errors.
        :param folder: the working folder, for relative paths.
        :param temporary: the folder of temporary files.
        :param content: the bytes of its standard input.
        :param output: where its standard output goes.
        :param descriptors: descriptors that it inherits.
        :raises CofferError: for another exit status.
        :raises ChildProcessError: if a signal ended it.
        """
        finished = subprocess.run(
            [self.path, *words],
            input=content,
            stdout=output,
            stderr=subprocess.PIPE,
            check=False,
            cwd=folder,
            env=os.environ | {"TMPDIR": temporary} if temporary else None,
            preexec_fn=_end_with_parent(),
            pass_fds=descriptors,
        )
        if finished.returncode not in statuses:
            raise _error(finished.returncode, words, finished.stderr)
        return finished

    @contextmanager
    def fed(self, words: Sequence[str], feed: Feed, *, temporary: str | None = None) -> Iterator[IO[bytes]]:
        """Run the command while `feed` writes its standard input. The block reads its standard output to the end.

        :raises CofferError: for an exit status other than 0.
        :raises ChildProcessError: if a signal ended it.
        :raises Exception: the errors of `feed`, which come first.
        """
        failures: list[Exception] = []

        def write(sink: IO[bytes]) -> None:
            # A command that ends early has closed its end: its exit status says why.
            try:
                with sink:
                    feed(sink)
            except BrokenPipeError:
                pass
            except Exception as failure:  # noqa: BLE001
                failures.append(failure)

        with (
            tempfile.TemporaryFile() as messages,
            subprocess.Popen(
                [self.path, *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=messages,
                env=os.environ | {"TMPDIR": temporary} if temporary else None,
                preexec_fn=_end_with_parent(),  # noqa: PLW1509
            ) as process,
        ):
            if process.stdin is None or process.stdout is None:
                raise AssertionError
            feeder = threading.Thread(target=write, args=(process.stdin,), daemon=True)
            feeder.start()
            yield process.stdout
            feeder.join()
            status = process.wait()
            if failures:
                raise failures[0]
            if status:
                messages.seek(0)
                raise _error(status, words, messages.read())


def _error(status: int, words: Sequence[str], messages: bytes) -> Exception:
    """Return the error of a command that ended with this status."""
    if status < 0:
        return ChildProcessError(f"coffer {' '.join(words[:2])} was ended by {signal.Signals(-status).name}")
    return CofferError(status, messages.decode(errors="replace").strip())


def _end_with_parent() -> Callable[[], None] | None:
    """Return what a child has to call, so that it ends if Spark kills the Python process of a task."""
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None)
    set_parent_death_signal = 1
    return lambda: library.prctl(set_parent_death_signal, signal.SIGKILL)
