"""Pictures as PNG.

In: strips of pixels, one below the other. Out: the bytes of a picture. PNG is written by hand: rows of pixels in a zlib
stream are all that is needed, and no library for pictures has to be installed.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]  # rows, columns, red green blue


def encode_png(
    strips: Iterable[Pixels], width: int, height: int, behind: tuple[int, ...] = (255, 255, 255)
) -> Iterator[bytes]:
    """The bytes of a picture that is made of strips, each in the middle of its rows."""
    yield b"\x89PNG\r\n\x1a\n"
    yield _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    packer = zlib.compressobj(6)
    for strip in strips:
        rows = np.empty((strip.shape[0], 1 + 3 * width), dtype=np.uint8)
        rows[:, 0] = 0  # rows are stored as they are
        pixels = rows[:, 1:].reshape(strip.shape[0], width, 3)
        pixels[:] = behind
        left = max(0, width - strip.shape[1]) // 2
        pixels[:, left : left + strip.shape[1]] = strip[:, :width]
        packed = packer.compress(rows.tobytes())
        if packed:
            yield _chunk(b"IDAT", packed)
    yield _chunk(b"IDAT", packer.flush())
    yield _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
