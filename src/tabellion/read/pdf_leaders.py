"""Characters that stand for lines: leader dots, and rulings typed as hyphens or underscores.

Goes in: the characters of a view. Comes out: the characters without leaders, and the typed rulings as boxes.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.read.pdf_space import Boxes
from tabellion.read.pdf_words import LetterBoxes

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
