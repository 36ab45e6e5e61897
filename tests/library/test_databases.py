"""A library in other databases: the same tuples, keys, comments, and only what changed."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect, make_url

from tabellion.errors import LibraryError
from tabellion.learn.corpora import corpus_folder
from tabellion.library import open_library
from tabellion.library.databases.engines import open_database
from tabellion.library.databases.export import export_library, read_tuples
from tabellion.library.databases.target import Database
from tabellion.library.library import Library

EXAMPLES = Path(__file__).parents[2] / "examples"
SAMPLE = {"troy200": 40, "webtables": 60, "icdar2013": 20}  # every so many files; bench/databases.py looks at all
ORDERED = 'select * from tuples order by table_id, "row", "column"'


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return open_library(str(tmp_path / "shelf"), create=True)


@pytest.fixture(params=["sqlite", "duckdb", "postgresql"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return str(request.getfixturevalue("database"))
    return str(tmp_path / f"tables.{'db' if request.param == 'sqlite' else 'duckdb'}")


def write(folder: Path, **texts: str) -> list[Path]:
    for name, text in texts.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return [folder / f"{name}.csv" for name in texts]


def ask(url: str, sql: str) -> list[tuple[object, ...]]:
    database = open_database(url)
    try:
        return database.execute(sql)
    finally:
        database.close()


def test_the_same_tuples_come_back(library: Library, target: str) -> None:
    library.add(*(EXAMPLES / name for name in ("smoking.xlsx", "report.pdf", "flat.csv", "budget.ods")))
    report = export_library(library, target)
    assert (report.written, report.unchanged, report.passed_over) == (4, 0, [])
    assert read_tuples(target).equals(library.query(ORDERED))
    assert report.tuples == read_tuples(target).num_rows


def test_a_relation_is_a_table_with_its_rows_in_order(library: Library, target: str) -> None:
    library.add(EXAMPLES / "smoking.xlsx")
    export_library(library, target)
    found = [row[1:] for row in ask(target, "select * from smoking order by _row")]
    assert found == [tuple(row.values()) for row in library.query("select * from smoking").to_pylist()]


def test_only_what_changed_is_written_again(library: Library, target: str, tmp_path: Path) -> None:
    one, two = write(tmp_path, one="Town,1990\nYork,1\nHull,2\n", two="Town,1991\nYork,3\nHull,4\n")
    library.add(one, two)
    export_library(library, target)
    told: list[str] = []
    write(tmp_path, one="Town,1990,1992\nYork,5,6\nHull,7,8\n")
    library.add(one)
    report = export_library(library, target, tell=told.append)
    assert (report.written, report.unchanged, told) == (1, 1, [str(one)])
    assert ask(target, "select * from one order by _row") == [(1, "York", 5, 6), (2, "Hull", 7, 8)]
    assert read_tuples(target).equals(library.query(ORDERED))
    library.remove(str(two))
    report = export_library(library, target)
    assert (report.written, report.removed) == (0, 1)
    assert read_tuples(target).equals(library.query(ORDERED))
    with pytest.raises(Exception, match="two"):
        ask(target, "select * from two")


def test_one_table_alone(library: Library, target: str) -> None:
    library.add(EXAMPLES / "smoking.xlsx", EXAMPLES / "stacked.xlsx")
    name = library.query("select name from tables where name like 'stacked%' order by name").to_pylist()[0]["name"]
    report = export_library(library, target, names=[name])
    assert (report.written, report.tables) == (1, 1)
    assert ask(target, "select name from tables") == [(name,)]


def test_tables_of_others_stay_as_they_are(library: Library, target: str, tmp_path: Path) -> None:
    library.add(EXAMPLES / "smoking.xlsx")
    with_own(target, "create table smoking (mine integer)")
    export_library(library, target)
    ((name,),) = ask(target, "select name from tables")
    assert str(name).startswith("smoking_") and ask(target, "select * from smoking") == []
    other = str(tmp_path / "other.db")
    with_own(other, "create table documents (mine integer)")
    with pytest.raises(LibraryError, match="did not write"):
        export_library(library, other)


def with_own(url: str, statement: str) -> None:
    database: Database = open_database(url)
    with database.transaction():
        database.execute(statement)
    database.close()


def test_two_libraries_in_one_database(library: Library, target: str, tmp_path: Path) -> None:
    library.add(*write(tmp_path, one="Town,1990\nYork,1\nHull,2\n"))
    (tmp_path / "b").mkdir()
    with open_library(str(tmp_path / "other"), create=True) as other:
        other.add(*write(tmp_path / "b", one="Town,1990\nYork,9\nHull,8\n"))
        export_library(library, target)
        report = export_library(other, target)
    assert (report.written, report.removed, report.tables) == (1, 0, 2)
    names = {str(name) for (name,) in ask(target, "select name from tables")}
    assert "one" in names and len(names) == 2


def test_an_export_that_breaks_off_leaves_whole_documents(
    library: Library, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.add(*write(tmp_path, one="Town,1990\nYork,1\nHull,2\n", two="Town,1991\nYork,3\nHull,4\n"))

    def stop(source: str) -> None:
        raise KeyboardInterrupt(source)

    with pytest.raises(KeyboardInterrupt):
        export_library(library, target, tell=stop)
    assert ask(target, "select count(*) from documents") == [(1,)]
    monkeypatch.setattr(Database, "comment", lambda *_: 1 / 0)
    if not target.endswith(".db"):
        with pytest.raises(ZeroDivisionError):
            export_library(library, target)
        assert ask(target, "select count(*) from documents") == [(1,)]
    monkeypatch.undo()
    assert export_library(library, target).written == 1
    assert read_tuples(target).equals(library.query(ORDERED))


def test_sqlite_has_foreign_keys_comments_and_full_text_search(library: Library, tmp_path: Path) -> None:
    library.add(EXAMPLES / "smoking.xlsx", EXAMPLES / "flat.csv")
    path = tmp_path / "tables.db"
    export_library(library, str(path))
    export_library(library, f"sqlite:///{path}")
    connection = sqlite3.connect(path)
    keys = {(row[2], row[3]) for row in connection.execute("pragma foreign_key_list(tuples)")}
    assert keys == {("tables", "table_id"), ("documents", "document_id")}
    assert connection.execute("pragma foreign_key_check").fetchall() == []
    ((made,),) = connection.execute("select sql from sqlite_schema where name = 'smoking'")
    assert "-- Adults who smoke" in made
    found = "select t.name from tables_fts f join tables t on t.number = f.rowid where tables_fts match 'smoking'"
    assert connection.execute(found).fetchall() == [("smoking",)]
    assert connection.execute("select json_extract(\"left\", '$[0]') from tuples limit 1").fetchone()[0]


def test_postgresql_has_keys_and_comments_in_a_schema_of_its_own(library: Library, database: str) -> None:
    library.add(EXAMPLES / "smoking.xlsx")
    export_library(library, f"{database}?schema=raw")
    engine = create_engine(make_url(database).set(drivername="postgresql+pg8000"))
    seen = inspect(engine)
    assert set(seen.get_table_names("raw")) >= {"documents", "tables", "columns", "tuples", "smoking"}
    assert seen.get_pk_constraint("tuples", "raw")["constrained_columns"] == ["table_id", "row", "column"]
    assert {one["referred_table"] for one in seen.get_foreign_keys("tuples", "raw")} == {"tables", "documents"}
    assert "Adults who smoke" in str(seen.get_table_comment("smoking", "raw")["text"])
    columns = {one["name"]: one["comment"] for one in seen.get_columns("smoking", "raw")}
    assert "1990" in str(columns["1990"])
    engine.dispose()


def test_views_on_a_table_outlast_a_new_edition(library: Library, database: str, tmp_path: Path) -> None:
    (one,) = write(tmp_path, one="Town,1990\nYork,1\nHull,2\n")
    library.add(one)
    export_library(library, database)
    with_own(database, 'create view mine as select town, "1990" from one')
    write(tmp_path, one="Town,1990\nYork,1\nHull,3\n")
    library.add(one)
    export_library(library, database)
    assert ask(database, "select * from mine order by 1") == [("Hull", 3), ("York", 1)]


def test_names_that_postgresql_would_cut_stay_apart(library: Library, database: str, tmp_path: Path) -> None:
    long = "人口統計調査結果総括表都道府県別年齢別男女別人口"
    library.add(*write(tmp_path, one=f"Town,{long}甲,{long}乙\nYork,1,2\nHull,3,4\n"))
    export_library(library, database)
    found = ask(database, "select name from columns order by position")
    assert len({name for (name,) in found}) == 3 and all(len(str(name).encode()) <= 63 for (name,) in found)
    assert ask(database, f'select "{found[2][0]}" from one order by _row') == [(2,), (4,)]  # noqa: S608


def test_what_is_no_database_is_said(library: Library, tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="not a database"):
        export_library(library, str(tmp_path / "tables.csv"))
    with pytest.raises(LibraryError, match="no folder"):
        export_library(library, str(tmp_path / "nowhere" / "tables.db"))
    (tmp_path / "broken.db").write_bytes(b"this is no database, but long enough to be taken for one" * 20)
    with pytest.raises(LibraryError, match=r"broken\.db"):
        export_library(library, str(tmp_path / "broken.db"))
    with pytest.raises(LibraryError, match=r"127\.0\.0\.1") as said:
        export_library(library, "postgresql://me:secret@127.0.0.1:1/none")
    assert "secret" not in str(said.value)


def test_a_sample_of_the_corpora_comes_back(library: Library, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    sources = [
        path
        for name, step in SAMPLE.items()
        if (folder := corpus_folder(name))
        for path in sorted(path for path in folder.rglob("*") if path.suffix in (".xlsx", ".html", ".pdf"))[::step]
    ]
    if not sources:
        pytest.skip("the corpora are not at hand")
    library.add(*sources)
    expected = library.query(ORDERED)
    for url in (str(tmp_path / "a.db"), str(tmp_path / "a.duckdb"), str(request.getfixturevalue("database"))):
        export_library(library, url)
        assert read_tuples(url).equals(expected)
