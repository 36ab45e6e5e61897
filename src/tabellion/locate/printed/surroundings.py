"""What belongs to a printed table but stands outside it: its caption and its footnotes.

Goes in: a page view and the tables on it. Comes out: for each table what stands around it. A caption opens with a label
("Table 2.", Liu et al. 2006, section 3); it is put together from the lines that follow, and goes to the nearest table
below or above it. Footnotes stand right below the table: they open with a mark or a word ("Note", "Source"), or are
set smaller than the text. A caption may stand at the left of its table, beside its first rows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tabellion.locate.printed.second_look import PieceFacts, count_columns, hull
from tabellion.model.arrays import median
from tabellion.model.document import Surroundings
from tabellion.model.place import Box
from tabellion.model.printed import PrintedPage, Shift
from tabellion.values.table_labels import part_sentences, read_caption, says_more
from tabellion.values.vocabulary import either_of

_FARTHEST = 60.0  # points between a table and its caption
_BELOW_COSTS = 14.0  # points: a caption stands above its table rather than below
_INDENTED, _CENTRED = 0.5, 2.0  # of a caption's width that a line may begin late; type sizes off the middle
_BESIDE_COSTS = 48.0  # points: a caption stands above or below its table rather than at its left
_BESIDE_STEP = 3.0  # type sizes that a caption at the left of a table may begin above or below its first row
_ROOM = 2.0  # type sizes that a word must have had to spare, blank included
_SAME_SIZE = 0.12  # share by which the type of one caption may differ from line to line
_STEP = 1.75  # type sizes from one line to the next within a caption or note
_STEP_TO_TABLE = 2.6  # the same between caption lines that stand above a table, where headings are set apart
_MATE_GAP, _JUSTIFIED_GAP, _LABEL_GAP = 1.1, 2.2, 4.0  # type sizes between parts of a line; after a label alone
_LABEL_LETTERS = 14
_BEYOND = 8.0  # type sizes that a caption may be wider than its table
_FIRST_STEP = 2.9  # type sizes between the end of a table and the first line of its notes
_SMALLER = 0.94  # of the size of the text: notes that are set so small need no mark
_MOST_LINES = 14
_FEWEST_LETTERS, _LARGE = 500, 99.0  # of running text to tell its size from; what stands for it otherwise
_LOOK_AHEAD = 4  # lines below a table, of which one that is marked makes notes of those before it
_NOTE = re.compile(
    rf"\s*(?:{either_of('source', 'note')}|key\b|data\b.{{0,20}}\b(?:are|is|from)\b|values? (?:are|in|with)|means? |"
    r"[*†‡§¶#∗\ufffd]|[a-z]\)\s|\([a-z1-9]\)\s|\[[a-z1-9]\]\s)",
    re.I,
)
_SHORT_FOR = re.compile(
    r"\s*(?:[a-z1-9]\s?[=:]\s|[^\s:;=]{1,12}\s?[:=]\s[^.;]{3,60};)", re.I
)  # opens notes, parts none
_FOOT = 0.93  # of the page: what begins below is a running foot
_ADDRESS = re.compile(r"\s*(?:https?:|www\.|doi\b)", re.I)
_RAISED = str.maketrans("0123456789abcdefpr", "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵖʳ")
_OPEN_WORDS = frozenset({"a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"})
_RAISED_BIT, _GLUED_BIT = int(Shift.RAISED), int(Shift.GLUED)
_CAN_BE_RAISED = re.compile(r"[0-9a-fpr]{1,2}")

Position = Literal["above", "below"]
Line = tuple[int, ...]  # the pieces of a line from left to right


def find_surroundings(facts: PieceFacts, tables: Sequence[Box]) -> list[Surroundings]:
    """The caption and the notes of each table of a view."""
    if not tables:
        return []
    around = _Around(facts, tables)
    captions = around.assign_captions()
    columns = count_columns(facts)
    result: list[Surroundings] = []
    for number in range(len(tables)):
        lines, position = captions.get(number, ([], None))
        notes = around.note_lines(number, lines)
        text, told = around.text_of(lines), ""
        if position == "below":
            text, told = around.part_caption(lines)
        label = read_caption(text) if text else None
        result.append(
            Surroundings(
                caption=text or None,
                position=position,
                label=label.label if label else None,
                continued=bool(label and label.continued),
                notes=tuple(note for note in (told, *map(around.text_of, around.part_notes(notes))) if says_more(note)),
                pieces=frozenset(k for line in (*lines, *notes) for k in line),
                caption_pieces=frozenset(k for line in lines for k in line),
                page_columns=columns,
            )
        )
    return result


Offer = tuple[float, int, int, Position]  # what speaks against it, the caption's first piece, the table, the position


def _nearest(offers: Iterable[Offer]) -> dict[int, tuple[int, Position]]:
    """The caption of each table: the best offers first, each caption and each table once."""
    chosen: dict[int, tuple[int, Position]] = {}
    used: set[int] = set()
    for cost, k, number, position in offers:
        if cost <= _FARTHEST and k not in used and number not in chosen:
            used.add(k)
            chosen[number] = (k, position)
    return chosen


class _Around:
    """The pieces outside the tables of a view, in lines."""

    def __init__(self, facts: PieceFacts, tables: Sequence[Box]) -> None:
        self.facts, self.tables = facts, tables
        box = facts.box
        x, y = (box[:, 0] + box[:, 2]) / 2, (box[:, 1] + box[:, 3]) / 2
        self.free = np.ones(len(box), dtype=bool)
        for left, top, right, bottom in tables:
            self.free &= ~((x > left) & (x < right) & (y > top) & (y < bottom))
        self.taken: set[int] = set()
        self.body = self._text_size()

    def _text_size(self) -> float:
        """The size of the document's running text; where there is hardly any, all beside a table is set small."""
        sizes = Counter(dict(self.facts.earlier.sizes))
        for k in np.flatnonzero(self.free & self.facts.prose).tolist():
            sizes[round(2 * float(self.facts.size[k])) / 2] += int(self.facts.letters[k])
        return max(sizes, key=lambda size: sizes[size]) if sizes.total() >= _FEWEST_LETTERS else _LARGE

    def assign_captions(self) -> dict[int, tuple[list[Line], Position]]:
        """For each table the lines of its caption, and where they stand.

        Captions go to the nearest tables; but where more of them find one if all stand above, or all below, they do so.
        """
        offers = sorted(self._offers())
        ways = [offers, *([offer for offer in offers if offer[3] == side] for side in ("above", "below"))]
        chosen = max((_nearest(way) for way in ways), key=len)
        result: dict[int, tuple[list[Line], Position]] = {}
        for number, (k, position) in chosen.items():
            table = self.tables[number]
            beside = float(self.facts.box[k, 2]) < table.left
            lines = self._caption_lines(k, table, "beside" if beside else position)
            self.taken.update(piece for line in lines for piece in line)
            result[number] = (lines, position)
        return result

    def _offers(self) -> Iterator[Offer]:
        """Every caption with every table that it may belong to, and what speaks against it in points."""
        feet = [self._foot(number) for number in range(len(self.tables))]
        for k in np.flatnonzero((self.facts.caption == 1) & self.free).tolist():
            size = float(self.facts.size[k])
            left, top, right, bottom = hull(self.facts.box[list(self._line_at(k, 1e9))])
            label = len(self.facts.text[k]) < _LABEL_LETTERS or size < _SMALLER * self.body
            for number, table in enumerate(self.tables):
                level = abs(top - table.top) < _BESIDE_STEP * size
                if label and level and right < table.left + size and not self._under(k):
                    yield abs(top - table.top) + _BESIDE_COSTS, k, number, "above"
                elif right < table.left - 3 * size or left > table.right + 3 * size:
                    continue
                elif bottom <= table.top + 0.6 * size:
                    yield self._gap_below(k, table), k, number, "above"
                elif top >= table.bottom - 0.6 * size:
                    gap = min(top - table.bottom, max(top - feet[number], 0.0) + _BELOW_COSTS)
                    yield gap + _BELOW_COSTS, k, number, "below"

    def _foot(self, number: int) -> float:
        """Where the notes below a table end, above which a caption may stand."""
        taken = set(self.taken)
        lines = self.note_lines(number, ())
        self.taken = taken
        return max((float(self.facts.box[p, 3]) for line in lines for p in line), default=self.tables[number].bottom)

    def _under(self, k: int) -> bool:
        """Whether a table stands right below a caption, which then is that one's."""
        left, _, right, bottom = self.facts.box[k]
        reach = bottom + _FARTHEST
        return any(t.left < right and t.right > left and bottom - 2 < t.top < reach for t in self.tables)

    def _gap_below(self, k: int, table: Box) -> float:
        """The white between a caption and the table below it: the lines in between may be the caption's own."""
        lines = self._caption_lines(k, table, "above")
        return float(table.top - max(self.facts.box[p, 3] for line in lines for p in line))

    def _caption_lines(self, k: int, table: Box, position: str) -> list[Line]:
        """The line that a caption opens and those that go on with it."""
        facts = self.facts
        size, base = float(facts.size[k]), float(facts.base[k])
        left = float(facts.box[k, 0])
        opening = self._line_at(k, 1e9)
        low, high = (
            min(left, table.left) - 3 * size,
            max(table.right, float(facts.box[opening[-1], 2])) + _BEYOND * size,
        )
        lines = [opening]
        step = _STEP_TO_TABLE if position == "above" else _STEP
        last = base
        while len(lines) < _MOST_LINES:
            following = self._next_line(last, step * size, low, high, lines)
            if not following or any(facts.caption[p] for p in following):
                break
            new = float(facts.base[following[0]])
            if position == "above" and new > table.top + 0.5 * size:
                break
            other = abs(float(facts.size[following[0]]) - size) > _SAME_SIZE * size and len(lines) > 1
            apart = position == "below" and new - last > 1.25 * self._usual_step(lines, size)
            if other or apart or self._ruled_between(last, new, following) or self._stands_off(lines, following):
                break
            if self._would_fit(lines[-1], following, max(high - _BEYOND * size, table.right)):
                break
            lines.append(following)
            last = new
            size = float(facts.size[following[0]])
        return lines

    def _stands_off(self, lines: list[Line], line: Line) -> bool:
        """Whether a line neither begins where those above do nor is centred under them: the head of a column."""
        block = hull(self.facts.box[[p for line in lines for p in line]])
        own = hull(self.facts.box[list(line)])
        size = float(self.facts.size[line[0]])
        off = abs((own.left + own.right) - (block.left + block.right)) / 2
        return own.left - block.left > _INDENTED * (block.right - block.left) and off > _CENTRED * size

    def _would_fit(self, last: Line, line: Line, right: float) -> bool:
        """Whether a line is one word with a capital that had room on the line above, which has not ended."""
        word, before = self.facts.text[line[0]], self.facts.text[last[-1]]
        if len(line) > 1 or " " in word or not word[:1].isupper() or len(before) < _LABEL_LETTERS:
            return False
        room = right - float(self.facts.box[last[-1], 2]) - _ROOM * float(self.facts.size[line[0]])
        width = float(self.facts.box[line[0], 2] - self.facts.box[line[0], 0])
        return before[-1:].isalnum() and before.split()[-1].lower() not in _OPEN_WORDS and width < room

    def _ruled_between(self, above: float, below: float, line: Line) -> bool:
        """Whether a rule runs between two baselines, over most of the lower line."""
        rules = self.facts.rules
        left, right = float(self.facts.box[line[0], 0]), float(self.facts.box[line[-1], 2])
        between = (rules[:, 1] > above) & (rules[:, 1] < below - 0.5)
        return bool((between & (rules[:, 0] < left + 3) & (rules[:, 2] > right - 3)).any())

    def _usual_step(self, lines: list[Line], size: float) -> float:
        bases = [float(self.facts.base[line[0]]) for line in lines]
        return bases[-1] - bases[-2] if len(bases) > 1 else _STEP * size

    def _line_at(self, k: int, high: float, inside: float = 0.0) -> Line:
        """The pieces that stand on one line with a piece, close by at its right and not beyond `high`.

        Up to `inside`, where the text is known to reach, they may stand wider apart: justified text does.
        """
        facts = self.facts
        size = float(facts.size[k])
        line = [k]
        same = self.free & (np.abs(facts.base - facts.base[k]) < 0.35 * size)
        for piece in sorted(np.flatnonzero(same).tolist(), key=lambda p: float(facts.box[p, 0])):
            gap = float(facts.box[piece, 0] - facts.box[line[-1], 2])
            label = line == [k] and facts.caption[k] and len(facts.text[k]) < _LABEL_LETTERS
            wide = _LABEL_GAP if label else _JUSTIFIED_GAP if facts.box[piece, 2] < inside + size else _MATE_GAP
            if gap < wide * size and facts.box[piece, 0] > facts.box[k, 0] and facts.box[piece, 2] <= high:
                line.append(piece)
        return tuple(line)

    def _next_line(self, base: float, reach: float, low: float, high: float, lines: list[Line]) -> Line:
        """The nearest line below a baseline, between two edges."""
        facts = self.facts
        block = hull(facts.box[[p for line in lines for p in line]])
        near = self.free & (facts.base > base + 0.5) & (facts.base <= base + reach)
        near &= (facts.box[:, 0] >= low) & (facts.box[:, 2] <= high)
        near &= (facts.box[:, 0] < block.right) & (facts.box[:, 2] > block.left)
        found = [p for p in np.flatnonzero(near).tolist() if p not in self.taken]
        if not found:
            return ()
        first = min(found, key=lambda p: (round(float(facts.base[p])), float(facts.box[p, 0])))
        mates = [p for p in found if abs(facts.base[p] - facts.base[first]) < 0.35 * facts.size[first]]
        start = min(mates, key=lambda p: float(facts.box[p, 0]))
        return self._line_at(start, high, block.right)

    def note_lines(self, number: int, caption: Sequence[Line]) -> list[Line]:
        """The lines of notes below a table, no wider than the table and its caption."""
        facts, table = self.facts, self.tables[number]
        wide = self._as_wide_as(table, caption)
        lines: list[Line] = []
        last, step = table.bottom, _FIRST_STEP
        for k in self._near_below(wide):
            if any(k in line for line in lines):
                continue
            size, base = float(facts.size[k]), float(facts.base[k])
            if base - last > step * size or facts.caption[k] or k in self.taken or _ADDRESS.match(facts.text[k]):
                break
            line = self._line_at(k, wide.right + 2 * size, wide.right)
            if lines and not self._goes_on(lines[-1], line):
                break
            lines.append(line)
            last, step = base, _STEP
            if len(lines) >= _MOST_LINES:
                break
        if not lines or not self._opens_note(lines, wide):
            return []
        self.taken.update(p for line in lines for p in line)
        return lines

    def _as_wide_as(self, table: Box, caption: Sequence[Line]) -> Box:
        """A table's box, widened to its caption: notes may be as wide as that."""
        if not caption:
            return table
        around = hull(self.facts.box[[p for line in caption for p in line]])
        return Box(min(table.left, around.left), table.top, max(table.right, around.right), table.bottom)

    def part_caption(self, lines: list[Line]) -> tuple[str, str]:
        """A caption below a table, and the notes that go on in it: all after its first sentence.

        Where that sentence ends with a line, it is a heading, and what follows is the caption still.
        """
        text = self.text_of(lines)
        first = next(iter(part_sentences(f"{text} X")[0]), text)
        if any(self.text_of(lines[:n]) == first for n in range(1, len(lines) + 1)):
            return text, ""
        return first, text[len(first) :].strip()

    def part_notes(self, lines: list[Line]) -> list[list[Line]]:
        """Lines of notes, each note's together: one begins where a line is marked."""
        notes: list[list[Line]] = []
        for line in lines:
            if notes and not self._is_marked(line):
                notes[-1].append(line)
            else:
                notes.append([line])
        return notes

    def _near_below(self, table: Box) -> list[int]:
        """Free pieces below a table and within its width, from the top."""
        box = self.facts.box
        slack = 2 * median(self.facts.size)
        below = self.free & (box[:, 1] > table.bottom - 0.3 * slack) & (box[:, 0] >= table.left - slack)
        below &= (box[:, 0] < table.right) & (box[:, 2] > table.left)
        found = np.flatnonzero(below)
        order: list[int] = found[np.lexsort((box[found, 0], np.round(self.facts.base[found])))].tolist()
        return order

    def _opens_note(self, lines: Sequence[Line], table: Box) -> bool:
        """Whether lines below a table are notes: no wider, and set small, or one of them with a mark."""
        first = lines[0]
        size = float(self.facts.size[first[0]])
        if float(self.facts.box[first[-1], 2]) > table.right + 6 * size:
            return False
        if self.facts.box[first[0], 1] > _FOOT * self.facts.page.height:
            return False
        if size < _SMALLER * self.body or _SHORT_FOR.match(self.facts.text[first[0]]) or self._is_marked(first):
            return True
        marked = next((n for n, line in enumerate(lines[:_LOOK_AHEAD]) if self._is_marked(line)), 0)
        return marked > 0 and size <= self.body and all(len(line) == 1 for line in lines[:marked])

    def _is_marked(self, line: Line) -> bool:
        page = self.facts.page
        start, _ = page.pieces.words[line[0]].tolist()
        raised = bool(page.words.shift[page.pieces.order[start]] & Shift.RAISED)
        return raised or bool(_NOTE.match(self.facts.text[line[0]]))

    def _goes_on(self, last: Line, line: Line) -> bool:
        """Whether a line goes on with the notes: of the same size, and close where both are of the text's size."""
        facts = self.facts
        size = float(facts.size[last[0]])
        if abs(float(facts.size[line[0]]) - size) > _SAME_SIZE * size:
            return False
        if size < _SMALLER * self.body or self._is_marked(line):
            return True
        return float(facts.base[line[0]] - facts.base[last[0]]) < 1.5 * float(facts.size[line[0]])

    def text_of(self, lines: Sequence[Line]) -> str:
        """The text of lines; words parted at the end of a line are put together again."""
        text = ""
        for line in lines:
            part = " ".join(piece_text(self.facts.page, k) for k in line)
            if len(text) > 1 and text[-1] in "-‐\u00ad" and text[-2].isalpha() and part[:1].islower():
                text = text[:-1] + part
            else:
                text = f"{text} {part}" if text else part
        return " ".join(text.split())


def piece_text(page: PrintedPage, k: int) -> str:
    """The text of a piece, its first word as a superscript where it is a raised mark."""
    start, end = page.pieces.words[k].tolist()
    words: NDArray[np.int32] = page.pieces.order[start:end]
    if not (page.words.shift[words] & _RAISED_BIT).any():
        return str(page.pieces.text[k])
    text = ""
    for n, w in enumerate(words.tolist()):
        said = str(page.words.text[w])
        if page.words.shift[w] & _RAISED_BIT and _CAN_BE_RAISED.fullmatch(said):
            said = said.translate(_RAISED)
        text += said if not n or page.words.shift[w] & _GLUED_BIT else f" {said}"
    return text
