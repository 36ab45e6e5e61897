"""The instances of one template: pages that tell of one thing each, as attributes.

In: the pages of one template. Out: one instance a page. The template is learned from some of the pages, then each page
is read on its own, so that a site of any size is held a page at a time. Fails where pages of several templates are
mixed: labels are then shared by too few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from tabellion.mine.attributes import Attribute, read_attributes
from tabellion.mine.hierarchy import SegmentMethod
from tabellion.mine.papers.ontominer_alignment import read_by_alignment
from tabellion.mine.records import read_records
from tabellion.mine.template import learn_template
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
    template = learn_template(page for source in spread(sources, SAMPLE) if (page := load(source)) is not None)
    for source in sources:
        page = load(source)
        attributes: Iterable[Attribute] = read_attributes(page, template) if page is not None else ()
        yield Instance(source, tuple(attributes))


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
