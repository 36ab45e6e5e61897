"""The flow on one page: read, locate, recognise, label, nest, relate.

Each stage is one typed call; each product holds its predecessor and is never changed afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import msgspec

from tabellion.interpret import interpret_grid
from tabellion.label import Recognised, label_grids
from tabellion.label.fixed import fix_frames, label_stated
from tabellion.locate import RunningText, locate_printed, locate_regions
from tabellion.model.correction import NOTHING, Fixes
from tabellion.model.document import LIKELY, AnyRegion, Document, Issue, MarkupRegion, PrintedRegion
from tabellion.model.frame import Frame, Labelled, Nested
from tabellion.model.grid import Grid
from tabellion.model.markup import MarkupPage
from tabellion.model.methods import STEPS
from tabellion.model.place import Place
from tabellion.model.printed import PrintedPage
from tabellion.model.table import Table
from tabellion.nest import nest_frames
from tabellion.read import Rendering, Watch, WatchedPages, read_document
from tabellion.read.limits import check_deadline, one_deadline
from tabellion.recognise import recognise_grid, recognise_parts, recognise_printed
from tabellion.relate import conserve_cells, relate_table
from tabellion.settings import Settings as Settings
from tabellion.weights import Weights

_TABLES_TOGETHER = 64  # of a web page are labelled at once: most pages have fewer, and memory is bounded
_ENOUGH = 0.5  # the share of a page's text in tables of its markup from which boxes have little to add


class Rejected(msgspec.Struct, frozen=True):
    """A candidate that is not a table, and what it seems to be.

    `why` lists the features that weighed most, if asked for; those above 0 speak for a table or the kind of a sheet.
    """

    place: Place
    genuine: float
    kind: str = "other"
    why: tuple[tuple[str, float], ...] = ()


class Extraction(msgspec.Struct, frozen=True, eq=False):
    """The document, its tables, rejected candidates and issues."""

    document: Document
    tables: tuple[Table, ...]
    rejected: tuple[Rejected, ...] = ()
    labelled: tuple[Labelled, ...] = ()
    issues: tuple[Issue, ...] = ()


def extract_document(
    source: str | Path | bytes, settings: Settings = Settings(), watch: Watch | None = None
) -> Extraction:
    """Read one document and return its tables in reading order, with all issues.

    `watch` is called with the number of pages of a PDF read so far, and of all pages.
    """
    with one_deadline(settings.limits, source):
        return _extract(source, settings, watch)


def _extract(source: str | Path | bytes, settings: Settings, watch: Watch | None) -> Extraction:
    weights = Weights(settings.weights)
    document = read_source(source, settings, weights)
    if watch is not None and document.medium == "pdf":
        document = msgspec.structs.replace(document, pages=WatchedPages(document.pages, watch))
    rejected: list[Rejected] = []
    issues = list(document.issues)
    text = RunningText()
    seen = tuple(label_document(document, settings, weights, rejected, issues, text))
    sentences = (*text.close(), *_mentions(document))
    tables: list[Table] = []
    nested = nest_frames((labelled.frames for labelled in seen), weights, settings.parents)
    for labelled, frames in zip(seen, nested, strict=True):
        check_deadline()
        issues.extend(labelled.issues)
        if not labelled.frames:
            rejected.append(reject_grid(labelled))
        before = tables[-1].id if labelled.labels.grid.continues and tables else None
        for table in relate_frames(frames, document, len(tables) + 1, before, sentences):
            tables.append(table)
            issues.extend(table.issues)
    return Extraction(document, tuple(tables), tuple(rejected), seen, tuple(issues))


def relate_frames(
    frames: Sequence[Nested],
    document: Document,
    first: int = 1,
    before: str | None = None,
    sentences: Sequence[str] = (),
) -> list[Table]:
    """The tables of one grid, numbered from `first` on; `before` is the one that they go on with.

    What none of them accounts for they tell.
    """
    tables: list[Table] = []
    for nested in frames:
        tables.append(relate_table(nested, document, f"t{first + len(tables)}", before, sentences))
        before = tables[-1].id if before else None
    return conserve_cells(tables)


def read_source(source: str | Path | bytes, settings: Settings, weights: Weights) -> Document:
    """Read one document as the settings say; a web page is rendered where they ask for it."""
    rendering = None
    if settings.render != "never":
        wanted = partial(_needs_rendering, weights=weights) if settings.render == "auto" else None
        rendering = Rendering(settings.scripts, settings.network, wanted, settings.private)
    chosen = (settings.limits, settings.sheet, settings.pages, rendering, settings.password)
    return read_document(source, *chosen, private=settings.private)


def _needs_rendering(text: str, page: MarkupPage, weights: Weights) -> bool:
    """Whether the markup of a page promises tables and its own tables hold little of its text."""
    from tabellion.read.web.page import promises_tables

    if not promises_tables(text):
        return False
    found = [region.candidate for region in locate_regions(page, weights) if region.genuine >= LIKELY]
    held = sum(int(page.cells.length[each.first : each.last].sum()) for each in found)
    return held < _ENOUGH * max(1, page.letters)


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
    regions = find_regions(document, settings, weights, issues, text)
    likely = _likely(regions, settings, weights, rejected)
    together = _TABLES_TOGETHER if document.medium == "html" else 1
    while batch := list(islice(likely, together)):
        found = [(region, grid) for region in batch for grid in grids_of(region, settings, weights)]
        yield from label_regions(found, settings, weights)


def _likely(
    regions: Iterator[AnyRegion], settings: Settings, weights: Weights, rejected: list[Rejected] | None
) -> Iterator[AnyRegion]:
    """The regions that are likely tables; the others are told to `rejected`."""
    for region in regions:
        check_deadline()
        if region.genuine >= LIKELY:
            yield region
        elif rejected is not None:
            rejected.append(reject_region(region, settings, weights))


def find_regions(
    document: Document,
    settings: Settings,
    weights: Weights,
    issues: list[Issue] | None = None,
    text: RunningText | None = None,
) -> Iterator[AnyRegion]:
    """Every region of every page. Pages of a PDF come one after the other, so that few are held."""
    if document.medium == "pdf":
        yield from locate_printed(_told(document, issues), weights, text)
    else:
        for page in document.pages:
            yield from locate_regions(page, weights, settings.genuine, settings.frames)


def grids_of(region: AnyRegion, settings: Settings, weights: Weights) -> list[Grid]:
    """The grid of a region; of a table that goes on over pages several, where they are to stay apart."""
    check_deadline()
    if not isinstance(region, PrintedRegion):
        return [recognise_grid(region)]
    return recognise_parts(region, weights) if settings.pages_apart else [recognise_printed(region, weights)]


def label_regions(
    found: Sequence[tuple[AnyRegion, Grid]], settings: Settings, weights: Weights, fixes: Fixes = NOTHING
) -> list[Labelled]:
    """Grids of regions of one document, labelled; `fixes` is what is given of them."""
    staged = [Recognised(grid, region.genuine, fixes) for region, grid in found if not _is_learned(grid, settings)]
    by_steps = iter(label_grids(staged, weights, settings.rows, settings.headers))
    labelled = [
        _interpret(grid, region.genuine, fixes, weights) if _is_learned(grid, settings) else next(by_steps)
        for region, grid in found
    ]
    return [
        msgspec.structs.replace(each, issues=region.issues + grid.issues + each.issues)
        for each, (region, grid) in zip(labelled, found, strict=True)
    ]


def _is_learned(grid: Grid, settings: Settings) -> bool:
    """Whether the learned reader reads a grid.

    A method chosen for a step of the staged reader asks for it, and so do tables that a workbook marks: these hold.
    """
    if settings.reader != "auto":
        return settings.reader == "learned"
    chosen = settings.rows != STEPS["rows"].default or settings.parents != STEPS["parents"].default
    declared = any(area.kind in ("table", "pivot") for area in grid.marked.areas)
    return grid.medium == "spreadsheet" and not chosen and not declared


def _interpret(grid: Grid, genuine: float, fixes: Fixes, weights: Weights) -> Labelled:
    """The tables of a grid by the learned reader; what the source states, or people corrected, holds."""
    if grid.stated:
        return fix_frames(label_stated(grid, given=fixes.of_labels() != NOTHING), fixes, weights)
    labelled = interpret_grid(grid, weights)
    frames = {frame.rect: msgspec.structs.replace(frame, genuine=genuine) for frame in labelled.frames}
    fixed = fix_frames(msgspec.structs.replace(labelled, frames=tuple(frames.values())), fixes, weights)
    return msgspec.structs.replace(
        fixed, frames=tuple(_still_stated(frame, frames.get(frame.rect)) for frame in fixed.frames)
    )


def _still_stated(frame: Frame, read: Frame | None) -> Frame:
    """A frame as it was read, with its trees; without them where a correction changed its lines."""
    same = read is not None and all(
        getattr(frame, name) == getattr(read, name)
        for name in ("header_rows", "body_rows", "stub_columns", "value_columns")
    )
    return frame if same or frame.stated is None else msgspec.structs.replace(frame, stated=None)


def reject_region(region: AnyRegion, settings: Settings, weights: Weights) -> Rejected:
    """What is told of a region that is hardly a table."""
    if isinstance(region, PrintedRegion):
        from tabellion.locate.printed.regions import explain_printed

        why = explain_printed(region, weights) if settings.why else ()
        return Rejected(region.place, region.genuine, region.kind, why)
    if not isinstance(region, MarkupRegion):
        return Rejected(region.place, region.genuine)
    from tabellion.locate.rendered.regions import tell_structure
    from tabellion.locate.web.genuine import explain_region

    why = explain_region(region, weights) if settings.why else ()
    return Rejected(region.place, region.genuine, tell_structure(region), why)


def reject_grid(labelled: Labelled) -> Rejected:
    """What is told of a grid without tables."""
    unsure = round(1 - labelled.kind_probability, 4)
    return Rejected(labelled.labels.grid.place, unsure, labelled.kind, labelled.why or (("no rows of values", 0.0),))


def _mentions(document: Document) -> Iterator[str]:
    """The sentences of a web page that mention tables."""
    if document.medium == "html":
        for page in document.pages:
            yield from page.mentions if isinstance(page, MarkupPage) else ()


def _told(document: Document, issues: list[Issue] | None) -> Iterator[PrintedPage]:
    """The printed pages of a document; doubts about each are told to `issues`."""
    for page in document.pages:
        check_deadline()
        if isinstance(page, PrintedPage):
            if issues is not None:
                issues.extend(page.issues)
            yield page
