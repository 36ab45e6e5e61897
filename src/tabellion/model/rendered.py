"""What a web page looks like once it is rendered: visualised element nodes and visualised words.

The visual box model of Gatterbauer and others 2007 (VENTex, section 4): every element that is drawn has a box and the
attributes of rule 1 (name, colour, background colour, font size, style, weight and family, alignment); every word has a
box, the attributes of its element, and whether it is a link (rule 2). Columnar; boxes are in CSS pixels from the top
left of the page.
"""

from __future__ import annotations

from enum import IntFlag

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.markup import MarkupPage
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
