"""The medium-independent metadata of a table in six categories (Liu, Mitra, Giles, Bai 2006)."""

from __future__ import annotations

from typing import Literal

import msgspec


class Environment(msgspec.Struct, frozen=True):
    """The document around the table."""

    document_type: str | None = None
    document_address: str | None = None
    document_name: str | None = None
    document_authors: tuple[str, ...] = ()
    page_number: int | None = None
    page_columns: int | None = None
    start: str | None = None


class FrameLines(msgspec.Struct, frozen=True):
    """The outer border: all, top-bottom, none, or the sides that are drawn."""

    outer_ruling: str | None = None


class Affiliated(msgspec.Struct, frozen=True):
    """What belongs to the table but lies outside its grid."""

    index_number: str | None = None
    caption: str | None = None
    caption_position: Literal["above", "below", "none"] | None = None
    footnotes: tuple[str, ...] = ()
    references: tuple[str, ...] = ()


class Layout(msgspec.Struct, frozen=True):
    """Sizes, separators and headers."""

    width: float | None = None
    length: float | None = None
    rows: int | None = None
    columns: int | None = None
    stub_separator: str | None = None
    boxhead_separator: str | None = None
    column_widths: tuple[float, ...] | None = None
    row_heights: tuple[float, ...] | None = None
    column_headers: tuple[str, ...] = ()
    row_headers: tuple[str, ...] = ()
    alignment: tuple[str, ...] = ()


class ContentCount(msgspec.Struct, frozen=True):
    """How many cells there are and how many are filled."""

    cells: int = 0
    filled: int = 0


class TableType(msgspec.Struct, frozen=True):
    """What the cells mostly hold."""

    kind: Literal["numerical", "text", "symbol", "image", "combination"] | None = None


class Metadata(msgspec.Struct, frozen=True):
    """The six categories of table metadata."""

    environment: Environment = Environment()
    frame: FrameLines = FrameLines()
    affiliated: Affiliated = Affiliated()
    layout: Layout = Layout()
    content: ContentCount = ContentCount()
    type: TableType = TableType()
