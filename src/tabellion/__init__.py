"""Tables of documents as relational tuples with their whole header paths, metadata and place of origin.

    import tabellion

    for table in tabellion.extract("report.xlsx"):
        for value in table.tuples:
            print(value.address, value.left, value.top, value.value, value.unit)

A document flows through six stages, each in a room of its own, each product holding the one before:

    read -> locate -> recognise -> label -> nest -> relate

`pipeline` shows the flow on one page, `model` holds the nouns, `export` the forms that tables leave in. Names are
imported when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tabellion.api import Table as Table
    from tabellion.api import Tables as Tables
    from tabellion.api import extract as extract
    from tabellion.errors import TabellionError as TabellionError
    from tabellion.errors import UnreadableError as UnreadableError
    from tabellion.export.read_back import ExportedTable as ExportedTable
    from tabellion.export.read_back import read_export as read_export
    from tabellion.pipeline import Settings as Settings
    from tabellion.read import Limits as Limits
    from tabellion.read import read_document as read_document

_HOMES = {
    "ExportedTable": "tabellion.export.read_back",
    "Limits": "tabellion.read",
    "Settings": "tabellion.pipeline",
    "Table": "tabellion.api",
    "TabellionError": "tabellion.errors",
    "Tables": "tabellion.api",
    "UnreadableError": "tabellion.errors",
    "extract": "tabellion.api",
    "read_document": "tabellion.read",
    "read_export": "tabellion.export.read_back",
}

__all__ = [
    "ExportedTable",
    "Limits",
    "Settings",
    "TabellionError",
    "Table",
    "Tables",
    "UnreadableError",
    "extract",
    "read_document",
    "read_export",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("tabellion")
    if name not in _HOMES:
        raise AttributeError(f"module 'tabellion' has no attribute {name!r}")
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, "__version__"})
