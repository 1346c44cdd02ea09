#!/usr/bin/env python3
"""Checks that all files name the same version, or changes it in all of them.

Usage: Scripts/version.py                prints the version; fails if a file names another one
       Scripts/version.py 1.2.3          changes it, and begins a section of CHANGELOG.md if the last one is released
       Scripts/version.py --release      also fails unless the section of CHANGELOG.md has a date
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Each place is a pattern whose group is the version.
PLACES = {
    "Sources/CofferCommand/Terminal/Terminal.swift": r'static let text = "([^"]+)"',
    "CHANGELOG.md": r"\A.*?^## \[([^]]+)\]",
    "Dockerfile": r'coffer:([\d.]+)|image\.version="([^"]+)"',
    "action.yml": r"release to install\n    default: ([\d.]+)",
    "ci/gitlab.yml": r"COFFER_IMAGE: coffer:([\d.]+)",
    "docs/ci.md": r"(?:coffer[@:]|coffer-json==|ref: |rev: )v?(\d+\.\d+\.\d+)",
    "pyproject.toml": r'version = "([^"]+)"|coffer-json==([\d.]+)',
    "Python/pyproject.toml": r'^version = "([^"]+)"',
    "Spark/pyproject.toml": r'^version = "([^"]+)"|coffer-json>=([\d.]+)',
}


def versions(text, pattern):
    """Yields the versions in a text, and where they are."""
    for found in re.finditer(pattern, text, re.M | re.S):
        group = found.lastindex
        yield found[group], found.span(group)


def check(must_be_released):
    found = {}
    for name, pattern in PLACES.items():
        text = (ROOT / name).read_text()
        named = {version for version, _ in versions(text, pattern)}
        if not named:
            sys.exit(f"{name} names no version")
        for version in named:
            found.setdefault(version, []).append(name)
    if len(found) > 1:
        for version, names in sorted(found.items()):
            print(f"{version}: {', '.join(names)}", file=sys.stderr)
        sys.exit("these files disagree on the version")
    version, = found
    date, = re.search(r"^## \[[^]]+\] - (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.M).groups()
    if must_be_released and not re.fullmatch(r"\d{4}-\d\d-\d\d", date):
        sys.exit(f"CHANGELOG.md: version {version} has no date: '{date}'")
    print(version)


def change(version):
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        sys.exit(f"'{version}' is not a version such as 1.2.3")
    for name, pattern in PLACES.items():
        path = ROOT / name
        text = path.read_text()
        places = list(versions(text, pattern))
        if name == "CHANGELOG.md" and "Unreleased" not in text[places[0][1][1]:].split("\n", 1)[0]:
            start = text.index("\n## ") + 1
            text = f"{text[:start]}## [{version}] - Unreleased\n\n{text[start:]}"
            places = []
        for _, (start, end) in reversed(places):
            text = text[:start] + version + text[end:]
        path.write_text(text)
    check(False)


match sys.argv[1:]:
    case []:
        check(False)
    case ["--release"]:
        check(True)
    case [version] if not version.startswith("-"):
        change(version)
    case _:
        sys.exit(__doc__)
