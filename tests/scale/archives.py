"""Web archives to test with, and what a library holds."""

from __future__ import annotations

import gzip
import io
import struct
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
PAGE = (
    b"<table><tr><th>City</th><th>People</th></tr><tr><td>Aville</td><td>5</td></tr><tr><td>Btown</td><td>7</td></tr>\
<tr><td>Cford</td><td>9</td></tr></table>"
)
DATE = "2020-05-01T10:00:00Z"


def write_archive(path: Path, records: list[tuple[str, str, bytes, str]]) -> Path:
    """A WARC file of addresses, content types, bodies and status lines."""
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=path.suffix == ".gz")
        for address, kind, body, status in records:
            headers = StatusAndHeaders(status, [("Content-Type", kind)], protocol="HTTP/1.1")
            record = writer.create_warc_record(
                address,
                "response",
                payload=io.BytesIO(body),
                http_headers=headers,
                warc_headers_dict={"WARC-Date": DATE},
            )
            writer.write_record(record)
    return path


RECORDS = [
    ("https://a.example/1.html", "text/html", PAGE, "200 OK"),
    ("https://a.example/2.png", "image/png", b"\x89PNG", "200 OK"),
    ("https://a.example/3.xlsx", "application/vnd.ms-excel", (EXAMPLES / "list.xlsx").read_bytes(), "200 OK"),
    ("https://a.example/4.html", "text/html", PAGE, "404 Not Found"),
    ("https://a.example/5.pdf", "application/pdf", b"%PDF-1.4 broken", "200 OK"),
]


def pack_archive(plain: Path, packing: str) -> Path:
    """The same archive, each record packed for itself."""
    parts = [b"WARC/1." + part for part in plain.read_bytes().split(b"WARC/1.")[1:]]
    if packing == "plain":
        return plain
    if packing == "gzip":
        path = plain.with_name("packed.warc.gz")
        path.write_bytes(b"".join(gzip.compress(part) for part in parts))
        return path
    zstandard = pytest.importorskip("zstandard")
    path, head, dictionary = plain.with_name("packed.warc.zst"), b"", None
    if packing.endswith("dictionary"):
        dictionary = zstandard.train_dictionary(2048, parts * 50)
        frame = dictionary.as_bytes()
        head = struct.pack("<II", 0x184D2A5D, len(frame)) + frame
    packer = zstandard.ZstdCompressor(dict_data=dictionary)
    path.write_bytes(head + b"".join(packer.compress(part) for part in parts))
    return path


def write_crawl(store: Path) -> Path:
    """A store laid out as Common Crawl's: an archive under `crawl-data`, lists of it and an index elsewhere."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from tabellion.scale import expand_places

    name = "crawl-data/CC-MAIN-2020/warc/one.warc.gz"
    archive, index = store / name, store / "cc-index" / "table" / "crawl=CC-MAIN-2020"
    archive.parent.mkdir(parents=True)
    index.mkdir(parents=True)
    write_archive(archive, RECORDS)
    (store / "crawl-data" / "CC-MAIN-2020" / "warc.paths.gz").write_bytes(gzip.compress(f"{name}\n".encode()))
    first, second = list(expand_places([str(archive)]))[:2]
    at = {"warc_record_offset": [first.offset], "warc_record_length": [second.offset - first.offset]}
    pq.write_table(pa.table({"url": ["https://a.example/1.html"], "warc_filename": [name], **at}), index / "1.parquet")
    return archive


def contents(library: Any) -> list[tuple[object, ...]]:
    asked = library.query(
        'select source, row, "column", text, value, top, "left" from tuples join documents using (document_id)'
    )
    return sorted(tuple(map(str, row.values())) for row in asked.to_pylist())
