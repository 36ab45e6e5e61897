"""From file to tuples, against openpyxl's plain `load_workbook` of the same files, which only reads them.

    python bench/extract_xlsx.py [--repeats N]

First the ratio over the statsheets workbooks, as in read_xlsx.py: those named .xlsx, and all that are xlsx by content
(the others hold many small sheets each). Then made sheets of a quarter, a half and a whole
million cells, each in a process of its own: seconds and peak memory, which should grow with the cells and no faster.
"""

from __future__ import annotations

import argparse
import io
import json
import resource
import subprocess
import sys
import time
import warnings
import zipfile
from xml.sax.saxutils import escape

from read_xlsx import compare
from tabellion.learn.corpora import corpus_folder
from tabellion.model.place import column_letters
from tabellion.pipeline import extract_document

COLUMNS = 20
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_LINKS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def made_workbook(cells: int) -> bytes:
    """A sheet of years by regions, written as plain XML so that making it costs little."""
    letters = [column_letters(column) for column in range(COLUMNS)]
    rows = ['<row r="1">' + "".join(_text(f"{name}1", _head(i)) for i, name in enumerate(letters)) + "</row>"]
    for row in range(2, cells // COLUMNS + 1):
        values = "".join(f'<c r="{name}{row}"><v>{row * 7 % 9973 / 10}</v></c>' for name in letters[1:])
        rows.append(f'<row r="{row}">{_text(f"A{row}", f"Region {row}")}{values}</row>')
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as package:
        package.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{_LINKS}"><Relationship Id="r1" Type="{_OFFICE}/officeDocument"'
            ' Target="xl/workbook.xml"/></Relationships>',
        )
        package.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets>'
            "</workbook>",
        )
        package.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{_LINKS}"><Relationship Id="r1" Type="{_OFFICE}/worksheet"'
            ' Target="worksheets/sheet1.xml"/></Relationships>',
        )
        sheet = f'<worksheet xmlns="{_MAIN}"><sheetData>{"".join(rows)}</sheetData></worksheet>'
        package.writestr("xl/worksheets/sheet1.xml", sheet)
    return buffer.getvalue()


def _head(column: int) -> str:
    return "Region" if column == 0 else str(1999 + column)


def _text(address: str, text: str) -> str:
    return f'<c r="{address}" t="inlineStr"><is><t>{escape(text)}</t></is></c>'


def measure_one(cells: int) -> None:
    """Extract a made sheet and print what it took; runs in a process of its own."""
    data = made_workbook(cells)
    start = time.process_time()
    tuples = sum(len(table.tuples) for table in extract_document(data).tables)
    spent = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"cells": cells, "tuples": tuples, "seconds": round(spent, 2), "peak_mb": peak}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--cells", type=int, help="only this: one made sheet of so many cells")
    options = parser.parse_args()
    if options.cells:
        measure_one(options.cells)
        return
    warnings.simplefilter("ignore")
    corpus = corpus_folder("statsheets")
    if corpus is not None:
        for suffix in (".xlsx", ""):
            result = compare([corpus / "inputs"], options.repeats, extract_document, suffix)
            print(json.dumps({"bench": "extract_xlsx", "names": f"*{suffix}", **result}))
    for cells in (250_000, 500_000, 1_000_000):
        done = subprocess.run(
            [sys.executable, __file__, "--cells", str(cells)], stdout=subprocess.PIPE, text=True, check=True
        )
        print(done.stdout.strip())


if __name__ == "__main__":
    main()
