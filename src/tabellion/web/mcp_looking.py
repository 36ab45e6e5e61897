"""Tools for agents that look at tables and mend them, as people do in the app.

In: what makes a tool, and what lies open of a library. Out: the tools. Strokes are there only where writing is allowed.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field

from tabellion.library.annotations import parts_of
from tabellion.library.answers import AnswerForm
from tabellion.model.place import Rect
from tabellion.repair.lookalikes import Scope
from tabellion.web.looking import Looking
from tabellion.web.service import LibraryService

Tool = Callable[..., Any]
Line = Annotated[int, Field(ge=0, description="Of the source, from 0.")]
Operations = Annotated[
    list[dict[str, Any]],
    Field(
        min_length=1,
        max_length=1_000,
        description='{"do": "row-role", "row": {"row": 3}, "to": "header"}; {"do": "move-header", "side": "left", '
        '"header": {"row": 7, "column": 0}, "to": {"row": 5, "column": 0}}: as in the log that repair exports.',
    ),
]


def add_looking_tools(tool: Tool, service: LibraryService, looking: Looking) -> None:
    """The tools that read."""

    @tool
    def look_at_table(table: str) -> Any:
        """A table as it is read now: frame, roles of rows, both header trees, doubts, and its version."""
        return looking.reading(table)

    @tool
    def read_cells(table: str, top: Line = 0, left: Line = 0, bottom: Line = 49, right: Line = 19) -> Any:
        """The cells of a part of a table's sheet (of the table, in other media), with looks and roles."""
        return looking.cells(table, Rect(top, left, bottom, right))

    @tool
    def read_cell(table: str, row: Line, column: Line) -> Any:
        """One cell: its value with paths, unit and notes, or the header that it is and the values under it."""
        return looking.cell(table, row, column)

    @tool
    def export_query(
        sql: Annotated[str, Field(description="One SELECT, or the name of a kept question.", max_length=20_000)],
        form: AnswerForm = "csv",
        parameters: Annotated[dict[str, str | int | float | None] | None, Field(description="Values by name.")] = None,
    ) -> Any:
        """All rows of a question as csv, json, jsonl, html, markdown or xml; xlsx and parquet come in base64."""
        data = service.export_query(sql, form, parameters)
        packed = form in ("xlsx", "parquet")
        return {"form": form, ("base64" if packed else "text"): b64encode(data).decode() if packed else data.decode()}

    @tool
    def find_places(labels: Annotated[list[str], Field(max_length=2_000)]) -> Any:
        """The ISO 3166 codes of the countries or states that labels name; what they have in common decides."""
        return service.places(labels)

    @tool
    def read_page_parts(document: str, annotator: str = "agent") -> Any:
        """The texts of a saved web page and where its parts begin, as an annotator sees it."""
        return parts_of(looking.library, document, annotator)


def add_mending_tools(tool: Tool, looking: Looking) -> None:
    """The tools that write."""

    @tool
    def correct_table(
        table: str,
        operations: Operations,
        author: str | None = None,
        seen: Annotated[int | None, Field(ge=0, description="`version` of look_at_table that this is said of.")] = None,
    ) -> Any:
        """Correct a table, all or none; refused where somebody else has said otherwise of the same place meanwhile."""
        return looking.correct(table, operations, author, seen)

    @tool
    def preview_corrections(table: str, operations: Operations) -> Any:
        """What corrections would change, in words; nothing is kept."""
        return {"changes": looking.preview(table, operations, None)}

    @tool
    def find_alike(table: str, correction: str | None = None, scope: Scope = "workbook") -> Any:
        """The same correction wherever the same look recurs; of the last one where none is named."""
        return looking.alike(table, correction, scope)

    @tool
    def accept_alike(
        table: str,
        correction: str,
        scope: Scope = "workbook",
        without: Annotated[list[int] | None, Field(description="Numbers of proposals that are left out.")] = None,
        author: str | None = None,
    ) -> Any:
        """Make the proposals of find_alike, all or none."""
        return looking.accept(table, correction, scope, without or [], author)

    @tool
    def undo_corrections(document: str, corrections: list[str], author: str | None = None) -> Any:
        """Take corrections back; of an undoing: bring back what it took back."""
        return looking.undo(document, corrections, author)
