"""The columns of a relation that name its rows, though they are fields like the others; one code for all media.

In: a grid, the rows of a body and its columns. Out: the key: the shortest run of leading columns whose texts tell the
rows apart (the subject column of a relation; T2Dv2 calls it the key). Columns that cannot name anything (pictures,
forms, prose, hardly filled ones) are passed over. A blank in an outer column stands for the label above it. Where a key
of numbers has a column of names after it, that one is of the key too (rank and country). Where no few columns tell the
rows apart, the first alone says what it can; measured numbers never help it. Numbers among nothing but numbers name a
row only where they go one way, as years, counts and the steps of an experiment do. Numbers that count on from row to
row are one run, a calendar's days, and name nothing. The last column names the rows where it alone is of words and the
numbers before it are no series of years or steps, but in print. Fails where other columns stand behind the names.

`settle_stub` holds what was taken for a stub against the same: what comes after the rows are told apart, and says the
same of several or counts something of some, is a field; measured numbers, which go up and down, name nothing; and where
all columns were taken for a stub, those that are not of the key are values. Where the stub does not tell rows apart
that all have a label, columns of words after it, and of numbers that go one way again and again (years, doses), are of
the stub if together they do, or one of words behind other numbers. Numbers that go up and down and come again name
nothing. Where nothing is left, a column of words that tells the rows apart is the stub, alone or with the one after it
(firm and year). A column of labels that are indented below one another, right behind the stub (which then holds codes),
is of the stub, and so is one of words, years or counts right behind it that has no head where all others have one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.arrays import distinct
from tabellion.model.grid import NUMBER, TEXT, Content, Grid
from tabellion.values.date import may_be_years

_DISTINCT = 0.95  # the share of distinct names
_FILLED = 0.8  # the share of rows that must have a name
_FEW = 2  # columns: one that names, one that is told of
_MOST = 3  # columns that name rows together
_MOST_FIELDS = 6  # the same, where each row has a label in all of them
_SLIP = 8  # names from which one may be repeated, by a slip
_MOSTLY = 0.5
_FRACTIONS = 0.3  # of the numbers of a measure that are not whole, at least
_WAVERING = 0.2  # of the steps of a measure that go up, and that go down, at least
_LOOKED_AT = 20_000  # rows: more do not change the answer
_ENOUGH = 3  # rows from which a column shows what it is for
_INDENTED = 0.5  # steps: a single blank is a slip
_LONG = 80  # letters from which a text is prose rather than a name
_IS_WORDS = np.isin(np.arange(len(Content)), (Content.TEXT, Content.LINK, Content.DATE))  # by content
_MEASURED = re.compile(r"[\W\d_]{0,40}\d(?:[.,]|\s*±\s*)\d[\W\d_]{0,40}")  # "3.5 ± 0.6", "1.2–4.5": no name
_MONEY = re.compile(r"[$€£¥₹]")  # an amount is no code
_RUN_WIDTH, _RUN_HEIGHT = 5, 12  # columns at least and rows at most of numbers that count on from row to row
_IS_NAMELESS = np.isin(np.arange(len(Content)), (Content.IMAGE, Content.FORM, Content.MISSING))


class _Column(msgspec.Struct, frozen=True, eq=False):
    """What a column calls the rows of the body: a name each, blank where it has none."""

    at: int
    names: tuple[str, ...]
    words: bool  # mostly words, not numbers
    one_way: bool  # what numbers it has go up, or down, all along
    series: bool  # they do so in equal steps, or are years
    whole: bool  # they are whole: years, codes, counts


def find_key(grid: Grid, body: Sequence[int], columns: Sequence[int]) -> tuple[int, ...]:
    """The columns that name the rows, in their order; none where nothing does."""
    if not len(body) or len(columns) < _FEW:
        return ()
    rows = np.asarray(body[:_LOOKED_AT], dtype=np.intp)
    naming = [seen for column in columns[:-1] if (seen := _look(grid, rows, column))][: _MOST + 1]
    words = (grid.content.ravel()[grid.home[rows[:, None], columns]] == TEXT).any(axis=0)
    if not naming or not (words.any() or naming[0].one_way) or _counts_on(grid, rows, columns):
        return ()
    if not grid.undeclared and not words[:-1].any() and not any(one.words for one in naming) and not naming[0].series:
        last = _look(grid, rows, columns[-1])
        if last and last.words and _tell_apart([last.names]):
            return (last.at,)
    parts: list[tuple[str, ...]] = []
    for place, seen in enumerate(naming[:_MOST]):
        if place and not (seen.words or seen.whole):
            break
        parts.append(seen.names)
        if _tell_apart(parts):
            after = naming[place + 1 : place + 2] if not any(one.words for one in naming[: place + 1]) else []
            named = [one for one in after if one.words and _tell_apart([one.names])]
            return tuple(one.at for one in (*naming[: place + 1], *named))
        parts[-1] = _filled_down(seen.names)
    return (naming[0].at,)


def settle_stub(
    grid: Grid, header: Sequence[int], body: Sequence[int], columns: Sequence[int], stub: Sequence[int]
) -> list[int]:
    """The positions of the columns that name rows, given those that were taken for a stub."""
    named = _settle_names(grid, body, columns, stub)
    rows = np.asarray(body[:_LOOKED_AT], dtype=np.intp)
    at = named[-1] + 1 if named == list(range(len(named))) and named else len(columns)
    while at < len(columns) - 1 and (
        _is_outline(grid, rows, columns[at]) or _names_unheaded(grid, header, rows, columns[at:])
    ):
        named.append(at)
        at += 1
    return named


def _names_unheaded(grid: Grid, header: Sequence[int], rows: NDArray[np.intp], columns: Sequence[int]) -> bool:
    """Whether the first of some columns has no head of its own, all others have, and it names the rows.

    The head of the stub may be merged over it. It holds words, years or counts, nearly all rows have one.
    """
    home = grid.home[np.ix_(header, columns)]
    before = home % grid.shape[1] < columns[0]
    headed = ((grid.content.ravel()[home] != Content.EMPTY) & ~before).any(axis=0)
    if headed[0] or len(rows) < _ENOUGH or headed[1:].sum() < max(_FILLED * len(headed[1:]), 1):
        return False
    filled = grid.filled[rows, columns[0]]
    seen = _look(grid, rows, columns[0]) if filled.mean() >= _FILLED else None
    if seen is None:
        return False
    return any(map(str.isalpha, "".join(seen.names))) if seen.words else seen.series


def _is_outline(grid: Grid, rows: NDArray[np.intp], column: int) -> bool:
    """Whether nearly all rows have words here, some indented below others: such labels stand behind codes."""
    words = grid.content[rows, column] == TEXT
    deeper = grid.indent[rows[words], column]
    if not words.any() or words.mean() < _FILLED or not (grid.content[rows, column + 1 :] == NUMBER).any():
        return False
    return bool((deeper > deeper.min() + _INDENTED).sum() >= _ENOUGH and (deeper == deeper.min()).any())


def _settle_names(grid: Grid, body: Sequence[int], columns: Sequence[int], stub: Sequence[int]) -> list[int]:
    """The positions of the columns that name rows, whether their labels are indented or not."""
    if len(stub) == len(columns) > 1:
        key = find_key(grid, body, columns)
        return list(range(max((columns.index(at) for at in key), default=0) + 1))
    if len(body) < _ENOUGH:
        return list(stub)
    rows = np.asarray(body[:_LOOKED_AT], dtype=np.intp)
    naming = [at for at in stub if not _is_measure(grid, rows, columns[at])]
    if not naming:
        return _first_names(grid, rows, columns)
    lead = [at for place, at in enumerate(naming) if at == naming[0] + place]
    parts: list[tuple[str, ...]] = []
    for place, at in enumerate(lead):
        names = _names(grid, rows, columns[at])
        later = [columns[one] for one in lead[place:]]
        if parts and _tell_apart(parts) and (_says_the_same(names) or _counts(grid, rows, later)):
            return [*lead[:place], *naming[len(lead) :]]
        parts = [*map(_filled_down, parts), names]
    if len(lead) == len(naming) and not _tell_apart(parts):
        further = _names_further(grid, rows, columns[lead[-1] + 1 : -1], parts, lead[-1] + 1)
        further = further or _names_behind(grid, rows, columns, parts, lead[-1] + 1)
        if not further and _names_nothing(grid, rows, [columns[at] for at in lead]):
            return _first_names(grid, rows, columns)
        return [*lead, *further]
    return naming


def _names(grid: Grid, rows: NDArray[np.intp], column: int) -> tuple[str, ...]:
    return tuple(str(name).casefold() for name in grid.label.ravel()[grid.home[rows, column]])


def _names_nothing(grid: Grid, rows: NDArray[np.intp], columns: Sequence[int]) -> bool:
    """Whether columns of many numbers alone neither tell the rows apart nor go one way: they are measures, or kinds."""
    home = grid.home[rows[:, None], columns]
    if len(rows) < _SLIP or not (grid.content.ravel()[home] == Content.NUMBER).all():
        return False
    numbers = grid.number.ravel()[home[:, 0]]
    wavers = {-1.0, 1.0} <= set(np.sign(np.diff(numbers)).tolist())
    return wavers and not _tell_apart([_names(grid, rows, one) for one in columns])


def _first_names(grid: Grid, rows: NDArray[np.intp], columns: Sequence[int]) -> list[int]:
    """The position of the first column of words that tells the rows apart, alone or with the one after it."""
    for at, column in enumerate(columns):
        seen = _look(grid, rows, column)
        if not seen or not seen.words or not all(seen.names):
            continue
        if at < len(columns) - 1 and _tell_apart([seen.names]):
            return [at]
        further = _names_further(grid, rows, columns[at + 1 : at + 2], [seen.names], at + 1)
        if further and len(columns) > _FEW:
            return [at, *further]
    return []


def _names_further(
    grid: Grid, rows: NDArray[np.intp], columns: Sequence[int], parts: list[tuple[str, ...]], first: int
) -> list[int]:
    """The positions of the next columns that tell rows apart which their labels so far, one in each row, do not."""
    if not all(map(all, parts)):
        return []
    for place, column in enumerate(columns[: _MOST_FIELDS - len(parts)]):
        names, seen = _names(grid, rows, column), _look(grid, rows, column)
        if seen is None or not all(names) or not (seen.words or _goes_again(grid, rows, column, parts)):
            return []
        parts = [*parts, names]
        if _tell_apart(parts):
            return list(range(first, first + place + 1))
    return []


def _names_behind(
    grid: Grid, rows: NDArray[np.intp], columns: Sequence[int], parts: list[tuple[str, ...]], first: int
) -> list[int]:
    """The position of a column of words behind numbers that tells rows apart which have the same labels so far."""
    if len(rows) < _SLIP or not all(map(all, parts)):
        return []
    for at in range(first + 1, len(columns)):
        seen = _look(grid, rows, columns[at])
        if seen and seen.words and all(seen.names) and _tell_apart([*parts, seen.names]):
            return [at]
    return []


def _goes_again(grid: Grid, rows: NDArray[np.intp], column: int, parts: list[tuple[str, ...]]) -> bool:
    """Whether numbers go one way in the rows of each name, and most come again: years, doses, steps."""
    numbers = grid.number.ravel()[grid.home[rows, column]]
    if np.isnan(numbers).any() or len(distinct(numbers)) > _MOSTLY * len(numbers):
        return False
    together = list(zip(*parts, strict=True))
    same = np.array([one == after for one, after in pairwise(together)])
    steps = np.diff(numbers)[same]
    one_way = (steps >= 0).all() or (steps <= 0).all()
    return bool(len(steps) >= _MOSTLY * len(same) and one_way and steps.any())


def _counts(grid: Grid, rows: NDArray[np.intp], columns: Sequence[int]) -> bool:
    """Whether columns hold numbers alone and the first no code: some rows have none, or the same as others.

    In a few rows numbers are different by chance, so they are no codes there either.
    """
    content = grid.content.ravel()[grid.home[rows[:, None], columns]]
    numbers = np.isin(content, (Content.NUMBER, Content.EMPTY, Content.MISSING)).all()
    names = _names(grid, rows, columns[0])
    return bool(numbers) and not (len(rows) >= _SLIP and all(names) and len(set(names)) == len(names))


def _says_the_same(names: tuple[str, ...]) -> bool:
    """Whether a filled column has few different texts: it tells kinds of rows, not rows."""
    told = [name for name in names if name]
    return len(told) >= _FILLED * len(names) and len(set(told)) <= _MOSTLY * len(told)


def _is_measure(grid: Grid, rows: NDArray[np.intp], column: int) -> bool:
    """Whether a column holds numbers that are measured: with fractions, as often up as down, or some of them twice."""
    home = grid.home[rows, column]
    content = grid.content.ravel()[home]
    numbers = grid.number.ravel()[home[content == NUMBER]]
    if len(numbers) < _DISTINCT * len(rows) or (numbers != np.floor(numbers)).mean() <= _FRACTIONS:
        return False
    rising, falling = (np.diff(numbers) > 0).mean(), (np.diff(numbers) < 0).mean()
    again = len(distinct(numbers)) < _DISTINCT * len(numbers)
    return bool(min(rising, falling) > (_WAVERING / 2 if again else _WAVERING))


def _look(grid: Grid, rows: NDArray[np.intp], column: int) -> _Column | None:
    """What a column says; None where it cannot name rows."""
    home = grid.home[rows, column]
    content = grid.content.ravel()[home]
    names = tuple(str(name).casefold() for name in grid.label.ravel()[home].tolist())
    filled = content > 0
    held = int(filled.sum())
    long = np.array([len(name) > _LONG for name in names])
    if not held or (_IS_NAMELESS[content] | long).sum() > _MOSTLY * held:
        return None
    measured = content == TEXT
    measured[measured] = [_MEASURED.fullmatch(names[at]) is not None for at in measured.nonzero()[0].tolist()]
    words = bool((_IS_WORDS[content] & ~measured).sum() > _MOSTLY * held)
    if not filled[0] and not words and held < _FILLED * len(rows):
        return None
    numbers = grid.number.ravel()[home[content == NUMBER]]
    steps = np.diff(numbers)
    return _Column(
        at=int(column),
        names=names,
        words=words,
        one_way=bool((steps >= 0).all() or (steps <= 0).all()),
        series=bool(len(steps) and steps[0] and (steps == steps[0]).all()) or _are_years(numbers),
        whole=bool((numbers == np.floor(numbers)).all() and not measured.any() and not any(map(_MONEY.search, names))),
    )


def _counts_on(grid: Grid, rows: NDArray[np.intp], columns: Sequence[int]) -> bool:
    """Whether all that stands in several rows is one run of numbers, each one more than the one before."""
    if len(columns) < _RUN_WIDTH or not _ENOUGH <= len(rows) <= _RUN_HEIGHT:
        return False
    said = [str(label) for label in grid.label.ravel()[grid.home[rows[:, None], columns]].ravel() if label]
    if not all(label.isascii() and label.isdigit() for label in said):
        return False
    return bool((np.diff([float(label) for label in said]) == 1).all())


def _are_years(numbers: NDArray[np.float64]) -> bool:
    return bool(len(numbers)) and bool(may_be_years(numbers).all())


def _tell_apart(parts: list[tuple[str, ...]]) -> bool:
    """Whether nearly all rows have a name of their own, and nearly all names are different."""
    together = list(zip(*parts, strict=True))
    told = [name for name in together if name[-1]]
    least = min(_DISTINCT * len(told), len(told) - (len(told) >= _SLIP))
    return len(told) >= _FILLED * len(together) and len(set(told)) >= least


def _filled_down(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names with each blank filled by the one above."""
    found: list[str] = []
    for name in names:
        found.append(name or (found[-1] if found else ""))
    return tuple(found)
