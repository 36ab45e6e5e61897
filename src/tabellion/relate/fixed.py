"""Titles, captions, units and notes of a table as people said them.

In: a table, whose frame carries what is given. Out: the same with those words. A note of single cells is part of the
grid already; here are those of the table as a whole.
"""

from __future__ import annotations

import msgspec
import numpy as np

from tabellion.model.fixes import FixedText
from tabellion.model.metadata import Affiliated
from tabellion.model.place import Rect, common_share
from tabellion.model.table import Table, Tuples

WHOLE = 0.5  # the share of a table from which on an area means the table


def say_texts(table: Table) -> Table:
    """The table with all texts that are given of it."""
    for said in table.frame.fixes.texts:
        whole = covers_table(said.area, table)
        if said.what == "unit" and common_share(said.area, table.frame.rect) > 0:
            table = msgspec.structs.replace(table, tuples=_with_unit(table.tuples, said))
        elif whole and said.what == "title":
            table = msgspec.structs.replace(table, title=said.text)
        elif whole and said.what in ("caption", "note"):
            affiliated = _affiliated(table.metadata.affiliated, said)
            metadata = msgspec.structs.replace(table.metadata, affiliated=affiliated)
            table = table.with_metadata(metadata)
    return table


def _affiliated(known: Affiliated, said: FixedText) -> Affiliated:
    if said.what == "note":
        return msgspec.structs.replace(known, footnotes=tuple(said.text.split("\n")) if said.text else ())
    above = known.caption_position in (None, "none") and said.text
    return msgspec.structs.replace(
        known, caption=said.text, caption_position="above" if above else known.caption_position
    )


def covers_table(area: Rect, table: Table) -> bool:
    """Whether an area means a whole table."""
    return common_share(area, table.frame.rect) >= WHOLE


def _with_unit(tuples: Tuples, said: FixedText) -> Tuples:
    area = said.area
    rows = (tuples.rows >= area.top) & (tuples.rows <= area.bottom)
    inside = rows & (tuples.columns >= area.left) & (tuples.columns <= area.right)
    units = (*tuples.units, said.text)
    return Tuples(
        grid=tuples.grid,
        rows=tuples.rows,
        columns=tuples.columns,
        row_paths=tuples.row_paths,
        column_paths=tuples.column_paths,
        unit_ids=np.where(inside, np.int16(len(units) - 1), tuples.unit_ids).astype(np.int16),
        units=units,
        confidence=tuples.confidence,
        note_texts=tuples.note_texts,
    )
