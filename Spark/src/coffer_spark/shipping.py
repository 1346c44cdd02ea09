"""Sends the command and this package to the executors."""

from __future__ import annotations

import atexit
import hashlib
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark import SparkContext

    from coffer_spark.command import Command


class Shipment:
    """Files that Spark sends to executors.

    An executor that starts later fetches them, too: they exist until this process ends. Their names have digests of their contents, because
    Spark never replaces a file that it has sent.
    """

    def __init__(self) -> None:
        """Create the folder for the files."""
        self._folder: Path | None = None
        self._sent: set[tuple[str | None, str]] = set()

    def send(self, command: Command, context: SparkContext) -> str:
        """Send the command and this package, unless they were sent before.

        :return: the name of the command on the executors.
        """
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="coffer-"))
            atexit.register(shutil.rmtree, self._folder, ignore_errors=True)
        name = self._copy(Path(command.path), "coffer")
        if (context.applicationId, name) not in self._sent:
            package = Path(__file__).parent
            with tempfile.TemporaryDirectory(dir=self._folder) as folder:
                archive = shutil.make_archive(f"{folder}/{package.name}", "zip", package.parent, package.name)
                modules = self._copy(Path(archive), package.name, ".zip")
            context.addPyFile(str(self._folder / modules))
            context.addFile(str(self._folder / name))
            self._sent.add((context.applicationId, name))
        return name

    def _copy(self, path: Path, name: str, extension: str = "") -> str:
        """Copy a file to the folder."""
        if self._folder is None:
            raise AssertionError
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        copy = self._folder / f"{name}-{digest[:16]}{extension}"
        if not copy.exists():
            shutil.copy2(path, copy)
        return copy.name


shipment = Shipment()
