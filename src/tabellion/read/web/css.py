"""The part of CSS that says how a cell looks: declarations, and the rules of `<style>` elements.

In: the text of a `style` attribute or a style sheet. Out: `Declared` values, and rules with their selectors. Selectors
may join tags, classes and ids by blanks, `>` and commas; rules with attributes, pseudo-classes, `+` or `~`, for print
or for narrow screens are left out, and so is the weight of `!important`. Written by hand: the CSS libraries parse far
more than the dozen properties needed here and are far slower at it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_LENGTH = re.compile(r"(-?(?:\d++(?:\.\d++)?+|\.\d++))\s*+(px|pt|pc|em|rem|ex|ch|in|cm|mm|%)?", re.I)
_POINTS = {"px": 0.75, "pt": 1.0, "pc": 12.0, "em": 12.0, "rem": 12.0, "ex": 6.0, "ch": 6.0, "in": 72.0}
_POINTS |= {"cm": 28.35, "mm": 2.835, "": 0.75}
_SIZES = {"xx-small": 7.0, "x-small": 7.5, "small": 10.0, "medium": 12.0, "large": 13.5, "x-large": 18.0}
_SIZES |= {"xx-large": 24.0}
_SCALES = {"smaller": 0.83, "larger": 1.2}
_FONT_SIZES = (7.5, 7.5, 10.0, 12.0, 13.5, 18.0, 24.0, 36.0)  # of <font size=0> to <font size=7>
_COLOUR = re.compile(r"#[0-9a-f]{3,8}\b|rgba?\([^()]{0,80}\)|hsla?\([^()]{0,80}\)|[a-z]{3,20}", re.I)
_ADDRESS = re.compile(r"url\([^)]*\)?")
_NO_COLOURS = (
    "none",
    "transparent",
    "inherit",
    "initial",
    "unset",
    "repeat",
    "scroll",
    "fixed",
    "left",
    "center",
    "url",
)

_LINES = re.compile(r"\b(?:solid|dashed|dotted|double|groove|ridge|inset|outset)\b", re.I)
_ESCAPED = re.compile(r"\\(?:(0[0-9a-f]{3,5})\s?|(.))")
_STEP = 9.0  # points in a step of indent: about two letters of ordinary text
_MANY_RULES = 20_000  # a page has some hundreds of rules that matter; more is not read


class Declared(NamedTuple):
    """What one element is told about its look; None where nothing is said. Sizes are in points."""

    bold: bool | None = None
    italic: bool | None = None
    underline: bool | None = None
    size: float | None = None
    scale: float | None = None
    colour: str | None = None
    fill: str | None = None
    align: str | None = None
    valign: str | None = None
    indent: float | None = None
    top: bool | None = None
    bottom: bool | None = None
    left: bool | None = None
    right: bool | None = None
    hidden: bool | None = None
    kept: bool | None = None  # blanks and line ends are kept, as in <pre>
    raised: bool | None = None  # set as a superscript
    table: str | None = None  # display: table, table-row, table-cell ...
    number_format: str | None = None  # as spreadsheet programs write it: mso-number-format


NOTHING = Declared()


def stack_declared(under: Declared, over: Declared) -> Declared:
    """The values of `over`, and those of `under` where `over` says nothing."""
    if over is NOTHING:
        return under
    if under is NOTHING:
        return over
    return Declared._make([a if b is None else b for a, b in zip(under, over, strict=True)])


@lru_cache(maxsize=4096)
def read_declarations(text: str) -> Declared:
    """What a `style` attribute says of the look.

    >>> read_declarations("font-weight:bold; padding-left: 24px; text-align:right").align
    'right'
    """
    found: dict[str, object] = {}
    for item in text.split(";"):
        name, colon, value = item.partition(":")
        if colon:
            _declare(found, name.strip().lower(), value.replace("!important", "").strip().lower())
    return Declared(**found) if found else NOTHING  # type: ignore[arg-type]


def _declare(found: dict[str, object], name: str, value: str) -> None:
    """Add what one declaration says."""
    if name == "font-weight":
        found["bold"] = _is_bold(value)
    elif name == "mso-number-format":
        found["number_format"] = _ESCAPED.sub(lambda m: chr(int(m[1], 16)) if m[1] else m[2], value.strip("\"'"))
    elif name == "font-style":
        found["italic"] = value in ("italic", "oblique")
    elif name in ("text-decoration", "text-decoration-line"):
        found["underline"] = "underline" in value
    elif name == "font-size":
        _declare_size(found, value)
    elif name == "font":
        words = value.split("/")[0].split()
        found["bold"] = any(_is_bold(word) for word in words)
        found["italic"] = "italic" in words
        if words:
            _declare_size(found, next((word for word in words if word[0].isdigit() and word[-1].isalpha()), ""))
    elif name == "color":
        found["colour"] = _colour(value)
    elif name in ("background-color", "background", "bgcolor"):
        found["fill"] = _colour(value) or ""
    elif name == "text-align":
        align = {"start": "left", "end": "right", "middle": "center"}.get(value, value.removeprefix("-moz-"))
        found["align"] = align if align in ("left", "right", "center", "justify") else None
    elif name == "vertical-align":
        found["valign"] = value if value in ("top", "middle", "bottom", "baseline") else None
        if value in ("super", "sub"):
            found["raised"] = value == "super"
    elif name in ("padding-left", "margin-left", "text-indent", "padding-inline-start"):
        length = _length(value)
        if length is not None:
            found["indent"] = _number(found.get("indent")) + length / _STEP
    elif name in ("padding", "margin"):
        sides = value.split()
        length = _length(sides[3] if len(sides) == 4 else sides[1] if len(sides) > 1 else sides[0]) if sides else None
        right = _length(sides[1] if len(sides) > 1 else sides[0]) if sides else None
        if length is not None and len(sides) == 4 and length > (right or 0):
            found["indent"] = _number(found.get("indent")) + length / _STEP
    elif name.startswith("border"):
        _declare_border(found, name, value)
    elif name == "display":
        found["hidden"] = value == "none"
        if value.startswith("table"):
            found["table"] = value
    elif name == "visibility":
        found["hidden"] = value in ("hidden", "collapse")
    elif name == "white-space":
        found["kept"] = value.startswith("pre")


def _declare_border(found: dict[str, object], name: str, value: str) -> None:
    side = name.removeprefix("border").lstrip("-").partition("-")[0]
    part = name.rpartition("-")[2]
    if part in ("color", "radius", "collapse", "spacing", "image"):
        return
    width = _length(value)
    drawn = bool(_LINES.search(value)) or (width is not None and width > 0)
    if width == 0 or value in ("none", "hidden"):
        drawn = False
    for each in (side,) if side in ("top", "bottom", "left", "right") else ("top", "bottom", "left", "right"):
        found[each] = drawn


def _declare_size(found: dict[str, object], value: str) -> None:
    if value in _SIZES:
        found["size"] = _SIZES[value]
    elif value in _SCALES:
        found["scale"] = _SCALES[value]
    elif match := _LENGTH.fullmatch(value):
        amount, unit = float(match[1]), (match[2] or "").lower()
        if unit in ("em", "%", "ex", "rem"):
            found["scale"] = amount / 100 if unit == "%" else amount / 2 if unit == "ex" else amount
        elif amount > 0:
            found["size"] = round(amount * _POINTS[unit], 2)


def read_font_size(value: str) -> Declared:
    """What `<font size>` says: 1 to 7, or steps from 3."""
    try:
        step = int(value)
    except ValueError:
        return NOTHING
    if value.strip()[0] in "+-":
        step += 3
    return Declared(size=_FONT_SIZES[max(0, min(7, step))])


def _is_bold(value: str) -> bool:
    return value in ("bold", "bolder") or (value.isdecimal() and 600 <= int(value) <= 1000)


def _colour(value: str) -> str | None:
    for match in _COLOUR.finditer(_ADDRESS.sub(" ", value)):
        if match[0] not in _NO_COLOURS:
            return match[0]
    return None


def _length(value: str) -> float | None:
    """A length in points; None where it is none, or relative to the width of something."""
    match = _LENGTH.match(value)
    if not match or match[2] == "%":
        return None
    return float(match[1]) * _POINTS[(match[2] or "").lower()]


def _number(value: object) -> float:
    return value if isinstance(value, float) else 0.0


@lru_cache(maxsize=4096)
def _read_body(body: str) -> Declared:
    return read_declarations(body)._replace(colour=None, underline=None)


class Part(NamedTuple):
    """One compound of a selector, and whether it must be the parent (not just an ancestor) of the one after it."""

    tag: str
    id: str
    classes: frozenset[str]
    parent: bool = False


class Rule(NamedTuple):
    """A selector of one or more parts, the last first, with the text of its declarations, its specificity and place."""

    parts: tuple[Part, ...]
    body: str
    weight: tuple[int, int, int, int]

    def declared(self) -> Declared:
        """What the rule says of the look; colour and underline are left out: they speak of links, nearly always."""
        return _read_body(self.body)


_PART = re.compile(r"([.#]?)(-?[\w\-\u0080-\uffff]+|\*)")
_FOREIGN = re.compile(r"[:+~|\\\[]")
_TELLING = re.compile(
    r"\b(?:font|text-align|background|padding|margin-left|text-indent|border|display|visibility|white-space|vertical-al)",
    re.I,
)


def read_rules(text: str, first: int = 0) -> list[Rule]:
    """The rules of a style sheet that may say something of the look; `first` numbers them after earlier sheets.

    >>> [rule.parts[0].classes for rule in read_rules("td.n, .m > b { text-align: right } a:hover { color: red }")]
    [frozenset({'n'}), frozenset()]
    """
    found: list[Rule] = []
    text = _without_comments(text).replace("<!--", " ").replace("-->", " ")
    for selectors, body in _blocks(text):
        if not _TELLING.search(body):
            continue
        for selector in selectors.split(","):
            parts = _read_selector(selector)
            if parts:
                ids = sum(bool(part.id) for part in parts)
                names = sum(len(part.classes) for part in parts)
                tags = sum(bool(part.tag) for part in parts)
                found.append(Rule(parts, body, (ids, names, tags, first + len(found))))
        if len(found) > _MANY_RULES:
            break
    return found


def _without_comments(text: str) -> str:
    """A style sheet without its comments; one that does not end goes on to the end."""
    first, *rest = text.split("/*")
    return " ".join([first, *(part.partition("*/")[2] for part in rest)])


_AT_BLOCK = re.compile(r"\s*+@([\w-]++)([^{};]*+)([{;])")
_BLOCK = re.compile(r"([^{}]*+)\{([^{}]*+)\}")


def _plain_blocks(text: str) -> list[tuple[str, str]]:
    """Selector lists and their declarations, where no rule stands in another."""
    found = []
    for piece in text.split("}")[:-1]:
        before, brace, body = piece.rpartition("{")
        if brace:
            found.append((before.rpartition("{")[2], body))
    return found


def _blocks(text: str) -> list[tuple[str, str]]:
    """Selector lists and their declarations, those of `@media` for screens included."""
    if "@" not in text:
        return _plain_blocks(text)[:_MANY_RULES]
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(text) and len(found) < _MANY_RULES:
        special = _AT_BLOCK.match(text, at)
        if special:
            at = special.end()
            if special[3] == "{":
                end = _closing(text, at)
                wide = special[2].strip().lower() in ("", "all", "screen", "only screen")
                if special[1].lower() == "media" and wide:
                    found += _plain_blocks(text[at : end - 1])
                at = end
            continue
        block = _BLOCK.match(text, at)
        if not block:
            at = text.find("}", at) + 1 or len(text)
            continue
        found.append((block[1], block[2]))
        at = block.end()
    return found


_BRACE = re.compile(r"[{}]")


def _closing(text: str, at: int) -> int:
    """Just after the brace that closes the one before `at`."""
    depth = 1
    for match in _BRACE.finditer(text, at):
        depth += 1 if match[0] == "{" else -1
        if not depth:
            return match.end()
    return len(text)


def _read_selector(selector: str) -> tuple[Part, ...] | None:
    if len(selector) > 300 or _FOREIGN.search(selector):
        return None
    if ">" not in selector:
        parts = tuple(_read_part(word) for word in reversed(selector.split()))
        return parts or None
    linked: list[Part] = []
    child = False
    for word in selector.replace(">", " > ").split():
        if word == ">":
            child = True
            continue
        if linked and child:
            linked[-1] = linked[-1]._replace(parent=True)
        linked.append(_read_part(word))
        child = False
    return tuple(reversed(linked)) or None


@lru_cache(maxsize=4096)
def _read_part(word: str) -> Part:
    """One compound; a part that cannot be read names a tag that does not exist, so that it never applies."""
    tag, name, classes = "", "", set[str]()
    at = 0
    while at < len(word):
        match = _PART.match(word, at)
        if not match:
            return Part("?", "", frozenset())
        if match[1] == ".":
            classes.add(match[2])
        elif match[1] == "#":
            name = match[2]
        elif match[2] != "*":
            tag = match[2].lower()
        at = match.end()
    return Part(tag, name, frozenset(classes))
