"""The command that the wheel installs, and its errors."""

from __future__ import annotations

import os
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coffer._reports import Report

DISTRIBUTION = "coffer-json"


class CofferError(Exception):
    """There is no verdict: wrong usage, rules that don't compile, a document that can't be read or decided."""

    def __init__(self, message: str, *, code: str | None = None, report: Report | None = None) -> None:
        """Store what happened."""
        super().__init__(message)
        self.code = code
        """The code of the report's problem, such as `truncated`. None if the command didn't get as far as the file."""
        self.report = report
        """What is known of the file, such as findings before the place where it is damaged."""


def find_command() -> str:
    """Return the path of the command that was installed with this package.

    A `coffer` on the PATH may be of another version, so it doesn't count.

    :raises CofferError: if the command is missing.
    """
    # `pip install --target` moves the package after it has written the list of its files.
    beside = Path(__file__).parents[1] / "bin" / "coffer"
    if os.access(beside, os.X_OK):
        return str(beside)
    try:
        files = metadata.files(DISTRIBUTION) or ()
    except metadata.PackageNotFoundError:
        files = ()
    for file in files:
        if file.parts[-2:] == ("bin", "coffer"):
            path = Path(str(file.locate())).resolve()
            # Some installers record no sizes.
            if os.access(path, os.X_OK) and file.size in (None, path.stat().st_size):
                return str(path)
    message = f"the command of {DISTRIBUTION} is not installed: install the wheel again"
    raise CofferError(message)
