"""Mining keeps its floors on a part of the corpora; docs/mining.md has the figures on all of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tabellion.learn.scoring.site_concepts import match_once
from tabellion.mine.hierarchy import segment_page
from tabellion.mine.instances import mine_instances
from tabellion.mine.ontology import MineSettings, mine_sites
from tabellion.mine.schema_org import fold_text
from tabellion.mine.sources import find_tables, folder_site
from tabellion.mine.things import unify_sites
from tabellion.read.web.page_tree import load_page


@pytest.mark.parametrize(
    ("site", "floor"), [("movie-yahoo", 0.88), ("nbaplayer-fanhouse", 0.88), ("university-ecampustours", 0.88)]
)
def test_labels_and_values_of_a_template_keep_their_floor(
    corpora: Callable[[str], Path], site: str, floor: float
) -> None:
    folder = corpora("swde")
    gold = [json.loads(line) for line in (folder / "gold.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = {str(folder / row["source"]): row for row in gold if row["site"] == site}
    pages = folder_site(folder / site)
    right = told = wanted = closed = found = 0
    for instance in mine_instances(pages.sources, pages.load):
        row = rows[instance.source]
        paths = {(fold_text(path[-1]), pair["value"]) for pair in row["open"] for path in (pair["label"],) if path}
        unlabelled = {pair["value"] for pair in row["open"] if not pair["label"]} | set(row["topic"])
        labelled = {(fold_text(a.label[-1]), a.value) for a in instance.attributes if a.label}
        labelled = {pair for pair in labelled if pair[1] not in unlabelled}
        right, told, wanted = right + len(labelled & paths), told + len(labelled), wanted + len(paths)
        values = {attribute.value for attribute in instance.attributes}
        lasting = [value for group in row["closed"].values() for value in group]
        closed, found = closed + len(lasting), found + sum(value in values for value in lasting)
    assert 2 * right / (told + wanted) > floor
    assert found >= 0.95 * closed


def test_things_over_sites_keep_their_floors(corpora: Callable[[str], Path]) -> None:
    folder = corpora("unified")
    gold = [json.loads(line) for line in (folder / "gold.jsonl").read_text(encoding="utf-8").splitlines()]
    chosen = ("restaurant-zagat", "restaurant-opentable", "restaurant-usdiners")
    unified = unify_sites([folder_site(folder / site) for site in chosen])
    things = {thing.source: thing for thing in unified.things()}
    rows = {str(folder / row["source"]): row["closed"] for row in gold if row["site"] in chosen}
    named = sum(things[source].name in closed["name"] for source, closed in rows.items())
    assert named >= 0.9 * len(rows)
    facts = {source: {a.value for a in thing.attributes if a.main} for source, thing in things.items()}
    wanted = [(source, value) for source, closed in rows.items() for values in closed.values() for value in values]
    assert sum(value in facts[source] for source, value in wanted) >= 0.95 * len(wanted)
    every = [attribute for thing in things.values() for attribute in thing.attributes]
    assert sum(attribute.main for attribute in every) <= 0.5 * len(every)
    phones = {
        (thing.site, a.unified) for thing in things.values() for a in thing.attributes
        if a.unified and a.value in rows[thing.source]["phone"]
    }  # fmt: skip
    assert {site for site, _ in phones} == set(chosen)
    assert len({unified for _, unified in phones}) == 1


def test_the_taxonomy_of_news_sites_keeps_its_floor(corpora: Callable[[str], Path]) -> None:
    folder = corpora("news-front")
    gold = json.loads((folder / "taxonomy.json").read_text(encoding="utf-8"))
    sites = [folder_site(path) for path in sorted((folder / "pages").iterdir())]
    concepts = mine_sites(sites, MineSettings(instances=False)).concepts
    named = {fold_text(label) for concept in concepts for label in concept.labels}
    wanted = [{fold_text(label) for label in (one["label"], *one["variants"])} for one in gold["concepts"]]
    boilerplate = {fold_text(one["label"]) for one in gold["non_concepts"]}
    assert sum(bool(labels & named) for labels in wanted) >= 0.9 * len(wanted)
    assert sum(fold_text(concept.label) in boilerplate for concept in concepts) <= 4


def _boundaries(path: Path) -> list[int]:
    return [start for start in segment_page(find_tables(*load_page(path))).starts if start]


def _mean_f1(pages: Sequence[tuple[list[int], list[int]]], window: int) -> float:
    """Boundaries found within a window of leaves, each used once: F1, averaged over pages."""
    return sum(2 * match_once(gold, own, window) / (len(gold) + len(own)) for gold, own in pages) / len(pages)


def test_segments_of_pages_keep_their_floors(corpora: Callable[[str], Path]) -> None:
    folder = corpora("segments")
    rows = [json.loads(line) for line in (folder / "gold.jsonl").read_text(encoding="utf-8").splitlines()]
    pages = [(row["boundaries"], _boundaries(folder / row["source"])) for row in rows]
    assert _mean_f1(pages, 5) > 0.88
    assert _mean_f1(pages, 0) > 0.83


def test_segments_of_other_pages_keep_their_floors(corpora: Callable[[str], Path]) -> None:
    """Pages of other corpora, marked by hand as the corpus segments is: what holds there holds elsewhere."""
    marks = json.loads((Path(__file__).parent / "segment_marks.json").read_text(encoding="utf-8"))
    pages = [
        (gold, _boundaries(corpora(name.partition("/")[0]) / name.partition("/")[2])) for name, gold in marks.items()
    ]
    assert _mean_f1(pages, 5) > 0.86
    assert _mean_f1(pages, 0) > 0.82
