"""The command that the wheel installs."""

from __future__ import annotations

import os
from importlib import metadata
from pathlib import Path

DISTRIBUTION = "coffer-json"


def find_command() -> str:
    """Return the path of the command that was installed with this package.

    A `coffer` on the PATH may be of another version, so it doesn't count.

    :raises FileNotFoundError: if the command is missing.
    """
    # `pip install --target` moves the package after it has written the list of its files.
    beside = Path(__file__).parents[1] / "bin" / "coffer"
    if os.access(beside, os.X_OK):
        return str(beside)
    for file in metadata.files(DISTRIBUTION) or ():
        if file.parts[-2:] == ("bin", "coffer"):
            path = Path(str(file.locate())).resolve()
            if os.access(path, os.X_OK) and path.stat().st_size == file.size:
                return str(path)
    message = f"the command of {DISTRIBUTION} is not installed: install the wheel again"
    raise FileNotFoundError(message)
