"""The running text of a PDF, as far as it speaks of tables.

Goes in: pages in order, each with what of it is not running text (tables, captions, notes, running heads). Comes out:
the sentences that mention a table. Lines are taken in the order of the content, which is that of reading in nearly
all documents; a sentence may go on in the next column, on the next page or behind the caption of a figure. Only
sentences with a mention are kept.
"""

from __future__ import annotations

import re
from collections.abc import Set

import numpy as np

from tabellion.model.printed import PrintedPage
from tabellion.values.table_labels import mentions_table, part_sentences, read_caption

_LONGEST = 6000  # letters of a sentence that has not ended: what is longer is no sentence
_KEEP = 1500  # letters that are kept of it
_SMALLER, _STEP = 0.97, 1.9  # of the size of the text, that captions are set in; type sizes from line to line of one


class RunningText:
    """Collects the sentences that mention tables, page by page."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self._open = ""

    def add(self, page: PrintedPage, aside: Set[int], heads: Set[tuple[str, int]]) -> None:
        """Take in a page; `aside` are pieces that are no running text, `heads` the running heads of the last page."""
        from tabellion.locate.printed.surroundings import piece_text  # only a PDF has running text

        top, bottom = 0.07 * page.height, 0.94 * page.height
        figures = _figure_captions(page)
        for k in range(len(page.pieces)):
            box = page.pieces.box[k]
            if k in aside or ((box[3] < top or box[1] > bottom) and _is_head(page, k, heads)):
                continue
            if k not in figures:
                self._append(piece_text(page, k))
        self._part()
        for caption in dict.fromkeys(figures.values()):
            ended, rest = part_sentences(" ".join(piece_text(page, k) for k in caption if k not in aside))
            for sentence in (*ended, rest):
                self._keep(sentence)

    def close(self) -> tuple[str, ...]:
        """All sentences, the last one too."""
        self._keep(self._open)
        self._open = ""
        return tuple(self.sentences)

    def _append(self, line: str) -> None:
        if len(self._open) > 1 and self._open[-1] in "-‐\u00ad" and self._open[-2].isalpha() and line[:1].islower():
            self._open = self._open[:-1] + line
        else:
            self._open = f"{self._open} {line}" if self._open else line
        if len(self._open) > _LONGEST:
            self._part()
            self._open = self._open[-_KEEP:] if len(self._open) > _LONGEST else self._open

    def _part(self) -> None:
        """Keep the sentences that have ended."""
        ended, self._open = part_sentences(self._open)
        for sentence in ended:
            self._keep(sentence)

    def _keep(self, sentence: str) -> None:
        if mentions_table(sentence):
            self.sentences.append(" ".join(sentence.split()))


def _figure_captions(page: PrintedPage) -> dict[int, tuple[int, ...]]:
    """The pieces of captions of figures that are set smaller than the text, each with all pieces of its caption.

    A caption stands where there was room: a sentence of the text goes on behind it.
    """
    from tabellion.locate.printed.piece_features import body_size  # only a PDF has running text

    pieces, found = page.pieces, dict[int, tuple[int, ...]]()
    usual = body_size(page)
    k = 0
    while k < len(pieces):
        caption = read_caption(str(pieces.text[k]))
        size = float(pieces.size[k])
        if caption is None or caption.kind != "figure" or size > _SMALLER * usual:
            k += 1
            continue
        lines = [k]
        while lines[-1] + 1 < len(pieces):
            last, following = lines[-1], lines[-1] + 1
            step = float(pieces.baseline[following] - pieces.baseline[last])
            if abs(float(pieces.size[following]) - size) > 0.06 * size or not -0.5 * size < step < _STEP * size:
                break
            lines.append(following)
        found.update(dict.fromkeys(lines, tuple(lines)))
        k = lines[-1] + 1
    return found


def _is_head(page: PrintedPage, k: int, heads: Set[tuple[str, int]]) -> bool:
    """Whether an outer piece is a running head: it stood on the page before, or is a page number."""
    text = str(page.pieces.text[k])
    return (re.sub(r"\d+", "#", text), round(float(page.pieces.box[k, 1]) / 4)) in heads or len(text) < 30


def pieces_inside(page: PrintedPage, left: float, top: float, right: float, bottom: float) -> set[int]:
    """The pieces whose middle lies in a box."""
    box = page.pieces.box
    x, y = (box[:, 0] + box[:, 2]) / 2, (box[:, 1] + box[:, 3]) / 2
    return set(np.flatnonzero((x > left) & (x < right) & (y > top) & (y < bottom)).tolist())
