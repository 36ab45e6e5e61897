"""The running text of a PDF, as far as it speaks of tables.

Goes in: pages in order, each with what of it is not running text (tables, captions, notes, running heads). Comes out:
the sentences that mention a table. Lines are taken in the order of the content, which is that of reading in nearly
all documents; a sentence may go on in the next column or on the next page. Only sentences with a mention are kept.
"""

from __future__ import annotations

import re
from collections.abc import Set

import numpy as np

from tabellion.model.printed import PrintedPage
from tabellion.values.table_labels import mentions_table, part_sentences

_LONGEST = 6000  # letters of a sentence that has not ended: what is longer is no sentence
_KEEP = 1500  # letters that are kept of it


class RunningText:
    """Collects the sentences that mention tables, page by page."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self._open = ""

    def add(self, page: PrintedPage, aside: Set[int], heads: Set[tuple[str, int]]) -> None:
        """Take in a page; `aside` are pieces that are no running text, `heads` the running heads of the last page."""
        from tabellion.locate.printed.surroundings import piece_text  # only a PDF has running text

        top, bottom = 0.07 * page.height, 0.94 * page.height
        for k in range(len(page.pieces)):
            box = page.pieces.box[k]
            if k in aside or ((box[3] < top or box[1] > bottom) and _is_head(page, k, heads)):
                continue
            self._append(piece_text(page, k))
        self._part()

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


def _is_head(page: PrintedPage, k: int, heads: Set[tuple[str, int]]) -> bool:
    """Whether an outer piece is a running head: it stood on the page before, or is a page number."""
    text = str(page.pieces.text[k])
    return (re.sub(r"\d+", "#", text), round(float(page.pieces.box[k, 1]) / 4)) in heads or len(text) < 30


def pieces_inside(page: PrintedPage, left: float, top: float, right: float, bottom: float) -> set[int]:
    """The pieces whose middle lies in a box."""
    box = page.pieces.box
    x, y = (box[:, 0] + box[:, 2]) / 2, (box[:, 1] + box[:, 3]) / 2
    return set(np.flatnonzero((x > left) & (x < right) & (y > top) & (y < bottom)).tolist())
