"""The flow on one page: read, locate, recognise, label, nest, relate.

Each stage is one typed call; each product holds its predecessor and is never changed afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from tabellion.label import label_grid
from tabellion.locate import RunningText, join_parts, locate_printed, locate_regions
from tabellion.locate.why import explain_region
from tabellion.model.document import Document, Issue
from tabellion.model.frame import Labelled
from tabellion.model.place import Place
from tabellion.model.printed import PrintedPage
from tabellion.model.region import LIKELY, MarkupRegion
from tabellion.model.table import Table
from tabellion.nest import nest_headers
from tabellion.read import Limits, read_document
from tabellion.recognise import recognise_grid, recognise_parts, recognise_printed
from tabellion.relate import relate_table
from tabellion.weights import Weights

RowMethod = Literal["boosted", "crf", "paper"]
ParentMethod = Literal["boosted", "svm"]
HeaderMethod = Literal["boosted", "ontominer"]
GenuineMethod = Literal["boosted", "tree", "svm"]


class Settings(msgspec.Struct, frozen=True):
    """What a caller may choose: limits, methods, and the folder of learned weights.

    `rows`: boosted trees decoded as a chain (default), a CRF with all features, or the CRF of Chen and
    Cafarella 2013 with their features only. `parents`: boosted trees (default) or their linear SVM.
    `genuine`: which web tables hold data, by boosted trees (default) or by the tree or SVM of Wang and Hu 2002.
    `headers`: of web tables, by boosted trees (default) or by the clustering of OntoMiner 2005.
    `pages`: only these pages of a PDF, first and last. `pages_apart`: do not join tables that go on over pages.
    `why`: tell of each candidate of a web page that was judged no table what weighed most.
    """

    limits: Limits = Limits()
    rows: RowMethod = "boosted"
    parents: ParentMethod = "boosted"
    weights: str | None = None
    sheet: str | None = None
    genuine: GenuineMethod = "boosted"
    headers: HeaderMethod = "boosted"
    why: bool = False
    pages: tuple[int, int] | None = None
    pages_apart: bool = False


class Rejected(msgspec.Struct, frozen=True, omit_defaults=True):
    """A candidate that was judged not to be a table; `why` lists the features that weighed most, where it was asked."""

    place: Place
    genuine: float
    kind: str | None = None
    why: tuple[tuple[str, float], ...] = ()


class Extraction(msgspec.Struct, frozen=True, eq=False):
    """All that was read from one document."""

    document: Document
    tables: tuple[Table, ...]
    rejected: tuple[Rejected, ...] = ()
    labelled: tuple[Labelled, ...] = ()
    issues: tuple[Issue, ...] = ()


def extract_document(source: str | Path | bytes, settings: Settings = Settings()) -> Extraction:
    """Read one document and return its tables, in reading order, with every doubt on the way."""
    document = read_document(source, limits=settings.limits, sheet=settings.sheet, pages=settings.pages)
    weights = Weights(settings.weights)
    tables: list[Table] = []
    rejected: list[Rejected] = []
    seen: list[Labelled] = []
    issues = list(document.issues)
    text = RunningText()
    seen.extend(label_document(document, settings, weights, rejected, issues, text))
    sentences = text.close()
    for labelled in seen:
        issues.extend(labelled.issues)
        if not labelled.frames:
            place, sure = labelled.labels.grid.place, labelled.kind_probability
            rejected.append(Rejected(place, 1 - sure, labelled.kind))
        for frame in labelled.frames:
            nested = nest_headers(frame, weights, settings.parents)
            before = tables[-1].id if labelled.labels.grid.continues and tables else None
            table = relate_table(nested, document, f"t{len(tables) + 1}", before, sentences)
            tables.append(table)
            issues.extend(table.issues)
    return Extraction(document, tuple(tables), tuple(rejected), tuple(seen), tuple(issues))


def label_document(
    document: Document,
    settings: Settings,
    weights: Weights,
    rejected: list[Rejected] | None = None,
    issues: list[Issue] | None = None,
    text: RunningText | None = None,
) -> Iterator[Labelled]:
    """Every region of every page, as a labelled grid; those that are hardly tables are told to `rejected`.

    Doubts about the pages of a PDF, met when they are read, are told to `issues`; what they say of tables to `text`.
    """
    if document.medium == "pdf":
        yield from _label_printed(document, settings, weights, rejected, issues, text)
        return
    for page in document.pages:
        for region in locate_regions(page, weights, settings.genuine):
            if region.genuine < LIKELY:
                if rejected is not None:
                    why = explain_region(region, weights) if settings.why and isinstance(region, MarkupRegion) else ()
                    rejected.append(Rejected(region.place, region.genuine, why=why))
                continue
            grid = recognise_grid(region)
            labelled = label_grid(grid, weights, settings.rows, region.genuine, settings.headers)
            yield msgspec.structs.replace(labelled, issues=region.issues + grid.issues + labelled.issues)


def _label_printed(
    document: Document,
    settings: Settings,
    weights: Weights,
    rejected: list[Rejected] | None,
    issues: list[Issue] | None,
    text: RunningText | None,
) -> Iterator[Labelled]:
    """The same for a PDF: pages one after the other, so that few are held; tables that go on over pages are one."""
    for region in join_parts(locate_printed(_told(document, issues), weights, text)):
        if region.genuine < LIKELY:
            if rejected is not None:
                rejected.append(Rejected(region.place, region.genuine))
            continue
        grids = recognise_parts(region, weights) if settings.pages_apart else [recognise_printed(region, weights)]
        for grid in grids:
            labelled = label_grid(grid, weights, settings.rows, region.genuine, settings.headers)
            yield msgspec.structs.replace(labelled, issues=region.issues + grid.issues + labelled.issues)


def _told(document: Document, issues: list[Issue] | None) -> Iterator[PrintedPage]:
    """The printed pages of a document; doubts about each are told to `issues`."""
    for page in document.pages:
        if isinstance(page, PrintedPage):
            if issues is not None:
                issues.extend(page.issues)
            yield page
