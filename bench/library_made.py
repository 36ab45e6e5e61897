"""Many documents made from the dev corpora with variations: other words, other numbers, the same layouts.

`make_library` makes a library of N tables and says how long that took. The documents of the corpora are read once; a
variation replaces a part of their words by others of the corpora and all digits by others, is packed as a small
workbook for its original, and goes the way that every reading goes: segment, catalogue, index.
"""

from __future__ import annotations

import hashlib
import io
import random
import re
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import msgspec
import pyarrow as pa

from tabellion.errors import TabellionError
from tabellion.learn.corpora import corpus_folder
from tabellion.library import open_library
from tabellion.library.holdings import document_id
from tabellion.library.library import Library
from tabellion.library.originals import store_original
from tabellion.library.reading import SCHEMA, Reading, TableReading, arrow_table, read_for_library
from tabellion.library.writing import write_readings
from tabellion.model.place import address
from tabellion.pipeline import Settings

CORPORA = ("saus-lines", "troy200", "hitab-top", "senbazuru-left")
LARGEST = 60  # tuples of a table that is varied: small documents, as most are
TABLES_A_DOCUMENT = 4
TOGETHER = 256  # documents that become visible together
_WORD = re.compile(r"[A-Za-z]{4,}")
_DIGIT = re.compile(r"\d")
_OPEN = "http://schemas.openxmlformats.org"
_DECLARED = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_STYLES = (
    f'<styleSheet xmlns="{_OPEN}/spreadsheetml/2006/main"><fonts count="1"><font/></fonts><fills count="1">'
    '<fill><patternFill patternType="none"/></fill></fills><borders count="1"><border/></borders>'
    '<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="1"><xf/></cellXfs></styleSheet>'
)


class Template(msgspec.Struct, frozen=True):
    """A table of the corpora and its tuples as lists."""

    table: TableReading
    tuples: dict[str, list[object]]


def read_templates(most: int) -> list[Template]:
    """Small tables of the corpora."""
    found: list[Template] = []
    paths = [path for name in CORPORA if (folder := corpus_folder(name)) for path in sorted(folder.rglob("*.xlsx"))]
    random.Random(3).shuffle(paths)  # noqa: S311 - the same every time
    for path in paths:
        try:
            reading = read_for_library(str(path), str(path), path.read_bytes(), Settings())
        except TabellionError:
            continue
        held = arrow_table(reading.tuples)
        for table in reading.tables:
            if 4 <= table.tuples <= LARGEST:
                wanted = pa.compute.equal(held["table_id"], f"{reading.document_id}-{table.id}")
                found.append(Template(table, held.filter(wanted).to_pydict()))
        if len(found) >= most:
            break
    return found


class Variations:
    """Documents without end, each unlike the others."""

    def __init__(self, templates: list[Template], seed: int = 1) -> None:
        self.templates = templates
        self.choose = random.Random(seed)  # noqa: S311
        said = " ".join(
            " ".join(filter(None, (one.table.caption, *one.table.details.header_words, *one.table.details.stub_words)))
            for one in templates
        )
        self.words = sorted(set(_WORD.findall(said)))

    def make(self, number: int) -> tuple[Reading, bytes]:
        """One document and the bytes of its original."""
        address = f"/made/{number // 1000:04}/report-{number:07}.xlsx"
        identity = document_id(address)
        varied = [self._vary(f"t{n + 1}", identity) for n in range(TABLES_A_DOCUMENT)]
        original = pack_workbook([(table.caption or table.title or "", rows) for table, rows in varied])
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, SCHEMA) as stream:
            for _, rows in varied:
                stream.write_table(pa.table({name: rows[name] for name in SCHEMA.names}, schema=SCHEMA))
        return (
            Reading(
                document_id=identity,
                address=address,
                source=address,
                medium="spreadsheet",
                kind="xlsx",
                sha256=hashlib.sha256(original).hexdigest(),
                size=len(original),
                title=None,
                authors=(),
                language="english",
                issues=(),
                tables=tuple(table for table, _ in varied),
                tuples=sink.getvalue().to_pybytes(),
            ),
            original,
        )

    def _vary(self, name: str, identity: str) -> tuple[TableReading, dict[str, list[object]]]:
        template = self.choose.choice(self.templates)
        table, details, tuples = template.table, template.table.details, dict(template.tuples)
        swap: dict[str, str] = {}

        def other(word: re.Match[str]) -> str:
            if word[0] not in swap:
                swap[word[0]] = self.choose.choice(self.words) if self.choose.random() < 0.5 else word[0]
            return swap[word[0]]

        def say(text: str) -> str:
            return _WORD.sub(other, text)

        paths: dict[tuple[str, ...], list[str]] = {}

        def path(labels: list[str]) -> list[str]:
            key = tuple(labels)
            if key not in paths:
                paths[key] = [say(label) for label in labels]
            return paths[key]

        digits = "".join(self.choose.choices("0123456789", k=7))
        count = len(tuples["text"])
        texts = [self._number(str(text), digits, i) for i, text in enumerate(tuples["text"])]
        tuples |= {
            "table_id": [f"{identity}-{name}"] * count,
            "document_id": [identity] * count,
            "text": texts,
            "value": [_value(text) for text in texts],
            "top": [path(labels) for labels in tuples["top"]],  # type: ignore[arg-type]
            "left": [path(labels) for labels in tuples["left"]],  # type: ignore[arg-type]
        }
        varied = msgspec.structs.replace(
            table,
            id=name,
            title=table.title and say(table.title),
            caption=table.caption and say(table.caption),
            details=msgspec.structs.replace(
                details,
                columns=tuple(
                    msgspec.structs.replace(column, path=tuple(map(say, column.path))) for column in details.columns
                ),
                stub_words=tuple(map(say, details.stub_words)),
            ),
        )
        return varied, tuples

    def _number(self, text: str, digits: str, at: int) -> str:
        return _DIGIT.sub(lambda found: digits[(int(found[0]) + at) % 7] if found.start() else found[0], text)


def pack_workbook(tables: list[tuple[str, dict[str, list[object]]]]) -> bytes:
    """Tables with their captions as the smallest workbook that an office program opens."""
    numbers = range(1, len(tables) + 1)
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    links = f"{_OPEN}/officeDocument/2006/relationships"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_OPEN}/package/2006/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" '
        f'ContentType="{kind}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="{kind}.styles+xml"/>'
        + "".join(
            f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{kind}.worksheet+xml"/>' for n in numbers
        )
        + "</Types>",
        "_rels/.rels": _relations({"rId1": (f"{links}/officeDocument", "xl/workbook.xml")}),
        "xl/workbook.xml": f'<workbook xmlns="{_OPEN}/spreadsheetml/2006/main" xmlns:r="{links}"><sheets>'
        + "".join(f'<sheet name="Sheet{n}" sheetId="{n}" r:id="rId{n}"/>' for n in numbers)
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": _relations(
            {f"rId{n}": (f"{links}/worksheet", f"worksheets/sheet{n}.xml") for n in numbers}
            | {"rId0": (f"{links}/styles", "styles.xml")}
        ),
        "xl/styles.xml": _STYLES,
        **{f"xl/worksheets/sheet{n}.xml": _sheet(*held) for n, held in enumerate(tables, 1)},
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in parts.items():
            packed.writestr(name, _DECLARED + text)
    return file.getvalue()


def _relations(targets: dict[str, tuple[str, str]]) -> str:
    held = "".join(f'<Relationship Id="{i}" Type="{t}" Target="{to}"/>' for i, (t, to) in targets.items())
    return f'<Relationships xmlns="{_OPEN}/package/2006/relationships">{held}</Relationships>'


def _sheet(caption: str, tuples: dict[str, list[Any]]) -> str:
    """Values where they stand in the source, labels left of them and above, the caption on top."""
    first = min(tuples["row"])
    depth = max(map(len, tuples["top"]))
    down = max(depth + 1 - first, 0)  # room for headers and caption
    cells: dict[tuple[int, int], str] = {(0, 0): caption}
    for row, column, text, top, left, columns in zip(
        *(tuples[name] for name in ("row", "column", "text", "top", "left", "left_columns")), strict=True
    ):
        cells[row + down, column] = text
        cells |= {(row + down, at): label for at, label in zip(columns, left, strict=True) if at >= 0}
        cells |= {(first + down - len(top) + level, column): label for level, label in enumerate(top)}
    lines: dict[int, list[str]] = {}
    for (row, column), text in sorted(cells.items()):
        number = "" if _value(text) is None else text.replace(",", "")
        said = f"<v>{number}</v>" if number else f"<is><t>{escape(text)}</t></is>"
        form = "" if number else ' t="inlineStr"'
        lines.setdefault(row, []).append(f'<c r="{address(row, column)}"{form}>{said}</c>')
    rows = "".join(f'<row r="{row + 1}">{"".join(held)}</row>' for row, held in lines.items())
    return f'<worksheet xmlns="{_OPEN}/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>'


def _value(text: str) -> float | None:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def make_library(folder: Path, tables: int) -> Library:
    """A library of so many tables; one that is there already is filled up."""
    library = open_library(str(folder), create=True)
    have = len(library.documents())
    wanted = tables // TABLES_A_DOCUMENT
    if have < wanted:
        variations = Variations(read_templates(300))
        began = time.perf_counter()
        for batch in batches(variations, wanted):
            for reading, original in batch:
                store_original(library.folder.originals, original, reading.sha256)
            write_readings(library.folder, library.catalogue, [reading for reading, _ in batch])
        kept = time.perf_counter() - began
        library.index.catch_up(wait=True)
        indexed = time.perf_counter() - began - kept
        print(f"made and kept {tables:,} tables in {kept:.0f} s, indexed them in {indexed:.0f} s", file=sys.stderr)
    return library


def batches(variations: Variations, wanted: int) -> Iterator[list[tuple[Reading, bytes]]]:
    for first in range(0, wanted, TOGETHER):
        yield [variations.make(number) for number in range(first, min(first + TOGETHER, wanted))]
