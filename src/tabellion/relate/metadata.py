"""The metadata of a table in six categories (Liu, Mitra, Giles, Bai 2006).

In: a nested frame, its document, its notes. Out: `Metadata` and the table's title. Width is in characters of the
sheet's font; length and row heights are not known.

How a table is drawn: its outer lines, separators, alignment and column widths. In: a frame and its sheet. Out: the
`frame` and `layout` categories of metadata (Liu, Mitra, Giles, Bai 2006). Where a format has no styles nothing is
known, and nothing is said.

Which passages of the running text speak of a table. In: the table's index number and the sentences that mention tables.
Out: those that mention this one, alone or in a list or range ("Tables 1 and 3", "Tables 2-4", "Table 1a").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePath
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tabellion.model.document import Document, Sheet
from tabellion.model.frame import Frame, HeaderTree, Nested
from tabellion.model.grid import Content, Grid
from tabellion.model.place import Rect
from tabellion.model.table import Affiliated, ContentCount, Environment, FrameLines, Layout, Metadata, TableType
from tabellion.patterns import lazy_pattern
from tabellion.relate.titles import Notes, naming_lines, title_lines
from tabellion.values.table_labels import TABLE_WORDS, find_labels, read_label

_DRAWN = 0.75  # a side is drawn if this share of its cells has the line
_UNSTYLED = frozenset({"csv", "tsv", "xlsb"})
_CONTENTS = len(Content)
_EMPTY = int(Content.EMPTY)
_NATURAL = dict.fromkeys((int(Content.NUMBER), int(Content.DATE), int(Content.MISSING)), "right")


def describe_frame_lines(frame: Frame, document: Document) -> FrameLines:
    """The outer border: all, top-bottom, none, or the sides that are drawn."""
    if document.kind in _UNSTYLED:
        return FrameLines()
    rect = frame.rect
    sides = [
        side
        for side, drawn in (
            ("top", _line_between(frame.grid, rect.top - 1, rect)),
            ("right", _line_beside(frame.grid, rect.right, rect)),
            ("bottom", _line_between(frame.grid, rect.bottom, rect)),
            ("left", _line_beside(frame.grid, rect.left - 1, rect)),
        )
        if drawn
    ]
    if len(sides) == 4:
        return FrameLines("all")
    return FrameLines("top-bottom" if sides == ["top", "bottom"] else ", ".join(sides) or "none")


def describe_layout(nested: Nested, document: Document) -> Layout:
    """Sizes, separators, headers and alignment of the frame."""
    frame, grid = nested.frame, nested.frame.grid
    rect = grid.source_rect(frame.rect)
    widths = _column_widths(_sheet_of(document, grid), rect)
    heights: tuple[float, ...] | None = None
    if grid.boxes is not None:
        widths, heights = _printed_sizes(grid.boxes[:, :, 0::2], 1), _printed_sizes(grid.boxes[:, :, 1::2], 0)
    box = grid.place.box
    return Layout(
        width=round(box.right - box.left, 2) if box else round(sum(widths), 2) if widths else None,
        length=round(box.bottom - box.top, 2) if box else None,
        rows=rect.height,
        columns=rect.width,
        stub_separator=_stub_separator(frame, document),
        boxhead_separator=_boxhead_separator(frame, document),
        column_widths=widths,
        row_heights=heights,
        column_headers=_nearest_texts(nested.top, [nested.column_nodes.get(c, ()) for c in frame.value_columns]),
        row_headers=_nearest_texts(nested.left, [nested.row_nodes.get(r, ()) for r in frame.body_rows]),
        alignment=_alignment(frame),
    )


def _printed_sizes(edges: NDArray[np.float32], axis: int) -> tuple[float, ...]:
    """How wide (axis 1) the columns or how high (axis 0) the rows of a printed table are, as far as text fills them."""
    lines = np.moveaxis(edges, axis, 0)
    known = ~np.isnan(lines[..., 0])
    return tuple(
        round(float(line[mask, 1].max() - line[mask, 0].min()), 2) if mask.any() else 0.0
        for line, mask in zip(lines, known, strict=True)
    )


def _nearest_texts(tree: HeaderTree, nearest: Sequence[tuple[int, ...]]) -> tuple[str, ...]:
    return tuple(" ".join(tree.nodes[node].text for node in nodes) for nodes in nearest if nodes)


def _alignment(frame: Frame) -> tuple[str, ...]:
    """How the values or stub labels of each column are aligned, mostly."""
    grid, rect = frame.grid, frame.rect
    styled = [style.align for style in grid.styles]
    body, columns = list(frame.body_rows), slice(rect.left, rect.right + 1)
    looks = grid.style[body, columns].astype(np.int64) * _CONTENTS + grid.content[body, columns]
    found = []
    for column in looks.T.tolist() if len(looks) else [[]] * rect.width:
        votes: Counter[str] = Counter()
        for look, count in sorted(Counter(column).items()):
            style, content = divmod(look, _CONTENTS)
            if content != _EMPTY:
                votes[styled[style] or _NATURAL.get(content, "left")] += count
        found.append(votes.most_common(1)[0][0] if votes else "left")
    return tuple(found)


def _stub_separator(frame: Frame, document: Document) -> str | None:
    if document.kind in _UNSTYLED or not frame.stub_columns or not frame.value_columns:
        return None
    edges = [c for c in frame.stub_columns if c + 1 in frame.value_columns]
    return "line" if edges and _line_beside(frame.grid, edges[0], frame.rect) else "none"


def _boxhead_separator(frame: Frame, document: Document) -> str | None:
    if document.kind in _UNSTYLED or not frame.header_rows or not frame.body_rows:
        return None
    last = max((row for row in frame.header_rows if row < frame.body_rows[0]), default=None)
    return None if last is None else "line" if _line_between(frame.grid, last, frame.rect) else "none"


def _line_between(grid: Grid, row: int, rect: Rect) -> bool:
    """Whether a line runs below the row, drawn by its cells or by those of the next row."""
    return _mostly(_edge(grid, "border_bottom", row, None, rect) | _edge(grid, "border_top", row + 1, None, rect))


def _line_beside(grid: Grid, column: int, rect: Rect) -> bool:
    """Whether a line runs at the right of the column."""
    return _mostly(_edge(grid, "border_right", None, column, rect) | _edge(grid, "border_left", None, column + 1, rect))


def _edge(grid: Grid, border: str, row: int | None, column: int | None, rect: Rect) -> NDArray[np.bool_]:
    """One border of the cells of a row or column within the rectangle; none outside the grid."""
    drawn = grid.by_style(border)
    if row is not None:
        inside = 0 <= row < grid.shape[0]
        return drawn[grid.style[row, rect.left : rect.right + 1]] if inside else np.zeros(rect.width, dtype=bool)
    assert column is not None  # noqa: S101
    inside = 0 <= column < grid.shape[1]
    return drawn[grid.style[rect.top : rect.bottom + 1, column]] if inside else np.zeros(rect.height, dtype=bool)


def _mostly(drawn: NDArray[np.bool_]) -> bool:
    return len(drawn) > 0 and int(np.count_nonzero(drawn)) / len(drawn) >= _DRAWN


def _sheet_of(document: Document, grid: Grid) -> Sheet | None:
    if document.medium != "spreadsheet":
        return None
    sheets = (page for page in document.pages if isinstance(page, Sheet))
    return next((sheet for sheet in sheets if sheet.name == grid.place.sheet), None)


def _column_widths(sheet: Sheet | None, rect: Rect) -> tuple[float, ...] | None:
    """The widths that the sheet states, in characters; None unless every column has one."""
    widths = sheet.column_widths if sheet else {}
    found = [widths.get(column) for column in range(rect.left, rect.right + 1)]
    return tuple(width for width in found if width is not None) if None not in found else None


def find_mentions(index_number: str | None, sentences: Iterable[str]) -> tuple[str, ...]:
    """The sentences that mention a table, each once.

    >>> find_mentions("Table 2", ["See Tables 1–3.", "Table 12 shows it.", "As in Table 2a, so here."])
    ('See Tables 1–3.', 'As in Table 2a, so here.')
    """
    own = read_label(index_number or "")
    if own is None:
        return ()
    return tuple(dict.fromkeys(s for s in sentences if any(label.names(own) for label in find_labels(s))))


Kind = Literal["numerical", "text", "symbol", "image", "combination"]

_INDEX = lazy_pattern(
    rf"(?P<name>(?i:{TABLE_WORDS})"
    r"(?:\s*(?:[Nn][o°º]\.?\s*)?[A-Z]{0,2}[-.]?\d+(?:[.\-–]\d+)*[A-Za-z]?|\s+(?:[IVXLC]+|[A-Z])(?=[.:\s])))"
    r"(?:\s*[.:–—-]+\s*|\s+|$)"
)
_MOSTLY = 0.8  # a kind names a table if this share of its values is of it


def describe_table(nested: Nested, document: Document, notes: Notes, sentences: Sequence[str] = ()) -> Metadata:
    """All six categories; `sentences` are those of the running text that mention tables."""
    frame = nested.frame
    titles = title_lines(frame)
    caption = " ".join(titles) or None
    index = next(filter(None, map(_INDEX.match, naming_lines(frame))), None)
    above = bool(frame.title_rows) and frame.title_rows[0] < frame.rect.top
    position = frame.grid.caption_position if frame.grid.caption else "above" if above else "below"
    rect = frame.rect
    inside = frame.grid.filled[rect.top : rect.bottom + 1, rect.left : rect.right + 1]
    return Metadata(
        environment=Environment(
            document_type=document.kind,
            document_address=document.source,
            document_name=_file_name(document.source),
            document_authors=document.authors,
            page_number=frame.grid.place.page,
            page_columns=frame.grid.page_columns,
            start=_start(frame),
        ),
        frame=describe_frame_lines(frame, document),
        affiliated=Affiliated(
            index_number=index["name"] if index else None,
            caption=caption,
            caption_position=position if caption else "none",
            footnotes=notes.texts,
            references=find_mentions(index["name"] if index else None, sentences),
        ),
        layout=describe_layout(nested, document),
        content=ContentCount(cells=int(inside.size), filled=int(np.count_nonzero(inside))),
        type=TableType(_kind(frame)),
    )


@lru_cache(maxsize=16)
def _file_name(source: str) -> str | None:
    return PurePath(source).name or None


def _start(frame: Frame) -> str:
    """Where a table begins: the address of its first cell, or the place of its upper left corner on its page."""
    box = frame.grid.place.box
    if frame.grid.medium == "pdf" and box is not None:
        return f"{box.left:.0f}, {box.top:.0f}"
    return frame.grid.address(frame.rect.top, frame.rect.left)


def name_table(frame: Frame) -> str | None:
    """The title without its number: what follows "Table 204.", in its line or the next, else the first line."""
    lines = [line for line in naming_lines(frame) if any(map(str.isalnum, line))]  # no rows of dashes
    for line, following in pairwise([*lines, ""]):
        index = _INDEX.match(line)
        said = (line[index.end() :].strip() or following) if index else ""
        if said:
            return said
    return next((line for line in lines if not _INDEX.fullmatch(line)), None)


def _kind(frame: Frame) -> Kind | None:
    """What the values mostly are; None where there are none."""
    grid = frame.grid
    if not frame.body_rows or not frame.value_columns:
        return None
    content = grid.content[np.asarray(frame.body_rows)[:, None], np.asarray(frame.value_columns)]
    times = np.bincount(content.ravel(), minlength=len(Content)).tolist()
    total = sum(times) - times[Content.EMPTY]
    if not total:
        return None
    if times[Content.MISSING] >= _MOSTLY * total:
        return "symbol"
    shares: dict[Kind, int] = {
        "numerical": times[Content.NUMBER] + times[Content.DATE] + times[Content.MISSING],
        "text": times[Content.TEXT] + times[Content.LINK],
        "image": times[Content.IMAGE],
    }
    return next((kind for kind, held in shares.items() if held >= _MOSTLY * total), "combination")
