"""Puts what was measured into the README."""

import re
import sys
from pathlib import Path

README = Path("README.md")
END = "<!-- end of what it writes -->"


def show_in_readme(lines, mark=""):
    """Puts `lines` between two marks in the README, of which the first ends with `mark`."""
    begin = f"<!-- Benchmarks/compare.sh --publish writes what follows{mark} -->"
    table = "\n".join([begin, "", *lines, "", END])
    shown, count = re.subn(f"{re.escape(begin)}.*?{re.escape(END)}", lambda _: table, README.read_text(), flags=re.DOTALL)
    if count != 1:
        sys.exit(f"{README} lacks the marks between which the table belongs: {begin}, {END}")
    README.write_text(shown)
