"""What each row of a grid is for, and the frames among them. Start with `label_grids`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import msgspec

from tabellion.label.blocks import Block, settle_banners, settle_heads, split_blocks
from tabellion.label.edges import settle_edges
from tabellion.label.fixed import fix_frames, label_stated
from tabellion.label.frames import find_frames, rate_confidence
from tabellion.label.kind import judge_kind, keeps_frames
from tabellion.label.readings import Reader, Reading, best_reading
from tabellion.label.rows.labels import label_rows
from tabellion.model.correction import NOTHING, Fixes
from tabellion.model.frame import Labelled, RowLabels, RowRole
from tabellion.model.grid import Grid
from tabellion.model.methods import HeaderMethod, RowMethod
from tabellion.model.place import common_share
from tabellion.weights import Weights


class Recognised(msgspec.Struct, frozen=True, eq=False):
    """A grid, the probability that locating gave it, and what is given of it."""

    grid: Grid
    genuine: float = 1.0
    fixes: Fixes = NOTHING


def label_grid(
    grid: Grid,
    weights: Weights,
    method: RowMethod = "boosted",
    genuine: float = 1.0,
    headers: HeaderMethod = "boosted",
    fixes: Fixes = NOTHING,
) -> Labelled:
    """One grid of `label_grids`."""
    return label_grids([Recognised(grid, genuine, fixes)], weights, method, headers)[0]


def label_grids(
    recognised: Sequence[Recognised],
    weights: Weights,
    method: RowMethod = "boosted",
    headers: HeaderMethod = "boosted",
) -> list[Labelled]:
    """Label the rows of grids of one document and find their frames; what is no table of data yields none.

    `headers` is the method for tables of web pages and print, which are told together.
    """
    tables = [each for each in recognised if not each.grid.stated and each.grid.medium != "spreadsheet"]
    told = iter(_label_pages(tables, weights, headers))
    found = []
    for each in recognised:
        grid, fixes = each.grid, each.fixes
        if grid.stated:
            labelled = label_stated(grid, given=fixes.of_labels() != NOTHING)
        else:
            labelled = _label_sheet(grid, weights, method, fixes) if grid.medium == "spreadsheet" else next(told)
        found.append(fix_frames(labelled, fixes, weights))
    return found


def _label_pages(tables: Sequence[Recognised], weights: Weights, headers: HeaderMethod) -> list[Labelled]:
    """Tables of web pages and print; sheets cost nothing of them."""
    if not tables:
        return []
    from tabellion.label.pages.frames import label_tables

    return label_tables([each.grid for each in tables], [each.genuine for each in tables], weights, headers)


def _label_sheet(grid: Grid, weights: Weights, method: RowMethod, fixes: Fixes) -> Labelled:
    """A part of a sheet: the best of its whole readings, and what kind of sheet it is."""
    reading = best_reading(grid, make_reader(weights, method), fixes.rows)
    labels, frames = reading.labels, list(reading.frames)
    kind, probability, why = judge_kind(labels, frames)
    if not keeps_frames(kind):
        said = [table.table for table in fixes.tables if table.genuine]
        frames = [frame for frame in frames if any(common_share(frame.rect, table) > 0 for table in said)]
    return Labelled(labels=labels, frames=tuple(frames), kind=kind, kind_probability=probability, why=why)


def make_reader(weights: Weights, method: RowMethod = "boosted", rated: bool = True) -> Reader:
    """What reads parts of sheets and, unless that is still to be learned, judges what was read."""
    rate = partial(rate_confidence, weights=weights) if rated else lambda _: 1.0
    return Reader(partial(_read, weights=weights, method=method, rated=rated), rate)


def _read(grid: Grid, given: Mapping[int, RowRole], weights: Weights, method: RowMethod, rated: bool) -> Reading:
    """One reading of a grid, or of a part of it: its rows, the blocks of them, the frames."""
    labels = label_rows(grid, weights, method, given)
    blocks = split_blocks(labels)
    if method == "boosted":
        blocks = settle_heads(grid, settle_banners(grid, settle_edges(labels, blocks, weights, given)))
        labels = relabel(labels, blocks)
    return Reading(labels, tuple(find_frames(labels, blocks, weights, rated)))


def relabel(labels: RowLabels, blocks: list[Block]) -> RowLabels:
    """Row labels that agree with the blocks: rows that an edge moved take the role of where they are now."""
    roles = list(labels.roles)
    for block in blocks:
        parts: list[tuple[list[int], RowRole, tuple[RowRole, ...]]] = [
            (block.title, "title", ("title",)),
            (block.header, "header", ("header",)),
            (block.body, "data", ("data", "group", "derived")),
            (block.note, "note", ("note",)),
        ]
        for rows, role, kept in parts:
            for row in rows:
                if roles[row] not in kept:
                    banner = roles[row] == "header" and labels.grid.filled[row].sum() == 1
                    roles[row] = "group" if banner and role == "data" else role
    return RowLabels(grid=labels.grid, roles=tuple(roles), probability=labels.probability)
