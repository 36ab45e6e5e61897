"""Bytes of a file changed here and there, as worn disks and broken transfers do it."""

from __future__ import annotations

from hypothesis import strategies as st


def damaged(data: bytes) -> st.SearchStrategy[bytes]:
    """The bytes with one to four of them changed."""
    changes = st.tuples(st.integers(0, len(data) - 1), st.integers(0, 255))
    return st.lists(changes, min_size=1, max_size=4).map(lambda told: _changed(data, told))


def _changed(data: bytes, changes: list[tuple[int, int]]) -> bytes:
    changed = bytearray(data)
    for at, value in changes:
        changed[at] = value
    return bytes(changed)
