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
from xml.sax.saxutils import escape

import msgspec
import pyarrow as pa

from tabellion.errors import TabellionError
from tabellion.learn.corpora import corpus_folder
from tabellion.library import open_library
from tabellion.library.keep import keep_readings
from tabellion.library.originals import keep_original
from tabellion.library.reading import Reading, TableReading, document_id
from tabellion.library.shelf import Library
from tabellion.library.take import read_for_library
from tabellion.library.tidy import SCHEMA, arrow_table
from tabellion.pipeline import Settings

CORPORA = ("saus-lines", "troy200", "hitab-top", "senbazuru-left")
LARGEST = 60  # tuples of a table that is varied: small documents, as most are
TABLES_A_DOCUMENT = 4
TOGETHER = 256  # documents that become visible together
_WORD = re.compile(r"[A-Za-z]{4,}")
_DIGIT = re.compile(r"\d")
_PARTS = {
    "[Content_Types].xml": '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/'
    'content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
    "xl/workbook.xml": '<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/'
    'main"><sheets><sheet name="1" sheetId="1"/></sheets></workbook>',
}


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
        original = pack_workbook([rows for _, rows in varied])
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


def pack_workbook(tables: list[dict[str, list[object]]]) -> bytes:
    """Tables as a workbook with nothing but cells, so smaller than one of an office program."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in _PARTS.items():
            packed.writestr(name, text)
        for number, tuples in enumerate(tables, 1):
            cells = []
            for address, text, left in zip(tuples["address"], tuples["text"], tuples["left"], strict=True):
                cells.append(f'<c r="{address}" t="str"><v>{escape(str(text))}</v></c>')
                cells.append(f"<is><t>{escape(' '.join(left))}</t></is>")  # type: ignore[arg-type]
            packed.writestr(f"xl/worksheets/sheet{number}.xml", f"<sheetData>{''.join(cells)}</sheetData>")
    return file.getvalue()


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
                keep_original(library.folder.originals, original, reading.sha256)
            keep_readings(library.folder, library.catalogue, [reading for reading, _ in batch])
        kept = time.perf_counter() - began
        library.index.catch_up(wait=True)
        indexed = time.perf_counter() - began - kept
        print(f"made and kept {tables:,} tables in {kept:.0f} s, indexed them in {indexed:.0f} s", file=sys.stderr)
    return library


def batches(variations: Variations, wanted: int) -> Iterator[list[tuple[Reading, bytes]]]:
    for first in range(0, wanted, TOGETHER):
        yield [variations.make(number) for number in range(first, min(first + TOGETHER, wanted))]
