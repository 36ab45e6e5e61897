"""Which documents are kept apart when a method is measured.

The documents of a group (a workbook, an agency, a table name: the split key of the corpus's README) always share a
fold, and the fold is the same for all learned parts, so that the whole flow can be scored on documents that
none of its weights has seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

FOLDS = 5


def assign_folds(corpus: str, groups: Iterable[str]) -> dict[str, int]:
    """The fold of each group: groups in the order of a stable hash, dealt out in turn, so that folds are even.

    >>> assign_folds("statsheets", ["abs", "who", "ilo", "abs"])
    {'abs': 0, 'ilo': 1, 'who': 2}
    """
    ordered = sorted(set(groups), key=lambda group: sha256(f"{corpus}/{group}".encode()).hexdigest())
    return {group: place % FOLDS for place, group in enumerate(ordered)}
