"""The forms of requests and answers, as the OpenAPI description tells them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tabellion.library.answers import AnswerForm
from tabellion.web.service import MOST_ROWS

MEDIA: dict[str, str] = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "html": "text/html; charset=utf-8",
    "markdown": "text/markdown; charset=utf-8",
    "xml": "application/xml",
    "turtle": "text/turtle; charset=utf-8",
    "nquads": "application/n-quads",
    "rdfxml": "application/rdf+xml",
    "jsonld": "application/ld+json",
    "sqlite": "application/vnd.sqlite3",
    "duckdb": "application/octet-stream",
}
Form = Literal[
    "csv", "xlsx", "parquet", "json", "jsonl", "html", "markdown", "xml", "turtle", "nquads", "rdfxml", "jsonld",
    "sqlite", "duckdb",
]  # fmt: skip


class Problem(BaseModel):
    """Why a request got no answer; `kind` is a stable word for what was wrong with a document or a question."""

    detail: str
    kind: str | None = None


class Document(BaseModel):
    """A document of the library."""

    id: str
    source: str
    medium: str
    sha256: str
    title: str | None
    added: str
    version: int
    tables: int
    tuples: int


class Documents(BaseModel):
    """A page of documents; `next` is what `after` must say for the next one."""

    documents: list[Document]
    next: str | None


class Table(BaseModel):
    """A table of the library."""

    id: str
    document: str
    name: str
    sheet: str | None
    page: int | None
    title: str | None
    caption: str | None
    orientation: str
    rows: int
    columns: int
    tuples: int
    genuine: float
    confidence: float


class Tables(BaseModel):
    """A page of tables."""

    tables: list[Table]
    next: str | None


class Column(BaseModel):
    """A column of values."""

    name: str
    path: list[str]
    number: bool
    unit: str | None
    kind: str | None


class WholeTable(Table):
    """A table with its columns."""

    source: str
    medium: str
    place: dict[str, Any]
    stub: list[str]
    stub_kinds: list[str | None]
    columns_by_name: list[Column]
    footnotes: list[str]


class Tuple(BaseModel):
    """One value with its paths."""

    row: int
    column: int
    address: str | None
    text: str
    value: float | None
    unit: str | None
    top: list[str]
    left: list[str]
    notes: list[str]
    confidence: float
    sheet: str | None
    page: int | None
    box: list[float] | None
    path: str | None
    low: float | None
    high: float | None
    error: float | None
    bound: str | None


class Tuples(BaseModel):
    """A page of tuples of one table."""

    table: str
    total: int
    tuples: list[Tuple]
    next: str | None


class Hit(BaseModel):
    """A table that answers a question."""

    table: str
    document: str
    source: str
    place: dict[str, Any]
    score: float
    title: str | None
    highlights: dict[str, list[str]]
    name: str
    medium: str
    rows: int
    columns: int
    tuples: int
    confidence: float
    preview: list[list[str]] | None = None


class Found(BaseModel):
    """The best tables for a question; `next` is what `after` must say for the next page."""

    total: int
    hits: list[Hit]
    facets: dict[str, dict[str, int]]
    next: str | None = None


class Partner(BaseModel):
    """A table that can be joined with another, and how."""

    table: str
    name: str
    document: str
    source: str
    title: str | None
    score: float
    way: str
    shared: int
    coverage: float
    theirs: float
    units: list[str]
    sql: str
    on: list[tuple[str, str]]
    weak: bool
    rows: int
    matched: int
    unmatched: int
    matched_theirs: int
    unmatched_theirs: int
    repeats: bool
    nearly: list[tuple[str, str, float]]


class Partners(BaseModel):
    """The best partners of a table."""

    partners: list[Partner]


class Citation(BaseModel):
    """One value and all that leads back to it; `text` is the citation in one line."""

    text: str
    table: str
    name: str
    title: str | None
    document: str
    source: str
    document_title: str | None
    sha256: str
    added: str
    address: str
    sheet: str | None
    page: int | None
    box: list[float] | None
    path: str | None
    said: str
    value: float | None
    unit: str | None
    top: list[str]
    left: list[str]
    notes: list[str]
    confidence: float


class Question(BaseModel):
    """One SELECT over the relations of the library."""

    model_config = ConfigDict(extra="forbid")
    sql: Annotated[str, Field(min_length=1, max_length=20_000)]
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS, strict=True)] = 1_000
    parameters: Annotated[
        dict[str, str | int | float | None], Field(max_length=100, description="Values of :name.")
    ] = {}


class QuestionForm(BaseModel):
    """One SELECT, or the name of a question that is kept, whose rows are wanted in a form."""

    model_config = ConfigDict(extra="forbid")
    sql: Annotated[str, Field(min_length=1, max_length=20_000)]
    form: AnswerForm = "csv"
    parameters: Annotated[
        dict[str, str | int | float | None], Field(max_length=100, description="Values of :name.")
    ] = {}


class Labels(BaseModel):
    """Labels that may name places."""

    model_config = ConfigDict(extra="forbid")
    labels: Annotated[list[Annotated[str, Field(max_length=500)]], Field(max_length=2_000)]


class PlaceCodes(BaseModel):
    """The ISO 3166 code of each label, null where it names no place, and what they are."""

    kind: Literal["country", "state"] | None
    codes: list[str | None]


class Names(BaseModel):
    """Names that complete what was begun."""

    names: list[str]


class GraphQuestion(BaseModel):
    """One question in SPARQL."""

    query: str = Field(max_length=20_000)
    form: Literal["json", "csv", "tsv", "xml", "turtle", "nquads"] = "json"


class Drawing(Question):
    """One SELECT whose rows are drawn: the first column is what the others are drawn over."""

    kind: Literal["auto", "bar", "line", "scatter"] = "auto"
    title: Annotated[str, Field(max_length=200)] = ""
    form: Literal["svg", "png"] = "svg"


class NewQuery(BaseModel):
    """A question to keep; `:year` in it is a parameter."""

    model_config = ConfigDict(extra="forbid")
    sql: Annotated[str, Field(min_length=1, max_length=20_000)]
    description: Annotated[str, Field(max_length=1_000)] = ""


class SavedQuery(BaseModel):
    """A question that is kept under a name."""

    name: str
    sql: str
    description: str
    parameters: list[str]
    made: str


class SavedQueries(BaseModel):
    """All of them."""

    queries: list[SavedQuery]


class Answer(BaseModel):
    """The rows of a query; `more` where there are others after them."""

    columns: list[str]
    rows: list[list[Any]]
    more: bool


class Address(BaseModel):
    """Where a document is on the web."""

    model_config = ConfigDict(extra="forbid")
    address: Annotated[str, Field(pattern=r"^https?://[^\s]+$", max_length=2_000)]


class Target(BaseModel):
    """A database of PostgreSQL to write to; without names, the whole library."""

    model_config = ConfigDict(extra="forbid")
    url: Annotated[str, Field(pattern=r"^postgres(ql)?://", max_length=1_000)]
    names: Annotated[list[Annotated[str, Field(max_length=1_000)]], Field(max_length=10_000)] = []


class Exported(BaseModel):
    """What was written to a database; `passed_over`: relations that it cannot hold."""

    database: str
    written: int
    unchanged: int
    removed: int
    tables: int
    tuples: int
    passed_over: list[str]


class AddResult(BaseModel):
    """What became of a document that was sent."""

    document: str
    status: str
    tables: int
    tuples: int
