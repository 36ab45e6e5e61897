"""Names that complete what a person has begun to type at a SQL prompt.

In: the beginning of a name and the question so far. Out: relations that begin so, and columns of the relations that
the question names.
"""

from __future__ import annotations

from sqlalchemy import select

from tabellion.library.catalogue import tables
from tabellion.library.library import Library
from tabellion.library.naming import is_plain_name
from tabellion.library.reading import SCHEMA
from tabellion.library.records import tables_by_name
from tabellion.library.relations import TIDY, VIEWS, named_in, quoted

KEYWORDS = (
    "select", "from", "where", "group", "order", "by", "having", "limit", "join", "left", "using", "on", "as", "and",
    "or", "not", "in", "between", "like", "is", "null", "distinct", "count", "sum", "avg", "min", "max", "case",
    "when", "then", "else", "end", "with", "union", "all",
)  # fmt: skip
_MOST = 50  # names offered
_OWN = {
    "documents": ("document_id", "source", "medium", "sha256", "title", "added"),
    "tables": ("table_id", "document_id", "name", "sheet", "page", "title", "caption", "orientation", "rows",
               "columns", "genuine", "confidence"),
    "columns": ("table_id", "document_id", "position", "name", "path", "role", "type", "unit"),
    "tuples": tuple(field.name for field in SCHEMA if field.name != "left_columns"),
}  # fmt: skip


def complete_name(library: Library, begun: str, question: str) -> list[str]:
    """Names that begin so: columns of what the question names first, then relations."""
    named = named_in(question)
    columns = [column for view in VIEWS if view in named for column in _OWN[view]]
    with library.catalogue.reading() as connection:
        meant = {name.removesuffix(TIDY) for name in named}
        for table in tables_by_name(connection, sorted(meant)).values():
            details = table.unpack()
            columns += [column.name for column in (*details.stub, *details.columns)]
        like = tables.c.name.startswith(begun, autoescape=True)
        relations = connection.execute(select(tables.c.name).where(like).order_by(tables.c.name).limit(_MOST)).scalars()
        found = [*columns, *VIEWS, *relations]
    names = dict.fromkeys(name for name in found if name.startswith(begun))
    return [name if is_plain_name(name) else quoted(name) for name in names][:_MOST]
