"""Whole readings of a sheet are compared, and the best is kept.

In: a grid. Out: its row labels and frames, by the cut of the grid whose finished reading is most likely right. A sheet
has few sensible ways to be cut (`cuts`), and so has each part of a cut. Each is read to the end; the confidence of its
frames, weighed by the cells that they hold, is the expected share of the sheet that is read rightly, and the largest
wins. So are readings in which rows have other roles than the labeller finds most likely. What a workbook marks as
tables is cut by that alone. Fails where no cut among these is right: tables that interlock.

What a workbook marks on a sheet, as evidence for its reading.

In: a grid with marks. Out: the areas that are certainly tables (lists and pivot tables), each with the roles of its
rows; roles of rows that filters tell; and the roles that would hold if the rows that stay in view, or are printed on
every page, end with a head. The last are offered as one more reading, no more: people freeze what they like.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import msgspec
import numpy as np

from tabellion.label.edges import Cut, find_cuts
from tabellion.model.frame import ROW_ROLES, Frame, RowLabels, RowRole
from tabellion.model.grid import NUMBER, TEXT, Grid
from tabellion.model.place import Rect
from tabellion.model.stated import MarkedArea


class ReadingSettings(msgspec.Struct, frozen=True):
    """When other readings are looked at, and when one is better."""

    sure: float = 0.9  # confidence from which on no other reading is looked at
    most_cells: int = 400_000  # of a grid that is read more than once
    gain: float = 0.2  # of the share read rightly by which a cut must be better
    deep: int = 2  # times that a part of a cut is cut again
    placed: float = 0.1  # of the share read rightly that a cut may gain when its parts are put in their places
    readings: int = 60  # of parts of one grid at most; and
    cells_read: int = 2_000_000  # in all of these, though
    least_readings: int = 6  # are always allowed
    least_lines: int = 3  # filled rows of a part that may be a table
    long_head: int = 4  # rows from which a head is doubtful
    full: float = 0.6  # share of the columns that a row of a relation fills, and of the rows that a column does
    least_rows: int = 4  # of a relation
    least_columns: int = 2


SETTINGS = ReadingSettings()


class Reading(msgspec.Struct, frozen=True, eq=False):
    """The labelled rows of a grid, or of a part of it, and the frames among them."""

    labels: RowLabels
    frames: tuple[Frame, ...]

    @property
    def score(self) -> float:
        """The expected number of cells in frames that are read rightly."""
        return sum(frame.confidence * _cells(frame) for frame in self.frames)


class Reader(msgspec.Struct, frozen=True, eq=False):
    """`read` reads a grid to the end, with given roles of rows; `rate` tells how likely a frame is right."""

    read: Callable[[Grid, Mapping[int, RowRole]], Reading]
    rate: Callable[[Frame], float]


def best_reading(grid: Grid, reader: Reader, given: Mapping[int, RowRole]) -> Reading:
    """The reading that is most likely right, of the whole grid and of its cuts."""
    given = {**filter_roles(grid), **given}
    whole = reader.read(grid, given)
    listed = listed_areas(grid)
    if listed:
        return _read_listed(grid, whole, listed, reader, given)
    if grid.content.size > SETTINGS.most_cells:
        return whole
    if not whole.frames and (short := short_relation(grid)):
        whole = suppose(whole, short, reader, given)
    best, filled = whole, int(grid.filled.sum())
    doubtful = not _is_sure(whole) and _can_gain(whole, filled)
    for roles in suppositions(grid, whole.frames) if doubtful else ():
        supposed = suppose(whole, roles, reader, given)
        if supposed.score > best.score + SETTINGS.gain * filled:
            best = supposed
    return _Search(grid, reader, given).best(Rect(0, 0, grid.shape[0] - 1, grid.shape[1] - 1), best, SETTINGS.deep)


def suppositions(grid: Grid, frames: tuple[Frame, ...]) -> Iterator[Mapping[int, RowRole]]:
    """Roles that rows may have though the row labeller finds otherwise: by what stays in view, or as in a relation."""
    yield from frozen_roles(grid)
    if len(frames) != 1 or not 0 < len(frames[0].header_rows) < SETTINGS.long_head:
        roles = relation_roles(grid)
        if roles:
            yield roles


def relation_roles(grid: Grid) -> dict[int, RowRole]:
    """The first full row as a head, those down to the last full one as data; of texts, where many rows are full."""
    columns = grid.filled.sum(axis=0) > SETTINGS.full * max(1, int(grid.filled.any(axis=1).sum()))
    if columns.sum() < SETTINGS.least_columns:
        return {}
    full = np.flatnonzero(grid.filled[:, columns].mean(axis=1) > SETTINGS.full)
    if len(full) < SETTINGS.least_rows:
        return {}
    numbers = grid.content[full][:, columns] == NUMBER
    unlike = numbers[0] != (numbers[1:].mean(axis=0) > SETTINGS.full)
    if (unlike | ~numbers[0]).mean() <= SETTINGS.full or numbers[1:].mean() >= 1 - SETTINGS.full:
        return {}
    said = np.flatnonzero(grid.filled.any(axis=1))
    return {int(row): "header" if row == full[0] else "data" for row in said if full[0] <= row <= full[-1]}


def short_relation(grid: Grid) -> dict[int, RowRole]:
    """A row of texts in every column as a head, the rows below it, with numbers or dates, as data."""
    rows, columns = np.flatnonzero(grid.filled.any(axis=1)), np.flatnonzero(grid.filled.any(axis=0))
    if min(len(rows), len(columns)) < SETTINGS.least_columns:
        return {}
    texts = grid.content[np.ix_(rows, columns)] == TEXT
    said = grid.filled[np.ix_(rows[1:], columns)]
    if not texts[0].all() or (said & ~texts[1:]).sum() <= (1 - SETTINGS.full) * said.sum():
        return {}
    return {int(row): "header" if row == rows[0] else "data" for row in rows}


def suppose(whole: Reading, roles: Mapping[int, RowRole], reader: Reader, given: Mapping[int, RowRole]) -> Reading:
    """The reading of a grid if its rows had some roles; how likely they have them stays what the labeller found."""
    reading = reader.read(whole.labels.grid, {**roles, **given})
    labels = msgspec.structs.replace(reading.labels, probability=whole.labels.probability)
    frames = [msgspec.structs.replace(frame, labels=labels) for frame in reading.frames]
    rated = tuple(msgspec.structs.replace(frame, confidence=reader.rate(frame)) for frame in frames)
    return Reading(labels, rated)


def _read_listed(
    grid: Grid, whole: Reading, listed: list[MarkedArea], reader: Reader, given: Mapping[int, RowRole]
) -> Reading:
    """A grid with areas that are certainly tables: each is read by itself, and what stands around them."""
    around = grid
    parts: list[Reading] = []
    for marked in listed:
        area = with_rows_above(grid, marked, [one for one in listed if one is not marked])
        around = without(around, area)
        inside = {row: role for row, role in given.items() if area.holds(row, area.left)}
        reading = reader.read(only(grid, area), {**listed_roles(whole.labels, marked), **inside})
        frames = [_with_stub(frame, marked.header_columns) for frame in reading.frames]
        parts.append(Reading(reading.labels, tuple(frames)))
    beside = reader.read(around, given)
    alone = Reading(beside.labels, tuple(frame for frame in beside.frames if _stands_alone(frame)))
    return join_parts(grid, whole, [alone, *parts], reader)


def _with_stub(frame: Frame, columns: int) -> Frame:
    """The frame with so many columns as its stub, where that is told."""
    inside = range(frame.rect.left, frame.rect.right + 1)
    if not 0 < columns < len(inside):
        return frame
    return msgspec.structs.replace(
        frame, stub_columns=tuple(inside[:columns]), value_columns=tuple(inside[columns:]), orientation="row-column"
    )


class _Search:
    """Looks for the best way to cut one grid; what was read of a part is kept."""

    def __init__(self, grid: Grid, reader: Reader, given: Mapping[int, RowRole]) -> None:
        self.grid, self.reader, self.given = grid, reader, given
        self.read: dict[Rect, Reading] = {}
        allowed = max(SETTINGS.least_readings, SETTINGS.cells_read // max(1, grid.content.size))
        self.most = min(SETTINGS.readings, allowed)

    def best(self, part: Rect, whole: Reading, deep: int) -> Reading:
        """The best reading of a part that was read as a whole, by its cuts and the cuts of their parts."""
        best = whole
        if deep == 0 or _is_sure(whole):
            return best
        shown = only(self.grid, part)
        filled = int(shown.filled.sum())
        if not _can_gain(best, filled):
            return best
        for cut in find_cuts(shown, whole.frames):
            if len(self.read) + len(cut) > self.most:
                break
            if not self.can_reach(cut, deep - 1, best.score + (SETTINGS.gain - SETTINGS.placed) * filled):
                continue
            parts = [self.part(one, deep - 1) for one in cut]
            joined = join_parts(self.grid, whole, parts, self.reader)
            if joined.score > best.score + SETTINGS.gain * filled:
                best = joined
        return best

    def can_reach(self, cut: Cut, deep: int, score: float) -> bool:
        """Whether the parts of a cut may reach a score together: the largest is read first, until that is seen."""
        cells = {part: self.cells(part) if self.holds_rows(part) else 0 for part in cut}
        possible: float = sum(cells.values())
        for part in sorted(cut, key=lambda one: -cells[one]):
            if possible <= score:
                return False
            possible += self.part(part, deep).score - cells[part]
        return possible > score

    def cells(self, part: Rect) -> int:
        return int(self.grid.filled[part.top : part.bottom + 1, part.left : part.right + 1].sum())

    def part(self, part: Rect, deep: int) -> Reading:
        """A part, read in the best way; what has no head, or hardly a row below it, is no table of its own."""
        if part not in self.read and not self.holds_rows(part):
            self.read[part] = self.remark(part)
        elif part not in self.read:
            inside = {row: role for row, role in self.given.items() if part.top <= row <= part.bottom}
            whole = self.reader.read(only(self.grid, part), inside)
            alone = tuple(frame for frame in whole.frames if _stands_alone(frame))
            self.read[part] = self.best(part, Reading(whole.labels, alone), deep)
        return self.read[part]

    def holds_rows(self, part: Rect) -> bool:
        """Whether a part has a head, rows and columns enough for a table."""
        filled = self.grid.filled[part.top : part.bottom + 1, part.left : part.right + 1]
        return bool(filled.any(axis=1).sum() >= SETTINGS.least_lines and filled.any(axis=0).sum() > 1)

    def remark(self, part: Rect) -> Reading:
        """A part that is too small for a table: its rows are notes until it is known what they stand above."""
        said = np.asarray(self.grid.filled[part.top : part.bottom + 1, part.left : part.right + 1].any(axis=1))
        roles: list[RowRole] = ["blank"] * self.grid.shape[0]
        for row in (np.flatnonzero(said) + part.top).tolist():
            roles[row] = "note"
        probability = np.zeros((len(roles), len(ROW_ROLES)))
        probability[np.arange(len(roles)), [ROW_ROLES.index(role) for role in roles]] = 1.0
        return Reading(RowLabels(self.grid, tuple(roles), probability), ())


def _is_sure(reading: Reading) -> bool:
    """Whether every frame is surely right."""
    return bool(reading.frames) and all(frame.confidence >= SETTINGS.sure for frame in reading.frames)


def _can_gain(reading: Reading, filled: int) -> bool:
    """Whether a reading that is right in all filled cells would be enough better than this one."""
    return filled > reading.score + SETTINGS.gain * filled


def _cells(frame: Frame) -> int:
    rect = frame.rect
    return int(frame.grid.filled[rect.top : rect.bottom + 1, rect.left : rect.right + 1].sum())


def _stands_alone(frame: Frame) -> bool:
    """Whether a frame has a head, some rows, and values beside labels or one another."""
    return bool(
        frame.header_rows and frame.value_columns and len(frame.body_rows) > 1 and frame.rect.left < frame.rect.right
    )


def only(grid: Grid, part: Rect) -> Grid:
    """The grid with nothing in it but what stands in one part; rows and columns keep their numbers."""
    outside = np.ones(grid.shape, dtype=bool)
    outside[part.top : part.bottom + 1, part.left : part.right + 1] = False
    return grid.blanked(outside)


def without(grid: Grid, part: Rect) -> Grid:
    """The grid with nothing in one part."""
    inside = np.zeros(grid.shape, dtype=bool)
    inside[part.top : part.bottom + 1, part.left : part.right + 1] = True
    return grid.blanked(inside)


def join_parts(grid: Grid, whole: Reading, parts: list[Reading], reader: Reader) -> Reading:
    """One reading of parts: rows of parts without a frame are titles of the next frame, or notes of the last."""
    roles = list(whole.labels.roles)
    probability = whole.labels.probability.copy()
    frames: list[Frame] = []
    waiting: list[int] = []
    for part in parts:
        said = [row for row, role in enumerate(part.labels.roles) if role != "blank"]
        if not part.frames:
            waiting += said
            continue
        for row in said:
            roles[row], probability[row] = part.labels.roles[row], part.labels.probability[row]
        above = [row for row in waiting if row < part.frames[0].rect.top]
        for frame in part.frames:
            title = tuple(sorted({*above, *frame.title_rows}))
            own = tuple(_joined_roles(whole.labels, part.labels))
            labels = RowLabels(grid=grid, roles=own, probability=part.labels.probability)
            placed = msgspec.structs.replace(frame, labels=labels, title_rows=title)
            frames.append(msgspec.structs.replace(placed, confidence=reader.rate(placed)))
        waiting = [row for row in waiting if row not in above]
    if frames and waiting:
        note = tuple(sorted({*waiting, *frames[-1].note_rows}))
        frames[-1] = msgspec.structs.replace(frames[-1], note_rows=note)
    frames.sort(key=lambda frame: frame.rect)
    return Reading(RowLabels(grid=grid, roles=tuple(roles), probability=probability), tuple(frames))


def _joined_roles(whole: RowLabels, part: RowLabels) -> Iterator[RowRole]:
    """The roles of rows as one part sees them; where it sees nothing, titles and notes of the whole."""
    for role, outside in zip(part.roles, whole.roles, strict=True):
        yield role if role != "blank" or outside not in ("title", "note") else outside


Roles = dict[int, RowRole]
LEAST_HEADS = 2  # texts in a row that heads a list
_BODY = ("data", "group", "derived")


def listed_areas(grid: Grid) -> list[MarkedArea]:
    """The areas that are tables by the word of the spreadsheet program; of two that overlap the first."""
    found: list[MarkedArea] = []
    for marked in grid.marked.areas:
        if marked.kind in ("table", "pivot") and not any(marked.area.meets(one.area) for one in found):
            found.append(marked)
    return found


def with_rows_above(grid: Grid, marked: MarkedArea, others: list[MarkedArea]) -> Rect:
    """The area and the rows right above it, up to a blank one: its head may have more rows than the program knows."""
    area = marked.area
    top = area.top
    filled = np.asarray(grid.filled[:, area.left : area.right + 1].any(axis=1))
    while top and filled[top - 1] and not any(one.area.meets(_row(area, top - 1)) for one in others):
        top -= 1
    return Rect(top, area.left, area.bottom, area.right)


def _row(area: Rect, row: int) -> Rect:
    return Rect(row, area.left, row, area.right)


def listed_roles(labels: RowLabels, marked: MarkedArea) -> Roles:
    """The roles of an area's rows: heads and totals as it has them, data for all that was taken for anything else."""
    area = marked.area
    roles: Roles = {}
    for row in range(area.top, area.bottom + 1):
        if row < area.top + marked.header_rows:
            roles[row] = "header"
        elif row > area.bottom - marked.total_rows:
            roles[row] = "derived"
        elif labels.grid.filled[row, area.left : area.right + 1].any():
            roles[row] = labels.roles[row] if labels.roles[row] in _BODY else "data"
    return roles


def filter_roles(grid: Grid) -> Roles:
    """Rows with drop-down filters are heads."""
    tops = [marked.area for marked in grid.marked.areas if marked.kind == "filter"]
    return {area.top: "header" for area in tops if _may_head(grid, area.top, area.left, area.right)}


def frozen_roles(grid: Grid) -> Iterator[Roles]:
    """The last row that stays in view, or is printed on every page, as a head, and the next one as data."""
    for head in grid.marked.heads:
        below = np.flatnonzero(grid.filled[head + 1 :].any(axis=1))
        if len(below) and _may_head(grid, head, 0, grid.shape[1] - 1):
            yield {head: "header", head + 1 + int(below[0]): "data"}


def _may_head(grid: Grid, row: int, left: int, right: int) -> bool:
    content = grid.content[row, left : right + 1]
    return bool((content == TEXT).sum() >= LEAST_HEADS)
