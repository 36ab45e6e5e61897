"""What each stage of the flow made, drawn for people: `tabellion show --stage`.

In: a source and the settings. Out: things that rich can print, in reading order. The stages are called one by one as
`pipeline` does, so that what is drawn is what the pipeline uses. Header trees and tuples are drawn here too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec
from rich import box
from rich.console import RenderableType
from rich.table import Table as Lines
from rich.text import Text
from rich.tree import Tree

from tabellion.cli.drawing.sheet import (
    CONTENT_STYLES,
    QUIET,
    ROLE_STYLES,
    ROW_WORDS,
    SHOWN_ROLES,
    SheetSettings,
    draw_legend,
    draw_sheet,
    look_by_content,
    look_by_role,
    look_by_row,
    look_of_source,
    shown_lines,
)
from tabellion.locate import locate_regions
from tabellion.model.document import Document, Issue, MarkupRegion, PrintedRegion, Region, Sheet
from tabellion.model.frame import Frame, HeaderNode, HeaderTree, Labelled
from tabellion.model.grid import Grid
from tabellion.model.place import Place, column_letters, range_text
from tabellion.model.printed import PrintedPage
from tabellion.model.table import Table, Tuple
from tabellion.pipeline import (
    Extraction,
    Rejected,
    Settings,
    extract_document,
    find_regions,
    grids_of,
    label_document,
    read_source,
)
from tabellion.read.limits import one_deadline
from tabellion.recognise import recognise_grid
from tabellion.weights import Weights

MOST_NODES = 48  # headers drawn of one tree: a tall terminal window
MOST_CHILDREN = 16  # headers drawn below one parent; fewer where the tree is too large even so


def draw_trees(table: Table, *, sure: bool = False, width: int = 100) -> RenderableType:
    """Both header trees, side by side where there is room; `sure` adds how sure each parent is."""
    top, left = draw_tree(table, table.top, "column headers", sure), draw_tree(table, table.left, "row headers", sure)
    if width < 72:
        both = Lines.grid(padding=(0, 0, 1, 0))
        both.add_row(top)
        both.add_row(left)
        return both
    both = Lines.grid(padding=(0, 4, 0, 0))
    both.add_row(left, top)
    return both


def draw_tree(table: Table, tree: HeaderTree, name: str, sure: bool) -> Tree:
    """One header tree with the address of each header."""
    count = len(tree.nodes)
    size = f"  {count}, {tree.depth()} deep" if count else "  none"
    title = Text.assemble((f" {name} ", ROLE_STYLES["stub" if name == "row headers" else "header"]), (size, QUIET))
    root = Tree(title, guide_style="dim")
    children: dict[int | None, list[HeaderNode]] = defaultdict(list)
    for node in tree.nodes:
        children[node.parent].append(node)
    most = MOST_CHILDREN
    while most > 2 and _drawn(None, children, most) > MOST_NODES:
        most -= 1
    branches: dict[int | None, Tree] = {None: root}
    todo: list[int | None] = [None]
    while todo:
        parent = todo.pop()
        below = children[parent]
        for position in shown_lines(len(below), most):
            if position is None:
                branches[parent].add(Text(f"… {len(below) - most + 1:,} more", QUIET))
                continue
            node = below[position]
            branches[node.id] = branches[parent].add(_node_text(node, table, sure))
            todo.append(node.id)
    return root


def _drawn(parent: int | None, children: dict[int | None, list[HeaderNode]], most: int) -> int:
    """How many headers are drawn below one if no more than so many children of each are."""
    below = children[parent]
    shown = [below[i] for i in shown_lines(len(below), most) if i is not None]
    return len(shown) + sum(_drawn(node.id, children, most) for node in shown)


def _node_text(node: HeaderNode, table: Table, sure: bool) -> Text:
    text = Text(" ".join(node.text.split()) or "(no text)")
    if len(text) > 60:
        text.truncate(60, overflow="ellipsis")
    if node.cells:
        text.append(f"  {table.grid.address(*node.cells[0])}", QUIET)
    if node.notes:
        text.append(f"  note {', '.join(node.notes)}", "italic dim")
    if sure:
        text.append(f"  {node.probability:.2f}", "green" if node.probability >= 0.8 else "yellow")
    return text


def draw_tuples(tuples: Sequence[Tuple], total: int) -> RenderableType:
    """Tuples as lines: the cell, its value and unit, its paths from the outermost label to the nearest."""
    lines = Lines(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, header_style="bold")
    lines.add_column("cell", style="dim", no_wrap=True)
    lines.add_column("value", justify="right", no_wrap=True)
    lines.add_column("unit", style="dim")
    lines.add_column("row headers", style=ROW_WORDS["stub"])
    lines.add_column("column headers", style=ROW_WORDS["header"])
    lines.add_column("notes", style="dim italic", no_wrap=True, overflow="ellipsis", max_width=40)
    for one in tuples:
        lines.add_row(
            one.address,
            _value_text(one.value),
            one.unit or "",
            _path_text(one.left),
            _path_text(one.top),
            "; ".join(one.notes),
        )
    if len(tuples) < total:
        lines.caption = f"{total - len(tuples):,} more of {total:,}; --tuples {total} shows all"
        lines.caption_justify = "left"
    return lines


def _value_text(value: float | int | str | None) -> Text:
    """A value short enough to be read in a line of others."""
    if value is None:
        return Text("missing", "dim italic")
    text = f"{value:.7g}" if isinstance(value, float) and abs(value) < 1e6 else str(value)
    return Text(text[:30] + "…" if len(text) > 31 else text, "bold")


def _path_text(labels: Sequence[str]) -> str:
    """A path on one line, long labels cut."""
    return " › ".join(label[:47] + "…" if len(label) > 48 else label for label in labels)


class View(msgspec.Struct, frozen=True):
    """How a stage is to be drawn."""

    width: int = 100
    lines: int = 48
    tuples: int | None = None

    @property
    def sheet(self) -> SheetSettings:
        return SheetSettings(width=self.width, lines=self.lines)


def draw_stage(
    stage: str, source: str, settings: Settings, *, width: int, lines: int, tuples: int | None
) -> Iterator[RenderableType]:
    """All that one stage made of a document."""
    view = View(width, lines, tuples)
    if stage in ("nest", "relate"):
        extraction = extract_document(source, settings)
        yield from (draw_nested if stage == "nest" else draw_extraction)(extraction, view)
        if settings.why:
            yield from draw_rejected(extraction.rejected)
        return
    weights = Weights(settings.weights)
    document = read_source(source, settings, weights)
    drawings: dict[str, Callable[[], Iterator[RenderableType]]] = {
        "read": lambda: draw_document(document, weights, view),
        "locate": lambda: draw_regions(document, settings, weights),
        "recognise": lambda: draw_grids(document, settings, weights, view),
        "label": lambda: draw_labels(label_document(document, settings, weights), view),
    }
    yield from drawings[stage]()
    yield from draw_issues(document.issues)


def draw_all(
    stage: str, source: str, settings: Settings, width: int, lines: int, tuples: int | None
) -> list[RenderableType]:
    """The same as a whole, as it comes from a worker."""
    with one_deadline(settings.limits, source):
        return list(draw_stage(stage, source, settings, width=width, lines=lines, tuples=tuples))


def draw_document(document: Document, weights: Weights, view: View) -> Iterator[RenderableType]:
    """The facts of the document, and the cells of its pages as they look."""
    yield facts(
        ("source", document.source),
        ("format", f"{document.medium}, {document.kind}"),
        ("sha256", document.sha256),
        ("title", document.title or "none"),
        ("authors", ", ".join(document.authors) or "none"),
    )
    for page in document.pages:
        if isinstance(page, Sheet):
            merged = f"{len(page.merges):,} merged areas, {len(page.styles):,} styles"
            unseen = f"{len(page.hidden_rows):,} hidden rows, {len(page.hidden_columns):,} hidden columns"
            yield heading(f"sheet {page.name or ''}", f"{len(page.cells):,} cells, {merged}, {unseen}")
        if isinstance(page, PrintedPage):
            size = f"{page.width:.0f} × {page.height:.0f} points"
            drawn = f"{len(page.across) + len(page.down):,} rules, {len(page.images):,} images"
            yield heading(f"page {page.number}", f"{size}, {len(page.words):,} words, {drawn}")
            yield from draw_issues(page.issues)
            continue
        for region in locate_regions(page, weights):
            grid = recognise_grid(region)
            yield draw_sheet(grid, look_of_source(grid), [""] * grid.shape[0], view.sheet)


def draw_regions(document: Document, settings: Settings, weights: Weights) -> Iterator[RenderableType]:
    """Where tables may be, and how sure that is."""
    lines = Lines("where", "genuine", box=None, header_style="bold", pad_edge=False)
    issues: list[Issue] = []
    for region in find_regions(document, settings, weights, issues):
        lines.add_row(_region_name(region), f"{region.genuine:.2f}")
        issues.extend(region.issues)
    yield lines
    yield from draw_issues(issues)


def draw_grids(document: Document, settings: Settings, weights: Weights, view: View) -> Iterator[RenderableType]:
    """The cells of each region, coloured by what they say."""
    for region in find_regions(document, settings, weights):
        for grid in grids_of(region, settings, weights):
            rows, columns = grid.shape
            about = f"{rows:,} × {columns:,} cells, {int(grid.filled.sum()):,} filled, {len(grid.spans):,} spans"
            yield heading(_region_name(region), about)
            yield draw_sheet(grid, look_by_content(grid), [""] * rows, view.sheet)
    yield Text.assemble("\n", draw_legend(CONTENT_STYLES))


def draw_labels(pages: Iterable[Labelled], view: View) -> Iterator[RenderableType]:
    """The role of each row with its probability, and the frames."""
    for labelled in pages:
        grid, labels = labelled.labels.grid, labelled.labels
        words = [
            role if role == "blank" else f"{SHOWN_ROLES.get(role, role)} {sure:.2f}"
            for role, sure in zip(labels.roles, labels.probability.max(axis=1).tolist(), strict=True)
        ]
        yield heading(grid.place.sheet or _place_name(grid.place) or "grid", _kind_text(labelled))
        yield draw_sheet(grid, look_by_row(labels), words, view.sheet)
        for number, frame in enumerate(labelled.frames, 1):
            yield facts(*_frame_facts(frame), title=f"frame {number}")
        yield from draw_issues(labelled.issues)
    yield Text.assemble("\n", draw_legend())


def draw_nested(extraction: Extraction, view: View) -> Iterator[RenderableType]:
    """The header trees of each table with how sure each parent is."""
    for table in extraction.tables:
        yield _table_heading(table)
        yield draw_trees(table, sure=True, width=view.width)
    yield from _nothing_found(extraction)


def draw_extraction(extraction: Extraction, view: View) -> Iterator[RenderableType]:
    """The end of the flow: sheets with their regions, header trees, and tuples where asked for."""
    for labelled in extraction.labelled:
        grid = labelled.labels.grid
        own = [table for table in extraction.tables if table.grid is grid]
        yield heading(grid.place.sheet or _place_name(grid.place) or extraction.document.source, _kind_text(labelled))
        yield draw_sheet(
            grid, look_by_role(grid, own), [SHOWN_ROLES.get(role, role) for role in labelled.labels.roles], view.sheet
        )
        for table in own:
            yield _table_heading(table)
            yield draw_trees(table, width=view.width)
            if view.tuples is not None:
                yield draw_tuples(table.tuples[: view.tuples], len(table.tuples))
    yield from _nothing_found(extraction)
    if extraction.labelled:
        yield Text.assemble("\n", draw_legend())
    yield from draw_issues(extraction.issues)


def draw_rejected(rejected: Iterable[Rejected]) -> Iterator[RenderableType]:
    """What was judged to be no table, and what spoke for (+) and against it (-) most."""
    lines = Lines("no table", "genuine", "what weighed most", box=None, header_style="bold", pad_edge=False)
    for each in rejected:
        reasons = "; ".join(f"{name} {moved:+.1f}" if moved else name for name, moved in each.why)
        lines.add_row(_place_name(each.place), f"{each.genuine:.2f}", ": ".join(filter(None, (each.kind, reasons))))
    if lines.row_count:
        yield Text()
        yield lines


def draw_issues(issues: Iterable[Issue]) -> Iterator[RenderableType]:
    """Every doubt, a line each."""
    for issue in issues:
        place = issue.place or Place()
        where = " ".join(part for part in (place.sheet, place.range) if part)
        yield Text.assemble(("! ", "bold yellow"), (f"{issue.stage}: ", "yellow"), issue.note, (f"  {where}", QUIET))


def heading(name: str, about: str) -> Text:
    return Text.assemble("\n", (name, "bold"), ("  " + about, QUIET), "\n")


def facts(*pairs: tuple[str, str], title: str | None = None) -> Lines:
    """Names and what they are, a line each."""
    lines = Lines.grid(padding=(0, 2, 0, 0))
    if title:
        lines.add_row(Text(title, "bold"), "")
    for name, value in pairs:
        lines.add_row(Text(name, QUIET), Text(value))
    return lines


def _region_name(region: Region | MarkupRegion | PrintedRegion) -> str:
    if isinstance(region, Region):
        return f"{region.place.sheet or ''} {range_text(region.rect)}".strip()
    return _place_name(region.place)


def _place_name(place: Place) -> str:
    if place.page is not None and place.box is not None:
        left, top, right, bottom = place.box
        return f"page {place.page}, from {left:.0f}, {top:.0f} to {right:.0f}, {bottom:.0f}"
    if place.path is None:
        return " ".join(part for part in (place.sheet, place.range) if part)
    named = f"table {place.table_index}  " if place.table_index is not None else ""
    return f"{named}{place.path}"


def _table_heading(table: Table) -> Text:
    counts = f"{len(table.tuples):,} value{'s' if len(table.tuples) != 1 else ''}"
    sure = f"genuine {table.genuine:.2f}, confidence {table.confidence:.2f}"
    about = f"{table.place.range or ''}  {table.orientation}, {counts}, {sure}"
    text = Text.assemble("\n", (f"table {table.id}", "bold"), ("  " + about, QUIET), "\n")
    if table.title:
        text.append(" ".join(table.title.split()) + "\n", ROW_WORDS["title"])
    return text


def _kind_text(labelled: Labelled) -> str:
    return f"{labelled.kind} ({labelled.kind_probability:.0%})"


def _nothing_found(extraction: Extraction) -> Iterator[RenderableType]:
    if not extraction.tables:
        yield Text("\nno table of data found\n", "yellow")


def _frame_facts(frame: Frame) -> list[tuple[str, str]]:
    grid = frame.grid
    return [
        ("range", range_text(grid.source_rect(frame.rect))),
        ("orientation", frame.orientation),
        ("header rows", _rows_text(grid, frame.header_rows)),
        ("body rows", _rows_text(grid, frame.body_rows)),
        ("stub columns", _columns_text(grid, frame.stub_columns)),
        ("value columns", _columns_text(grid, frame.value_columns)),
        ("title rows", _rows_text(grid, frame.title_rows)),
        ("note rows", _rows_text(grid, frame.note_rows)),
        ("genuine", f"{frame.genuine:.2f}"),
        ("confidence", f"{frame.confidence:.2f}"),
    ]


def _rows_text(grid: Grid, rows: tuple[int, ...]) -> str:
    return _runs([int(grid.row_of[row]) for row in rows], lambda row: str(row + 1))


def _columns_text(grid: Grid, columns: tuple[int, ...]) -> str:
    return _runs([int(grid.column_of[column]) for column in columns], column_letters)


def _runs(numbers: list[int], name: Callable[[int], str]) -> str:
    """Numbers as runs: 1 to 4, 7."""
    runs: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return ", ".join(name(a) if a == b else f"{name(a)} to {name(b)}" for a, b in runs) or "none"
