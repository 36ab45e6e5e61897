"""Ground truth by people: each annotator says what they see in a table, on their own, and two can be compared.

In: a document's tables and an annotator's name. Out: a log of corrections a document and annotator, apart from the
library's own, which is never changed by it; how far two annotators agree; labelled tables as `tabellion learn --export`
writes them. Agreement on roles is also given as Cohen's kappa: what is left of it once chance is taken away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import msgspec
import numpy as np

from tabellion.library.files import Folder, locked, whole_file
from tabellion.model.correction import Correction
from tabellion.model.table import Table
from tabellion.model.tree import HeaderTree
from tabellion.relate import label_cells
from tabellion.repair.replay import Replayed
from tabellion.repair.session import Keep, Overtaken

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
    return [msgspec.json.decode(path.read_bytes(), type=Annotation) for path in paths]


def annotation_of(folder: Folder, document_id: str, annotator: str) -> Annotation:
    path = _path(folder, document_id, annotator)
    return msgspec.json.decode(path.read_bytes(), type=Annotation) if path.exists() else Annotation(annotator)


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
    return folder.annotations / document_id / f"{quote(annotator, safe='')}.json"


def _write(path: Path, held: Annotation) -> None:
    with whole_file(path) as part:
        part.write_bytes(msgspec.json.encode(held))
