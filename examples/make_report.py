"""Writes report.pdf: a choir's yearly report with a three-line table and a ruled one that goes on, captions, a note."""

from __future__ import annotations

from pathlib import Path

from pdf_writer import PdfPage, write_pdf

LEFT, RIGHT = 70, 525
MEMBERS = (
    ("Sopranos", 14, 16, 15, 17),
    ("Altos", 12, 12, 13, 14),
    ("Tenors", 6, 7, 7, 8),
    ("Basses", 7, 8, 9, 9),
)
CONCERTS = (
    ("12 January", "St Mary's", "Winter songs", 180, 1440),
    ("3 March", "Town hall", "Requiem", 265, 3180),
    ("21 April", "St Mary's", "Easter cantatas", 210, 1890),
    ("2 June", "Castle yard", "Open-air madrigals", 340, 2040),
    ("29 June", "School", "Songs for children", 155, 465),
    ("14 September", "Town hall", "Harvest concert", 240, 2640),
    ("19 October", "St Mary's", "Motets", 130, 1040),
    ("7 December", "St Mary's", "Advent music", 295, 2950),
)
FIRST_PAGE_ROWS = 5
WORDS = (
    "The choir met on forty-one evenings. Table 1 shows that all four voices have grown since 2021, and that",
    "the tenors are still the fewest. Eight concerts were sung; Table 2 lists them with the places, the number",
    "of people who came and what was taken at the door. The open-air evening in June drew the largest crowd.",
)


def write_report(path: Path) -> None:
    pages = [PdfPage(), PdfPage()]
    write_first(pages[0])
    write_second(pages[1])
    path.write_bytes(write_pdf(pages, "The year of the choir", "Ada Winter"))


def write_first(page: PdfPage) -> None:
    page.text(LEFT, 90, "The year of the choir", 20, "bold")
    page.text(LEFT, 115, "Ada Winter", 11)
    for n, line in enumerate(WORDS):
        page.text(LEFT, 150 + 14 * n, line, 10)
    page.text(LEFT, 225, "Table 1. Singers by voice at the end of the year.", 9, "bold")
    page.rule(LEFT, 234, RIGHT, 234, 1)
    for n, head in enumerate(("2021", "2022", "2023", "2024*")):
        page.text(300 + 70 * n, 248, head, 9, "bold", "right")
    page.text(LEFT + 4, 248, "Voice", 9, "bold")
    page.rule(LEFT, 254, RIGHT, 254)
    for row, (voice, *counts) in enumerate(MEMBERS):
        page.text(LEFT + 4, 268 + 14 * row, voice, 9)
        for n, count in enumerate(counts):
            page.text(300 + 70 * n, 268 + 14 * row, str(count), 9, align="right")
    page.rule(LEFT, 320, RIGHT, 320, 1)
    page.text(LEFT, 332, "* Provisional: counted at the last rehearsal.", 7.5)
    page.text(LEFT, 520, "Table 2. Concerts of the year.", 9, "bold")
    write_concerts(page, 530, CONCERTS[:FIRST_PAGE_ROWS])
    page.text(LEFT, 800, "Report of the choir", 8)
    page.text(RIGHT, 800, "1", 8, align="right")


def write_second(page: PdfPage) -> None:
    page.text(LEFT, 80, "Table 2. Continued.", 9, "bold")
    write_concerts(page, 90, CONCERTS[FIRST_PAGE_ROWS:])
    page.text(LEFT, 240, "The committee thanks all who came, sang, lent chairs and baked.", 10)
    page.text(LEFT, 800, "Report of the choir", 8)
    page.text(RIGHT, 800, "2", 8, align="right")


def write_concerts(page: PdfPage, top: float, concerts: tuple[tuple[str, str, str, int, int], ...]) -> None:
    """A ruled table: every cell in a box, a shaded head."""
    edges = (LEFT, 155, 245, 375, 450, RIGHT)
    heads = ("Day", "Place", "Programme", "Visitors", "Taken (euro)")
    height = 18
    page.fill(edges[0], top, edges[-1], top + height)
    for row in range(len(concerts) + 2):
        page.rule(edges[0], top + height * row, edges[-1], top + height * row)
    for x in edges:
        page.rule(x, top, x, top + height * (len(concerts) + 1))
    for n, head in enumerate(heads):
        page.text(edges[n] + 4, top + 12, head, 9, "bold")
    for row, concert in enumerate(concerts, 1):
        for n, value in enumerate(concert):
            said = f"{value:,}" if isinstance(value, int) else value
            x, align = (edges[n + 1] - 4, "right") if isinstance(value, int) else (edges[n] + 4, "left")
            page.text(x, top + height * row + 12, said, 9, align=align)


if __name__ == "__main__":
    write_report(Path(__file__).with_name("report.pdf"))
