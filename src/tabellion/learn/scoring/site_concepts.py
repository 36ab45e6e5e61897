"""Scoring mined sites: concepts, how they nest, the lines of recipes, and segments (recipes, news-front, segments).

recipes (everything loose)
  title recall       pages whose title is a predicted value
  ingredient recall  visible ingredient lines that are predicted values / lines
  ingredients (page) the same, averaged over pages
  values a page      different predicted values, on average over all pages
  edge recall        different breadcrumb edges (parent, child) that are a
                     predicted concept and its parent (any of their labels);
                     "transitive": its ancestor. There is no precision: the
                     number of predicted edges is printed
news-front (labels loose; a concept's labels are `label` and `labels`)
  concept precision  predicted concepts with a label in the taxonomy / these plus
                     predicted concepts whose `label` is a listed non-concept;
                     all other predicted concepts are "unjudged", counted apart
  concept recall     taxonomy concepts of which a label or variant was predicted
  pair precision     over the transitive closure of the predicted parents: pairs
                     (ancestor, descendant) that are in the gold closure / those
                     plus pairs of two known concepts that are not in it plus
                     pairs with a non-concept. Pairs with an unjudged end, of a
                     concept with itself, or stated by a breadcrumb of the gold
                     are left out
  pair recall        for each concept the pairs (ancestor, concept) of one of its
                     gold paths, the one best met; found / all, summed over the
                     concepts
  section recall     section links for which one predicted concept has the
                     address in `urls` (host and path compared) and one of the
                     link's labels; "address only" without the label
  crumb recall       breadcrumb edges found among the predicted parents; there
                     are only one or two of them, so no figure to steer by
  crumb top recall   crumbs directly below the start page that are a label of
                     some predicted concept
  In a hold-out folder all taxonomy figures are over the concepts, non-concepts
  and pairs which developers cannot see (`dev` false; a pair: either end).

segments (averaged over pages; a page without prediction has P = R = 0)
  boundary P, R, F1  a boundary is the first leaf of a segment other than the
                     page's first leaf. Predicted segments are laid onto the
                     gold leaves by aligning words; a segment that cannot be
                     placed is a wrong boundary. A predicted and a gold boundary
                     match within five leaves; each is used once.
  any P, R           the same without "used once"
  exact F1           window 0
  tree P, R, F1      over the pages' labelled segments: transitive closure of
                     the tree (nodes without a label passed over), pairs of
                     texts (loose). Predicted pairs are judged if both texts
                     occur in the gold pairs of one labelled segment
"""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from tabellion.learn.scoring.sites import (
    Corpus,
    Json,
    attributes_by_page,
    count_missing,
    f1,
    loose,
    mean,
    page_key,
    ratio,
)


def address(url: object) -> str:
    try:
        parts = urlsplit(str(url))
    except ValueError:
        return ""
    return parts.netloc.lower().removeprefix("www.") + parts.path.rstrip("/")


class Concepts:
    """Predicted concepts with their labels (loose) and ancestors."""

    def __init__(self, predictions: list[Json]) -> None:
        self.all = [c for item in predictions for c in item.get("concepts") or []]
        self.main = [loose(c.get("label")) for c in self.all]
        self.labels = [{loose(text) for text in [c.get("label"), *(c.get("labels") or [])] if text} for c in self.all]
        places = {str(c.get("id")): number for number, c in enumerate(self.all)}
        by_label = {label: number for number, label in reversed(list(enumerate(self.main)))}
        self.parent: list[int | None] = []
        for concept in self.all:
            name = concept.get("parent")
            place = None if name is None else places.get(str(name), by_label.get(loose(name)))
            self.parent.append(place)

    def ancestors(self, number: int) -> list[int]:
        found: list[int] = []
        here = self.parent[number]
        while here is not None and here not in found and here != number:
            found.append(here)
            here = self.parent[here]
        return found

    def edges(self, transitive: bool = False) -> set[tuple[str, str]]:
        """(parent, child) over all labels of both."""
        found: set[tuple[str, str]] = set()
        for number, labels in enumerate(self.labels):
            uppers = self.ancestors(number)
            for upper in uppers if transitive else uppers[:1]:
                found |= {(a, b) for a in self.labels[upper] for b in labels if a != b}
        return found


def score_recipes(corpus: Corpus, predictions: list[Json]) -> tuple[Json, list[str]]:
    pages = attributes_by_page(predictions)
    titles = found = wanted = values_total = 0
    shares = []
    for row in corpus.gold:
        values = {loose(a.get("value")) for a in pages.get(page_key(row["source"]), [])} - {""}
        values_total += len(values)
        titles += loose(row["title"]) in values
        hits = sum(loose(line) in values for line in row["ingredients_visible"])
        found, wanted = found + hits, wanted + len(row["ingredients_visible"])
        shares.append(ratio(hits, len(row["ingredients_visible"])))
    gold_edges = {tuple(map(loose, edge)) for row in corpus.gold for edge in row["edges"]}
    concepts = Concepts(predictions)
    direct, transitive = concepts.edges(), concepts.edges(transitive=True)
    result = {
        "pages": len(corpus.gold),
        "missing": count_missing(corpus.gold, pages),
        "title_recall": ratio(titles, len(corpus.gold)),
        "ingredient_recall": ratio(found, wanted),
        "ingredient_recall_page": mean(shares),
        "values_a_page": ratio(values_total, len(corpus.gold)),
        "edge_recall": ratio(len(gold_edges & direct), len(gold_edges)),
        "edge_recall_transitive": ratio(len(gold_edges & transitive), len(gold_edges)),
        "gold_edges": len(gold_edges),
        "predicted_edges": sum(parent is not None for parent in concepts.parent),
        "predicted_concepts": len(concepts.all),
    }
    return result, []


class Taxonomy:
    """The hand gold, looked up by loose label."""

    def __init__(self, corpus: Corpus) -> None:
        everything = corpus.side == "dev"
        self.scored: set[str] = set()
        self.concept_of: dict[str, str] = {}
        for concept in corpus.taxonomy["concepts"]:
            name = concept["label"]
            if everything or not concept["dev"]:
                self.scored.add(name)
            for text in [name, *concept["variants"]]:
                self.concept_of.setdefault(loose(text), name)
        self.non = {loose(entry["label"]) for entry in corpus.taxonomy["non_concepts"]}
        self.scored_non = {
            loose(entry["label"]) for entry in corpus.taxonomy["non_concepts"] if everything or not entry["dev"]
        }
        self.pairs = {tuple(pair) for pair in corpus.taxonomy["pairs"]}
        self.paths: dict[str, list[list[str]]] = {c["label"]: c["paths"] for c in corpus.taxonomy["concepts"]}

    def find(self, labels: Iterable[str], main: str) -> str | None:
        """The gold concept meant: by the main label, else by any other."""
        if main in self.concept_of:
            return self.concept_of[main]
        names = sorted({self.concept_of[label] for label in labels if label in self.concept_of})
        return names[0] if names else None

    def all_named(self, labels: Iterable[str]) -> set[str]:
        return {self.concept_of[label] for label in labels if label in self.concept_of}


def taxonomy_pairs(gold: Taxonomy, concepts: Concepts, crumbs: set[tuple[str, str]]) -> Json:
    meant = [gold.find(labels, main) for labels, main in zip(concepts.labels, concepts.main, strict=True)]
    right, wrong, unjudged = set(), set(), 0
    for low in range(len(concepts.all)):
        for high in concepts.ancestors(low):
            upper, lower = meant[high], meant[low]
            stated = (concepts.main[high], concepts.main[low])
            if upper and lower:
                if upper == lower or not {upper, lower} & gold.scored:
                    continue
                if (upper, lower) in gold.pairs:
                    right.add((upper, lower))
                elif stated not in crumbs:
                    wrong.add((upper, lower))
            elif {concepts.main[low], concepts.main[high]} & gold.scored_non and stated not in crumbs:
                wrong.add(stated)
            else:
                unjudged += 1
    found, wanted = best_paths(gold, right)
    return {"right": len(right), "wrong": len(wrong), "unjudged": unjudged, "found": found, "gold": wanted}


def best_paths(gold: Taxonomy, right: set[tuple[str, str]]) -> tuple[int, int]:
    """Pairs found and wanted, on the best met path of every concept."""
    found = wanted = 0
    for name, paths in gold.paths.items():
        options = []
        for path in paths:
            pairs = {(upper, name) for upper in path if {upper, name} & gold.scored}
            if pairs:
                hits = len(pairs & right)
                options.append((hits / len(pairs), hits, -len(pairs)))
        if options:
            _, hits, size = max(options)
            found, wanted = found + hits, wanted - size
    return found, wanted


def section_hits(rows: list[Json], concepts: Concepts) -> tuple[int, int, int]:
    """Section links, those found with label, those found by address."""
    places: dict[str, set[str]] = defaultdict(set)
    for number, concept in enumerate(concepts.all):
        for url in concept.get("urls") or []:
            places[address(url)] |= concepts.labels[number]
    links = [link for row in rows for link in row["sections"]]
    with_label = sum(bool(places.get(address(x["url"]), set()) & set(map(loose, x["labels"]))) for x in links)
    return len(links), with_label, sum(address(x["url"]) in places for x in links)


def score_news(corpus: Corpus, predictions: list[Json]) -> tuple[Json, list[str]]:
    gold, concepts = Taxonomy(corpus), Concepts(predictions)
    right = wrong = unjudged = 0
    named: set[str] = set()
    for labels, main in zip(concepts.labels, concepts.main, strict=True):
        named |= gold.all_named(labels)
        meant = gold.find(labels, main)
        if main in gold.non:
            wrong += main in gold.scored_non
        elif meant:
            right += meant in gold.scored
        else:
            unjudged += 1
    crumbs = {(loose(upper), loose(lower)) for row in corpus.gold for upper, lower in row["breadcrumb_edges"]}
    tops = {loose(text) for row in corpus.gold for text in row["breadcrumb_top"]}
    every_label = set().union(*concepts.labels) if concepts.labels else set()
    pairs = taxonomy_pairs(gold, concepts, crumbs)
    links, with_label, by_address = section_hits(corpus.gold, concepts)
    precision, recall = ratio(right, right + wrong), ratio(len(named & gold.scored), len(gold.scored))
    pair_p, pair_r = ratio(pairs["right"], pairs["right"] + pairs["wrong"]), ratio(pairs["found"], pairs["gold"])
    result = {
        "missing": int(not predictions),
        "concept_precision": precision,
        "concept_recall": recall,
        "concept_f1": f1(precision, recall),
        "concepts_right": right,
        "concepts_wrong": wrong,
        "concepts_unjudged": unjudged,
        "pair_precision": pair_p,
        "pair_recall": pair_r,
        "pair_f1": f1(pair_p, pair_r),
        "pairs_unjudged": pairs["unjudged"],
        "section_recall": ratio(with_label, links),
        "section_recall_address_only": ratio(by_address, links),
        "crumb_recall": ratio(len(crumbs & concepts.edges()), len(crumbs)),
        "crumb_top_recall": ratio(len(tops & every_label), len(tops)),
        "gold_crumb_edges": len(crumbs),
        "predicted_concepts": len(concepts.all),
    }
    counts = f"{len(gold.scored)} concepts, {pairs['gold']} pairs, {len(gold.scored_non)} non-concepts"
    return result, [f"gold: {counts}, {links} section links, {len(crumbs)} crumb edges"]


WINDOW = 5


def words(text: str) -> list[str]:
    return loose(text).split()


def place_segments(leaves: list[str], segments: list[list[str]]) -> tuple[list[int], int]:
    """First gold leaf of each predicted segment; number of unplaced ones."""
    gold_words = [(word, number) for number, leaf in enumerate(leaves) for word in words(leaf)]
    own_words = [(word, number) for number, part in enumerate(segments) for leaf in part for word in words(str(leaf))]
    matcher = difflib.SequenceMatcher(None, [w for w, _ in gold_words], [w for w, _ in own_words], autojunk=False)
    first: dict[int, int] = {}
    for start, own_start, length in matcher.get_matching_blocks():
        for offset in range(length):
            first.setdefault(own_words[own_start + offset][1], gold_words[start + offset][1])
    unplaced = sum(number not in first for number, part in enumerate(segments) if any(words(str(x)) for x in part))
    return sorted({leaf for leaf in first.values() if leaf > 0}), unplaced


def match_once(gold: list[int], predicted: list[int], window: int) -> int:
    """Largest number of pairs within the window, each boundary used once."""
    hits = place = 0
    for boundary in gold:
        while place < len(predicted) and predicted[place] < boundary - window:
            place += 1
        if place < len(predicted) and predicted[place] <= boundary + window:
            hits, place = hits + 1, place + 1
    return hits


def near(ones: list[int], others: list[int]) -> int:
    return sum(any(abs(one - other) <= WINDOW for other in others) for one in ones)


def tree_pairs(node: object, above: tuple[str, ...] = ()) -> set[tuple[str, str]]:
    """(ancestor, descendant) texts of a tree or a list of trees."""
    if isinstance(node, list):
        return set().union(*(tree_pairs(child, above) for child in node)) if node else set()
    held: Json = node if isinstance(node, dict) else {"label": node}
    label = loose(held.get("label"))
    found = {(upper, label) for upper in above if label and upper != label}
    below = (*above, label) if label else above
    return found | tree_pairs(list(held.get("children") or []), below)


def gold_closure(row: Json) -> list[set[tuple[str, str]]]:
    """For each labelled segment the (ancestor, descendant) texts."""
    closures = []
    for part in row["labelled"]:
        parents: dict[int, set[int]] = defaultdict(set)
        for upper, lower in part["pairs"]:
            parents[lower].add(upper)

        def above(leaf: int, parents: dict[int, set[int]] = parents) -> set[int]:
            direct = parents.get(leaf, set())
            return direct.union(*(above(upper) for upper in direct))

        texts = row["leaves"]
        pairs = {(loose(texts[upper]), loose(texts[leaf])) for leaf in list(parents) for upper in above(leaf)}
        closures.append({(upper, lower) for upper, lower in pairs if upper != lower})
    return closures


def score_tree(row: Json, tree: object) -> tuple[float, float]:
    closures = gold_closure(row)
    gold = set().union(*closures)
    known = [{text for pair in closure for text in pair} for closure in closures]
    judged = {pair for pair in tree_pairs(tree) if any(pair[0] in texts and pair[1] in texts for texts in known)}
    return ratio(len(judged & gold), len(judged)), ratio(len(judged & gold), len(gold))


def score_segment_page(row: Json, item: Json) -> Json:
    placed, unplaced = place_segments(row["leaves"], item.get("segments") or [])
    gold, number = row["boundaries"], len(placed) + unplaced
    hits, sharp = match_once(gold, placed, WINDOW), match_once(gold, placed, 0)
    tree_p, tree_r = score_tree(row, item.get("tree") or [])
    return {
        "boundary_precision": ratio(hits, number),
        "boundary_recall": ratio(hits, len(gold)),
        "boundary_f1": f1(ratio(hits, number), ratio(hits, len(gold))),
        "any_precision": ratio(near(placed, gold), number),
        "any_recall": ratio(near(gold, placed), len(gold)),
        "exact_f1": f1(ratio(sharp, number), ratio(sharp, len(gold))),
        "tree_precision": tree_p,
        "tree_recall": tree_r,
        "tree_f1": f1(tree_p, tree_r),
        "segments": len(item.get("segments") or []),
    }


def score_segments(corpus: Corpus, predictions: list[Json]) -> tuple[Json, list[str]]:
    by_name = {Path(str(item.get("source"))).name: item for item in predictions if item.get("source")}
    pages = {row["source"]: score_segment_page(row, by_name.get(row["source"], {})) for row in corpus.gold}
    lines = [f"{'page':<34}{'segments':>9}{'bound P':>9}{'R':>7}{'F1':>7}{'tree P':>8}{'R':>7}{'F1':>7}"]
    keys = ("boundary_precision", "boundary_recall", "boundary_f1", "tree_precision", "tree_recall", "tree_f1")
    for name, figures in pages.items():
        cells = "{:>9.3f}{:>7.3f}{:>7.3f}{:>8.3f}{:>7.3f}{:>7.3f}".format(*(figures[key] for key in keys))
        lines.append(f"{name:<34}{figures['segments']:>9}{cells}")
    result: Json = {"pages": len(corpus.gold), "missing": sum(row["source"] not in by_name for row in corpus.gold)}
    for key in next(iter(pages.values())):
        result[key] = mean(figures[key] for figures in pages.values())
    return result, lines
