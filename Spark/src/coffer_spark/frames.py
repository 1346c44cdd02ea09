"""Frames of keys: see "The rows of keys" in docs/scale-out.md.

Only headers are read here. `coffer report keys` decodes the payloads.
"""

from __future__ import annotations

import struct
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# The magic bytes, the plan's digest, the task, the bucket, the number of buckets, the frame's number, the payload's length and CRC-32.
_HEADER = struct.Struct("<8s32s6I")
_MAGIC = b"CofKeys1"


def frames(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Read frames, each with the number of its bucket.

    :raises ValueError: if the bytes aren't frames.
    """
    while header := file.read(_HEADER.size):
        if len(header) < _HEADER.size or not header.startswith(_MAGIC):
            message = "not a frame of keys"
            raise ValueError(message)
        _, _, _, bucket, _, _, length, _ = _HEADER.unpack(header)
        payload = file.read(length)
        if len(payload) < length:
            message = "a frame of keys ends early"
            raise ValueError(message)
        yield bucket, header + payload
