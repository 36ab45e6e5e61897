"""How any two tokens are related, as the network is told it.

In: the codes of the tokens. Out: for each pair numbers of relations: some exclude each other and are one number (how
many rows the one is below the other), others may hold together and are bits. `RELATIONS` names them all in the order of
the network's weights. The first place of every pair of lines is the null token, to which what has no label points.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Codes = dict[str, NDArray[np.int16]]

ROWS_APART = (-30, -12, -6, -3, -2, -1, 0, 1, 2, 3, 4, 7, 13, 31)
COLUMNS_APART = (-7, -4, -2, -1, 0, 1, 2, 3, 5, 8)
ROW_RANK, COLUMN_RANK, ROW_BANDS, COLUMN_BANDS = 3, 4, 3, 2
"""From how many places apart on ranks in one row, in one column, and blank bands between count alike."""

GROUPS = {
    "rows apart": len(ROWS_APART) + 1,
    "columns apart": len(COLUMNS_APART) + 1,
    "places apart in the row": 2 * ROW_RANK + 1,
    "places apart in the column": 2 * COLUMN_RANK + 1,
    "blank bands of rows between": ROW_BANDS + 1,
    "blank bands of columns between": COLUMN_BANDS + 1,
    "indent beside the other in its column": 3,
}
"""Relations of which at most one of each group holds, with how many there are."""

LABELS_ABOVE = ("less_indented", "valueless", "bold", "outer")
FLAGS = (
    "look alike", "of one kind", "say the same", "covers", "is covered", "spreads over", "is spread over",
    *(f"{name} above{way}" for name in LABELS_ABOVE for way in ("", ", the other way")),
    "sums up", "is summed up by", "one column, no band between", "one row, no band between", "to none", "from none",
)  # fmt: skip
RELATIONS = (*(f"{name} {n}" for name, count in GROUPS.items() for n in range(count)), *FLAGS)


def apart(values: NDArray[np.int16]) -> NDArray[np.int32]:
    """How far each token is after each other one: [i, j] is j less i."""
    wide = values.astype(np.int32)
    return np.asarray(wide[None, :] - wide[:, None])


def relate_groups(codes: Codes) -> dict[str, NDArray[np.int32]]:
    """Which relation of each group holds of each pair; -1 where none does."""
    rows, columns = apart(codes["row"]), apart(codes["column"])
    one_row, one_column = rows == 0, columns == 0
    return {
        "rows apart": np.searchsorted(ROWS_APART, rows, side="right").astype(np.int32),
        "columns apart": np.searchsorted(COLUMNS_APART, columns, side="right").astype(np.int32),
        "places apart in the row": _within(apart(codes["row_rank"]), ROW_RANK, one_row),
        "places apart in the column": _within(apart(codes["column_rank"]), COLUMN_RANK, one_column),
        "blank bands of rows between": np.minimum(np.abs(apart(codes["row_band"])), ROW_BANDS),
        "blank bands of columns between": np.minimum(np.abs(apart(codes["column_band"])), COLUMN_BANDS),
        "indent beside the other in its column": np.where(one_column, np.sign(apart(codes["indent"])) + 1, -1),
    }


def _within(places: NDArray[np.int32], most: int, where: NDArray[np.bool_]) -> NDArray[np.int32]:
    return np.where(where, np.clip(places, -most, most) + most, -1)


def relate_flags(codes: Codes) -> list[NDArray[np.bool_]]:
    """The relations that may hold together, in the order of `FLAGS`; those with the null token left out."""
    rows, columns = apart(codes["row"]), apart(codes["column"])
    above = rows < 0
    at = codes["column"][:, None]
    first, last, spread = codes["first_column"][None, :], codes["last_column"][None, :], codes["spread_to"][None, :]
    covered = above & (first <= at) & (last >= at) & (last > first)
    spread_over = above & (first <= at) & (spread >= at)
    row = codes["row"][None, :]
    summed = (codes["run_first"][:, None] <= row) & (row <= codes["run_last"][:, None]) & (columns == 0)
    found = [apart(codes[name]) == 0 for name in ("look", "kind", "text")]
    found += [covered, covered.T, spread_over, spread_over.T]
    tokens = np.arange(1, len(codes["row"]) + 1)
    for name in LABELS_ABOVE:
        pointed = codes[name][:, None] == tokens[None, :]
        found += [pointed, pointed.T]
    found += [summed, summed.T]
    found.append((columns == 0) & (apart(codes["row_band"]) == 0))
    found.append((rows == 0) & (apart(codes["column_band"]) == 0))
    return found
