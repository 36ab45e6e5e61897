"""A snapshot of a rendered page to visualised element nodes and visualised words.

In: what `DOMSnapshot.captureSnapshot` gave. Out: `Nodes` and `Words` with their boxes and styles (VENTex, section 4,
rules 1 and 2). Text boxes are split into words; within a box the widths follow the number of letters. What is hidden or
lies outside the page is left out. Frames within the page are not read.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.markup import Nodes, Trait, Words
from tabellion.model.style import Style
from tabellion.read.chromium.tabs import STYLES
from tabellion.read.web.cells import raise_text

_AT = {name: number for number, name in enumerate(STYLES)}
_COLOUR = re.compile(r"rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)")
_ELEMENT, _TEXT = 1, 3
_INLINE, _ATOMIC, _LINK, _IMAGE = int(Trait.INLINE), int(Trait.BLOCKED), int(Trait.LINK), int(Trait.IMAGE)
_FORM, _HEADING, _PLACED, _KEPT = int(Trait.FORM), int(Trait.HEADING), int(Trait.PLACED), int(Trait.KEPT)
_FORMS = frozenset(("INPUT", "SELECT", "TEXTAREA", "BUTTON"))
_IMAGES = frozenset(("IMG", "SVG", "svg", "CANVAS", "VIDEO", "OBJECT", "EMBED"))
_ALIGN = {"left": "left", "right": "right", "center": "center", "justify": "justify", "end": "right"}
_BOLD = 600
_POINTS = 0.75  # points in a CSS pixel
_INDENT_STEP = 12.0  # pixels of padding beyond the usual that make a step of indent
_WORD = re.compile(r"\S+")


class _DomNodes(msgspec.Struct, rename="camel"):
    parent_index: list[int]
    node_type: list[int]
    node_name: list[int]
    attributes: list[list[int]]


class _Layout(msgspec.Struct, rename="camel"):
    node_index: list[int]
    styles: list[list[int]]
    bounds: list[list[float]]
    text: list[int]


class _TextBoxes(msgspec.Struct, rename="camel"):
    layout_index: list[int]
    bounds: list[list[float]]
    start: list[int]
    length: list[int]


class _Drawn(msgspec.Struct, rename="camel"):
    nodes: _DomNodes
    layout: _Layout
    text_boxes: _TextBoxes
    content_width: float = 0
    content_height: float = 0


class _Snapshot(msgspec.Struct):
    documents: list[_Drawn]
    strings: list[str]


class _Line(NamedTuple):
    """The text box before: what it says, where it ends, on the page and in its text."""

    text: str
    right: float
    bottom: float
    end: tuple[int, int] = (-1, -1)

    def goes_on(self, text: str, left: float, top: float, height: float, start: tuple[int, int]) -> bool:
        """Whether a text follows without a blank: beside it, or on the next line where a word was broken."""
        if not self.text or not text or self.text[-1].isspace() or text[0].isspace():
            return False
        if start == self.end:
            return True
        return start[0] != self.end[0] and abs(left - self.right) < 1 and top < self.bottom < top + 2 * height


class Seen(msgspec.Struct, frozen=True, eq=False):
    """What a snapshot shows."""

    nodes: Nodes
    words: Words
    styles: tuple[Style, ...]
    width: float
    height: float


def read_snapshot(data: msgspec.Raw) -> Seen:
    """The nodes and words of a page."""
    snapshot = msgspec.json.decode(data, type=_Snapshot)
    page = snapshot.documents[0]
    walk = _Walk(page, snapshot.strings)
    walk.read_nodes()
    walk.read_words()
    return Seen(walk.nodes(), walk.words(), tuple(walk.styles), page.content_width, page.content_height)


class _Walk:
    """Reads the arrays of a snapshot in document order."""

    def __init__(self, page: _Drawn, strings: list[str]) -> None:
        self._page, self._strings = page, strings
        self._number: dict[int, int] = {}  # number of a drawn element by its number in the document
        self._rows: list[tuple[Any, ...]] = []
        self.styles: list[Style] = []
        self._style_ids: dict[tuple[Any, ...], int] = {}
        self._fills: list[str | None] = []
        self._shown: list[bool] = []
        self._words: list[tuple[str, int, float, float, float, float, int, bool]] = []

    def read_nodes(self) -> None:
        dom, layout, strings = self._page.nodes, self._page.layout, self._strings
        places = _places_among_siblings(dom, strings)
        tables = {node: at for at, node in enumerate(_elements(dom, strings, "TABLE"))}
        for drawn, node in enumerate(layout.node_index):
            if dom.node_type[node] != _ELEMENT:
                continue
            name = strings[dom.node_name[node]]
            parent, steps = self._ancestor(node, places)
            looks = layout.styles[drawn]
            style, fill = self._style(looks, self._fills[parent] if parent >= 0 else None)
            left, top, width, height = layout.bounds[drawn]
            named = _attributes(dom.attributes[node], strings)
            traits = self._traits(name, looks, named, parent)
            row = (name, parent, left, top, left + width, top + height, style, traits)
            self._number[node] = len(self._rows)
            identifier = named.get("data-element") or named.get("id") or ""
            self._rows.append((*row, strings[looks[_AT["font-family"]]], tables.get(node, -1), steps, identifier))
            self._fills.append(fill)
            self._shown.append(
                strings[looks[_AT["visibility"]]] == "visible" and strings[looks[_AT["opacity"]]] not in ("0", "0.0")
            )

    def read_words(self) -> None:
        dom, layout, boxes, strings = self._page.nodes, self._page.layout, self._page.text_boxes, self._strings
        before = _Line("", -1.0, -1.0)
        for line, (drawn, bounds, start, length) in enumerate(
            zip(boxes.layout_index, boxes.bounds, boxes.start, boxes.length, strict=True)
        ):
            node = layout.node_index[drawn]
            if dom.node_type[node] != _TEXT or layout.text[drawn] < 0:
                continue
            owner = self._ancestor(node, None)[0]
            left, top, width, height = bounds
            if owner < 0 or not self._is_shown(owner) or left + width <= 0 or top + height <= 0:
                continue
            text = _slice(strings[layout.text[drawn]], start, length)
            if strings[layout.styles[drawn][_AT["vertical-align"]]] == "super" or self._is_raised(owner):
                text = raise_text(text)
            step = width / max(1, len(text))
            glued = before.goes_on(text, left, top, height, (drawn, start))
            for word in _WORD.finditer(text):
                x1, x2 = left + step * word.start(), left + step * word.end()
                said = word[0].replace("\xad", "")
                self._words.append((said, owner, x1, top, x2, top + height, line, glued and word.start() == 0))
            before = _Line(text, left + width, top + height, (drawn, start + length))

    def nodes(self) -> Nodes:
        columns = list(zip(*self._rows, strict=True)) if self._rows else [()] * 12
        parent = np.array(columns[1], dtype=np.int32)
        last = np.arange(len(parent), dtype=np.int32)
        for node in range(len(parent) - 1, 0, -1):
            above = parent[node]
            if above >= 0 and last[above] < last[node]:
                last[above] = last[node]
        return Nodes(
            name=_objects(columns[0]),
            parent=parent,
            last=last,
            box=np.array(columns[2:6], dtype=np.float32).T.reshape(-1, 4),
            style=np.array(columns[6], dtype=np.int32),
            traits=np.array(columns[7], dtype=np.uint8),
            family=_objects(columns[8]),
            table_index=np.array(columns[9], dtype=np.int32),
            step=_objects(columns[10]),
            identifier=_objects(columns[11]),
        )

    def words(self) -> Words:
        columns = list(zip(*self._words, strict=True)) if self._words else [()] * 8
        return Words(
            text=_objects(columns[0]),
            node=np.array(columns[1], dtype=np.int32),
            box=np.array(columns[2:6], dtype=np.float32).T.reshape(-1, 4),
            line=np.array(columns[6], dtype=np.int32),
            glued=np.array(columns[7], dtype=bool),
        )

    def _ancestor(self, node: int, places: list[int] | None) -> tuple[int, str]:
        """The nearest drawn element above, and the path from there."""
        dom, steps = self._page.nodes, list[str]()
        at = node
        while True:
            if places is not None:
                name = self._strings[dom.node_name[at]].lower()
                steps.append(name if name in ("html", "body") else f"{name}:nth-child({places[at]})")
            at = dom.parent_index[at]
            if at < 0 or dom.node_type[at] != _ELEMENT:
                return -1, " > ".join(reversed(steps))
            if at in self._number:
                return self._number[at], " > ".join(reversed(steps))

    def _is_shown(self, node: int) -> bool:
        while node >= 0:
            if not self._shown[node]:
                return False
            node = self._rows[node][1] if self._rows[node][1] >= 0 else -1
        return True

    def _is_raised(self, node: int) -> bool:
        return bool(self._rows[node][0] == "SUP")

    def _style(self, looks: list[int], behind: str | None) -> tuple[int, str | None]:
        key = (*looks, behind)
        if key not in self._style_ids:
            self._style_ids[key] = len(self.styles)
            self.styles.append(_make_style([self._strings[number] for number in looks], behind))
        number = self._style_ids[key]
        return number, self.styles[number].fill

    def _traits(self, name: str, looks: list[int], named: dict[str, str], parent: int) -> int:
        strings = self._strings
        display, position = strings[looks[_AT["display"]]], strings[looks[_AT["position"]]]
        traits = 0
        if display == "inline":
            traits |= _INLINE
        elif display.startswith("inline"):
            traits |= _ATOMIC
        if name in _IMAGES:
            traits |= _IMAGE | _ATOMIC
        if name in _FORMS:
            traits |= _FORM | _ATOMIC
        if position in ("absolute", "fixed") or strings[looks[_AT["float"]]] != "none":
            traits |= _PLACED
        if strings[looks[_AT["white-space"]]].startswith("pre"):
            traits |= _KEPT
        if name == "TH" or named.get("role") in ("columnheader", "rowheader"):
            traits |= _HEADING
        if (name == "A" and "href" in named) or (parent >= 0 and self._rows[parent][7] & _LINK):
            traits |= _LINK
        return traits


def _attributes(numbers: list[int], strings: list[str]) -> dict[str, str]:
    return {strings[name]: strings[value] for name, value in zip(numbers[::2], numbers[1::2], strict=False)}


def _make_style(looks: list[str], behind: str | None) -> Style:
    weight, size = looks[_AT["font-weight"]], looks[_AT["font-size"]]
    sides = {side: _pixels(looks[_AT[f"border-{side}-width"]]) > 0 for side in ("top", "right", "bottom", "left")}
    own = _colour(looks[_AT["background-color"]])
    return Style(
        bold=weight == "bold" or (weight.isdecimal() and int(weight) >= _BOLD),
        italic=looks[_AT["font-style"]] in ("italic", "oblique"),
        underline="underline" in looks[_AT["text-decoration-line"]],
        size=round(_pixels(size) * _POINTS, 2),
        colour=_colour(looks[_AT["color"]]),
        fill=own if own is not None else behind,
        align=_ALIGN.get(looks[_AT["text-align"]].removeprefix("-webkit-")),
        indent=max(0.0, round((_pixels(looks[_AT["padding-left"]]) - _INDENT_STEP) / _INDENT_STEP, 1)),
        border_top=sides["top"],
        border_right=sides["right"],
        border_bottom=sides["bottom"],
        border_left=sides["left"],
    )


def _colour(value: str) -> str | None:
    """A colour as #rrggbb; None where it is transparent."""
    match = _COLOUR.fullmatch(value)
    if not match or (match[4] is not None and float(match[4]) == 0):
        return None
    return f"#{int(match[1]):02x}{int(match[2]):02x}{int(match[3]):02x}"


def _pixels(value: str) -> float:
    try:
        return float(value.removesuffix("px"))
    except ValueError:
        return 0.0


def _slice(text: str, start: int, length: int) -> str:
    """A part of a text that is counted in units of UTF-16, as browsers do."""
    if text.isascii() or max(text) <= "\uffff":
        return text[start : start + length]
    return text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * (start + length)].decode("utf-16-le", "replace")


def _elements(dom: _DomNodes, strings: list[str], name: str) -> list[int]:
    return [node for node, named in enumerate(dom.node_name) if dom.node_type[node] == 1 and strings[named] == name]


def _places_among_siblings(dom: _DomNodes, strings: list[str]) -> list[int]:
    """For each element its position among the elements of its parent, from 1; `::marker` and its like do not count."""
    counts: dict[int, int] = {}
    places = [0] * len(dom.parent_index)
    made_up = {number for number, name in enumerate(strings) if name.startswith("::")}
    for node, (parent, kind, name) in enumerate(zip(dom.parent_index, dom.node_type, dom.node_name, strict=True)):
        if kind == _ELEMENT and name not in made_up:
            places[node] = counts[parent] = counts.get(parent, 0) + 1
    return places


def _objects(values: tuple[Any, ...]) -> NDArray[np.object_]:
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made
