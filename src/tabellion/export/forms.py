"""The forms that tables are published in, by name. Start with `write_export`.

In: the name of a form and extractions, which may come one after the other. Out: a file. Forms of text are written piece
by piece: what stands before, between and after the documents is the form's own, and a document is never held whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, get_args

from tabellion.errors import MissingExtraError
from tabellion.export.csv import csv_head, csv_pieces
from tabellion.export.json import json_pieces
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
