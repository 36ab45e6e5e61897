"""The survey of the dev corpora: docs/survey.md and its pictures, made from a library of them.

    python bench/survey.py [LIBRARY]

LIBRARY holds corpora, each in a folder of its own (without one it is made); the tables of docs/survey.md lie between
`<!-- survey: NAME -->` and `<!-- end -->` and are replaced.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tabellion.learn.corpora import find_corpus
from tabellion.library import open_library
from tabellion.library.survey import Group, Share, Survey, survey_charts

CORPORA = (
    *("icdar2013", "webtables", "wiki-headers", "t2dv2", "saus-lines", "statsheets", "fuste", "hitab-top", "troy200"),
    *("senbazuru-left", "jats"),
)
ROOMS = ("inputs", "pages", "pdf")  # where the documents of a corpus lie
DOCS = Path(__file__).parents[1] / "docs"
PICTURES = {"hierarchical_top_by_domain": "survey-top", "hierarchical_left_by_domain": "survey-left"}
SHOWN = {"all": 1, "domain": 40, "medium": 5, "kind": 5, "language": 6}
HEAD = "documents | tables | data frame | h-top | h-left | levels, top and left | rows × columns |"


def percent(share: Share) -> str:
    return f"{share.value:.0%} ({share.low:.0%} to {share.high:.0%})".replace("%", " %")


def line(group: Group) -> str:
    shares = " | ".join(map(percent, (group.data_frame, group.hierarchical_top, group.hierarchical_left)))
    return (
        f"| {group.name} | {group.documents:,} | {group.tables:,} | {shares} | "
        f"{group.top_depth:.1f}, {group.left_depth:.1f} | {group.rows:g} × {group.columns:g} |"
    )


def parts(found: Survey) -> dict[str, str]:
    """What stands between the marks of the page, by name."""
    told = {
        by: "\n".join(
            [f"| {by} | {HEAD}", "|" + " --- |" * 8]
            + [line(group) for group in [one for one in found.groups if one.by == by][:count]]
        )
        for by, count in SHOWN.items()
    }
    told["count"] = (
        f"{found.documents:,} documents, of which {found.without_tables:,} hold no table; {found.tables:,} tables with "
        f"{found.values:,} values."
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
            for name in CORPORA:
                library.add(*sorted(path for room in ROOMS for path in (find_corpus(name) / room).glob("*")))
        found = library.survey()
    page = DOCS / "survey.md"
    text = page.read_text(encoding="utf-8")
    for name, part in parts(found).items():
        mark = f"<!-- survey: {name} -->"
        before, _, rest = text.partition(f"{mark}\n")
        text = f"{before}{mark}\n{part}\n<!-- end -->{rest.partition('<!-- end -->')[2]}"
    page.write_text(text, encoding="utf-8")
    charts = survey_charts(found)
    for name, file in PICTURES.items():
        (DOCS / "images" / f"{file}.svg").write_text(charts[name], encoding="utf-8")


if __name__ == "__main__":
    main()
