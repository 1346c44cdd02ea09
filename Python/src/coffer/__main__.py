"""The command, as `python -m coffer`."""

import os
import sys

from coffer import find_command

if __name__ == "__main__":
    command = find_command()
    os.execv(command, [command, *sys.argv[1:]])  # noqa: S606
