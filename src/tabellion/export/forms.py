"""The forms that tables are published in, by name. `write_export` enters here.

In: the name of a form and extractions, which may come one after the other. Out: a file. Forms of text are written piece
by piece: what stands before, between and after the documents is the form's own, and a document is never held whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from typing import BinaryIO, Literal, NamedTuple, get_args

from tabellion.errors import MissingExtraError
from tabellion.export.csv import csv_head, csv_pieces
from tabellion.export.json import json_pieces
from tabellion.export.markdown import to_markdown
from tabellion.export.xml import SCHEMA, XML_HEAD, XML_TAIL, xml_pieces
from tabellion.pipeline import Extraction

FormName = Literal["csv", "parquet", "json", "jsonl", "markdown", "xml"]
FORMS: tuple[FormName, ...] = get_args(FormName)


class TextForm(NamedTuple):
    """How documents are written one after the other as one text."""

    pieces: Callable[[Extraction], Iterable[bytes]]
    head: bytes = b""
    between: bytes = b""
    tail: bytes = b""


def text_form(name: str) -> TextForm | None:
    """The form of a name, or None where it is no text."""
    forms = {
        "csv": TextForm(csv_pieces, csv_head()),
        "json": TextForm(json_pieces, b"[\n", b",\n", b"\n]\n"),
        "jsonl": TextForm(_json_line),
        "markdown": TextForm(lambda extraction: [to_markdown(extraction)], between=b"\n"),
        "xml": TextForm(xml_pieces, XML_HEAD, b"", XML_TAIL),
    }
    return forms.get(name)


def write_export(name: FormName, extractions: Iterable[Extraction], file: BinaryIO) -> None:
    """Documents in the given form."""
    form = text_form(name)
    if form is None:
        _need("pyarrow", "arrow", name)
        from tabellion.export.parquet import write_parquet

        write_parquet(extractions, file)
        return
    file.write(form.head)
    for number, extraction in enumerate(extractions):
        file.write(form.between if number else b"")
        file.writelines(form.pieces(extraction))
    file.write(form.tail)


def schema_of(name: FormName) -> bytes | None:
    """The schema that a form is valid by, where there is one: XSD for XML."""
    return SCHEMA.read_bytes() if name == "xml" else None


def _json_line(extraction: Extraction) -> Iterator[bytes]:
    yield from json_pieces(extraction)
    yield b"\n"


def _need(package: str, extra: str, name: str) -> None:
    if find_spec(package) is None:
        raise MissingExtraError(f"{name} needs {package}: pip install 'tabellion[{extra}]'")
