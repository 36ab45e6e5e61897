"""Draws ten made PDF pages with the tables that are read on them, and writes docs/pdf-pages.md. Run by `make figures`.

What is right and what is wrong is found by comparing each reading with the source of the page.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "examples"))

from pdf_writer import PdfPage, write_pdf  # noqa: E402

from tabellion.cli.drawing.pages import write_svg  # noqa: E402
from tabellion.pipeline import Extraction, extract_document  # noqa: E402

IMAGES = ROOT / "docs" / "images"
PAGE = ROOT / "docs" / "pdf-pages.md"
MOST_FAULTS = 3  # that are named
HEAD = """# Ten PDF pages and their readings

Each page was made for one difficulty of printed tables. Each is drawn as it was read: a red frame around each table,
each cell in the colour of its role. Below are the results of comparing the reading with the source of the page. `make
figures` makes this page. [PDF files](pdf.md) has the options, [measuring](measuring.md) the figures on real
documents.
"""
FOOT = """
## Frequent errors on real pages

These pages are simple. On articles of unseen journals the most frequent errors are: a header of two rows without a
rule between them is read as one wrapped row, or the other way round ("Group 1" over "n (%)"); values that continue in
brackets on a second line become two rows; a row header in the middle of its rows is assigned to the wrong ones; rows
of wrapped text without gaps and rules are merged; a table of words without caption and rules is taken for text.
"""
PROSE = (
    "The choir met on every second evening of",
    "the year, in the hall by the mill, and sang",
    "until the lamps were put out. Who came was",
    "written down by the clerk, voice by voice,",
    "and read out at the end of each season.",
    "The hall was cold, and the songs were long,",
)
VALLEYS = ("Upper meadow", "Mill brook", "Long acre", "Fox hill", "Stone pit")


class Made(NamedTuple):
    """A page with the table on it: what it shows, its cells row by row, how many rows are its head, its caption."""

    shows: str
    pages: list[PdfPage]
    rows: list[list[str]]
    head: int
    caption: str = ""


def prose(page: PdfPage, x: float, top: float, lines: int, size: float = 8) -> None:
    for n in range(lines):
        page.text(x, top + 11 * n, PROSE[n % len(PROSE)], size)


def set_rows(
    page: PdfPage, rows: Iterable[list[str]], top: float, places: list[float], step: float = 14, bold: int = 1
) -> float:
    """Rows of texts, the first column flush left, the others flush right; gives the place below the last."""
    y = top
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            look = "bold" if number < bold else "plain"
            page.text(places[column], y, text, 8, look, "left" if column == 0 else "right")
        y += step
    return y


def numbers(count: int, columns: int) -> list[list[str]]:
    """Rows of valleys with numbers that are never the same."""
    return [[VALLEYS[n], *(f"{(17 * n + 29 * c + 7) % 90 + 3}" for c in range(columns))] for n in range(count)]


def three_rules() -> Made:
    page = PdfPage(420, 300)
    rows = [["Valley", "Sheep", "Goats", "Cows"], *numbers(5, 3)]
    page.text(40, 40, "Table 1. Animals of the valleys, counted in spring.", 8, "bold")
    page.rule(40, 48, 380, 48)
    page.rule(40, 63, 380, 63)
    below = set_rows(page, rows, 58, [42, 200, 290, 375])
    page.rule(40, below - 9, 380, below - 9)
    page.text(40, below + 2, "* Counted twice; Source: the clerk's book.", 6.5)
    prose(page, 40, below + 30, 8)
    return Made(
        "Three rules, a caption above, notes below, text around", [page], rows, 1,
        "Table 1. Animals of the valleys, counted in spring.",
    )  # fmt: skip


def lattice() -> Made:
    page = PdfPage(420, 240)
    edges = [40.0, 140.0, 200.0, 260.0, 320.0, 380.0]
    rows = [["Valley", "Spring", "", "Autumn", ""], ["", "Sheep", "Goats", "Sheep", "Goats"], *numbers(4, 4)]
    levels = [40 + 18 * n for n in range(len(rows) + 1)]
    for n, y in enumerate(levels):
        page.rule(edges[1] if n == 1 else edges[0], y, edges[-1], y)
    for n, x in enumerate(edges):
        page.rule(x, levels[1] if n in (2, 4) else levels[0], x, levels[-1])
    page.text(44, 61, "Valley", 8, "bold")
    page.text(200, 52, "Spring", 8, "bold", "center")
    page.text(320, 52, "Autumn", 8, "bold", "center")
    for number, row in enumerate(rows[1:]):
        for column, text in enumerate(row):
            page.text(edges[column] + 4, 70 + 18 * number, text, 8, "plain" if number else "bold")
    return Made("A closed lattice, a head over two columns, one over two rows", [page], rows, 2)


def closed_cells() -> Made:
    page = PdfPage(420, 260)
    said = (
        ("Property", ["What it is held against"]),
        ("Clear", ["is said to be hard to read", "by those who do not sing"]),
        ("Range", ["has no lower end"]),
        ("Change", ["is not heard in the hall", "nor by the mill, nor", "on the way home"]),
    )
    y = 40.0
    page.rule(40, y, 380, y)
    for number, (name, lines) in enumerate(said):
        page.text(46, y + 12, name, 8, "plain" if number else "bold")
        for n, line in enumerate(lines):
            page.text(166, y + 12 + 13 * n, line, 8, "plain" if number else "bold")
        y += 8 + 13 * len(lines)
        page.rule(40, y, 380, y)
    for x in (40, 160, 380):
        page.rule(x, 40, x, y)
    return Made("Cells of several lines, closed by rules", [page], [[a, " ".join(b)] for a, b in said], 1)


def wide_heads() -> Made:
    page = PdfPage(460, 240)
    rows = [["Valley", "Meadow 3/4", "", "Hill 1/4", ""], ["", "Sheep in spring", "(%)", "Goats in spring", "(%)"]]
    body = [[v, str(11 + 7 * n), f"{3.5 + n}", str(5 + 9 * n), f"{8.1 + n}"] for n, v in enumerate(VALLEYS)]
    page.text(40, 34, "Table 2. Animals by season.", 8, "bold")
    for y in (42, 82, 88 + 13 * 5):
        page.rule(40, y, 430, y)
    for x, group in ((150, "Meadow 3/4"), (300, "Hill 1/4")):
        page.text(x + 55, 54, group, 8, "bold", "center")
        page.rule(x, 59, x + 110, 59)
    for x, text in zip((42, 150, 242, 300, 392), ("Valley", *rows[1][1:]), strict=True):
        page.text(x, 74, text, 8, "bold")
    for n, row in enumerate(body):
        for x, text in zip((42, 150, 242, 300, 392), row, strict=True):
            page.text(x, 96 + 13 * n, text, 8)
    return Made(
        "Heads wider than their columns, each group with a rule of its own",
        [page],
        [*rows, *body],
        2,
        "Table 2. Animals by season.",
    )


def caption_below() -> Made:
    page = PdfPage(420, 280)
    rows = [["Valley", "Mean", "SD"], *([v, f"{2.4 + n}", f"{0.3 + n / 10:.1f}"] for n, v in enumerate(VALLEYS))]
    prose(page, 40, 34, 6)
    for y in (108, 123, 123 + 14 * 5 + 2):
        page.rule(40, y, 300, y)
    set_rows(page, rows, 118, [42, 200, 295])
    page.text(40, 212, "Table 3. Weight of a fleece. SD standard deviation; all were weighed", 8)
    page.text(40, 223, "twice, in the hall by the mill.", 8)
    return Made("A caption below that also holds the notes", [page], rows, 1, "Table 3. Weight of a fleece.")


def groups() -> Made:
    page = PdfPage(420, 300)
    rows = [["Voice", "Women", "Men"], ["High", "", ""], ["Soprano", "17", "2"], ["Alto", "14", "5"]]
    rows += [["Low", "", ""], ["Tenor", "3", "8"], ["Bass", "1", "9"], ["All", "35", "24"]]
    page.text(40, 34, "Table 4. Singers by voice.", 8, "bold")
    for n, row in enumerate(rows):
        look = "bold" if not any(row[1:]) or n in (0, 7) else "plain"
        page.text(40 if look == "bold" else 52, 52 + 15 * n, row[0], 8, look)
        for x, text in ((220, row[1]), (330, row[2])):
            page.text(x, 52 + 15 * n, text, 8, look, "right")
    prose(page, 40, 190, 7)
    return Made("No rules at all, groups and indents", [page], rows, 1, "Table 4. Singers by voice.")


def sideways_table() -> Made:
    page = PdfPage(300, 420)
    rows = [["Valley", "Sheep", "Goats", "Cows"], *numbers(5, 3)]
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            page.text(80 + 16 * number, 380 - 90 * column, text, 8, "plain" if number else "bold", turn=90)
    for x in (66, 84, 84 + 16 * 5):
        page.rule(x, 60, x, 385)
    page.text(56, 380, "Table 5. Animals of the valleys.", 8, "bold", turn=90)
    return Made("A table set sideways on an upright page", [page], rows, 1, "Table 5. Animals of the valleys.")


def sideways_heads() -> Made:
    page = PdfPage(420, 300)
    rows = [["Valley", "Sheep", "Goats", "Cows", "Hens"], *numbers(5, 4)]
    page.text(40, 34, "Table 6. Animals of the valleys.", 8, "bold")
    for y in (42, 92, 92 + 14 * 5 + 6):
        page.rule(40, y, 330, y)
    page.text(42, 86, "Valley", 8, "bold")
    for column, text in enumerate(rows[0][1:]):
        page.text(166 + 50 * column, 88, text, 8, "bold", turn=90)
    set_rows(page, rows[1:], 106, [42, *(170 + 50 * n for n in range(4))], bold=0)
    prose(page, 40, 205, 6)
    return Made(
        "Heads of columns set sideways over an upright table", [page], rows, 1, "Table 6. Animals of the valleys."
    )


def next_column() -> Made:
    page = PdfPage(460, 420)
    rows = [["Valley", "Sheep", "Goats"], *numbers(5, 2)]
    prose(page, 30, 40, 24)
    set_rows(page, rows[:3], 350, [30, 130, 190])
    set_rows(page, rows[3:], 50, [250, 350, 410], bold=0)
    prose(page, 250, 110, 28)
    for y, x in ((340, 30), (355, 30)):
        page.rule(x, y, x + 165, y)
    page.text(30, 334, "Table 7. Animals of the valleys.", 8, "bold")
    return Made(
        "A table that continues in the next column of text", [page], rows, 1, "Table 7. Animals of the valleys."
    )


def no_white() -> Made:
    page = PdfPage(420, 240)
    rows = [["Gene ID", "Substrate", "Yield"]]
    rows += [
        [f"TPS{n}", f"{name} oil", f"{15.41 - n:.2f}"]
        for n, name in enumerate(("Rose", "Mint", "Lime", "Sage", "Dill"))
    ]
    page.text(40, 34, "Table 8. What was made of what.", 8, "bold")
    for y in (42, 57, 57 + 14 * 5 + 2):
        page.rule(40, y, 200, y)
    for n, row in enumerate(rows):
        for x, text in zip((42, 76, 150), row, strict=True):
            page.text(x, 53 + 14 * n, text, 8, "plain" if n else "bold")
    prose(page, 40, 160, 6)
    return Made("Two columns with hardly any white between them", [page], rows, 1, "Table 8. What was made of what.")


PAGES: dict[str, Callable[[], Made]] = {
    "three-rules": three_rules,
    "lattice": lattice,
    "closed-cells": closed_cells,
    "wide-heads": wide_heads,
    "caption-below": caption_below,
    "groups": groups,
    "sideways-table": sideways_table,
    "sideways-heads": sideways_heads,
    "next-column": next_column,
    "no-white": no_white,
}


def judge(made: Made, extraction: Extraction) -> tuple[str, str]:
    """What is right of a reading, and what is wrong."""
    if not extraction.tables:
        return "nothing", "the table was not found"
    right, wrong = [], []
    table = extraction.tables[0]
    if len(extraction.tables) > 1:
        wrong.append(f"{len(extraction.tables)} tables were read instead of one")
    read = table.grid.text.tolist()
    cells = [(r, c) for r, row in enumerate(made.rows) for c, text in enumerate(row) if text]
    faults = []
    for r, c in cells:
        got = read[r][c] if r < len(read) and c < len(read[r]) else None
        if got != made.rows[r][c]:
            faults.append(f"“{made.rows[r][c]}” is {'missing' if got is None else f'read as “{got}”'}")
    right += [f"{len(cells) - len(faults)} of {len(cells)} cells"] if len(faults) < len(cells) else []
    wrong += faults[:MOST_FAULTS] + (
        [f"and {len(faults) - MOST_FAULTS} more cells"] if len(faults) > MOST_FAULTS else []
    )
    heads = len(table.frame.header_rows)
    said = f"{made.head} row{'s' * (made.head > 1)} of heads"
    (right if heads == made.head else wrong).append(
        said if heads == made.head else f"{heads} rows of heads, not {made.head}"
    )
    if made.caption:
        caption = table.metadata.affiliated.caption
        (right if caption == made.caption else wrong).append(
            "the caption" if caption == made.caption else f"the caption: “{caption}”"
        )
    return ", ".join(right) or "nothing", "; ".join(wrong) or "nothing"


def main() -> None:
    parts = [HEAD]
    for number, (name, make) in enumerate(PAGES.items(), start=1):
        made = make()
        extraction = extract_document(write_pdf(made.pages))
        write_svg(extraction, IMAGES / f"pdf-{name}.svg")
        right, wrong = judge(made, extraction)
        picture = f"![{made.shows}](images/pdf-{name}.svg)"
        parts.append(f"\n## {number}. {made.shows}\n\n{picture}\n\nRight: {right}.\n\nWrong: {wrong}.\n")
    PAGE.write_text("".join([*parts, FOOT]), encoding="utf-8")


if __name__ == "__main__":
    main()
