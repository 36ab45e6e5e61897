"""Addresses for looking at tables, mending them and asking kept questions: what the app in the browser stands on.

In: an app and what answers it. Out: routes with descriptions. Strokes and the saving of questions are there only where
writing is allowed. A kept question has a name and parameters; its rows can be drawn.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from fastapi import FastAPI, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from tabellion.export.chart import scene_png, scene_svg
from tabellion.library.answers import ANSWER_FORMS
from tabellion.model.place import Rect
from tabellion.repair.lookalikes import Scope
from tabellion.web import schemas as forms
from tabellion.web.front import PAGE_POLICY
from tabellion.web.looking import Looking, Shown
from tabellion.web.series_schemas import Survey
from tabellion.web.service import MOST_ROWS, LibraryService
from tabellion.web.serving import answer_early

_NAME = r"^[^\x00/]+$"
Name = Annotated[str, Path(description="The name or id of a table.", max_length=200, pattern=_NAME)]
Identity = Annotated[str, Path(description="The id of a document.", max_length=200, pattern=_NAME)]
Line = Annotated[int, Query(ge=0, le=20_000_000, description="A row or column of the source, from 0.")]
Author = Annotated[str | None, Field(default=None, max_length=100)]
Annotator = Annotated[
    str | None,
    Query(min_length=1, max_length=60, pattern=_NAME, description="As this annotator sees it, apart from all others."),
]
AnnotatorField = Annotated[
    str | None,
    Field(
        default=None, min_length=1, max_length=60, pattern=_NAME,
        description="Whose ground truth this is: kept apart, the library itself is not changed.",
    ),
]  # fmt: skip
Mark = Annotated[str, Field(max_length=40, description="The id of a correction.")]


class Sight(BaseModel):
    """What the client looks at: the answer to a stroke then holds that table's reading and these cells as well."""

    model_config = ConfigDict(extra="forbid")
    table: Annotated[str, Field(max_length=200, pattern=_NAME, description="The id of a table.")]
    top: Annotated[int, Field(ge=0, le=20_000_000)] = 0
    left: Annotated[int, Field(ge=0, le=20_000_000)] = 0
    bottom: Annotated[int, Field(ge=0, le=20_000_000)] = 199
    right: Annotated[int, Field(ge=0, le=20_000_000)] = 49

    def shown(self) -> Shown:
        return Shown(self.table, Rect(self.top, self.left, self.bottom, self.right))


Seeing = Annotated[Sight | None, Field(default=None)]


class Strokes(BaseModel):
    """Operations on a table, made all or none. `seen`: the `version` of the reading that they were made in view of."""

    model_config = ConfigDict(extra="forbid")
    operations: Annotated[
        list[dict[str, Any]],
        Field(
            min_length=1,
            max_length=1_000,
            description='Each as in the corrections of `tabellion repair --export`: {"do": "row-role", "row": '
            '{"row": 3}, "to": "header"}; words and what was there are filled in.',
        ),
    ]
    author: Author
    annotator: AnnotatorField
    sight: Seeing
    seen: Annotated[int | None, Field(default=None, ge=0)]


class Undoing(BaseModel):
    """Corrections to take back."""

    model_config = ConfigDict(extra="forbid")
    corrections: Annotated[list[Mark], Field(min_length=1, max_length=10_000)]
    author: Author
    annotator: AnnotatorField
    sight: Seeing


class Accepting(BaseModel):
    """Which of the look-alikes of a correction to correct in the same way."""

    model_config = ConfigDict(extra="forbid")
    correction: Mark
    scope: Scope = "workbook"
    without: Annotated[list[int], Field(max_length=10_000, description="Numbers of proposals that are left out.")] = []
    author: Author
    annotator: AnnotatorField
    sight: Seeing


class Standing(BaseModel):
    """A correction and where it stands: in force, replaced, undone, conflict or does not fit."""

    id: str
    words: str
    operation: dict[str, Any]
    place: dict[str, Any]
    author: str | None
    made: str
    like: str | None
    state: str
    note: str | None


class Made(BaseModel):
    """What strokes have made: the new version, the corrections, and the tables that there are now.

    `reading` and `cells` are those of what the client looks at, where it says so and the table is still there.
    """

    version: int
    corrections: list[Standing]
    tables: list[str]
    reading: dict[str, Any] | None = None
    cells: dict[str, Any] | None = None


class Corrections(BaseModel):
    """All that was said of a document, in turn."""

    version: int
    corrections: list[Standing]


class Proposed(BaseModel):
    """What a correction could be made of as well."""

    proposals: list[dict[str, Any]]
    sheets: int


_EARLY: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The corrections made. A client that accepts text/event-stream and gives a `sight` gets events:"
        " event `drawn` (version, reading, cells) as soon as the table is read again, then event `made`, once it is"
        " kept, as the plain answer without the parts already sent; or event `refused` (status, detail): then nothing"
        " was kept, and the drawn state is void.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


class Changes(BaseModel):
    """What would change, a line each."""

    changes: list[str]


def add_looking(app: FastAPI, looking: Looking) -> None:
    """What reads."""

    @app.get("/tables/{table}/reading", response_model=dict[str, Any])
    def reading(table: Name, annotator: Annotator = None) -> Response:
        """The current reading of a table: range, row roles, header trees, metadata, issues, sheet or page."""
        return _answer(looking.reading(table, annotator), annotator)

    @app.get("/tables/{table}/cells", response_model=dict[str, Any])
    def cells(
        table: Name, top: Line = 0, left: Line = 0, bottom: Line = 199, right: Line = 49, annotator: Annotator = None
    ) -> Response:
        """Cells of a part of the sheet or table, with styles and roles."""
        return _answer(looking.cells(table, Rect(top, left, bottom, right), annotator), annotator)

    @app.get("/tables/{table}/cell", response_model=dict[str, Any])
    def cell(table: Name, row: Line, column: Line, annotator: Annotator = None) -> Response:
        """One cell: a value with headers, unit and notes, or a header with its values."""
        return _answer(looking.cell(table, row, column, annotator), annotator)

    @app.get("/documents/{document}/corrections", response_model=Corrections)
    def corrections(document: Identity, annotator: Annotator = None) -> Response:
        """All corrections of a document, with their states."""
        return _answer(looking.corrections(document, annotator), annotator)

    @app.get("/documents/{document}/picture", response_class=Response, responses={200: {"content": {"image/png": {}}}})
    def picture(
        document: Identity,
        page: Annotated[int, Query(ge=1, le=100_000)],
        scale: Annotated[float, Query(ge=0.1, le=4.0, description="Pixels a point.")] = 1.5,
    ) -> Response:
        """A page of a PDF as PNG."""
        return Response(looking.picture(document, page, scale), media_type="image/png")

    @app.get("/documents/{document}/page", response_class=Response, responses={200: {"content": {"text/html": {}}}})
    def page(document: Identity) -> Response:
        """A saved web page, without scripts and network."""
        text = looking.markup(document).encode("utf-8", "replace")
        return Response(text, media_type="text/html; charset=utf-8", headers={"content-security-policy": PAGE_POLICY})


def add_mending(app: FastAPI, looking: Looking) -> None:
    """What writes."""

    @app.post("/tables/{table}/corrections", response_model=Made, responses=_EARLY)
    async def correct(table: Name, strokes: Strokes, request: Request) -> Response:
        """Correct a table; 409 if somebody else has corrected the same place meanwhile."""
        said = strokes
        named = (said.operations, said.author, said.seen, said.annotator, _shown(said.sight))
        return await answer_early(request, lambda tell: looking.correct(table, *named, tell))

    @app.post("/tables/{table}/preview", response_model=Changes)
    def preview(table: Name, strokes: Strokes) -> Response:
        """The changes that corrections would make, in words; nothing is stored."""
        return _answer({"changes": looking.preview(table, strokes.operations, strokes.author)})

    @app.get("/tables/{table}/alike", response_model=Proposed)
    def alike(
        table: Name,
        correction: Annotated[str | None, Query(max_length=40)] = None,
        scope: Scope = "workbook",
        annotator: Annotator = None,
    ) -> Response:
        """Proposals to make the same correction at places that look alike."""
        return _answer(looking.alike(table, correction, scope, annotator), annotator)

    @app.post("/tables/{table}/alike", response_model=Made, responses=_EARLY)
    async def accept(table: Name, accepting: Accepting, request: Request) -> Response:
        """Accept the proposals of `alike`, all or none."""
        said = accepting
        named = (said.correction, said.scope, said.without, said.author, said.annotator, _shown(said.sight))
        return await answer_early(request, lambda tell: looking.accept(table, *named, tell))

    @app.post("/documents/{document}/undo", response_model=Made, responses=_EARLY)
    async def undo(document: Identity, undoing: Undoing, request: Request) -> Response:
        """Undo corrections, all or none; undoing an undo restores them."""
        named = (undoing.corrections, undoing.author, undoing.annotator, _shown(undoing.sight))
        return await answer_early(request, lambda tell: looking.undo(document, *named, tell))


def _shown(sight: Sight | None) -> Shown | None:
    return sight.shown() if sight else None


def _answer(value: Any, annotator: str | None = None) -> Response:
    """An answer as JSON; what an annotator sees is not remembered, since the library does not change with it."""
    headers = None if annotator is None else {"cache-control": "no-store"}
    return Response(msgspec.json.encode(value), media_type="application/json", headers=headers)


QueryName = Annotated[str, Path(description="The name of a question.", max_length=60, pattern=r"^[^\W\d]\w*$")]
_RESULTS = {
    "json": "application/sparql-results+json",
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "xml": "application/sparql-results+xml",
    "turtle": "text/turtle; charset=utf-8",
    "nquads": "application/n-quads",
}
_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"content": {kind.partition(";")[0]: {} for kind in _RESULTS.values()}}
}
_PICTURES: dict[int | str, dict[str, Any]] = {200: {"content": {"image/svg+xml": {}, "image/png": {}}}}


def add_questions(app: FastAPI, service: LibraryService) -> None:
    """What only reads."""

    @app.get("/queries", response_model=forms.SavedQueries, responses={304: {"description": "Unchanged"}})
    def queries() -> Response:
        """The saved queries."""
        return _answer({"queries": service.queries()})

    @app.get("/queries/{name}/rows", response_model=forms.Answer, responses={304: {"description": "Unchanged"}})
    def rows(name: QueryName, request: Request, limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = 1_000) -> Response:
        """The rows of a saved query; its parameters are part of the address: `?year=1990`."""
        given = {key: value for key, value in request.query_params.items() if key != "limit"}
        return _answer(service.run_query(name, given, limit))

    @app.get("/survey", response_model=Survey, responses={304: {"description": "Unchanged"}})
    def survey() -> Response:
        """Counts of tables by kind, header depth, domain, medium, year and language."""
        return _answer(service.survey())

    media: dict[str, Any] = {"content": {forms.MEDIA[form].partition(";")[0]: {} for form in ANSWER_FORMS}}

    @app.post("/query/export", response_class=Response, responses={200: media})
    def export(question: forms.QuestionForm) -> Response:
        """All rows of a SELECT or a saved query, as CSV, JSON, Excel and others."""
        data = service.export_query(question.sql, question.form, question.parameters)
        return Response(data, media_type=forms.MEDIA[question.form])

    @app.post("/places", response_model=forms.PlaceCodes)
    def places(named: forms.Labels) -> Response:
        """The countries or states that labels name, by their ISO 3166 codes."""
        return _answer(service.places(named.labels))

    @app.post("/plot", response_class=Response, responses=_PICTURES)
    def plot(drawing: forms.Drawing) -> Response:
        """A plot of the rows of a SELECT or a saved query."""
        kind = None if drawing.kind == "auto" else drawing.kind
        scene = service.plot(drawing.sql, drawing.parameters, kind, drawing.title)
        if drawing.form == "png":
            return Response(scene_png(scene), media_type="image/png")
        return Response(scene_svg(scene), media_type="image/svg+xml")


def add_graph(app: FastAPI, service: LibraryService) -> None:
    """What is asked of the tables as RDF, and where a value stands as a picture."""

    @app.post("/sparql", response_class=Response, responses=_ANSWERS)
    def sparql(asked: forms.GraphQuestion) -> Response:
        """The result of a SPARQL query over the tables as RDF; it only reads."""
        return Response(service.sparql(asked.query, asked.form), media_type=_RESULTS[asked.form])

    @app.get("/tables/{table}/picture", response_class=Response, responses=_PICTURES)
    def picture(
        table: Annotated[str, Path(max_length=200, description="The name or id of a table.")],
        address: Annotated[str, Query(min_length=2, max_length=16, description="Of a value: B10.")],
        form: Literal["svg", "png"] = "svg",
    ) -> Response:
        """A picture of a value with its headers and the cells around it."""
        scene = service.picture(table, address)
        if form == "png":
            return Response(scene_png(scene), media_type="image/png")
        return Response(scene_svg(scene), media_type="image/svg+xml")


def add_saving(app: FastAPI, service: LibraryService) -> None:
    """What keeps questions."""

    @app.put("/queries/{name}", response_model=forms.SavedQuery)
    def save(name: QueryName, query: forms.NewQuery) -> Response:
        """Save a query under a name; the same name replaces it."""
        return _answer(service.save_query(name, query.sql, query.description))

    @app.delete("/queries/{name}", status_code=204)
    def forget(name: QueryName) -> None:
        """Delete a saved query."""
        service.forget_query(name)
