"""A nested frame to a `Table`: tuples, units, metadata. Start with `relate_table`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from tabellion.model.document import Document, Issue
from tabellion.model.frame import Nested
from tabellion.model.place import Place, range_text
from tabellion.model.table import Table
from tabellion.relate.metadata import describe_table, name_table
from tabellion.relate.roles import CELL_ROLES, conserve_cells, label_cells, label_leftovers
from tabellion.relate.titles import name_left_levels, name_top_levels, read_notes, say_texts
from tabellion.relate.tuples import build_tuples

__all__ = [
    "CELL_ROLES",
    "conserve_cells",
    "label_cells",
    "label_leftovers",
    "name_left_levels",
    "name_top_levels",
    "relate_table",
]


def relate_table(
    nested: Nested,
    document: Document,
    id: str,  # noqa: A002
    continues: str | None = None,
    sentences: Sequence[str] = (),
) -> Table:
    """The table of a frame: every value with its header paths, unit and notes, and the table's metadata.

    `continues` is the id of the table that it goes on with, `sentences` those of the running text that mention tables.
    """
    frame = nested.frame
    notes = read_notes(frame, document)
    place = frame.grid.place
    if frame.grid.medium == "spreadsheet":
        place = msgspec.structs.replace(place, range=range_text(frame.grid.source_rect(frame.rect)))
    tuples = build_tuples(nested, notes.by_mark)
    return say_texts(
        Table(
            id=id,
            place=place,
            nested=nested,
            tuples=tuples,
            describe=partial(describe_table, nested, document, notes, sentences),
            title=name_table(frame),
            continues=continues,
            issues=_doubts(nested, len(tuples), place),
        )
    )


def _doubts(nested: Nested, values: int, place: Place) -> tuple[Issue, ...]:
    """What a reader of the table should know before trusting it."""
    frame, notes = nested.frame, []
    if not values:
        notes.append("the table has no values")
    bare = [column for column in frame.value_columns if not nested.column_nodes.get(column)]
    if bare and nested.top.nodes:
        names = ", ".join(sorted({frame.grid.address(0, column).rstrip("0123456789") for column in bare}))
        notes.append(f"no header found for column{'s' if len(bare) > 1 else ''} {names}")
    if frame.header_rows and not nested.left.nodes and len(frame.body_rows) > 1:
        notes.append("nothing names the rows: no column tells them apart, so `left` is empty")
    return tuple(Issue("relate", note, place) for note in notes)
