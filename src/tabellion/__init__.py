"""Turns the tables in spreadsheets, web pages and PDFs into tidy data.

    import tabellion

    for table in tabellion.extract("report.xlsx"):
        for value in table.tuples:
            print(value.address, value.left, value.top, value.value, value.unit)

A document passes through six stages, each in a package of its own:

    read -> locate -> recognise -> label -> nest -> relate

`pipeline` calls them, `model` has the types, `export` the output formats. Names are imported when they are first used,
so importing the package costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tabellion.api import Table, Tables, extract
    from tabellion.errors import TabellionError, UnreadableError, UsageError
    from tabellion.export.forms import ExportedTable, read_export
    from tabellion.library import open_library
    from tabellion.library.library import Library
    from tabellion.read import Limits, read_document
    from tabellion.settings import Settings

    __version__: str

__all__ = [
    "ExportedTable",
    "Library",
    "Limits",
    "Settings",
    "TabellionError",
    "Table",
    "Tables",
    "UnreadableError",
    "UsageError",
    "extract",
    "open_library",
    "read_document",
    "read_export",
]

_HOMES = {
    "ExportedTable": "tabellion.export.forms",
    "Library": "tabellion.library.library",
    "Limits": "tabellion.read",
    "Settings": "tabellion.settings",
    "Table": "tabellion.api",
    "TabellionError": "tabellion.errors",
    "Tables": "tabellion.api",
    "UnreadableError": "tabellion.errors",
    "UsageError": "tabellion.errors",
    "extract": "tabellion.api",
    "open_library": "tabellion.library",
    "read_document": "tabellion.read",
    "read_export": "tabellion.export.forms",
}

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others

    def __getattr__(name: str) -> object:
        from importlib import import_module

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
