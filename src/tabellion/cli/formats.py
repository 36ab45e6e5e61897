"""The forms that extractions are printed in, and what stands before, between and after the documents."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from tabellion.cli.batch import Outcome
    from tabellion.pipeline import Extraction


class Form(StrEnum):
    """The formats that tables can be printed in."""

    jsonl = "jsonl"
    json = "json"
    csv = "csv"
    markdown = "markdown"


def format_extraction(extraction: Extraction, form: Form, *, every: bool) -> bytes:
    """One document in the given form."""
    from tabellion import export

    if form is Form.csv:
        return export.to_csv(extraction)
    if form is Form.markdown:
        return export.to_markdown(extraction)
    return export.to_json(extraction, every=every)


class Writer:
    """Writes outcomes one after the other as one whole: lines, a JSON list, CSV under one head, or Markdown."""

    def __init__(self, file: BinaryIO, form: Form) -> None:
        self.file, self.form = file, form
        self.count = 0

    def write(self, outcome: Outcome) -> None:
        """One document; it reaches the reader at once."""
        text = self._failed(outcome) if outcome.failure else outcome.text
        if self.form is Form.json:
            self.file.write(b",\n" if self.count else b"[\n")
        elif self.form is Form.markdown and self.count and text:
            self.file.write(b"\n")
        self.file.write(text)
        if self.form is Form.jsonl:
            self.file.write(b"\n")
        self.file.flush()
        self.count += 1

    def close(self) -> None:
        """What stands after the last document."""
        if self.form is Form.json:
            self.file.write(b"\n]\n" if self.count else b"[]\n")
        self.file.flush()

    def _failed(self, outcome: Outcome) -> bytes:
        from tabellion import export

        if self.form in (Form.csv, Form.markdown) or outcome.failure is None:
            return b""
        return export.error_json(outcome.source, outcome.failure.kind, outcome.failure.note)
