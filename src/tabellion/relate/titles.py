r"""The words around a table: its titles, its notes, the names of its levels, and what people said of it.

Which texts above (or below) a table are its titles, where tables stand side by side. In: a frame. Out: its title lines.
A table that has its rows to itself takes all texts of its title rows. Beside another table it takes the texts over its
own columns; a text alone in its row over the other's columns speaks of both only if that other has a title of its own,
or if this one has none. Fails where a title begins over the table before its own.

Titles, captions, units and notes of a table as people said them. In: a table, whose frame carries what is given. Out:
the same with those words. A note of single cells is part of the grid already; here are those of the table as a whole.

The names of the levels, where the table gives them. In: a nested frame. Out: for each level of the paths at the left,
outermost first, the head over the stub column that it stands in ("Bank Name"), and for each level on top what names it
in the corner ("Year:"). A stub column with several levels names the nearest of them; None where nothing names a level.
Fails where one head names several levels at once.

Footnotes and the marks that point to them. In: the note rows of a frame, or a sheet of notes in its document. Out: each
note as one text, and mark -> what its note says. A note begins with its mark ("\1 Includes", "1/ ", "(a)", "* "), which
may stand in a cell of its own; a line without a mark goes on with the one before unless it begins anew ("Source:").
Fails where notes are numbered by the order of their lines alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice, pairwise
from typing import NamedTuple

import msgspec
import numpy as np

from tabellion.model.correction import FixedText
from tabellion.model.document import Document, Sheet
from tabellion.model.frame import Frame, Nested
from tabellion.model.place import Rect, common_share
from tabellion.model.table import Affiliated, Table, Tuples
from tabellion.patterns import lazy_pattern
from tabellion.values.vocabulary import lexicon

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


_NEIGHBOUR = 2  # columns, and rows in each, that make a table of what stands beside


class TitleLine(NamedTuple):
    """The columns of the texts of a title row that speak of a table; whether the row has titles of others too."""

    row: int
    columns: list[int]
    shared: bool = False


def title_cells(frame: Frame) -> list[TitleLine]:
    """The title rows with the columns whose texts speak of the table."""
    if not frame.title_rows:
        return []
    rows = {row: np.flatnonzero(frame.grid.filled[row]).tolist() for row in frame.title_rows}
    before, after = has_neighbours(frame)
    if not (before or after):
        return [TitleLine(row, columns) for row, columns in rows.items()]
    own = {row: [c for c in columns if _stands_over(frame, row, c, before, after)] for row, columns in rows.items()}
    shared = {row for row, columns in rows.items() if own[row] and len(own[row]) < len(columns)}
    if not any(own.values()):
        return [TitleLine(row, columns) for row, columns in rows.items()]
    return [TitleLine(row, own[row] or columns, row in shared) for row, columns in rows.items() if own[row] or shared]


def title_lines(frame: Frame) -> list[str]:
    """The texts of the titles, a line each, what the source calls the table first."""
    return [line for line in (" ".join((frame.grid.caption or "").split()), *_texts(frame, title_cells(frame))) if line]


def naming_lines(frame: Frame) -> list[str]:
    """The title lines, those first that tell the table from its neighbours."""
    cells = title_cells(frame)
    telling = _texts(frame, [line for line in cells if line.shared])
    return [*telling, *title_lines(frame)]


def has_neighbours(frame: Frame) -> tuple[bool, bool]:
    """Whether a table stands beside the frame in its rows: at the left, at the right."""
    rect = frame.rect
    counts = frame.grid.filled[rect.top : rect.bottom + 1].sum(axis=0)
    busy = counts >= _NEIGHBOUR
    return int(busy[: rect.left].sum()) >= _NEIGHBOUR, int(busy[rect.right + 1 :].sum()) >= _NEIGHBOUR


def _stands_over(frame: Frame, row: int, column: int, before: bool, after: bool) -> bool:
    """Whether a text stands over the frame's columns, or where no other table is."""
    last = column + frame.grid.span_at.get((row, column), (1, 1))[1] - 1
    return (last >= frame.rect.left or not before) and (column <= frame.rect.right or not after)


def _texts(frame: Frame, lines: list[TitleLine]) -> list[str]:
    grid = frame.grid
    texts = (" ".join(str(grid.label[line.row, column]) for column in line.columns) for line in lines)
    return [text for text in (" ".join(text.split()) for text in texts) if text]


_LOOKED_AT = 1_000  # rows: longer tables do not nest deeper further down


def name_left_levels(nested: Nested) -> tuple[str | None, ...]:
    """One name or None for each level of the paths at the left."""
    frame, longest = nested.frame, list[int]()
    for held in islice(nested.row_nodes.values(), _LOOKED_AT):
        nodes = {node.id: node for one in held for node in nested.left.path(one)}.values()
        columns = [node.cells[0][1] for node in nodes if node.cells]
        longest = max(longest, columns, key=len)
    last = [column != after for column, after in pairwise([*longest, -1])]  # the nearest level of its column
    return tuple(
        _head(nested, column) if nearest and column in frame.stub_columns else None
        for column, nearest in zip(longest, last, strict=True)
    )


def name_top_levels(nested: Nested) -> tuple[str | None, ...]:
    """One name or None for each level of the paths on top: a corner that ends with a colon names its row."""
    frame, depth = nested.frame, nested.top.depth()
    if len(frame.header_rows) != depth or not frame.stub_columns:
        return (None,) * depth
    corners = [str(frame.grid.label[row, frame.stub_columns[-1]]) for row in frame.header_rows]
    return tuple(corner.rstrip(": ") if corner.endswith(":") else None for corner in corners)


def _head(nested: Nested, column: int) -> str | None:
    """What stands over a column in the head, each text once, without rows of the head that are labels."""
    grid, labels = nested.frame.grid, {cell for node in nested.left.nodes for cell in node.cells}
    rows = [row for row in nested.frame.header_rows if (row, column) not in labels]
    homes = dict.fromkeys(divmod(int(grid.home[row, column]), grid.shape[1]) for row in rows)
    said = [str(grid.label[home]) for home in homes if home[1] == column and home[0] in rows]
    return " ".join(text.rstrip(": ") for text in said if text) or None


_SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵖʳ"
_PLAIN = str.maketrans(_SUPERSCRIPT, "0123456789abcdefpr")
_MARK = lazy_pattern(
    r"""
    (?:\\(?P<back>\w{1,2})\\?\s*
    | /(?P<slash>\d{1,2})\s+
    | [(\[](?P<bracket>\d{1,2}|[A-Za-z])[)\]]\s*[:.=-]?\s*
    | (?P<closed>\d{1,2}|[a-z])(?:/|\)|\.(?=\s)|:(?=\s))\s*
    | (?P<raised>["""
    + _SUPERSCRIPT
    + r"""]+)\s*
    | (?P<sign>[*∗]{1,4}|[†‡]{1,2}|[§¶\#])\s*[:.=-]?\s*
    | (?P<named>[A-Za-z]{1,2})\s*[:=]\s+
    | (?P<bare>\d{1,2}|[rpeb])\s*[:=–—-]?\s+
    )(?=\S)(?P<text>.*)
    """,
    re.VERBOSE | re.DOTALL,
)
_INNER = lazy_pattern(r"(?<=[.;,])\s+(?=\\\w{1,2}\b|[A-Za-z]\s?[:=]\s)")
_SENTENCE_START = lazy_pattern(r"[^\W\d_]")


class Notes(msgspec.Struct, frozen=True):
    """The notes of a frame: their texts in order, and mark -> text without the mark."""

    texts: tuple[str, ...] = ()
    by_mark: dict[str, str] = {}


def read_notes(frame: Frame, document: Document) -> Notes:
    """All notes that belong to a frame; where it has none, those of a sheet of notes beside it."""
    grid = frame.grid
    lines = [" ".join(map(str, grid.text[row][np.nonzero(grid.filled[row])[0]])) for row in frame.note_rows]
    own = part_notes([*lines, *grid.footnotes])
    if own.by_mark or document.medium != "spreadsheet":
        return own
    beside = (sheet for sheet in document.pages if isinstance(sheet, Sheet) and sheet.name != grid.place.sheet)
    noted = [part_notes(_lines_of(sheet)) for sheet in beside if lexicon("note").opens(sheet.name or "")]
    return Notes(own.texts, noted[0].by_mark) if noted else own


def part_notes(lines: Iterable[str]) -> Notes:
    """Lines of notes, parted and joined where a note begins and ends."""
    texts: list[str] = []
    marks: dict[int, tuple[str, str]] = {}
    for line in lines:
        for part in filter(None, _INNER.split(" ".join(line.split()))):
            match = _MARK.fullmatch(part)
            if match and _is_note(match):
                texts.append(part)
                marks[len(texts) - 1] = (_mark_of(match), match["text"].strip())
            elif texts and (len(texts) - 1) in marks and _goes_on(part, texts[-1]):
                mark, text = marks[len(texts) - 1]
                texts[-1] = f"{texts[-1]} {part}"
                marks[len(texts) - 1] = (mark, f"{text} {part}")
            elif part:
                texts.append(part)
    by_mark: dict[str, str] = {}
    for mark, text in marks.values():
        by_mark.setdefault(mark, text)
    return Notes(tuple(texts), by_mark)


def _lines_of(sheet: Sheet) -> list[str]:
    """The texts of a sheet, a line each."""
    lines: dict[int, list[str]] = {}
    for row, text in zip(sheet.cells.row.tolist(), sheet.cells.text.tolist(), strict=True):
        if text:
            lines.setdefault(row, []).append(text)
    return [" ".join(texts) for _, texts in sorted(lines.items())]


def _is_note(match: re.Match[str]) -> bool:
    """A bare number or letter needs a sentence after it: "5 years and over" is none."""
    return not match["bare"] or (len(match["text"]) > 8 and bool(_SENTENCE_START.match(match["text"])))


def _mark_of(match: re.Match[str]) -> str:
    return next(group for name, group in match.groupdict().items() if group and name != "text").translate(_PLAIN)


def _goes_on(part: str, before: str) -> bool:
    """Whether a line goes on with the note before it."""
    return not lexicon("source", "note").opens(part) and (part[0].islower() or before[-1] not in ".:;!?)")
