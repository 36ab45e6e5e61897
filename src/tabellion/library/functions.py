"""What SQL over the library can ask of labels and numbers: the time and the place that a label names, other units.

In: a connection, and the names that a query has in it. Out: the functions of these names, made known to the connection:

| function | gives |
| --- | --- |
| `period(label)` | the time that a label names, in ISO 8601: `2009-Q1` |
| `period_start(label)`, `period_end(label)` | its first and its last day |
| `place_code(label)`, `place_code(label, 'state')` | the ISO 3166 code of a place, where it is certain |
| `in_unit(value, unit, 'kg')` | a number in another unit |

Each gives NULL where there is no answer; a unit that is none is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
from duckdb.func import FunctionNullHandling, PythonUDFType

from tabellion.values.convert import check_unit, converter
from tabellion.values.periods import place_code, read_period

_PLACE_MACRO = (
    "CREATE OR REPLACE MACRO place_code(label) AS _place_code(label, ''), (label, kind) AS _place_code(label, kind)"
)
FUNCTIONS = ("period", "period_start", "period_end", "place_code", "in_unit")


def register_functions(connection: duckdb.DuckDBPyConnection, names: Iterable[str]) -> None:
    """Make the functions of these names known to a connection; other names are passed over."""
    wanted = set(names)

    def define(name: str, work: Callable[..., pa.Array], taken: list[Any], given: str) -> None:
        connection.create_function(
            name, work, taken, given, type=PythonUDFType.ARROW, null_handling=FunctionNullHandling.SPECIAL
        )

    for name, (work, kind) in _OF_A_LABEL.items():
        if name in wanted:
            define(name, _by_label(work, kind), ["VARCHAR"], _SQL[kind])
    if "place_code" in wanted:
        define("_place_code", _place_codes, ["VARCHAR", "VARCHAR"], "VARCHAR")
        connection.execute(_PLACE_MACRO)
    if "in_unit" in wanted:
        define("in_unit", _in_unit, ["DOUBLE", "VARCHAR", "VARCHAR"], "DOUBLE")


def _period(label: str) -> Any:
    found = read_period(label)
    return found.code if found else None


def _start(label: str) -> Any:
    found = read_period(label)
    return found.start if found else None


def _end(label: str) -> Any:
    found = read_period(label)
    return found.end if found else None


_OF_A_LABEL: dict[str, tuple[Callable[[str], Any], pa.DataType]] = {
    "period": (_period, pa.string()),
    "period_start": (_start, pa.date32()),
    "period_end": (_end, pa.date32()),
}
_SQL = {pa.string(): "VARCHAR", pa.date32(): "DATE"}


def _by_label(work: Callable[[str], Any], kind: pa.DataType) -> Callable[[pa.ChunkedArray], pa.Array]:
    """A function of labels that is asked once for each of them, however often it comes."""

    def ask(labels: pa.ChunkedArray) -> pa.Array:
        told = labels.combine_chunks().dictionary_encode()
        answers = pa.array([work(label) if label is not None else None for label in told.dictionary.to_pylist()], kind)
        return pc.take(answers, told.indices)

    return ask


def _place_codes(labels: pa.ChunkedArray, kinds: pa.ChunkedArray) -> pa.Array:
    pairs = zip(labels.to_pylist(), kinds.to_pylist(), strict=True)
    return pa.array(
        [place_code(label, kind or None) if label is not None else None for label, kind in pairs], pa.string()
    )


def _in_unit(values: pa.ChunkedArray, units: pa.ChunkedArray, wanted: pa.ChunkedArray) -> pa.Array:
    """Numbers in other units; each pair of units is looked up once."""
    numbers = values.to_pylist()
    one, other = units.combine_chunks().dictionary_encode(), wanted.combine_chunks().dictionary_encode()
    for name in other.dictionary.to_pylist():
        check_unit(name or "")
    ways = [
        [
            converter(unit, name) if unit is not None and name is not None else None
            for name in other.dictionary.to_pylist()
        ]
        for unit in one.dictionary.to_pylist()
    ]
    places = zip(numbers, one.indices.to_pylist(), other.indices.to_pylist(), strict=True)
    found = [way(value) if None not in (value, a, b) and (way := ways[a][b]) else None for value, a, b in places]
    return pa.array(found, pa.float64())
