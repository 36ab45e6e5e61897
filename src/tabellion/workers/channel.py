"""What a worker and its parent say to each other: a letter for what it is, a length, and so many bytes.

In: one end of a pair of sockets. Out: messages, whole or not at all. Both ends are ours; what is pickled is never seen
by anybody else.
"""

from __future__ import annotations

import socket
import struct
from typing import Final

TASK: Final = b"T"  # parent to worker: what to do
READY: Final = b"Y"  # worker to parent: it runs
PIECE: Final = b"P"  # worker to parent: a part of what it makes
PAGE: Final = b"W"  # how far it is
RESULT: Final = b"R"
ERROR: Final = b"E"
NO_MEMORY: Final = b"M"
_HEAD = struct.Struct("!cQ")
_TOGETHER = 1 << 20  # bytes read at once


def send(channel: socket.socket, kind: bytes, body: bytes) -> None:
    """Send one message; waits until the other end has taken it."""
    channel.sendall(_HEAD.pack(kind, len(body)))
    if body:
        channel.sendall(body)


class Inbox:
    """The messages that come in at one end."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        self._held = bytearray()

    def take(self) -> tuple[bytes, bytes] | None:
        """The next message; None where the other end is gone. `TimeoutError` leaves what came so far as it is."""
        while (message := self._whole()) is None:
            try:
                came = self.channel.recv(_TOGETHER)
            except TimeoutError:
                raise
            except OSError:
                came = b""
            if not came:
                return None
            self._held += came
        return message

    def _whole(self) -> tuple[bytes, bytes] | None:
        if len(self._held) < _HEAD.size:
            return None
        kind, length = _HEAD.unpack_from(self._held)
        end = _HEAD.size + length
        if len(self._held) < end:
            return None
        body = bytes(memoryview(self._held)[_HEAD.size : end])
        del self._held[:end]
        return kind, body
