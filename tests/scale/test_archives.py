"""Archives, indexes and stores that are not as they should be: each is told once, by its name, and costs itself."""

from __future__ import annotations

import gzip
import hashlib
import io
import shutil
import threading
import zipfile
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from archives import DATE, PAGE, RECORDS, contents, pack_archive, write_archive
from sqlalchemy import update

from tabellion.errors import SourceMissingError, TabellionError, TruncatedError, UnreadableError, UsageError
from tabellion.library import open_library
from tabellion.library.catalogue import batches
from tabellion.library.originals import find_original
from tabellion.library.verify import verify_library
from tabellion.pipeline import Settings
from tabellion.scale import DocumentPlace, RunReport, WorkSettings, expand_places, plan_batches, read_batch, run_sources
from tabellion.scale.driver import BATCH_DOCUMENTS, ClusterLostError, connected
from tabellion.scale.work import load_bytes

pytest.importorskip("distributed")
pytest.importorskip("fastwarc")


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    with connected("local:1") as client:
        yield client.scheduler.address


def record(name: str, body: bytes = PAGE, head: str = "", length: int | None = None) -> bytes:
    """A record of an archive as it stands in a plain one; its length is as it says, right or wrong."""
    sent = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{head}\r\n".encode() + body
    said = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/{name}\r\nWARC-Date: {DATE}\r\n"
    kind = "Content-Type: application/http; msgtype=response\r\n"
    return (
        f"{said}{kind}Content-Length: {len(sent) if length is None else length}\r\n\r\n".encode() + sent + b"\r\n\r\n"
    )


def told(sources: list[str], into: Path, cluster: str) -> tuple[RunReport, list[str]]:
    notes: list[str] = []
    with open_library(str(into), create=True) as library:
        report = run_sources(sources, library, cluster, listen=lambda done, _: notes.append(done.note))
    return report, [note for note in notes if note]


def spoil(path: Path, how: str) -> None:
    """Damage a WACZ file: the head of its first archive, its bytes, or how it says they are packed."""
    data = bytearray(path.read_bytes())
    listed = data.find(b"PK\x01\x02")
    if how == "head":
        data[:4] = b"XXXX"
    elif how == "bytes":
        data[200:260] = b"\xff" * 60
    elif how == "password":
        data[6] |= 1
        data[listed + 8] |= 1
    else:
        data[8] = data[listed + 10] = 99
    path.write_bytes(data)


@pytest.mark.parametrize("how", ["head", "bytes", "password", "method"])
@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_damaged_archive_in_a_wacz_file_costs_itself(tmp_path: Path, cluster: str, how: str, packing: int) -> None:
    with zipfile.ZipFile(tmp_path / "site.wacz", "w", packing) as archive:
        archive.writestr("archive/a.warc.gz", gzip.compress(record("a"), 0))
        archive.writestr("archive/b.warc.gz", gzip.compress(record("b")))
    spoil(tmp_path / "site.wacz", how)
    report, (note,) = told([str(tmp_path / "site.wacz")], tmp_path / "shelf", cluster)
    assert report.documents == {"added": 1, "error": 1}
    assert "site.wacz!archive/a.warc.gz" in note
    assert "defect" not in note


def test_a_damaged_index_is_told_by_its_name_and_rows_before_are_read(tmp_path: Path, cluster: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "index.parquet"
    rows = {"url": ["https://a.example/1"], "warc_filename": ["a.warc"], "warc_record_offset": [0]}
    pq.write_table(pa.table({**rows, "warc_record_length": [9]}), path, compression="none")
    data = bytearray(path.read_bytes())
    data[4:40] = b"\xff" * 36
    path.write_bytes(data)
    (tmp_path / "page.html").write_bytes(PAGE)
    report, (note,) = told([str(path), str(tmp_path / "page.html")], tmp_path / "shelf", cluster)
    assert report.documents == {"added": 1, "error": 1}
    assert note.startswith(f"{path}: the index is damaged")
    assert "\n" not in note


def test_rows_of_an_index_without_an_address_are_damaged_and_told_by_their_number(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = {"url": [None, "https://a.example/2"], "warc_filename": ["a.warc", None], "warc_record_offset": [0, 0]}
    pq.write_table(pa.table({**rows, "warc_record_length": [9, 9]}), tmp_path / "index.parquet")
    places = list(expand_places([str(tmp_path / "index.parquet")]))
    done = read_batch(places, WorkSettings(str(tmp_path / "originals"), str(tmp_path))).documents
    assert [one.kind for one in done] == ["truncated"] * 2
    assert "index.parquet#row=1: row 1 of" in done[0].note
    assert done[1].note.startswith("https://a.example/2: row 2 of")


class _Server(BaseHTTPRequestHandler):
    """Answers by name: `403…`, `500…`, `cut…` (a body that is cut short), `whole…` (without ranges)."""

    archive = gzip.compress(record("a", PAGE * 500), 0) + gzip.compress(record("b"))

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        name = self.path.strip("/")
        status = int(name[:3]) if name[:3].isdecimal() else 200
        body = b"" if status != 200 else self.archive if name.endswith(".gz") else pack_wacz(self.archive)
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) + (9_000 if name.startswith("cut") else 0)))
        self.send_header("Accept-Ranges", "none" if name.startswith("whole") else "bytes")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


def pack_wacz(archive: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as packed:
        packed.writestr("archive/a.warc.gz", archive)
    return held.getvalue()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Server) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{made.server_port}"
        made.shutdown()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("403.warc.gz", "its server answered 403"),
        ("500.warc.gz", "its server answered 500"),
        ("404.warc.gz", "there is nothing at this address"),
        ("500.parquet", "its server answered 500"),
        ("cut.warc.gz", "cannot be fetched"),
        ("whole.wacz", "its server sends no parts of files"),
        ("whole.warc.gz", "its server sends no parts of files"),
    ],
)
def test_what_a_server_does_not_send_is_told_as_it_is(server: str, name: str, words: str) -> None:
    with pytest.raises(UnreadableError, match=words):
        list(expand_places([f"{server}/{name}"]))


def test_a_record_that_a_server_does_not_send_is_told_as_it_is(server: str) -> None:
    for name, words in (("500.warc.gz", "answered 500"), ("whole.warc.gz", "no parts of files"), ("404.gz", "nothing")):
        with pytest.raises(UnreadableError, match=f"https://a.example/1: {server}/{name}: .*{words}"):
            load_bytes(DocumentPlace("https://a.example/1", f"{server}/{name}", 0, length=100), Settings())
    with pytest.raises(UnreadableError, match=r"127\.0\.0\.1:1/a.warc.gz: cannot be fetched"):
        list(expand_places(["http://127.0.0.1:1/a.warc.gz"]))
    with pytest.raises(UnreadableError, match="its server answered 403"):
        list(expand_places([f"@{server}/403.txt"]))


@pytest.fixture
def stores() -> Iterator[None]:
    """No connection to a store that an earlier test made, and none that a later one would be given."""
    s3fs = pytest.importorskip("s3fs")
    s3fs.S3FileSystem.clear_instance_cache()
    yield
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.mark.usefixtures("stores")
def test_a_store_without_a_key_is_told_by_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    with pytest.raises(UnreadableError, match=r"s3://no-keys/a.warc.gz: cannot be fetched"):
        list(expand_places(["s3://no-keys/a.warc.gz"]))
    with pytest.raises(UnreadableError, match=r"s3://no-keys/a.html: cannot be fetched"):
        load_bytes(DocumentPlace("a", "s3://no-keys/a.html"), Settings())
    with pytest.raises(UnreadableError, match=r"s3://no-keys/a.warc.gz: cannot be fetched"):
        load_bytes(DocumentPlace("a", "s3://no-keys/a.warc.gz", 0, length=9), Settings())


def chunked(data: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (data[:50], data[50:])) + b"0\r\n\r\n"


@pytest.mark.parametrize("packing", ["plain", "gzip", "zstandard"])
def test_a_body_is_read_whatever_its_head_says_of_its_packing(tmp_path: Path, packing: str) -> None:
    zstandard = pytest.importorskip("zstandard")
    bodies = [
        (word, PAGE) for word in ("gzip", "none", "utf-8", "identity", "foo", "br", "deflate", "zstd", "gzip, br")
    ]
    bodies += [("gzip", gzip.compress(PAGE)), ("x-gzip", gzip.compress(PAGE)), ("deflate", zlib.compress(PAGE))]
    bodies += [("deflate", zlib.compress(PAGE)[2:-4]), ("zstd", zstandard.compress(PAGE))]
    heads = [(f"Content-Encoding: {word}\r\n", body) for word, body in bodies]
    sent = "Transfer-Encoding: chunked\r\n"
    heads += [(sent, chunked(PAGE)), (sent, PAGE), (f"{sent}Content-Encoding: gzip\r\n", chunked(gzip.compress(PAGE)))]
    plain = tmp_path / "plain.warc"
    plain.write_bytes(b"".join(record(str(number), body, head) for number, (head, body) in enumerate(heads)))
    places = list(expand_places([str(pack_archive(plain, packing))]))
    assert [place.source for place in places] == [
        f"https://a.example/{number}#fetched={DATE}" for number in range(len(heads))
    ]
    assert [load_bytes(place, Settings()) for place in places] == [PAGE] * len(heads)


def test_a_packed_body_that_is_damaged_is_told_and_counted_once(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(PAGE))
    packed[-8:-4] = b"\xff" * 4
    path = tmp_path / "a.warc"
    path.write_bytes(record("1") + record("2", bytes(packed), "Content-Encoding: gzip\r\n") + record("3"))
    _, second, _ = expand_places([str(path)])
    with pytest.raises(TruncatedError, match="its record in"):
        load_bytes(second, Settings())


@pytest.mark.parametrize("packing", ["gzip", "zstandard"])
def test_records_that_are_packed_together_are_told_once(tmp_path: Path, packing: str) -> None:
    data = b"".join(record(str(number)) for number in range(40))
    path = tmp_path / ("a.warc.gz" if packing == "gzip" else "a.warc.zst")
    path.write_bytes(gzip.compress(data) if packing == "gzip" else pytest.importorskip("zstandard").compress(data))
    with pytest.raises(UnreadableError, match=rf"{path.name}: its records are packed together.* unpack it"):
        list(expand_places([str(path)]))


@pytest.mark.parametrize("packed", [False, True])
def test_a_record_that_is_cut_off_is_told(tmp_path: Path, packed: bool) -> None:
    parts = [record("1"), record("long", length=5000), record("2"), record("short", length=60), record("3")]
    path = tmp_path / ("a.warc.gz" if packed else "a.warc")
    path.write_bytes(b"".join(gzip.compress(part) if packed else part for part in parts))
    places = list(expand_places([str(path)]))
    assert len(places) == len(parts)
    done = read_batch(places, WorkSettings(str(tmp_path / "originals"), str(tmp_path))).documents
    assert [one.kind for one in done][:3] == ["", "truncated", ""]
    if packed:
        assert done[3].kind == "truncated"
    path = tmp_path / "b.warc"
    path.write_bytes((record("1") + record("2"))[:-40])
    _, last = expand_places([str(path)])
    with pytest.raises(TruncatedError, match=r"it has \d+ bytes of \d+"):
        load_bytes(last, Settings())


def test_what_is_no_archive_is_told_so(tmp_path: Path) -> None:
    for name in ("junk.warc", "junk.warc.gz", "junk.warc.zst"):
        (tmp_path / name).write_bytes(b"hello world\n" * 50)
        with pytest.raises(TruncatedError, match="no record can be read"):
            list(expand_places([str(tmp_path / name)]))


def test_a_gzip_file_at_the_end_of_a_plain_archive_is_no_lost_record(tmp_path: Path) -> None:
    path = write_archive(
        tmp_path / "a.warc", [("https://a.example/1", "application/octet-stream", gzip.compress(PAGE), "200 OK")]
    )
    assert [place.unfit for place in expand_places([str(path)])] == [""]


def test_a_file_that_is_named_again_is_one_document(tmp_path: Path, cluster: str) -> None:
    pages = [tmp_path / f"{number}.html" for number in range(BATCH_DOCUMENTS + 5)]
    for number, page in enumerate(pages):
        page.write_bytes(PAGE.replace(b"5", str(number).encode()))
    again = [str(pages[0]), f"{tmp_path}/./1.html", f"file://{pages[2]}", f"file://{tmp_path}/3*.html"]
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        report = run_sources([*map(str, pages), *again], library, cluster)
        assert report.documents == {"added": len(pages)}
        assert len(library.documents()) == len(pages)


def test_records_of_one_name_are_all_accounted_for(tmp_path: Path, cluster: str) -> None:
    many = [record(str(number)) for number in range(BATCH_DOCUMENTS)]
    other = PAGE.replace(b"5", b"6")
    gone = record("dup").replace(b"200 OK", b"404 No")
    parts = [gone, record("dup"), record("dup", other), *many, record("dup", other), record("0")]
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(parts))
    shutil.copy(path, tmp_path / "b.warc")
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        report = run_sources([str(path), str(path), f"file://{path}"], library, cluster)
        assert report.documents == {"added": len(many) + 1, "passed over": 4}
        assert report.unfit == {"status 404": 1, "named again": 3}
        assert [row for row in contents(library) if "dup" in str(row[0]) and "6" in row] == []
    planned = list(plan_batches(expand_places([str(path), str(tmp_path / "b.warc")])))
    assert planned == list(plan_batches(expand_places([str(path), str(tmp_path / "b.warc")])))
    assert sum(len(one.places) for one in planned) == 2 * len(parts)


def test_a_damaged_line_of_the_manifest_is_a_batch_that_is_done_again(tmp_path: Path, cluster: str) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for number in range(2 * BATCH_DOCUMENTS):
        (pages / f"{number:03}.html").write_bytes(PAGE.replace(b"5", str(number).encode()))

    def stop(_: object, report: RunReport) -> None:
        if report.documents["added"] >= BATCH_DOCUMENTS:
            raise KeyboardInterrupt

    for damage in ("{", "[]", '{"documents": 5}', ""):
        with open_library(str(tmp_path / f"shelf{len(damage)}"), create=True) as library:
            with pytest.raises(KeyboardInterrupt):
                run_sources([str(pages)], library, cluster, listen=stop)
            with library.catalogue.writing() as connection:
                connection.execute(update(batches).values(report=damage))
            report = run_sources([str(pages)], library, cluster)
            assert report.documents == {"unchanged": BATCH_DOCUMENTS, "added": BATCH_DOCUMENTS}
            assert list(verify_library(library)) == []


def test_originals_that_were_damaged_or_not_kept_are_kept_by_the_next_run(tmp_path: Path, cluster: str) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(PAGE)
    sha256 = hashlib.sha256(PAGE).hexdigest()
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        run_sources([str(page)], library, cluster, originals="refer")
        held = find_original(library.folder.originals, sha256)
        assert held is not None
        assert held.suffix == ".refer"
        assert run_sources([str(page)], library, cluster).documents == {"unchanged": 1}
        for how in ("keep", "refer"):
            held = find_original(library.folder.originals, sha256)
            assert held is not None
            assert held.suffix != ".refer"
            held.write_bytes(b"rubbish")
            assert list(verify_library(library)) != []
            assert run_sources([str(page)], library, cluster, originals=how).documents == {"unchanged": 1}
            assert list(verify_library(library)) == []


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("local:0", UsageError),
        ("missing.json", UsageError),
        ("bad.json", UsageError),
        ("list.json", UsageError),
        ("tcp://127.0.0.1:1", ClusterLostError),
        ("what://127.0.0.1:1", ClusterLostError),
    ],
)
def test_a_cluster_that_cannot_be_reached_is_told_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, error: type[TabellionError]
) -> None:
    import dask

    monkeypatch.chdir(tmp_path)
    Path("bad.json").write_text("{")
    Path("list.json").write_text("[]")
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        pytest.raises(error, match=f"--cluster {name}: "),
        connected(name),
    ):
        pass


def test_a_missing_archive_is_told_as_missing(tmp_path: Path) -> None:
    for source in (f"{tmp_path}/a.warc.gz", f"file://{tmp_path}/a.warc.gz", f"{tmp_path}/a.wacz"):
        with pytest.raises(SourceMissingError, match=r"a\.wa"):
            list(expand_places([source]))
    assert len(list(expand_places([str(write_archive(tmp_path / "b.warc.gz", RECORDS))]))) == len(RECORDS)
