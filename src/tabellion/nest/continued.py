"""Labels that are broken over several rows.

In: the rows and columns of a strand's labels. Out: which of them go on with the label before. Such a row follows at
once; it or the row before has no values; it begins with a small letter in a stub that does not usually do so, or the
row before ends in a comma or a small word. "Of which:" and a unit in brackets below a row without values go on as
well. Fails where a broken line begins with a capital letter.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from tabellion.model.frame import Frame
from tabellion.nest.wording import read_wordings

USUAL = 0.3  # where more labels than this begin with a small letter, that says nothing

_IN_BRACKETS = re.compile(r"[(\[].*[)\]]")
_OF_WHICH = re.compile(r"(?:of|out of) (?:which|whom)|thereof|including|darunter|davon|dont|waarvan", re.IGNORECASE)


def find_continued(frame: Frame, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[np.bool_]:
    """For each label whether it goes on with the one before."""
    result = np.zeros(len(rows), dtype=bool)
    if len(rows) < 2:
        return result
    grid = frame.grid
    values = np.asarray(frame.value_columns, dtype=np.intp)
    filled = grid.filled[np.ix_(rows, values)] & (values[None, :] != columns[:, None])
    empty = ~filled.any(axis=1)
    after_empty = np.concatenate([[False], empty[:-1]])
    follows = np.concatenate([[False], (np.diff(rows) == 1) & (np.diff(columns) == 0)])
    if not (follows & (empty | after_empty)).any():
        return result
    texts = [str(text).strip() for text in grid.label[rows, columns]]
    for here in np.nonzero(empty & follows)[0].tolist():
        result[here] = says_of_which(texts[here])
    result |= empty & after_empty & follows & np.array([_IN_BRACKETS.fullmatch(text) is not None for text in texts])
    wordings, which = read_wordings(texts)
    small, open_ended, colon = (
        np.array([getattr(w, name) for w in wordings], dtype=bool)[which] for name in ("lower", "open_ended", "colon")
    )
    indent = grid.indent[rows, columns]
    begins_small = small & (small.mean() < USUAL)
    before_open = np.concatenate([[False], open_ended[:-1] & ~empty[:-1]])
    before_colon = np.concatenate([[False], colon[:-1]])
    not_shallower = np.concatenate([[False], np.diff(indent) >= 0])
    leads = np.concatenate([np.diff(indent) > 0, [False]])  # the next row is deeper: this one heads it
    goes_on = empty & ((~leads & (begins_small | before_open)) | (after_empty & begins_small & ~before_colon))
    halved = np.concatenate([[False], open_ended[:-1] & empty[:-1]])
    ends = ~empty & after_empty & ((begins_small & _alone_below(indent) & ~before_colon) | halved)
    return np.asarray(result | (follows & not_shallower & (goes_on | ends)))


def says_of_which(text: str) -> bool:
    """Whether a label says only that parts follow.

    >>> says_of_which("Of which:"), says_of_which("Of which women")
    (True, False)
    """
    return _OF_WHICH.fullmatch(text.strip(" :.")) is not None


def _alone_below(indent: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Labels that the next one does not stand beside: it is shallower, or there is none."""
    return np.append(np.diff(indent) < 0, True)
