#!/usr/bin/env python3
"""Fails if folders of one module refer to each other in a circle: folders depend in one direction, as modules do.

Usage: Scripts/folders.py [-v]      -v lists the types behind each reference of a circle

A folder is one below Sources/<Module>; the files beside the folders form a folder, too. A reference is a type's name in code, not in comments
or strings. Names that several folders declare are left out.
"""

import re
import sys
from collections import Counter, defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ATTRIBUTES = r"(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|private|fileprivate|final|indirect|nonisolated)\s+)*"
DECLARATION = re.compile(r"^" + ATTRIBUTES + r"(?:struct|class|enum|actor|protocol|typealias)\s+(\w+)", re.M)
NESTED = re.compile(r"^ +(?:\w+ )*(?:struct|class|enum|typealias|case) (\w+)", re.M)
LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|#*"""(?:.|\n)*?"""#*|#"(?:[^"\n]|"(?!#))*"#|"(?:\\.|[^"\\\n])*"', re.S)
REFERENCE = re.compile(r"(?<![.\w])[A-Z]\w+\b")


def references(module):
    """Returns the references between a module's folders: {folder: {other folder: Counter of its types}}."""
    folders = defaultdict(list)
    for path in sorted(module.rglob("*.swift")):
        parts = path.relative_to(module).parts
        folders[parts[0] if len(parts) > 1 else "."].append(LITERAL.sub('""', path.read_text(encoding="utf-8")))
    folders = {folder: "\n".join(texts) for folder, texts in folders.items()}
    owners = defaultdict(set)
    for folder, text in folders.items():
        for name in DECLARATION.findall(text):
            owners[name].add(folder)
    home = {name: next(iter(found)) for name, found in owners.items() if len(found) == 1}
    used = {folder: defaultdict(Counter) for folder in folders}
    for folder, text in folders.items():
        nested = set(NESTED.findall(text))  # hides a type of the same name in another folder
        for name in REFERENCE.findall(text):
            if name not in nested and home.get(name, folder) != folder:
                used[folder][home[name]][name] += 1
    return used


def main():
    failed = False
    for module in sorted(path for path in Path("Sources").iterdir() if path.is_dir()):
        used = references(module)
        try:
            TopologicalSorter(used).prepare()
        except CycleError as error:
            failed = True
            circle = error.args[1][::-1]
            print(f"{module}: folders refer to each other in a circle: {' → '.join(circle)}")
            if "-v" in sys.argv:
                for a, b in zip(circle, circle[1:]):
                    print(f"  {a} → {b}: " + ", ".join(f"{name} {count}" for name, count in sorted(used[a][b].items())))
    sys.exit(failed)


main()
