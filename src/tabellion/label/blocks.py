"""Rows to blocks: which rows form one table with its titles and notes.

In: labelled rows. Out: blocks in order, each with title, header, body and note rows. Stacked frames are several blocks:
a header or a title after a body starts the next one (Chen and Cafarella 2013, section 3.1: "there may be
multiple data frames in a spreadsheet, but they only stack in the vertical dimension"). A lone label over the
columns inside a body ("Percent distribution") does not: it groups the rows below it.
"""

from __future__ import annotations

from itertools import groupby

import msgspec
import numpy as np

from tabellion.model.frame import RowLabels, RowRole
from tabellion.model.grid import Content, Grid

LEAST_HEADS = 2  # distinct filled cells that a header inside a body must have to start a table


class Block(msgspec.Struct):
    """The rows of one table, by what they are for."""

    title: list[int] = []
    header: list[int] = []
    body: list[int] = []
    note: list[int] = []


def split_blocks(labels: RowLabels) -> list[Block]:
    """The blocks of a grid; rows before the first and after the last belong to the nearest."""
    blocks: list[Block] = []
    block = Block()
    spoken = [(row, role) for row, role in enumerate(labels.roles) if role != "blank"]
    for part, run in groupby(spoken, key=lambda pair: _part(pair[1])):
        rows = [row for row, _ in run]
        if block.body and (part == "title" or (part == "header" and _starts_table(labels.grid, rows, block))):
            blocks.append(block)
            block = Block()
        if part == "title":
            (block.header if block.header else block.title).extend(rows)
        elif part == "header":
            (block.body if block.body else block.header).extend(rows)
        elif part == "note":
            (block.note if block.body else block.title).extend(rows)
        elif block.note:
            blocks.append(block)
            block = Block(body=rows)
        else:
            block.body.extend(rows)
    blocks.append(block)
    return _settle(blocks)


def _part(role: RowRole) -> str:
    return role if role in ("title", "header", "note") else "body"


def _starts_table(grid: Grid, rows: list[int], block: Block) -> bool:
    """Whether header rows below a body start a table of their own: below notes, or with a head of several cells."""
    if block.note:
        return True
    distinct = np.unique(grid.home[rows][grid.content[rows] != Content.EMPTY])
    return len(distinct) >= LEAST_HEADS


def _settle(blocks: list[Block]) -> list[Block]:
    """Blocks that have a body; rows of those without one go to the block after (as titles) or before (as notes)."""
    found: list[Block] = []
    waiting: list[int] = []
    for block in blocks:
        if block.body:
            block.title = sorted(waiting + block.title)
            waiting = []
            found.append(block)
        else:
            waiting += sorted(block.title + block.header + block.note)
    if found and waiting:
        found[-1].note = sorted(found[-1].note + waiting)
    return found
