"""Addresses for ground truth and for what was mined from sites.

In: an app and what answers it. Out: routes: who annotated what, how far two annotators agree, labelled tables as
`tabellion learn --export` writes them; taxonomies of sites and their instances.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from fastapi import FastAPI, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from tabellion.learn.repair.teach import Corrected, label_corrected
from tabellion.library.annotations import (
    Agreement,
    agree,
    agree_on_parts,
    annotation_of,
    annotators,
    finish,
    finished_parts,
    parts_of,
    say_parts,
)
from tabellion.library.mined import list_mined, mined_instances, mined_page
from tabellion.library.records import list_documents, table_called
from tabellion.model.table import Table
from tabellion.read.web.page import open_page
from tabellion.web.front import PAGE_POLICY
from tabellion.web.looking import Looking
from tabellion.web.routes import Identity, Name

_NAME, _TEXT = r"^[^\x00/]+$", r"^[^\x00]+$"
Who = Annotated[str, Query(min_length=1, max_length=60, pattern=_NAME, description="The name of an annotator.")]


class Finishing(BaseModel):
    """Whether an annotator is done with a table."""

    model_config = ConfigDict(extra="forbid")
    annotator: Annotated[str, Field(min_length=1, max_length=60, pattern=_NAME)]
    done: bool = True


class AnnotatorState(BaseModel):
    """How far an annotator is with a document."""

    document: str
    annotator: str
    strokes: int
    finished: list[str]


class AnnotatorStates(BaseModel):
    """All annotators of all documents."""

    annotators: list[AnnotatorState]


class Agreed(BaseModel):
    """How far two annotators agree on a table; null where there is nothing to compare."""

    genuine: bool
    orientation: bool | None
    cells: int
    same_role: float | None
    kappa: float | None
    left: float | None
    top: float | None


class PageParts(BaseModel):
    """The leaves of a page and where its parts begin, in an annotator's eyes; found, until the annotator says so."""

    leaves: list[str]
    starts: list[int]
    said: bool
    done: bool


class SayingParts(BaseModel):
    """Where parts of a page begin: the first leaf of each but the first, from 0."""

    model_config = ConfigDict(extra="forbid")
    annotator: Annotated[str, Field(min_length=1, max_length=60, pattern=_NAME)]
    starts: Annotated[list[int], Field(max_length=100_000)]
    done: bool = False


class PartsAgreed(BaseModel):
    """The agreement of two annotators on the parts of a page."""

    leaves: int
    same: float | None
    kappa: float | None


class Sites(BaseModel):
    """What was mined from sites and kept."""

    sites: list[dict[str, Any]]


class Instances(BaseModel):
    """A page of instances."""

    total: int
    instances: list[dict[str, Any]]


def add_ground_truth(app: FastAPI, looking: Looking, *, write: bool) -> None:
    """Who annotated what, and how far two agree."""
    library = looking.library

    @app.get("/annotations", response_model=AnnotatorStates)
    def states() -> Response:
        """The progress of each annotator."""
        with library.catalogue.reading() as connection:
            documents = [one.document_id for one in list_documents(connection)]
        found = [
            {"document": one, "annotator": each.annotator, "strokes": len(each.corrections), "finished": each.finished}
            for one in documents
            for each in annotators(library.folder, one)
        ]
        return _fresh({"annotators": found})

    @app.get("/tables/{table}/agreement", response_model=Agreed)
    def agreement(table: Name, one: Who, other: Who) -> Response:
        """The agreement of two annotators on a table."""
        return _fresh(_agreement(looking, table, one, other))

    @app.get(
        "/annotations/export",
        response_class=Response,
        responses={200: {"content": {"application/x-ndjson": {}}}},
    )
    def export(annotator: Who) -> Response:
        """The finished tables of an annotator, as labelled data."""
        lines = b"".join(msgspec.json.encode(one) + b"\n" for one in _labelled(looking, annotator))
        return Response(lines, media_type="application/x-ndjson", headers={"cache-control": "no-store"})

    if write:

        @app.post("/tables/{table}/annotations/finished", response_model=AnnotatorState)
        def finished(table: Name, finishing: Finishing) -> Response:
            """Mark a table as finished by an annotator, or not."""
            with library.catalogue.reading() as connection:
                record = table_called(connection, table)
            held = finish(library.folder, record.document_id, finishing.annotator, record.table_id, done=finishing.done)
            return _fresh(
                {
                    "document": record.document_id, "annotator": held.annotator,
                    "strokes": len(held.corrections), "finished": held.finished,
                }
            )  # fmt: skip


def add_page_parts(app: FastAPI, looking: Looking, *, write: bool) -> None:
    """Where the parts of saved pages begin, by annotator."""
    library = looking.library

    @app.get("/documents/{document}/parts", response_model=PageParts)
    def parts(document: Identity, annotator: Who) -> Response:
        """The texts of a saved page and the starts of its parts."""
        return _fresh(parts_of(library, document, annotator))

    @app.get("/documents/{document}/parts/agreement", response_model=PartsAgreed)
    def agreement(document: Identity, one: Who, other: Who) -> Response:
        """The agreement of two annotators on the parts of a page."""
        return _fresh(agree_on_parts(parts_of(library, document, one), parts_of(library, document, other)))

    @app.get("/annotations/parts", response_class=Response, responses={200: {"content": {"application/x-ndjson": {}}}})
    def export(annotator: Who) -> Response:
        """The finished pages of an annotator."""
        lines = b"".join(msgspec.json.encode(one) + b"\n" for one in finished_parts(library, annotator))
        return Response(lines, media_type="application/x-ndjson", headers={"cache-control": "no-store"})

    if write:

        @app.post("/documents/{document}/parts", response_model=PageParts)
        def say(document: Identity, saying: SayingParts) -> Response:
            """Set the starts of the parts of a page; the library is not changed."""
            return _fresh(say_parts(library, document, saying.annotator, saying.starts, done=saying.done))


def add_sites(app: FastAPI, looking: Looking) -> None:
    """What was mined from sites."""

    @app.get("/sites", response_model=Sites)
    def sites() -> Response:
        """The taxonomies stored by `tabellion mine --library`."""
        return _fresh({"sites": list_mined(looking.library)})

    @app.get("/sites/instances", response_model=Instances)
    def instances(
        name: Annotated[str, Query(max_length=500, pattern=_TEXT, description="The name of the mined sites.")],
        concept: Annotated[str | None, Query(max_length=200, pattern=r"^[^\x00]*$")] = None,
        offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
        limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
    ) -> Response:
        """Instances of mined sites, of all concepts or one."""
        return _fresh(mined_instances(looking.library, name, concept, offset, limit))

    @app.get("/sites/page", response_class=Response, responses={200: {"content": {"text/html": {}}}})
    def mined(
        name: Annotated[str, Query(max_length=500, pattern=_TEXT)],
        source: Annotated[str, Query(max_length=4_000, pattern=_TEXT, description="The source of an instance.")],
    ) -> Response:
        """A saved page that instances come from, without scripts and network."""
        text = open_page(mined_page(looking.library, name, source)).text.encode("utf-8", "replace")
        kept = {"content-security-policy": PAGE_POLICY, "cache-control": "no-store"}
        return Response(text, media_type="text/html; charset=utf-8", headers=kept)


def _seen(looking: Looking, table: str, annotator: str) -> Table | None:
    """A table as an annotator sees it; None where they said that it is none."""
    with looking.open.table(table, annotator) as (opened, record):
        wanted = record.table_id.rpartition("-")[2]
        return next((one for one in opened.extraction.tables if one.id == wanted), None)


def _agreement(looking: Looking, table: str, one: str, other: str) -> Agreement:
    return agree(_seen(looking, table, one), _seen(looking, table, other))


def _labelled(looking: Looking, annotator: str) -> Iterator[Any]:
    with looking.library.catalogue.reading() as connection:
        documents = list_documents(connection)
    for record in documents:
        held = annotation_of(looking.library.folder, record.document_id, annotator)
        if not held.finished:
            continue
        seen = [_seen(looking, table, annotator) for table in held.finished]
        tables = tuple(one for one in seen if one is not None)
        yield from label_corrected(Corrected(record, tables, len(held.corrections)))


def _fresh(value: Any) -> Response:
    return Response(msgspec.json.encode(value), media_type="application/json", headers={"cache-control": "no-store"})
