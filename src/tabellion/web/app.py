"""The HTTP API: what a `LibraryService` answers, under addresses, with an OpenAPI description at `/openapi.json`.

In: an open library. Out: an ASGI app. It reads unless it is made with `write`; every refusal is a 4xx with a reason.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from fastapi import Depends, FastAPI, Header, HTTPException, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.routing import Match
from starlette.types import ASGIApp

from tabellion.errors import TabellionError
from tabellion.library.library import Library
from tabellion.model.methods import (
    STEPS,
    FrameMethod,
    GenuineMethod,
    HeaderMethod,
    ParentMethod,
    ReaderMethod,
    RenderChoice,
    RowMethod,
)
from tabellion.settings import Settings
from tabellion.web import schemas as forms
from tabellion.web import series_schemas as series_forms
from tabellion.web.front import Front, add_front
from tabellion.web.ground_truth import add_ground_truth, add_page_parts, add_sites
from tabellion.web.looking import Looking
from tabellion.web.middleware import RETRY_SECONDS, Guard, Lanes, Memory
from tabellion.web.routes import add_graph, add_looking, add_mending, add_questions, add_saving
from tabellion.web.service import MOST, LibraryService
from tabellion.web.serving import status_of

LARGEST_DOCUMENT = 64 * 2**20  # bytes of a document that is sent
_NAME = r"^[^\x00/]+$"  # a zero byte is no letter, and a slash would part the address
_TEXT = r"^[^\x00]*$"
Name = Annotated[str, Path(description="The name or id of a table.", max_length=200, pattern=_NAME)]
Identity = Annotated[str, Path(description="The id of a document.", max_length=200, pattern=_NAME)]
Limit = Annotated[int, Query(ge=1, le=MOST, description="Things on a page.")]
After = Annotated[str, Query(max_length=100, pattern=_TEXT, description="`next` of the page before.")]
Place = Annotated[str, Query(pattern=r"^([0-9]{1,12}\.[0-9]{1,10})?$", description="`next` of the page before.")]
_REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": forms.Problem, "description": "What was asked cannot be answered"},
    401: {"model": forms.Problem, "description": "A token is needed"},
    404: {"model": forms.Problem, "description": "There is no such thing"},
    409: {"model": forms.Problem, "description": "It has changed since the page before"},
    413: {"model": forms.Problem, "description": "Too large"},
    415: {"model": forms.Problem, "description": "The Content-Type of the body is missing or wrong"},
    422: {"model": forms.Problem, "description": "The request is not as described"},
    503: {"model": forms.Problem, "description": "Too many requests; Retry-After gives the seconds to wait"},
}
_RETRY = {"Retry-After": str(RETRY_SECONDS)}
_UNCHANGED: dict[int | str, dict[str, Any]] = {304: {"description": "The client has it already"}}


def build_app(
    library: Library,
    *,
    token: str | None = None,
    loopback: bool = True,
    write: bool = False,
    author: str | None = None,
    looking: Looking | None = None,
) -> ASGIApp:
    """The app for one library; documents are read and queries answered in workers.

    `author` is who strokes are made by where nobody says; `looking` is what lies open, where others look at it too.
    """
    service, looking = LibraryService(library.isolate()), looking or Looking(library)
    app = FastAPI(
        title="tabellion",
        version="1",
        summary="Tables of many documents: search, read, query, join and export.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses=_REFUSALS,
    )
    _explain_errors(app)
    _searching(app, service)
    _listing(app, service)
    _reading(app, service)
    _exporting(app, service)
    add_questions(app, service)
    add_graph(app, service)
    add_looking(app, looking)
    add_ground_truth(app, looking, write=write)
    add_page_parts(app, looking, write=write)
    add_sites(app, looking)
    if write:
        _writing(app, service)
        add_saving(app, service)
        add_mending(app, looking)
    add_front(app, token, write=write, author=author)
    return Front(Guard(Memory(Lanes(app), service.state), token, loopback=loopback, largest=LARGEST_DOCUMENT))


def _searching(app: FastAPI, service: LibraryService) -> None:
    @app.get("/search", response_model=forms.Found, responses=_UNCHANGED)
    def search(
        q: Annotated[
            str, Query(max_length=1_000, pattern=_TEXT, description="Words, phrases, numbers, fields and conditions.")
        ],
        limit: Annotated[int, Query(ge=1, le=100)] = 10,
        offset: Annotated[int, Query(ge=0, le=10_000)] = 0,
        facets: bool = True,
        after: Annotated[
            str, Query(pattern=r"^([0-9]{1,12}\.[0-9]{1,12}\.[0-9]{1,9})?$", description="`next` of the page before.")
        ] = "",
    ) -> Response:
        """The best tables for a search."""
        return _answer(service.search(q, limit, offset, facets=facets, after=after))

    @app.get("/completion", response_model=forms.Names, responses=_UNCHANGED)
    def completion(
        begun: Annotated[str, Query(max_length=200, pattern=_TEXT, description="The beginning of a name.")] = "",
        sql: Annotated[str, Query(max_length=20_000, pattern=_TEXT, description="The question so far.")] = "",
    ) -> Response:
        """Names of relations and columns that complete a query."""
        return _answer({"names": service.complete(begun, sql)})

    @app.post("/query", response_model=forms.Answer)
    def query(question: forms.Question) -> Response:
        """The rows of one SELECT. It cannot write, open files or reach the network, and ends at its limits."""
        return _answer(service.query(question.sql, question.limit, question.parameters))


def _listing(app: FastAPI, service: LibraryService) -> None:
    @app.get("/documents", response_model=forms.Documents, responses=_UNCHANGED)
    def documents(after: After = "", limit: Limit = 100) -> Response:
        """All documents, a page at a time."""
        return _answer(service.documents(after, limit))

    @app.get("/documents/{document}", response_model=forms.Document, responses=_UNCHANGED)
    def document(document: Identity) -> Response:
        """One document."""
        return _answer(service.document(document))

    @app.get("/tables", response_model=forms.Tables, responses=_UNCHANGED)
    def tables(
        after: After = "",
        limit: Limit = 100,
        document: Annotated[
            str | None, Query(max_length=200, pattern=_TEXT, description="Only those of this document.")
        ] = None,
    ) -> Response:
        """All tables, a page at a time."""
        return _answer(service.tables(after, limit, document))


def _reading(app: FastAPI, service: LibraryService) -> None:
    @app.get("/tables/{table}", response_model=forms.WholeTable, responses=_UNCHANGED)
    def table(table: Name) -> Response:
        """One table with its columns."""
        return _answer(service.table(table))

    @app.get("/tables/{table}/tuples", response_model=forms.Tuples, responses=_UNCHANGED)
    def tuples(table: Name, after: Place = "", limit: Limit = 100) -> Response:
        """The values of a table, each with its paths, a page at a time."""
        return _answer(service.tuples(table, after or None, limit))

    @app.get("/tables/{table}/joins", response_model=forms.Partners, responses=_UNCHANGED)
    def joins(table: Name, limit: Annotated[int, Query(ge=1, le=100)] = 5) -> Response:
        """The tables that join with a table, and the SQL."""
        return _answer({"partners": service.joins(table, limit)})

    @app.get("/tables/{table}/series", response_model=series_forms.Series, responses=_UNCHANGED)
    def series(table: Name) -> Response:
        """The editions of a table, and the SQL of one relation over all of them."""
        return _answer(service.series(table))

    @app.get("/tables/{table}/changes", response_model=series_forms.Comparison, responses=_UNCHANGED)
    def changes(
        table: Name, to: Annotated[str, Query(max_length=200, pattern=_TEXT, description="The other table.")]
    ) -> Response:
        """The differences between two tables: values, headers, structure."""
        return _answer(service.compare(table, to))

    @app.get("/tables/{table}/citation", response_model=forms.Citation, responses=_UNCHANGED)
    def citation(table: Name, address: Annotated[str, Query(min_length=2, max_length=16)]) -> Response:
        """The citation of a value: headers, document, edition, place."""
        return _answer(service.cite(table, address))


def _exporting(app: FastAPI, service: LibraryService) -> None:
    media: dict[str, Any] = {"content": {kind.partition(";")[0]: {} for kind in forms.MEDIA.values()}}

    @app.get("/tables/{table}/export", response_class=Response, responses={**_UNCHANGED, 200: media})
    def export(table: Name, form: forms.Form = "csv") -> Response:
        """One table in an export format."""
        return Response(service.export(table, form), media_type=forms.MEDIA[form])

    files: dict[str, Any] = {"content": {forms.MEDIA[form]: {} for form in ("sqlite", "duckdb")}}

    @app.get("/export", response_class=Response, responses={**_UNCHANGED, 200: files})
    def export_file(form: Literal["sqlite", "duckdb"] = "sqlite") -> Response:
        """The whole library as the file of a database."""
        return Response(service.export_file(form), media_type=forms.MEDIA[form])


def _settings(
    render: Annotated[
        RenderChoice, Query(description="Whether a web page is drawn in Chromium and read so.")
    ] = "never",
    reader: Annotated[ReaderMethod, Query(description=STEPS["reader"].help)] = "auto",
    rows: Annotated[RowMethod, Query(description=STEPS["rows"].help)] = "boosted",
    parents: Annotated[ParentMethod, Query(description=STEPS["parents"].help)] = "boosted",
    genuine: Annotated[GenuineMethod, Query(description=STEPS["genuine"].help)] = "boosted",
    headers: Annotated[HeaderMethod, Query(description=STEPS["headers"].help)] = "boosted",
    frames: Annotated[FrameMethod, Query(description=STEPS["frames"].help)] = "arranged",
    password: Annotated[
        str | None,
        Header(alias="X-Document-Password", description="What opens a PDF that asks for one; it is stored nowhere."),
    ] = None,
) -> Settings:
    """How a document that is sent is to be read. A password comes in a header: addresses are written to logs."""
    return Settings(
        render=render,
        reader=reader,
        rows=rows,
        parents=parents,
        genuine=genuine,
        headers=headers,
        frames=frames,
        password=password,
    )


def _writing(app: FastAPI, service: LibraryService) -> None:
    body = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}

    @app.post("/documents", response_model=forms.AddResult, openapi_extra={"requestBody": {**body, "required": True}})
    async def keep(
        name: Annotated[str, Query(max_length=200, pattern=_NAME)],
        request: Request,
        settings: Annotated[Settings, Depends(_settings)],
    ) -> Response:
        """Read and store the sent document; the same name replaces it."""
        from starlette.concurrency import run_in_threadpool

        data = await request.body()
        if not data:
            raise HTTPException(422, "the document has no bytes")
        return _answer(await run_in_threadpool(service.add, name, data, settings))

    @app.post("/documents/fetched", response_model=forms.AddResult)
    def fetch(wanted: forms.Address) -> Response:
        """Fetch a document from the web, read and store it."""
        return _answer(service.fetch(wanted.address))

    @app.post("/export", response_model=forms.Exported)
    def export_to(target: forms.Target) -> Response:
        """Write the library to a PostgreSQL database; unchanged documents are skipped."""
        return _answer(service.export_to(target.url, target.names))

    @app.delete("/documents/{document}", status_code=204)
    def remove(document: Identity) -> None:
        """Remove a document; its history stays."""
        service.remove(document)


def _answer(value: Any) -> Response:
    return Response(msgspec.json.encode(value), media_type="application/json")


def _explain_errors(app: FastAPI) -> None:
    """Errors of the library by situation, each in one line."""

    @app.exception_handler(TabellionError)
    def explain(_: Request, error: TabellionError) -> JSONResponse:
        status = status_of(error)
        said = {"kind": error.kind, "detail": str(error)}
        return JSONResponse(said, status, headers=_RETRY if status == 503 else None)

    @app.exception_handler(Exception)
    def fail(_: Request, error: Exception) -> JSONResponse:
        kind = "memory" if isinstance(error, MemoryError) else "defect"
        return JSONResponse({"kind": kind, "detail": "internal error in tabellion; see its log"}, 500)

    @app.exception_handler(RequestValidationError)
    def refuse(_: Request, error: RequestValidationError) -> JSONResponse:
        said = "; ".join(f"{'.'.join(str(part) for part in one['loc'])}: {one['msg']}" for one in error.errors())
        return JSONResponse({"detail": said.encode("utf-8", "replace").decode()[:2_000]}, 422)

    @app.exception_handler(StarletteHTTPException)
    def plain(request: Request, error: StarletteHTTPException) -> JSONResponse:
        headers = dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = ", ".join(sorted(_methods_at(app, request)))
        return JSONResponse({"detail": str(error.detail)}, error.status_code, headers=headers)


def _methods_at(app: FastAPI, request: Request) -> set[str]:
    """What may be done at an address, which several routes can share."""
    here = [route for route in app.routes if route.matches(request.scope)[0] is not Match.NONE]
    return {method for route in here for method in getattr(route, "methods", None) or ()}
