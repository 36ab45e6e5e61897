"""What kinds of tables a library holds, and where: the survey of Chen and Cafarella 2013, section 2.2.

In: a library. Out: a `Survey`: how many of its tables are data frames and relations, how many have hierarchical top or
left headers and how deep, by domain, medium, year and language; sizes and units. Shares have 95 % intervals by
bootstrap over domains (Efron and Tibshirani 1993, chapter 6): tables of one publisher are alike, so publishers are
drawn, not tables; where there is one domain only, documents are. What was judged to be no table (a form, a list, the
layout of a page) is counted by what it seems to be; documents that were added before that was kept are not counted.
"""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from os.path import commonpath
from statistics import median
from typing import Any, Literal

import msgspec
import numpy as np
from sqlalchemy import select

from tabellion.library.catalogue import documents, tables
from tabellion.library.holdings import Details, decode_held, unpack_details
from tabellion.library.library import Library
from tabellion.read.web.addresses import take_apart

DRAWS = 1_000  # of the bootstrap; the ends of an interval move by less than a point with another seed
MOST_GROUPS = 40  # of one sort that are told apart; the rest is "other"
_SEED = 5
_SIDE = 0.025
By = Literal["all", "domain", "medium", "year", "language", "kind"]


class Surveyed(msgspec.Struct, frozen=True):
    """A table as the survey sees it."""

    document: str
    domain: str
    medium: str
    language: str
    year: str
    kind: str
    rows: int
    columns: int
    values: int
    top_depth: int
    left_depth: int
    nested: bool  # whether labels of rows stand under others
    units: frozenset[str]


class Share(msgspec.Struct, frozen=True):
    """A share with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


class Group(msgspec.Struct, frozen=True):
    """The tables of one domain, medium, year, language or kind, or all."""

    by: By
    name: str
    documents: int
    tables: int
    values: int
    data_frame: Share
    hierarchical_top: Share
    hierarchical_left: Share
    hierarchical: Share  # top or left
    top_depth: float  # levels of column labels, on average
    left_depth: float
    rows: float  # the median
    columns: float
    units: Share  # with a unit that was read


class Survey(msgspec.Struct, frozen=True):
    """What a library holds; `drawn` says over what the bootstrap was made."""

    documents: int
    without_tables: int
    tables: int
    values: int
    drawn: Literal["domains", "documents"]
    groups: list[Group]
    units: list[tuple[str, int]]  # units and how many tables have each, the most first
    sizes: list[tuple[str, float, float, float, float, float]]  # name, then 5, 25, 50, 75 and 95 per cent
    others: list[tuple[str, int, int]] = []  # what is no table, how many there are, and in how many documents


def survey_library(library: Library, draws: int = DRAWS) -> Survey:
    """The survey of a library."""
    with library.catalogue.reading() as connection:
        wanted = select(documents.c.document_id, documents.c.address, documents.c.medium, documents.c.language)
        held = {row[0]: row for row in connection.execute(wanted)}
        beside = connection.execute(select(documents.c.others).where(documents.c.others.is_not(None))).scalars().all()
        domain = domains([row[1] for row in held.values()])
        columns = (tables.c.document_id, tables.c.rows, tables.c.columns, tables.c.tuples, tables.c.details)
        seen = [
            _surveyed(held[row[0]], domain[held[row[0]][1]], row)
            for row in connection.execute(select(*columns).order_by(tables.c.document_id, tables.c.number))
            if row[0] in held
        ]
    by_domain = len({one.domain for one in seen}) > 1
    cluster: Callable[[Surveyed], str] = (lambda one: one.domain) if by_domain else (lambda one: one.document)
    return Survey(
        documents=len(held),
        without_tables=len(held) - len({one.document for one in seen}),
        tables=len(seen),
        values=sum(one.values for one in seen),
        drawn="domains" if by_domain else "documents",
        groups=_groups(seen, cluster, draws),
        units=Counter(unit for one in seen for unit in one.units).most_common(),
        sizes=[(name, *_quantiles([getattr(one, name) for one in seen])) for name in ("rows", "columns", "values")],
        others=_count_others(decode_held(one, dict[str, int]) for one in beside),
    )


def _count_others(held: Iterable[Mapping[str, int]]) -> list[tuple[str, int, int]]:
    """What documents hold beside tables: kinds, how many there are and in how many documents, the most first."""
    found: Counter[str] = Counter()
    documents: Counter[str] = Counter()
    for one in held:
        found.update(one)
        documents.update(one.keys())
    return [(kind, count, documents[kind]) for kind, count in found.most_common()]


def domains(addresses: Sequence[str]) -> dict[str, str]:
    """Where documents come from: hosts of URLs, of files the first folder that tells them apart.

    >>> domains(["https://stats.example/a.xls", "/data/north/a.xls", "/data/south/in/b.xls"])
    {'https://stats.example/a.xls': 'stats.example', '/data/north/a.xls': 'north', '/data/south/in/b.xls': 'south'}
    """
    paths = {address: address.removeprefix("file://") for address in addresses if _host(address) is None}
    folders = [path.rpartition("/")[0] for path in paths.values()]
    try:
        common = commonpath(folders) if folders else ""
    except ValueError:  # some are relative
        common = ""
    found: dict[str, str] = {}
    for address in addresses:
        rest = paths.get(address, "").removeprefix(common).strip("/")
        found[address] = _host(address) or (
            rest.partition("/")[0] if "/" in rest else common.rpartition("/")[2] or "files"
        )
    return found


def survey_csv(survey: Survey) -> str:
    """The groups of a survey as CSV: a line each, shares with their ends."""
    file = io.StringIO()
    flat = [_flat(group) for group in survey.groups]
    writer = csv.DictWriter(file, list(flat[0]) if flat else ["by"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return file.getvalue()


def survey_charts(survey: Survey) -> dict[str, str]:
    """The pictures of a survey as SVG, by name: shares by domain and medium with their intervals."""
    from tabellion.export.chart import MOST_BARS, Chart, ChartSeries, draw_chart, scene_svg

    found: dict[str, str] = {}
    told = {
        "data_frame": "Data frames",
        "hierarchical_top": "Hierarchical top",
        "hierarchical_left": "Hierarchical left",
    }
    for by in ("domain", "medium", "year", "language"):
        groups = [group for group in survey.groups if group.by == by][:MOST_BARS]
        for name, title in told.items() if groups else ():
            shares: list[Share] = [getattr(group, name) for group in groups]
            chart = Chart(
                kind="bar",
                title=f"{title} by {by}, % of tables",
                axis=by,
                labels=[group.name for group in groups],
                places=[float(at) for at in range(len(groups))],
                series=[ChartSeries("%", [100 * one.value for one in shares])],
                low=[100 * one.low for one in shares],
                high=[100 * one.high for one in shares],
            )
            found[f"{name}_by_{by}"] = scene_svg(draw_chart(chart))
    return found


def kind_of(details: Details) -> str:
    """What a table is: numbers under and beside labels, records under heads, labels and values of one thing, a column.

    A data frame has at least half of its columns of numbers; a relation has more columns of words.
    """
    if not details.stub and len(details.columns) <= 1:
        return "list"
    numbers = sum(column.number for column in details.columns)
    if details.stub and 2 * numbers >= len(details.columns):
        return "data frame"
    return "pairs" if details.stub and len(details.columns) == 1 and not details.columns[0].path else "relation"


def _is_nested(details: Details) -> bool:
    """Whether labels of rows stand under others: in one column, or beside others in a data frame.

    The several keys of a relation are no hierarchy.
    """
    within = any(level.level > 1 for level in details.stub)
    return within or (kind_of(details) == "data frame" and len({level.column for level in details.stub}) > 1)


def _surveyed(document: Any, domain: str, row: Any) -> Surveyed:
    _, _, medium, language = document
    details = unpack_details(row[4])
    return Surveyed(
        document=row[0],
        domain=domain,
        medium=medium,
        language=language,
        year=str(max(details.years)) if details.years else "none",
        kind=kind_of(details),
        rows=row[1],
        columns=row[2],
        values=row[3],
        top_depth=max((len(column.path) for column in details.columns), default=0),
        left_depth=details.left_depth,
        nested=_is_nested(details),
        units=frozenset(column.unit for column in details.columns if column.unit),
    )


def _groups(seen: Sequence[Surveyed], cluster: Callable[[Surveyed], str], draws: int) -> list[Group]:
    found = [_group("all", "all", seen, cluster, draws)] if seen else []
    for by in ("domain", "medium", "kind", "language", "year"):
        often = Counter(getattr(one, by) for one in seen)
        kept = {name for name, _ in often.most_common(MOST_GROUPS)}
        parts: dict[str, list[Surveyed]] = {}
        for one in seen:
            name = getattr(one, by)
            parts.setdefault(name if name in kept else "other", []).append(one)
        order = sorted(parts) if by == "year" else [name for name, _ in often.most_common() if name in parts]
        order += [name for name in parts if name not in order]
        # within a domain its documents are drawn
        own = (lambda one: one.document) if by == "domain" else cluster
        found += [_group(by, name, parts[name], own, draws) for name in order]
    return found


def _group(by: By, name: str, seen: Sequence[Surveyed], cluster: Callable[[Surveyed], str], draws: int) -> Group:

    def share(test: Callable[[Surveyed], bool]) -> Share:
        return bootstrap([(cluster(one), test(one)) for one in seen], draws)

    return Group(
        by=by,
        name=name,
        documents=len({one.document for one in seen}),
        tables=len(seen),
        values=sum(one.values for one in seen),
        data_frame=share(lambda one: one.kind == "data frame"),
        hierarchical_top=share(lambda one: one.top_depth > 1),
        hierarchical_left=share(lambda one: one.nested),
        hierarchical=share(lambda one: one.top_depth > 1 or one.nested),
        top_depth=round(sum(one.top_depth for one in seen) / len(seen), 3),
        left_depth=round(sum(one.left_depth for one in seen) / len(seen), 3),
        rows=median(one.rows for one in seen),
        columns=median(one.columns for one in seen),
        units=share(lambda one: bool(one.units)),
    )


def bootstrap(seen: Iterable[tuple[str, bool]], draws: int = DRAWS) -> Share:
    """The share of tables of which something holds, with its interval; whole clusters are drawn.

    >>> bootstrap([("a", True), ("a", True), ("b", False)]).value
    0.6667
    """
    counted: dict[str, list[int]] = {}
    for name, holds in seen:
        held = counted.setdefault(name, [0, 0])
        held[0] += holds
        held[1] += 1
    clusters = list(counted.values())
    value = sum(yes for yes, _ in clusters) / sum(total for _, total in clusters)
    choose = random.Random(_SEED)  # noqa: S311 - the same interval every time
    found = []
    for _ in range(draws):
        drawn = choose.choices(clusters, k=len(clusters))
        found.append(sum(yes for yes, _ in drawn) / sum(total for _, total in drawn))
    found.sort()
    low, high = found[int(_SIDE * draws)], found[min(draws - 1, int((1 - _SIDE) * draws))]
    return Share(round(value, 4), round(low, 4), round(high, 4))


def _quantiles(values: Sequence[int]) -> tuple[float, float, float, float, float]:
    one, two, three, four, five = np.quantile(values or [0], (0.05, 0.25, 0.5, 0.75, 0.95)).tolist()
    return one, two, three, four, five


def _flat(group: Group) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    for name in group.__struct_fields__:
        value = getattr(group, name)
        if isinstance(value, Share):
            found |= {name: value.value, f"{name}_low": value.low, f"{name}_high": value.high}
        else:
            found[name] = value
    return found


def _host(address: str) -> str | None:
    parts = take_apart(address)
    return parts.hostname if parts.scheme in ("http", "https") and parts.hostname else None
