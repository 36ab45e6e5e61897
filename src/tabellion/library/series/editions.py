"""The editions of a table: the same table of other times, among all tables of a library.

In: a table. Out: its editions with the time of each, in their order. Of every table with its document a `Subject` is
told: the words of its title and the labels of its rows and columns without the times that they name, and those times by
where they stand. Two tables are editions of one where their subjects agree and the times differ: in title, sheet or
file, else in the last time that their labels name. Of one document another has at most one edition of a table, the
likest; tables of the same document are editions only where nothing but the time differs. Fails where an agency renames
and rearranges a table at once, on editions in another language, and where a title names a time that the table is not
of, such as that of a law.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from pathlib import PurePath
from urllib.parse import unquote

import msgspec

from tabellion.library.holdings import DocumentRecord, TableRecord
from tabellion.library.joins.partners import Lookup
from tabellion.library.joins.sketch import plain_label
from tabellion.library.library import Library
from tabellion.library.records import documents_by_id, table_called, tables_by_id, tables_of
from tabellion.patterns import lazy_pattern, short_pattern
from tabellion.values.periods import Period, find_places, part_periods
from tabellion.values.unit import find_unit
from tabellion.values.vocabulary import either_of

_WORD = re.compile(r"[^\W\d_]+")
_INDEX = lazy_pattern(rf"(?<!\W)\W*+{either_of('table', 'figure')}[\s.]*(?:\d[\w.-]*)?\W*", re.IGNORECASE)
_UNITED = re.compile(r"\bU\.\s?S\.(?!\w)")
_BRACKET = short_pattern(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_ENDING = re.compile(r"\.[A-Za-z]\w{0,4}$")


class Subject(msgspec.Struct, frozen=True):
    """What a table is about, and the times that its title, its sheet, its file and its labels name."""

    table: TableRecord
    document: DocumentRecord
    title: tuple[str, ...]
    caption: tuple[str, ...]  # the title with all that stands over the table
    sheet: tuple[str, ...]
    file: tuple[str, ...]
    left: frozenset[str]
    top: frozenset[str]
    times: dict[str, tuple[Period, ...]]

    def latest(self, *fields: str) -> Period | None:
        """The last time that some fields name; of those that end together the shortest."""
        return last_of(time for field in fields for time in self.times[field])


def describe_subject(document: DocumentRecord, table: TableRecord) -> Subject:
    """What a table is about."""
    details = table.unpack()
    title, title_times = part_periods(table.title or table.caption or "")
    caption, caption_times = part_periods(table.caption or "")
    sheet, sheet_times = part_periods(table.sheet or "")
    name = unquote(PurePath(document.source).name)
    file, file_times = part_periods(_ENDING.sub("", name))
    left, left_times = _labels(details.stub_words)
    top, top_times = _labels(details.header_words)
    return Subject(
        table,
        document,
        title=_words(title),
        caption=_words(caption),
        sheet=tuple(re.findall(r"\w+", sheet.casefold())),
        file=tuple(re.findall(r"[^\W_]+", file.casefold())),
        left=left,
        top=top,
        times={
            "title": title_times or caption_times,
            "sheet": sheet_times,
            "file": file_times,
            "document": part_periods(document.title or "")[1],
            "labels": (*left_times, *top_times),
        },
    )


def last_of(times: Iterable[Period]) -> Period | None:
    """The last of some times; of those that end together the shortest."""
    dated = [time for time in times if time.start and time.end]
    return max(dated, key=lambda time: (time.end, time.start), default=None)


def differ(one: Iterable[Period], other: Iterable[Period]) -> bool:
    """Whether the last year, quarter, month or day that two sets of times have is another."""
    mine, theirs = list(one), list(other)
    for kind in ("year", "quarter", "month", "date"):
        a, b = (last_of(time for time in times if time.kind == kind) for times in (mine, theirs))
        if a and b and a != b:
            return True
    return False


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(_UNITED.sub("united states", _INDEX.sub(" ", text)).casefold()))


def _labels(texts: Iterable[str]) -> tuple[frozenset[str], tuple[Period, ...]]:
    """Labels in their plain form without times and bare numbers, and the times."""
    plain: set[str] = set()
    times: list[Period] = []
    for text in texts:
        rest, found = part_periods(text)
        times += found
        label = plain_label(rest)
        if label and not label.replace(" ", "").isdecimal():
            plain.add(label)
    return frozenset(plain), tuple(dict.fromkeys(times))


def bare_label(label: str) -> str:
    """A label in plain form without the unit that it has in brackets.

    >>> bare_label("Visitors (thousand)"), bare_label("Visitors (men)")
    ('visitors', 'visitors men')
    """
    rest = _BRACKET.sub("", label)
    return plain_label(rest if rest != label and rest.strip() and find_unit(label) else label)


def share(one: frozenset[str], other: frozenset[str]) -> float | None:
    """How much two sets of labels have in common, 0 to 1; None where neither has any."""
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else None


def word_likeness(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    """How much two sequences of words have in common, 0 to 1."""
    return SequenceMatcher(None, one, other, autojunk=False).ratio() if one or other else 1.0


def name_other_places(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether one title names a place where the other has other words."""
    here, there = set(one) - set(other), set(other) - set(one)
    return bool(here and there) and any(find_places(word) for word in here | there)


TITLES = 0.7  # of the words of two titles that must be the same: agencies reword them a little
LABELS = 0.4  # of the labels of rows, and of columns, that must be the same, whichever are fewer
TOGETHER = 0.65  # of titles and labels together
ALONE = 0.7  # of labels, where no title tells
_FIELDS = ("sheet", "title", "file", "document", "labels")  # where an edition's time may stand, the surest first
_GIVEN = re.compile(  # names that programs give to sheets
    r"(?:sheet|data|table|tabelle|blatt|tabla|hoja|feuille?|feuil|tableau|foglio|planilha|лист|ورقة)?\d*", re.IGNORECASE
)
_MOST = 200  # editions of a table
_TELLING = 3  # words of a title that say what a table is about
_ORDER = 0.001  # what it counts that two tables come at the same place of their documents


class Edition(msgspec.Struct, frozen=True):
    """One edition of a table; `edition` is its time in ISO 8601, or the table's name where it has none."""

    edition: str
    table: str
    name: str
    document: str
    source: str
    sheet: str | None
    title: str | None
    likeness: float  # to the table that was asked for, 0 to 1
    rows: int
    columns: int


class Member(msgspec.Struct, frozen=True):
    """An edition with what it is about."""

    edition: Edition
    subject: Subject
    period: Period | None


def find_series(library: Library, name: str) -> list[Member]:
    """The editions of a table, itself among them, from the first to the last."""
    return SeriesFinder(library).find(name)


class SeriesFinder:
    """Finds editions among the tables of a library, each of which it describes once."""

    def __init__(self, library: Library) -> None:
        self.library = library
        library.index.catch_up()
        self.lookup = Lookup(library.index.open())
        self._subjects: dict[str, Subject] = {}
        self._documents: dict[str, list[Subject]] = {}

    def find(self, name: str) -> list[Member]:
        """The editions of a table, itself among them, from the first to the last."""
        with self.library.catalogue.reading() as connection:
            asked = table_called(connection, name)
        first = self.subject(asked.table_id)
        found: dict[str, tuple[Subject, float]] = {asked.table_id: (first, 1.0)}
        waiting = [first]
        while waiting and len(found) < _MOST:
            for subject, likeness in self.editions_of(waiting.pop(0)):
                if subject.table.table_id not in found:
                    found[subject.table.table_id] = subject, likeness
                    waiting.append(subject)
        return _in_order(self, list(found.values()))

    def subject(self, table_id: str) -> Subject:
        if table_id not in self._subjects:
            with self.library.catalogue.reading() as connection:
                table = tables_by_id(connection, [table_id])[table_id]
            self.document(table.document_id)
        return self._subjects[table_id]

    def document(self, document_id: str) -> list[Subject]:
        """All tables of a document."""
        if document_id not in self._documents:
            with self.library.catalogue.reading() as connection:
                record = documents_by_id(connection, [document_id])[document_id]
                held = [describe_subject(record, table) for table in tables_of(connection, [document_id])]
            self._documents[document_id] = held
            self._subjects.update((one.table.table_id, one) for one in held)
        return self._documents[document_id]

    def editions_of(self, subject: Subject) -> list[tuple[Subject, float]]:
        """The tables that are editions of one, each with how like it they are."""
        mine, found = subject.document.document_id, list[tuple[Subject, float]]()
        for document_id in self._with_the_same_labels(subject):
            held = self.document(document_id)
            alike = [(other, score) for other in held if (score := self.likeness(subject, other))]
            if document_id == mine:
                found += alike
                continue
            best = max(alike, key=lambda one: one[1], default=None)
            if best and self._is_best_back(subject, best):
                found.append(best)
        return found

    def likeness(self, one: Subject, other: Subject) -> float:
        """How alike two tables are; 0 where they are no editions of one."""
        if one.table.table_id == other.table.table_id:
            return 0.0
        same = one.document.document_id == other.document.document_id
        score = _agreement(one, other, same=same)
        return score if score and self._times_differ(one, other, same=same) else 0.0

    def _is_best_back(self, subject: Subject, best: tuple[Subject, float]) -> bool:
        """Whether no other table of the document is likelier than this one."""
        others = self.document(subject.document.document_id)
        return all(
            _agreement(one, best[0], same=False) <= best[1]
            for one in others
            if one.table.table_id != subject.table.table_id
        )

    def _times_differ(self, one: Subject, other: Subject, *, same: bool) -> bool:
        """Whether two tables are of other times, by the surest fields that both have."""
        if differ(one.times["sheet"], other.times["sheet"]):
            return True
        if not same and one.times["file"] and one.times["file"] == other.times["file"]:
            return False  # files of one time
        mine, theirs = one.latest("sheet", "title"), other.latest("sheet", "title")
        if mine and theirs and mine != theirs:
            return True
        if same:
            return False
        fields = ("file", "document", "labels")
        if any(differ(one.times[field], other.times[field]) for field in fields):
            return True
        return differ(self.times_of(one.document.document_id), self.times_of(other.document.document_id))

    def times_of(self, document_id: str) -> list[Period]:
        """All times that anything in a document names."""
        held = self.document(document_id)
        titles = [time for one in held for field in ("title", "sheet") for time in one.times[field]]
        return titles or [time for one in held for time in one.times["labels"]]

    def _with_the_same_labels(self, subject: Subject) -> list[str]:
        """The documents that have labels in common with a table, and its own."""
        asked = self.lookup.ask(subject.table.table_id)
        candidates = list(self.lookup.candidates(asked.sides())) if asked else []
        with self.library.catalogue.reading() as connection:
            tables = tables_by_id(connection, candidates)
            known = documents_by_id(connection, {table.document_id for table in tables.values()})
        return list(dict.fromkeys([subject.document.document_id, *known]))


def _agreement(one: Subject, other: Subject, *, same: bool) -> float:
    """How much two tables are about the same; 0 where too little."""
    labels = [found for found in (share(one.left, other.left), share(one.top, other.top)) if found is not None]
    together = sum(labels) / len(labels) if labels else 0.0
    if same:
        return together if _only_time_differs(one, other, labels) else 0.0
    if name_other_places(one.title, other.title):
        return 0.0
    if not one.title or not other.title:
        return together if _are_named_alike(one, other) and labels and min(labels) >= ALONE else 0.0
    titles, captions = word_likeness(one.title, other.title), word_likeness(one.caption, other.caption)
    words = max(titles, captions) if min(len(one.title), len(other.title)) >= _TELLING else captions
    if words < TITLES or (not labels and words < 1.0):
        return 0.0
    if labels and (min(labels) < LABELS or (words + together) / 2 < TOGETHER):
        return 0.0
    near = _ORDER / (1 + abs(one.table.number - other.table.number)) + _ORDER * (one.sheet == other.sheet)
    means = [titles, captions, *labels]
    return sum(means) / len(means) - 2 * _ORDER + near


def _are_named_alike(one: Subject, other: Subject) -> bool:
    """Whether files, or sheets that someone named, have the same name, the time in it aside."""
    mine, theirs = set(one.file), set(other.file)
    if mine and theirs and (mine <= theirs or theirs <= mine):
        return True
    return one.sheet == other.sheet and any(not _GIVEN.fullmatch(word) for word in one.sheet)


def _only_time_differs(one: Subject, other: Subject, labels: list[float]) -> bool:
    """Whether two tables of one document differ in nothing but their time."""
    if (one.title and other.title and one.title != other.title) or not labels or min(labels) < ALONE:
        return False
    if one.table.sheet == other.table.sheet and not (one.title and other.title):
        return False
    mine, theirs = set(one.sheet), set(other.sheet)
    return mine <= theirs or theirs <= mine


def _in_order(finder: SeriesFinder, found: Iterable[tuple[Subject, float]]) -> list[Member]:
    """The editions by their times, under the first field that tells all of them apart."""
    held = list(found)
    times = _tell_apart(finder, [subject for subject, _ in held])
    members = [
        Member(_edition(subject, likeness, times[subject.table.table_id]), subject, times[subject.table.table_id])
        for subject, likeness in held
    ]
    return sorted(members, key=lambda one: (_since(one.period), one.edition.name))


def _tell_apart(finder: SeriesFinder, subjects: list[Subject]) -> Mapping[str, Period | None]:
    ways = [{one.table.table_id: one.latest(field) for one in subjects} for field in _FIELDS]
    ways.append({one.table.table_id: last_of(finder.times_of(one.document.document_id)) for one in subjects})
    for way in ways:
        if None not in way.values() and len({time.code for time in way.values() if time}) == len(subjects):
            return way
    return {
        one.table.table_id: next((way[one.table.table_id] for way in ways if way[one.table.table_id]), None)
        for one in subjects
    }


def _edition(subject: Subject, likeness: float, time: Period | None) -> Edition:
    table, document = subject.table, subject.document
    return Edition(
        edition=time.code if time else table.name,
        table=table.table_id,
        name=table.name,
        document=document.document_id,
        source=document.source,
        sheet=table.sheet,
        title=table.title or table.caption,
        likeness=round(likeness, 3),
        rows=table.rows,
        columns=table.columns,
    )


def _since(period: Period | None) -> str:
    return f"{period.start}{period.end}" if period else ""
