"""The forms of answers about tables over time and about all of them, as the OpenAPI description tells them."""

from __future__ import annotations

from pydantic import BaseModel


class Edition(BaseModel):
    """One edition of a table; `edition` is its time in ISO 8601."""

    edition: str
    table: str
    name: str
    document: str
    source: str
    sheet: str | None
    title: str | None
    likeness: float
    rows: int
    columns: int


class SeriesColumn(BaseModel):
    """A column over all editions: what it is called in each, and its unit."""

    name: str
    unit: str | None
    editions: dict[str, str]
    shifted: bool
    converted: dict[str, str]
    as_text: bool


class Series(BaseModel):
    """A table over all its editions, and the SQL that gives one relation."""

    table: str
    editions: list[Edition]
    columns: list[SeriesColumn]
    sql: str
    rows: int


class Side(BaseModel):
    """One of two tables that are compared."""

    table: str
    name: str
    document: str
    source: str
    sha256: str
    title: str | None
    rows: int
    columns: int


class Change(BaseModel):
    """A value that is another in the second table."""

    left: list[str]
    top: list[str]
    address: str | None
    text: str
    value: float | None
    other_address: str | None
    other_text: str
    other_value: float | None
    difference: float | None
    share: float | None


class Lines(BaseModel):
    """What became of rows or columns."""

    same: int
    renamed: list[tuple[list[str], list[str]]]
    only_first: list[list[str]]
    only_second: list[list[str]]


class Facet(BaseModel):
    """One thing of the structure that differs."""

    what: str
    first: str | None
    second: str | None


class Comparison(BaseModel):
    """What changed between two tables."""

    first: Side
    second: Side
    rows: Lines
    columns: Lines
    structure: list[Facet]
    compared: int
    unchanged: int
    changed: list[Change]


class Share(BaseModel):
    """A share with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


class SurveyGroup(BaseModel):
    """The tables of one domain, medium, year, language or kind, or all."""

    by: str
    name: str
    documents: int
    tables: int
    values: int
    data_frame: Share
    hierarchical_top: Share
    hierarchical_left: Share
    hierarchical: Share
    top_depth: float
    left_depth: float
    rows: float
    columns: float
    units: Share


class Survey(BaseModel):
    """What kinds of tables a library holds."""

    documents: int
    without_tables: int
    tables: int
    values: int
    drawn: str
    groups: list[SurveyGroup]
    units: list[tuple[str, int]]
    sizes: list[tuple[str, float, float, float, float, float]]
