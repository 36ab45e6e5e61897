"""The forms that extractions are printed in, and what stands before, between and after the documents."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from tabellion.cli.batch import Failure, Outcome
    from tabellion.export.forms import TextForm
    from tabellion.pipeline import Extraction

MANY_TUPLES = 100_000  # from here on a document is written piece by piece, so that it is not held twice


class Form(StrEnum):
    """The formats that tables can be printed in."""

    jsonl = "jsonl"
    json = "json"
    csv = "csv"
    markdown = "markdown"
    html = "html"
    xml = "xml"
    turtle = "turtle"
    nquads = "nquads"
    rdfxml = "rdfxml"
    jsonld = "jsonld"


def format_extraction(extraction: Extraction, form: Form, *, every: bool) -> Iterable[bytes]:
    """One document in the given form: as a whole, or piece by piece where it holds very many tuples."""
    from tabellion.export import json_pieces

    if form in (Form.jsonl, Form.json):
        pieces: Iterable[bytes] = json_pieces(extraction, every=every)
    else:
        pieces = _text_form(form).pieces(extraction)
    return pieces if sum(len(table.tuples) for table in extraction.tables) > MANY_TUPLES else list(pieces)


class Writer:
    """Writes outcomes one after the other as one whole: lines, a JSON list, CSV under one head, one XML document."""

    def __init__(self, file: BinaryIO, form: Form) -> None:
        self.file, self.form = file, form
        self.count = 0

    def write(self, outcome: Outcome) -> None:
        """One document; it reaches the reader at once."""
        text = self._failed(outcome.source, outcome.failure) if outcome.failure else outcome.text
        self.file.write(self._before())
        self.file.writelines(text)
        if self.form is Form.jsonl:
            self.file.write(b"\n")
        self.file.flush()
        self.count += 1

    def close(self) -> None:
        """What stands after the last document."""
        self.file.write(_text_form(self.form).tail)
        self.file.flush()

    def _before(self) -> bytes:
        """What stands before a document: the first, or a later one."""
        form = _text_form(self.form)
        return form.between if self.count else form.head

    def _failed(self, source: str, failure: Failure) -> Iterable[bytes]:
        from tabellion.export import error_json

        if self.form is Form.markdown:
            return (f"# {source}\n\nCould not be read: {failure.note}\n".encode(),)
        if self.form in (Form.jsonl, Form.json):
            return (error_json(source, failure.kind, failure.note),)
        return ()


def _text_form(form: Form) -> TextForm:
    from tabellion.export.forms import text_form

    found = text_form(form.value)
    if found is None:
        raise LookupError(form.value)
    return found
