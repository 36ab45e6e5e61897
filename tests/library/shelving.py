"""Small documents for libraries, processes that add them, and what a library says of itself."""

from __future__ import annotations

import random
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tabellion.errors import LibraryError
from tabellion.library import open_library
from tabellion.library.library import Library
from tabellion.library.verify import verify_library

PLACES = ("Harbour", "Mill", "Abbey", "Castle", "Market", "Orchard", "Quarry", "Chapel", "Ferry", "Garden")
THINGS = ("visitors", "members", "loans", "tickets", "meals", "repairs", "concerts", "lessons")


def write_documents(folder: Path, count: int, seed: int = 1) -> list[str]:
    """Small tables in as many files, each unlike the others."""
    choose = random.Random(seed)  # noqa: S311 - the same documents every time
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number in range(count):
        first = choose.randint(1950, 2015)
        rows = choose.sample(PLACES, 3)
        lines = [f"Place,{first},{first + 1}"]
        lines += [f"{row} {number},{choose.randint(1, 9999)},{choose.randint(1, 9999)}" for row in rows]
        path = folder / f"{choose.choice(THINGS)}-{number:04}.csv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        paths.append(str(path))
    return paths


@contextmanager
def shelve_texts(folder: Path, documents: Mapping[str, str]) -> Iterator[Library]:
    """A library of delimited texts, by name."""
    for name, text in documents.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    with open_library(str(folder / "shelf"), create=True) as library:
        library.add(*sorted(folder.glob("*.csv")))
        yield library


def add_all(place: str, files: str | None, sources: list[str], together: int) -> None:
    """Add documents, some few at a time so that there is much to disturb; runs in a process of its own."""
    from tabellion.library import writing

    writing.READINGS_TOGETHER = together
    with open_library(place, files, create=True) as library:
        library.add(*sources)


def contents(library: Library) -> dict[str, Any]:
    """All that a library holds, without when it was added and in which segment it lies."""
    documents = [
        (one.id, one.source, one.medium, one.sha256, one.title, tuple(one.tables)) for one in library.documents()
    ]
    tables = library.query("select * from tables order by table_id").to_pylist()
    tuples = library.query('select * from tuples order by table_id, "row", "column"').to_pylist()
    columns = library.query("select * from columns order by table_id, position").to_pylist()
    found = library.search("", limit=100_000)
    return {
        "documents": documents,
        "tables": tables,
        "tuples": tuples,
        "columns": columns,
        "indexed": sorted(hit.table for hit in found.hits),
        "originals": sorted(path.name for path in library.folder.originals.glob("??/*")),
    }


def stroke_on(place: str, files: str | None, table: str, written: str) -> None:
    """Repair a table stroke by stroke until killed, writing the id of each stroke that was kept; for a process."""
    with open_library(place, files) as library, Path(written).open("a", encoding="utf-8") as file:
        repair = library.repair(table, author="ada")
        number = len(repair.log)
        while True:
            number += 1
            kept = repair.undo() if number % 3 == 0 else repair.set_text("title", f"title {number}")
            file.write(f"{kept.id}\n")
            file.flush()


def fill_rooms(library: Library) -> None:
    """Give a library files of every other kind: a graph, weights, mined things, and what annotators said."""
    from tabellion.learn.repair.teach import appearing
    from tabellion.library.annotations import finish
    from tabellion.library.graph import bring_up_to_date
    from tabellion.library.mined import add_ontology
    from tabellion.mine.attributes import Attribute
    from tabellion.mine.instances import ConceptInstance, Instance
    from tabellion.mine.ontology import Concept, Ontology
    from tabellion.weights import SHIPPED

    told = [
        ConceptInstance(
            f"lake {number}", "c1", Instance(f"{number}.html", (Attribute(("Depth",), f"{number} m", "td"),))
        )
        for number in range(4)
    ]
    concepts = (Concept("c1", "Lakes", ("Lakes",), None, 1, ("lakes.example",), ()),)
    add_ontology(library, Ontology(concepts, tuple(told), (("lakes.example", len(told)),)), "lakes")
    for document in library.documents()[:2]:
        for annotator in ("ada", "bea"):
            finish(library.folder, document.id, annotator, document.tables[0], done=True)
    with appearing(library.folder.weights) as made:
        for path in SHIPPED.glob("left_parents.*"):
            shutil.copyfile(path, made / path.name)
    bring_up_to_date(library)


def faults(shelf: Path) -> list[str]:
    """What is wrong with a library, as it is told."""
    try:
        with open_library(str(shelf)) as library:
            return list(verify_library(library))
    except LibraryError as error:
        return [str(error)]


def rebuild(shelf: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Let a process of its own make a library anew."""
    entry = "from tabellion.cli import main; main()"
    command = [sys.executable, "-c", entry, "rebuild", "-l", str(shelf), "-j", "1", *more]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def held(shelf: Path) -> dict[str, object]:
    """The contents of a library that is closed."""
    with open_library(str(shelf)) as library:
        return contents(library)


def change(shelf: Path, *statements: str) -> None:
    """Change the catalogue of a library behind its back."""
    with closing(sqlite3.connect(shelf / "catalogue.sqlite")) as connection:
        for statement in statements:
            nth = re.sub(
                r"row (\d) of (\w+)", r"rowid = (SELECT rowid FROM \2 ORDER BY rowid LIMIT 1 OFFSET \1)", statement
            )
            assert connection.execute(nth).rowcount, statement
        connection.commit()
