"""A web page as a tree of elements over its text leaves, for methods that look at a whole page.

Columnar: elements are numbered in document order (a parent before its children), leaves are the non-empty text nodes
in document order. Nothing here holds on to the parser's tree.
"""

from __future__ import annotations

from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

NO_ELEMENT = -1


class TableValue(msgspec.Struct, frozen=True):
    """A value of a data table: row, leaves, and the first leaf of each label over and beside it, outermost first."""

    row: int
    first: int
    last: int
    top: tuple[int, ...] = ()
    left: tuple[int, ...] = ()


class DataTable(msgspec.Struct, frozen=True):
    """A table of data as it was understood: its element, the leaves of it, and its values in reading order."""

    element: int
    first: int
    last: int
    values: tuple[TableValue, ...]


class PageTree(msgspec.Struct, frozen=True, eq=False, dict=True):
    """The elements and leaves of one page.

    `first` and `last` (not included) are the leaves below an element; `position` is its place among its parent's
    elements, from 1. `attributes` holds what an element says of itself (id, class, href, role, datetime, markup of
    schema.org), empty for most. A leaf's `holder` is the element around it and `link` the nearest `<a href>` around it,
    or NO_ELEMENT; `spaced` says whether a blank stands before it. `bold`, `size` (points) and `hidden` are the look of
    the leaf as far as the page itself tells.
    `picture` is the address of the picture that the page gives for itself (og:image and the like).
    `data` are the texts of the page's JSON-LD scripts, `tables` its data tables where they were looked for.
    """

    tags: list[str]
    parents: NDArray[np.int32]
    position: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    attributes: list[dict[str, str]]
    texts: list[str]
    holder: NDArray[np.int32]
    link: NDArray[np.int32]
    spaced: NDArray[np.bool_]
    bold: NDArray[np.bool_]
    size: NDArray[np.float32]
    hidden: NDArray[np.bool_]
    title: str | None = None
    language: str | None = None
    address: str | None = None
    base: str | None = None
    picture: str | None = None
    data: tuple[str, ...] = ()
    tables: tuple[DataTable, ...] = ()

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def children(self) -> list[list[int]]:
        """The child elements of each element."""
        found: list[list[int]] = [[] for _ in self.tags]
        for number, parent in enumerate(self.parents.tolist()):
            if parent >= 0:
                found[parent].append(number)
        return found

    @cached_property
    def depths(self) -> NDArray[np.int32]:
        """How deep each element lies; the root is 0."""
        depths = np.zeros(len(self.tags), dtype=np.int32)
        for number, parent in enumerate(self.parents.tolist()):
            if parent >= 0:
                depths[number] = depths[parent] + 1
        return depths

    @cached_property
    def path_numbers(self) -> list[int]:
        """For each element a number that elements with the same tags from the root on share."""
        known: dict[tuple[int, str], int] = {}
        numbers: list[int] = []
        for parent, tag in zip(self.parents.tolist(), self.tags, strict=True):
            above = numbers[parent] if parent >= 0 else -1
            numbers.append(known.setdefault((above, tag), len(known)))
        return numbers

    @cached_property
    def ends(self) -> list[int]:
        """For each element the number after the last element inside it."""
        ends = list(range(1, len(self.tags) + 1))
        parents = self.parents.tolist()
        for number in range(len(ends) - 1, 0, -1):
            ends[parents[number]] = max(ends[parents[number]], ends[number])
        return ends

    def ancestors(self, element: int) -> list[int]:
        """The element itself and those around it, the innermost first."""
        found: list[int] = []
        while element >= 0:
            found.append(element)
            element = int(self.parents[element])
        return found

    def css_path(self, element: int) -> str:
        """The CSS path of an element, from the nearest id or the root on."""
        steps: list[str] = []
        for each in self.ancestors(element):
            name = self.attributes[each].get("id", "")
            if name and name.replace("-", "").replace("_", "").isalnum() and not name[0].isdigit():
                steps.append(f"#{name}")
                break
            steps.append(f"{self.tags[each]}:nth-child({self.position[each]})" if each else self.tags[each])
        return " > ".join(reversed(steps))

    def join(self, first: int, last: int) -> str:
        """The texts of leaves, with blanks where the page has them."""
        parts = [
            self.texts[first],
            *(f" {self.texts[n]}" if self.spaced[n] else self.texts[n] for n in range(first + 1, last)),
        ]
        return "".join(parts)

    def text_of(self, element: int) -> str:
        """All text below an element."""
        first, last = int(self.first[element]), int(self.last[element])
        return self.join(first, last) if last > first else ""
