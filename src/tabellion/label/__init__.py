"""What each row of a grid is for, and the frames among them. `label_grid` enters the room."""

from __future__ import annotations

from tabellion.label.blocks import Block, split_blocks
from tabellion.label.edges import settle_edges
from tabellion.label.fixed import fix_frames
from tabellion.label.frames import find_frames
from tabellion.label.kind import judge_kind, keeps_frames
from tabellion.label.row_labels import RowMethod, label_rows
from tabellion.label.stated import label_stated
from tabellion.label.web_frames import label_table
from tabellion.label.web_headers import HeaderMethod
from tabellion.model.fixes import NOTHING, Fixes
from tabellion.model.frame import Labelled, RowLabels, RowRole
from tabellion.model.grid import Grid
from tabellion.model.place import common_share
from tabellion.weights import Weights


def label_grid(
    grid: Grid,
    weights: Weights,
    method: RowMethod = "boosted",
    genuine: float = 1.0,
    headers: HeaderMethod = "boosted",
    fixes: Fixes = NOTHING,
) -> Labelled:
    """Label the rows of a grid and find its frames; what is no table of data yields none.

    `genuine` is what locating found; `headers` is the method for tables of web pages; `fixes` is what is given.
    """
    if grid.stated:
        return fix_frames(label_stated(grid, given=fixes.of_labels() != NOTHING), fixes, weights)
    if grid.medium != "spreadsheet":
        labelled = label_table(grid, genuine, weights, headers)
        return fix_frames(labelled, fixes, weights)
    labels = label_rows(grid, weights, method, fixes.rows)
    blocks = split_blocks(labels)
    if method == "boosted":
        blocks = settle_edges(labels, blocks, weights, fixes.rows)
        labels = relabel(labels, blocks)
    frames = find_frames(labels, blocks, weights)
    kind, probability = judge_kind(labels, frames)
    if not keeps_frames(kind):
        said = [table.table for table in fixes.tables if table.genuine]
        frames = [frame for frame in frames if any(common_share(frame.rect, table) > 0 for table in said)]
    labelled = Labelled(
        labels=labels,
        frames=tuple(frames),
        kind=kind,
        kind_probability=probability,
    )
    return fix_frames(labelled, fixes, weights)


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
                    roles[row] = role
    return RowLabels(grid=labels.grid, roles=tuple(roles), probability=labels.probability)
