"""Tables cut into two that belong together, among all others: what `tabellion joins` is measured on.

A table of the corpora is cut by columns (both pieces have its rows) or by rows (both have its columns). Where a table
has no stub, both pieces of its columns have the one that names its rows. Both are documents of their own, without
notes and place; other tables of its document, which often are as good a partner, are left out. The second piece is
disturbed as another publication of it would be: 30 % of the lines that both share are dropped (in every second case of
the first piece, too), the order is another, 30 % of the words of the caption (or, without one, of the document's title)
are missing, and labels are written in another case, with a note mark, a year in another form, a place under another
name.
The lists of other forms here are not those that tabellion knows labels by. With `bare` both pieces have no caption.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from tabellion.library import open_library
from tabellion.library.holdings import Details, DocumentRecord, TableRecord, document_id, in_parts
from tabellion.library.library import Library
from tabellion.library.originals import open_segments, store_original
from tabellion.library.reading import SCHEMA, Reading, TableReading
from tabellion.library.records import list_documents, tables_of
from tabellion.library.writing import write_readings
from tabellion.model.place import Place
from tabellion.model.table import Metadata

DROPPED = 0.3
ROWS, COLUMNS = 6, 4  # the least that a table must have to be cut
_YEAR = re.compile(r"(?:19|20)\d\d")
_OTHER_NAMES = {
    "alabama": "AL", "alaska": "AK", "arizona": "Ariz.", "arkansas": "Ark.",
    "california": "CA", "colorado": "Colo.", "connecticut": "CT", "delaware": "Del.", "florida": "Fla.",
    "georgia": "GA", "hawaii": "HI", "idaho": "ID", "illinois": "Ill.", "indiana": "Ind.", "iowa": "IA",
    "kansas": "Kans.", "kentucky": "KY", "louisiana": "LA", "maine": "ME", "maryland": "MD",
    "massachusetts": "Mass.", "michigan": "MI", "minnesota": "Minn.", "mississippi": "MS", "missouri": "MO",
    "montana": "Mont.", "nebraska": "NE", "nevada": "Nev.", "new hampshire": "N.H.", "new jersey": "NJ",
    "new mexico": "N. Mex.", "new york": "N.Y.", "north carolina": "N.C.", "north dakota": "ND", "ohio": "OH",
    "oklahoma": "Okla.", "oregon": "OR", "pennsylvania": "Pa.", "rhode island": "R.I.", "south carolina": "SC",
    "south dakota": "S. Dak.", "tennessee": "Tenn.", "texas": "TX", "utah": "UT", "vermont": "Vt.",
    "virginia": "Va.", "washington": "Wash.", "west virginia": "W. Va.", "wisconsin": "Wis.", "wyoming": "WY",
    "united states": "U.S.", "united kingdom": "UK", "germany": "DEU", "france": "FRA", "italy": "ITA",
    "spain": "ESP", "japan": "JPN", "south korea": "Korea (Rep. of)", "russia": "Russian Federation",
    "netherlands": "The Netherlands", "czech republic": "Czechia", "china": "CHN", "mexico": "MEX", "canada": "CAN",
    "brazil": "BRA", "india": "IND", "australia": "AUS", "sweden": "SWE", "norway": "NOR", "switzerland": "CHE",
    "austria": "AUT", "belgium": "BEL", "denmark": "DNK", "finland": "FIN", "greece": "GRC", "ireland": "IRL",
    "poland": "POL", "portugal": "PRT", "turkey": "TUR", "vietnam": "Viet Nam", "iran": "Iran (Islamic Rep.)",
}  # fmt: skip


class Case(NamedTuple):
    """A piece of a table, and the piece that it must find."""

    asked: str
    wanted: str
    cut: str


class Held(NamedTuple):
    """A table of the source library with its tuples."""

    document: DocumentRecord
    table: TableRecord
    tuples: pa.Table


def disturb(choose: random.Random, label: str) -> str:
    """A label as another publication would write it."""
    if _YEAR.fullmatch(label.strip()) and choose.random() < 0.4:
        year = label.strip()
        return choose.choice([f"FY {year}", f"FY{year}", f"Year {year}", f"'{year[2:]}", f"{year} p", f"{year}*"])
    other = _OTHER_NAMES.get(label.strip().lower())
    if other and choose.random() < 0.4:
        return other
    if choose.random() < 0.4:
        label = choose.choice([str.upper, str.lower, str.title])(label)
    if choose.random() < 0.2:
        label += choose.choice([r" \1", " (2)", " *", " [a]", "¹", " 3/"])
    return label


def cut_table(choose: random.Random, held: Held, cut: str) -> tuple[Held, Held] | None:
    """Two pieces of a table, the second disturbed; None where it is too small."""
    axis = "column" if cut == "columns" else "row"
    lines = sorted(set(held.tuples[axis].to_pylist()))
    other_lines = sorted(set(held.tuples["row" if axis == "column" else "column"].to_pylist()))
    columns, rows = (lines, other_lines) if cut == "columns" else (other_lines, lines)
    if len(columns) < COLUMNS or len(rows) < ROWS:
        return None
    both = [] if cut == "rows" or held.table.unpack().stub else [naming_column(held.tuples)]
    if None in both:
        return None
    lines = [line for line in lines if line not in both]
    middle = len(lines) // 2
    first = held.tuples.filter(pc.is_in(held.tuples[axis], pa.array([*both, *lines[:middle]], pa.int32())))
    second = held.tuples.filter(pc.is_in(held.tuples[axis], pa.array([*both, *lines[middle:]], pa.int32())))
    over = "row" if axis == "column" else "column"

    def without_some(piece: pa.Table) -> pa.Table:
        kept = choose.sample(other_lines, max(2, round(len(other_lines) * (1 - DROPPED))))
        return piece.filter(pc.is_in(piece[over], pa.array([*both, *kept], pa.int32())))

    second = without_some(second)
    if choose.random() < 0.5:
        first = without_some(first)
    if not first.num_rows or not second.num_rows:
        return None
    return held._replace(tuples=first), _disturbed(choose, held, second, over, both)


def naming_column(tuples: pa.Table) -> int | None:
    """The first column of words of which each stands in one row only."""
    texts: dict[int, list[str]] = {}
    for column, text, value in zip(*(tuples[name].to_pylist() for name in ("column", "text", "value")), strict=True):
        texts.setdefault(column, []).append(text if value is None else "")
    found = (column for column, held in sorted(texts.items()) if all(held) and len(set(held)) > 0.9 * len(held))
    return next(found, None)


def _disturbed(choose: random.Random, held: Held, tuples: pa.Table, over: str, naming: list[int]) -> Held:
    """The second piece: other words for its labels, and the lines in another order."""
    words: dict[str, str] = {}

    def say(label: str) -> str:
        if label not in words:
            words[label] = disturb(choose, label)
        return words[label]

    lines = sorted(set(tuples[over].to_pylist()))
    places = dict(zip(lines, choose.sample(lines, len(lines)), strict=True))
    columns: dict[str, list[Any]] = tuples.to_pydict()
    columns[over] = [places[line] for line in columns[over]]
    for side in ("top", "left"):
        columns[side] = [[say(label) for label in path] for path in columns[side]]
    columns["text"] = [
        say(text) if column in naming else text for text, column in zip(columns["text"], columns["column"], strict=True)
    ]
    details = held.table.unpack()
    said = details
    if over == "column":
        moved = [msgspec.structs.replace(one, column=places.get(one.column, one.column)) for one in details.columns]
        said = msgspec.structs.replace(details, columns=tuple(sorted(moved, key=lambda one: one.column)))
    said = msgspec.structs.replace(
        said,
        columns=tuple(msgspec.structs.replace(one, path=tuple(map(say, one.path))) for one in said.columns),
        stub_words=tuple(map(say, said.stub_words)),
    )
    words_over = words_about(held).split()
    kept = [word for word in words_over if choose.random() >= DROPPED]
    caption = choose.choice([str, str.upper, str.lower])(" ".join(kept))
    table = msgspec.structs.replace(held.table, details=msgspec.json.encode(said), caption=caption or " ", title=None)
    order = pa.table(columns, schema=SCHEMA).sort_by([("row", "ascending"), ("column", "ascending")])
    return Held(held.document, table, order)


def words_about(held: Held) -> str:
    """The words over a table: its caption, else the title of its document."""
    return (held.table.caption or held.table.title or held.document.title or "").strip()


def piece_reading(held: Held, details: Details, name: str, *, bare: bool) -> Reading:
    """A piece as a document of its own."""
    address = f"/cut/{name}.csv"
    identity, data = document_id(address), name.encode()
    there = set(held.tuples["column"].to_pylist())
    left = list(dict.fromkeys(label for path in held.tuples["left"].to_pylist() for label in path))
    facts = Details(
        place=Place(range="A1:B2"),
        stub=details.stub,
        columns=tuple(column for column in details.columns if column.column in there),
        metadata=Metadata(),
        left_depth=details.left_depth,
        stub_words=tuple(left),
    )
    count = held.tuples.num_rows
    table = held.tuples.set_column(0, "table_id", pa.repeat(f"{identity}-t1", count))
    table = table.set_column(1, "document_id", pa.repeat(identity, count)).cast(SCHEMA)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, SCHEMA) as stream:
        stream.write_table(table)
    rows = len(set(held.tuples["row"].to_pylist()))
    caption = None if bare else words_about(held) or None
    reading = TableReading(
        "t1", None, caption, held.table.orientation, rows, len(there), 1.0, 1.0, held.table.kind, count, facts
    )
    return Reading(
        identity, address, address, held.document.medium, held.document.kind, hashlib.sha256(data).hexdigest(),
        len(data), None, (), held.document.language, (), (reading,), sink.getvalue().to_pybytes(),
    )  # fmt: skip


def read_tables(library: Library) -> list[Held]:
    with library.catalogue.reading() as connection:
        documents = list_documents(connection)
        tables = tables_of(connection, [one.document_id for one in documents])
    by_id = {one.document_id: one for one in documents}
    segments = sorted({one.segment_id for one in documents if one.segment_id})
    tuples = open_segments(library.folder.segments, segments).to_table()
    order = pc.sort_indices(tuples["table_id"])
    tuples = tuples.take(order)
    ids = tuples["table_id"].to_pylist()
    spans: dict[str, list[int]] = {}
    for at, table_id in enumerate(ids):
        span = spans.setdefault(table_id, [at, at])
        span[1] = at
    return [
        Held(
            by_id[one.document_id],
            one,
            tuples.slice(spans[one.table_id][0], spans[one.table_id][1] + 1 - spans[one.table_id][0]),
        )
        for one in tables
        if one.table_id in spans
    ]


def make_cases(
    source: Library, folder: Path, count: int, *, bare: bool = False, seed: int = 7
) -> tuple[Library, list[Case]]:
    """A library with cut tables among all others of a source, and the cases."""
    choose = random.Random(seed)  # noqa: S311 - the same cases every time
    library = open_library(str(folder), create=True)
    tables = read_tables(source)
    choose.shuffle(tables)
    cases: list[Case] = []
    readings: list[Reading] = []
    cut_documents: set[str] = set()
    others: list[tuple[int, Held]] = []
    for number, held in enumerate(tables):
        cut = ("columns", "rows")[len(cases) % 2]
        is_new = held.document.document_id not in cut_documents
        pieces = cut_table(choose, held, cut) if len(cases) < count and is_new else None
        if pieces is None:
            others.append((number, held))
            continue
        cut_documents.add(held.document.document_id)
        first, second = pieces
        made = [
            piece_reading(first, first.table.unpack(), f"{number}-first", bare=bare),
            piece_reading(
                second, msgspec.json.decode(second.table.details, type=Details), f"{number}-second", bare=bare
            ),
        ]
        readings += made
        cases.append(Case(f"{made[0].document_id}-t1", f"{made[1].document_id}-t1", cut))
    readings += [
        piece_reading(held, held.table.unpack(), f"other-{number}", bare=bare)
        for number, held in others
        if held.document.document_id not in cut_documents
    ]
    for some in in_parts(readings, 256):
        for reading in some:
            store_original(
                library.folder.originals,
                reading.address.removeprefix("/cut/").removesuffix(".csv").encode(),
                reading.sha256,
            )
        write_readings(library.folder, library.catalogue, some)
    library.index.catch_up(wait=True)
    return library, cases


def exact_overlap(library: Library) -> Callable[[str], list[str]]:
    """The peer: tables by how many texts of labels they share exactly, as written."""
    held: dict[str, frozenset[str]] = {}
    with library.catalogue.reading() as connection:
        documents = list_documents(connection)
        for table in tables_of(connection, [one.document_id for one in documents]):
            details = table.unpack()
            held[table.table_id] = frozenset((*details.header_words, *details.stub_words))

    def find(table_id: str) -> list[str]:
        mine = held[table_id]
        shared = {other: len(mine & labels) for other, labels in held.items() if other != table_id}
        return sorted((one for one in shared if shared[one]), key=lambda one: (-shared[one], one))[:10]

    return find


def score(find: Callable[[str], Iterable[str]], cases: list[Case]) -> tuple[float, float]:
    """The share of cases whose partner comes first, and among the first five."""
    first = five = 0
    for case in cases:
        found = list(find(case.asked))[:5]
        first += found[:1] == [case.wanted]
        five += case.wanted in found
    return first / len(cases), five / len(cases)
