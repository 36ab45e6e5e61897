"""Instances as they are mined, in a file that goes away with them: a site of any size takes little memory.

In: instances, one at a time. Out: a sequence that reads them back.
"""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterator, Sequence
from typing import overload

import msgspec

from tabellion.mine.instances import Instance

_IN_MEMORY = 8 * 2**20  # bytes that are kept without a file


class ConceptInstance(msgspec.Struct, frozen=True):
    """A thing that a page tells of, and the concept it belongs to."""

    id: str
    concept: str | None
    instance: Instance


class Spool(Sequence[ConceptInstance]):
    """Instances in the order in which they were added."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - it lives as long as the spool
        self._starts = array("Q", [0])
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(ConceptInstance).decode

    def append(self, instance: ConceptInstance) -> None:
        """Keep one more."""
        packed = self._encode(instance)
        self._file.seek(self._starts[-1])
        self._file.write(packed)
        self._starts.append(self._starts[-1] + len(packed))

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, index: int) -> ConceptInstance: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ConceptInstance]: ...
    def __getitem__(self, index: int | slice) -> ConceptInstance | Sequence[ConceptInstance]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        self._file.seek(self._starts[number])
        return self._decode(self._file.read(self._starts[number + 1] - self._starts[number]))

    def __iter__(self) -> Iterator[ConceptInstance]:
        return (self[number] for number in range(len(self)))
