"""A library whose originals and segments lie in object storage: a server that speaks S3's protocol has them here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import disturbing
import pytest
from archives import DATE, EXAMPLES, PAGE, RECORDS, contents, write_archive, write_crawl

from tabellion.errors import LibraryError, SourceMissingError, UnreadableError
from tabellion.library import open_library
from tabellion.library.originals import find_original, load_original
from tabellion.library.records import describe_library
from tabellion.library.upkeep import copy_library
from tabellion.library.verify import verify_library
from tabellion.pipeline import Settings
from tabellion.scale import RunReport, expand_places, run_sources
from tabellion.scale.driver import connected
from tabellion.scale.work import load_bytes

for needed in ("distributed", "moto", "s3fs", "flask", "upath"):
    pytest.importorskip(needed)


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """The address of an empty bucket."""
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(port=0, ip_address="127.0.0.1", verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    settings = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, value)
        boto3.client("s3").create_bucket(Bucket="tables")
        yield "s3://tables"
    server.stop()


@pytest.fixture(scope="module")
def cluster(bucket: str) -> Iterator[str]:
    with connected("local:2") as client:
        yield client.scheduler.address


def test_a_library_in_object_storage_is_like_one_in_a_folder(tmp_path: Path, bucket: str, cluster: str) -> None:
    sources = [str(path) for path in sorted(EXAMPLES.glob("*.xlsx"))[:4]]
    place, address = str(tmp_path / "shelf"), f"{bucket}/shelf"
    with open_library(str(tmp_path / "folder"), create=True) as plain:
        plain.add(*sources)
        expected = contents(plain)
    with open_library(place, address, create=True) as library:
        assert run_sources(sources, library, cluster).documents == {"added": 4}
    with open_library(place) as library:  # where its files are is known
        assert contents(library) == expected
        assert list(verify_library(library)) == []
        assert not list((tmp_path / "shelf").glob("segments/*"))
        assert {path.suffix for path in library.folder.segments.iterdir()} >= {".parquet"}
        facts = describe_library(library)
        assert facts["files"] == address
        assert facts["bytes of segments"] > 0
        first = next(one for one in library.documents() if one.tables)
        assert load_original(library.folder.originals, first.sha256) == Path(first.source).read_bytes()
        assert copy_library(library, str(tmp_path / "copy")) == 4
        library.repair(first.tables[0]).set_text("title", "Renamed")
        assert list(verify_library(library)) == []
        library.remove(first.id, forget=True)
        assert list(verify_library(library)) == []
    with open_library(str(tmp_path / "copy")) as copied:
        assert contents(copied) == expected
    with pytest.raises(LibraryError, match="are in s3://tables/shelf"):
        open_library(place, f"{bucket}/other")


def test_archives_are_read_from_object_storage_and_only_referred_to(tmp_path: Path, bucket: str, cluster: str) -> None:
    import fsspec

    inner = write_archive(tmp_path / "pages.warc.gz", RECORDS)
    with fsspec.open(f"{bucket}/pages.warc.gz", "wb") as file:
        file.write(inner.read_bytes())
    with open_library(str(tmp_path / "library"), create=True) as library:
        report = run_sources([f"{bucket}/pages.warc.gz"], library, cluster, originals="refer")
        assert report.documents == {"added": 2, "error": 1, "passed over": 2}
        record = library.find(f"https://a.example/1.html#fetched={DATE}")
        held = find_original(library.folder.originals, record.sha256)
        assert held is not None
        assert held.suffix == ".refer"
        assert load_original(library.folder.originals, record.sha256) == PAGE
        library.repair(library.documents()[0].tables[0]).set_text("title", "Cities")  # reads it again
        assert list(verify_library(library)) == []
        with fsspec.open(f"{bucket}/pages.warc.gz", "wb") as file:
            file.write(b"gone")
        assert [fault for fault in verify_library(library) if record.sha256 in fault]


def test_folders_patterns_and_indexes_of_a_store_name_their_documents(
    tmp_path: Path, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fsspec

    archive = write_crawl(tmp_path / "store")
    store, _ = fsspec.core.url_to_fs(bucket)
    (tmp_path / "store" / "crawl-data" / "page.html").write_bytes(PAGE)
    store.put(str(tmp_path / "store"), f"{bucket}/store", recursive=True)
    expected = [one.source for one in expand_places([str(archive)])]
    inside = f"{bucket}/store/crawl-data/"
    assert [one.source for one in expand_places([inside])] == [*expected, f"{inside}page.html"]
    assert [one.source for one in expand_places([f"{inside}**/*.html"])] == [f"{inside}page.html"]
    (indexed,) = expand_places([f"{bucket}/store/cc-index/table/crawl=CC-MAIN-2020/1.parquet"])
    assert indexed.source == "https://a.example/1.html"
    fetched: list[int] = []
    whole = store.cat_file

    def cat_file(path: str, start: int, end: int) -> bytes:
        fetched.append(end - start)
        return bytes(whole(path, start=start, end=end))

    monkeypatch.setattr(store, "cat_file", cat_file)
    assert load_bytes(indexed, Settings()) == PAGE
    assert fetched == [indexed.length]
    for nothing in (f"{bucket}/nothing/", f"{bucket}/*.none"):
        with pytest.raises(SourceMissingError, match="no document at this address"):
            list(expand_places([nothing]))
    with pytest.raises(UnreadableError, match="cannot be listed"):
        list(expand_places([f"{bucket}/a**b.html"]))


@pytest.mark.skipif(not disturbing.has_server(), reason="PostgreSQL's server is not installed")
def test_a_catalogue_in_postgresql_and_files_in_object_storage(tmp_path: Path, bucket: str, cluster: str) -> None:
    sources = [str(path) for path in sorted(EXAMPLES.glob("*.xlsx"))[:4]]
    with open_library(str(tmp_path / "folder"), create=True) as plain:
        plain.add(*sources)
        expected = contents(plain)
    with disturbing.databases() as database:
        place, address = database(), f"{bucket}/shared"

        def lose_connections(_: object, report: RunReport) -> None:
            if report.documents["added"] == 2:
                disturbing.lose_connections(place)

        with open_library(place, address, create=True) as library:
            report = run_sources(sources[:2], library, cluster, listen=lose_connections)
            assert report.documents == {"added": 2}
            assert run_sources(sources, library, cluster).documents == {"unchanged": 2, "added": 2}
        with open_library(place) as library:  # another machine, which is told of the catalogue alone
            assert contents(library) == expected
            assert list(verify_library(library)) == []
            first = next(one for one in library.documents() if one.tables)
            library.repair(first.tables[0]).set_text("title", "Renamed")
            assert {"title": "Renamed"} in library.query("select title from tables").to_pylist()
            assert library.search("").total == len(library.query("select table_id from tables"))
            assert list(verify_library(library)) == []
