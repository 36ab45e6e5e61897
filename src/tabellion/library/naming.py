"""Names that a person can type: of tables, and of the columns of their relations.

Plain names. In: what a document, a sheet or a header is called. Out: lower-case words joined by underscores, never a
word of SQL nor the name of a catalogue view.

Columns. In: a table. Out: one column for each level of its left paths, then one for each column of values, with their
names for SQL. A level is named by the head over the stub column that it stands in, one that holds nothing but years is
the year, and one without a head goes by its number. A column of values is named by the levels of its path that differ
from column to column. Fails to tell columns apart by words where their paths are the same: the later ones get a number.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import PurePath

import msgspec

from tabellion.export.arrow import label_columns
from tabellion.export.columns import LaidOut, lay_out
from tabellion.library.holdings import ColumnFacts
from tabellion.model.grid import Content
from tabellion.model.table import Path, Table
from tabellion.relate.titles import name_left_levels
from tabellion.values.periods import ThingKind, thing_kind

_LONGEST_PART = 40  # letters of a part of a name
_VIEWS = frozenset({"documents", "tables", "tuples", "columns"})
# words that PostgreSQL or DuckDB keep for themselves
_RESERVED = frozenset(
    {
        "all", "analyse", "analyze", "and", "any", "array", "as", "asc", "both", "case", "cast", "check", "collate",
        "column", "constraint", "create", "cross", "default", "desc", "distinct", "do", "else", "end", "except",
        "exists", "false", "fetch", "filter", "for", "foreign", "from", "full", "grant", "group", "having", "ilike",
        "in", "inner", "intersect", "into", "is", "join", "lateral", "leading", "left", "like", "limit", "natural",
        "not", "null", "offset", "on", "only", "or", "order", "outer", "over", "pivot", "placing", "primary",
        "qualify", "references", "returning", "right", "row", "rows", "select", "set", "some", "summarize", "table",
        "then", "to", "top", "trailing", "true", "union", "unique", "unpivot", "user", "using", "values", "view",
        "when", "where", "window", "with",
    }
)  # fmt: skip


def plain_name(text: str, longest: int = _LONGEST_PART) -> str:
    """A text as a name; empty where nothing in it can be typed.

    >>> plain_name("Bevölkerung, nach Alter (in %)"), plain_name("人口")
    ('bevolkerung_nach_alter_in', '人口')
    """
    flat = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    words = re.findall(r"\w+", unicodedata.normalize("NFC", flat).replace("_", " "))
    name = ""
    for word in words:
        longer = f"{name}_{word}" if name else word[:longest]
        if len(longer) > longest:
            break
        name = longer
    return name


def relation_name(text: str) -> str:
    """The same as the name of a relation, which needs no quotes.

    >>> relation_name("2010 census.xlsx"), relation_name("Order"), relation_name("")
    ('t_2010_census_xlsx', 't_order', 'table_')
    """
    name = plain_name(text)
    if not name:
        return "table_"
    return f"t_{name}" if name[0].isdigit() or name in _RESERVED | _VIEWS else name


def is_plain_name(name: str) -> bool:
    """Whether a name needs no quotes in SQL.

    >>> is_plain_name("smoking"), is_plain_name("1990"), is_plain_name("order")
    (True, False, False)
    """
    return re.fullmatch(r"[^\W\d]\w*", name) is not None and name not in _RESERVED


def name_tables(source: str, places: Sequence[tuple[str | None, int | None]]) -> list[str]:
    """Names for the tables of one document from its file name and their sheets or pages, each once.

    >>> name_tables("/data/Budget 2020.xlsx", [("Income", None), ("Costs", None), ("Costs", None)])
    ['budget_2020_income', 'budget_2020_costs', 'budget_2020_costs_2']
    """
    stem = relation_name(PurePath(source.rstrip("/")).stem or source)
    if len(places) == 1:
        return [stem]
    named = []
    for number, (sheet, page) in enumerate(places, 1):
        part = plain_name(sheet or "") or (f"page{page}" if page is not None else f"t{number}")
        named.append(f"{stem}_{part}")
    return once_each(named)


def nearest_name(name: str, known: Iterable[str]) -> str:
    """What may be meant by a name that is not there, as the end of a message; empty where nothing is like it.

    >>> nearest_name("smokin", ["budget", "smoking"]), nearest_name("x", ["budget"])
    ('; did you mean smoking?', '')
    """
    found = get_close_matches(name.lower(), known, 1)
    return f"; did you mean {found[0]}?" if found else ""


def once_each(names: Iterable[str]) -> list[str]:
    """The names with a number after each that stood before.

    >>> once_each(["a", "a", "b"])
    ['a', 'a_2', 'b']
    """
    seen: set[str] = set()
    found = []
    for name in names:
        number, fresh = 2, name
        while fresh in seen:
            fresh, number = f"{name}_{number}", number + 1
        seen.add(fresh)
        found.append(fresh)
    return found


_LONGEST_COLUMN = 60  # letters of the name of a column
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
                names[at] = "_".join(filter(None, (plain_name(name, _LONGEST_COLUMN - 1 - len(own)), own)))
    return names


def differing_levels(paths: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Paths without the levels that all of them have in common."""
    shortest = min(map(len, paths), default=0)
    same = {level for level in range(shortest) if len({path[level] for path in paths}) == 1}
    return [tuple(label for level, label in enumerate(path) if level not in same) or path for path in paths]


def _fitting(path: tuple[str, ...]) -> str:
    """The labels from the outermost on, or the nearest alone where all would be too long."""
    whole = plain_name(" ".join(path), _LONGEST_COLUMN)
    nearest = plain_name(path[-1], _LONGEST_COLUMN) if path else ""
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
