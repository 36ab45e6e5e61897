"""Where the columns of a text are that is set in letters of one width.

In: lines of text. Out: the column ranges, left to right, or nothing where the lines are no table: a table has three
lines or more with blanks of two or more at the same places, and says something on both sides of each. Bars that a rule
crosses or begins at (`----+----`, `|---|---|`) part columns as blanks do.
"""

from __future__ import annotations

import itertools
import re

from tabellion.patterns import lazy_pattern

_LEAST_LINES = 3
_WIDE_GAP = lazy_pattern(r"\S(?:\s{2,}|\t\s*)\S")
_CODE = lazy_pattern(r"[{};]\s*$|^\s*(?:#include|import |def |class |return |if\s*\(|for\s*\(|//|/\*|\$ |>>> )")
_MOSTLY = 0.6  # of the lines must be parted
_KEPT = 0.15  # of the parted lines may reach into a gap (headers and titles do)
_CROSSED = 0.3  # of the lines may reach over a gap of the rule (spanning headers do)
_DASHES = lazy_pattern(r"[-=_─═~]+")
_CROSSINGS = "+|"
_RULE = lazy_pattern(r"[\s\-=_+|.*~]+")


def without_bars(lines: list[str]) -> list[str]:
    """Lines with blanks for the bars that stand where a rule is crossed; lines of rules stay as they are.

    >>> without_bars([" x | y", "---+--", " 1 | 2"])
    [' x   y', '---+--', ' 1   2']
    """
    rules = [line for line in lines if len(_DASHES.findall(line)) > 1 and _RULE.fullmatch(line)]
    crossed = {at for line in rules for at, sign in enumerate(line) if sign in _CROSSINGS}
    if not crossed:
        return lines
    blank = "".join(" " if at in crossed else "|" for at in range(max(crossed) + 1))
    return [line if _RULE.fullmatch(line) or "|" not in line else _blanked(line, blank) for line in lines]


def _blanked(line: str, instead: str) -> str:
    """A line with its bars as they are to be, up to where that is said."""
    said = "".join(other if sign == "|" else sign for sign, other in zip(line, instead, strict=False))
    return said + line[len(instead) :]


def find_gaps(lines: list[str]) -> list[tuple[int, int]]:
    """The ranges of the columns of aligned text; empty where there are not two.

    >>> find_gaps(["Name     Born", "Ada      1815", "Charles  1791", "Mary     1797"])
    [(0, 7), (9, 13)]
    """
    lines = without_bars(lines)
    ruled = _ruled_columns(lines)
    if ruled:
        return ruled
    shown = [line.expandtabs(8).rstrip() for line in lines if line.strip() and not _RULE.fullmatch(line)]
    if len(shown) < _LEAST_LINES or sum(bool(_CODE.search(line)) for line in shown) > 0.3 * len(shown):
        return []
    parted = [line for line in shown if _WIDE_GAP.search(line)]
    if len(parted) < max(_LEAST_LINES, _MOSTLY * len(shown)):
        return []
    width = max(map(len, parted))
    used = [sum(line[at : at + 1].strip() != "" for line in parted) for at in range(width)]
    ranges: list[tuple[int, int]] = []
    start: int | None = None
    for at in range(width + 1):
        inside = at < width and used[at] > _KEPT * len(parted)
        if inside and start is None:
            start = at
        elif not inside and start is not None:
            ranges.append((start, at))
            start = None
    ranges = _join_near(ranges)
    return ranges if len(ranges) > 1 else []


def _ruled_columns(lines: list[str]) -> list[tuple[int, int]]:
    """The ranges that a line of dashes draws, one run per column, where the lines keep to them.

    >>> _ruled_columns(["Name     Born", "-------  ----", "Ada      1815", "Charles  1791", "Mary     1797"])
    [(0, 8), (9, 13)]
    """
    expanded = [line.expandtabs(8).rstrip() for line in lines if line.strip()]
    runs = max((rule_runs(line) for line in expanded), key=len, default=[])
    shown = [line for line in expanded if not rule_runs(line)]
    if len(runs) < 2 or len(shown) < _LEAST_LINES - 1:
        return []
    gaps = [slice(a[1], b[0]) for a, b in itertools.pairwise(runs)]
    if sum(any(line[gap].strip() for gap in gaps) for line in shown) > _CROSSED * len(shown):
        return []
    ends = [start - 1 for start, _ in runs[1:]] + [max(runs[-1][1], *map(len, expanded))]
    return [(start, end) for (start, _), end in zip(runs, ends, strict=True)]


def rule_runs(line: str) -> list[tuple[int, int]]:
    """The runs of dashes of a line that only rules; none for any other line.

    >>> rule_runs("----  ---"), rule_runs("a - b")
    ([(0, 4), (6, 9)], [])
    """
    if not _RULE.fullmatch(line):
        return []
    return [match.span() for match in _DASHES.finditer(line.expandtabs(8))]


def _join_near(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges with a single blank between them are one column."""
    joined: list[tuple[int, int]] = []
    for start, end in ranges:
        if joined and start - joined[-1][1] < 2:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def cut_line(line: str, ranges: list[tuple[int, int]]) -> list[str]:
    """The texts of a line by column: each word goes to the column it overlaps most.

    >>> cut_line("Ada      1815", [(0, 7), (9, 13)])
    ['Ada', '1815']
    """
    texts: list[list[str]] = [[] for _ in ranges]
    for match in re.finditer(r"\S+(?: \S+)*", line.expandtabs(8)):
        overlap = [min(match.end(), end) - max(match.start(), start) for start, end in ranges]
        texts[overlap.index(max(overlap))].append(match[0])
    return [" ".join(parts) for parts in texts]
