"""The metadata of a table in six categories (Liu, Mitra, Giles, Bai 2006), as far as a spreadsheet says it.

In: a nested frame, its document, its notes. Out: `Metadata` and the table's title. Width is in characters of the
sheet's font; length and row heights are not known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import PurePath
from typing import Literal

import numpy as np

from tabellion.model.document import Document
from tabellion.model.frame import Frame
from tabellion.model.grid import Content
from tabellion.model.metadata import Affiliated, ContentCount, Environment, Metadata, TableType
from tabellion.model.tree import Nested
from tabellion.relate.layout import describe_frame_lines, describe_layout
from tabellion.relate.mentions import find_mentions
from tabellion.relate.notes import Notes
from tabellion.relate.titles import naming_lines, title_lines
from tabellion.values.table_labels import TABLE_WORDS

Kind = Literal["numerical", "text", "symbol", "image", "combination"]

_INDEX = re.compile(
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
    lines = naming_lines(frame)
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
