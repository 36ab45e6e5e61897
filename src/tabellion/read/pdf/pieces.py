"""Words to pieces: runs of words on one line with no more than a blank between them.

Goes in: raw words. Comes out: `Words` and `Pieces` of the model. A piece is what a reader takes in at once: a line
of a paragraph, a cell of a table where the gap to the next cell is wide enough. Raised and lowered words join
the piece they belong to and say so. Words drawn twice at one place (shadows, faked bold) are kept once.
Plain lists inside: the runs are short, and a numpy call on five words costs more than the work.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from statistics import median_low

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.printed import Pieces, Shift, Words
from tabellion.read.pdf.words import RawWords

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
        if _reads_leftwards(m, run):
            run.reverse()
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


def _reads_leftwards(m: _Measures, run: Run) -> bool:
    if all(m.text[i].isascii() for i in run):
        return False
    letters = [c for i in run for c in m.text[i] if c.isalpha()]
    return bool(letters) and sum("\u0590" <= c < "\u0900" for c in letters) > len(letters) / 2


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
