"""The forms that tables are published in, by name, and exports read back. Start with `write_export` and `read_export`.

In: the name of a form and extractions, which may come one after the other. Out: a file. Forms of text are written piece
by piece: what stands before, between and after the documents is the form's own, and a document is never held whole.

In: a file that `tabellion export` wrote, as CSV, Parquet, JSON, XML, xlsx or HTML; its kind is told by its bytes. Out:
the same tables with the same tuples, which is what all forms can hold; cells and header trees are not among it. A
workbook or a page is read as any other document is.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, get_args

import msgspec

from tabellion.errors import MalformedError, MissingExtraError, SourceMissingError, UnknownFormatError
from tabellion.export.columns import SPREAD
from tabellion.export.csv import COLUMNS, SEPARATOR, csv_head, csv_pieces
from tabellion.export.json import json_pieces
from tabellion.model.place import cell_at
from tabellion.model.table import Tuple
from tabellion.pipeline import Extraction
from tabellion.rdf import SYNTAXES
from tabellion.rdf.facts import BASE

FormName = Literal[
    "csv", "xlsx", "parquet", "json", "jsonl", "html", "markdown", "xml", "turtle", "nquads", "rdfxml", "jsonld", "csvw"
]  # fmt: skip
FORMS: tuple[FormName, ...] = get_args(FormName)


ENDINGS: dict[str, FormName] = {
    ".csv": "csv", ".xlsx": "xlsx", ".parquet": "parquet", ".json": "json", ".jsonl": "jsonl", ".html": "html",
    ".htm": "html", ".md": "markdown", ".xml": "xml", ".ttl": "turtle", ".nq": "nquads", ".rdf": "rdfxml",
    ".jsonld": "jsonld",
}  # fmt: skip


class TextForm(NamedTuple):
    """How documents are written one after the other as one text."""

    pieces: Callable[[Extraction], Iterable[bytes]]
    head: bytes = b""
    between: bytes = b""
    tail: bytes = b""


def text_form(name: str, base: str = BASE, *, safe: bool = False) -> TextForm | None:
    """The form of a name, or None where it is no text; `base` is what the names of RDF begin with.

    With `safe`, no cell of CSV is a formula to a spreadsheet.
    """
    if name in SYNTAXES:
        return _rdf_form(name, base)
    forms = {
        "csv": lambda: TextForm(partial(csv_pieces, safe=safe), csv_head()),
        "json": lambda: TextForm(json_pieces, b"[\n", b",\n", b"\n]\n"),
        "jsonl": lambda: TextForm(_json_line),
        "markdown": _markdown_form,
        "html": _page_form,
        "xml": _xml_form,
    }
    return forms[name]() if name in forms else None


def _markdown_form() -> TextForm:
    from tabellion.export.html import to_markdown

    return TextForm(lambda extraction: [to_markdown(extraction)], between=b"\n")


def _page_form() -> TextForm:
    from tabellion.export.html import PAGE_HEAD, PAGE_TAIL, page_pieces

    return TextForm(page_pieces, PAGE_HEAD, b"", PAGE_TAIL)


def _xml_form() -> TextForm:
    from tabellion.export.xml import XML_HEAD, XML_TAIL, xml_pieces

    return TextForm(xml_pieces, XML_HEAD, b"", XML_TAIL)


def form_of(path: Path) -> FormName | None:
    """The form that the ending of a file names.

    >>> form_of(Path("tables.ttl")), form_of(Path("tables"))
    ('turtle', None)
    """
    return ENDINGS.get(path.suffix.lower())


def write_export(
    name: FormName, extractions: Iterable[Extraction], file: BinaryIO, base: str = BASE, *, safe: bool = False
) -> None:
    """Documents in the given form, which is any but csvw; with `safe`, no cell of CSV is a formula to a spreadsheet."""
    form = text_form(name, base, safe=safe)
    if name == "xlsx":
        from tabellion.export.xlsx import write_xlsx

        write_xlsx(extractions, file)
        return
    if form is None:
        _need("pyarrow", "arrow", name)
        from tabellion.export.arrow import write_parquet

        write_parquet(extractions, file)
        return
    file.write(form.head)
    for number, extraction in enumerate(extractions):
        file.write(form.between if number else b"")
        file.writelines(form.pieces(extraction))
    file.write(form.tail)


def schema_of(name: FormName) -> bytes | None:
    """The schema that a form is valid by, where there is one: XSD for XML, SHACL for RDF."""
    if name == "xml":
        from tabellion.export.xml import SCHEMA

        return SCHEMA.read_bytes()
    if name in SYNTAXES or name == "csvw":
        from tabellion.export.cube import SHAPES

        return SHAPES.read_bytes()
    return None


def _rdf_form(name: str, base: str) -> TextForm:
    from tabellion.export.cube import describe_extraction

    syntax = SYNTAXES[name]

    def pieces(extraction: Extraction) -> Iterator[bytes]:
        return syntax.pieces(describe_extraction(extraction), base)

    return TextForm(pieces, syntax.head(base).encode(), syntax.between.encode(), syntax.tail.encode())


def _json_line(extraction: Extraction) -> Iterator[bytes]:
    yield from json_pieces(extraction)
    yield b"\n"


def _need(package: str, extra: str, name: str) -> None:
    if find_spec(package) is None:
        raise MissingExtraError(f"{name} needs {package}: pip install 'tabellion[{extra}]'")


class ExportedTable(msgspec.Struct, frozen=True):
    """A table of an export: the document it is from, its sheet, its id there, and its tuples."""

    source: str
    sheet: str | None
    id: str
    tuples: tuple[Tuple, ...]


def parse_value(kind: str, text: str | None) -> float | int | str | None:
    """A value from its text: a number where it is one, whole where it is written so.

    >>> parse_value("number", "12"), parse_value("number", "2.5"), parse_value("date", "1990-01-01")
    (12, 2.5, '1990-01-01')
    """
    if text is None or kind == "missing":
        return None
    if kind != "number":
        return text
    return int(text) if text.lstrip("-").isdecimal() else float(text)


class _JsonPlace(msgspec.Struct):
    sheet: str | None = None


class _JsonTable(msgspec.Struct):
    id: str
    place: _JsonPlace
    tuples: tuple[Tuple, ...]


class _JsonDocument(msgspec.Struct):
    source: str
    tables: list[_JsonTable]


def read_export(source: str | Path | bytes) -> list[ExportedTable]:
    """The tables of an export, in their order."""
    name = "<bytes>" if isinstance(source, bytes) else str(source)
    try:
        data = source if isinstance(source, bytes) else Path(source).read_bytes()
    except OSError as error:
        raise SourceMissingError(f"{name}: cannot be read ({error.strerror})") from error
    start = data[:2000].lstrip()
    if data.startswith(b"PAR1"):
        from tabellion.export.arrow import read_parquet

        return read_parquet(data)
    if data.startswith(csv_head().rstrip()):
        return read_csv(data)
    if start.startswith((b"{", b"[")):
        return read_json(data, name)
    if start.startswith(b"<?xml"):
        from tabellion.export.xml import read_xml

        return read_xml(data, name)
    if data.startswith(b"PK") or start[:9].lower() == b"<!doctype":
        return _read_document(data, name)
    raise UnknownFormatError(f"{name}: not a file that tabellion export writes")


def read_csv(data: bytes) -> list[ExportedTable]:
    """The tables of `to_csv`."""
    found: dict[tuple[str, str | None, str], list[Tuple]] = {}
    lines = csv.reader(io.StringIO(data.decode(), newline=""))
    next(lines)
    for line in lines:
        given = dict(zip(COLUMNS, line, strict=True))
        found.setdefault((given["source"], given["sheet"] or None, given["table"]), []).append(_csv_tuple(given))
    return [ExportedTable(*key, tuple(tuples)) for key, tuples in found.items()]


def split_path(text: str) -> tuple[str, ...]:
    r"""The labels of a path that was joined.

    >>> split_path("Male | White \\| other"), split_path("")
    (('Male', 'White | other'), ())
    """
    return tuple(label.replace("\\|", "|") for label in text.split(SEPARATOR)) if text else ()


def read_json(data: bytes, name: str) -> list[ExportedTable]:
    """The tables of the output contract: one object, a list of them, or one per line."""
    try:
        if data.lstrip().startswith(b"["):
            documents = msgspec.json.decode(data, type=list[_JsonDocument])
        else:
            documents = msgspec.json.Decoder(_JsonDocument).decode_lines(data)
    except msgspec.MsgspecError as error:
        raise MalformedError(f"{name}: not the JSON of tables ({error})") from error
    return [
        ExportedTable(document.source, table.place.sheet, table.id, table.tuples)
        for document in documents
        for table in document.tables
    ]


def _csv_tuple(given: Mapping[str, str]) -> Tuple:
    row, column = cell_at(given["address"])
    sides: dict[str, Any] = {}
    for side in ("top", "left"):
        cells = tuple(map(cell_at, split_path(given[f"{side}_cells"])))
        sides[f"{side}_cells"] = cells
        sides[side] = split_path(given[side]) or ("",) * len(cells)
    return Tuple(
        row=row,
        column=column,
        address=given["address"],
        text=given["text"],
        value=parse_value(given["type"], given["value"]),
        unit=given["unit"] or None,
        notes=split_path(given["notes"]),
        confidence=float(given["confidence"]),
        **sides,
        **spread_of(given),
    )


def spread_of(given: Mapping[str, str]) -> dict[str, Any]:
    """How far a value can be off; files of older form do not say it."""
    held = ((name, given.get(name)) for name in SPREAD)
    return {name: said if name == "bound" else float(said) for name, said in held if said}


def _read_document(data: bytes, name: str) -> list[ExportedTable]:
    from tabellion.pipeline import extract_document

    found = extract_document(data)
    return [ExportedTable(name, table.place.sheet, table.id, tuple(table.tuples)) for table in found.tables]
