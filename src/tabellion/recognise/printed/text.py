"""The text of a printed table as it is worked on: words in lines and runs, rulings, over all its parts.

In: the parts of a table, each a page and a box. Out: one tall strip, in which the parts stand below one another with
their left edges in line, so that columns are told from all pages of a table together; its lines as runs of close words,
and which of them tell columns.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.arrays import median
from tabellion.model.place import Box
from tabellion.model.printed import Boxes, PrintedPage, Shift

_LINE_STEP = 0.25  # of the size: words whose baselines differ by less are on one line
_MARKS = re.compile(r"[*†‡§¶#]{1,4}")
_RAISED_STEP = 0.75  # type sizes that a mark may be raised above its line
_PART_GAP = 40.0  # points between two parts in the strip
_EDGE = 2.0  # points that a ruling may lie outside a part's box
_NUMBER = re.compile(r"[(\[<>≤≥~≈=±+\-−–—$€£¥#]*\d[\d.,:/'’ ×x*±^e\-−–%°)\]]*[a-z*†‡§¶%°′″)\]]{0,3}\.?", re.I)
_MISSING = frozenset(
    {"-", "–", "—", "−", "--", "---", "..", "...", "…", "n/a", "na", "n.a.", "nd", "n.d.", "*", "x", "±"}
)


class Strip(msgspec.Struct, frozen=True, eq=False):
    """A table's words, line by line from the top, and its rulings. Words index the arrays below.

    `em` is the usual type size; `part` the part of each line. A word's line follows the baseline of its piece, so
    that superscripts stay on the line of their base.
    """

    box: Boxes
    base: NDArray[np.float32]
    size: NDArray[np.float32]
    text: list[str]
    shift: NDArray[np.uint8]
    bold: NDArray[np.bool_]
    italic: NDArray[np.bool_]
    colour: NDArray[np.uint32]
    numeric: NDArray[np.bool_]
    source: NDArray[np.int32]  # index of the word on its page
    part_of: NDArray[np.int32]
    line_of: NDArray[np.int32]
    lines: tuple[tuple[int, ...], ...]  # words from left to right
    line_box: Boxes
    line_base: NDArray[np.float32]
    part: NDArray[np.int32]
    across: Boxes
    down: Boxes
    fills: Boxes
    hulls: tuple[Box, ...]  # of each part, in the strip
    shifts: tuple[tuple[float, float], ...]  # what was added to each part's x and y
    em: float

    def __len__(self) -> int:
        return len(self.lines)


def is_numeric(text: str) -> bool:
    """Whether a word is a number or stands for one.

    >>> [is_numeric(t) for t in ("1,040", "12.5**", "–", "(95%", "Total")]
    [True, True, True, True, False]
    """
    return text.lower() in _MISSING or bool(_NUMBER.fullmatch(text))


def lay_strip(parts: Sequence[tuple[PrintedPage, Box]]) -> Strip:
    """The words and rulings of all parts of a table, below one another."""
    pieces: list[dict[str, NDArray[Any]]] = []
    texts: list[str] = []
    rulings: dict[str, list[Boxes]] = {"across": [], "down": [], "fills": []}
    hulls: list[Box] = []
    shifts: list[tuple[float, float]] = []
    top = 0.0
    for number, (page, box) in enumerate(parts):
        chosen = words_inside(page, box)
        hull = _hull(page.words.box[chosen]) if len(chosen) else box
        if number == 0:
            top = hull.top
        dx = _best_shift(pieces[0]["box"], page.words.box[chosen], hull) if number else 0.0
        dy = top - hull.top
        shift = np.array([dx, dy, dx, dy], dtype=np.float32)
        hulls.append(Box(hull.left + dx, hull.top + dy, hull.right + dx, hull.bottom + dy))
        shifts.append((dx, dy))
        top += hull.bottom - hull.top + _PART_GAP
        words = page.words
        fonts = page.fonts
        bold = np.array([f.bold for f in fonts], dtype=bool)
        italic = np.array([f.italic for f in fonts], dtype=bool)
        texts.extend(words.text[chosen].tolist())
        pieces.append(
            {
                "box": words.box[chosen] + shift,
                "base": page.pieces.baseline[words.piece[chosen]] + np.float32(dy),
                "size": words.size[chosen],
                "shift": words.shift[chosen],
                "bold": bold[words.font[chosen]],
                "italic": italic[words.font[chosen]],
                "colour": words.colour[chosen],
                "source": chosen.astype(np.int32),
                "part_of": np.full(len(chosen), number, dtype=np.int32),
            }
        )
        for name, kept in rulings.items():
            kept.append(_clipped(getattr(page, name), box, hull) + shift)
    joined = {name: np.concatenate([p[name] for p in pieces]) for name in pieces[0]}
    return _in_lines(texts, joined, rulings, tuple(hulls), tuple(shifts))


def _best_shift(first: Boxes, words: Boxes, hull: Box) -> float:
    """How far a part must be moved sideways for its words to stand under those of the first part."""
    if not len(first) or not len(words):
        return 0.0
    low, high = float(first[:, 0].min()), float(first[:, 2].max())
    shifts = (0.0, low - hull.left, high - hull.right, (low + high - hull.left - hull.right) / 2)
    marks = np.sort(np.concatenate([first[:, 0], first[:, 2], (first[:, 0] + first[:, 2]) / 2]))
    mine = np.concatenate([words[:, 0], words[:, 2], (words[:, 0] + words[:, 2]) / 2])
    hits = [
        int((np.searchsorted(marks, mine + s + 0.6) > np.searchsorted(marks, mine + s - 0.6)).sum()) for s in shifts
    ]
    return float(shifts[int(np.argmax(hits))])


def words_inside(page: PrintedPage, box: Box) -> NDArray[np.intp]:
    """Words whose middle lies in a box."""
    words = page.words.box
    x, y = (words[:, 0] + words[:, 2]) / 2, (words[:, 1] + words[:, 3]) / 2
    return np.flatnonzero((x >= box.left) & (x <= box.right) & (y >= box.top) & (y <= box.bottom))


def _hull(boxes: Boxes) -> Box:
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    return Box(float(low[0]), float(low[1]), float(high[0]), float(high[1]))


def _clipped(boxes: Boxes, box: Box, hull: Box) -> Boxes:
    """Rulings that touch a part, cut at its edges."""
    left, right = min(box.left, hull.left) - _EDGE, max(box.right, hull.right) + _EDGE
    top, bottom = min(box.top, hull.top) - _EDGE * 3, max(box.bottom, hull.bottom) + _EDGE * 3
    near = (boxes[:, 2] > left) & (boxes[:, 0] < right) & (boxes[:, 3] > top) & (boxes[:, 1] < bottom)
    cut = boxes[near].copy()
    cut[:, 0::2] = np.clip(cut[:, 0::2], left - 4, right + 4)
    cut[:, 1::2] = np.clip(cut[:, 1::2], top - 4, bottom + 4)
    return cut


def _lower_marks(lines: list[list[int]], texts: list[str], base: NDArray[np.float32], em: float) -> list[list[int]]:
    """Lines of nothing but marks, raised above the line that they stand in, as part of that line."""
    kept: list[list[int]] = []
    for line in lines:
        step = float(base[line[0]] - base[kept[-1][-1]]) if kept else em
        if kept and step < _RAISED_STEP * em and all(_MARKS.fullmatch(texts[i]) for i in kept[-1]):
            before = float(base[kept[-1][0]] - base[kept[-2][-1]]) if len(kept) > 1 else em
            if step < before:
                kept[-1] += line
                continue
        kept.append(line)
    return kept


def _in_lines(
    texts: list[str],
    words: dict[str, NDArray[Any]],
    rulings: dict[str, list[Boxes]],
    hulls: tuple[Box, ...],
    shifts: tuple[tuple[float, float], ...],
) -> Strip:
    box, base, size = words["box"], words["base"], words["size"]
    full = (words["shift"] & (Shift.RAISED | Shift.LOWERED)) == 0
    em = median(size[full]) if full.any() else 10.0
    lines: list[list[int]] = []
    last, smallest = -1e9, em
    for i in np.argsort(base, kind="stable").tolist():
        if base[i] - last > _LINE_STEP * min(smallest, float(size[i])):
            lines.append([])
            smallest = em
        lines[-1].append(i)
        last = float(base[i])
        if full[i]:
            smallest = min(smallest, float(size[i]))
    lines = _lower_marks(lines, texts, base, em)
    line_of = np.zeros(len(texts), dtype=np.int32)
    line_box = np.zeros((len(lines), 4), dtype=np.float32)
    for k, line in enumerate(lines):
        line.sort(key=lambda i: float(box[i, 0]))
        line_of[line] = k
        tall = [i for i in line if full[i]] or line
        line_box[k] = (box[line, 0].min(), box[tall, 1].min(), box[line, 2].max(), box[tall, 3].max())
    return Strip(
        box=box,
        base=base,
        size=size,
        text=texts,
        shift=words["shift"],
        bold=words["bold"],
        italic=words["italic"],
        colour=words["colour"],
        numeric=np.array([is_numeric(t) for t in texts], dtype=bool),
        source=words["source"],
        part_of=words["part_of"],
        line_of=line_of,
        lines=tuple(tuple(line) for line in lines),
        line_box=line_box,
        line_base=np.array([median(base[list(line)]) for line in lines], dtype=np.float32),
        part=np.array([int(words["part_of"][line[0]]) for line in lines], dtype=np.int32),
        across=np.concatenate(rulings["across"]),
        down=np.concatenate(rulings["down"]),
        fills=np.concatenate(rulings["fills"]),
        hulls=hulls,
        shifts=shifts,
        em=em,
    )


_RUN_GAP = 0.6  # of the type size: words closer than this are one run when edges are compared


_FEWEST_LINES = 3  # so many lines with numbers tell columns without the others


class LineRuns:
    """The words of a line for fast lookup: edges in order, and the runs they form."""

    def __init__(self, strip: Strip, line: tuple[int, ...]) -> None:
        em = strip.em
        self.words = line
        boxes = strip.box[list(line)].tolist()
        self.lefts = [b[0] for b in boxes]
        self.rights: list[float] = []
        reach = -1e9
        for b in boxes:
            reach = max(reach, b[2])
            self.rights.append(reach)
        self.starts = [0]
        for k in range(1, len(line)):
            if self.lefts[k] - self.rights[k - 1] > _RUN_GAP * em:
                self.starts.append(k)
        self.numbers = sum(bool(strip.numeric[w]) for w in line[1:])
        self.run_of = [0] * len(line)
        for n, start in enumerate(self.starts):
            end = self.starts[n + 1] if n + 1 < len(self.starts) else len(line)
            for k in range(start, end):
                self.run_of[k] = n

    def split(self, x: float) -> tuple[int, bool]:
        """How many words begin left of x, and whether one of them is printed over it."""
        k = bisect_left(self.lefts, x)
        return k, k > 0 and self.rights[k - 1] > x

    def run(self, n: int) -> tuple[float, float]:
        """Left and right edge of a run."""
        start = self.starts[n]
        end = self.starts[n + 1] if n + 1 < len(self.starts) else len(self.words)
        return self.lefts[start], self.rights[end - 1]


class Ink:
    """Where lines print, by runs of words: how many lines print over a place is told from sorted edges alone."""

    def __init__(self, runs: list[LineRuns]) -> None:
        edges = [r.run(n) for r in runs for n in range(len(r.starts))]
        self.lefts = np.sort(np.array([left for left, _ in edges]))
        self.rights = np.sort(np.array([right for _, right in edges]))

    def over(self, places: NDArray[np.float64]) -> NDArray[np.intp]:
        """How many lines print over each place, be it between two words of a run."""
        return np.searchsorted(self.lefts, places, "left") - np.searchsorted(self.rights, places, "right")

    def clearest(self, left: float, right: float) -> float:
        """The place between two that the fewest lines print over, in the middle of the widest such stretch.

        A blank between two words of a text is no white: what counts is whether a run of words goes over the place.
        """
        inner = [edge[(edge > left) & (edge < right)] for edge in (self.lefts, self.rights)]
        marks = np.unique(np.concatenate([[left, right], *inner]))
        if len(marks) < 2:
            return (left + right) / 2
        middles = (marks[1:] + marks[:-1]) / 2
        best = np.lexsort((marks[:-1] - marks[1:], self.over(middles)))[0]
        return float(middles[best])


def telling_lines(runs: list[LineRuns]) -> list[int]:
    """The lines that tell columns: those of several runs and with numbers, where there are enough of them."""
    rich = [k for k, r in enumerate(runs) if len(r.starts) >= 2]
    most = max((len(runs[k].starts) for k in rich), default=0)
    numeric = [k for k in rich if runs[k].numbers and 2 * len(runs[k].starts) >= most]
    if len(numeric) >= max(_FEWEST_LINES, 0.3 * len(runs)):
        return numeric
    return rich if len(rich) >= 2 else list(range(len(runs)))
