"""What pages tell of, as records with attributes: one thing per page, or lists of them on one page.

Instances of a template. In: pages that tell of one thing each. Out: one instance per page. The template is learned from
some of the pages, then each page is read on its own, so that a site of any size is held one page at a time; instances
wait in a file that goes away with them. Fails where pages of several templates are mixed: labels are then shared by too
few.

Lists of records on one page: results, offers, teasers, rows of a data table. In: a page tree. Out: its lists. A list is
a box whose parts look alike, or a run in which one kind of part comes back and begins each record; rows of data tables
are records too, labelled by their headers. Within a list a field is a kind of place below the record, so that a field
which a record has not is missing there and the others stay where they are. A text that all records share at one place
is the label of what follows it. Fails where records are not set apart in the markup; records of a single text are menus
and lists of words, and are left out.
"""

from __future__ import annotations

import re
import tempfile
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import overload

import msgspec

from tabellion.mine.attributes import Attribute, read_facts
from tabellion.mine.blocks import Block, Blocks
from tabellion.mine.facts import learn_facts
from tabellion.mine.hierarchy import SegmentMethod
from tabellion.mine.outline import tells_of_many
from tabellion.mine.papers.ontominer_alignment import read_by_alignment
from tabellion.model.markup import DataTable, PageTree

_WORD = re.compile(r"\w")
_LETTER = re.compile(r"[^\W\d_]")


class RecordSettings(msgspec.Struct, frozen=True):
    """What makes a list of records."""

    records: int = 3  # at least
    fields: float = 2.0  # texts of a record on average, at least
    largest: float = 40.0  # texts of a record on average, at most; larger parts are parts of the page
    distinct: float = 0.5  # different fields among the texts of a record; fewer: a list of alike words under a heading
    share: float = 0.7  # of a box's texts that must be in its records
    label: float = 0.9  # share of the records with a field in which a text must come back to be a label
    label_words: int = 5


class RecordList(msgspec.Struct, frozen=True):
    """A list of records on a page: the CSS path of the box around it, and its records."""

    path: str
    records: tuple[tuple[Attribute, ...], ...]


def read_records(page: PageTree, settings: RecordSettings = RecordSettings()) -> list[RecordList]:
    """The lists of records of a page, in page order."""
    if not len(page):
        return []
    blocks = Blocks(page)
    tables = {(table.first, table.last): table for table in page.tables if tells_of_many(table)}
    found: list[RecordList] = []
    waiting = [blocks.root]
    while waiting:
        block = waiting.pop()
        table = tables.get((block.first, block.last))
        if table is not None:
            found.append(RecordList(page.css_path(table.element), tuple(_rows(page, table))))
            continue
        spans = _cut_alike(blocks, block, settings) or _cut_refrain(blocks, block, settings)
        if spans:
            path = page.css_path(block.element)
            found.append(RecordList(path, tuple(_read_fields(page, block.element, spans, settings))))
        else:
            waiting.extend(reversed(block.parts))
    return found


def _cut_alike(blocks: Blocks, block: Block, settings: RecordSettings) -> list[tuple[int, int]]:
    """The records of a box whose parts look alike; empty where it has none."""
    kinds: list[list[Block]] = []
    for part in block.parts:
        kind = next((kind for kind in kinds if blocks.alike(kind[0], part)), None)
        if kind is None:
            kinds.append([part])
        else:
            kind.append(part)
    if not kinds:
        return []
    things = max(kinds, key=lambda kind: sum(part.size for part in kind))
    spans = [(part.first, part.last) for part in things]
    return spans if _are_records(blocks.page, block, spans, settings) else []


def _cut_refrain(blocks: Blocks, block: Block, settings: RecordSettings) -> list[tuple[int, int]]:
    """The records of a box in which the kind of its first part comes back and begins each: title, text, title, text."""
    page = blocks.page
    kinds = [(page.tags[part.outer], page.attributes[part.outer].get("class")) for part in block.parts]
    starts = [part.first for part, kind in zip(block.parts, kinds, strict=True) if kind == kinds[0]]
    if len(starts) < settings.records or len(starts) == len(kinds) or kinds[0][0] in ("dt", "tr", "th"):
        return []
    spans = list(zip(starts, [*starts[1:], block.last], strict=True))
    return spans if _are_records(page, block, spans, settings) else []


def _are_records(page: PageTree, block: Block, spans: list[tuple[int, int]], settings: RecordSettings) -> bool:
    texts = sum(last - first for first, last in spans)
    if len(spans) < settings.records or texts < settings.share * block.size:
        return False
    if not settings.fields <= texts / len(spans) <= settings.largest:
        return False
    if 2 * sum(page.texts[first].endswith(":") for first, _ in spans) > len(spans):
        return False  # labels with their values: facts of one thing
    places = page.path_numbers
    fields = sum(len({places[int(page.holder[leaf])] for leaf in range(first, last)}) for first, last in spans)
    return fields >= max(settings.distinct * texts, settings.fields * len(spans))


def _read_fields(
    page: PageTree, around: int, spans: Sequence[tuple[int, int]], settings: RecordSettings
) -> Iterator[tuple[Attribute, ...]]:
    """Each record's values by field, with the labels that the records share."""
    names = _field_names(page, around)
    fields = [[names[int(page.holder[leaf])] for leaf in range(first, last)] for first, last in spans]
    held = Counter(field for record in fields for field in set(record))
    told = Counter(
        pair
        for (first, last), record in zip(spans, fields, strict=True)
        for pair in set(zip(record, page.texts[first:last], strict=True))
    )

    def is_label(field: str, text: str) -> bool:
        often = told[field, text] >= max(settings.records, settings.label * held[field])
        return often and len(text.split()) <= settings.label_words and _LETTER.search(text) is not None

    for (first, last), record in zip(spans, fields, strict=True):
        label: tuple[str, ...] = ()
        made: list[Attribute] = []
        for leaf, field in zip(range(first, last), record, strict=True):
            text = page.texts[leaf]
            if is_label(field, text) and leaf + 1 < last:
                label = (text,)
            elif _WORD.search(text):
                made.append(Attribute(label, text, page.css_path(int(page.holder[leaf])), field))
                label = ()
        yield tuple(made)


def _field_names(page: PageTree, around: int) -> dict[int, str]:
    """For each element below a box the tags and classes from the record down to it."""
    names: dict[int, str] = {around: ""}
    for element in range(around + 1, page.ends[around]):
        name = page.attributes[element].get("class", "").split(" ")[0]
        own = page.tags[element] + (f".{name}" if name and not any(map(str.isdigit, name)) else "")
        above = int(page.parents[element])
        names[element] = own if above == around else f"{names[above]}/{own}"
    return names


def _rows(page: PageTree, table: DataTable) -> Iterator[tuple[Attribute, ...]]:
    """The rows of a data table: what names a row, then its values under their headers."""
    rows: dict[int, list[Attribute]] = {}
    for value in table.values:
        row = rows.setdefault(value.row, [])
        if not row:
            row += [
                Attribute((), page.texts[leaf], page.css_path(int(page.holder[leaf])), "row") for leaf in value.left
            ]
        label = tuple(page.texts[leaf] for leaf in value.top)
        path = page.css_path(int(page.holder[value.first]))
        row.append(Attribute(label, page.join(value.first, value.last), path, " / ".join(label)))
    yield from map(tuple, rows.values())


SAMPLE = 100  # pages that a template is learned from; more change nothing


class Instance(msgspec.Struct, frozen=True):
    """One thing that a page tells of."""

    source: str
    attributes: tuple[Attribute, ...]


def mine_instances(
    sources: Sequence[str], load: Callable[[str], PageTree | None], method: SegmentMethod = "blocks"
) -> Iterator[Instance]:
    """One instance per page; `load` gives the page of a source, or None where it cannot be read."""
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
