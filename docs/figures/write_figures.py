"""Writes what shows figures: tables in README.md, docs/measuring.md, docs/mining.md and of limits, and the plots.

`figures.json` beside this script is the one place for figures on the corpora, `unseen.json` for those on documents
that nobody tuned for. In a page, a table is between `<!-- figures: NAME -->` and `<!-- end -->`; the lines between are
replaced.

    make figures
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TypedDict

ROOT = Path(__file__).parents[2]
OURS, PAPER, OTHER = "#3f51b5", "#e69f00", "#9aa0a6"
FEWER = "fewer is better"
LABELS, WIDE, LINE, GAP = 300, 420, 16, 30  # of a plot, in pixels


class _Needed(TypedDict):
    corpus: str
    figure: str
    tabellion: str
    known: list[list[str]]


_LeftOut = TypedDict("_LeftOut", {"left out": str}, total=False)


class Figure(_Needed, _LeftOut, total=False):
    """A line of figures.json: `tabellion` by folds, `left out` by weights that have seen nothing of the corpus.

    `known` holds name, figure and remark of what others reach on the same files.
    """

    before: str  # what it was when it was first written down
    paper: str
    front: str
    best: str
    ours: str  # how a plot names our bar, where that is not by our name


Figures = dict[str, float]
"""Some figures by name."""
SURE = "right where sure"


def read_figures() -> dict[str, list[Figure]]:
    """The figures by medium."""
    found: dict[str, list[Figure]] = json.loads(
        (ROOT / "docs" / "figures" / "figures.json").read_text(encoding="utf-8")
    )
    return found


def write_pages(figures: dict[str, list[Figure]]) -> dict[str, str]:
    """The pages with their tables filled in, by path."""
    tables = {medium: full_table(lines) for medium, lines in figures.items()}
    tables["unseen"] = unseen_table()
    tables["peers"] = peers_table([line for lines in figures.values() for line in lines])
    tables["limits"] = limits_table()
    tables["confidence"] = trust_table(read_trust())
    pages = ("README.md", "docs/measuring.md", "docs/mining.md", "docs/limits-and-errors.md")
    return {name: fill((ROOT / name).read_text(encoding="utf-8"), tables) for name in pages}


def read_trust() -> dict[str, Figures]:
    """What the card of the weights `confidence` says of each corpus, judged by trees that have not seen it."""
    card = json.loads((ROOT / "src" / "tabellion" / "weights" / "confidence.card.json").read_text(encoding="utf-8"))
    found: dict[str, Figures] = {}
    for name, figure in card["scores"].items():
        corpus, _, what = name.partition(" ")
        if corpus != "tenth":
            found.setdefault(corpus, {})[what] = figure
    return found


def read_tenths() -> list[tuple[int, int, float]]:
    """From the same card: tenths of confidence, how many frames of all corpora have it, and the share that is right."""
    card = json.loads((ROOT / "src" / "tabellion" / "weights" / "confidence.card.json").read_text(encoding="utf-8"))
    scores = card["scores"]
    known = [tenth for tenth in range(10) if f"tenth {tenth} frames" in scores]
    return [(tenth, scores[f"tenth {tenth} frames"], scores[f"tenth {tenth} right"]) for tenth in known]


def draw_tenths(tenths: Sequence[tuple[int, int, float]]) -> str:
    """How often frames are right beside how sure they were: on the line where confidence means what it says."""
    side, edge = 300, 60
    parts = [f"<line x1='{edge}' y1='{edge + side}' x2='{edge + side}' y2='{edge}' stroke='{OTHER}'/>"]
    parts.append(f"<rect x='{edge}' y='{edge}' width='{side}' height='{side}' fill='none' stroke='{OTHER}'/>")
    for tenth, frames, right in tenths:
        x, y = edge + side * (tenth + 0.5) / 10, edge + side * (1 - right)
        parts.append(
            f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{3 + frames**0.5 / 3:.1f}' fill='{OURS}' fill-opacity='0.6'/>"
        )
        parts.append(_text(round(x, 1), edge + side + 18, f".{tenth}", "text-anchor='middle'"))
        parts.append(_text(round(x, 1), edge - 8, str(frames), "text-anchor='middle' font-size='10'"))
    for share in range(0, 11, 2):
        y = edge + side * (1 - share / 10)
        parts.append(_text(edge - 8, y + 4, "1" if share == 10 else f".{share}", "text-anchor='end'"))
    middle = edge + side / 2
    parts.append(
        _text(middle, edge + side + 38, "confidence, and above how many frames have it", "text-anchor='middle'")
    )
    parts.append(_text(edge, 24, "share of them that is right", "font-weight='bold'"))
    size = f"width='{side + 2 * edge}' height='{side + 2 * edge}' viewBox='0 0 {side + 2 * edge} {side + 2 * edge}'"
    style = "font-family='sans-serif' font-size='12' fill='#202124'"
    body = "\n".join(["<rect width='100%' height='100%' fill='#ffffff'/>", *parts])
    return f"<svg xmlns='http://www.w3.org/2000/svg' {size} {style}>\n{body}\n</svg>\n"


def trust_table(trust: dict[str, Figures]) -> str:
    """How many frames of each corpus are right, how many are thought sure, and how many of these are right."""
    rows = [["corpus", "frames that are right", "with a confidence of .9 and more", "of these, right"], ["---"] * 4]
    rows += [[corpus, *(_point(of[what]) for what in ("right", "sure", SURE))] for corpus, of in trust.items()]
    return _markdown(rows)


def draw_trust(trust: dict[str, Figures]) -> str:
    """The same as bars: of all frames, and of the sure ones."""
    return draw_plot(
        [
            {
                "corpus": corpus,
                "figure": "frames that are right",
                "tabellion": _point(of[SURE]),
                "ours": "confidence .9 and more",
                "known": [["all", _point(of["right"])]],
            }
            for corpus, of in trust.items()
        ]
    )


def _point(share: float) -> str:
    return f"{share:.3f}".removeprefix("0")


def limits_table() -> str:
    """What one document may cost, from the code that bounds it."""
    from tabellion.read.limits import BOUNDED, DEFAULT

    rows = [["limit", "default", "what it bounds"], ["---"] * 3]
    rows += [[f"`{name}`", _number(name, getattr(DEFAULT, name)), BOUNDED[name]] for name in DEFAULT.__struct_fields__]
    return _markdown(rows)


def _number(name: str, number: float) -> str:
    for size, unit in ((2**30, "GiB"), (2**20, "MiB")):
        if ("bytes" in name or name == "memory") and number % size == 0:
            return f"{number // size:,} {unit}"
    return f"{number:,g}" if isinstance(number, float) else f"{number:,}"


def fill(page: str, tables: dict[str, str]) -> str:
    """A page with each marked table written anew."""

    def write(found: re.Match[str]) -> str:
        return f"<!-- figures: {found[1]} -->\n\n{tables[found[1]]}\n\n<!-- end -->"

    return re.sub(r"<!-- figures: ([\w ]+) -->\n.*?<!-- end -->", write, page, flags=re.DOTALL)


def unseen_table() -> str:
    """The README's table: a figure for each medium, on documents that nobody tuned for."""
    unseen = json.loads((ROOT / "docs" / "figures" / "unseen.json").read_text(encoding="utf-8"))
    rows = [["medium", f"tabellion, {unseen['read']}", "agreement of two careful readers"], ["---"] * 3]
    rows += [[one["medium"], one["values"], one["readers"]] for one in unseen["media"]]
    return _markdown(rows)


# name, what it reads, what it gives for a table, the corpus and figure that it was measured by, its name there
_PEERS = (
    ("pandas", "workbooks, `<table>` elements", "a data frame; you name the headers",
     ("webtables", "F, sure ones", "accepts all, as pandas"), "web: data tables, F1"),
    ("openpyxl", "`.xlsx`", "cells with their styles; no tables, no headers", None, ""),
    ("camelot", "PDF", "a grid of texts",
     ("icdar2013", "relations of cells", "camelot"), "PDF: neighbouring cells, F1"),
    ("pdfplumber", "PDF", "a grid of texts, and every line and word",
     ("icdar2013", "relations of cells", "pdfplumber"), "PDF: neighbouring cells, F1"),
    ("docling", "PDF, office files, HTML, images with OCR", "a grid with flagged header cells, in a document model",
     None, ""),
)  # fmt: skip


def peers_table(lines: Sequence[Figure]) -> str:
    """What other programs read and give, and how they and tabellion do on the same files where that was measured."""
    rows = [["", "reads", "gives for a table", "measured on the same files", "score", "tabellion"], ["---"] * 6]
    for name, reads, gives, measured, what in _PEERS:
        theirs = ours = "not measured"
        if measured:
            corpus, figure, known = measured
            (line,) = (one for one in lines if one["corpus"] == corpus and figure in one["figure"])
            theirs, ours = dict(each[:2] for each in line["known"])[known], line["tabellion"]
        rows.append([name, reads, gives, what, theirs, ours if measured else ""])
    return _markdown(rows)


def full_table(lines: Sequence[Figure]) -> str:
    """The table of docs/measuring.md: all that is known. Our figure is bold where none is better."""
    paper = any("paper" in line for line in lines)
    left_out = any("left out" in line for line in lines)
    more = [*(["corpus left out"] if left_out else []), *(["the paper's method"] if paper else [])]
    head = ("corpus", "figure", "tabellion", *more, "known on the same files")
    rows: list[tuple[str, ...]] = [head, ("---",) * len(head)]
    for line in lines:
        known = "; ".join(
            f"{name} {figure}{''.join(f', {note}' for note in rest)}" for name, figure, *rest in line["known"]
        )
        theirs = [*([line.get("left out", "")] if left_out else []), *([line.get("paper", "")] if paper else [])]
        ours = f"**{line['tabellion']}**" if _is_best(line) else line["tabellion"]
        rows.append((line["corpus"], line["figure"], ours, *theirs, known.replace("<th>", "`<th>`")))
    return _markdown(rows)


def _is_best(line: Figure) -> bool:
    figures = [line["tabellion"], *(each[1] for each in line["known"]), *([line["paper"]] if "paper" in line else [])]
    ours, *others = map(_share, figures)
    return all(ours <= other if FEWER in line["figure"] else ours >= other for other in others)


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(re.sub(r"\|  (?=\|)", "| ", f"| {' | '.join(row)} |") for row in rows)


def draw_plot(lines: Sequence[Figure]) -> str:
    """Bars for the figures between 0 and 1 of which more is better: ours, the paper's, and the others."""
    parts: list[str] = []
    down = 8
    for line in lines:
        bars = [(line.get("ours", "tabellion"), line["tabellion"], OURS)]
        bars += [("the paper's method", line["paper"], PAPER)] if "paper" in line else []
        bars += [(name, figure, OTHER) for name, figure, *_ in line["known"]]
        if FEWER in line["figure"] or len(bars) == 1:
            continue
        down += LINE
        parts.append(_text(8, down, f"{line['corpus']}: {line['figure']}", "font-weight='bold'"))
        for name, figure, colour in bars:
            down += LINE
            width = round(WIDE * _share(figure), 1)
            parts.append(_text(LABELS - 8, down, name, "text-anchor='end'"))
            parts.append(f"<rect x='{LABELS}' y='{down - 10}' width='{width}' height='11' fill='{colour}'/>")
            parts.append(_text(LABELS + width + 6, down, figure))
        down += GAP - LINE
    size = f"width='{LABELS + WIDE + 70}' height='{down}' viewBox='0 0 {LABELS + WIDE + 70} {down}'"
    style = "font-family='sans-serif' font-size='12' fill='#202124'"
    body = "\n".join(["<rect width='100%' height='100%' fill='#ffffff'/>", *parts])
    return f"<svg xmlns='http://www.w3.org/2000/svg' {size} {style}>\n{body}\n</svg>\n"


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f"<text x='{x}' y='{y}' {more}>{escape(text)}</text>".replace(" >", ">")


def _share(figure: str) -> float:
    return float(figure.removesuffix(" %")) / 100 if figure.endswith("%") else float(figure)


def plots(figures: dict[str, list[Figure]]) -> dict[str, str]:
    """The plots by path."""
    drawn = {f"docs/images/figures-{name.split()[0].lower()}.svg": draw_plot(lines) for name, lines in figures.items()}
    drawn["docs/images/reliability.svg"] = draw_tenths(read_tenths())
    return drawn | {"docs/images/confidence.svg": draw_trust(read_trust())}


def main() -> None:
    figures = read_figures()
    for name, text in (write_pages(figures) | plots(figures)).items():
        (ROOT / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
