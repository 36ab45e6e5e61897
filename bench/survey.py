"""The survey of the dev corpora: docs/survey.md and its pictures, made from a library of them.

    python bench/survey.py [LIBRARY]

LIBRARY holds corpora, each in a folder of its own (without one it is made, of every dev document, those with the same
bytes once); the tables of docs/survey.md lie between `<!-- survey: NAME -->` and `<!-- end -->` and are replaced.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from pathlib import Path

from scale import dev_documents
from tabellion.library import open_library
from tabellion.library.survey import Group, Share, Survey, survey_charts
from tabellion.scale import run_sources

DOCS = Path(__file__).parents[1] / "docs"
PICTURES = {"hierarchical_top_by_domain": "survey-top", "hierarchical_left_by_domain": "survey-left"}
SHOWN = {"all": 1, "domain": 40, "medium": 5, "kind": 5, "language": 6, "year": 10}
HEAD = "documents | tables | data frame | h-top | h-left | levels, top and left | rows × columns |"


def percent(share: Share) -> str:
    return f"{share.value:.0%} ({share.low:.0%} to {share.high:.0%})".replace("%", " %")


def line(group: Group) -> str:
    shares = " | ".join(map(percent, (group.data_frame, group.hierarchical_top, group.hierarchical_left)))
    return (
        f"| {group.name} | {group.documents:,} | {group.tables:,} | {shares} | "
        f"{group.top_depth:.1f}, {group.left_depth:.1f} | {group.rows:g} × {group.columns:g} |"
    )


def most_tables(groups: list[Group], count: int) -> list[Group]:
    """So many groups with the most tables, in the order in which they are."""
    kept = sorted(groups, key=lambda one: -one.tables)[:count]
    return [group for group in groups if group in kept]


def parts(found: Survey) -> dict[str, str]:
    """What stands between the marks of the page, by name."""
    told = {
        by: "\n".join(
            [f"| {by} | {HEAD}", "|" + " --- |" * 8]
            + [line(group) for group in most_tables([one for one in found.groups if one.by == by], count)]
        )
        for by, count in SHOWN.items()
    }
    told["count"] = (
        f"{found.documents:,} documents, of which {found.without_tables:,} hold no table; {found.tables:,} tables with "
        f"{found.values:,} values."
    )
    told["others"] = "\n".join(
        ["| what is no table | how many | documents |", "|" + " --- |" * 3]
        + [f"| {kind} | {count:,} | {held:,} |" for kind, count, held in found.others]
    )
    told["units"] = ", ".join(f"`{unit}` {count}" for unit, count in found.units[:10])
    sizes = [f"| {name} | " + " | ".join(f"{value:,.0f}" for value in rest) + " |" for name, *rest in found.sizes]
    told["sizes"] = "\n".join(["| of a table | 5 % | 25 % | 50 % | 75 % | 95 % |", "|" + " --- |" * 6, *sizes])
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", nargs="?")
    given = parser.parse_args().library
    with tempfile.TemporaryDirectory() as folder, open_library(given or folder, create=not given) as library:
        if not given:
            once = {hashlib.sha256(path.read_bytes()).digest(): str(path) for path in sorted(dev_documents())}
            run_sources(sorted(once.values()), library)
        found = library.survey()
    page = DOCS / "survey.md"
    text = page.read_text(encoding="utf-8")
    for name, part in parts(found).items():
        mark = f"<!-- survey: {name} -->"
        if mark not in text:
            continue
        before, _, rest = text.partition(f"{mark}\n")
        text = f"{before}{mark}\n{part}\n<!-- end -->{rest.partition('<!-- end -->')[2]}"
    page.write_text(text, encoding="utf-8")
    charts = survey_charts(found)
    for name, file in PICTURES.items():
        (DOCS / "images" / f"{file}.svg").write_text(charts[name], encoding="utf-8")


if __name__ == "__main__":
    main()
