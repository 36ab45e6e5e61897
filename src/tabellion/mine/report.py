"""An ontology as a page to browse.

In: an ontology. Out: one HTML file that needs nothing else: no script, no other file. At the left the taxonomy, each
concept a link; at the right each concept with its labels, its place, the addresses its links lead to, and its instances
as a table; then instances of no concept, the sites, and what could not be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from tabellion.mine.ontology import Concept, Ontology
from tabellion.mine.picture import concept_trees, to_svg
from tabellion.mine.relation import Relation, ontology_relations

_STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;margin:0;display:grid;grid-template-columns:minmax(14em,20em) 1fr}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1em;box-sizing:border-box;border-right:1px solid #8886}
nav ul{list-style:none;margin:0;padding-left:1em}nav>ul{padding:0}
main{padding:1em 2em;min-width:0}section{border-top:1px solid #8886;margin-top:1.5em}section:target h2{color:#b30000}
.number{opacity:.7;font-size:.85em}.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.9em}th,td{border:1px solid #8886;padding:.2em .5em;vertical-align:top;
text-align:left;min-width:6em;max-width:24em;overflow-wrap:break-word}
@media(max-width:50em){body{display:block}nav{position:static;height:auto;border:0}}
"""
_MOST_ROWS = 200  # instances of one concept that are shown
_MOST_COLUMNS = 12
_MOST_ADDRESSES = 20


def to_html(ontology: Ontology) -> str:
    """The ontology as one page."""
    return "\n".join(_lines(ontology)) + "\n"


def _lines(ontology: Ontology) -> Iterator[str]:
    names = {concept.id: concept.label for concept in ontology.concepts}
    relations = {relation.name: relation for relation in ontology_relations(ontology)}
    trees = list(concept_trees(ontology))
    yield '<!doctype html><html lang="en"><meta charset="utf-8"><title>Ontology</title>'
    yield f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style>'
    yield '<nav aria-label="Concepts"><ul>'
    for tree in trees:
        yield from _menu(tree)
    yield f"</ul></nav><main><h1>Ontology of {len(ontology.sites)} sites</h1>"
    yield f"<p>{len(ontology.concepts)} concepts, {len(ontology.instances)} instances.</p>"
    if trees:
        yield f"<details><summary>Picture of the taxonomy</summary><div class=wide>{to_svg(ontology)}</div></details>"
    for tree in trees:
        for _, concept in tree:
            yield from _concept(concept, names, relations.pop(concept.label, None))
    for relation in relations.values():
        yield f"<section><h2>{escape(relation.name)}</h2><p>Instances of no concept.</p>"
        yield from _table(relation)
        yield "</section>"
    yield "<section><h2>Sites</h2><table><tr><th>site<th>pages"
    yield from (f"<tr><td>{escape(site)}<td>{pages}" for site, pages in ontology.sites)
    yield "</table></section>"
    if ontology.issues:
        yield "<section><h2>Not read</h2><ul>"
        yield from (f"<li>{escape(issue.note)}" for issue in ontology.issues)
        yield "</ul></section>"
    yield "</main></html>"


def _menu(tree: list[tuple[int, Concept]]) -> Iterator[str]:
    """A tree of concepts as nested lists of links."""
    depth = 0
    for number, (level, concept) in enumerate(tree):
        if level > depth:
            yield "<ul>"
        elif number:
            yield "</li>" + "</ul></li>" * (depth - level)
        depth = level
        yield f'<li><a href="#{concept.id}">{escape(concept.label)}</a> <span class=number>{concept.support}</span>'
    yield "</li>" + "</ul></li>" * depth


def _concept(concept: Concept, names: dict[str, str], relation: Relation | None) -> Iterator[str]:
    yield f'<section id="{concept.id}"><h2>{escape(concept.label)}</h2><p>'
    if concept.parent:
        yield f'Below <a href="#{concept.parent}">{escape(names[concept.parent])}</a>. '
    others = [label for label in concept.labels if label != concept.label]
    if others:
        yield f"Also called {escape(', '.join(others))}. "
    yield f"On {escape(', '.join(concept.sites))}.</p>"
    if concept.urls:
        yield "<details><summary>Where its links lead</summary><ul>"
        for url in concept.urls[:_MOST_ADDRESSES]:
            yield f'<li><a href="{escape(url)}" rel="noreferrer">{escape(url)}</a>' if _is_web(url) else ""
        yield "</ul></details>"
    if relation is not None:
        yield from _table(relation)
    yield "</section>"


def _table(relation: Relation) -> Iterator[str]:
    """The instances of a concept; the most common attributes, and how much is left out."""
    columns = relation.columns[:_MOST_COLUMNS]
    heads = "".join(f"<th>{escape(' / '.join(path))}" for path in columns)
    yield f"<div class=wide><table><tr><th>source{heads}"
    for source, texts in relation.rows[:_MOST_ROWS]:
        shown = escape(source.rsplit("/", 1)[-1] or source)
        first = f'<a href="{escape(source)}" rel="noreferrer">{shown}</a>' if _is_web(source) else shown
        yield f"<tr><th title='{escape(source)}'>{first}" + "".join(f"<td>{escape(t)}" for t in texts[: len(columns)])
    yield "</table></div>"
    rows, more = len(relation.rows) - _MOST_ROWS, len(relation.columns) - _MOST_COLUMNS
    if rows > 0 or more > 0:
        yield f"<p class=number>Not shown: {max(0, rows)} instances, {max(0, more)} attributes.</p>"


def _is_web(address: str) -> bool:
    return address.startswith(("http://", "https://"))
