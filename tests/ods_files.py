"""Small OpenDocument spreadsheets, made of their XML, and what was read of them."""

from __future__ import annotations

import io
import zipfile

from tabellion.model.document import Sheet, Stored
from tabellion.read.limits import Limits
from tabellion.read.opendocument.ods import read_ods
from tabellion.read.spreadsheet.sheets import Contents

SPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in {
        "office": "office", "table": "table", "text": "text", "style": "style", "meta": "meta",
        "fo": "xsl-fo-compatible", "number": "datastyle", "draw": "drawing",
    }.items()
)  # fmt: skip
_CALC = 'xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'
DUBLIN = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'

YELLOW = (
    '<style:style style:name="y" style:family="table-cell"><style:table-cell-properties '
    'fo:background-color="#ffff00"/></style:style>'
)


def document(tables: str, automatic: str = "", kind: str = "document-content", before: str = "") -> str:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:{kind} {SPACES} {_CALC} {DUBLIN}>{before}'
        f"<office:automatic-styles>{automatic}</office:automatic-styles>"
        f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:{kind}>"
    )


def packed(parts: dict[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        for name, text in parts.items():
            package.writestr(name, text)
    return file.getvalue()


def read(rows: str, automatic: str = "", styles: str = "") -> Contents:
    parts = {"content.xml": document(f'<table:table table:name="S">{rows}</table:table>', automatic)}
    if styles:
        head = f"<office:document-styles {SPACES}><office:styles>{styles}</office:styles></office:document-styles>"
        parts["styles.xml"] = head
    return read_ods(packed(parts), Limits())


def sheet_of(rows: str, automatic: str = "", styles: str = "") -> Sheet:
    return read(rows, automatic, styles).sheets[0]


def row(*cells: str, attributes: str = "") -> str:
    return f"<table:table-row {attributes}>{''.join(cells)}</table:table-row>"


def cell(text: str, attributes: str = "") -> str:
    return f'<table:table-cell office:value-type="string" {attributes}><text:p>{text}</text:p></table:table-cell>'


def number(value: float, attributes: str = "") -> str:
    value_type = f'office:value-type="float" office:value="{value}"'
    return f"<table:table-cell {value_type} {attributes}><text:p>shown</text:p></table:table-cell>"


def places(sheet: Sheet) -> dict[tuple[int, int], str]:
    cells = sheet.cells
    filled = cells.stored != Stored.EMPTY
    at = zip(cells.row[filled].tolist(), cells.column[filled].tolist(), strict=True)
    return dict(zip(at, cells.text[filled].tolist(), strict=True))
