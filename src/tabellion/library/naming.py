"""Names that a person can type, for tables and for their columns.

In: what a document, a sheet or a header is called. Out: lower-case words joined by underscores, never a word of SQL
nor the name of a catalogue view.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import PurePath

_LONGEST = 40  # letters of a part of a name
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


def plain_name(text: str, longest: int = _LONGEST) -> str:
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
