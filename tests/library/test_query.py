"""Questions in SQL: what they can ask, and what they cannot do."""

from __future__ import annotations

import json
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tabellion.errors import QueryError
from tabellion.library import open_library
from tabellion.library.library import Library
from tabellion.library.query import QueryLimits, write_csv, write_json, write_parquet

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with open_library(str(tmp_path_factory.mktemp("library") / "shelf"), create=True) as library:
        library.add(EXAMPLES / "smoking.xlsx", EXAMPLES / "stacked.xlsx", EXAMPLES / "flat.csv")
        yield library


def test_a_table_as_it_is_laid_out(library: Library) -> None:
    rows = library.query('select sex_race_and_age_1 a, sex_race_and_age_2 b, "1990" from smoking limit 2').to_pylist()
    assert rows == [
        {"a": "Total smokers", "b": None, "1990": 25.5},
        {"a": "Total smokers", "b": "Male, total", "1990": 28.4},
    ]


def test_a_table_tidy(library: Library) -> None:
    found = library.query("select * from smoking_tidy where address = 'B10'")
    (row,) = found.to_pylist()
    assert row["sex_race_and_age_1"] == "Total smokers" and row["top_1"] == "1990"
    assert (row["value"], row["unit"], row["row"], row["column"]) == (13.7, "%", 9, 1)


def test_views_have_the_columns_of_the_contract(library: Library) -> None:
    wanted = {
        "documents": "document_id source medium sha256 title added",
        "tables": "table_id document_id name sheet page title caption orientation rows columns genuine confidence",
        "tuples": "table_id document_id row column address text value unit top left notes confidence "
        "sheet page box path low high error bound",
    }
    for view, columns in wanted.items():
        assert library.query(f"select * from {view}").column_names == columns.split()  # noqa: S608 - a constant
    kinds = library.query('select typeof(value) v, typeof(top) t, typeof("left") l from tuples limit 1').to_pylist()
    assert kinds == [{"v": "DOUBLE", "t": "VARCHAR[]", "l": "VARCHAR[]"}]


def test_tables_join(library: Library) -> None:
    rows = library.query(
        "select d.source, count(*) as n from tuples join tables using (table_id) join documents d "
        "on d.document_id = tables.document_id group by 1 order by 1"
    ).to_pylist()
    assert [Path(row["source"]).name for row in rows] == ["flat.csv", "smoking.xlsx", "stacked.xlsx"]


def test_results_in_every_form(library: Library, tmp_path: Path) -> None:
    asked = "select text, value, \"left\" from tuples where address = 'B10' and unit = '%'"
    for name, write in {"csv": write_csv, "json": write_json, "parquet": write_parquet}.items():
        with library.ask(asked) as answer, (tmp_path / name).open("wb") as file:
            write(answer, file)
    assert (tmp_path / "csv").read_text().splitlines()[0] == "text,value,left"
    assert json.loads((tmp_path / "json").read_bytes())[0]["value"] == 13.7
    assert pq.read_table(tmp_path / "parquet").to_pylist()[0]["text"] == "13.7"


def test_what_is_wrong_is_one_line(library: Library) -> None:
    for wrong in ("selec 1", "select * from nowhere", "select nothing from smoking", "", "select 1; select 2"):
        with pytest.raises(QueryError) as error:
            library.query(wrong)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "statement",
    [
        "create table t as select 1",
        "create view v as select 1",
        "insert into documents values (1)",
        "delete from documents",
        "update tables set name = 'x'",
        "drop view smoking",
        "copy (select 1) to '{folder}/written.csv'",
        "copy (select 1) to '{folder}/written.parquet' (format parquet)",
        "export database '{folder}/written'",
        "attach '{folder}/written.db' as other",
        "with written as (insert into documents values (1) returning *) select * from written",
        "select * from query('copy (select 1) to ''{folder}/written.csv''')",
    ],
)
def test_a_query_cannot_write(library: Library, tmp_path: Path, statement: str) -> None:
    before = files_of(library)
    with pytest.raises(QueryError):
        library.query(statement.replace("{folder}", str(tmp_path)))
    assert list(tmp_path.iterdir()) == []
    assert files_of(library) == before


def files_of(library: Library) -> dict[str, int]:
    return {str(path): path.stat().st_size for path in library.folder.root.rglob("*") if "sqlite" not in path.name}


@pytest.mark.parametrize(
    "source",
    [
        "read_text('{secret}')",
        "read_blob('{secret}')",
        "read_csv('{secret}')",
        "read_json('{secret}')",
        "read_parquet('{segment}')",
        "parquet_metadata('{segment}')",
        "sniff_csv('{secret}')",
        "glob('/etc/*')",
        "'{secret}'",
        '"{segment}"',
        "sqlite_scan('{catalogue}', 'documents')",
    ],
)
def test_a_query_cannot_read_files(library: Library, tmp_path: Path, source: str) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a,b\n1,2\n")
    segment = next(library.folder.segments.glob("*.parquet"))
    named = source.replace("{secret}", str(secret)).replace("{segment}", str(segment))
    with pytest.raises(QueryError):
        library.query(f"select * from {named.replace('{catalogue}', str(library.folder.catalogue))}")  # noqa: S608


@pytest.mark.parametrize(
    "statement", ["load httpfs", "install httpfs", "install spatial from community", "load '/x.so'"]
)
def test_a_query_cannot_load_extensions(library: Library, statement: str) -> None:
    with pytest.raises(QueryError):
        library.query(statement)


def test_a_query_cannot_reach_the_network(library: Library) -> None:
    """A server on the loopback interface waits for a visit that must not come."""
    visits = []
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.settimeout(0.1)
        address = f"127.0.0.1:{server.getsockname()[1]}"
        for source in (
            f"'http://{address}/a.csv'",
            f"read_csv('http://{address}/a.csv')",
            f"read_text('s3://{address}/a')",
        ):
            with pytest.raises(QueryError):
                library.query(f"select * from {source}")  # noqa: S608 - what is tested
            try:
                visits.append(server.accept())
            except TimeoutError:
                continue
    assert not visits


@pytest.mark.parametrize(
    "statement",
    [
        "set enable_external_access = true",
        "set memory_limit = '100GB'",
        "reset lock_configuration",
        "pragma memory_limit = '100GB'",
        "set threads = 100",
        "call pragma_version()",
    ],
)
def test_a_query_cannot_change_settings(library: Library, statement: str) -> None:
    with pytest.raises(QueryError):
        library.query(statement)


def test_settings_are_locked_even_where_a_statement_passes(library: Library) -> None:
    with library.ask("select 1") as answer:
        import duckdb

        for statement in ("SET enable_external_access = true", "SET memory_limit = '100GB'", "LOAD httpfs"):
            with pytest.raises(duckdb.Error):
                answer._connection.execute(statement)


def test_a_query_cannot_see_this_process(library: Library) -> None:
    secret = [1, 2, 3]
    with pytest.raises(QueryError):
        library.query("select * from secret")
    with pytest.raises(QueryError):
        library.query("select getenv('HOME')")
    assert secret


def test_a_query_ends_at_its_time(library: Library) -> None:
    with pytest.raises(QueryError, match=r"longer than 0\.5 seconds"):
        library.query("select count(*) from range(1000000000) a, range(1000000000) b", QueryLimits(seconds=0.5))


def test_a_query_that_is_slow_to_hand_its_rows_over_ends_at_its_time(library: Library) -> None:
    with pytest.raises(QueryError, match="longer than"):
        library.query(
            "select sum(a.range + b.range) over () from range(100000) a, range(100000) b", QueryLimits(seconds=1)
        )


def test_a_query_ends_at_its_memory(library: Library) -> None:
    limits = QueryLimits(seconds=60, memory=64 * 2**20)
    with pytest.raises(QueryError, match="memory"):
        library.query("select list(range) from range(100000000)", limits)


def test_a_result_ends_at_its_size(library: Library) -> None:
    with pytest.raises(QueryError, match="over the limit of 1,000,000 bytes"):
        library.query("select range from range(10000000)", QueryLimits(result=1_000_000))


@pytest.mark.usefixtures("interruptible")
def test_a_query_can_be_interrupted(library: Library) -> None:
    main = threading.main_thread().ident or 0
    timer = threading.Timer(0.7, signal.pthread_kill, (main, signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        library.query("select count(*) from range(1000000000) a, range(1000000000) b")


def test_a_misspelt_relation_gets_the_nearest_real_one(library: Library) -> None:
    for wrong, meant in {"smokin": "smoking", "smoking_tdy": "smoking_tidy", "tuple": "tuples"}.items():
        with pytest.raises(QueryError, match=f"there is no relation {wrong}; did you mean {meant}\\?"):
            library.query(f"select * from {wrong}")  # noqa: S608 - a constant


@pytest.fixture(scope="module")
def isolated(library: Library) -> Iterator[Library]:
    with open_library(library.place, isolated=True) as same:
        yield same


def test_a_worker_gives_the_same_rows(library: Library, isolated: Library) -> None:
    sql = "select *, 'a'::enum('a', 'b') as e from tuples order by table_id, row, \"column\""
    assert isolated.query(sql).to_pylist() == library.query(sql).to_pylist()
    assert isolated.query("select 1 as a where false").schema == library.query("select 1 as a where false").schema
    with pytest.raises(QueryError, match="did you mean"):
        isolated.query("select * from smokin")


def test_one_value_of_gigabytes_ends_at_the_limits(isolated: Library) -> None:
    isolated.query("select 1")
    with pytest.raises(QueryError, match="more than 268,435,456 bytes"):
        isolated.query("select repeat('a', 3900000000)", QueryLimits(seconds=15, memory=256 * 2**20))
    assert isolated.query("select 1 as a").to_pylist() == [{"a": 1}]


def test_an_answer_that_is_left_early_frees_its_worker(isolated: Library) -> None:
    for _ in range(10):  # more than there are workers
        with isolated.ask("select * from range(100000000)") as answer:
            assert next(answer.batches()).num_rows
