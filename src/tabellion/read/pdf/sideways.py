"""Heads of columns that are set sideways over an upright table.

Goes in: the upright view of a page and a sideways one. Comes out: both, where texts of the sideways view that stand
side by side on one foot, over upright text, have become words of the upright view: each as high as a line, where its
foot is, so that they are the row of heads that a reader sees. What is left of the sideways view stays one.
Fails where a head stands alone, and where the feet of heads are not on one line.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.place import Box
from tabellion.model.printed import Pieces, PrintedPage, Words

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
