"""The editions of a table lined up: which of their columns and labels are the same, and one relation over all.

In: the editions. Out: a `Series`: the columns that it has over all editions, and the SELECT that gives them with the
edition of each row. A column is the same where its path is, or where it is as far from its own edition's time ("this
quarter", "a year before"). Numbers of another unit are brought to that of the newest edition where that can be, else
they stand in a column of their own; both are said. Labels that differ only in how they are written are written as in
the newest edition. Fails where a column is renamed: it stands beside its successor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date

import msgspec

from tabellion.library.holdings import ColumnFacts, Details
from tabellion.library.joins.sketch import plain_label
from tabellion.library.joins.statement import same_columns, write_text
from tabellion.library.library import Library
from tabellion.library.naming import once_each, plain_name
from tabellion.library.relations import quoted
from tabellion.library.series.editions import Edition, Member, bare_label, find_series
from tabellion.values.convert import are_convertible
from tabellion.values.periods import Period, read_period

_LISTED = 2_000  # labels that are written as in the newest edition, at most


class SeriesColumn(msgspec.Struct, frozen=True):
    """A column over all editions: what it is called in each that has it, and its unit."""

    name: str
    unit: str | None
    editions: dict[str, str]
    shifted: bool = False  # whether it is of another time in each edition, as far from the edition's own
    converted: dict[str, str] = {}  # editions whose numbers are brought to the unit from this one
    as_text: bool = False  # whether it holds numbers in some editions and words in others


class Series(msgspec.Struct, frozen=True):
    """A table over all its editions."""

    table: str
    editions: list[Edition]
    columns: list[SeriesColumn]
    sql: str
    rows: int


class _Column(msgspec.Struct):
    """A column over all editions, while they are lined up; `held` goes by the number of the edition."""

    held: dict[int, ColumnFacts]
    shifted: bool = False


def read_series(library: Library, name: str) -> Series:
    """The editions of a table, lined up; the statement was run."""
    members = find_series(library, name)
    names = once_each([member.edition.edition for member in members])
    details = [member.subject.table.unpack() for member in members]
    columns = _line_up_columns(details, [member.period for member in members])
    stub = _line_up_stubs(details)
    same = _labels_written_otherwise(library, members, details)
    titles = once_each(["edition", *(level.name for level in _newest(details).stub), *_names(columns, members)])
    shown = [_shown(column, title, names) for column, title in zip(columns, titles[1 + len(stub) :], strict=True)]
    parts = []
    for number, member in enumerate(members):
        said = [f"{write_text(names[number])} AS {quoted(titles[0])}"]
        said += [
            _named(_label(level, same), title)
            for levels, title in zip(stub, titles[1:], strict=False)
            if (level := levels.get(number))
        ]
        said += [
            _named(_value(column.held[number], one, names[number]), one.name)
            for column, one in zip(columns, shown, strict=True)
            if number in column.held
        ]
        parts.append(f"SELECT {', '.join(said)}\nFROM {quoted(member.edition.name)}")
    listed = ", ".join(f"({write_text(label)}, {write_text(said)})" for label, said in same.items())
    sql = (f"WITH same (label, said) AS (VALUES {listed})\n" if listed else "") + "\nUNION ALL BY NAME\n".join(parts)
    rows = int(library.query(f"SELECT count(*) AS n FROM ({sql})").column("n")[0].as_py())  # noqa: S608 - made here
    editions = [
        msgspec.structs.replace(member.edition, edition=name) for member, name in zip(members, names, strict=True)
    ]
    return Series(_newest_name(members, name), editions, shown, sql, rows)


def _named(expression: str, name: str) -> str:
    return expression if expression == quoted(name) else f"{expression} AS {quoted(name)}"


def _newest(details: Sequence[Details]) -> Details:
    return details[-1]


def _newest_name(members: Sequence[Member], asked: str) -> str:
    return next((one.edition.name for one in members if asked in (one.edition.name, one.edition.table)), asked)


def _line_up_columns(details: Sequence[Details], periods: Sequence[Period | None]) -> list[_Column]:
    """Columns over all editions, from the newest back: each goes with one that a newer edition has, or is new."""
    found: list[_Column] = []
    for number in range(len(details) - 1, -1, -1):
        mine = {column.name: column for column in details[number].columns}
        for newer in range(number + 1, len(details)):
            pairs = _same_but_unit(details[newer], details[number]) | same_columns(details[newer], details[number])
            timed = {column.name for column in details[number].columns if _names_time(column)}
            if not timed & pairs.keys():  # else columns are of times that both editions have
                pairs |= _same_distance(details[newer], details[number], periods[newer], periods[number])
            for own, name in pairs.items():
                column = _column_of(found, newer, name)
                if own in mine and column and number not in column.held and _fit(column, mine[own]):
                    column.shifted |= own in timed and mine[own].path != column.held[newer].path
                    column.held[number] = mine.pop(own)
        found += [_Column({number: column}) for column in mine.values()]
    return found


def _same_but_unit(newer: Details, older: Details) -> dict[str, str]:
    """Columns of an older edition that differ from one of a newer in the unit that their labels name, by name."""
    mine, theirs = (
        _once({column.name: tuple(map(bare_label, column.path)) for column in one.columns}) for one in (newer, older)
    )
    return {theirs[path]: mine[path] for path in theirs.keys() & mine.keys()}


def _once(paths: Mapping[str, tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    """Names by paths that no other column has."""
    often = Counter(paths.values())
    return {path: name for name, path in paths.items() if any(path) and often[path] == 1}


def _names_time(column: ColumnFacts) -> bool:
    return any(period and period.end for period in map(read_period, column.path))


def _column_of(found: Sequence[_Column], number: int, name: str) -> _Column | None:
    return next((one for one in found if number in one.held and one.held[number].name == name), None)


def _fit(column: _Column, other: ColumnFacts) -> bool:
    """Whether the numbers of a column can stand beside those of another."""
    newest = column.held[max(column.held)]
    return newest.unit is None or other.unit is None or are_convertible(other.unit, newest.unit)


def _same_distance(
    newer: Details, older: Details, newer_time: Period | None, older_time: Period | None
) -> dict[str, str]:
    """Columns of an older edition that are as far from its time as one of a newer is from that one's, by name."""
    if newer_time is None or older_time is None or newer_time.end is None or older_time.end is None:
        return {}
    mine = _by_distance(newer.columns, newer_time.end)
    theirs = _by_distance(older.columns, older_time.end)
    return {theirs[key]: mine[key] for key in theirs.keys() & mine.keys()}


def _by_distance(columns: Sequence[ColumnFacts], end: date) -> dict[tuple[str, ...], str]:
    found: dict[str, tuple[str, ...]] = {}
    for column in columns:
        path = [read_period(label) or label for label in column.path]
        if _names_time(column):
            found[column.name] = tuple(
                _distance(one, end) if isinstance(one, Period) else plain_label(one) for one in path
            )
    return _once(found)


def _distance(period: Period, end: date) -> str:
    """How many months before an edition's time a period is; one without a year by its name."""
    if period.end is None:
        return period.code
    return f"{period.kind} {(end.year - period.end.year) * 12 + end.month - period.end.month}"


def _names(columns: Sequence[_Column], members: Sequence[Member]) -> list[str]:
    """What columns are called: as in the newest edition; those of another time in each without their time."""
    names = []
    for column in columns:
        newest = max(column.held)
        facts, time = column.held[newest], members[newest].period
        if not column.shifted or time is None or time.end is None:
            names.append(facts.name)
            continue
        words = [label for label in facts.path if read_period(label) is None]
        told = next(period for label in facts.path if (period := read_period(label)) and period.end)
        months = int(_distance(told, time.end).rpartition(" ")[2])
        names.append(plain_name(" ".join([*words, "now" if months == 0 else f"{months} months before"]), 60))
    return names


def _shown(column: _Column, name: str, editions: Sequence[str]) -> SeriesColumn:
    newest = column.held[max(column.held)]
    converted = {
        editions[number]: facts.unit
        for number, facts in sorted(column.held.items())
        if facts.number and facts.unit and newest.unit and facts.unit != newest.unit
    }
    return SeriesColumn(
        name=name,
        unit=newest.unit,
        editions={editions[number]: facts.name for number, facts in sorted(column.held.items())},
        shifted=column.shifted,
        converted=converted,
        as_text=len({facts.number for facts in column.held.values()}) > 1,
    )


def _value(facts: ColumnFacts, shown: SeriesColumn, edition: str) -> str:
    """A column of one edition in SQL."""
    if shown.as_text:
        return f"format('{{:.15g}}', {quoted(facts.name)})" if facts.number else quoted(facts.name)
    if edition in shown.converted and shown.unit:
        return f"in_unit({quoted(facts.name)}, {write_text(shown.converted[edition])}, {write_text(shown.unit)})"
    return quoted(facts.name)


def _line_up_stubs(details: Sequence[Details]) -> list[dict[int, ColumnFacts]]:
    """The levels of the newest edition's stub with those of the others: by name, the rest from the nearest label on."""
    newest = _newest(details).stub
    found: list[dict[int, ColumnFacts]] = [{} for _ in newest]
    for number, one in enumerate(details):
        left = list(one.stub)
        for level, held in zip(newest, found, strict=True):
            if same := next((other for other in left if other.name == level.name), None):
                held[number] = same
                left.remove(same)
        for held in reversed(found):
            if number not in held and left:
                held[number] = left.pop()
    return found


def _label(level: ColumnFacts, same: Mapping[str, str]) -> str:
    if not same:
        return quoted(level.name)
    return f"coalesce((SELECT said FROM same WHERE label = {quoted(level.name)}), {quoted(level.name)})"  # noqa: S608


def _labels_written_otherwise(
    library: Library, members: Sequence[Member], details: Sequence[Details]
) -> dict[str, str]:
    """Labels of the stubs that are the same as one of the newest edition but written otherwise, and how it is there."""
    written: dict[str, str] = {}
    for member, one in zip(reversed(members), reversed(details), strict=True):
        for label in _stub_labels(library, member, one):
            written.setdefault(plain_label(label), label)
    found: dict[str, str] = {}
    for member, one in zip(members[:-1], details[:-1], strict=True):
        for label in _stub_labels(library, member, one):
            said = written.get(plain_label(label), label)
            if said != label and plain_label(label):
                found[label] = said
    return dict(list(found.items())[:_LISTED])


def _stub_labels(library: Library, member: Member, details: Details) -> list[str]:
    if not details.stub:
        return []
    names = ", ".join(quoted(level.name) for level in details.stub)
    rows = library.query(f"SELECT DISTINCT {names} FROM {quoted(member.edition.name)}")  # noqa: S608 - known names
    return sorted({text for column in rows.columns for text in column.to_pylist() if text})
