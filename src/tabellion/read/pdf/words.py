"""Characters to words, by geometry.

In: the characters of one view of a page in content order, in reading direction. Out: words with their look, each marked
where no blank stands before it. A word ends at a blank, at a gap wider than a fifth of the type size, or where the
baseline or the size changes (a superscript is a word of its own, glued to its base). Letters that are spaced out evenly
(T A B L E) are read as one word. Fails where a document sets every glyph with the same generous gap and no blanks at
all: then letters and words cannot be told apart.

Characters that stand for lines: leader dots, and rulings typed as hyphens or underscores. In: the characters of a view.
Out: the characters without leaders, and the typed rulings as boxes.
"""

from __future__ import annotations

import unicodedata

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.arrays import median
from tabellion.read.pdf.paths import Boxes
from tabellion.values.texts import leftward_letters

_WORD_GAP = 0.2  # of the type size: narrower gaps are kerning; the narrowest blanks of justified text are wider
_PARTED_GAP = 0.1  # the same where PDFium, which knows the font's own blank, sees one
_CAPITAL_GAP = 0.06  # the same between a small letter and a capital, which are drawn together: "Hye Yoon", "of Age"
_BACK_STEP = -0.7  # a step back by more than this is a new place, not kerning
_BASELINE_STEP = 0.12  # of the size: text on one line varies less
_SIZE_STEP = 0.12
_SPACED_LETTERS = 6  # so many letters with even gaps are one spaced word
_SPACED_GAP = 0.55  # of the size: letters further apart are table cells
_BLANKS = frozenset((0x09, 0x0A, 0x0D, 0x20, 0xA0, 0x3000, *range(0x2000, 0x200B), 0x202F, 0x205F))
_NOTHING = frozenset((0x200B, 0x200C, 0x200D, 0xFEFF, 0x00))
_END_HYPHEN = 0x02  # PDFium's mark for a hyphen at the end of a line
_REPLACED = {
    0xAD: "-",
    0x2217: "*",  # the operator of mathematical fonts, in which marks of notes are set
    0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st",
    0xF0B7: "•", 0xF0A7: "▪", 0xF06E: "■", 0xF0B1: "±", 0xF0B4: "×", 0xF0A3: "≤", 0xF0B3: "≥", 0xF0B0: "°",
    0xF02D: "−", 0xF02B: "+", 0xF03D: "=", 0xF0B9: "≠", 0xF0BB: "≈", 0xF02A: "*", 0xF061: "α", 0xF062: "β",
    0xF063: "χ", 0xF064: "δ", 0xF065: "ε", 0xF067: "γ", 0xF068: "η", 0xF06B: "κ", 0xF06C: "λ", 0xF06D: "μ",
    0xF070: "π", 0xF071: "θ", 0xF072: "ρ", 0xF073: "σ", 0xF074: "τ", 0xF077: "ω", 0xF044: "Δ", 0xF053: "Σ",
}  # fmt: skip


class LetterBoxes(msgspec.Struct, frozen=True, eq=False):
    """The characters of one view: reading runs to the right, y grows downwards."""

    code: NDArray[np.uint32]
    box: NDArray[np.float32]  # left, top, right, bottom
    baseline: NDArray[np.float32]
    size: NDArray[np.float32]
    font: NDArray[np.int32]
    colour: NDArray[np.uint32]
    parted: NDArray[np.bool_]  # PDFium sees a blank before it


class RawWords(msgspec.Struct, frozen=True, eq=False):
    """Words in content order, before they are joined to pieces. `tied`: no blank character stands before."""

    text: list[str]
    box: NDArray[np.float32]
    baseline: NDArray[np.float32]
    size: NDArray[np.float32]
    font: NDArray[np.int32]
    colour: NDArray[np.uint32]
    letters: NDArray[np.int32]
    tied: NDArray[np.bool_]


_NONE = np.zeros(0, dtype=np.float32)
_INDEX = np.zeros(0, dtype=np.int32)
_COLOUR = np.zeros(0, dtype=np.uint32)
NO_LETTERS = LetterBoxes(_COLOUR, _NONE.reshape(0, 4), _NONE, _NONE, _INDEX, _COLOUR, np.zeros(0, dtype=bool))
_NO_WORDS = RawWords([], _NONE.reshape(0, 4), _NONE, _NONE, _INDEX, _COLOUR, _INDEX, np.zeros(0, dtype=bool))


def read_words(letters: LetterBoxes) -> RawWords:
    """The words of a view, in content order."""
    letters = _from_the_right(letters)
    code = letters.code
    blank = np.isin(code, list(_BLANKS))
    ink = ~blank & ~np.isin(code, list(_NOTHING))
    at = np.flatnonzero(ink)
    if not len(at):
        return _NO_WORDS
    blanks_so_far = np.cumsum(blank)[at]
    after_blank = np.append(False, np.diff(blanks_so_far) > 0)
    new, tied = _breaks(letters, at, after_blank)
    start = np.flatnonzero(new)
    end = np.append(start[1:], len(at))
    box = letters.box[at]
    first = at[start]
    return RawWords(
        text=_spell(code[at], start.tolist(), end.tolist()),
        box=np.column_stack(
            [
                np.minimum.reduceat(box[:, 0], start),
                np.minimum.reduceat(box[:, 1], start),
                np.maximum.reduceat(box[:, 2], start),
                np.maximum.reduceat(box[:, 3], start),
            ]
        ),
        baseline=letters.baseline[first],
        size=letters.size[first],
        font=letters.font[first],
        colour=letters.colour[first],
        letters=(end - start).astype(np.int32),
        tied=tied[start],
    )


def _breaks(
    letters: LetterBoxes, at: NDArray[np.intp], after_blank: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Where a word begins, and where it begins right at the end of the one before it."""
    box, base, size = letters.box[at], letters.baseline[at], letters.size[at]
    wide = np.maximum(size[1:], size[:-1])
    rightwards = box[1:, 0] - box[:-1, 2]
    leftwards = box[:-1, 0] - box[1:, 2]
    to_left = leftward_letters(letters.code[at])
    gap = np.where(to_left[1:] & to_left[:-1], leftwards, rightwards) / wide
    level = np.abs(np.diff(base)) <= _BASELINE_STEP * wide
    alike = np.abs(np.diff(size)) <= _SIZE_STEP * wide
    limit = np.where(letters.parted[at][1:], _PARTED_GAP, _WORD_GAP)
    before_capital = _small_to_capital(letters.code[at])
    limit[before_capital] = np.where(letters.parted[at][1:][before_capital], _BACK_STEP, _CAPITAL_GAP)
    _widen_for_spaced_letters(letters.code[at], gap, level & alike & ~after_blank[1:], limit)
    ligature = np.abs(box[1:] - box[:-1]).max(axis=1) < 0.01  # one glyph that stands for several letters
    near = ((gap <= limit) & (gap >= _BACK_STEP)) | ligature
    joined = level & alike & near & ~after_blank[1:]
    new = np.append(True, ~joined)
    overlap = np.minimum(box[1:, 3], box[:-1, 3]) - np.maximum(box[1:, 1], box[:-1, 1])
    tied = np.append(False, near & ~after_blank[1:] & (overlap > 0))
    return new, tied


def _small_to_capital(code: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Where a capital of the Latin alphabet follows a small letter."""
    small = ((code >= 97) & (code <= 122)) | ((code >= 0xDF) & (code <= 0xFF) & (code != 0xF7))
    return np.asarray(small[:-1] & (code[1:] >= 65) & (code[1:] <= 90))


def _from_the_right(letters: LetterBoxes) -> LetterBoxes:
    """Letters of scripts that run to the left in the order in which they are read.

    Content often has them as they stand from left to right, word by word. Marks stay behind the letter that they stand
    over; letters of one glyph keep their order.
    """
    leftwards = leftward_letters(letters.code)
    if not leftwards.any():
        return letters
    level = np.abs(np.diff(letters.baseline)) <= _BASELINE_STEP * letters.size[1:]
    starts = np.flatnonzero(np.append(True, ~(leftwards[1:] & leftwards[:-1] & level)))
    order = np.arange(len(leftwards))
    middle = (letters.box[:, 0] + letters.box[:, 2]) / 2
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(order)], strict=True):
        if end - start < 2:
            continue
        x = middle[start:end].copy()
        marks = [k for k in range(end - start) if unicodedata.combining(chr(int(letters.code[start + k])))]
        bases = [k for k in range(end - start) if k not in marks]
        for k in marks if bases else ():
            x[k] = x[min(bases, key=lambda base: abs(float(middle[start + base] - middle[start + k])))]
        behind = np.isin(np.arange(end - start), marks)
        order[start:end] = start + np.lexsort((behind, -x))
    return LetterBoxes(*(getattr(letters, name)[order] for name in letters.__struct_fields__))


def _widen_for_spaced_letters(
    code: NDArray[np.uint32],
    gap: NDArray[np.floating],
    together: NDArray[np.bool_],
    limit: NDArray[np.float64],
) -> None:
    """Raise the limit inside strands of letters whose gaps are all wide and even."""
    letter = ((code >= 65) & (code <= 90)) | ((code >= 97) & (code <= 122)) | (code >= 0xC0)
    wide = together & letter[1:] & letter[:-1] & (gap > _WORD_GAP) & (gap < _SPACED_GAP)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], wide, [False])).astype(np.int8)))
    for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if end - start + 1 >= _SPACED_LETTERS:
            middle = median(gap[start:end])
            limit[start:end] = middle + 0.15


def _spell(codes: NDArray[np.uint32], starts: list[int], ends: list[int]) -> list[str]:
    """The texts of words, each from one place of the characters to another."""
    codes = np.where(codes == _END_HYPHEN, ord("-"), np.where(codes < 0x20, 0xFFFD, codes)).astype("<u4")
    letters = codes.tobytes().decode("utf-32-le", "surrogatepass")
    texts = [letters[a:b] for a, b in zip(starts, ends, strict=True)]
    if letters.isascii():
        return texts
    return [t if t.isascii() else unicodedata.normalize("NFC", t.translate(_REPLACED)) for t in texts]


_FEWEST_DOTS = 4  # an ellipsis has three
_FEWEST_DASHES = 5
_FARTHEST_DOT = 1.5  # of the size: dots further apart are no leaders
_DOTS = (0x2E, 0xB7, 0x2024, 0x2026, 0x22EF)
_DASHES = (0x2D, 0x5F, 0x3D, 0x2013, 0x2014, 0x2500, 0x2501, 0x2011, 0xAF, 0x2212)
_BLANK = 0x20


def strip_leaders(letters: LetterBoxes) -> tuple[LetterBoxes, Boxes]:
    """The characters with leader dots as blanks and typed rulings taken out; the rulings."""
    code = letters.code.copy()
    blank = np.isin(code, (0x20, 0xA0, 0x09))
    at = np.flatnonzero(~blank)
    rulings: list[tuple[float, float, float, float]] = []
    for kinds, fewest in ((_DOTS, _FEWEST_DOTS), (_DASHES, _FEWEST_DASHES)):
        for start, end in _runs(letters, at, kinds):
            if end - start < fewest:
                continue
            run = at[start:end]
            code[run] = _BLANK
            if kinds is _DASHES:
                box = letters.box[run]
                level = float((box[:, 1] + box[:, 3]).mean() / 2)
                if letters.code[run[0]] == 0x5F:
                    level = float(letters.baseline[run[0]]) + 1.0
                rulings.append((float(box[:, 0].min()), level - 0.25, float(box[:, 2].max()), level + 0.25))
    return (
        msgspec.structs.replace(letters, code=code),
        np.array(rulings, dtype=np.float32).reshape(-1, 4),
    )


def _runs(letters: LetterBoxes, at: NDArray[np.intp], kinds: tuple[int, ...]) -> list[tuple[int, int]]:
    """Runs of like characters side by side on one line: start and end in `at`."""
    code, box, size = letters.code[at], letters.box[at], letters.size[at]
    hit = np.isin(code, kinds)
    if hit.sum() < min(_FEWEST_DOTS, _FEWEST_DASHES):
        return []
    follows = (
        hit[1:]
        & hit[:-1]
        & (code[1:] == code[:-1])
        & (np.abs(np.diff(letters.baseline[at])) < 0.2 * size[1:])
        & (np.abs(box[1:, 0] - box[:-1, 2]) < _FARTHEST_DOT * size[1:])
    )
    edges = np.flatnonzero(np.diff(np.concatenate(([False], follows, [False])).astype(np.int8)))
    return [(a, b + 1) for a, b in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)]
