"""Runs on a cluster: the same as `add`, nothing lost and nothing twice, whatever is killed."""

from __future__ import annotations

import io
import os
import signal
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tabellion.errors import UsageError
from tabellion.library import open_library
from tabellion.scale import WorkSettings, expand_places, read_documents, run_sources
from tabellion.scale.driver import _batches, _spread, connected

pytest.importorskip("distributed")
warcio = pytest.importorskip("warcio")

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


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a cluster of this machine that stays up for all tests."""
    with connected("local:2") as client:
        yield client.scheduler.address


def contents(library: Any) -> list[tuple[object, ...]]:
    asked = library.query(
        'select source, row, "column", text, value, top, "left" from tuples join documents using (document_id)'
    )
    return sorted(tuple(map(str, row.values())) for row in asked.to_pylist())


def test_a_run_ends_as_adding_does(tmp_path: Path, cluster: str) -> None:
    with (
        open_library(str(tmp_path / "run"), create=True) as ran,
        open_library(str(tmp_path / "add"), create=True) as added,
    ):
        report = run_sources([str(EXAMPLES)], ran, cluster)
        added.add(*(place.file for place in expand_places([str(EXAMPLES)])))
        assert report.documents["added"] == len(list(expand_places([str(EXAMPLES)])))
        assert contents(ran) == contents(added) != []
        again = run_sources([str(EXAMPLES)], ran, cluster)
        assert again.documents == {"unchanged": report.documents["added"]}


def test_every_record_of_an_archive_is_accounted_for(tmp_path: Path, cluster: str) -> None:
    packed = write_archive(tmp_path / "pages.warc.gz", RECORDS)
    told: list[str] = []
    with open_library(str(tmp_path / "library"), create=True) as library:
        report = run_sources([str(packed)], library, cluster, listen=lambda done: told.append(done.source))
        assert report.documents == {"added": 2, "error": 1}
        assert sorted(told) == [f"https://a.example/{name}#fetched={DATE}" for name in ("1.html", "3.xlsx", "5.pdf")]
        assert ("https://a.example/1.html#fetched=" + DATE) in {row[0] for row in contents(library)}


def test_archives_in_wacz_files_lists_and_indexes_name_documents(tmp_path: Path) -> None:
    inner = write_archive(tmp_path / "data.warc.gz", RECORDS)
    with zipfile.ZipFile(tmp_path / "site.wacz", "w") as archive:
        archive.write(inner, "archive/data.warc.gz")
    (tmp_path / "list.txt").write_text(f"# what to read\n{inner}\nhttps://b.example/x.html\n")
    plain = list(expand_places([str(inner)]))
    inside = list(expand_places([str(tmp_path / "site.wacz")]))
    assert [place.source for place in inside] == [place.source for place in plain]
    work = WorkSettings(str(tmp_path / "originals"))
    (tmp_path / "originals").mkdir()
    assert read_documents(inside[:1], work)[0].reading == read_documents(plain[:1], work)[0].reading is not None
    listed = list(expand_places([f"@{tmp_path / 'list.txt'}"]))
    assert [place.source for place in listed] == [*(place.source for place in plain), "https://b.example/x.html"]
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = {"url": [plain[0].source], "warc_filename": [inner.name], "warc_record_offset": [plain[0].offset]}
    pq.write_table(pa.table({**rows, "warc_record_length": [plain[0].size]}), tmp_path / "index.parquet")
    indexed = list(expand_places([str(tmp_path / "index.parquet")]))
    assert [(place.file, place.offset) for place in indexed] == [(str(inner), plain[0].offset)]
    pq.write_table(pa.table({"a": [1]}), tmp_path / "other.parquet")
    with pytest.raises(UsageError, match="no index of web archives"):
        list(expand_places([str(tmp_path / "other.parquet")]))


def test_a_killed_worker_loses_no_document(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for number in range(80):
        (pages / f"{number}.html").write_bytes(PAGE.replace(b"5", str(number).encode()))
    with open_library(str(tmp_path / "library"), create=True) as library, connected("local:2") as client:
        work = WorkSettings(str(library.folder.originals))
        came = []
        for done in _spread(client, _batches(expand_places([str(pages)]), library, work)):
            if not came:
                process = next(iter(client.run(os.getpid).values()))
                os.kill(process, signal.SIGKILL)
            came.append(done)
        assert sorted(done.source for done in came) == sorted(str(page) for page in pages.iterdir())
        assert all(done.reading for done in came)


def test_a_cluster_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="local, local:N"), connected("nowhere"):
        pass
