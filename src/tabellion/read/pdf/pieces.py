"""Words to pieces: runs of words on one line with no more than a blank between them.

Goes in: raw words. Comes out: `Words` and `Pieces` of the model. A piece is what a reader takes in at once: a line
of a paragraph, a cell of a table where the gap to the next cell is wide enough. Raised and lowered words join
the piece they belong to and say so. Words drawn twice at one place (shadows, faked bold) are kept once.
Plain lists inside: the runs are short, and a numpy call on five words costs more than the work.

Heads of columns that are set sideways over an upright table.

Goes in: the upright view of a page and a sideways one. Comes out: both, where texts of the sideways view that stand
side by side on one foot, over upright text, have become words of the upright view: each as high as a line, where its
foot is, so that they are the row of heads that a reader sees. What is left of the sideways view stays one.
Fails where a head stands alone, and where the feet of heads are not on one line.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from statistics import median_low

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.place import Box
from tabellion.model.printed import Pieces, PrintedPage, Shift, Words
from tabellion.read.pdf.words import RawWords
from tabellion.values.texts import reads_leftwards

_LINE_STEP = 0.22  # of the size: words whose baselines differ by less are on one line
_WIDE_GAP = 1.05  # of the size: wider gaps part pieces always
_SOME_GAP = 0.6  # gaps over this part pieces where they are wide among the gaps of their line
_AMONG = 2.2
_SMALL = 0.87  # raised and lowered words are at least so much smaller than their base
_ATTACH_GAP = 0.45  # of the base's size: how far from its base such a word may stand
_MOST_ATTACHED = 6  # words
_GLUE_GAP = 0.1  # of the size: closer words have no blank between them, whatever the content order
_RAISED, _LOWERED, _GLUED = int(Shift.RAISED), int(Shift.LOWERED), int(Shift.GLUED)
_AROUND = tuple((dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1))

Run = list[int]


class _Measures(msgspec.Struct, frozen=True):
    """The words' measures as plain lists."""

    text: list[str]
    left: list[float]
    top: list[float]
    right: list[float]
    bottom: list[float]
    base: list[float]
    size: list[float]
    tied: list[bool]


def join_pieces(raw: RawWords) -> tuple[Words, Pieces]:
    """The words of a view with their pieces."""
    keep = _without_doubles(raw)
    m = _Measures(
        text=[raw.text[i] for i in keep],
        left=raw.box[keep, 0].tolist(),
        top=raw.box[keep, 1].tolist(),
        right=raw.box[keep, 2].tolist(),
        bottom=raw.box[keep, 3].tolist(),
        base=raw.baseline[keep].tolist(),
        size=raw.size[keep].tolist(),
        tied=raw.tied[keep].tolist(),
    )
    runs = _attach_small([run for line in _lines(m) for run in _split_line(line, m)], m)
    runs.sort(key=min)
    shift = [0] * len(keep)
    piece = [0] * len(keep)
    for k, run in enumerate(runs):
        run.sort(key=lambda i: (m.left[i], i))
        if reads_leftwards(m.text[i] for i in run):
            run.reverse()
            for i in run:
                if point := _POINT_BEFORE.fullmatch(m.text[i]):
                    m.text[i] = f"{point[2]}{point[1]}"
        _mark_shifts(run, m, shift)
        for i in run:
            piece[i] = k
    words = Words(
        text=_objects(m.text),
        box=raw.box[keep],
        baseline=raw.baseline[keep],
        size=raw.size[keep],
        font=raw.font[keep],
        colour=raw.colour[keep],
        shift=np.array(shift, dtype=np.uint8),
        piece=np.array(piece, dtype=np.int32),
        letters=raw.letters[keep],
    )
    return words, _measure(runs, m, shift)


def _measure(runs: list[Run], m: _Measures, shift: list[int]) -> Pieces:
    """The pieces that runs of words make: raised and lowered words do not count for their height and place."""
    order: list[int] = []
    spans: list[tuple[int, int]] = []
    texts: list[str] = []
    measures: list[tuple[float, ...]] = []
    for run in runs:
        spans.append((len(order), len(order) + len(run)))
        order.extend(run)
        texts.append("".join(m.text[i] if not n or shift[i] & _GLUED else f" {m.text[i]}" for n, i in enumerate(run)))
        full = [i for i in run if not shift[i] & (_RAISED | _LOWERED)] or run
        measures.append(
            (
                min(m.left[i] for i in run),
                min(m.top[i] for i in full),
                max(m.right[i] for i in run),
                max(m.bottom[i] for i in full),
                median_low([m.base[i] for i in full]),
                median_low([m.size[i] for i in full]),
            )
        )
    of = np.array(measures, dtype=np.float32).reshape(-1, 6)
    return Pieces(
        words=np.array(spans, dtype=np.int32).reshape(-1, 2),
        order=np.array(order, dtype=np.int32),
        box=of[:, :4],
        baseline=of[:, 4],
        size=of[:, 5],
        text=_objects(texts),
    )


def _objects(texts: list[str]) -> NDArray[np.object_]:
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return array


def _without_doubles(raw: RawWords) -> list[int]:
    """Words in content order, without those drawn again at nearly the same place."""
    seen: dict[tuple[str, int, int], int] = {}
    keep: list[int] = []
    lefts, tops, sizes = raw.box[:, 0].tolist(), raw.box[:, 1].tolist(), raw.size.tolist()
    said = Counter(raw.text)
    for i, text in enumerate(raw.text):
        if said[text] == 1:
            keep.append(i)
            continue
        step = max(0.3 * sizes[i], 0.5)
        x, y = round(lefts[i] / step), round(tops[i] / step)
        for dx, dy in _AROUND:
            k = seen.get((text, x + dx, y + dy))
            if k is not None and abs(lefts[k] - lefts[i]) < step and abs(tops[k] - tops[i]) < step:
                break
        else:
            seen[text, x, y] = i
            keep.append(i)
    return keep


def _lines(m: _Measures) -> list[Run]:
    """Words by baseline, over the whole width of the page."""
    lines: list[Run] = []
    last, height = -1e9, 0.0
    for i in sorted(range(len(m.base)), key=m.base.__getitem__):
        if m.base[i] - last > _LINE_STEP * max(min(height, m.size[i]), 1.0):
            lines.append([])
            height = m.size[i]
        lines[-1].append(i)
        last, height = m.base[i], min(height, m.size[i])
    return lines


def _split_line(line: Run, m: _Measures) -> list[Run]:
    """A line's words, left to right, parted at wide gaps."""
    line.sort(key=lambda i: (m.left[i], i))
    if len(line) == 1:
        return [line]
    gaps: list[float] = []
    reach = m.right[line[0]]
    for before, i in pairwise(line):
        gaps.append((m.left[i] - reach) / max(m.size[i], m.size[before]))
        reach = max(reach, m.right[i])
    usual = [g for g in gaps if _GLUE_GAP < g < _WIDE_GAP]
    some = max(_SOME_GAP, _AMONG * median_low(usual)) if usual else _SOME_GAP
    runs: list[Run] = [[line[0]]]
    for i, gap in zip(line[1:], gaps, strict=True):
        if gap > _WIDE_GAP or gap > some:
            runs.append([])
        runs[-1].append(i)
    return runs


def _attach_small(runs: list[Run], m: _Measures) -> list[Run]:
    """Join runs of small type to the run of larger type that they are raised or lowered against."""
    if len(runs) < 2:
        return runs
    left = np.array([min(m.left[i] for i in r) for r in runs])
    right = np.array([max(m.right[i] for i in r) for r in runs])
    level = np.array([median_low([m.base[i] for i in r]) for r in runs])
    size = np.array([max(m.size[i] for i in r) for r in runs])
    reach = _ATTACH_GAP * size
    largest = size.max()
    host: dict[int, int] = {}
    for k in np.argsort(size, kind="stable").tolist():
        if len(runs[k]) > _MOST_ATTACHED or size[k] >= _SMALL * largest:
            continue
        lift = (level - level[k]) / size
        near = (size[k] < _SMALL * size) & (lift > -0.45) & (lift < 0.75)
        near &= (left[k] < right + reach) & (right[k] > left - reach)
        close = [(_distance(runs[k], runs[h], m), h) for h in np.flatnonzero(near).tolist()]
        close = [(d, h) for d, h in close if d < reach[h]]
        if close:
            host[k] = min(close)[1]
    for k in sorted(host, key=lambda k: float(size[k])):
        runs[host[k]] = runs[host[k]] + runs[k]
        runs[k] = []
    return [r for r in runs if r]


def _distance(small: Run, large: Run, m: _Measures) -> float:
    """The horizontal gap between two runs: 0 where they stand inside one another."""
    left, right = min(m.left[i] for i in small), max(m.right[i] for i in small)
    return min(max(left - m.right[i], m.left[i] - right, 0.0) for i in large)


_POINT_BEFORE = re.compile(r"([:.،,;])(\d+)")  # drawn at the left of a number, it is read after it


def _mark_shifts(run: Run, m: _Measures, shift: list[int]) -> None:
    """Say of each word of a piece whether it is raised, lowered or glued to the one before it."""
    largest = max(m.size[i] for i in run)
    small = [i for i in run if m.size[i] < _SMALL * largest]
    if small:
        level = median_low([m.base[i] for i in run if m.size[i] >= _SMALL * largest])
        for i in small:
            lift = (level - m.base[i]) / largest
            if lift > 0.1:
                shift[i] |= _RAISED
            elif lift < -0.05:
                shift[i] |= _LOWERED
    for before, i in pairwise(run):
        gap = max(m.left[i] - m.right[before], m.left[before] - m.right[i])
        if before == i - 1 and not m.tied[i] and m.text[before][-1:].islower() and m.text[i][:1].isupper():
            continue  # two words that were drawn together
        if gap < _GLUE_GAP * m.size[i] or (m.tied[i] and before == i - 1 and gap < 0.2 * m.size[i]):
            shift[i] |= _GLUED


_FEWEST = 2  # heads
_LONGEST = 60  # letters of one
_SAME_FOOT = 0.6  # type sizes that the feet of heads may differ by
_REACH = 4.0  # type sizes below the feet within which upright text stands under heads
_STANDING = 0.6  # of the heads over which it must
_LINE, _DESCENT = 1.2, 0.2  # type sizes that a line is high, and that it reaches below its baseline
_MOSTLY_UPRIGHT = 2.0  # times the letters of a sideways view that an upright one has where heads are looked for


def stand_up_heads(upright: PrintedPage, sideways: PrintedPage) -> tuple[PrintedPage, PrintedPage | None]:
    """The upright view with heads that were set sideways, and the sideways view without them."""
    letters = int(upright.words.letters.sum()), int(sideways.words.letters.sum())
    if sideways.turn not in (90, 270) or letters[0] < _MOSTLY_UPRIGHT * letters[1]:
        return upright, sideways
    boxes = [sideways.upright_box(Box(*box)) for box in sideways.pieces.box.tolist()]
    heads = _heads(upright, sideways, boxes)
    if not heads:
        return upright, sideways
    left = [k for k in range(len(boxes)) if k not in heads]
    return _with_words(upright, sideways, boxes, sorted(heads)), _without(sideways, left) if left else None


def _heads(upright: PrintedPage, sideways: PrintedPage, boxes: list[Box]) -> set[int]:
    """The pieces that stand on one foot side by side, most of them over upright text."""
    short = [k for k, text in enumerate(sideways.pieces.text) if len(text) <= _LONGEST]
    found: set[int] = set()
    for k in short:
        size = float(sideways.pieces.size[k])
        row = [j for j in short if abs(boxes[j].bottom - boxes[k].bottom) < _SAME_FOOT * size]
        over = [_stands_over(upright, boxes[j], size) for j in row]
        if len(row) >= _FEWEST and sum(over) >= _STANDING * len(row) and sum(over) >= _FEWEST:
            found.update(row)
    return found


def _stands_over(upright: PrintedPage, box: Box, size: float) -> bool:
    """Whether upright text stands right below a place."""
    left, top, right, bottom = upright.pieces.box.T
    under = (right > box.left) & (left < box.right) & (top > box.bottom - size) & (top < box.bottom + _REACH * size)
    return bool((under & (bottom > box.bottom)).any())


def _with_words(upright: PrintedPage, sideways: PrintedPage, boxes: list[Box], heads: list[int]) -> PrintedPage:
    """The upright view with one word and one piece more for each head."""
    words, pieces, other = upright.words, upright.pieces, sideways.words
    box = np.array([boxes[k] for k in heads], dtype=np.float32).reshape(-1, 4)
    first = sideways.pieces.order[sideways.pieces.words[heads, 0]]
    size = sideways.pieces.size[heads]
    foot = box[:, 3] - _DESCENT * size
    box[:, 1] = np.maximum(box[:, 1], box[:, 3] - _LINE * size)
    text = sideways.pieces.text[heads]
    count = np.arange(len(heads), dtype=np.int32)
    return msgspec.structs.replace(
        upright,
        words=Words(
            text=np.concatenate([words.text, text]),
            box=np.concatenate([words.box, box]),
            baseline=np.concatenate([words.baseline, foot]),
            size=np.concatenate([words.size, size]),
            font=np.concatenate([words.font, other.font[first]]),
            colour=np.concatenate([words.colour, other.colour[first]]),
            shift=np.concatenate([words.shift, np.zeros(len(heads), dtype=words.shift.dtype)]),
            piece=np.concatenate([words.piece, len(pieces) + count]),
            letters=np.concatenate([words.letters, np.array([len(t.replace(" ", "")) for t in text], dtype=np.int32)]),
        ),
        pieces=Pieces(
            words=np.concatenate([pieces.words, len(pieces.order) + np.column_stack([count, count + 1])]),
            order=np.concatenate([pieces.order, len(words) + count]),
            box=np.concatenate([pieces.box, box]),
            baseline=np.concatenate([pieces.baseline, foot]),
            size=np.concatenate([pieces.size, size]),
            text=np.concatenate([pieces.text, text]),
        ),
    )


def _without(view: PrintedPage, kept: list[int]) -> PrintedPage:
    """A view with some of its pieces only."""
    words, pieces = view.words, view.pieces
    spans = [pieces.order[start:end] for start, end in pieces.words[kept].tolist()]
    chosen = np.sort(np.concatenate(spans))
    number = np.full(len(words), -1, dtype=np.int32)
    number[chosen] = np.arange(len(chosen), dtype=np.int32)
    piece_of: NDArray[np.int32] = np.full(len(pieces), -1, dtype=np.int32)
    piece_of[kept] = np.arange(len(kept), dtype=np.int32)
    ends = np.cumsum([len(span) for span in spans])
    return msgspec.structs.replace(
        view,
        words=Words(
            text=words.text[chosen],
            box=words.box[chosen],
            baseline=words.baseline[chosen],
            size=words.size[chosen],
            font=words.font[chosen],
            colour=words.colour[chosen],
            shift=words.shift[chosen],
            piece=piece_of[words.piece[chosen]],
            letters=words.letters[chosen],
        ),
        pieces=Pieces(
            words=np.column_stack([np.append(0, ends[:-1]), ends]).astype(np.int32),
            order=number[np.concatenate(spans)],
            box=pieces.box[kept],
            baseline=pieces.baseline[kept],
            size=pieces.size[kept],
            text=pieces.text[kept],
        ),
    )
