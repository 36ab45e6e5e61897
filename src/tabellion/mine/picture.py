"""The taxonomy of an ontology as a picture (SVG).

In: an ontology. Out: text of a file that needs nothing else. Each concept at the top stands with all that is below it,
side by side in columns of about equal height; a grey number says how many sites have a concept.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from tabellion.mine.ontology import Concept, Ontology

_ROW, _STEP, _LETTER, _GAP = 22, 28, 8, 40  # pixels: height of a line, indent of a level, width of a letter, columns
_TALL = 32  # lines of a column, if no tree is taller

Tree = list[tuple[int, Concept]]  # concepts from the top down with their depth


def concept_trees(ontology: Ontology) -> Iterator[Tree]:
    """Each concept at the top with those below it; trees of several first, as the ontology orders them."""
    below: dict[str | None, list[Concept]] = {}
    for concept in ontology.concepts:
        below.setdefault(concept.parent, []).append(concept)
    for top in sorted(below.get(None, []), key=lambda concept: concept.id not in below):
        tree: Tree = []
        waiting = [(0, top)]
        while waiting:
            depth, concept = waiting.pop()
            tree.append((depth, concept))
            waiting.extend((depth + 1, child) for child in reversed(below.get(concept.id, [])))
        yield tree


def to_svg(ontology: Ontology) -> str:
    """The taxonomy as indented trees with lines from parent to child."""
    parts: list[str] = []
    left, height = 12, 0
    for column in _columns(list(concept_trees(ontology))):
        rows = [row for tree in column for row in tree]
        parts += _draw(rows, left)
        height = max(height, _ROW * (len(rows) + 1))
        left += max(depth * _STEP + _LETTER * (len(concept.label) + 4) for depth, concept in rows) + _GAP
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{left}" height="{height}" viewBox="0 0 {left} {height}" '
    style = 'font-family="sans-serif" font-size="14"><title>Taxonomy</title>'
    return "\n".join([head + style, '<rect width="100%" height="100%" fill="#fff"/>', *parts, "</svg>"]) + "\n"


def _columns(trees: list[Tree]) -> list[list[Tree]]:
    """Trees in columns, none taller than it must be."""
    columns: list[list[Tree]] = []
    tall = max([_TALL, *map(len, trees)])
    filled = tall
    for tree in trees:
        if filled + len(tree) > tall:
            columns.append([])
            filled = 0
        columns[-1].append(tree)
        filled += len(tree)
    return columns


def _draw(rows: Tree, left: int) -> Iterator[str]:
    """The lines of one column; each parent's stem is drawn once, down to its last child."""
    parents: dict[int, int] = {}
    stems: dict[tuple[int, int], int] = {}  # indent and top of a stem -> its end
    for number, (depth, concept) in enumerate(rows, start=1):
        x, y = left + depth * _STEP, number * _ROW
        if depth:
            stems[x - 20, parents[depth - 1] + 6] = y - 5
            yield f'<path d="M{x - 20} {y - 5}H{x - 4}" stroke="#999"/>'
        parents[depth] = y
        support = f'<tspan fill="#767676">{concept.support}</tspan>'
        yield f'<text x="{x}" y="{y}">{escape(concept.label)} {support}</text>'
    for (x, top), end in stems.items():
        yield f'<path d="M{x} {top}V{end}" stroke="#999"/>'
