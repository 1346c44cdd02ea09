#!/usr/bin/env python3
"""Counts code lines in Sources by module, and fails if one has more than Scripts/lines.budget allows.

Usage: Scripts/lines.py [--set]      --set writes budgets of the present counts plus 2 %

A code line is a line of Swift, C or a header that is neither blank nor a comment. A module over its budget needs a second look: what can be deleted,
merged, or left to a library? If nothing, its budget is raised in the commit that needs it, where a reviewer sees the line.
"""

import re
import sys
from collections import Counter
from pathlib import Path

BUDGET = Path(__file__).with_name("lines.budget")
SOURCES = Path(__file__).resolve().parent.parent / "Sources"
LITERAL_OR_COMMENT = re.compile(
    r'(#*"""(?:.|\n)*?"""#*|#"(?:[^"\n]|"(?!#))*"#|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\')|//[^\n]*|/\*(?:.|\n)*?\*/')


def code_lines(path):
    text = LITERAL_OR_COMMENT.sub(lambda match: match[1] or "\n" * match[0].count("\n"), path.read_text(encoding="utf-8"))
    return sum(1 for line in text.splitlines() if line.strip())


def counts():
    found = Counter()
    for path in SOURCES.rglob("*"):
        if path.suffix in (".swift", ".c", ".h"):
            found[path.relative_to(SOURCES).parts[0]] += code_lines(path)
    return found


def main():
    found = counts()
    if "--set" in sys.argv:
        BUDGET.write_text("".join(f"{module} {count + -(-count // 50)}\n" for module, count in sorted(found.items())))
    budgets = {module: int(lines) for module, lines in (line.split() for line in BUDGET.read_text().splitlines())}
    failed = False
    for module, count in sorted(found.items()):
        if count > budgets.get(module, 0):
            failed = True
            print(f"{module} has {count} code lines; Scripts/lines.budget allows {budgets.get(module, 0)}", file=sys.stderr)
    for module in sorted(budgets.keys() - found.keys()):
        failed = True
        print(f"Scripts/lines.budget: there is no module {module}", file=sys.stderr)
    if not failed:
        print(f"{sum(found.values())} code lines in Sources, of {sum(budgets.values())}")
    sys.exit(failed)


main()
