"""No word of a printed table is lost or said twice on its way into cells."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from printing import PdfPage, write_pdf
from tabellion.locate import locate_printed
from tabellion.model.document import LIKELY, PrintedRegion
from tabellion.model.place import Box, Place
from tabellion.model.printed import PrintedPage
from tabellion.pipeline import Settings, read_source
from tabellion.recognise.printed.cells import build_cells
from tabellion.recognise.printed.columns import find_columns
from tabellion.recognise.printed.grid import PrintedTable, cell_text
from tabellion.recognise.printed.phrases import find_phrases
from tabellion.recognise.printed.rivers import LineRuns
from tabellion.recognise.printed.rows import Block
from tabellion.recognise.printed.text import lay_strip
from tabellion.weights import Weights

SAMPLE = {"icdar2013": 5, "jats": 2, "articles": 4}  # so many documents of each corpus, evenly over it
ALL = bool(os.environ.get("TABELLION_ALL_PDFS"))  # `make words`: all of them


@pytest.mark.parametrize("corpus", list(SAMPLE))
def test_every_word_of_a_region_is_in_one_cell(corpus: str, corpora: Callable[[str], Path]):
    files = sorted((corpora(corpus) / "pdf").glob("*.pdf"))
    weights = Weights(None)
    for path in files[:: 1 if ALL else len(files) // SAMPLE[corpus]]:
        pages = (page for page in read_source(path, Settings(), weights).pages if isinstance(page, PrintedPage))
        for region in locate_printed(pages, weights):
            if region.genuine >= LIKELY:
                assert kept_words(PrintedTable(region, weights)), f"{path.name}: {region.place}"


def kept_words(table: PrintedTable) -> bool:
    """Whether each word stands in one cell, and each place of the grid belongs to one cell."""
    words = Counter(word for cell in table.cells.cells for word in cell.words)
    taken = np.zeros((table.cells.rows, table.cells.columns), dtype=np.int64)
    for cell in table.cells.cells:
        taken[cell.row : cell.row + cell.row_span, cell.column : cell.column + cell.column_span] += 1
    said = sum(len(cell_text(table.strip, cell).replace(" ", "")) for cell in table.cells.cells)
    drawn = sum(len(text.replace(" ", "")) for text in table.strip.text)
    return words == Counter(range(len(table.strip.text))) and taken.max(initial=0) <= 1 and said == drawn


def test_a_block_without_room_joins_the_cell_that_is_there():
    page = PdfPage()
    for row, texts in enumerate([("Alto", "14"), ("Tenor", "3")]):
        page.text(72, 100 + 15 * row, texts[0], 9)
        page.text(200, 100 + 15 * row, texts[1], 9)
    (shown,) = [
        p for p in read_source(write_pdf([page]), Settings(), Weights(None)).pages if isinstance(p, PrintedPage)
    ]
    box = Box(70, 80, 230, 130)
    region, weights = PrintedRegion(shown, Place(page=1, box=box), box), Weights(None)
    strip = lay_strip([(region.page, region.box)])
    columns = find_columns(strip, [LineRuns(strip, line) for line in strip.lines], weights)
    phrases = find_phrases(strip, columns, weights)
    block = Block(column=0, lines=(strip.lines[0][:1],), top=90.0, bottom=102.0)
    cells = build_cells(strip, columns, phrases, np.array([0, 1], dtype=np.int32), [block])
    first = [cell for cell in cells.cells if (cell.row, cell.column) == (0, 0)]
    assert [len(cell.words) for cell in first] == [2]
