"""Plans of coffer split, as far as the drivers read them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypedDict, cast

if TYPE_CHECKING:
    from pathlib import Path


class Mark(TypedDict):
    """A place."""

    offset: int
    index: int


class Gap(TypedDict):
    """An array that was cut into parts."""

    pointer: str
    start: Mark
    end: Mark


class Piece(TypedDict):
    """A piece of the document outside these arrays."""

    bytes: str
    """In Base64."""


class File(TypedDict):
    """A document."""

    name: str
    syntax: str
    bytes: int
    gaps: list[Gap]
    pieces: list[Piece]


class Part(TypedDict):
    """Consecutive records of one array, or a whole file."""

    file: int
    gap: int | None
    start: Mark
    end: Mark


class Task(TypedDict):
    """The parts of a task."""

    parts: list[Part]


class Plan(TypedDict):
    """A plan."""

    files: list[File]
    tasks: list[Task]


def read_plan(path: Path) -> Plan:
    """Read a plan."""
    return cast("Plan", json.loads(path.read_bytes()))
