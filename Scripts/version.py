#!/usr/bin/env python3
"""Checks that all files name the same version, or changes it in all of them.

Usage: Scripts/version.py                prints the version; fails if a file names another one
       Scripts/version.py 1.2.3          changes it, and begins a section of CHANGELOG.md if the last one is released
       Scripts/version.py --release      also fails unless the section of CHANGELOG.md has a date
"""
import collections
import datetime
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# A number has ASCII digits, and no zeros before them, as Python's and npm's versions.
NUMBER = r"(?:0|[1-9][0-9]*)"
VERSION = rf"{NUMBER}\.{NUMBER}\.{NUMBER}"
# What comes before a version in each file; $ is its place.
PLACES = {
    "Sources/CofferCommand/Terminal/Terminal.swift": ['static let text = "$"'],
    "CHANGELOG.md": ["\n## [$] - "],
    "Dockerfile": ["coffer:$", 'image.version="$"'],
    "action.yml": ["release to install\n    default: $"],
    "ci/gitlab.yml": ["COFFER_IMAGE: coffer:$"],
    "docs/ci.md": ["coffer@v$", "coffer:$", "ref: v$", "rev: v$", "until $"],
    "docs/install.md": ["coffer-$-", "coffer_$-", "coffer:$", "until $", "download/v$/"],
    "pyproject.toml": ['\nversion = "$"', "coffer-json==$"],
    "Python/pyproject.toml": ['\nversion = "$"'],
    "Spark/pyproject.toml": ['\nversion = "$"', "coffer-json>=$"],
}


def places(name, text):
    """Returns the versions in a file, and where they are; of the changelog, the first one."""
    found = []
    for place in PLACES[name]:
        before, after = (re.sub(r"\\?\s", r"\\s", re.escape(part)) for part in place.split("$"))
        # What follows a version in the same word is a part of it: 1.2.3rc1 is none.
        matches = list(re.finditer(rf"{before}([0-9][\w.]*){after}", text))
        if not matches:
            sys.exit(f"{name}: no version after '{place.split('$')[0].strip()}'")
        found += [(match[1], match.span(1)) for match in matches]
    return found[:1] if name == "CHANGELOG.md" else found


def check(must_be_released):
    """Prints the version that all files name, or fails."""
    named = collections.defaultdict(list)
    for name in PLACES:
        for version in {version for version, _ in places(name, (ROOT / name).read_text())}:
            named[version].append(name)
    if len(named) > 1:
        for version, names in sorted(named.items()):
            print(f"{version}: {', '.join(names)}", file=sys.stderr)
        sys.exit("these files disagree on the version")
    version, = named
    if not re.fullmatch(VERSION, version):
        sys.exit(f"'{version}' is not a version such as 1.2.3")
    if must_be_released:
        date = re.search(r"\n## \[.*?\] - (.*)", (ROOT / "CHANGELOG.md").read_text())[1]
        try:
            datetime.date.fromisoformat(date)
        except ValueError:
            sys.exit(f"CHANGELOG.md: version {version} has no date: '{date}'")
    print(version)


def begin_section(version):
    """Begins a section of the changelog, if the version of the first one is released."""
    path = ROOT / "CHANGELOG.md"
    text = path.read_text()
    released = re.search(r"\n## \[(.*?)\] - (?!Unreleased)", text)
    if released and released.start() == text.index("\n## "):
        if released[1] == version:
            sys.exit(f"version {version} is released: CHANGELOG.md has its date")
        start = released.start() + 1
        path.write_text(f"{text[:start]}## [{version}] - Unreleased\n\n{text[start:]}")


def change(version):
    """Changes the version in all files."""
    if not re.fullmatch(VERSION, version):
        sys.exit(f"'{version}' is not a version such as 1.2.3")
    begin_section(version)
    for name in PLACES:
        text = (ROOT / name).read_text()
        for _, (start, end) in sorted(places(name, text), key=lambda place: place[1], reverse=True):
            text = text[:start] + version + text[end:]
        (ROOT / name).write_text(text)
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
