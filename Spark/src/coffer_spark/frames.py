"""Frames of keys and references: see "Rows of keys" in docs/scale-out.md.

Only their headers are read here. `coffer report keys` reads the rest.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADER = struct.Struct("<8s32s6I")
_MAGIC = b"CofKeys1"


@dataclass(frozen=True)
class Header:
    """The header of a frame."""

    task: int
    """The task's number; the number of tasks for the merging process."""
    bucket: int
    bucket_count: int
    number: int
    """The number of the frame in its task and bucket."""
    length: int
    """The length of the payload."""
    checksum: int
    """The payload's CRC-32."""
    plan: bytes
    """The plan's SHA-256 digest."""


def frames(file: IO[bytes]) -> Iterator[tuple[Header, bytes]]:
    """Read frames, each with its header.

    :raises ValueError: if the bytes aren't frames.
    """
    while head := file.read(_HEADER.size):
        if len(head) < _HEADER.size or not head.startswith(_MAGIC):
            message = "these are no frames of keys"
            raise ValueError(message)
        _, plan, task, bucket, count, number, length, checksum = _HEADER.unpack(head)
        payload = file.read(length)
        if len(payload) < length:
            message = "a frame of keys ends early"
            raise ValueError(message)
        yield Header(task, bucket, count, number, length, checksum, plan), head + payload
