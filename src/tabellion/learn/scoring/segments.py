"""Scoring the segments of pages.

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
from pathlib import Path

from tabellion.learn.scoring.sites import Corpus, Json, f1, loose, mean, ratio

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
