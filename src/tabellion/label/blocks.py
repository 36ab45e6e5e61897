"""Rows to blocks: which rows form one table with its titles and notes.

In: labelled rows. Out: blocks in order, each with title, header, body and note rows. Stacked frames are several blocks:
a header or a title after a body starts the next one (Chen and Cafarella 2013, section 3.1: "there may be
multiple data frames in a spreadsheet, but they only stack in the vertical dimension").
"""

from __future__ import annotations

import msgspec

from tabellion.model.frame import RowLabels


class Block(msgspec.Struct):
    """The rows of one table, by what they are for."""

    title: list[int] = []
    header: list[int] = []
    body: list[int] = []
    note: list[int] = []

    @property
    def first(self) -> int:
        return min(self.header[:1] + self.body[:1])

    @property
    def last(self) -> int:
        return max(self.header[-1:] + self.body[-1:])


def split_blocks(labels: RowLabels) -> list[Block]:
    """The blocks of a grid; rows before the first and after the last belong to the nearest."""
    blocks: list[Block] = []
    block = Block()
    for row, role in enumerate(labels.roles):
        if role == "blank":
            continue
        if role in ("title", "header") and block.body:
            blocks.append(block)
            block = Block()
        if role == "title" and not block.header:
            block.title.append(row)
        elif role in ("title", "header"):
            block.header.append(row)
        elif role == "note":
            (block.note if block.body else block.title).append(row)
        elif block.note:
            block = _after_notes(blocks, block, row)
        else:
            block.body.append(row)
    blocks.append(block)
    return _settle(blocks)


def _after_notes(blocks: list[Block], block: Block, row: int) -> Block:
    """A body row below notes: without a header of its own it starts a block that may be joined later."""
    blocks.append(block)
    return Block(body=[row])


def _settle(blocks: list[Block]) -> list[Block]:
    """Blocks that have a body; rows of those without one go to the block before (as notes) or after (as titles)."""
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
