"""Which row and column of an old edition is which of a new one.

In: the texts of both, by row and column. Out: rows and columns that are the same, found by content and in order: rows
whose labels come once in both editions first (patience), then the best sequence between those, by the share of texts
that two rows have in common; columns by the rows that are the same. A line of which too little is left, or that
could be either of two, is none: better lost and shown than wrong.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

Texts = dict[tuple[int, int], str]
"""(row, column) of the source -> what stands there."""

ENOUGH = 0.3  # of the texts of two rows, by weight, that must be the same
WORDS_ALONE = 0.9  # what the words of two lines count where their figures are others
HEAD_ALONE = 0.4  # what it counts that two columns say the same in a row where nothing else says it: a year on top
CLEAR = 0.5  # the same for lines whose labels come more than once
LARGEST = 400_000  # pairs of lines between two sure ones that are compared one by one


class Aligned(msgspec.Struct, frozen=True):
    """Old rows and columns -> new ones."""

    rows: dict[int, int]
    columns: dict[int, int]
    sure_rows: dict[int, float]  # how much of a row, in the columns that both have, is the same


def align_texts(old: Texts, new: Texts) -> Aligned:
    """The rows and columns that two editions have in common."""
    weight = _weights(old, new)
    old_rows, new_rows = _lines(old, 0), _lines(new, 0)

    old_words, new_words = ({row: _worded(held) for row, held in lines.items()} for lines in (old_rows, new_rows))

    def likeness(one: int, other: int) -> float:
        words = WORDS_ALONE * _common(old_words[one], new_words[other], weight)
        return max(_common(old_rows[one], new_rows[other], weight), words)

    rows = _align(old_rows, new_rows, likeness)
    columns = _align_columns(old, new, rows)
    return Aligned(rows, columns, _kept_shares(old, new, rows, columns))


def likeness_of(old: Texts, new: Texts) -> float:
    """How much two sheets have in common, 0 to 1: of all they say, or of their words where the figures are others."""
    one, other = Counter(old.values()), Counter(new.values())
    return max(_share(one, other), WORDS_ALONE * _share(_worded(one), _worded(other)))


def _share(one: Counter[str], other: Counter[str]) -> float:
    return 2 * sum((one & other).values()) / max(sum(one.values()) + sum(other.values()), 1)


def _worded(texts: Counter[str]) -> Counter[str]:
    return Counter({text: count for text, count in texts.items() if has_words(text)})


def has_words(text: str) -> bool:
    return any(map(str.isalpha, text))


def _weights(old: Texts, new: Texts) -> dict[str, float]:
    """What a text tells: much where it is rare, and more where it has letters."""
    counts = Counter(old.values())
    counts.update(new.values())
    return {text: (2.0 if has_words(text) else 1.0) * count**-0.5 for text, count in counts.items()}


def _lines(texts: Texts, side: int) -> dict[int, Counter[str]]:
    found: dict[int, Counter[str]] = {}
    for cell, text in texts.items():
        found.setdefault(cell[side], Counter())[text] += 1
    return dict(sorted(found.items()))


def _common(one: Counter[str], other: Counter[str], weight: dict[str, float]) -> float:
    both = sum(weight[text] * count for text, count in (one & other).items())
    every = sum(weight[text] * count for text, count in one.items())
    every += sum(weight[text] * count for text, count in other.items())
    return 2 * both / every if every else 0.0


def _align(
    old: dict[int, Counter[str]], new: dict[int, Counter[str]], likeness: Callable[[int, int], float]
) -> dict[int, int]:
    """Pairs in order: sure ones, and the best sequence between each two of them."""
    sure = [pair for pair in _longest(_unique_pairs(old, new)) if likeness(*pair) >= ENOUGH]
    old_lines, new_lines = list(old), list(new)
    found: dict[int, int] = {}
    start_old = start_new = 0
    for one, other in [*sure, (None, None)]:
        end_old = len(old_lines) if one is None else bisect_left(old_lines, one)
        end_new = len(new_lines) if other is None else bisect_left(new_lines, other)
        found |= _best_sequence(old_lines[start_old:end_old], new_lines[start_new:end_new], likeness)
        if one is not None and other is not None:
            found[one] = other
        start_old, start_new = end_old + 1, end_new + 1
    return found


def _unique_pairs(old: dict[int, Counter[str]], new: dict[int, Counter[str]]) -> list[tuple[int, int]]:
    """Lines whose words come once in each edition."""

    def by_words(lines: dict[int, Counter[str]]) -> dict[tuple[str, ...], list[int]]:
        held: dict[tuple[str, ...], list[int]] = {}
        for line, texts in lines.items():
            words = tuple(sorted(_worded(texts).elements()))
            if words:
                held.setdefault(words, []).append(line)
        return held

    mine, theirs = by_words(old), by_words(new)
    return [(at[0], theirs[words][0]) for words, at in mine.items() if len(at) == 1 == len(theirs.get(words, ()))]


def _longest(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of the pairs, sorted by the first, in which the second grows too."""
    pairs = sorted(pairs)
    tails: list[int] = []
    ends: list[int] = []
    before: list[int | None] = []
    for number, (_, other) in enumerate(pairs):
        place = bisect_left(tails, other)
        before.append(ends[place - 1] if place else None)
        tails[place : place + 1], ends[place : place + 1] = [other], [number]
    found: list[tuple[int, int]] = []
    at = ends[-1] if ends else None
    while at is not None:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _best_sequence(old: Sequence[int], new: Sequence[int], likeness: Callable[[int, int], float]) -> dict[int, int]:
    """Pairs in order with the largest sum of likeness."""
    if not old or not new or len(old) * len(new) > LARGEST:
        return {}
    scores = [[likeness(one, other) for other in new] for one in old]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            match = scores[i][j] + best[i + 1][j + 1] if scores[i][j] >= ENOUGH else -1.0
            best[i][j] = max(match, best[i + 1][j], best[i][j + 1])
    found: dict[int, int] = {}
    i = j = 0
    while i < len(old) and j < len(new):
        if scores[i][j] >= ENOUGH and best[i][j] == scores[i][j] + best[i + 1][j + 1]:
            found[old[i]] = new[j]
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def _align_columns(old: Texts, new: Texts, rows: dict[int, int]) -> dict[int, int]:
    """Columns by what stands in the rows that are the same."""
    old_columns = sorted({column for _, column in old})
    new_columns = sorted({column for _, column in new})
    held: dict[int, dict[int, str]] = {column: {} for column in old_columns}
    for (row, column), text in old.items():
        if row in rows:
            held[column][rows[row]] = text
    theirs: dict[int, dict[int, str]] = {column: {} for column in new_columns}
    kept = set(rows.values())
    for (row, column), text in new.items():
        if row in kept:
            theirs[column][row] = text

    alone = Counter((row, text) for (row, _), text in new.items())

    def likeness(one: int, other: int) -> float:
        mine, yours = held[one], theirs[other]
        same = [row for row, text in mine.items() if yours.get(row) == text]
        every = 2 * len(same) / max(len(mine) + len(yours), 1)
        worded = sum(has_words(text) for column in (mine, yours) for text in column.values())
        words = 2 * sum(has_words(mine[row]) for row in same) / max(worded, 1)
        named = HEAD_ALONE * any(alone[row, mine[row]] == 1 for row in same)
        return max(every, WORDS_ALONE * words, named)

    return _best_sequence(old_columns, new_columns, likeness)


def _kept_shares(old: Texts, new: Texts, rows: dict[int, int], columns: dict[int, int]) -> dict[int, float]:
    """Of each row that both have, how many cells of the columns that both have say the same."""
    same: Counter[int] = Counter()
    every: Counter[int] = Counter()
    for (row, column), text in old.items():
        if row in rows and column in columns:
            every[row] += 1
            same[row] += new.get((rows[row], columns[column])) == text
    return {row: same[row] / every[row] if every[row] else 0.0 for row in rows}
