"""What of candidate pairs is compared when one was given: the same numbers for the same look all over a sheet.

In: the labels of a strand, or header cells, with their candidate pairs. Out: `Traits`.
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

from tabellion.model.grid import Grid
from tabellion.nest.attributes import Attributes, Indices
from tabellion.nest.candidates import ROOT, Pairs
from tabellion.nest.follow import Given, Traits
from tabellion.nest.spread import HeaderCells
from tabellion.nest.stub import Strand

Whole = NDArray[np.int64]

# what a difference in each trait costs; set by hand, the looks first, then the places, then the words
LEFT_COST = {
    "child look": 2.0,
    "parent look": 2.0,
    "parent cell": 0.0,
    "indent": 1.0,
    "below": 3.0,
    "nearest": 0.7,
    "next": 0.2,
    "total": 1.0,
    "gap": 0.2,
    "child words": 0.15,
    "parent words": 0.15,
}
TOP_COST = {
    "child look": 2.0,
    "parent look": 2.0,
    "parent cell": 0.0,
    "starts": 0.7,
    "covers": 1.0,
    "left": 0.7,
    "child words": 0.15,
    "parent words": 0.15,
}
_OF_PARENT = ("parent look", "nearest", "next", "parent words", "starts", "left")


def left_traits(attributes: Attributes, looks: Indices, strand: Strand, pairs: Pairs, given: Given) -> Traits:
    """The traits of a strand's pairs."""
    up, down = pairs
    cells = strand.row * 100_000 + strand.column
    indent = np.round(2 * attributes.indent).astype(np.int64)
    total = attributes.said("starts_total").astype(np.int64)
    words = _spoken(attributes)
    above = (up < down) & (up != ROOT)
    columns = {
        "child look": looks[down],
        "parent look": _of_parent(looks, up, 0),
        "parent cell": _of_parent(cells, up, -1),
        "indent": np.where(up == ROOT, 99, indent[down] - _of_parent(indent, up, 0)),
        "below": up > down,
        "nearest": above & (_last_of_look(attributes.look, pairs) == up),
        "next": up == down - 1,
        "total": 2 * total[down] + _of_parent(total, up, 0),
        "gap": attributes.gap[down] > 0,
        "child words": words[down],
        "parent words": _of_parent(words, up, 0),
    }
    return _traits(columns, LEFT_COST, _sources(looks, cells, given)[down])


def top_traits(grid: Grid, cells: HeaderCells, pairs: Pairs, given: Given) -> Traits:
    """The traits of a header's pairs."""
    up, down = pairs
    looks = top_looks(cells)
    words = np.array([zlib.crc32(str(text).encode()) for text in grid.label[cells.row, cells.column]], dtype=np.int64)
    first, last, places = cells.column, cells.last_column, cells.row * 100_000 + cells.column
    parent_first, parent_last = _of_parent(first, up, 0), _of_parent(last, up, 1 << 30)
    columns = {
        "child look": looks[down],
        "parent look": _of_parent(looks, up, 0),
        "parent cell": _of_parent(places, up, -1),
        "starts": (parent_first == first[down]) & (up != ROOT),
        "covers": (parent_first <= first[down]) & (first[down] <= parent_last),
        "left": np.sign(parent_first - first[down]) * (up != ROOT),
        "child words": words[down],
        "parent words": _of_parent(words, up, 0),
    }
    return _traits(columns, TOP_COST, _sources(looks, places, given)[down])


def left_looks(attributes: Attributes) -> Indices:
    """A number for the look of each label, the same in all strands of a sheet; never 0."""
    properties = (
        attributes.indent,
        attributes.raised,
        attributes.bold,
        attributes.italic,
        attributes.underline,
        attributes.centred,
        attributes.size,
        attributes.group,
        attributes.said("capitals").astype(bool) & (attributes.bold | attributes.group),
    )
    return _numbers(np.column_stack([np.asarray(one, dtype=np.float64) for one in properties]))


def top_looks(cells: HeaderCells) -> Indices:
    """The same for header cells: how deep in the head they stand, and how far they are merged."""
    return _numbers(np.column_stack([cells.level, cells.last_level - cells.level, cells.last_column > cells.column]))


def _numbers(table: NDArray[np.generic]) -> Indices:
    return np.array([zlib.crc32(row.tobytes()) + 1 for row in np.ascontiguousarray(table)], dtype=np.intp)


def _spoken(attributes: Attributes) -> Whole:
    said = [zlib.crc32(repr((w.first_word, w.last_word, w.stems, w.words)).encode()) for w in attributes.wordings]
    return np.array(said, dtype=np.int64)[attributes.wording]


def _of_parent(values: NDArray[np.integer], up: Indices, root: int) -> Whole:
    return np.asarray(np.append(values.astype(np.int64), root)[up])


def _sources(looks: Indices, cells: Indices, given: Given) -> Whole:
    """For each label the cell with a given parent that it goes by: the last of its look up to it, else the first."""
    found = np.full(len(looks), -1, dtype=np.int64)
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for label, look in enumerate(looks.tolist()):
        if label in given:
            last[look] = int(cells[label])
            first.setdefault(look, int(cells[label]))
        found[label] = last.get(look, -1)
    for label, look in enumerate(looks.tolist()):
        if found[label] < 0:
            found[label] = first.get(look, -1)
    return found


def _traits(columns: dict[str, NDArray[np.generic]], cost: dict[str, float], source: Whole) -> Traits:
    table = np.column_stack([np.asarray(columns[name]).astype(np.int64) for name in cost])
    of_parent = tuple(number for number, name in enumerate(cost) if name in _OF_PARENT)
    return Traits(table, np.array(list(cost.values())), of_parent, source)


def _last_of_look(look: Indices, pairs: Pairs) -> Indices:
    """For each pair the last label above the child that looks like the parent."""
    count = len(look)
    keys = np.sort(look * (count + 1) + np.arange(count))
    wanted = np.append(look, 0)[pairs[0]]
    place = np.searchsorted(keys, wanted * (count + 1) + pairs[1]) - 1
    found = keys[np.maximum(place, 0)]
    alike = (place >= 0) & (found // (count + 1) == wanted)
    return np.asarray(np.where(alike, found % (count + 1), ROOT))
