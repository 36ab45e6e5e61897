r"""Footnotes and the marks that point to them.

In: the note rows of a frame, or a sheet of notes in its document. Out: each note as one text, and mark -> what its note
says. A note begins with its mark ("\1 Includes", "1/ ", "(a)", "* "), which may stand in a cell of its own; a line
without a mark goes on with the one before unless it begins anew ("Source:"). Fails where notes are numbered by the
order of their lines alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec
import numpy as np

from tabellion.model.document import Document, Sheet
from tabellion.model.frame import Frame
from tabellion.patterns import lazy_pattern
from tabellion.values.vocabulary import lexicon

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
