"""Printed tables that are read from the right: letters, words, columns and spans."""

from __future__ import annotations

import numpy as np

from building import build_grid
from printing import join_objects
from tabellion.pipeline import extract_document
from tabellion.recognise.printed.grid import in_reading_order

LETTERS = "".join(map(chr, range(0x5D0, 0x5EB)))
ROWS = [  # as they are read
    ["שם העיר", "גברים", "נשים", "סך הכול"],
    ["תל אביב", "210", "222", "432"],
    ["באר שבע", "101", "108", "209"],
    ["כפר סבא", "119", "125", "244"],
    ["רמת גן", "120", "131", "251"],
]
RIGHT = [500, 380, 300, 220]  # the right edge of each column


def shown(text: str) -> str:
    """A text as it stands on the page from left to right, in a font whose A, B, C are the letters of the script."""
    return "".join(chr(65 + LETTERS.index(c)) if c in LETTERS else c for c in reversed(text))


def table_from_the_right() -> bytes:
    """A ruled table, drawn letter by letter from the left, as most writers of PDF do."""
    content = []
    for row, cells in enumerate(ROWS):
        for right, text in zip(RIGHT, cells, strict=True):
            font, drawn = ("F1", shown(text)) if text[0] in LETTERS else ("F0", text)
            content.append(f"BT /{font} 10 Tf {right - 5.6 * len(text)} {700 - 20 * row} Td ({drawn}) Tj ET")
    content += [f"0.6 w 160 {715 - 20 * y} m 510 {715 - 20 * y} l S" for y in range(6)]
    content += [f"{x} 715 m {x} 615 l S" for x in (160, 230, 310, 390, 510)]
    pairs = " ".join(f"<{65 + n:02X}> <{ord(c):04X}>" for n, c in enumerate(LETTERS))
    names = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <FF> "
        f"endcodespacerange {len(LETTERS)} beginbfchar {pairs} endbfchar endcmap end end"
    )
    streams = [f"<< /Length {len(text)} >>\nstream\n{text}\nendstream" for text in ("\n".join(content), names)]
    return join_objects(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
            "/Resources << /Font << /F0 6 0 R /F1 7 0 R >> >> >>",
            *streams,
            "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /ToUnicode 5 0 R >>",
        ]
    )


def test_a_table_of_a_script_that_runs_to_the_left_has_its_stub_at_the_right():
    (table,) = extract_document(table_from_the_right()).tables
    assert table.grid.text.tolist() == ROWS
    found = {(one.left[-1], one.top[-1]): one.text for one in table.tuples}
    assert found["באר שבע", "נשים"] == "108"
    assert table.grid.boxes is not None
    assert table.grid.boxes[1, 0, 0] > table.grid.boxes[1, 3, 2]  # the stub is printed at the right


def test_spans_and_notes_of_a_mirrored_grid_go_with_their_cells():
    grid = build_grid([[None, "גברים", None], ["2", "1", "שם"]], merges=["B1:C1"])
    turned = in_reading_order(grid)
    assert turned.text.tolist() == [["גברים", "", ""], ["שם", "1", "2"]]
    assert turned.spans.tolist() == [[0, 0, 1, 2]]
    assert np.array_equal(in_reading_order(turned).text, grid.text)


def test_other_tables_stay_as_they_are():
    grid = build_grid([["Town", "Men"], ["Haifa חיפה", "1"]])
    assert in_reading_order(grid) is grid
