"""The rows of a question in every form that rows can be given away in.

In: an answer, some rows at a time. Out: CSV, JSON, JSON lines, Parquet, a workbook, HTML, Markdown or XML. With `safe`
a text that a spreadsheet would take for a formula is kept from being one. Fails on a workbook where there are more rows
than a sheet has: it says so.
"""

from __future__ import annotations

import csv
import io
import math
import re
import zipfile
from collections.abc import Callable, Iterator
from decimal import Decimal
from html import escape
from typing import Any, BinaryIO, Literal, get_args

import msgspec

from tabellion.errors import QueryError
from tabellion.export.csv import disarm
from tabellion.library.query import Rows, json_value, once, plain_text, rows_of, write_csv, write_json, write_parquet

AnswerForm = Literal["csv", "json", "jsonl", "parquet", "xlsx", "html", "markdown", "xml"]
ANSWER_FORMS: tuple[AnswerForm, ...] = get_args(AnswerForm)
_MOST_LINES = 1_048_576  # of a sheet
_MOST_LETTERS = 32_767  # of a cell of a workbook
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")  # what XML cannot hold
_OFFICE = "http://schemas.openxmlformats.org"
_SHEETS = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_DECLARED = '<?xml version="1.0" encoding="UTF-8"?>\n'


def write_answer(answer: Rows, form: AnswerForm, file: BinaryIO, *, safe: bool = False) -> None:
    """Write all rows of an answer."""
    writers: dict[str, Callable[[Rows, BinaryIO], None]] = {
        "csv": _write_safe_csv if safe else write_csv, "json": write_json, "jsonl": _write_lines,
        "parquet": write_parquet, "xlsx": _write_workbook, "html": _write_html, "markdown": _write_markdown,
        "xml": _write_xml,
    }  # fmt: skip
    writers[form](answer, file)


def _rows(answer: Rows) -> Iterator[tuple[Any, ...]]:
    for batch in answer.batches():
        yield from rows_of(batch)


def _write_safe_csv(answer: Rows, file: BinaryIO) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    try:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([disarm(name) for name in answer.schema.names])
        for row in _rows(answer):
            writer.writerow([disarm(one) if isinstance(one, str) else plain_text(one) for one in row])
        text.flush()
    finally:
        text.detach()


def _write_lines(answer: Rows, file: BinaryIO) -> None:
    names = once(answer.schema.names)
    for row in _rows(answer):
        file.write(msgspec.json.encode(dict(zip(names, map(json_value, row), strict=True))) + b"\n")


def _write_html(answer: Rows, file: BinaryIO) -> None:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in answer.schema.names)
    file.write(
        '<!doctype html>\n<html><head><meta charset="utf-8"><title>Answer</title></head><body>\n'
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n".encode("utf-8", "replace")
    )
    for row in _rows(answer):
        cells = "".join(f"<td>{escape(plain_text(value))}</td>" for value in row)
        file.write(f"<tr>{cells}</tr>\n".encode("utf-8", "replace"))
    file.write(b"</tbody>\n</table>\n</body></html>\n")


def _write_markdown(answer: Rows, file: BinaryIO) -> None:
    def line(cells: list[str]) -> bytes:
        plain = (" ".join(re.sub(r"([\\|<>*_`\[\]])", r"\\\1", cell).split()) for cell in cells)
        return f"| {' | '.join(plain)} |\n".encode("utf-8", "replace")

    file.write(line(list(answer.schema.names)))
    file.write(f"|{'|'.join(' --- ' for _ in answer.schema.names)}|\n".encode())
    for row in _rows(answer):
        file.write(line([plain_text(value) for value in row]))


def _write_xml(answer: Rows, file: BinaryIO) -> None:
    names = once(answer.schema.names)
    file.write(f"{_DECLARED}<rows>\n".encode())
    for row in _rows(answer):
        cells = "".join(
            f'<value name="{escape(_seen(name))}">{escape(_seen(plain_text(value)))}</value>'
            for name, value in zip(names, row, strict=True)
            if value is not None
        )
        file.write(f"<row>{cells}</row>\n".encode())
    file.write(b"</rows>\n")


def _seen(text: str) -> str:
    return _UNSEEN.sub("", text)


def _write_workbook(answer: Rows, file: BinaryIO) -> None:
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_OFFICE}/package/2006/content-types"><Default Extension="rels"'
        ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_SHEETS}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_SHEETS}.worksheet+xml"/></Types>',
        "_rels/.rels": _links("officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{_OFFICE}/spreadsheetml/2006/main" xmlns:r="{_OFFICE}/officeDocument/'
        '2006/relationships"><sheets><sheet name="Answer" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": _links("worksheet", "worksheets/sheet1.xml"),
    }
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        for name, said in parts.items():
            package.writestr(zipfile.ZipInfo(name), _DECLARED + said, zipfile.ZIP_DEFLATED)
        with package.open(zipfile.ZipInfo("xl/worksheets/sheet1.xml"), "w") as sheet:
            sheet.write(f'{_DECLARED}<worksheet xmlns="{_OFFICE}/spreadsheetml/2006/main"><sheetData>'.encode())
            sheet.write(f"<row>{''.join(_cell(name) for name in answer.schema.names)}</row>".encode())
            for number, row in enumerate(_rows(answer), 2):
                if number > _MOST_LINES:
                    raise QueryError(f"a sheet has {_MOST_LINES:,} rows: ask for fewer, or for csv or parquet")
                sheet.write(f"<row>{''.join(map(_cell, row))}</row>".encode())
            sheet.write(b"</sheetData></worksheet>")


def _links(kind: str, target: str) -> str:
    related = f"{_OFFICE}/officeDocument/2006/relationships/{kind}"
    return (
        f'<Relationships xmlns="{_OFFICE}/package/2006/relationships">'
        f'<Relationship Id="rId1" Type="{related}" Target="{target}"/></Relationships>'
    )


def _cell(value: Any) -> str:
    """A cell of a workbook: a number, or a text that is never a formula."""
    if value is None:
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float | Decimal) and math.isfinite(value):
        return f"<c><v>{value}</v></c>"
    text = escape(_seen(plain_text(value))[:_MOST_LETTERS], quote=False)
    return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'
