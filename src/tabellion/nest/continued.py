"""Labels that are broken over several rows.

In: the rows and columns of a strand's labels. Out: which of them go on with the label before. Such a row follows at
once; it or the row before has no values; it begins with a small letter in a stub that does not usually do so, or the
row before ends in a comma or a small word. "Of which:" and a unit in brackets below a row without values go on as
well. Fails where a broken line begins with a capital letter.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tabellion.model.frame import Frame
from tabellion.nest.wording import Wording, read_wordings
from tabellion.patterns import lazy_pattern
from tabellion.values.vocabulary import lexicon

_MOST_LINES = 12  # of one label: what seems to go on for longer are labels of their own
USUAL = 0.3  # where more labels than this begin with a small letter, that says nothing

_IN_BRACKETS = lazy_pattern(r"[(\[].*[)\]]")


def find_continued(frame: Frame, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[np.bool_]:
    """For each label whether it goes on with the one before."""
    result = np.zeros(len(rows), dtype=bool)
    if len(rows) < 2:
        return result
    grid = frame.grid
    values = np.asarray(frame.value_columns, dtype=np.intp)
    filled = grid.filled[rows[:, None], values] & (values != columns[:, None])
    empty = ~filled.any(axis=1)
    follows = (rows[1:] - rows[:-1] == 1) & (columns[1:] == columns[:-1])
    places = np.flatnonzero(follows & (empty[1:] | empty[:-1])) + 1
    if len(places):
        labels = _Labels(
            [text.strip() for text in grid.label[rows, columns].tolist()], empty, grid.indent[rows, columns]
        )
        lines = 1
        for here in places.tolist():
            lines = lines + 1 if result[here - 1] else 2
            result[here] = lines <= _MOST_LINES and labels.goes_on(here)
    return result


class _Labels:
    """The labels of a strand, each of which may go on with the one before."""

    def __init__(self, texts: list[str], empty: NDArray[np.bool_], indent: NDArray[np.float32]) -> None:
        self.texts, self.empty, self.indent = texts, empty.tolist(), indent.tolist()

    @cached_property
    def _wordings(self) -> tuple[list[Wording], list[int]]:
        distinct, which = read_wordings(self.texts)
        return distinct, which.tolist()

    def wording(self, here: int) -> Wording:
        distinct, which = self._wordings
        return distinct[which[here]]

    @cached_property
    def small_is_rare(self) -> bool:
        return sum(self.wording(here).lower for here in range(len(self.texts))) / len(self.texts) < USUAL

    def goes_on(self, here: int) -> bool:
        """Whether a label that follows at once, it or the one before without values, goes on with the one before."""
        text, indent, empty, after_empty = self.texts[here], self.indent, self.empty[here], self.empty[here - 1]
        if empty and (says_of_which(text) or (after_empty and _IN_BRACKETS.fullmatch(text))):
            return True
        if indent[here] < indent[here - 1]:
            return False
        before = self.wording(here - 1)
        begins_small = self.wording(here).lower and self.small_is_rare
        step = indent[here + 1] - indent[here] if here + 1 < len(indent) else None
        if not empty:
            alone = step is None or step < 0
            return before.open_ended or (begins_small and alone and not before.colon)
        heads = step is not None and step > 0
        if not heads and (begins_small or (before.open_ended and not after_empty)):
            return True
        return after_empty and begins_small and not before.colon


def says_of_which(text: str) -> bool:
    """Whether a label says only that parts follow.

    >>> says_of_which("Of which:"), says_of_which("Of which women")
    (True, False)
    """
    return lexicon("of which").fills(text)
