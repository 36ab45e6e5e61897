"""Questions over HTTP: those that are kept under a name, with parameters, and drawings of their rows.

In: an app and a service. Out: the app with these addresses.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from fastapi import FastAPI, Path, Query, Request, Response

from tabellion.export.chart import scene_png, scene_svg
from tabellion.library.answers import ANSWER_FORMS
from tabellion.web import schemas as forms
from tabellion.web.series_schemas import Survey
from tabellion.web.service import MOST_ROWS, LibraryService

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
        """The questions that are kept."""
        return _answer({"queries": service.queries()})

    @app.get("/queries/{name}/rows", response_model=forms.Answer, responses={304: {"description": "Unchanged"}})
    def rows(name: QueryName, request: Request, limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = 1_000) -> Response:
        """The rows of a question that is kept; its parameters stand in the address: `?year=1990`."""
        given = {key: value for key, value in request.query_params.items() if key != "limit"}
        return _answer(service.run_query(name, given, limit))

    @app.get("/survey", response_model=Survey, responses={304: {"description": "Unchanged"}})
    def survey() -> Response:
        """What kinds of tables there are, how deep their headers, by domain, medium, year and language."""
        return _answer(service.survey())

    media: dict[str, Any] = {"content": {forms.MEDIA[form].partition(";")[0]: {} for form in ANSWER_FORMS}}

    @app.post("/query/export", response_class=Response, responses={200: media})
    def export(question: forms.QuestionForm) -> Response:
        """All rows of a SELECT, or of a question that is kept, as CSV, JSON, a workbook and so on."""
        data = service.export_query(question.sql, question.form, question.parameters)
        return Response(data, media_type=forms.MEDIA[question.form])

    @app.post("/places", response_model=forms.PlaceCodes)
    def places(named: forms.Labels) -> Response:
        """The countries or states that labels name, by their ISO 3166 codes."""
        return _answer(service.places(named.labels))

    @app.post("/plot", response_class=Response, responses=_PICTURES)
    def plot(drawing: forms.Drawing) -> Response:
        """The rows of a SELECT, or of a question that is kept, as a picture."""
        kind = None if drawing.kind == "auto" else drawing.kind
        scene = service.plot(drawing.sql, drawing.parameters, kind, drawing.title)
        if drawing.form == "png":
            return Response(scene_png(scene), media_type="image/png")
        return Response(scene_svg(scene), media_type="image/svg+xml")


def add_graph(app: FastAPI, service: LibraryService) -> None:
    """What is asked of the tables as RDF, and where a value stands as a picture."""

    @app.post("/sparql", response_class=Response, responses=_ANSWERS)
    def sparql(asked: forms.GraphQuestion) -> Response:
        """The answer to a question in SPARQL over the tables as RDF; it only reads, and reaches nothing outside."""
        return Response(service.sparql(asked.query, asked.form), media_type=_RESULTS[asked.form])

    @app.get("/tables/{table}/picture", response_class=Response, responses=_PICTURES)
    def picture(
        table: Annotated[str, Path(max_length=200, description="The name or id of a table.")],
        address: Annotated[str, Query(min_length=2, max_length=16, description="Of a value: B10.")],
        form: Literal["svg", "png"] = "svg",
    ) -> Response:
        """The spot where a value stands: its labels and the cells around it, as a picture."""
        scene = service.picture(table, address)
        if form == "png":
            return Response(scene_png(scene), media_type="image/png")
        return Response(scene_svg(scene), media_type="image/svg+xml")


def add_saving(app: FastAPI, service: LibraryService) -> None:
    """What keeps questions."""

    @app.put("/queries/{name}", response_model=forms.SavedQuery)
    def save(name: QueryName, query: forms.NewQuery) -> Response:
        """Keep a question under a name; the same name replaces it."""
        return _answer(service.save_query(name, query.sql, query.description))

    @app.delete("/queries/{name}", status_code=204)
    def forget(name: QueryName) -> None:
        """Take a question out."""
        service.forget_query(name)


def _answer(value: Any) -> Response:
    return Response(msgspec.json.encode(value), media_type="application/json")
