"""Scoring mined sites: the attributes of the things that pages are about (swde, unified).

Pages are matched by the last two parts of `source` (SITE/PAGE), for segments
by the file name; where `segment` prints no `source`, a predictions file needs
it added. Pages without a prediction count as nothing found; their number is
printed. The last line is one JSON object with the headline figures.

Texts are compared in one of two ways. *Exact*: entities resolved, Unicode NFC,
white space folded, case and punctuation kept. *Loose*: as exact, then lower
case and every run of characters other than letters and digits one blank.

swde (counts are summed within a vertical, the figures averaged over verticals)
  closed recall      gold values of the closed attributes that are the value of
                     some predicted attribute of the page (exact) / gold values
  values a page      different predicted values, on average over all pages
  value precision    on pages with open gold: predicted values that are an open,
                     topic or closed gold value of the page / predicted values
  pair P, R, F1      on pages with open gold. A pair is (nearest label, value),
                     label loose, value exact, counted once a page. Predicted
                     attributes without a label are no pairs. Gold pairs without
                     a label, and predicted pairs whose value is the topic or
                     the value of such a gold pair, are left out.
  nested P, R, F1    the same with the whole label path in place of the nearest
                     label, all gold pairs
  deep recall        nested recall over the gold pairs with two labels or more

unified (things over the sites of one vertical; figures averaged over verticals)
  name recall        pages whose predicted `name` is the thing's name: loose equal,
                     or one within the other at 60 % of its length or more. The
                     name is the closed attribute NAMES gives for the vertical;
                     pages without it are left out
  attribute F1       for every other closed attribute the one unified attribute
                     (`as`, the same text on all sites) whose values meet the gold
                     best over all pages of the vertical: P = right / predicted
                     values, R = right / gold values (exact, once a page), F1;
                     averaged over the attributes of a vertical. attribute recall
                     and attribute precision are those of the same choice
  main share         predicted attributes with `main` true / all predicted ones
  main recall        closed gold values that are values of a `main` attribute
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def exact(text: object) -> str:
    folded = " ".join(html.unescape(str(text or "")).split())
    return unicodedata.normalize("NFC", folded)


def loose(text: object) -> str:
    plain = exact(text).lower()
    return re.sub(r"[\W_]+", " ", plain).strip() or plain


def page_key(source: object) -> str:
    return "/".join(Path(str(source or "").replace("\\", "/")).parts[-2:])


def ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def f1(precision: float, recall: float) -> float:
    return ratio(2 * precision * recall, precision + recall)


def mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return ratio(sum(numbers), len(numbers))


def read_lines(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def parse_output(text: str) -> tuple[list[Json], int]:
    """Objects in the text (one in all, a list, or one a line), bad lines."""
    try:
        whole = json.loads(text)
        return (whole if isinstance(whole, list) else [whole]), 0
    except ValueError:
        pass
    found, bad = [], 0
    for line in filter(str.strip, text.splitlines()):
        try:
            value = json.loads(line)
        except ValueError:
            bad += 1
            continue
        if isinstance(value, dict):
            found.append(value)
        else:
            bad += 1
    return found, bad


class Corpus:
    """An unpacked corpus: its gold and its inputs."""

    def __init__(self, folder: Path) -> None:
        about = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
        self.folder = folder
        self.name: str = about["corpus"]
        self.side: str = about["side"]
        self.gold = read_lines(folder / "gold.jsonl")
        taxonomy = folder / "taxonomy.json"
        self.taxonomy: Json = json.loads(taxonomy.read_text(encoding="utf-8")) if taxonomy.exists() else {}

    def calls(self) -> list[tuple[list[str], str]]:
        """Arguments of each call, and the source it stands for (or '')."""
        if self.name == "swde":
            return [([str(self.folder / site)], "") for site in sorted({row["site"] for row in self.gold})]
        if self.name == "unified":
            sites = sorted({(row["vertical"], row["site"]) for row in self.gold})
            return [
                ([str(self.folder / s) for v, s in sites if v == vertical], "")
                for vertical in sorted({v for v, _ in sites})
            ]
        if self.name == "recipes":
            return [([str(self.folder / site) for site in sorted({row["site"] for row in self.gold})], "")]
        if self.name == "news-front":
            return [([str(path) for path in sorted((self.folder / "pages").iterdir())], "")]
        return [([str(self.folder / row["source"])], row["source"]) for row in self.gold]


def attributes_by_page(predictions: list[Json]) -> dict[str, list[Json]]:
    """Attributes of every page, from lines {source, attributes} and from
    objects with `instances`.
    """
    pages: dict[str, list[Json]] = defaultdict(list)
    for item in predictions:
        for instance in [item, *(item.get("instances") or [])]:
            if instance.get("source") and not instance.get("error"):
                pages[page_key(instance["source"])] += instance.get("attributes") or []
    return pages


def count_missing(gold: list[Json], seen: Iterable[str]) -> int:
    have = set(seen)
    return sum(page_key(row["source"]) not in have for row in gold)


def label_options(pair: Json) -> list[tuple[str, ...]]:
    paths = [pair["label"], *pair.get("also", [])]
    return [tuple(map(loose, path)) for path in paths if path]


def match_pairs(gold: list[Json], predicted: list[Json], topic: set[str], nested: bool) -> Json:
    """Counts of one page: right and all predicted pairs, found and all gold
    pairs, and of those the ones with two labels or more.
    """
    cut: Callable[[tuple[str, ...]], tuple[str, ...]] = (lambda path: path) if nested else (lambda path: path[-1:])
    options: dict[Any, set[Any]] = {}
    skip = set(topic)
    for pair in gold:
        paths, value = label_options(pair), exact(pair["value"])
        if not paths:
            skip.add(value)
            continue
        options.setdefault((cut(paths[0]), value, len(paths[0]) > 1), set()).update(map(cut, paths))
    allowed = {(path, value) for (_, value, _), paths in options.items() for path in paths}
    labelled_values = {value for _, value, _ in options}
    pairs = set()
    for attribute in predicted:
        path = tuple(loose(part) for part in attribute.get("label") or [])
        value = exact(attribute.get("value"))
        if path and value and (value in labelled_values or value not in skip):
            pairs.add((cut(path), value))
    found = [key for key, paths in options.items() if any((path, key[1]) in pairs for path in paths)]
    return {
        "right": len(pairs & allowed),
        "predicted": len(pairs),
        "found": len(found),
        "gold": len(options),
        "deep_found": sum(deep for _, _, deep in found),
        "deep_gold": sum(deep for _, _, deep in options),
    }


def add_counts(total: Json, counts: Json, prefix: str = "") -> None:
    for key, number in counts.items():
        total[prefix + key] = total.get(prefix + key, 0) + number


def swde_page(row: Json, attributes: list[Json]) -> Json:
    values = {exact(attribute.get("value")) for attribute in attributes} - {""}
    closed = [exact(value) for group in row["closed"].values() for value in group]
    counts: Json = {
        "pages": 1,
        "values": len(values),
        "closed_found": sum(value in values for value in closed),
        "closed_gold": len(closed),
    }
    if "open" in row:
        topic = {exact(value) for value in row.get("topic", [])}
        known = topic | set(closed) | {exact(pair["value"]) for pair in row["open"]}
        add_counts(counts, {"open_values": len(values), "open_right": len(values & known)})
        add_counts(counts, match_pairs(row["open"], attributes, topic, nested=False), "pair_")
        add_counts(counts, match_pairs(row["open"], attributes, topic, nested=True), "nested_")
    return counts


def prf(counts: Json, prefix: str) -> tuple[float, float, float]:
    precision = ratio(counts[prefix + "right"], counts[prefix + "predicted"])
    recall = ratio(counts[prefix + "found"], counts[prefix + "gold"])
    return precision, recall, f1(precision, recall)


def score_swde(corpus: Corpus, predictions: list[Json]) -> tuple[Json, list[str]]:
    pages = attributes_by_page(predictions)
    verticals: dict[str, Json] = defaultdict(dict)
    for row in corpus.gold:
        add_counts(verticals[row["vertical"]], swde_page(row, pages.get(page_key(row["source"]), [])))
    heads = f"{'vertical':<12}{'closed R':>9}{'val/page':>9}{'value P':>9}"
    lines = [heads + f"{'pair P':>8}{'R':>7}{'F1':>7}{'nested P':>9}{'R':>7}{'F1':>7}"]
    opened = {name: counts for name, counts in verticals.items() if counts.get("pair_gold")}
    for name, counts in sorted(verticals.items()):
        cells = f"{name:<12}{ratio(counts['closed_found'], counts['closed_gold']):>9.3f}"
        cells += f"{ratio(counts['values'], counts['pages']):>9.1f}"
        if name in opened:
            cells += f"{ratio(counts['open_right'], counts['open_values']):>9.3f}"
            cells += "{:>8.3f}{:>7.3f}{:>7.3f}".format(*prf(counts, "pair_"))
            cells += "{:>9.3f}{:>7.3f}{:>7.3f}".format(*prf(counts, "nested_"))
        lines.append(cells)
    pair = [prf(counts, "pair_") for counts in opened.values()]
    nested = [prf(counts, "nested_") for counts in opened.values()]
    deep = sum(counts["nested_deep_gold"] for counts in opened.values())
    result = {
        "pages": len(corpus.gold),
        "missing": count_missing(corpus.gold, pages),
        "closed_recall": mean(ratio(c["closed_found"], c["closed_gold"]) for c in verticals.values()),
        "values_a_page": ratio(sum(c["values"] for c in verticals.values()), len(corpus.gold)),
        "value_precision": mean(ratio(c["open_right"], c["open_values"]) for c in opened.values()),
        "pair_precision": mean(p for p, _, _ in pair),
        "pair_recall": mean(r for _, r, _ in pair),
        "pair_f1": mean(f for _, _, f in pair),
        "nested_precision": mean(p for p, _, _ in nested),
        "nested_recall": mean(r for _, r, _ in nested),
        "nested_f1": mean(f for _, _, f in nested),
        "deep_recall": ratio(sum(c["nested_deep_found"] for c in opened.values()), deep),
    }
    return result, lines


NAMES = {
    "auto": "model",
    "book": "title",
    "camera": "model",
    "job": "title",
    "movie": "title",
    "nbaplayer": "name",
    "restaurant": "name",
    "university": "name",
}


def same_name(predicted: str, gold: str) -> bool:
    short, long = sorted((loose(predicted), loose(gold)), key=len)
    return bool(short) and short in long and len(short) >= 0.6 * len(long)


class Vertical:
    """The things of one vertical: the gold of their pages, and what is predicted of them."""

    def __init__(self, name: str, rows: list[Json], things: dict[str, Json]) -> None:
        self.rows, self.own_name = rows, NAMES[name]
        self.things = [things.get(page_key(row["source"]), {}) for row in rows]
        self.attributes: list[list[Json]] = [thing.get("attributes") or [] for thing in self.things]

    def name_recall(self) -> float:
        names = [
            (thing.get("name") or "", row["closed"].get(self.own_name) or [])
            for thing, row in zip(self.things, self.rows, strict=True)
        ]
        told = [any(same_name(predicted, gold) for gold in golds) for predicted, golds in names if golds]
        return ratio(sum(told), len(told))

    def main_recall(self) -> float:
        found = wanted = 0
        for row, attributes in zip(self.rows, self.attributes, strict=True):
            mains = {exact(a.get("value")) for a in attributes if a.get("main")}
            closed = {exact(value) for values in row["closed"].values() for value in values}
            found, wanted = found + len(closed & mains), wanted + len(closed)
        return ratio(found, wanted)

    def attribute_scores(self) -> tuple[float, float, float]:
        """F1, precision and recall of the best unified attribute for each gold one, averaged."""
        predicted: dict[str, dict[int, set[str]]] = defaultdict(dict)
        for page, attributes in enumerate(self.attributes):
            for one in attributes:
                if one.get("as"):
                    predicted[str(one["as"])].setdefault(page, set()).add(exact(one.get("value")))
        scores = []
        for attribute in sorted({a for row in self.rows for a in row["closed"]} - {self.own_name}):
            gold = [{exact(value) for value in row["closed"].get(attribute, [])} for row in self.rows]
            wanted = sum(map(len, gold))
            best = (0.0, 0.0, 0.0)
            for values in predicted.values():
                right = sum(len(gold[page] & found) for page, found in values.items())
                p, r = ratio(right, sum(map(len, values.values()))), ratio(right, wanted)
                best = max(best, (f1(p, r), p, r))
            if wanted:
                scores.append(best)
        f, p, r = (mean(score[i] for score in scores) for i in range(3))
        return f, p, r


def score_unified(corpus: Corpus, predictions: list[Json]) -> tuple[Json, list[str]]:
    things: dict[str, Json] = {}
    for item in predictions:
        for thing in [item, *(item.get("instances") or [])]:
            if thing.get("source") and not thing.get("error"):
                things.setdefault(page_key(thing["source"]), thing)
    rows: dict[str, list[Json]] = defaultdict(list)
    for row in corpus.gold:
        rows[row["vertical"]].append(row)
    lines = [f"{'vertical':<12}{'names':>8}{'attr P':>8}{'R':>7}{'F1':>7}{'main R':>8}"]
    figures: dict[str, list[float]] = defaultdict(list)
    marked: list[bool] = []
    for name, own in sorted(rows.items()):
        vertical = Vertical(name, own, things)
        marked += [bool(a.get("main")) for attributes in vertical.attributes for a in attributes]
        named, main = vertical.name_recall(), vertical.main_recall()
        f, p, r = vertical.attribute_scores()
        lines.append(f"{name:<12}{named:>8.3f}{p:>8.3f}{r:>7.3f}{f:>7.3f}{main:>8.3f}")
        keys = ("name_recall", "attribute_precision", "attribute_recall", "attribute_f1", "main_recall")
        for key, value in zip(keys, (named, p, r, f, main), strict=True):
            figures[key].append(value)
    result = {
        "pages": len(corpus.gold),
        "missing": count_missing(corpus.gold, things),
        **{key: mean(values) for key, values in figures.items()},
        "main_share": ratio(sum(marked), len(marked)),
    }
    return result, lines
