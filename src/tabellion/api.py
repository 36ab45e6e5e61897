"""What a Python user holds: `extract` and the tables it returns.

The model knows nothing of pandas, JSON or notebooks, and must not. So the tables of the public interface are those of
the model with a way out added: each method here hands over to one function of `export`, imported when it is called.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import msgspec

from tabellion.errors import UsageError
from tabellion.model import table as model
from tabellion.model.document import Document, Issue
from tabellion.model.methods import (
    FrameMethod,
    GenuineMethod,
    HeaderMethod,
    ParentMethod,
    ReaderMethod,
    RenderChoice,
    RowMethod,
)
from tabellion.pipeline import Extraction, Rejected, extract_document
from tabellion.read.limits import Limits
from tabellion.settings import Settings, read_limits, read_pages

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from tabellion.export.forms import FormName


class Table(model.Table, frozen=True, eq=False):
    """A table with `tuples`, `top`, `left`, `metadata`, `place` and the products of all stages.

    It adds data frames and other formats to the table of the model.
    """

    def to_pandas(self, *, layout: bool = False) -> pandas.DataFrame:
        """One row per value; with `layout` the table in its own layout, with the headers as row and column index."""
        from tabellion.export.columns import to_pandas

        return to_pandas(self, layout=layout)

    def to_polars(self) -> polars.DataFrame:
        """One row per value."""
        from tabellion.export.columns import to_polars

        return to_polars(self)

    def to_arrow(self) -> pyarrow.Table:
        """One row per value."""
        from tabellion.export.columns import to_arrow

        return to_arrow(self)

    def to_dict(self) -> dict[str, Any]:
        """The table as a dict, as in docs/output.md."""
        from tabellion.export.json import table_pieces

        found: dict[str, Any] = msgspec.json.decode(b"".join(table_pieces(self)))
        return found

    def to_markdown(self) -> str:
        """The table as Markdown: title, values below their column headers, notes."""
        from tabellion.export.html import table_markdown

        return table_markdown(self)

    def _repr_html_(self) -> str:
        from tabellion.export.html import table_html

        return table_html(self)

    def __repr__(self) -> str:
        where = " ".join(part for part in (self.place.sheet, self.place.range) if part)
        return f"<Table {self.id} {where}: {self.title or 'untitled'}, {len(self.tuples):,} values>"


class Tables(Sequence[Table]):
    """The tables of one document in reading order, with the document and all issues."""

    def __init__(self, extraction: Extraction) -> None:
        made = (Table(**{name: getattr(one, name) for name in one.__struct_fields__}) for one in extraction.tables)
        self._tables = tuple(made)
        self.extraction = extraction

    @property
    def document(self) -> Document:
        return self.extraction.document

    @property
    def issues(self) -> tuple[Issue, ...]:
        return self.extraction.issues

    @property
    def rejected(self) -> tuple[Rejected, ...]:
        """Candidates that are not tables of data."""
        return self.extraction.rejected

    def export(self, path: str | Path, form: FormName | None = None, base: str = "urn:tabellion:") -> None:
        """Write all tables to a file, in the format of its ending or a named one; csvw: to a folder.

        `base` is the start of all identifiers in RDF.
        """
        from tabellion.export.csv import write_csvw
        from tabellion.export.forms import FORMS, form_of, write_export

        chosen = form or form_of(Path(path))
        if chosen is None or chosen not in FORMS:
            raise UsageError(f"{path}: no form is known by this ending; name one of {', '.join(FORMS)}")
        if chosen == "csvw":
            write_csvw([self.extraction], Path(path), base)
            return
        with Path(path).open("wb") as file:
            write_export(chosen, [self.extraction], file, base)

    def to_json(self, *, every: bool = False) -> bytes:
        """The document as JSON, as in docs/output.md; `every` also lists rejected candidates."""
        from tabellion.export import to_json

        return to_json(self.extraction, every=every)

    def to_csv(self) -> bytes:
        """CSV with one line per value."""
        from tabellion.export.csv import to_csv

        return to_csv(self.extraction)

    def to_markdown(self) -> str:
        """All tables as Markdown."""
        from tabellion.export.html import to_markdown

        return to_markdown(self.extraction).decode()

    def __len__(self) -> int:
        return len(self._tables)

    @overload
    def __getitem__(self, index: int) -> Table: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Table]: ...
    def __getitem__(self, index: int | slice) -> Table | Sequence[Table]:
        return self._tables[index]

    def __iter__(self) -> Iterator[Table]:
        return iter(self._tables)

    def __repr__(self) -> str:
        lines = [f"<Tables of {self.document.source}: {len(self)}, issues: {len(self.issues)}>", *map(repr, self)]
        return "\n  ".join(lines)

    def _repr_html_(self) -> str:
        from html import escape

        return "".join(table._repr_html_() for table in self) or escape(repr(self))


def extract(
    source: str | Path | bytes,
    sheet: str | None = None,
    *,
    pages: str | int | tuple[int, int] | None = None,
    pages_apart: bool = False,
    password: str | None = None,
    reader: ReaderMethod = "auto",
    rows: RowMethod = "boosted",
    parents: ParentMethod = "boosted",
    genuine: GenuineMethod = "boosted",
    headers: HeaderMethod = "boosted",
    frames: FrameMethod = "arranged",
    render: RenderChoice = "never",
    scripts: bool = False,
    network: bool = False,
    private: bool = True,
    why: bool = False,
    weights: str | Path | None = None,
    limits: Limits | Mapping[str, float] | None = None,
    isolated: bool = False,
) -> Tables:
    """Read one document and return its tables.

    `source` is a path, an address or the bytes of a document. `sheet` names one sheet of a spreadsheet, `pages` a page
    or a range of pages of a PDF: `3`, `"3-9"` or `(3, 9)`; `password` opens an encrypted one. The other settings are
    those of `Settings`; `limits` may be a dict of those that change. With `isolated` a worker process reads it, so that
    no document costs more than `seconds` and `memory` of the limits. A wrong setting raises a `UsageError`, a document
    that cannot be read an `UnreadableError`; uncertain points are in `issues`.
    """
    settings = Settings(
        limits=read_limits(limits),
        reader=reader,
        rows=rows,
        parents=parents,
        weights=None if weights is None else str(weights),
        sheet=sheet,
        genuine=genuine,
        headers=headers,
        why=why,
        pages=None if pages is None else read_pages(pages),
        pages_apart=pages_apart,
        render=render,
        frames=frames,
        scripts=scripts,
        network=network,
        password=password,
        private=private,
    )
    if isolated:
        from tabellion.isolated import extract_isolated  # only then are there workers

        return Tables(extract_isolated(source, settings))
    return Tables(extract_document(source, settings))
