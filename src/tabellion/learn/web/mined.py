"""Learning what the slots of templates hold: facts of the page's subject, its name, and which slots mean the same.

In: the sites of the corpora unified, swde and recipes but those of the verticals left out. Out: the weights
`mined_facts`, `mined_names` and `mined_attributes`. A fold is some verticals, so that nothing is ever scored on matter
that was learned from. The gold of most sites names only a few attributes of each page: texts outside it may be facts
all the same, so they weigh little; on the sites of swde with open gold they weigh as much as others. What compares
slots sees how likely they hold facts, as trees say that have not seen their vertical.
"""

from __future__ import annotations

import html
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.learn.corpora import LeftOut, assign_folds, find_corpus, load_gold
from tabellion.learn.fitting import BoostingSettings, judge_chances, train_boosted
from tabellion.learn.scoring.sites import NAMES, same_name
from tabellion.learn.training import Card, Material, write_card
from tabellion.mine import facts, names, schema
from tabellion.mine.facts import SlotProfile, SlotTable, describe_slots
from tabellion.mine.schema_org import fold_text
from tabellion.mine.slots import FEATURES, PageSlots
from tabellion.mine.sources import folder_site
from tabellion.mine.template import line_numbers
from tabellion.model.markup import PageTree
from tabellion.weights.boosted import Boosted

FACT_TREES = BoostingSettings(
    rounds=200, leaves=15, rate=0.05, least_rows=10, columns=0.4, rows=0.8, ridge=2.0, members=2
)
NAME_TREES = BoostingSettings(
    rounds=150, leaves=6, rate=0.05, least_rows=12, columns=0.5, rows=0.8, ridge=2.0, members=3
)
PAIR_TREES = BoostingSettings(
    rounds=120, leaves=6, rate=0.05, least_rows=40, columns=0.4, rows=0.7, ridge=10.0, members=2
)
RECIPES = "recipe"
_SOME = 3  # pages of a site of which little is seen
_UNJUDGED = 0.25  # weight of a slot of which the gold does not say that it holds no facts
_LITTLE_SEEN = 0.3  # weight of a name's slot on a site of which few pages are seen
_SAME = 6.0  # weight of two slots that are one attribute: they are few


class SiteCase(msgspec.Struct, frozen=True, eq=False):
    """A site: its vertical, what is seen of its pages, and their gold: values by attribute, the name among them."""

    site: str
    vertical: str
    pages: list[PageSlots]
    slots: SlotTable
    gold: list[dict[str, list[str]]]
    open: list[dict[str, Any] | None]
    whole: bool = True  # all pages that there are, not some of them for templates of which little is seen


def plain(text: object) -> str:
    """A text as gold and pages are compared."""
    return unicodedata.normalize("NFC", " ".join(html.unescape(str(text or "")).split()))


@lru_cache(maxsize=1)
def site_cases() -> tuple[SiteCase, ...]:
    """The sites of the corpus unified, with the open gold that swde has for some."""
    return (*_unified_cases(), *_recipe_cases())


def _view(site: str, vertical: str, trees: list[PageTree], gold: list[dict[str, list[str]]], also: Any) -> SiteCase:
    learned, views = facts.view_template(trees)
    return SiteCase(site, vertical, views, learned.slots, gold, also)


def _unified_cases() -> Iterator[SiteCase]:
    folder = find_corpus("unified")
    opened = {row["source"]: row for row in load_gold(find_corpus("swde")) if "open" in row}
    rows: dict[str, dict[str, dict[str, Any]]] = {}
    for row in load_gold(folder):
        rows.setdefault(row["site"], {})[str(folder / row["source"])] = row
    for site, gold in sorted(rows.items()):
        pages = folder_site(folder / site)
        trees = [pages.load(source) for source in pages.sources]
        told = [gold[source] for source in pages.sources]
        closed, also = [row["closed"] for row in told], [opened.get(row["source"]) for row in told]
        yield _view(site, told[0]["vertical"], trees, closed, also)
        some = slice(0, _SOME)
        few = _view(site, told[0]["vertical"], trees[some], closed[some], also[some])
        yield msgspec.structs.replace(few, whole=False)


def _recipe_cases() -> Iterator[SiteCase]:
    """The sites of the corpus recipes, two pages each; every site is left out alone, with some others."""
    folder = find_corpus("recipes")
    rows: dict[str, dict[str, dict[str, Any]]] = {}
    for row in load_gold(folder):
        rows.setdefault(row["site"], {})[str(folder / row["source"])] = row
    for site, told in sorted(rows.items()):
        pages = folder_site(folder / site)
        gold = [{"title": [told[s]["title"]], "lines": told[s]["ingredients_visible"]} for s in pages.sources]
        trees = [pages.load(source) for source in pages.sources]
        case = _view(site, f"{RECIPES} {site}", trees, gold, [None] * len(gold))
        yield msgspec.structs.replace(case, whole=False)


def vertical_folds() -> dict[str, int]:
    """The fold of each vertical; a site of recipes counts as one."""
    verticals = {case.vertical for case in site_cases()}
    sites = {vertical for vertical in verticals if vertical.startswith(RECIPES)}
    return assign_folds("unified", verticals - sites) | assign_folds(RECIPES, sites)


def name_of(vertical: str) -> str:
    """The attribute that is the thing's own name."""
    return "title" if vertical.startswith(RECIPES) else NAMES[vertical]


def _is_learned(vertical: str, left_out: LeftOut) -> bool:
    return left_out is None or (vertical != left_out and vertical_folds()[vertical] != left_out)


def _material(left_out: LeftOut) -> dict[str, Material]:
    cases = [case for case in site_cases() if _is_learned(case.vertical, left_out)]
    return {
        "unified": Material(sum(len(case.pages) for case in cases), sum(len(case.slots.numbers) for case in cases)),
        "recipes": Material(sum(len(case.pages) for case in cases if case.vertical.startswith(RECIPES)), 0),
        "swde": Material(sum(row is not None for case in cases for row in case.open), 0),
    }


def _slot_shares(case: SiteCase, wanted: list[set[str]]) -> NDArray[np.float64]:
    """For each slot which share of its texts is among those wanted of their page."""
    right, times = np.zeros(len(case.slots.numbers)), np.zeros(len(case.slots.numbers))
    for page, texts in zip(case.pages, wanted, strict=True):
        for each in page.candidates:
            number = case.slots.numbers[each.slot]
            times[number] += 1
            text = page.page.texts[each.leaf]
            right[number] += plain(text) in texts or fold_text(_line(page.page, each.leaf)) in texts
    return np.asarray(right / np.maximum(times, 1))


def _known(case: SiteCase) -> list[set[str]]:
    """The gold texts of each page, whatever they are of."""
    found: list[set[str]] = []
    for row, also in zip(case.gold, case.open, strict=True):
        texts = {plain(value) for values in row.values() for value in values}
        if case.vertical.startswith(RECIPES):
            texts = {fold_text(value) for values in row.values() for value in values}
        if also is not None:
            texts |= {plain(pair["value"]) for pair in also["open"]} | set(map(plain, also.get("topic", ())))
        found.append(texts)
    return found


@lru_cache(maxsize=32)
def fact_trees(left_out: LeftOut) -> Boosted:
    """Trees that tell slots with facts from the others."""
    rows, labels, weights = [], [], []
    for case in site_cases():
        if not _is_learned(case.vertical, left_out):
            continue
        share = _slot_shares(case, _known(case))
        unjudged = 1.0 if case.open[0] is not None else _UNJUDGED
        times = np.zeros(len(share))
        for page in case.pages:
            for each in page.candidates:
                times[case.slots.numbers[each.slot]] += 1
        rows.append(case.slots.rows)
        labels.append(share >= 0.5)
        weights.append(np.where(share >= 0.5, 1.0, unjudged) * np.sqrt(times / len(case.pages)))
    return train_boosted(
        np.vstack(rows), np.concatenate(labels).astype(int), FEATURES, ("other", "fact"), np.concatenate(weights),
        FACT_TREES,
    )  # fmt: skip


def train_facts(folder: Path, left_out: LeftOut = None) -> None:
    """Write the weights that tell facts."""
    fact_trees(left_out).save(folder / f"{facts.WEIGHTS}.npz")
    scores = _fact_scores() if left_out is None else {}
    method = "gradient-boosted trees over the slots of a template: texts, labels, place, repetition"
    write_card(folder, Card(facts.WEIGHTS, method, _material(left_out), left_out=left_out, scores=scores))


def _scored() -> list[SiteCase]:
    """The sites of unified with all their pages."""
    return [case for case in site_cases() if case.whole]


def _line(page: PageTree, leaf: int) -> str:
    """The text of the line that a leaf stands in."""
    lines = line_numbers(page)
    first = last = leaf
    while first and lines[first - 1] == lines[leaf]:
        first -= 1
    while last + 1 < len(lines) and lines[last + 1] == lines[leaf]:
        last += 1
    return page.join(first, last + 1)


def _fact_scores() -> dict[str, float]:
    """Recall of the closed gold, and the share of texts taken for facts, each vertical left out."""
    found: dict[str, list[int]] = {}
    given = marked = 0
    for case in _scored():
        chances = fact_trees(case.vertical).probabilities(case.slots.rows)
        counts = found.setdefault(case.vertical, [0, 0])
        for page, row in zip(case.pages, case.gold, strict=True):
            main = [each for each in page.candidates if chances[case.slots.numbers[each.slot]] >= facts.MAIN]
            given, marked = given + len(page.candidates), marked + len(main)
            texts = {plain(page.page.texts[each.leaf]) for each in main}
            wanted = {plain(value) for values in row.values() for value in values}
            counts[0] += len(wanted & texts)
            counts[1] += len(wanted)
    recall = float(np.mean([right / wanted for right, wanted in found.values()]))
    return {"closed recall": round(recall, 4), "share": round(marked / given, 4)}


NameRows = tuple[SiteCase, dict[Any, names.NameSlot], NDArray[np.float64], NDArray[np.float64]]


@lru_cache(maxsize=1)
def _name_rows() -> list[NameRows]:
    """For each site the slots that may hold names, what is seen of them, and how far they hold the gold's."""
    found = []
    for case in site_cases():
        slots = names.name_slots(case.pages)
        right = np.array([_name_share(case, slot) for slot in slots.values()]).reshape(-1, 2)
        found.append((case, slots, names.name_features(case.pages, slots), right))
    return found


def _name_share(case: SiteCase, slot: names.NameSlot) -> tuple[float, float]:
    """On which share of a slot's pages it holds the name, and holds it to the letter."""
    near, whole = [], []
    for number, text in slot.texts.items():
        gold = case.gold[number].get(name_of(case.vertical)) or []
        if gold:
            near.append(any(same_name(text, name) for name in gold))
            whole.append(any(plain(text).casefold() == plain(name).casefold() for name in gold))
    return (float(np.mean(near)), float(np.mean(whole))) if near else (0.0, 0.0)


@lru_cache(maxsize=32)
def name_trees(left_out: LeftOut) -> Boosted:
    """Trees that tell the slot of a thing's name."""
    chosen = [each for each in _name_rows() if len(each[2]) and _is_learned(each[0].vertical, left_out)]
    rows, right = np.vstack([each[2] for each in chosen]), np.vstack([each[3] for each in chosen])
    seen = np.concatenate([np.full(len(told), 1.0 if case.whole else _LITTLE_SEEN) for case, _, told, _ in chosen])
    weights = np.where(right[:, 0] >= 0.5, 1 + right[:, 1], 1.0) * seen
    labels = (right[:, 0] >= 0.5).astype(int)
    return train_boosted(rows, labels, names.FEATURES, ("other", "name"), weights, NAME_TREES)


def train_names(folder: Path, left_out: LeftOut = None) -> None:
    """Write the weights that tell names."""
    name_trees(left_out).save(folder / f"{names.WEIGHTS}.npz")
    scores = _name_scores() if left_out is None else {}
    method = "gradient-boosted trees over slots, headings and parts of the title"
    write_card(folder, Card(names.WEIGHTS, method, _material(left_out), left_out=left_out, scores=scores))


def _name_scores() -> dict[str, float]:
    """How many names are right, each vertical left out."""
    found: dict[str, list[bool]] = {}
    for case, slots, rows, _ in (each for each in _name_rows() if each[0].whole):
        likely = name_trees(case.vertical).probabilities(rows) * names.may_name(rows, len(case.pages))
        for row, name in zip(case.gold, names.names_by_slot(len(case.pages), slots, likely), strict=True):
            gold = row.get(name_of(case.vertical)) or []
            if gold:
                found.setdefault(case.vertical, []).append(any(same_name(name or "", one) for one in gold))
    return {"name": round(float(np.mean([np.mean(right) for right in found.values()])), 4)}


@lru_cache(maxsize=1)
def _pair_rows() -> dict[str, tuple[NDArray[np.float64], NDArray[np.int64]]]:
    """For each vertical the pairs of slots of which the gold says something, and whether they are one attribute."""
    found = {}
    for vertical in sorted({case.vertical for case in _scored()}):
        profiles: list[SlotProfile] = []
        meant: list[str | None] = []
        for case in (case for case in _scored() if case.vertical == vertical):
            chances = fact_trees(vertical).probabilities(case.slots.rows)
            told = describe_slots(case.site, case.pages, case.slots, chances, least=facts.MAIN)
            profiles += told
            meant += [_meaning(case, profile) for profile in told]
        known = schema.label_sites(profiles)
        pairs = [pair for pair in schema.candidate_pairs(profiles) if meant[pair[0]] or meant[pair[1]]]
        rows = schema.compare_slots(profiles, pairs, known)
        found[vertical] = rows, np.array([int(meant[one] == meant[other]) for one, other in pairs])
    return found


def _meaning(case: SiteCase, profile: SlotProfile) -> str | None:
    """The gold attribute that most texts of a slot are of; the name is none."""
    counts: Counter[str] = Counter()
    for number, texts in profile.texts.items():
        for attribute, values in case.gold[number].items():
            wanted = set(map(plain, values))
            counts[attribute] += sum(plain(text) in wanted for text in texts)
    attribute, count = counts.most_common(1)[0] if counts else ("", 0)
    times = sum(map(len, profile.texts.values()))
    return attribute if 2 * count >= times and attribute != name_of(case.vertical) else None


@lru_cache(maxsize=32)
def pair_trees(left_out: LeftOut) -> Boosted:
    """Trees that tell whether two slots are one attribute."""
    chosen = [told for vertical, told in _pair_rows().items() if _is_learned(vertical, left_out)]
    weights = [np.where(same, _SAME, 1.0) / np.sqrt(max(1, same.sum())) for _, same in chosen]
    return train_boosted(
        np.vstack([rows for rows, _ in chosen]), np.concatenate([same for _, same in chosen]), schema.FEATURES,
        ("other", "same"), np.concatenate(weights), PAIR_TREES,
    )  # fmt: skip


def train_attributes(folder: Path, left_out: LeftOut = None) -> None:
    """Write the weights that tell which slots mean the same."""
    pair_trees(left_out).save(folder / f"{schema.WEIGHTS}.npz")
    scores = _pair_scores() if left_out is None else {}
    method = "gradient-boosted trees over pairs of slots of different sites"
    write_card(folder, Card(schema.WEIGHTS, method, _material(left_out), left_out=left_out, scores=scores))


def _pair_scores() -> dict[str, float]:
    """How well pairs of slots that mean the same are told, each vertical left out."""
    told = _pair_rows()
    chances = [pair_trees(vertical).probabilities(rows) for vertical, (rows, _) in told.items()]
    return judge_chances(np.concatenate(chances), np.concatenate([same for _, same in told.values()]).astype(bool))
