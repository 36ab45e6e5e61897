"""One walk over a parsed page: every candidate for a table, and the text around and inside them.

In: the parser's tree. Out: candidates with the text, look and contents of their cells, and what stands around them. The
walk keeps its own stack, so that no nesting of elements is too deep, and reads each node once. Text that is not shown
(`display:none`, the options of a list) is left out. A table nested in a cell is a candidate of its own; the cell does
not repeat its text.
"""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tabellion.model.markup import Heading
from tabellion.read.web.cells import LINE_END, Box, Gathering, raise_text
from tabellion.read.web.looks import HIDDEN, KEPT, PLAIN_LOOK, RAISED, SPECIAL, Attributes, Looks
from tabellion.read.web.table_walk import LONGEST_PATH, TableWalk, Trail

SKIP, BREAK, INLINE, LINK, BLOCK, CONTENT, TABLE, DEFINITIONS, PREFORMATTED = range(1, 10)
_TAGS = {
    "skipped": "-comment script style template title noembed noframes head link meta base !doctype",
    "hidden": "iframe textarea select datalist",
    "blocks": "p div li ul ol blockquote center address section article aside header footer main nav figure form dt "
    "dd figcaption fieldset legend details summary listing xmp plaintext dir menu noscript hr h1 h2 h3 h4 h5 h6",
    "inline": "b strong i em u ins font span small big sup sub tt code kbd samp var cite abbr acronym label mark s del "
    "q strike dfn time nobr bdo bdi data output",
    "media": "img svg object embed video audio canvas map iframe",
    "forms": "input select textarea button",
}


def _tags(*names: str) -> list[str]:
    return [tag for name in names for tag in _TAGS[name].split()]


_OUTSIDE = {
    **dict.fromkeys(_tags("skipped", "hidden"), SKIP),
    **dict.fromkeys(_tags("blocks"), BLOCK),
    "br": BREAK,
    "table": TABLE,
    "dl": DEFINITIONS,
    "pre": PREFORMATTED,
}
_INSIDE = {
    **_OUTSIDE,
    **dict.fromkeys(_tags("inline"), INLINE),
    **dict.fromkeys(_tags("media", "forms"), CONTENT),
    "a": LINK,
}
_FORMS = frozenset(_tags("forms"))
_EMPTY_CONTENT = frozenset(("img", "embed", "iframe", "input", "textarea"))
_ARIA_TABLES = frozenset(("table", "grid", "treegrid"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_TINY = ("0", "1", "2", "1px", "2px")
_NO_END, _LINE_END = -1, -2  # what is due when an element ends; from 0 on: where its heading or text began

_Stack = list[tuple[LexborNode, str, int, int, int]]
"""The elements that are open: node, tag, number among its siblings, look outside it, what is due at its end."""


class PageWalk(TableWalk):
    """`run` walks the page; then `found` holds the candidates and `headings` the headings."""

    def __init__(self, parser: LexborHTMLParser, looks: Looks, deepest: int) -> None:
        super().__init__(looks, deepest)
        some = parser.css_first("[role]") is not None  # asked first: most pages have none
        self._has_roles = some and parser.css_first("[role=table],[role=grid],[role=treegrid]") is not None

    def run(self, root: LexborNode) -> None:
        """Walk the whole page."""
        box = Box()
        self._trail.append((root.tag or "", 1))
        self.flow(root, PLAIN_LOOK, box)
        box.settle_waiting()

    def flow(self, root: LexborNode, look: int, box: Box) -> None:
        """Read all that stands in an element into a box."""
        node = root.first_child
        flags, parts, runs, enter = self._looks.flags, box.parts, box.runs, self._looks.enter
        outside = not self._open
        how_of, has_roles = _OUTSIDE if outside else _INSIDE, self._has_roles
        stack: _Stack = []
        count = letters = 0
        while node is not None:
            tag = node.tag or ""
            if tag == "-text":
                text = node.text_content or ""
                if text.isspace():
                    parts += [text] if parts or "\xa0" in text else ()
                elif look and flags[look] & SPECIAL:
                    self._take_special(box, text, look)
                else:
                    parts.append(text)
                    letters += len(text)
                    runs[look] = runs.get(look, 0) + len(text)
            else:
                how = how_of.get(tag, 0)
                count += how != SKIP or tag[0] not in "-!"
                child, inside, due = None, look, _NO_END
                if how == 0:
                    child = node.first_child
                elif how == BLOCK:
                    parts.append(LINE_END)
                    due = len(parts) if tag in _HEADINGS else _LINE_END
                    if not outside:
                        inside = enter(look, tag, node.attributes)
                        box.items += tag == "li"
                    child = node.first_child
                elif how == INLINE:
                    inside, child = enter(look, tag, node.attributes), node.first_child
                elif how == BREAK:
                    parts.append(LINE_END)
                elif how > SKIP:
                    self.letters, letters = self.letters + letters, 0
                    child, inside, due = self._open_element(node, tag, how, look, box, stack, count)
                if has_roles and child is not None and node.attributes.get("role") in _ARIA_TABLES:
                    self.letters, letters = self.letters + letters, 0
                    self.aria(node, look, box, _trail_of(stack, tag, count))
                    child = None
                if child is not None:
                    stack.append((node, tag, count, look, due))
                    node, look, count = child, inside, 0
                    continue
                if due != _NO_END:
                    self._finish(tag, due, box)
            after = node.next
            while after is None and stack:
                node, tag, count, look, due = stack.pop()
                if due == _LINE_END:
                    parts.append(LINE_END)
                elif due != _NO_END:
                    self._finish(tag, due, box)
                after = node.next
            node = after
        self.letters += letters

    def _open_element(
        self, node: LexborNode, tag: str, how: int, look: int, box: Box, stack: _Stack, count: int
    ) -> tuple[LexborNode | None, int, int]:
        """Begin a link, a picture, a field, a candidate: the first node in it that is still to be read, the look
        inside, what is due at its end.
        """
        parts, looks = box.parts, self._looks
        if how == LINK:
            attributes = node.attributes
            box.links += "href" in attributes
            return node.first_child, looks.enter(look, tag, attributes), _NO_END
        if how == CONTENT:
            attributes = node.attributes
            self._content(tag, attributes, look, box)
            if tag in _EMPTY_CONTENT:
                return None, look, _NO_END
            return node.first_child, looks.enter(look, tag, attributes), _NO_END
        if how == PREFORMATTED:
            inside = looks.enter(look, tag, {})
            parts.append(LINE_END)
            if looks.flags[look] & KEPT:
                return node.first_child, inside, _LINE_END  # preformatted text inside such text is part of it
            return node.first_child, inside, self._start_preformatted(node, inside, box, _trail_of(stack, tag, count))
        if how == TABLE:
            self.table(node, look, box, _trail_of(stack, tag, count))
        else:
            self.definitions(node, look, box, _trail_of(stack, tag, count))
        return None, look, _NO_END

    def _finish(self, tag: str, due: int, box: Box) -> None:
        """What is due when a block, a heading or preformatted text ends."""
        if tag in _HEADINGS:
            text = box.line_from(due)
            if text:
                self.headings.append(Heading(int(tag[1]), text))
        elif tag == "pre" and due >= 0:
            candidate: Gathering = (box.waiting or [])[due]
            candidate.preformatted = "".join(box.parts[candidate.after_at :]).replace(LINE_END, "\n")
            candidate.after_at = len(box.parts)
        box.parts.append(LINE_END)

    def _take_special(self, box: Box, text: str, look: int) -> None:
        """Text that is hidden, preformatted or raised."""
        flags = self._looks.flags[look]
        if flags & HIDDEN:
            return
        if flags & KEPT:
            text = text.replace("\n", LINE_END)
        if flags & RAISED:
            text = raise_text(text)
        box.parts.append(text)
        box.runs[look] = box.runs.get(look, 0) + len(text)
        self.letters += len(text)

    def _content(self, tag: str, attributes: Attributes, look: int, box: Box) -> None:
        """Pictures and fields of forms."""
        if self._looks.flags[look] & HIDDEN:
            return
        if tag in _FORMS:
            box.forms += attributes.get("type") != "hidden"
        elif not _is_spacer(attributes):
            box.images += 1
            said = attributes.get("alt")
            if said:
                box.alternative = [*(box.alternative or ()), said]

    def _start_preformatted(self, node: LexborNode, look: int, box: Box, trail: Trail) -> int:
        """A candidate whose text is read with that of its container; its number among those that wait."""
        made = self._start("preformatted", node, box, look, trail)
        if made is None:
            return _LINE_END
        self._end(made, box, len(trail))
        return len(box.waiting or ()) - 1


def _is_spacer(attributes: Attributes) -> bool:
    """Whether a picture only keeps things apart: a dot of a pixel or two."""
    return attributes.get("width") in _TINY or attributes.get("height") in _TINY


def _trail_of(stack: _Stack, tag: str, count: int) -> Trail:
    """The way to an element from where the reading began; of very deep ones the last part."""
    return [*((name, number) for _, name, number, _, _ in stack[-LONGEST_PATH:]), (tag, count)]
