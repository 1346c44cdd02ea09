"""The parts of a plan of coffer split that this package reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NotRequired, TypedDict, cast

from coffer_spark.storage import Range

if TYPE_CHECKING:
    from pathlib import Path


class Mark(TypedDict):
    """A place."""

    offset: int


class Gap(TypedDict):
    """An array that was cut into parts."""

    pointer: str
    end: Mark
    isClosed: bool


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
    gap: NotRequired[int]
    start: Mark
    end: Mark


class Task(TypedDict):
    """The parts of a task."""

    parts: list[Part]


class Plan(TypedDict):
    """A plan."""

    files: list[File]
    tasks: list[Task]


def task_ranges(plan: Plan) -> list[list[Range]]:
    """Return the ranges of bytes that each task reads on its standard input."""
    return [[_range(part, plan["files"][part["file"]]) for part in task["parts"]] for task in plan["tasks"]]


def _range(part: Part, file: File) -> Range:
    start, end = part["start"]["offset"], part["end"]["offset"]
    if (number := part.get("gap")) is not None:
        gap = file["gaps"][number]
        # The last part of an array has its closing bracket.
        end += int(file["syntax"] == "json" and gap["isClosed"] and end == gap["end"]["offset"])
    return Range(file["name"], start, end)


def read_plan(path: Path) -> Plan:
    """Read a plan."""
    return cast("Plan", json.loads(path.read_bytes()))
