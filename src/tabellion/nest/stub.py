"""The strands of a stub, and header rows that are really labels of the rows below them.

The strands of a stub: which of its columns make one hierarchy, and which blanks inherit the label above. In: a frame.
Out: strands, each with its labels in reading order. Columns of which a row fills exactly one are one strand, staggered:
the next column is a deeper indent. All other columns are strands of their own, since a row then has a label in each of
them. A row of the body whose only text stands among the values is a label of the first strand. Fails where a staggered
column and a column of codes look alike because too few rows are filled.

Which of a frame's header rows are really labels of the rows below them. In: a frame. Out: its header rows without the
last ones that stand over no value but in the stub alone ("Province", or the first group of the body), and the rows
whose stub cells are labels: those and the body. Fails where the head of the stub has a row of its own below all others:
it then heads the rows as a label.

Outer labels that are written downwards, one sign in each row.

In: a column of the stub. Out: the runs of such signs, each with the rows that it labels. Three rows or more of a single
letter each, at even distances, are one label. It stands in the middle of its rows: they begin at the line, or at the
label, above it, and end at the line below it, or as far below as they began above.
Fails where a column of one-letter codes has no code twice and stands at even distances.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.arrays import distinct
from tabellion.model.frame import Frame
from tabellion.model.grid import Content, Grid
from tabellion.nest.pieces import find_continued
from tabellion.patterns import lazy_pattern


def part_head(frame: Frame) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The rows of the head proper, and the rows of labels."""
    head = list(frame.header_rows)
    labels: list[int] = []
    while head and _labels_below(frame, head[-1]):
        labels.insert(0, head.pop())
    return tuple(head), (*labels, *frame.body_rows)


def _labels_below(frame: Frame, row: int) -> bool:
    """Whether a header row has one cell in the stub, and nothing over the values.

    Headers merged down from above count as something, one cell over all values (a unit) does not.
    """
    grid, stub, values = frame.grid, list(frame.stub_columns), list(frame.value_columns)
    if not frame.body_rows or row > frame.body_rows[0] or not values:
        return False
    if grid.filled[row, values].any() or int(grid.filled[row, stub].sum()) != 1:
        return False
    homes = distinct(grid.home[row, values])
    under_headers = (homes // grid.shape[1] < row).any() and len(homes) > 1
    return not under_headers and not (grid.home[row, stub] // grid.shape[1] < row).any()


_COUNT = lazy_pattern(r"\W*(\d{1,3})\W*")
RUNNING = 0.8  # of the numbers of a column that begin at one or go on with the one before
_TEXT = int(Content.TEXT)  # numpy is slow to ask an enumeration


class StubSettings(msgspec.Struct, frozen=True):
    """When columns belong together and when blanks inherit."""

    both_filled: float = 0.1  # staggered columns: rows that fill both, of the rows that fill the rarer one
    followed_by_blank: float = 0.4  # labels of an inheriting column that have blank rows below them


class Strand(msgspec.Struct, frozen=True, eq=False):
    """The labels of one hierarchy of the stub in reading order, and where blanks repeat them.

    `step` counts the staggered columns before a label's own. `heir` gives for each row of `rows` the label that speaks
    for it (its own, or the one above where the column works so), or -1. `more` are the rows on which a label that
    is broken over several rows goes on, with "Of which:" as such a row. One strand of a stub leads: the one with the
    most words, of which rows without values and totals speak; others are mostly codes and units.
    """

    columns: tuple[int, ...]
    rows: NDArray[np.intp]
    row: NDArray[np.intp]
    column: NDArray[np.intp]
    step: NDArray[np.intp]
    heir: NDArray[np.intp]
    more: dict[int, tuple[int, ...]]
    leads: bool = True

    def __len__(self) -> int:
        return len(self.row)

    def value_rows(self, frame: Frame) -> NDArray[np.intp]:
        """The row of each label's values: its own, or the first on which it goes on that has any."""
        rows = self.row.copy()
        values = list(frame.value_columns)
        for place, more in self.more.items():
            options = (int(rows[place]), *more)
            rows[place] = next((r for r in options if frame.grid.filled[r, values].any()), options[0])
        return rows


def find_strands(frame: Frame, settings: StubSettings = StubSettings()) -> list[Strand]:
    """The strands of a frame's stub, leftmost first; blank columns have none."""
    rows = np.asarray(part_head(frame)[1], dtype=np.intp)
    filled = frame.grid.filled[rows[:, None], list(frame.stub_columns)]
    columns = [frame.stub_columns[place] for place in np.nonzero(filled.any(axis=0))[0].tolist()]
    lonely = _lonely_texts(frame, rows)
    strands: list[Strand] = []
    for number, group in enumerate(_grouped(frame, rows, columns, settings)):
        strands.append(_strand(frame, rows, group, lonely if number == 0 else {}, settings))
    if not strands and lonely:
        strands.append(_strand(frame, rows, (), lonely, settings))
    if len(strands) < 2:
        return strands
    leader = int(np.argmax([_words(frame, strand) for strand in strands]))
    return [msgspec.structs.replace(strand, leads=number == leader) for number, strand in enumerate(strands)]


def _words(frame: Frame, strand: Strand) -> int:
    """How many different texts with a letter a strand has."""
    texts = set(frame.grid.label[strand.row, strand.column].tolist())
    return sum(any(sign.isalpha() for sign in text) for text in texts)


def _grouped(frame: Frame, rows: NDArray[np.intp], columns: list[int], settings: StubSettings) -> list[tuple[int, ...]]:
    """Neighbouring columns that no row fills together, as one group."""
    groups: list[tuple[int, ...]] = []
    for column in columns:
        if groups and groups[-1][-1] < column and _staggered(frame, rows, groups[-1], column, settings):
            groups[-1] = (*groups[-1], column)
        else:
            groups.append((column,))
    return groups


def _staggered(
    frame: Frame, rows: NDArray[np.intp], group: tuple[int, ...], column: int, settings: StubSettings
) -> bool:
    grid = frame.grid
    before = grid.filled[rows[:, None], list(group)].any(axis=1)
    here = grid.filled[rows, column]
    words = grid.content[rows, column] == _TEXT
    labelled = set(rows.tolist())
    span_down = any(
        down > 1 and place[1] in group and place[0] in labelled for place, (down, _) in grid.span_at.items()
    )
    if span_down or 2 * int(words.sum()) < int(here.sum()) or not before.any():
        return False
    both = int((before & here).sum())
    return both <= settings.both_filled * min(int(before.sum()), int(here.sum()))


def _lonely_texts(frame: Frame, rows: NDArray[np.intp]) -> dict[int, int]:
    """Body rows whose only filled cell is a text among the values: row -> its column.

    Where the values below and above it are texts too, it is one of them, unless it is merged over columns.
    """
    grid = frame.grid
    inside = grid.filled[rows, frame.rect.left : frame.rect.right + 1]
    single = np.add.reduce(inside, axis=1, dtype=np.intp) == 1
    values = set(frame.value_columns)
    found: dict[int, int] = {}
    for row in rows[single].tolist():
        column = int(grid.filled[row, frame.rect.left :].argmax()) + frame.rect.left
        if column in values and grid.content[row, column] == _TEXT and not _among_texts(grid, rows, row, column):
            found[row] = column
    return found


def _among_texts(grid: Grid, rows: NDArray[np.intp], row: int, column: int) -> bool:
    """Whether a cell of one column stands among texts: most of what the column says in other rows."""
    said = grid.content[rows[rows != row], column]
    texts = int((said == _TEXT).sum())
    return grid.span_at.get((row, column), (1, 1))[1] == 1 and 2 * texts > int((said != Content.EMPTY).sum())


def _strand(
    frame: Frame, rows: NDArray[np.intp], columns: tuple[int, ...], lonely: dict[int, int], settings: StubSettings
) -> Strand:
    grid = frame.grid
    own = np.full(len(rows), -1, dtype=np.intp)
    step = np.zeros(len(rows), dtype=np.intp)
    for number, column in reversed(list(enumerate(columns))):
        here = grid.filled[rows, column]
        own[here], step[here] = column, number
    for i, row in enumerate(rows.tolist()) if lonely else ():
        if own[i] < 0 and row in lonely:
            own[i] = lonely[row]
    have = np.nonzero(own >= 0)[0]
    goes_on = find_continued(frame, rows[have], own[have])
    upright = find_upright(grid, rows, columns[0]) if len(columns) == 1 else []
    for label in upright:
        goes_on[np.isin(have, label.signs)] = True
        goes_on[have == label.signs[0]] = False
    first = have[~goes_on]
    heir = np.full(len(rows), -1, dtype=np.intp)
    heir[have] = (~goes_on).cumsum() - 1
    more: dict[int, tuple[int, ...]] = {}
    for place in have[goes_on].tolist():
        more[int(heir[place])] = (*more.get(int(heir[place]), ()), int(rows[place]))
    for label in upright:
        heir[label.first : label.last + 1] = heir[label.signs[0]]
    return Strand(
        columns=columns,
        rows=rows,
        row=rows[first],
        column=own[first],
        step=step[first],
        heir=_inherited(frame, rows, columns, heir, settings),
        more=more,
    )


def _inherited(
    frame: Frame, rows: NDArray[np.intp], columns: tuple[int, ...], heir: NDArray[np.intp], settings: StubSettings
) -> NDArray[np.intp]:
    """The label of every row: its own, that of a span over it, or the one above in a column of such blanks."""
    if (heir >= 0).all():
        return heir
    grid = frame.grid
    heir = heir.copy()
    own = dict(zip(rows.tolist(), heir.tolist(), strict=True))
    for (row, column), (down, _) in grid.span_at.items():
        if down > 1 and column in columns and own.get(row, -1) >= 0:
            covered = (rows > row) & (rows < row + down) & (heir < 0)
            heir[covered] = own[row]
    values = grid.filled[rows[:, None], list(frame.value_columns)].any(axis=1)
    blank = (heir < 0) & values
    labelled = heir >= 0
    followed = labelled[:-1] & blank[1:]
    merged = labelled & (np.array(list(own.values())) < 0)  # where labels are merged over rows, others speak for blanks
    enough = 0 if merged.any() else max(1, settings.followed_by_blank * int((labelled & values).sum()))
    outer = len(columns) == 1 and _is_outer(frame, rows[blank], columns[0])
    if outer and followed.sum() > enough:
        above = np.maximum.accumulate(np.where(labelled, np.arange(len(rows)), -1))
        fill = blank & (above >= 0)
        heir[fill] = heir[above[fill]]
    return heir


def _is_outer(frame: Frame, rows: NDArray[np.intp], column: int) -> bool:
    """Whether rows in which a stub column is blank have labels further right, and the column is more than a count."""
    grid = frame.grid
    inner = [c for c in frame.stub_columns if c > column]
    if len(frame.stub_columns) > 1 and not grid.filled[rows[:, None], inner].any():
        return False
    return not _counts([str(text) for text in grid.label[list(frame.body_rows), column] if text])


def _counts(texts: list[str]) -> bool:
    """Whether texts are running numbers alone: "1", "2", "(1)", "(2)"."""
    found = [_COUNT.fullmatch(text) for text in texts]
    numbers = [int(one[1]) for one in found if one]
    running = sum(number in (1, before + 1) for before, number in zip([0, *numbers], numbers, strict=False))
    return len(numbers) == len(texts) and running >= RUNNING * len(numbers)


LEAST = 3  # signs of an upright label
MOST_APART = 3  # rows from one sign to the next


class Upright(msgspec.Struct, frozen=True):
    """The places of a label's signs among the rows, and the first and last place that it labels."""

    signs: tuple[int, ...]
    first: int
    last: int


def find_upright(grid: Grid, rows: NDArray[np.intp], column: int) -> list[Upright]:
    """The upright labels of a column, from the top."""
    filled = np.flatnonzero(grid.filled[rows, column]).tolist()
    found: list[Upright] = []
    for run in _runs(grid, rows, column, filled):
        free_from = found[-1].last + 1 if found else 0
        first, last = run[0], run[-1]
        while first > free_from and first - 1 not in filled and not _line(grid, rows, column, first):
            first -= 1
        end = next((place for place in filled if place > last), len(rows)) - 1
        line = next((place for place in range(last, end + 1) if _line(grid, rows, column, place + 1)), None)
        last = min(end, last + run[0] - first) if line is None else line
        found.append(Upright(tuple(run), first, last))
    return found


def _runs(grid: Grid, rows: NDArray[np.intp], column: int, filled: Sequence[int]) -> Iterator[list[int]]:
    """Runs of single letters at even distances that no line parts."""
    signs = [place for place in filled if _is_sign(str(grid.label[rows[place], column]))]
    run: list[int] = []
    for before, place in pairwise([-MOST_APART - 1, *signs]):
        apart = place - before
        goes_on = (
            run
            and apart <= MOST_APART
            and (len(run) == 1 or apart == run[1] - run[0])
            and not any(at in filled for at in range(before + 1, place))
            and not any(_line(grid, rows, column, at) for at in range(before + 1, place + 1))
        )
        if not goes_on:
            if len(run) >= LEAST:
                yield run
            run = []
        run.append(place)
    if len(run) >= LEAST:
        yield run


def _is_sign(text: str) -> bool:
    """Whether a text is one letter that is a syllable or a word: letters of alphabets in a column are codes."""
    bare = text.strip()
    return len(bare) == 1 and bare.isalpha() and not bare.isascii()


def _line(grid: Grid, rows: NDArray[np.intp], column: int, place: int) -> bool:
    """Whether a line is drawn above the row at this place."""
    if not 0 < place < len(rows):
        return True
    above, here = (grid.styles[grid.style[rows[at], column]] for at in (place - 1, place))
    return bool(above.border_bottom or here.border_top)
