"""Draws the picture at the top of the README: a sheet, and beside it the row that one of its cells becomes.

    python docs/figures/draw_front.py

The sheet and the row are read from examples/smoking.xlsx by tabellion, what pandas gives by pandas. The picture has
two colour schemes; the README names both in one `<picture>`. Run by `make figures`.
"""

from __future__ import annotations

import warnings
from html import escape
from pathlib import Path
from typing import NamedTuple

import pandas

import tabellion
from tabellion.api import Table

ROOT = Path(__file__).parents[2]
SHEET, CELL = "examples/smoking.xlsx", "B10"
WIDTH, HEIGHT, LINE = 960, 404, 27
LEFT, LABELS, NUMBERS = 34, 210, 62  # of the drawn sheet: row numbers, column A, the other columns
SHOWN_ROWS, SHOWN_COLUMNS = 11, 4
CARD = 504  # where the row begins


class Scheme(NamedTuple):
    """The colours of one version of the picture."""

    ground: str
    sheet: str
    line: str
    text: str
    faint: str
    header: str
    value: str
    mark: str


SCHEMES = {
    "light": Scheme("#ffffff", "#fbfbfc", "#d4d7dc", "#1f2328", "#6e7781", "#dbe7ff", "#ffe3b8", "#b35900"),
    "dark": Scheme("#0d1117", "#151b23", "#3a424c", "#e6edf3", "#8d96a0", "#1f3a68", "#5a3a0c", "#ffb454"),
}


def main() -> None:
    (table,) = tabellion.extract(ROOT / SHEET)
    for name, scheme in SCHEMES.items():
        (ROOT / "docs" / "images" / f"front-{name}.svg").write_text(draw(table, scheme), encoding="utf-8")


def draw(table: Table, scheme: Scheme) -> str:
    """The picture in one colour scheme."""
    parts = [_rect(0, 0, WIDTH, HEIGHT, scheme.ground, rounded=8)]
    parts += _sheet(table, scheme) + _row(table, scheme) + _arrow(scheme)
    said = "A spreadsheet with indented row labels, and the tidy row that tabellion makes of its cell B10"
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}' height='{HEIGHT}' "
        f"role='img' aria-label='{said}' font-family='-apple-system, Segoe UI, Helvetica, Arial, sans-serif' "
        f"font-size='13'>\n" + "\n".join(parts) + "\n</svg>\n"
    )


def _sheet(table: Table, scheme: Scheme) -> list[str]:
    """The upper part of the sheet as a spreadsheet program shows it; the headers of the cell are marked."""
    value = table.tuples.at(CELL)
    headers = {*value.left_cells, *value.top_cells}
    texts = {(cell["row"], cell["column"]): cell["text"] for cell in table.to_dict()["cells"]}
    parts = [_text(20, 34, "The sheet", scheme.text, "font-weight='600' font-size='15'")]
    top = 50
    for row in range(SHOWN_ROWS):
        y = top + LINE * row
        parts.append(_text(20 + LEFT - 10, y + 18, str(row + 1), scheme.faint, "text-anchor='end' font-size='11'"))
        x = 20 + LEFT
        wide = LABELS + NUMBERS * (SHOWN_COLUMNS - 1)
        if row < 2:  # title and remark run over their empty neighbours
            parts.append(_rect(x, y, wide, LINE, scheme.sheet, scheme.line))
            parts.append(_text(x + 6, y + 18, _fit(texts.get((row, 0), ""), 58), scheme.text, "font-size='12'"))
            continue
        for column in range(SHOWN_COLUMNS):
            width = LABELS if column == 0 else NUMBERS
            spot = (row, column)
            fill = (
                scheme.value
                if spot == (value.row, value.column)
                else scheme.header
                if spot in headers
                else scheme.sheet
            )
            parts.append(_rect(x, y, width, LINE, fill, scheme.line))
            align = "" if column == 0 else "text-anchor='end'"
            parts.append(_text(x + (6 if column == 0 else width - 6), y + 18, texts.get(spot, ""), scheme.text, align))
            x += width
    parts.append(
        _text(
            20 + LEFT, top + LINE * SHOWN_ROWS + 20, f"{SHEET}, rows 1 to {SHOWN_ROWS}", scheme.faint, "font-size='12'"
        )
    )
    return parts


def _row(table: Table, scheme: Scheme) -> list[str]:
    """The row of the cell, a line for each of its fields, and what pandas says of the same cell."""
    value = table.tuples.at(CELL)
    fields = [
        ("value", value.text), ("unit", value.unit or ""),
        *((f"left_{number}", label) for number, label in enumerate(value.left, 1)),
        *((f"top_{number}", label) for number, label in enumerate(value.top, 1)),
        ("note", _fit("; ".join(value.notes), 42)), ("title", _fit(table.title or "", 42)),
        ("source", f"{Path(SHEET).name}, {table.place.sheet}!{CELL}"),
    ]  # fmt: skip
    parts = [_text(CARD, 34, f"The row of {CELL}", scheme.text, "font-weight='600' font-size='15'")]
    for number, (name, text) in enumerate(fields):
        y = 50 + LINE * number
        fill = scheme.value if name == "value" else scheme.header if name[:3] in ("lef", "top") else scheme.sheet
        parts.append(_rect(CARD, y, 84, LINE, scheme.sheet, scheme.line))
        parts.append(
            _text(CARD + 8, y + 18, name, scheme.faint, "font-family='ui-monospace, Menlo, Consolas, monospace'")
        )
        parts.append(_rect(CARD + 84, y, WIDTH - CARD - 104, LINE, fill, scheme.line))
        parts.append(_text(CARD + 92, y + 18, text, scheme.text))
    y = 50 + LINE * len(fields) + 20
    row, column = pandas_labels(value.value)
    parts.append(_text(CARD, y, f"pandas.read_excel: row “{row}”, column “{column}”", scheme.faint, "font-size='12'"))
    return parts


def pandas_labels(value: object) -> tuple[str, str]:
    """How pandas calls the row and the column of a value, with nothing told to it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = pandas.read_excel(ROOT / SHEET)
    rows, columns = (frame == value).to_numpy().nonzero()
    return str(frame.iloc[rows[0], 0]), str(frame.columns[columns[0]])


def _arrow(scheme: Scheme) -> list[str]:
    return [
        f"<path d='M {CARD - 40} 190 h 22 m -8 -7 l 8 7 l -8 7' fill='none' stroke='{scheme.mark}' stroke-width='2.5' "
        "stroke-linecap='round' stroke-linejoin='round'/>"
    ]


def _rect(x: float, y: float, width: float, height: float, fill: str, line: str = "none", rounded: int = 0) -> str:
    place = f"x='{x:g}' y='{y:g}' width='{width:g}' height='{height:g}'"
    return f"<rect {place} fill='{fill}' stroke='{line}' rx='{rounded}'/>"


def _text(x: float, y: float, text: str, fill: str, more: str = "") -> str:
    return f"<text x='{x:g}' y='{y:g}' fill='{fill}' style='white-space:pre' {more}>{escape(text, quote=False)}</text>"


def _fit(text: str, letters: int) -> str:
    return text if len(text) <= letters else text[: letters - 1].rstrip() + "…"


if __name__ == "__main__":
    main()
