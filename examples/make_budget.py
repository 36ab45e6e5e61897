"""Writes budget.ods: an OpenDocument sheet with group rows, totals by formula, currency and percent."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from odf.number import CurrencyStyle, CurrencySymbol, Number, PercentageStyle, Text
from odf.opendocument import OpenDocumentSpreadsheet
from odf.style import Style, TableCellProperties, TableColumnProperties, TextProperties
from odf.table import Table, TableCell, TableColumn, TableRow
from odf.text import P

# label, budget, actual; None: a group row; the last line of a group sums it
LINES: list[tuple[str, int | None, int | None]] = [
    ("Income", None, None),
    ("Members' fees", 4800, 4920),
    ("Concert tickets", 6500, 7140),
    ("Donations", 1200, 950),
    ("Total income", 12500, 13010),
    ("Expenses", None, None),
    ("Conductor", 6000, 6000),
    ("Hall and heating", 2400, 2655),
    ("Sheet music", 900, 780),
    ("Printing", 650, 610),
    ("Total expenses", 9950, 10045),
]


def write_budget(path: Path) -> None:
    document = OpenDocumentSpreadsheet()
    document.automaticstyles.addElement(column := Style(name="wide", family="table-column"))
    column.addElement(TableColumnProperties(columnwidth="5cm"))
    styles = {name: cell_style(document, name) for name in ("plain", "bold", "head", "euro", "bold-euro", "share")}
    table = Table(name="Budget")
    table.addElement(TableColumn(stylename=column))
    table.addElement(TableColumn(numbercolumnsrepeated=3))
    add_row(table, [text_cell("Choir budget 2024", styles["bold"])])
    add_row(table, [])
    add_row(table, [text_cell(label, styles["head"]) for label in ("Item", "Budget", "Actual", "Actual / budget")])
    first = 0
    for row, (label, budget, actual) in enumerate(LINES, 4):
        if budget is None or actual is None:
            first = row + 1
            add_row(table, [text_cell(label, styles["bold"])])
            continue
        total = label.startswith("Total")
        money = styles["bold-euro" if total else "euro"]
        sums = [f"of:=SUM([.{column}{first}:.{column}{row - 1}])" if total else None for column in "BC"]
        add_row(
            table,
            [
                text_cell(label, styles["bold" if total else "plain"]),
                money_cell(budget, money, sums[0]),
                money_cell(actual, money, sums[1]),
                share_cell(actual / budget, styles["share"], f"of:=[.C{row}]/[.B{row}]"),
            ],
        )
    document.spreadsheet.addElement(table)
    packed = io.BytesIO()
    document.save(packed)
    with zipfile.ZipFile(packed) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            if name == "meta.xml":
                continue
            part = source.read(name)
            if name == "META-INF/manifest.xml":
                part = part.replace(
                    b'<manifest:file-entry manifest:full-path="meta.xml" manifest:media-type="text/xml"/>', b""
                )
            method = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            target.writestr(zipfile.ZipInfo(name), part, method)


def cell_style(document: OpenDocumentSpreadsheet, name: str) -> Style:
    data_style = None
    if name.endswith("euro"):
        data_style = CurrencyStyle(name=f"{name}-format")
        data_style.addElement(Number(decimalplaces=0, minintegerdigits=1, grouping="true"))
        data_style.addElement(Text(text=" "))
        data_style.addElement(CurrencySymbol(text="€"))
    elif name == "share":
        data_style = PercentageStyle(name="share-format")
        data_style.addElement(Number(decimalplaces=1, minintegerdigits=1))
        data_style.addElement(Text(text="%"))
    if data_style is not None:
        document.automaticstyles.addElement(data_style)
    style = Style(name=name, family="table-cell", **({"datastylename": data_style} if data_style is not None else {}))
    if name.startswith(("bold", "head")):
        style.addElement(TextProperties(fontweight="bold"))
    if name == "head":
        style.addElement(TableCellProperties(borderbottom="0.5pt solid #000000"))
    document.automaticstyles.addElement(style)
    return style


def add_row(table: Table, cells: list[TableCell]) -> None:
    row = TableRow()
    for cell in cells or [TableCell()]:
        row.addElement(cell)
    table.addElement(row)


def text_cell(text: str, style: Style) -> TableCell:
    cell = TableCell(valuetype="string", stylename=style)
    cell.addElement(P(text=text))
    return cell


def money_cell(amount: int, style: Style, formula: str | None) -> TableCell:
    options = {"formula": formula} if formula else {}
    cell = TableCell(valuetype="currency", currency="EUR", value=amount, stylename=style, **options)
    cell.addElement(P(text=f"{amount:,} €"))
    return cell


def share_cell(share: float, style: Style, formula: str) -> TableCell:
    cell = TableCell(valuetype="percentage", value=share, stylename=style, formula=formula)
    cell.addElement(P(text=f"{share:.1%}"))
    return cell
