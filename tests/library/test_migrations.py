"""A library of any released version can be opened; one from the future is refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from shelving import contents
from sqlalchemy import inspect, text

from tabellion.errors import LibraryError
from tabellion.library import open_library
from tabellion.library.catalogue import NEWEST, STEPS, Catalogue, migrate, schema_version
from tabellion.library.catalogue import catalogue as newest
from tabellion.library.files import Folder
from tabellion.library.verify import verify_library

RELEASED = Path(__file__).parent / "released"
Place = Callable[[str], tuple[str, str]]


def opened(place: tuple[str, str]) -> Catalogue:
    url, folder = place
    home = Folder(Path(folder))
    home.make()
    return Catalogue(home, url if "://" in url else None)


def test_the_steps_lead_to_the_tables_that_the_code_expects(place: Place) -> None:
    catalogue = opened(place("shelf"))
    catalogue.prepare(create=True)
    with catalogue.reading() as connection:
        found = inspect(connection)
        for table in newest.sorted_tables:
            columns = {column["name"]: column["nullable"] for column in found.get_columns(table.name)}
            expected = {column.name: bool(column.nullable) for column in table.columns}
            keys = {column.name for column in table.primary_key}
            assert set(columns) == set(expected)
            assert all(columns[name] == expected[name] for name in expected if name not in keys)
    catalogue.close()


def test_migrating_twice_does_nothing(place: Place) -> None:
    catalogue = opened(place("shelf"))
    with catalogue.writing() as connection:
        assert migrate(connection) == len(STEPS)
    with catalogue.writing() as connection:
        assert migrate(connection) == 0
        assert schema_version(connection) == NEWEST == len(STEPS)
    catalogue.close()


def test_a_library_of_a_newer_tabellion_is_refused(place: Place) -> None:
    where = place("shelf")
    catalogue = opened(where)
    catalogue.prepare(create=True)
    with catalogue.writing() as connection:
        connection.execute(text("UPDATE library_facts SET value = '999' WHERE name = 'schema'"))
    catalogue.close()
    with pytest.raises(LibraryError, match="newer tabellion"):
        open_library(*where)


def test_every_version_has_a_library_to_migrate_from() -> None:
    assert sorted(path.name for path in RELEASED.iterdir()) == [f"version-{number}" for number in range(1, NEWEST + 1)]


@pytest.mark.parametrize("version", [f"version-{number}" for number in range(1, NEWEST + 1)])
def test_a_released_library_opens_whole(version: str, tmp_path: Path) -> None:
    place = tmp_path / "shelf"
    shutil.copytree(RELEASED / version, place)
    with open_library(str(place)) as library:
        assert list(verify_library(library)) == []
        held = contents(library)
        assert [Path(source).name for _, source, *_ in held["documents"]] == ["loans.csv", "visitors.csv"]
        assert len(held["tuples"]) == 10
        assert [hit.name for hit in library.search("orchard").hits] == ["visitors"]
        assert library.query('select label_sum from (select sum("1951") as label_sum from loans)').num_rows == 1
