"""How the text of each element looks: what tags, attributes and style rules say, handed down the tree.

In: elements on the way down a page. Out: numbered looks. Elements of one kind (same tag, same telling attributes, same
kind of parent) share a number and are worked out once: a page has a hundred thousand elements but some dozens of kinds.
Fails where a style sheet is not in the page itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tabellion.model.style import Style
from tabellion.read.web.css import NOTHING, Declared, Part, Rule, read_declarations, read_font_size, stack_declared

HIDDEN, KEPT, RAISED, LINK = 1, 2, 4, 8
SPECIAL = HIDDEN | KEPT | RAISED  # text that is not taken as it is
PLAIN_LOOK = 0

_LISTED = Declared(indent=3.3)  # 40 pixels, as browsers set lists and quotations in
_TAG_LOOKS = {
    **dict.fromkeys(("b", "strong"), Declared(bold=True)),
    **dict.fromkeys(("i", "em", "cite", "var", "dfn", "address"), Declared(italic=True)),
    **dict.fromkeys(("u", "ins"), Declared(underline=True)),
    **{f"h{level}": Declared(bold=True, size=size) for level, size in enumerate((24, 18, 14, 12, 10, 8), start=1)},
    "th": Declared(bold=True, align="center"),
    "small": Declared(scale=0.83),
    "big": Declared(scale=1.2),
    "sup": Declared(raised=True, scale=0.83),
    "sub": Declared(scale=0.83),
    "center": Declared(align="center"),
    **dict.fromkeys(("pre", "listing", "xmp"), Declared(kept=True)),
    **dict.fromkeys(("ul", "ol", "dd", "blockquote"), _LISTED),
    **dict.fromkeys(("select", "svg", "object", "video", "audio", "canvas", "datalist"), Declared(hidden=True)),
}
_FILLED = frozenset(("table", "thead", "tbody", "tfoot", "tr", "td", "th"))
_ALIGNED = _FILLED | {"div", "p", "h1", "h2", "h3", "h4", "h5", "h6", "center", "caption"}
_TELLING = frozenset(("style", "align", "bgcolor", "valign", "color", "size", "hidden", "href"))
_TOLD = _FILLED | frozenset(_TAG_LOOKS)
_MOST_MET = 20_000  # elements told apart by all attributes: bounds memory where each has its own
_MOST_ALIKE = 1000  # rules that end in the same name: bounds the time that a page can cost
_DEEPEST = 200  # ancestors that a selector is tried on

Attributes = Mapping[str, str | None]


class Look(NamedTuple):
    """What text inherits from the elements around it."""

    bold: bool = False
    italic: bool = False
    underline: bool = False
    size: float = 12.0
    colour: str | None = None
    align: str | None = None
    indent: float = 0.0
    flags: int = 0


class _Kind(NamedTuple):
    """What rules are matched on, and the number of the parent's kind."""

    tag: str
    id: str | None
    classes: frozenset[str]
    parent: int


_NO_CLASSES: frozenset[str] = frozenset()
_ROOT = _Kind("", None, _NO_CLASSES, -1)


class Looks:
    """The looks met on one page, by number; `flags` says of each whether its text is hidden, kept, raised or linked."""

    def __init__(self, rules: list[Rule]) -> None:
        self.looks: list[Look] = [Look()]
        self.flags: list[int] = [0]
        self.told: list[Declared] = [NOTHING]
        self.styles: list[Style] = []
        self._kind_of: list[int] = [0]  # of each look
        self._kinds: list[_Kind] = [_ROOT]
        self._kind_numbers: dict[_Kind, int] = {_ROOT: 0}
        self._steps: dict[object, int] = {}
        self._met: dict[object, int] = {}  # by all attributes as written: found sooner
        self._tellings: dict[object, tuple[Declared, int]] = {}
        self._equal: dict[tuple[Look, Declared, int], int] = {(Look(), NOTHING, 0): 0}
        self._style_numbers: dict[tuple[int, int, int, str | None], int] = {}
        self._equal_styles: dict[Style, int] = {}
        self._rules = _Rules(rules) if rules else None
        self._class_sets: dict[str, frozenset[str]] = {}
        self._ids: frozenset[str | None] = frozenset(self._rules.ids) if self._rules else frozenset()
        self._telling = _TELLING | {"class", "id"} if self._rules else _TELLING

    def enter(self, look: int, tag: str, attributes: Attributes) -> int:
        """The look inside an element, of the look around it."""
        if not attributes:
            number = self._steps.get((look, tag))
            return self._find(look, tag, attributes) if number is None else number
        if tag == "a":  # each link has an address of its own
            return self._find(look, tag, attributes)
        met = (look, tag, *attributes, *attributes.values())
        number = self._met.get(met)
        if number is None:
            number = self._find(look, tag, attributes)
            if len(self._met) < _MOST_MET:
                self._met[met] = number
        return number

    def _find(self, look: int, tag: str, attributes: Attributes) -> int:
        """The same by what tells something of the look alone."""
        key: object
        if not attributes or self._telling.isdisjoint(attributes):
            key = (look, tag)
            if self._rules is None and tag not in _TOLD:
                self._steps[key] = look
                return look
            rest: object = tag
        else:
            get = attributes.get
            named = get("id")
            own = (
                tag,
                get("style"),
                get("class") if self._rules else None,
                named if named in self._ids else None,
                "href" in attributes,
                "hidden" in attributes,
            )
            if tag in _ALIGNED:
                rest = (own, get("align"), get("bgcolor"), get("valign"))
            else:
                rest = (own, get("color"), get("size")) if tag == "font" else own
            key = (look, rest)
        number = self._steps.get(key)
        if number is None:
            number = self._steps[key] = self._make(look, tag, attributes, rest)
        return number

    def style(self, look: int, cell: int, row: int, fill: str | None) -> int:
        """The number of a cell's style, from the look of its text, of the cell itself and of its row."""
        key = (look, cell, row, fill)
        number = self._style_numbers.get(key)
        if number is None:
            style = _make_style(self.looks[look], self.told[cell], self.told[row], fill)
            number = self._equal_styles.setdefault(style, len(self.styles))
            if number == len(self.styles):
                self.styles.append(style)
            self._style_numbers[key] = number
        return number

    def _classes(self, names: str | None) -> frozenset[str]:
        """The classes of an element that some rule speaks of."""
        if not names or self._rules is None:
            return _NO_CLASSES
        found = self._class_sets.get(names)
        if found is None:
            found = self._class_sets[names] = self._rules.known_classes(names)
        return found

    def _make(self, look: int, tag: str, attributes: Attributes, rest: object) -> int:
        """A number for an element of a kind not met before."""
        around, above = self.looks[look], self._kind_of[look]
        told = self._tellings.get((above, rest))
        if told is None:
            told = self._tellings[above, rest] = self._tell(above, tag, attributes)
        declared, kind = told
        if tag == "table":  # as browsers do for old pages, and as most style sheets do
            around = Look(flags=around.flags & HIDDEN)
        linked = tag == "a" and "href" in attributes
        new = _inherit(around, declared, linked) if linked or declared is not NOTHING else around
        number = self._equal.setdefault((new, declared, kind), len(self.looks))
        if number == len(self.looks):
            self.looks.append(new)
            self.flags.append(new.flags)
            self.told.append(declared)
            self._kind_of.append(kind)
        return number

    def _tell(self, above: int, tag: str, attributes: Attributes) -> tuple[Declared, int]:
        """What an element is told by its tag, attributes, rules and own style; and the number of its kind for rules."""
        told = stack_declared(_TAG_LOOKS.get(tag, NOTHING), _read_attributes(tag, attributes))
        kind = above
        if self._rules:
            own = _Kind(tag, self._rules.known_id(attributes.get("id")), self._classes(attributes.get("class")), above)
            for declared in self._rules.match(own, self._kinds):
                told = stack_declared(told, declared)
            if self._rules.leads(own):
                kind = self._kind_numbers.setdefault(own, len(self._kinds))
                if kind == len(self._kinds):
                    self._kinds.append(own)
        style = attributes.get("style")
        return (stack_declared(told, read_declarations(style)) if style else told), kind


def _inherit(look: Look, told: Declared, linked: bool) -> Look:
    flags = look.flags
    if told.hidden:
        flags |= HIDDEN
    if told.kept is not None:
        flags = flags | KEPT if told.kept else flags & ~KEPT
    if told.raised is not None:
        flags = flags | RAISED if told.raised else flags & ~RAISED
    if linked:
        flags |= LINK
    size = told.size if told.size is not None else look.size
    return Look(  # in the order of its fields: a page makes many
        look.bold if told.bold is None else told.bold,
        look.italic if told.italic is None else told.italic,
        look.underline or bool(told.underline),
        round(size * told.scale, 2) if told.scale else size,
        told.colour or look.colour,
        told.align or look.align,
        round(look.indent + told.indent, 2) if told.indent else look.indent,
        flags,
    )


def _make_style(look: Look, cell: Declared, row: Declared, fill: str | None) -> Style:
    return Style(
        bold=look.bold,
        italic=look.italic,
        underline=look.underline,
        size=look.size,
        colour=look.colour,
        fill=cell.fill or row.fill or fill or None,
        align=look.align,
        valign=cell.valign or row.valign,
        indent=look.indent,
        border_top=bool(cell.top or row.top),
        border_bottom=bool(cell.bottom or row.bottom),
        border_left=bool(cell.left),
        border_right=bool(cell.right),
        number_format=cell.number_format,
    )


def _read_attributes(tag: str, attributes: Attributes) -> Declared:
    """What the old attributes say: align, bgcolor, valign, color, size, hidden."""
    if not attributes:
        return NOTHING
    if tag == "font":
        size, colour = attributes.get("size"), attributes.get("color")
        found = read_font_size(size) if size else NOTHING
        return stack_declared(found, Declared(colour=colour.lower())) if colour else found
    said: list[str] = []
    for name, rule in (("align", "text-align"), ("bgcolor", "bgcolor"), ("valign", "vertical-align")):
        value = attributes.get(name)
        if value and tag in _ALIGNED and not (name == "align" and tag == "table"):
            said.append(f"{rule}:{value}")
    found = read_declarations(";".join(said)) if said else NOTHING
    return stack_declared(found, Declared(hidden=True)) if "hidden" in attributes else found


class _Rules:
    """Rules found by the id, a class or the tag of the last part of their selector."""

    def __init__(self, rules: list[Rule]) -> None:
        self._rules = sorted(rules, key=lambda rule: rule.weight)
        self._by_last: dict[str, list[int]] = {}
        self.ids: set[str] = set()
        self._class_names: set[str] = set()
        self._leading_tags: set[str] = set()
        for number, rule in enumerate(self._rules):
            last = rule.parts[0]
            first_class = f".{min(last.classes)}" if last.classes else ""
            key = f"#{last.id}" if last.id else first_class or last.tag
            alike = self._by_last.setdefault(key, [])
            if len(alike) < _MOST_ALIKE:
                alike.append(number)
            for part in rule.parts:
                self.ids.add(part.id)
                self._class_names |= part.classes
            self._leading_tags |= {part.tag for part in rule.parts[1:]}

    def known_id(self, name: str | None) -> str | None:
        return name if name in self.ids else None

    def known_classes(self, names: str) -> frozenset[str]:
        return frozenset(self._class_names.intersection(names.split()))

    def leads(self, kind: _Kind) -> bool:
        """Whether a selector may name the element as an ancestor; others are passed over when one is matched."""
        return bool(kind.id or kind.classes or kind.tag in self._leading_tags)

    def match(self, kind: _Kind, kinds: list[_Kind]) -> list[Declared]:
        """What the rules say that apply to an element, the weakest first."""
        maybe = [*self._by_last.get("", ()), *self._by_last.get(kind.tag, ())]
        for name in kind.classes:
            maybe += self._by_last.get(f".{name}", ())
        if kind.id:
            maybe += self._by_last.get(f"#{kind.id}", ())
        return [self._rules[n].declared() for n in sorted(set(maybe)) if _applies(self._rules[n], kind, kinds)]


def _applies(rule: Rule, kind: _Kind, kinds: list[_Kind]) -> bool:
    if not _is(rule.parts[0], kind):
        return False
    at = kind
    steps = 0
    for part in rule.parts[1:]:
        while True:
            if at.parent < 0 or steps > _DEEPEST:
                return False
            at = kinds[at.parent]
            steps += 1
            if _is(part, at):
                break
            if part.parent:
                return False
    return True


def _is(part: Part, kind: _Kind) -> bool:
    return (
        (not part.tag or part.tag == kind.tag) and (not part.id or part.id == kind.id) and part.classes <= kind.classes
    )
