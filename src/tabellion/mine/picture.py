"""The taxonomy of an ontology as a picture (SVG), and the whole as a page to browse (HTML).

In: an ontology. Out: text of a file that needs nothing else: no script, no style sheet, no other file.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from tabellion.mine.ontology import Concept, Ontology

_ROW, _STEP, _LETTER = 22, 28, 8  # pixels: height of a line, indent of a level, width of a letter


def concept_rows(ontology: Ontology) -> Iterator[tuple[int, Concept]]:
    """The concepts from the top down, each with its depth."""
    below: dict[str | None, list[Concept]] = {}
    for concept in ontology.concepts:
        below.setdefault(concept.parent, []).append(concept)
    waiting = [(0, concept) for concept in reversed(below.get(None, []))]
    while waiting:
        depth, concept = waiting.pop()
        yield depth, concept
        waiting.extend((depth + 1, child) for child in reversed(below.get(concept.id, [])))


def to_svg(ontology: Ontology) -> str:
    """The taxonomy as an indented tree with lines from parent to child."""
    rows = list(concept_rows(ontology))
    width = max((depth * _STEP + _LETTER * (len(concept.label) + 6) for depth, concept in rows), default=0) + 40
    height = _ROW * (len(rows) + 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="14">',
        "<title>Taxonomy</title>",
    ]
    last: dict[int, int] = {}
    for number, (depth, concept) in enumerate(rows, start=1):
        left, middle = 12 + depth * _STEP, number * _ROW
        if depth:
            top = last[depth - 1]
            parts.append(f'<path d="M{left - 20} {top + 6}V{middle - 5}H{left - 4}" fill="none" stroke="#999"/>')
        last[depth] = middle
        parts.append(f'<text x="{left}" y="{middle}">{escape(concept.label)} ')
        parts.append(f'<tspan fill="#777">{concept.support}</tspan></text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def to_html(ontology: Ontology) -> str:
    """The ontology as one page: the picture, the concepts, and the instances with their attributes."""
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Ontology</title>',
        "<style>body{font:16px/1.5 sans-serif;max-width:60em;margin:auto;padding:1em}",
        "th{text-align:left;vertical-align:top;padding-right:1em}summary{cursor:pointer}</style>",
        f"<h1>Ontology of {len(ontology.sites)} sites</h1>",
        f"<p>{len(ontology.concepts)} concepts, {len(ontology.instances)} instances.</p>",
        "<h2>Taxonomy</h2>",
        to_svg(ontology),
        "<h2>Concepts</h2>",
    ]
    for _, concept in concept_rows(ontology):
        labels = escape(", ".join(concept.labels))
        parts.append(f'<details id="{concept.id}"><summary>{escape(concept.label)} ({concept.support})</summary>')
        parts.append(f"<p>Also: {labels}</p><p>Sites: {escape(', '.join(concept.sites))}</p></details>")
    parts.append("<h2>Instances</h2>")
    for each in ontology.instances:
        parts.append(f"<details><summary>{escape(each.instance.source)}</summary><table>")
        for attribute in each.instance.attributes:
            label = escape(" / ".join(attribute.label))
            parts.append(f"<tr><th>{label}</th><td>{escape(attribute.value)}</td></tr>")
        parts.append("</table></details>")
    return "\n".join(parts) + "\n</html>\n"
