"""The columns of a table's relation: one for each level of its left paths, then one for each column of values.

In: a table. Out: those columns with their names for SQL. A level is named by the head over the stub column that it
stands in, one that holds nothing but years is the year, and one without a head goes by its number. A column of values
is named by the levels of its path that differ from column to column. Fails to tell columns apart by words where their
paths are the same: the later ones get a number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from tabellion.export.arrow import label_columns
from tabellion.export.frames import LaidOut, lay_out
from tabellion.library.holdings import ColumnFacts
from tabellion.library.naming import once_each, plain_name
from tabellion.model.grid import Content
from tabellion.model.table import Path, Table
from tabellion.relate.titles import name_left_levels
from tabellion.values.periods import ThingKind, thing_kind

_LONGEST = 60  # letters of the name of a column
_OWN = 40  # of them at most for the words that it has alone
_ALL = 10_000  # letters of a path that are looked at
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_YEAR_HEAD = re.compile(r"\b(?:years?|jahre?|années?|años?|anno|ano)\b|年", re.IGNORECASE)


def relation_columns(table: Table) -> tuple[tuple[ColumnFacts, ...], tuple[ColumnFacts, ...]]:
    """The columns of the stub, and those of values; no name comes twice."""
    laid = lay_out(table, groups=False)
    levels = _levels(table, laid)
    shown = [
        (column, path)
        for column, path in zip(laid.columns, laid.column_paths, strict=True)
        if not _holds_labels(table, column)
    ]
    names = once_each([*(level.name for level in levels), *name_columns([path for _, path in shown])])
    stub = tuple(msgspec.structs.replace(one, name=name) for one, name in zip(levels, names, strict=False))
    values = tuple(
        ColumnFacts(
            column=int(table.grid.column_of[column]),
            name=name,
            path=path,
            number=_is_number(table, column),
            unit=_unit(table, column),
            kind=_kind(table, column, path),
        )
        for (column, path), name in zip(shown, names[len(stub) :], strict=True)
    )
    return stub, values


def name_columns(paths: Sequence[tuple[str, ...]]) -> list[str]:
    """Names of columns by what differs in their paths; the same twice only where nothing does.

    >>> name_columns([("Share", "1990", "Men"), ("Share", "1990", "Women"), ("Share", "1991", "Men")])
    ['1990_men', '1990_women', '1991_men']
    """
    told = differing_levels(paths)
    names = [_fitting(path) or f"column_{number}" for number, path in enumerate(told, 1)]
    often = Counter(names)
    for name in [name for name, count in often.items() if count > 1]:
        alike = [at for at, other in enumerate(names) if other == name]
        words = [_words(told[at]) for at in alike]
        common = set(words[0]).intersection(*words)
        for at, mine in zip(alike, words, strict=True):
            own = plain_name(" ".join(word for word in mine if word not in common), _OWN)
            if own:
                names[at] = "_".join(filter(None, (plain_name(name, _LONGEST - 1 - len(own)), own)))
    return names


def differing_levels(paths: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Paths without the levels that all of them have in common."""
    shortest = min(map(len, paths), default=0)
    same = {level for level in range(shortest) if len({path[level] for path in paths}) == 1}
    return [tuple(label for level, label in enumerate(path) if level not in same) or path for path in paths]


def _fitting(path: tuple[str, ...]) -> str:
    """The labels from the outermost on, or the nearest alone where all would be too long."""
    whole = plain_name(" ".join(path), _LONGEST)
    nearest = plain_name(path[-1], _LONGEST) if path else ""
    return whole if whole.endswith(nearest) else nearest


def _words(path: tuple[str, ...]) -> list[str]:
    return plain_name(" ".join(path), _ALL).split("_")


def _levels(table: Table, laid: LaidOut) -> list[ColumnFacts]:
    """A column for each label that a row can have, in the order of the stub."""
    paths = table.tuples.row_paths
    labels = _labels_by_level(paths.get(row, Path()) for row in set(table.tuples.rows.tolist()))
    heads = _heads(table, laid, sorted(labels))
    depths = Counter(column for column, _ in labels)
    found: list[ColumnFacts] = []
    for column, level in sorted(labels):
        head = heads.get(column, "")
        years = {
            at
            for at in range(1, depths[column] + 1)
            if (depths[column] > 1 or not head) and _are_years(labels[column, at])
        }
        if level in years:
            name = "year"
        elif plain_name(head):
            others = [at for at in range(1, depths[column] + 1) if at not in years]
            name = plain_name(head) if len(others) == 1 else f"{plain_name(head)}_{others.index(level) + 1}"
        else:
            name = "label" if len(labels) == 1 else f"level_{len(found) + 1}"
        found.append(
            ColumnFacts(column, name, (head,) if head else (), level=level, kind=thing_kind(labels[column, level]))
        )
    return found


def _heads(table: Table, laid: LaidOut, levels: Sequence[tuple[int, int]]) -> dict[int, str]:
    """What the columns of the stub are called: as the table names its levels, else by what stands over each.

    A key that stands among the values has the label over it.
    """
    column_of, over = table.grid.column_of, table.tuples.column_paths
    heads = {int(column_of[at]): path.labels[-1] for at, path in over.items() if path.labels}
    heads |= {int(column_of[at]): head for at, head in zip(laid.stub_columns, laid.stub_heads, strict=True)}
    named = name_left_levels(table.nested)
    if len(named) == len(levels):
        heads |= {column: name for (column, _), name in zip(levels, named, strict=True) if name}
    return heads


def _labels_by_level(paths: Iterable[Path]) -> dict[tuple[int, int], set[str]]:
    """The labels of rows by the column that they stand in and their place among those of that column."""
    found: dict[tuple[int, int], set[str]] = {}
    for path in paths:
        seen: Counter[int] = Counter()
        for column, label in zip(label_columns(path), path.labels, strict=True):
            seen[column] += 1
            found.setdefault((column, seen[column]), set()).add(label)
    return found


def _are_years(labels: set[str]) -> bool:
    return all(_YEAR.fullmatch(label.strip()) for label in labels)


def _holds_labels(table: Table, column: int) -> bool:
    """Whether a column of values is a key, which names the rows that it stands in and so is a level already."""
    grid, tuples = table.grid, table.tuples
    rows = tuples.rows[tuples.columns == column].tolist()
    place = int(grid.column_of[column])
    cells = ((int(grid.row_of[row]), place) in tuples.row_paths.get(row, Path()).cells for row in rows)
    return bool(rows) and all(cells)


def _is_number(table: Table, column: int) -> bool:
    """Whether every value that the column says is a number."""
    grid, tuples = table.grid, table.tuples
    content = grid.content[tuples.rows[tuples.columns == column], column]
    said = content[(content != Content.EMPTY) & (content != Content.MISSING)]
    return bool(len(said)) and bool((said == Content.NUMBER).all())


def _kind(table: Table, column: int, path: tuple[str, ...]) -> ThingKind | None:
    """What the texts of a column of values are; numbers are years only where the head says so."""
    if _is_number(table, column) and not (path and _YEAR_HEAD.search(path[-1])):
        return None
    grid, tuples = table.grid, table.tuples
    return thing_kind({str(grid.text[row, column]) for row in tuples.rows[tuples.columns == column].tolist()})


def _unit(table: Table, column: int) -> str | None:
    tuples = table.tuples
    units = {tuples.units[i] for i in set(tuples.unit_ids[tuples.columns == column].tolist())}
    return units.pop() if len(units) == 1 else None
