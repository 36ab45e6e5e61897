"""Labels that are broken over several rows.

In: the rows and columns of a strand's labels. Out: which of them go on with the label before. Such a row has no values
and follows at once; it begins with a small letter in a stub that does not usually do so, or the row before ends in a
comma or a small word, or it says nothing but "Of which:". Fails where a broken line begins with a capital letter.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from tabellion.model.frame import Frame
from tabellion.nest.wording import read_wordings

USUAL = 0.3  # where more labels than this begin with a small letter, that says nothing

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
    follows = np.concatenate([[False], (np.diff(rows) == 1) & (np.diff(columns) == 0)])
    for here in np.nonzero(empty & follows)[0].tolist():
        text = str(grid.label[rows[here], columns[here]]).strip()
        result[here] = _OF_WHICH.fullmatch(text.rstrip(" :.")) is not None
    maybe = empty & follows & ~result
    if not maybe.any():
        return result
    wordings, which = read_wordings([str(t) for t in grid.label[rows, columns]])
    small = np.array([w.lower for w in wordings])[which]
    open_ended = np.array([w.open_ended for w in wordings])[which]
    indent = grid.indent[rows, columns]
    before_open = np.concatenate([[False], open_ended[:-1] & ~empty[:-1]])
    not_shallower = np.concatenate([[False], np.diff(indent) >= 0])
    leads = np.concatenate([np.diff(indent) > 0, [False]])  # the next row is deeper: this one heads it
    begins_small = small & (small.mean() < USUAL)
    return np.asarray(result | (maybe & not_shallower & ~leads & (begins_small | before_open)))
