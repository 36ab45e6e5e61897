"""Questions that are kept under a name, with parameters; and the values that a question is asked with.

In: a library. Out: `SavedQuery`s, which lie in the catalogue; a statement with `:name` filled in. A parameter is
written into the statement as a number or as a quoted text, nothing else, so that no value can become part of the SQL.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec
from sqlalchemy import delete, insert, select

from tabellion.errors import LibraryError, QueryError
from tabellion.library.catalogue import facts
from tabellion.library.naming import nearest_name

if TYPE_CHECKING:
    from tabellion.library.library import Library

Parameters = Mapping[str, str | float | None]  # values by name
_KEY = "query:"  # before the name of a saved query among the facts of a library
_NAME = re.compile(r"[^\W\d]\w{0,59}")
_QUIET = r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/"  # where a colon means nothing
_PARAMETER = re.compile(rf"(?P<quiet>{_QUIET})|(?<![\w:\])'\"]):(?P<name>[^\W\d]\w*)", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?|\.\d+)(?:[eE][+-]?\d+)?")


class SavedQuery(msgspec.Struct, frozen=True):
    """A question with a name."""

    name: str
    sql: str
    description: str
    parameters: list[str]
    made: str


def parameters_in(sql: str) -> list[str]:
    """The parameters of a statement, in the order in which they come.

    >>> parameters_in("select ':no', x::int from t where year = :year and place like :place")
    ['year', 'place']
    """
    return list(dict.fromkeys(match["name"] for match in _PARAMETER.finditer(sql) if match["name"]))


def fill_parameters(sql: str, values: Parameters) -> str:
    """A statement with its parameters filled in.

    >>> fill_parameters("select * from t where year = :year and place = :place", {"year": "1990", "place": "O'Hara"})
    "select * from t where year = 1990 and place = 'O''Hara'"
    """
    wanted = parameters_in(sql)
    if missing := [name for name in wanted if name not in values]:
        raise QueryError(f"the question has parameters without a value: {', '.join(missing)}")
    if unknown := [name for name in values if name not in wanted]:
        raise QueryError(f"the question has no parameter {', '.join(unknown)}")
    return _PARAMETER.sub(lambda match: match[0] if match["quiet"] else _literal(values[match["name"]]), sql)


def save_query(library: Library, name: str, sql: str, description: str = "") -> SavedQuery:
    """Keep a question under a name; the same name replaces it."""
    from tabellion.library.query import QueryLimits, check_statement, open_closed

    if not _NAME.fullmatch(name):
        raise LibraryError(f"{name!r} is no name for a question: letters, digits and _, a letter first")
    with closing(open_closed(QueryLimits())) as checker:
        check_statement(checker, fill_parameters(sql, dict.fromkeys(parameters_in(sql), 1)))
    made = datetime.now(UTC).isoformat(timespec="seconds")
    saved = SavedQuery(name, sql.strip().rstrip(";"), description, parameters_in(sql), made)
    with library.catalogue.writing() as connection:
        library.catalogue.next_sequence(connection)
        connection.execute(delete(facts).where(facts.c.name == _KEY + name))
        connection.execute(insert(facts).values(name=_KEY + name, value=msgspec.json.encode(saved).decode()))
    return saved


def list_queries(library: Library) -> list[SavedQuery]:
    """All questions that are kept, by name."""
    with library.catalogue.reading() as connection:
        held = connection.execute(select(facts.c.value).where(facts.c.name.startswith(_KEY, autoescape=True)))
        found = [msgspec.json.decode(value, type=SavedQuery) for value in held.scalars()]
    return sorted(found, key=lambda one: one.name)


def find_query(library: Library, name: str) -> SavedQuery:
    """The question of a name."""
    with library.catalogue.reading() as connection:
        held = connection.execute(select(facts.c.value).where(facts.c.name == _KEY + name)).scalar()
    if held is None:
        meant = nearest_name(name, [one.name for one in list_queries(library)])
        raise LibraryError(f"{name}: there is no such saved question in this library{meant}")
    return msgspec.json.decode(held, type=SavedQuery)


def forget_query(library: Library, name: str) -> SavedQuery:
    """Take a question out."""
    saved = find_query(library, name)
    with library.catalogue.writing() as connection:
        library.catalogue.next_sequence(connection)
        connection.execute(delete(facts).where(facts.c.name == _KEY + name))
    return saved


def statement_of(library: Library, asked: str, values: Parameters | None = None) -> str:
    """The statement that is meant by SQL or by the name of a saved question, with its parameters filled in."""
    sql = asked
    if _NAME.fullmatch(asked.strip()):
        try:
            sql = find_query(library, asked.strip()).sql
        except LibraryError as error:
            raise QueryError(f"{error}, and no SELECT") from None
    if not values and not parameters_in(sql):
        return sql
    return fill_parameters(sql, values or {})


def _literal(value: str | float | None) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, int | float) or _NUMBER.fullmatch(value):
        return str(value)
    escaped = value.replace("'", "''")
    return f"'{escaped}'"
