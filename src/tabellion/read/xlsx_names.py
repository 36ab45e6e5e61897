"""Tables that a workbook states by the names of its ranges, in the words of `model.range_names`.

In: the workbook part. Out: the statements of each sheet. Names that state no whole table mean nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import msgspec
from lxml import etree

from tabellion.model.document import Sheet
from tabellion.model.place import Rect, rect_at
from tabellion.model.range_names import state_ranges
from tabellion.model.stated import Stated

_NAME = re.compile(r"table(\d{1,6})\.([a-z]+(?:\.[A-Z]{1,3}\d{1,7})?)(?:\.\d{1,5})?")
_MOST_TABLES = 1_000  # that one sheet may state; a person's sheet has some few
_AREA = re.compile(r"(?:'((?:[^']|'')+)'|([^'!,]+))!(\$?[A-Z]{1,3}\$?\d{1,7}(?::\$?[A-Z]{1,3}\$?\d{1,7})?)(?:,|$)")


def read_statements(workbook: etree._Element) -> dict[str, tuple[Stated, ...]]:
    """Sheet -> the tables that the names of a workbook part state there."""
    elements = workbook.iterfind("{*}definedNames/{*}definedName")
    return state_tables((element.get("name") or "", element.text or "") for element in elements)


def state_tables(names: Iterable[tuple[str, str]]) -> dict[str, tuple[Stated, ...]]:
    """Sheet -> the tables that names and what they refer to state there, in the order of their numbers."""
    named: dict[int, dict[str, list[Rect]]] = {}
    sheets: dict[int, set[str]] = {}
    for name, means in names:
        match = _NAME.fullmatch(name)
        if not match:
            continue
        number = int(match[1])
        for quoted, plain, area in _AREA.findall(means):
            sheets.setdefault(number, set()).add(quoted.replace("''", "'") or plain)
            named.setdefault(number, {}).setdefault(match[2], []).append(rect_at(area))
    found: dict[str, list[Stated]] = {}
    for number, areas in sorted(named.items()):
        stated = state_ranges(areas) if len(sheets[number]) == 1 else None
        if stated:
            found.setdefault(next(iter(sheets[number])), []).append(stated)
    return {sheet: tuple(tables) for sheet, tables in found.items() if len(tables) <= _MOST_TABLES}


def with_statements(sheets: Iterable[Sheet], stated: Mapping[str, tuple[Stated, ...]]) -> tuple[Sheet, ...]:
    """The sheets with the tables that are stated of each."""
    return tuple(msgspec.structs.replace(one, stated=stated.get(one.name or "", ())) for one in sheets)
