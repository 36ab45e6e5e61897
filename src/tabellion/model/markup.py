"""What reading a web page gives: the places where a table may be, the page as a tree, and the page as it is drawn.

Columnar like a sheet: the cells of all candidates of a page are parallel arrays, so that a page of a thousand layout
tables is judged in one go. Nothing here holds on to the parser's tree.

The tree is for methods that look at a whole page: elements are numbered in document order (a parent before its
children), leaves are the non-empty text nodes in document order.

A drawn page has the visual box model of Gatterbauer and others 2007 (VENTex, section 4): every element that is drawn
has a box and the attributes of rule 1 (name, colour, background colour, font size, style, weight and family,
alignment); every word has a box, the attributes of its element, and whether it is a link (rule 2). Boxes are in CSS
pixels from the top left of the page.
"""

from __future__ import annotations

from enum import IntFlag
from functools import cached_property
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.stated import StatedTable
from tabellion.model.style import Style

Boxes = NDArray[np.float32]  # (n, 4): left, top, right, bottom


class Trait(IntFlag):
    """What else is known of an element."""

    NONE = 0
    INLINE = 1  # flows within a line of text
    BLOCKED = 2  # an atomic inline: inline-block, inline-flex, a picture
    LINK = 4  # a link, or within one
    IMAGE = 8
    FORM = 16  # a field or a button
    HEADING = 32  # <th>, or a role that says so
    PLACED = 64  # positioned absolutely, floating, or an item of a flex or grid container
    KEPT = 128  # white space is kept as written


class Nodes(msgspec.Struct, frozen=True, eq=False):
    """The elements that are drawn, in document order; a parent stands before its children."""

    name: NDArray[np.object_]  # in capitals: TD, DIV
    parent: NDArray[np.int32]  # -1 for the root
    last: NDArray[np.int32]  # the last node inside, itself where there is none
    box: Boxes
    style: NDArray[np.int32]
    traits: NDArray[np.uint8]
    family: NDArray[np.object_]
    table_index: NDArray[np.int32]  # for a <table>: its position among all; else -1
    step: NDArray[np.object_]  # the CSS path from the parent
    identifier: NDArray[np.object_]  # what the page calls it: `data-element`, else `id`; empty where it has neither

    def __len__(self) -> int:
        return len(self.name)

    def path(self, node: int) -> str:
        """The CSS path of a node."""
        steps: list[str] = []
        while node >= 0:
            steps.append(str(self.step[node]))
            node = int(self.parent[node])
        return " > ".join(reversed(steps))


class Words(msgspec.Struct, frozen=True, eq=False):
    """The words that are drawn, in document order."""

    text: NDArray[np.object_]
    node: NDArray[np.int32]  # the element they stand in
    box: Boxes
    line: NDArray[np.int32]  # numbers equal for words of one text box: one line of one text
    glued: NDArray[np.bool_]  # no blank before it

    def __len__(self) -> int:
        return len(self.text)


class RenderedPage(msgspec.Struct, frozen=True, eq=False):
    """A page as a reader sees it, with what its markup says beside it."""

    nodes: Nodes
    words: Words
    styles: tuple[Style, ...]
    width: float
    height: float
    markup: MarkupPage
    name: str | None = None


CandidateKind = Literal["table", "aria", "definitions", "preformatted", "boxes"]


class Section:
    """Which part of a table a row belongs to."""

    BODY = 0
    HEAD = 1
    FOOT = 2


class MarkupCells(msgspec.Struct, frozen=True, eq=False):
    """The cells of all candidates, grouped by candidate and in document order within each.

    `row` and `column` are the slot that the HTML standard gives the cell. `text` has its lines parted by line feeds,
    superscripts as superscript characters, and what is not shown left out; where a cell holds only images, `text` is
    their alternative text. `linked` counts the letters of the text that are links; `items` those of list items;
    `nested` the tables inside, whose text is not repeated.
    """

    candidate: NDArray[np.int32]
    row: NDArray[np.int32]
    column: NDArray[np.int32]
    row_span: NDArray[np.int32]
    column_span: NDArray[np.int32]
    text: NDArray[np.object_]
    style: NDArray[np.int32]
    marks: NDArray[np.uint8]
    length: NDArray[np.int32]
    linked: NDArray[np.int32]
    links: NDArray[np.int32]
    images: NDArray[np.int32]
    forms: NDArray[np.int32]
    items: NDArray[np.int32]
    nested: NDArray[np.int32]
    box: NDArray[np.float32] | None = None  # (n, 4): where each is drawn, on a rendered page

    def __len__(self) -> int:
        return len(self.row)

    def take(self, at: NDArray[np.integer]) -> MarkupCells:
        """Some of the cells, by their numbers."""
        held = {name: getattr(self, name) for name in self.__struct_fields__}
        taken: dict[str, Any] = {name: None if values is None else values[at] for name, values in held.items()}
        return MarkupCells(**taken)


class Heading(msgspec.Struct, frozen=True):
    """A heading of a page and its level, 1 to 6."""

    level: int
    text: str


class Candidate(msgspec.Struct, frozen=True, eq=False):
    """A part of a page that may be a table: a `<table>`, an ARIA table or grid, a `<dl>`, text in a `<pre>`, or boxes.

    Its cells are `first` to `last` (not included) of the page's. `parent` is the candidate whose cell holds this one.
    `before` and `after` are the nearest lines of text beside it in the same container, `heading` the last heading
    before it, `start` the share of the page's text that stands before it. `text` is set for `<pre>` alone.
    """

    kind: CandidateKind
    path: str
    table_index: int | None
    attributes: dict[str, str]
    first: int
    last: int
    rows: int
    columns: int
    depth: int
    parent: int | None
    sections: bytes  # one entry per row: see Section
    declared_columns: int = 0  # <col> elements
    scoped: int = 0  # cells with `scope` or `headers`
    sized: int = 0  # cells with a width or height
    declared_headers: tuple[int, int] = (0, 0)  # leading header rows and columns by `scope`, `headers` or ARIA roles
    exact: dict[int, float] = {}  # the numbers that `<data>` gives, by the place of the cell among the candidate's
    stated: StatedTable | None = None  # the whole table by `id`, `headers` and `scope`
    caption: str | None = None
    before: str | None = None
    after: str | None = None
    heading: Heading | None = None
    start: float = 0.0
    hidden: bool = False
    text: str | None = None


class MarkupPage(msgspec.Struct, frozen=True, eq=False):
    """A web page: its candidates in document order, their cells, and the facts of the page."""

    candidates: tuple[Candidate, ...]
    cells: MarkupCells
    styles: tuple[Style, ...]
    title: str | None = None
    address: str | None = None
    headings: tuple[Heading, ...] = ()
    letters: int = 0  # all letters of the page's text
    mentions: tuple[str, ...] = ()  # sentences of the running text that name a table by its number
    name: str | None = None


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
