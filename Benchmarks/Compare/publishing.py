"""Writes measurements into docs/performance.md."""

import re
import sys
from pathlib import Path

PAGE = Path("docs/performance.md")
END = "<!-- end of what it writes -->"


def show(lines, mark=""):
    """Writes `lines` between two marks of the page; the first one ends with `mark`."""
    begin = f"<!-- Benchmarks/compare.sh --publish writes what follows{mark} -->"
    table = "\n".join([begin, "", *lines, "", END])
    shown, count = re.subn(f"{re.escape(begin)}.*?{re.escape(END)}", lambda _: table, PAGE.read_text(), flags=re.DOTALL)
    if count != 1:
        sys.exit(f"{PAGE} lacks the marks for the table: {begin}, {END}")
    PAGE.write_text(shown)
