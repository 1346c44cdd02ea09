"""The command, as `python -m coffer`."""

import os
import sys

from coffer import CofferError, find_command

# As shells have it.
_NOT_FOUND = 127

if __name__ == "__main__":
    try:
        command = find_command()
    except CofferError as error:
        sys.stderr.write(f"coffer: {error}\n")
        sys.exit(_NOT_FOUND)
    os.execv(command, [command, *sys.argv[1:]])  # noqa: S606
