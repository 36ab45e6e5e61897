"""Ground truth by people: what annotators see in a table, and where the parts of a saved page begin.

Each annotator says what they see in a table, on their own, and two can be compared. In: a document's tables and an
annotator's name. Out: a log of corrections a document and annotator, apart from the library's own, which is never
changed by it; how far two annotators agree; labelled tables as `tabellion learn --export` writes them. Agreement on
roles is also given as Cohen's kappa: what is left of it once chance is taken away.

Where the parts of a saved page begin, as each annotator says: ground truth for `tabellion segment`. In: a web page of
the library and an annotator's name. Out: its leaves and the first leaf of each part, as they are found until the
annotator says otherwise; how far two annotators agree; lines as the corpus `segments` has them. Fails on an edition
with other leaves: what was said of the one before is not carried over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from tabellion.errors import LibraryError
from tabellion.library.files import Folder, decode_file, locked, name_file, summed_file
from tabellion.library.holdings import DocumentRecord
from tabellion.library.originals import load_original
from tabellion.library.records import list_documents
from tabellion.model.correction import Correction
from tabellion.model.frame import HeaderTree
from tabellion.model.table import Table
from tabellion.relate import label_cells
from tabellion.repair.replay import Replayed
from tabellion.repair.session import Keep, Overtaken

if TYPE_CHECKING:
    from tabellion.library.library import Library

_ENDING = ".parts"


class Parts(msgspec.Struct, frozen=True):
    """The parts of a page in one annotator's eyes; `starts` are the first leaves of all parts but the first."""

    leaves: list[str]
    starts: list[int]
    said: bool = False  # whether the annotator said so, or it was only found
    done: bool = False


class PartsAgreement(msgspec.Struct, frozen=True):
    """How far two annotators agree: of where either sees a part begin, how often both do; and Cohen's kappa."""

    leaves: int
    same: float | None
    kappa: float | None


class _Said(msgspec.Struct, frozen=True):
    annotator: str
    sha256: str
    starts: list[int]
    done: bool


def parts_of(library: Library, document: str, annotator: str) -> Parts:
    """A page with its parts as an annotator sees them."""
    from tabellion.isolated import read_in
    from tabellion.mine.hierarchy import segment_page
    from tabellion.read.limits import DEFAULT
    from tabellion.read.web.page_tree import load_page_tree

    record = _page(library, document)
    data = load_original(library.folder.originals, record.sha256)
    page = read_in(library.openers, load_page_tree, data, limits=DEFAULT, name=record.source)
    held = _read(_parts_path(library.folder, record.document_id, annotator))
    if held is None or held.sha256 != record.sha256:
        return Parts(list(page.texts), [one for one in segment_page(page).starts if one > 0])
    return Parts(list(page.texts), held.starts, said=True, done=held.done)


def say_parts(library: Library, document: str, annotator: str, starts: Sequence[int], *, done: bool) -> Parts:
    """Keep where an annotator sees parts begin."""
    record = _page(library, document)
    seen = parts_of(library, document, annotator)
    wrong = [one for one in starts if not 0 < one < len(seen.leaves)]
    if wrong:
        raise LibraryError(f"{wrong[0]}: no part can begin there; the page has {len(seen.leaves):,} leaves, from 0")
    path = _parts_path(library.folder, record.document_id, annotator)
    path.parent.mkdir(parents=True, exist_ok=True)
    held = _Said(annotator, record.sha256, sorted(set(starts)), done)
    with summed_file(path) as part:
        part.write_bytes(msgspec.json.encode(held))
    return Parts(seen.leaves, held.starts, said=True, done=done)


def agree_on_parts(one: Parts, other: Parts) -> PartsAgreement:
    """How far two annotators agree on a page."""
    mine, theirs = set(one.starts), set(other.starts)
    pairs = [(str(leaf in mine), str(leaf in theirs)) for leaf in range(1, len(one.leaves))]
    same = len(mine & theirs) / len(mine | theirs) if mine | theirs else None
    return PartsAgreement(len(one.leaves), same, cohen_kappa(pairs))


def finished_parts(library: Library, annotator: str) -> Iterator[dict[str, Any]]:
    """The pages that an annotator is done with, as the corpus `segments` has them."""
    with library.catalogue.reading() as connection:
        pages = [one for one in list_documents(connection) if one.medium == "html"]
    for record in pages:
        parts = parts_of(library, record.document_id, annotator)
        if parts.done:
            yield {
                "source": Path(record.source).name, "kind": None, "leaves": parts.leaves, "boundaries": parts.starts,
                "labelled": [],
            }  # fmt: skip


def _page(library: Library, document: str) -> DocumentRecord:
    record = library.find(document)
    if record.medium != "html":
        raise LibraryError(f"{record.source}: there is no such web page; it is a {record.medium}")
    return record


def _parts_path(folder: Folder, document_id: str, annotator: str) -> Path:
    return folder.annotations / document_id / name_file(annotator, _ENDING)


def _read(path: Path) -> _Said | None:
    return decode_file(path, _Said) if path.exists() else None


_WAIT = 10.0  # seconds for another writer of the same file
Pairs = set[tuple[tuple[int, int], tuple[int, int] | None]]


class Annotation(msgspec.Struct, frozen=True):
    """What one annotator said of one document; `finished` are the tables that they are done with."""

    annotator: str
    corrections: tuple[Correction, ...] = ()
    finished: tuple[str, ...] = ()


class Agreement(msgspec.Struct, frozen=True):
    """How far two annotators agree on one table; null where there is nothing to compare."""

    genuine: bool
    orientation: bool | None
    cells: int
    same_role: float | None
    kappa: float | None
    left: float | None
    top: float | None


def annotators(folder: Folder, document_id: str) -> list[Annotation]:
    """What everybody said of a document."""
    paths = sorted((folder.annotations / document_id).glob("*.json"))
    return [decode_file(path, Annotation) for path in paths]


def annotation_of(folder: Folder, document_id: str, annotator: str) -> Annotation:
    path = _path(folder, document_id, annotator)
    return decode_file(path, Annotation) if path.exists() else Annotation(annotator)


def keeper(folder: Folder, document_id: str, annotator: str, base: int) -> Keep:
    """Appends an annotator's corrections to their own log; `base` corrections of the library stand before it."""

    def keep(corrections: Sequence[Correction], replayed: Replayed) -> None:
        path = _path(folder, document_id, annotator)
        path.parent.mkdir(parents=True, exist_ok=True)
        with locked(path.with_suffix(".lock"), wait=_WAIT):
            held = annotation_of(folder, document_id, annotator)
            seen = len(replayed.standings) - len(corrections) - base
            if len(held.corrections) != seen:
                before = [one.correction for one in replayed.standings[:base]]
                raise Overtaken([*before, *held.corrections])
            _write(path, msgspec.structs.replace(held, corrections=(*held.corrections, *corrections)))

    return keep


def finish(folder: Folder, document_id: str, annotator: str, table_id: str, *, done: bool) -> Annotation:
    """Say that an annotator is done with a table, or not."""
    path = _path(folder, document_id, annotator)
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.with_suffix(".lock"), wait=_WAIT):
        held = annotation_of(folder, document_id, annotator)
        others = tuple(one for one in held.finished if one != table_id)
        held = msgspec.structs.replace(held, finished=(*others, table_id) if done else others)
        _write(path, held)
    return held


def agree(one: Table | None, other: Table | None) -> Agreement:
    """How far two readings of one table agree; None: it was said to be no table."""
    if one is None or other is None:
        return Agreement(one is other, None, 0, None, None, None, None)
    mine, theirs = _roles(one), _roles(other)
    cells = sorted(mine.keys() | theirs.keys())
    pairs = [(mine.get(cell, "none"), theirs.get(cell, "none")) for cell in cells]
    same = float(np.mean([a == b for a, b in pairs])) if pairs else None
    return Agreement(
        genuine=True,
        orientation=one.orientation == other.orientation,
        cells=len(cells),
        same_role=same,
        kappa=cohen_kappa(pairs),
        left=_alike(_parents(one, one.left), _parents(other, other.left)),
        top=_alike(_parents(one, one.top), _parents(other, other.top)),
    )


def cohen_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Cohen's kappa.

    >>> cohen_kappa([("a", "a"), ("b", "b"), ("a", "b"), ("b", "a")])
    0.0
    """
    if not pairs:
        return None
    count = len(pairs)
    seen = sum(a == b for a, b in pairs) / count
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(first[name] * second[name] for name in first) / count**2
    return 1.0 if chance == 1 else (seen - chance) / (1 - chance)


def _alike(mine: Pairs, theirs: Pairs) -> float | None:
    """The share of headers with their parents that both have, of all that either has."""
    return len(mine & theirs) / len(mine | theirs) if mine | theirs else None


def _roles(table: Table) -> dict[tuple[int, int], str]:
    roles, grid = label_cells(table.nested), table.grid
    return {
        (int(grid.row_of[row]), int(grid.column_of[column])): str(roles[row, column])
        for row, column in zip(*np.nonzero(roles), strict=True)
    }


def _parents(table: Table, tree: HeaderTree) -> Pairs:
    def source(cell: tuple[int, int]) -> tuple[int, int]:
        return int(table.grid.row_of[cell[0]]), int(table.grid.column_of[cell[1]])

    return {
        (source(node.cells[0]), None if node.parent is None else source(tree.nodes[node.parent].cells[0]))
        for node in tree.nodes
    }


def _path(folder: Folder, document_id: str, annotator: str) -> Path:
    return folder.annotations / document_id / name_file(annotator, ".json")


def _write(path: Path, held: Annotation) -> None:
    with summed_file(path) as part:
        part.write_bytes(msgspec.json.encode(held))
