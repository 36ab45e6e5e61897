"""Runs on a cluster: the same as `add`, nothing lost and nothing twice, whatever is killed."""

from __future__ import annotations

import random
import shutil
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from archives import DATE, EXAMPLES, PAGE, RECORDS, contents, pack_archive, write_archive, write_crawl
from sqlalchemy import event

import tabellion.scale.driver
import tabellion.scale.named
import tabellion.scale.work
from tabellion.errors import CrashError, LibraryError, TruncatedError, UnreadableError, UsageError
from tabellion.library import open_library
from tabellion.library.verify import verify_library
from tabellion.pipeline import Settings
from tabellion.scale import (
    DocumentPlace,
    Manifest,
    RunReport,
    WorkSettings,
    expand_places,
    plan_batches,
    read_batch,
    run_sources,
)
from tabellion.scale.driver import BATCH_BYTES, BATCH_DOCUMENTS, Ahead, connected
from tabellion.scale.places import SourceFile
from tabellion.scale.work import Batch, ReadDocument, load_bytes

pytest.importorskip("distributed")
pytest.importorskip("warcio")


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a cluster of this machine that stays up for all tests."""
    with connected("local:2") as client:
        yield client.scheduler.address


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
        report = run_sources([str(packed)], library, cluster, listen=lambda done, _: told.append(done.source))
        assert report.documents == {"added": 2, "error": 1, "passed over": 2}
        assert report.unfit == {"image/png": 1, "status 404": 1}
        assert sum(report.documents.values()) == len(RECORDS)
        assert sorted(told) == [f"https://a.example/{name}#fetched={DATE}" for name in ("1.html", "3.xlsx", "5.pdf")]
        assert ("https://a.example/1.html#fetched=" + DATE) in {row[0] for row in contents(library)}


@pytest.mark.parametrize("packing", ["plain", "gzip", "zstandard", "zstandard with a dictionary"])
def test_archives_are_read_however_they_are_packed(tmp_path: Path, packing: str) -> None:
    plain = write_archive(tmp_path / "plain.warc", RECORDS)
    expected = [(place.source, load_bytes(place, Settings())) for place in expand_places([str(plain)])]
    packed = pack_archive(plain, packing)
    found = [(place.source, load_bytes(place, Settings())) for place in expand_places([str(packed)])]
    assert found == expected
    assert [body for _, body in found] == [record[2] for record in RECORDS]


def test_a_record_whose_body_is_damaged_is_told_of_once(tmp_path: Path) -> None:
    choose = random.Random(5)  # noqa: S311 - bodies that do not become shorter, so that heads are read before the damage
    records = [(f"https://a.example/{number}", "text/html", choose.randbytes(800_000), "200 OK") for number in range(4)]
    path = write_archive(tmp_path / "pages.warc.gz", records)
    at = [place.offset for place in expand_places([str(path)])]
    data = bytearray(path.read_bytes())
    data[at[1] + 700_000 : at[1] + 700_040] = b"\xff" * 40
    path.write_bytes(data)
    found = list(expand_places([str(path)]))
    assert [place.source.partition("#")[0] for place in found] == [record[0] for record in records]
    done = read_batch(found, WorkSettings(str(tmp_path / "originals"), str(tmp_path))).documents
    assert [one.kind for one in done] == ["unknown-format", "truncated", "unknown-format", "unknown-format"]


def test_every_record_that_is_lost_is_told_of(tmp_path: Path) -> None:
    records = [(f"https://a.example/{number}", "text/html", PAGE * 5, "200 OK") for number in range(6)]
    path = write_archive(tmp_path / "pages.warc.gz", records)
    at = [place.offset for place in expand_places([str(path)])]
    data = bytearray(path.read_bytes())
    for lost in (2, 3):
        data[at[lost] + 60 : at[lost] + 80] = b"\xff" * 20
    path.write_bytes(data)
    (batch,) = plan_batches(expand_places([str(path)]))
    assert [bool(place.unfit) for place in batch.places] == [False, False, True, True, False, False]


@pytest.mark.parametrize("where", ["head", "middle", "end"])
def test_what_comes_behind_a_damaged_record_is_read(tmp_path: Path, where: str) -> None:
    records = [(f"https://a.example/{number}", "text/html", PAGE * 5, "200 OK") for number in range(6)]
    path = write_archive(tmp_path / "pages.warc.gz", records)
    at = [place.offset for place in expand_places([str(path)])]
    data = bytearray(path.read_bytes())
    if where == "end":
        data = data[: at[5] + 40]
    else:
        first = at[2] + (1 if where == "head" else 60)
        data[first : first + 20] = b"\xff" * 20
    path.write_bytes(data)
    found = list(expand_places([str(path)]))
    lost = 5 if where == "end" else 2
    assert [place.source.partition("#")[0] for place in found if not place.unfit] == [
        record[0] for number, record in enumerate(records) if number != lost
    ]
    assert [place.unfit for place in found if place.unfit] == ["damaged"]
    work = WorkSettings(str(tmp_path / "originals"), str(tmp_path))
    (damaged,) = read_batch([place for place in found if place.unfit], work).documents
    assert damaged.kind == "truncated"
    assert "those after it are read" in damaged.note


def test_archives_in_wacz_files_lists_and_indexes_name_documents(tmp_path: Path) -> None:
    inner = write_archive(tmp_path / "data.warc.gz", RECORDS)
    with zipfile.ZipFile(tmp_path / "site.wacz", "w") as archive:
        archive.write(inner, "archive/data.warc.gz")
    (tmp_path / "list.txt").write_text(f"# what to read\n{inner}\nhttps://b.example/x.html\n")
    plain = list(expand_places([str(inner)]))
    inside = list(expand_places([str(tmp_path / "site.wacz")]))
    assert [place.source for place in inside] == [place.source for place in plain]
    work = WorkSettings(str(tmp_path / "originals"), str(tmp_path))
    from_wacz, from_warc = read_batch(inside[:1], work), read_batch(plain[:1], work)
    assert from_wacz.documents[0].reading == from_warc.documents[0].reading is not None
    assert from_wacz.segment == from_warc.segment is not None
    listed = list(expand_places([f"@{tmp_path / 'list.txt'}"]))
    assert [place.source for place in listed] == [*(place.source for place in plain), "https://b.example/x.html"]
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = {"url": ["https://a.example/1.html"], "warc_filename": [inner.name], "warc_record_offset": [plain[0].offset]}
    fetched = [datetime.fromisoformat(DATE)]
    pq.write_table(
        pa.table({**rows, "warc_record_length": [plain[0].size], "fetch_time": fetched}), tmp_path / "index.parquet"
    )
    indexed = list(expand_places([str(tmp_path / "index.parquet")]))
    assert [(one.source, one.file, one.offset) for one in indexed] == [(plain[0].source, str(inner), plain[0].offset)]
    pq.write_table(pa.table({"a": [1]}), tmp_path / "other.parquet")
    with pytest.raises(UnreadableError, match="no index of web archives"):
        list(expand_places([str(tmp_path / "other.parquet")]))


def test_names_of_a_crawl_begin_at_the_top_of_its_store(tmp_path: Path) -> None:
    archive = write_crawl(tmp_path / "store")
    plain = list(expand_places([str(archive)]))
    listed = list(expand_places([f"@{archive.parents[1] / 'warc.paths.gz'}"]))
    assert [one.source for one in listed] == [one.source for one in plain]
    index = tmp_path / "store" / "cc-index" / "table" / "crawl=CC-MAIN-2020" / "1.parquet"
    (indexed,) = expand_places([str(index)])
    assert (indexed.file, indexed.offset) == (str(archive), plain[0].offset)
    alone = index.replace(tmp_path / "fetched.parquet")  # an index that was fetched says nothing of where it was
    (told,) = expand_places([str(alone)], archives=f"file://{tmp_path}/store/")
    assert told.file == f"file://{tmp_path}/store/crawl-data/CC-MAIN-2020/warc/one.warc.gz"
    assert load_bytes(told, Settings()) == PAGE
    assert told.length < archive.stat().st_size, "no more is fetched than the record"


def test_a_folder_names_its_archives_too(tmp_path: Path) -> None:
    archive = write_archive(tmp_path / "one.warc.gz", RECORDS)
    expected = [one.source for one in expand_places([str(archive)])]
    assert [one.source for one in expand_places([str(tmp_path)])] == expected
    (tmp_path / "page.html").write_bytes(PAGE)
    assert [one.source for one in expand_places([str(tmp_path)])] == [*expected, str(tmp_path / "page.html")]
    for pattern in (f"{tmp_path}/*.warc.gz", f"file://{tmp_path}/*.warc.gz"):
        assert [one.source for one in expand_places([pattern])] == expected


def test_a_folder_or_a_pattern_of_indexes_names_their_records(tmp_path: Path) -> None:
    write_crawl(tmp_path / "store")
    index = tmp_path / "store" / "cc-index" / "table" / "crawl=CC-MAIN-2020" / "1.parquet"
    shutil.copy(index, index.with_name("2.parquet"))
    for source in (str(index.parent), f"{index.parent}/*.parquet", f"file://{index.parent}/"):
        assert [one.source for one in expand_places([source])] == ["https://a.example/1.html"] * 2


def test_an_archive_that_is_none_costs_a_folder_nothing_else(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for name in ("a.html", "z.html"):
        (pages / name).write_bytes(PAGE)
    (pages / "b.wacz").write_bytes(b"no zip")
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        done = run_sources([str(pages)], library, "local:1")
    assert (done.documents, done.failures) == ({"added": 2, "error": 1}, {"truncated": 1})


def test_a_list_that_is_no_gzip_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "list.gz").write_bytes(b"a.html\n")
    with pytest.raises(TruncatedError, match="not a list, though its ending names one"):
        list(expand_places([f"@{tmp_path / 'list.gz'}"]))


def test_a_list_that_holds_itself_and_what_is_no_archive_do_not_stop_the_rest(tmp_path: Path) -> None:
    (tmp_path / "bad.wacz").write_bytes(b"no zip")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1xxxxPAR1")
    (tmp_path / "page.html").write_bytes(PAGE)
    lines = ["@", "a\0b.html", f"@{tmp_path}/list.txt", *(f"{tmp_path}/{one}" for one in ("bad.wacz", "bad.parquet"))]
    (tmp_path / "list.txt").write_text("\n".join([*lines, f"{tmp_path}/page.html"]))
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        done = run_sources([f"@{tmp_path}/list.txt"], library, "local:1")
    assert done.documents == {"added": 1, "error": 5}
    assert done.failures == {"unreadable": 2, "missing": 1, "truncated": 2}


def test_rows_of_an_index_that_say_no_place_are_damaged(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = {"url": ["a", "b", None], "warc_filename": ["a.warc", "b.warc", None]}
    places = {"warc_record_offset": [None, -5, 0], "warc_record_length": [1, 1, 1]}
    pq.write_table(pa.table({**rows, **places}), tmp_path / "index.parquet")
    assert [one.unfit for one in expand_places([str(tmp_path / "index.parquet")])] == ["damaged"] * 3


def test_a_document_that_brings_its_process_down_is_tried_again_and_costs_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[str] = []

    def lose(*_: object, name: str, **__: object) -> None:
        tries.append(name)
        raise CrashError(f"{name}: it brought down the process that read it")

    bad, good = tmp_path / "bad.html", tmp_path / "good.html"
    bad.write_bytes(PAGE)
    good.write_bytes(PAGE)
    work = WorkSettings(str(tmp_path / "originals"), str(tmp_path))
    places = list(expand_places([str(bad), str(good)]))
    real = tabellion.scale.work.do_reading
    monkeypatch.setattr(
        tabellion.scale.work,
        "do_reading",
        lambda *given, name, **rest: (lose if "bad" in name else real)(*given, name=name, **rest),
    )
    first, second = read_batch(places, work).documents
    assert (first.kind, second.kind) == ("crash", "")
    assert tries == [str(bad), str(bad)]


def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path: Path, cluster: str) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for number in range(3 * BATCH_DOCUMENTS):
        (pages / f"{number:03}.html").write_bytes(PAGE.replace(b"5", str(number).encode()))
    (pages / "broken.pdf").write_bytes(b"%PDF-1.4 broken")

    def stop(_: object, report: RunReport) -> None:
        if report.documents["added"] >= BATCH_DOCUMENTS:
            raise KeyboardInterrupt

    with open_library(str(tmp_path / "library"), create=True) as library:
        with pytest.raises(KeyboardInterrupt):
            run_sources([str(pages)], library, cluster, listen=stop)
        seen = len(library.documents())
        assert 0 < seen < 3 * BATCH_DOCUMENTS, "batches become visible one by one"
        report = run_sources([str(pages)], library, cluster)
        assert report.resumed >= 1
        assert report.documents == {"added": 3 * BATCH_DOCUMENTS, "error": 1}
        assert list(verify_library(library)) == []
        again = run_sources([str(pages)], library, cluster)
        assert again.documents == {"unchanged": 3 * BATCH_DOCUMENTS, "error": 1}


def test_batches_are_sized_by_what_documents_cost() -> None:
    pages = [DocumentPlace(f"{number}.html", "x", size=1000) for number in range(BATCH_DOCUMENTS + 1)]
    prints = [DocumentPlace(f"{number}.pdf", "x", size=1000) for number in range(5)]
    large = [DocumentPlace(f"{number}.csv", "x", size=BATCH_BYTES - 1) for number in range(2)]
    sizes = [len(planned.places) for planned in plan_batches([*pages, *pages[-1:], *prints, *large])]
    assert sizes == [BATCH_DOCUMENTS, 1 + 3, 2, 1, 1]  # what is named twice is read once


def test_a_disk_without_room_for_what_was_named_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tabellion.scale.named, "_CACHE", "pragma max_page_count = 3")
    with pytest.raises(LibraryError, match="temporary files cannot be written"):
        list(plan_batches(DocumentPlace(f"{number}.html", "x") for number in range(5000)))


def test_a_defect_in_listing_a_source_costs_that_source(
    tmp_path: Path, cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.html", "b.html"):
        (tmp_path / name).write_bytes(PAGE)
    real = tabellion.scale.driver.places_in

    def fail(one: SourceFile, archives: str | None) -> Iterator[DocumentPlace]:
        return real(one, archives) if one.name.endswith("a.html") else iter([1 // 0])  # type: ignore[list-item]

    monkeypatch.setattr(tabellion.scale.driver, "places_in", fail)
    with open_library(str(tmp_path / "library"), create=True) as library:
        report = run_sources([str(tmp_path / "b.html"), str(tmp_path / "a.html")], library, cluster)
    assert (report.documents, report.failures) == ({"added": 1, "error": 1}, {"defect": 1})


def test_a_segment_is_called_by_what_it_holds(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(PAGE)
    work = WorkSettings(str(tmp_path / "originals"), str(tmp_path))
    first = read_batch(list(expand_places([str(page)])), work).segment
    assert first is not None
    assert first == read_batch(list(expand_places([str(page)])), work).segment
    page.write_bytes(PAGE.replace(b"5", b"6"))
    changed = read_batch(list(expand_places([str(page)])), work).segment
    assert changed is not None
    assert changed.segment_id != first.segment_id
    with open_library(str(tmp_path / "library"), create=True) as library:
        for number in (5, 6, 5, 6, 5):  # back and forth: a segment that was dead is alive again
            page.write_bytes(PAGE.replace(b"5", str(number).encode()))
            library.add(page)
            assert list(verify_library(library)) == []
        assert library.query("select value from tuples where value = 5").num_rows == 1


def test_corrections_hold_in_a_run(tmp_path: Path, cluster: str) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(PAGE)
    with open_library(str(tmp_path / "library"), create=True) as library:
        library.add(page)
        (table,) = library.documents()[0].tables
        library.repair(table).set_text("title", "Cities")
        page.write_bytes(PAGE + b"<p>changed</p>")
        assert run_sources([str(page)], library, cluster).documents == {"replaced": 1}
        assert library.query("select title from tables").to_pylist() == [{"title": "Cities"}]


def test_a_cluster_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="local, local:N"), connected("nowhere"):
        pass


def test_a_cluster_is_not_asked_for_its_workers_at_every_task() -> None:
    asked = []

    class Client:
        def scheduler_info(self, n_workers: int) -> dict[str, dict[str, str]]:
            asked.append(n_workers)
            return {"workers": {str(number): "" for number in range(5)}}

    ahead = Ahead(Client())
    assert {ahead.most() for _ in range(200)} == {40}
    assert len(asked) < 100


def test_a_batch_without_documents_costs_one_statement_and_is_shown_once(tmp_path: Path) -> None:
    said: list[str] = []
    batch = Batch((ReadDocument("a", unfit="empty"),))
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        manifest = Manifest(library.catalogue, "run")
        assert manifest.report_of("b") is None
        event.listen(library.catalogue.engine, "before_cursor_execute", lambda *given: said.append(given[2]))
        assert manifest.show("b", [batch]).unfit == {"empty": 1}
        assert [one.split()[0] for one in said] == ["BEGIN", "INSERT"]
        assert manifest.report_of("b") is None, "only what an earlier call did is asked for"
        word_was_lost = Batch((ReadDocument("a", unfit="another"),))
        assert manifest.show("b", [word_was_lost]).unfit == {"empty": 1}
        assert Manifest(library.catalogue, "run").report_of("b") is not None
        assert list(verify_library(library)) == []
