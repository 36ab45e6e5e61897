"""Scoring the metadata of printed tables: what is right (A), missed (B) and wrong (C).

metadata  A: right label and content, B: missed, C: wrong. A field with one value is A if right, B if nothing is
          given, C if what is given is wrong. In a list (notes, references, authors) gold items found are A, gold
          items not found B, given items that match no gold item C. precision = A/(A+C), recall = A/(A+B),
          accuracy = A/(A+B+C), as in Liu et al., JCDL 2006. A figure without any item is 0.
          `similar` is 1 - edit distance / longer length, on lower-case letters and digits only.
  index_number      equal after removing blanks and signs; tables without a known label are not scored
  caption           similar >= .9, an opening label (`Table 2.`) removed from the prediction; tables without a known
                    caption are not scored
  caption_position  equal; only where the gold knows it
  footnotes         pairs with similar >= .85, best first, each once; leading marks are removed (letters only
                    as a second try). If the notes joined are similar >= .85 to the gold joined, all are right
  references        a linked gold sentence is A if a passage holds, in order, >= .8 of its words, else B; a passage
                    (first 400 words) that holds no gold sentence at all, linked or not, is C
  title             similar >= .9
  authors           family name in full and the initial of the first given name, in any order, each once
  metadata          the sum of all fields over matched tables, title and authors of all documents
  metadata_all      the same, with all items of gold tables that were not matched as B
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable

from tabellion.learn.scoring.printed import Json, ratio

FIELDS = ("index_number", "caption", "caption_position", "footnotes", "references", "title", "authors")


def plain(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text or "").lower() if c.isalnum())


def similarity(a: str, b: str, least: float) -> float:
    """1 - edit distance / longer length of two plain strings; 0 where it is below `least`."""
    if a == b:
        return 1.0 if a else 0.0
    longer = max(len(a), len(b))
    limit = int((1 - least) * longer + 1e-9)
    if not a or not b or abs(len(a) - len(b)) > limit:
        return 0.0
    before = {j: j for j in range(min(len(b), limit) + 1)}
    for i, ch in enumerate(a, 1):
        row: dict[int, int] = {}
        for j in range(max(0, i - limit), min(len(b), i + limit) + 1):
            best = before.get(j, longer) + 1
            if j:
                best = min(best, row.get(j - 1, longer) + 1, before.get(j - 1, longer) + (ch != b[j - 1]))
            row[j] = best
        before = row
        if min(row.values()) > limit:
            return 0.0
    distance = before.get(len(b), longer)
    return 1 - distance / longer if distance <= limit else 0.0


LABEL = re.compile(r"^\s*(?:supplement\w*\s+)?tab(?:le|\.)?[\s\u00a0-]*(?:\d+|[ivxl]+)\b[\s.:|\u2013\u2014-]*", re.I)


MARK = re.compile(r"^[\W\d_]+")


LETTER_MARK = re.compile(r"^[\W\d_]*(?:[a-z](?:\s*,\s*[a-z])*(?=[\sA-Z:=)]))?[\W\d_]*")


def note_forms(note: str) -> list[str]:
    """A note without its mark: signs and digits; then also letters such as `a` or `a,b`."""
    return list(
        dict.fromkeys(p for p in (plain(MARK.sub("", note)), plain(LETTER_MARK.sub("", note)), plain(note)) if p)
    )


def note_similarity(a: str, b: str) -> float:
    return max((similarity(x, y, 0.85) for x in note_forms(a) for y in note_forms(b)), default=0.0)


def pair_up(left: int, right: int, score: Callable[[int, int], float]) -> list[tuple[int, int]]:
    """One-to-one pairs with a positive score, best first."""
    scored = sorted(((score(i, j), -i, -j) for i in range(left) for j in range(right)), reverse=True)
    used_left, used_right, pairs = set(), set(), []
    for value, i, j in scored:
        if value > 0 and -i not in used_left and -j not in used_right:
            used_left.add(-i)
            used_right.add(-j)
            pairs.append((-i, -j))
    return pairs


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", unicodedata.normalize("NFKC", text or "").lower())


def holds(sentence: list[str], passage: list[str]) -> bool:
    """Whether the passage has at least .8 of the sentence's words, in order."""
    if not sentence:
        return False
    blocks = difflib.SequenceMatcher(None, sentence, passage, autojunk=False).get_matching_blocks()
    return sum(b.size for b in blocks) >= 0.8 * len(sentence)


def name_words(name: str) -> list[str]:
    folded = "".join(c for c in unicodedata.normalize("NFKD", name or "") if not unicodedata.combining(c)).lower()
    return [w for w in (re.sub(r"\d+$", "", t) for t in re.findall(r"\w+", folded)) if w]


def same_author(gold: Json, given: str) -> bool:
    family, first, got = name_words(gold["family"]), name_words(gold["given"]), name_words(given)
    for k in range(len(got) - len(family) + 1):
        if family and got[k : k + len(family)] == family:
            rest = got[:k] + got[k + len(family) :]
            if not first or any(w[0] == first[0][0] for w in rest):
                return True
    return False


def abc(right: int = 0, missed: int = 0, wrong: int = 0) -> Counter[str]:
    return Counter(A=right, B=missed, C=wrong)


def single(
    wanted: str | None, given: str | None, same: Callable[[str, str], bool], optional: bool = False
) -> Counter[str]:
    """A field with one value. `optional`: what is given where the gold knows nothing is not judged."""
    if not wanted:
        return abc(wrong=int(bool(given) and not optional))
    if not given:
        return abc(missed=1)
    return abc(right=1) if same(wanted, given) else abc(wrong=1)


def score_footnotes(wanted: list[str], given: list[str]) -> Counter[str]:
    if wanted and given and note_similarity(" ".join(wanted), " ".join(given)) >= 0.85:
        return abc(right=len(wanted))
    pairs = pair_up(len(wanted), len(given), lambda i, j: note_similarity(wanted[i], given[j]))
    return abc(len(pairs), len(wanted) - len(pairs), len(given) - len(pairs))


def score_references(wanted: list[Json], given: list[str]) -> Counter[str]:
    passages = [words(p)[:400] for p in given]
    linked = [words(r["text"]) for r in wanted if r["via"] == "xref"]
    every = [words(r["text"]) for r in wanted]
    right = sum(any(holds(s, p) for p in passages) for s in linked)
    wrong = sum(not any(holds(s, p) for s in every) for p in passages)
    return abc(right, len(linked) - right, wrong)


def table_metadata(gold: Json, table: Json | None) -> dict[str, Counter[str]]:
    given = ((table or {}).get("metadata") or {}).get("affiliated") or {}
    caption = LABEL.sub("", given.get("caption") or "")
    return {
        "index_number": single(
            gold["label"], given.get("index_number"), lambda a, b: plain(a) == plain(b), optional=True
        ),
        "caption": single(
            gold["caption"],
            caption,
            lambda a, b: similarity(plain(LABEL.sub("", a)), plain(b), 0.9) >= 0.9,
            optional=True,
        ),
        "caption_position": single(
            gold["caption_position"], none_to_null(given.get("caption_position")), lambda a, b: a == b, optional=True
        ),
        "footnotes": score_footnotes(gold["footnotes"], [str(x) for x in given.get("footnotes") or []]),
        "references": score_references(gold["references"], [str(x) for x in given.get("references") or []]),
    }


def none_to_null(value: str | None) -> str | None:
    return None if value == "none" else value


def document_metadata(gold: Json, doc: Json | None) -> dict[str, Counter[str]]:
    given = doc or {}
    people = [str(a) for a in given.get("authors") or []]
    pairs = pair_up(len(gold["authors"]), len(people), lambda i, j: float(same_author(gold["authors"][i], people[j])))
    return {
        "title": single(gold["title"], given.get("title"), lambda a, b: similarity(plain(a), plain(b), 0.9) >= 0.9),
        "authors": abc(len(pairs), len(gold["authors"]) - len(pairs), len(people) - len(pairs)),
    }


def bag(table: Json) -> Counter[str]:
    return Counter(w for c in table.get("cells") or [] for w in words(c.get("text") or ""))


def match_tables(gold: list[Json], found: list[Json]) -> list[tuple[int, int]]:
    a, b = [bag(t) for t in gold], [bag(t) for t in found]

    def score(i: int, j: int) -> float:
        value = ratio(2 * (a[i] & b[j]).total(), a[i].total() + b[j].total())
        return value if value >= 0.5 else 0.0

    return pair_up(len(a), len(b), score)


def summary(c: Counter[str]) -> Json:
    return {
        "A": c["A"],
        "B": c["B"],
        "C": c["C"],
        "precision": ratio(c["A"], c["A"] + c["C"]),
        "recall": ratio(c["A"], c["A"] + c["B"]),
        "accuracy": ratio(c["A"], c["A"] + c["B"] + c["C"]),
    }
