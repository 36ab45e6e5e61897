"""The forms that tables are published in, by name. Start with `write_export`.

In: the name of a form and extractions, which may come one after the other. Out: a file. Forms of text are written piece
by piece: what stands before, between and after the documents is the form's own, and a document is never held whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, get_args

from tabellion.errors import MissingExtraError
from tabellion.export.csv import csv_head, csv_pieces
from tabellion.export.cube import SHAPES, describe_extraction
from tabellion.export.json import json_pieces
from tabellion.export.markdown import to_markdown
from tabellion.export.page import PAGE_HEAD, PAGE_TAIL, page_pieces
from tabellion.export.xlsx import write_xlsx
from tabellion.export.xml import SCHEMA, XML_HEAD, XML_TAIL, xml_pieces
from tabellion.pipeline import Extraction
from tabellion.rdf import SYNTAXES, Syntax
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


def text_form(name: str, base: str = BASE) -> TextForm | None:
    """The form of a name, or None where it is no text; `base` is what the names of RDF begin with."""
    if name in SYNTAXES:
        return _rdf_form(SYNTAXES[name], base)
    forms = {
        "csv": TextForm(csv_pieces, csv_head()),
        "json": TextForm(json_pieces, b"[\n", b",\n", b"\n]\n"),
        "jsonl": TextForm(_json_line),
        "markdown": TextForm(lambda extraction: [to_markdown(extraction)], between=b"\n"),
        "html": TextForm(page_pieces, PAGE_HEAD, b"", PAGE_TAIL),
        "xml": TextForm(xml_pieces, XML_HEAD, b"", XML_TAIL),
    }
    return forms.get(name)


def form_of(path: Path) -> FormName | None:
    """The form that the ending of a file names.

    >>> form_of(Path("tables.ttl")), form_of(Path("tables"))
    ('turtle', None)
    """
    return ENDINGS.get(path.suffix.lower())


def write_export(name: FormName, extractions: Iterable[Extraction], file: BinaryIO, base: str = BASE) -> None:
    """Documents in the given form, which is any but csvw."""
    form = text_form(name, base)
    if name == "xlsx":
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
        return SCHEMA.read_bytes()
    return SHAPES.read_bytes() if name in SYNTAXES or name == "csvw" else None


def _rdf_form(syntax: Syntax, base: str) -> TextForm:
    def pieces(extraction: Extraction) -> Iterator[bytes]:
        return syntax.pieces(describe_extraction(extraction), base)

    return TextForm(pieces, syntax.head(base).encode(), syntax.between.encode(), syntax.tail.encode())


def _json_line(extraction: Extraction) -> Iterator[bytes]:
    yield from json_pieces(extraction)
    yield b"\n"


def _need(package: str, extra: str, name: str) -> None:
    if find_spec(package) is None:
        raise MissingExtraError(f"{name} needs {package}: pip install 'tabellion[{extra}]'")
