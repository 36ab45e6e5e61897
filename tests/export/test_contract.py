"""The JSON of a document is what the output contract says, field by field."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import numpy as np
import pytest
from tests.building import build_extraction, build_frame, build_grid, build_nested, smoking

from tabellion.export import error_json, json_pieces, to_json
from tabellion.model.document import Issue
from tabellion.model.frame import Frame
from tabellion.model.place import Place
from tabellion.pipeline import Extraction, Rejected


class Strict(msgspec.Struct, forbid_unknown_fields=True):
    """No field more and none less."""


class PlaceFields(msgspec.Struct, forbid_unknown_fields=True):
    page: int | None = None
    sheet: str | None = None
    range: str | None = None
    box: tuple[float, float, float, float] | None = None
    path: str | None = None
    table_index: int | None = None


class CellFields(Strict):
    row: int
    column: int
    row_span: int
    column_span: int
    text: str
    value: int | float | str | None
    type: Literal["number", "date", "text", "link", "image", "form", "empty"]
    role: Literal["title", "header", "stub", "group", "value", "derived", "note", "other"]
    address: str
    box: tuple[float, float, float, float] | None
    hidden: bool = False


class NodeFields(Strict):
    id: int
    text: str
    parent: int | None
    cells: list[tuple[int, int]]


class TupleFields(Strict):
    row: int
    column: int
    address: str
    text: str
    value: int | float | str | None
    unit: str | None
    top: list[str]
    left: list[str]
    notes: list[str]
    confidence: float
    top_cells: list[tuple[int, int]]
    left_cells: list[tuple[int, int]]
    low: float | None = None
    high: float | None = None
    error: float | None = None
    bound: Literal["<", "≤", ">", "≥"] | None = None


class EnvironmentFields(Strict):
    document_type: str | None
    document_address: str | None
    document_name: str | None
    document_authors: list[str]
    page_number: int | None
    page_columns: int | None
    start: str | None


class RulingFields(Strict):
    outer_ruling: str | None


class AffiliatedFields(Strict):
    index_number: str | None
    caption: str | None
    caption_position: Literal["above", "below", "none"] | None
    footnotes: list[str]
    references: list[str]


class LayoutFields(Strict):
    width: float | None
    length: float | None
    rows: int | None
    columns: int | None
    stub_separator: str | None
    boxhead_separator: str | None
    column_widths: list[float] | None
    row_heights: list[float] | None
    column_headers: list[str]
    row_headers: list[str]
    alignment: list[str]


class ContentFields(Strict):
    cells: int
    filled: int


class TypeFields(Strict):
    kind: Literal["numerical", "text", "symbol", "image", "combination"] | None


class MetadataFields(Strict):
    environment: EnvironmentFields
    frame: RulingFields
    affiliated: AffiliatedFields
    layout: LayoutFields
    content: ContentFields
    type: TypeFields


class TableFields(Strict):
    id: str
    place: PlaceFields
    genuine: float
    confidence: float
    orientation: Literal["column", "row", "row-column", "multiple", "none"]
    rows: int
    columns: int
    header_rows: int
    header_columns: int
    cells: list[CellFields]
    row_roles: list[Literal["title", "header", "data", "group", "derived", "note", "blank"]]
    top: list[NodeFields]
    left: list[NodeFields]
    tuples: list[TupleFields]
    left_names: list[str | None]
    top_names: list[str | None]
    metadata: MetadataFields


class IssueFields(Strict):
    stage: str
    place: PlaceFields | None
    note: str


class ErrorFields(Strict):
    kind: str
    note: str


class RejectedFields(Strict):
    place: PlaceFields
    genuine: float
    kind: str
    why: list[tuple[str, float]]


class DocumentFields(Strict):
    format: Literal[1]
    source: str
    medium: Literal["spreadsheet", "html", "pdf"]
    sha256: str
    title: str | None
    authors: list[str]
    tables: list[TableFields]
    issues: list[IssueFields]
    rejected: list[RejectedFields] | None = None


class FailedFields(Strict):
    format: Literal[1]
    source: str
    medium: None
    sha256: None
    title: str | None
    authors: list[str]
    tables: list[TableFields]
    issues: list[IssueFields]
    error: ErrorFields


def decoded(extraction: Extraction, *, every: bool = False) -> DocumentFields:
    return msgspec.json.decode(to_json(extraction, every=every), type=DocumentFields)


def test_every_field_is_there_with_its_type() -> None:
    issues = (Issue("read", "no styles"), Issue("label", "unsure", Place(sheet="Sheet1", range="A1:B2")))
    rejected = (Rejected(Place(sheet="Sheet2"), 0.1, "form"),)
    document = decoded(build_extraction(smoking(), issues=issues, rejected=rejected), every=True)
    assert (document.source, document.title, document.authors) == ("some/report.xlsx", "A report", ["A. Writer"])
    assert document.issues[0].place is None
    assert document.rejected is not None
    assert document.rejected[0].place.sheet == "Sheet2"
    (table,) = document.tables
    assert (table.place.sheet, table.place.range) == ("Sheet1", "A3:C8")
    assert (table.rows, table.columns, table.header_rows, table.header_columns) == (12, 3, 1, 1)


def test_rejected_candidates_are_listed_only_when_asked_for() -> None:
    assert b'"rejected"' not in to_json(build_extraction(smoking(), rejected=(Rejected(Place(), 0.1),)))


def test_a_document_that_cannot_be_read_says_why() -> None:
    line = error_json('a"b.xlsx', "encrypted", 'a"b.xlsx: protected by a password')
    failed = msgspec.json.decode(line, type=FailedFields)
    assert (failed.source, failed.error.kind) == ('a"b.xlsx', "encrypted")


def test_a_line_is_one_line() -> None:
    grid = build_grid([["", "two\nlines"], ["Ohio", 7]])
    assert b"\n" not in to_json(build_extraction(build_nested(build_frame(grid, "hd"))))


def test_tuples_are_those_of_the_table() -> None:
    extraction = build_extraction(smoking())
    told = decoded(extraction).tables[0].tuples
    for ours, theirs in zip(extraction.tables[0].tuples, told, strict=True):
        assert msgspec.json.decode(msgspec.json.encode(ours)) == msgspec.json.decode(msgspec.json.encode(theirs))


def test_indices_and_addresses_are_the_sheets_own() -> None:
    grid = build_grid([["", "1990"], ["Ohio", 7]], first="C10")
    (table,) = decoded(build_extraction(build_nested(build_frame(grid, "hd")))).tables
    assert [cell.address for cell in table.cells] == ["D10", "C11", "D11"]
    assert [(cell.row, cell.column) for cell in table.cells] == [(9, 3), (10, 2), (10, 3)]
    assert table.row_roles == ["blank"] * 9 + ["header", "data"]
    assert (table.top[0].cells, table.left[0].cells) == ([(9, 3)], [(10, 2)])
    assert table.tuples[0].top_cells == [(9, 3)]


def test_spanned_cells_come_once_with_their_span() -> None:
    grid = build_grid([["", "Sales", None], ["", "1990", "1995"], ["Ohio", 1, 2]], merges=["B1:C1"])
    (table,) = decoded(build_extraction(build_nested(build_frame(grid, "hhd"), under={"B2": "B1", "C2": "B1"}))).tables
    (sales,) = (cell for cell in table.cells if cell.row == 0)
    assert (sales.row_span, sales.column_span, sales.role) == (1, 2, "header")
    assert [node.parent for node in table.top] == [None, 0, 0]


def test_types_and_values_of_cells() -> None:
    grid = build_grid([["", "a", "b", "c", "d"], ["Ohio", 7.5, "1,234", "2023-03-15", "(NA)"]])
    cells = {c.address: c for c in decoded(build_extraction(build_nested(build_frame(grid, "hd")))).tables[0].cells}
    told = [(cells[a].type, cells[a].value) for a in ("A2", "B2", "C2", "D2", "E2")]
    assert told == [("text", "Ohio"), ("number", 7.5), ("number", 1234), ("date", "2023-03-15"), ("text", None)]


def test_what_no_table_claims_comes_with_the_first_table_of_the_sheet() -> None:
    grid = build_grid([["A report", None], ["", "1990"], ["Ohio", 7], ["", "1995"], ["Iowa", 8]])
    whole = build_frame(grid, "thdhd")
    stacked = []
    for header, body in ((1, 2), (3, 4)):
        rect = whole.rect._replace(top=header, bottom=body)
        stacked.append(Frame(whole.labels, rect, (header,), (body,), whole.stub_columns, whole.value_columns))
    first, second = decoded(build_extraction(*map(build_nested, stacked))).tables
    assert [(c.address, c.role) for c in first.cells if c.role == "title"] == [("A1", "title")]
    assert {c.address for c in second.cells} == {"B4", "A5", "B5"}


def test_a_document_without_tables() -> None:
    assert decoded(build_extraction()).tables == []


def test_pieces_are_small_and_make_up_the_whole() -> None:
    grid = build_grid([["", *(str(n) for n in range(1990, 2010))], *([f"r{n}", *range(20)] for n in range(1000))])
    extraction = build_extraction(build_nested(build_frame(grid, "h" + "d" * 1000)))
    pieces = list(json_pieces(extraction))
    whole: Any = msgspec.json.decode(b"".join(pieces))
    assert len(whole["tables"][0]["tuples"]) == 20_000
    assert max(map(len, pieces)) < 2_000_000


@pytest.mark.parametrize("text", ["\x00", 'quo"te', "\\", "ä🙂"])
def test_any_text_is_valid_json(text: str) -> None:
    grid = build_grid([["", "1990"], [f"x{text}", f"y {text} z"]])
    extraction = build_extraction(build_nested(build_frame(grid, "hd")))
    assert decoded(extraction).tables[0].tuples[0].text == f"y {text} z"


def test_cells_of_hidden_rows_and_columns_are_marked() -> None:
    grid = build_grid([["Item", "2020", "2021"], ["Wheat", 1.0, 2.0], ["Rye", 3.0, 4.0]])
    grid = msgspec.structs.replace(
        grid, hidden_rows=np.array([False, True, False]), hidden_columns=np.array([False, False, True])
    )
    extraction = build_extraction(build_nested(build_frame(grid, "hdd")))
    [table] = msgspec.json.decode(to_json(extraction))["tables"]
    hidden = {cell["address"] for cell in table["cells"] if cell.get("hidden")}
    assert hidden == {"C1", "A2", "B2", "C2", "C3"}
