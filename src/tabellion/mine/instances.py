"""The instances of one template, and the file that they wait in.

The instances of one template: pages that tell of one thing each, as attributes. In: the pages of one template. Out: one
instance per page. The template is learned from some of the pages, then each page is read on its own, so that a site of
any size is held one page at a time. Fails where pages of several templates are mixed: labels are then shared by too
few.

Instances as they are mined, in a file that goes away with them: a site of any size takes little memory. In: instances,
one at a time. Out: a sequence that reads them back.
"""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import overload

import msgspec

from tabellion.mine.attributes import Attribute, read_facts
from tabellion.mine.facts import learn_facts
from tabellion.mine.hierarchy import SegmentMethod
from tabellion.mine.papers.ontominer_alignment import read_by_alignment
from tabellion.mine.records import read_records
from tabellion.model.page_tree import PageTree

SAMPLE = 100  # pages that a template is learned from; more change nothing


class Instance(msgspec.Struct, frozen=True):
    """One thing that a page tells of."""

    source: str
    attributes: tuple[Attribute, ...]


def mine_instances(
    sources: Sequence[str], load: Callable[[str], PageTree | None], method: SegmentMethod = "blocks"
) -> Iterator[Instance]:
    """One instance a page; `load` gives the page of a source, or None where it cannot be read."""
    if method == "ontominer":
        yield from _align_neighbours(sources, load)
        return
    seen = {source: page for source in spread(sources, SAMPLE) if (page := load(source)) is not None}
    learned, views = learn_facts(seen.values())
    known = dict(zip(seen, views, strict=True))
    for source in sources:
        view = known.pop(source, None)
        if view is None and source not in seen and (page := load(source)) is not None:
            view = learned.view(page)
        yield Instance(source, tuple(read_facts(view, learned)) if view is not None else ())


def list_records(sources: Sequence[str], load: Callable[[str], PageTree | None]) -> Iterator[Instance]:
    """One instance for each record that a page lists; one without attributes for a page that cannot be read."""
    for source in sources:
        page = load(source)
        if page is None:
            yield Instance(source, ())
        else:
            yield from (Instance(source, record) for found in read_records(page) for record in found.records)


def _align_neighbours(sources: Sequence[str], load: Callable[[str], PageTree | None]) -> Iterator[Instance]:
    """The paper's way: each page is aligned with the next one, the last with the first."""
    for source, neighbour in zip(sources, [*sources[1:], *sources[:1]], strict=True):
        page, other = load(source), load(neighbour)
        told = read_by_alignment(page, other) if page is not None and other is not None and page is not other else []
        yield Instance(source, tuple(told))


def spread(sources: Sequence[str], number: int) -> list[str]:
    """Some of the sources, evenly from first to last.

    >>> spread(["a", "b", "c", "d"], 2)
    ['a', 'c']
    """
    if len(sources) <= number:
        return list(sources)
    return [sources[index * len(sources) // number] for index in range(number)]


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
