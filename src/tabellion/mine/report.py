"""An ontology as relations, as a page to browse, as RDF and as a picture.

A page: one HTML file that needs nothing else: no script, no other file. At the left the taxonomy, each concept a link;
at the right each concept with its labels, its place, the addresses its links lead to, and its instances as a table;
then instances of no concept, the sites, and what could not be read.

An ontology as RDF: Turtle, JSON-LD or RDF/XML. In: an ontology. Out: text. Concepts are SKOS concepts with all labels
and their broader concept; a concept with instances is an OWL class too; an instance has its values under properties of
its own, named by their labels, and says by PROV where it comes from.

The taxonomy of an ontology as a picture (SVG). In: an ontology. Out: text of a file that needs nothing else. Each
concept at the top stands with all that is below it, side by side in columns of about equal height; a grey number says
how many sites have a concept.

The instances of each concept as one table: one row per instance, one column per attribute. In: an ontology. Out:
relations, and each as the markup of one table, so that it is read and kept as any table is. Labels nest in the header
as they do on the pages; several values of one attribute stand in one cell; what a page does not say stays empty.
Instances of no concept are gathered by site. Values that no label names are under a column of their own, in records of
a list under one for each field.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape
from urllib.parse import quote

import msgspec

from tabellion.mine.instances import ConceptInstance
from tabellion.mine.ontology import Concept, Ontology
from tabellion.rdf import SYNTAXES, Description, Fact
from tabellion.rdf.facts import plain

UNNAMED = ("text",)  # the column of values that the pages do not name
BETWEEN = "; "  # what stands between several values of one cell
_MOST_ATTRIBUTES = 200
_COMMON = 0.02  # share of the instances that an attribute must be told of, or two of them

LabelPath = tuple[str, ...]


class Relation(msgspec.Struct, frozen=True):
    """A concept's table: `columns` are label paths, each row has a source and one text per column."""

    name: str
    columns: tuple[LabelPath, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def ontology_relations(ontology: Ontology) -> Iterator[Relation]:
    """One table per concept that has instances, then one per site for instances of no concept."""
    labels = {concept.id: concept.label for concept in ontology.concepts}
    groups: dict[str, list[ConceptInstance]] = {}
    for each in ontology.instances:
        name = labels[each.concept] if each.concept else each.id.partition("-")[2]
        groups.setdefault(name, []).append(each)
    for name, instances in groups.items():
        relation = _tabulate(name, instances)
        if relation.columns:
            yield relation


def _tabulate(name: str, instances: list[ConceptInstance]) -> Relation:
    told = [_values(each) for each in instances]
    counts = Counter(path for values in told for path in values)
    least = min(2, len(instances)) if _COMMON * len(instances) < 2 else _COMMON * len(instances)
    common = [path for path, count in counts.most_common() if count >= least][:_MOST_ATTRIBUTES]
    order = {path: number for number, path in enumerate(dict.fromkeys(path for values in told for path in values))}
    tops = {path[0]: order[path] for path in sorted(common, key=order.__getitem__, reverse=True)}
    columns = sorted(common, key=lambda path: (path == UNNAMED, tops[path[0]], order[path]))
    rows = [
        (each.instance.source, tuple(BETWEEN.join(values.get(path, ())) for path in columns))
        for each, values in zip(instances, told, strict=True)
    ]
    return Relation(name, tuple(columns), tuple(rows))


def _values(each: ConceptInstance) -> dict[LabelPath, list[str]]:
    """The values of an instance by label path, each once."""
    found: dict[LabelPath, dict[str, None]] = {}
    for attribute in each.instance.attributes:
        path = tuple(part.strip(" :") for part in attribute.label if part.strip(" :"))
        unnamed = (attribute.field,) if attribute.field else UNNAMED
        found.setdefault(path or unnamed, {})[attribute.value] = None
    return {path: list(values) for path, values in found.items()}


def relation_markup(relation: Relation) -> str:
    """A relation as a web page with one table."""
    name = escape(relation.name)
    parts = [f'<!doctype html><html><meta charset="utf-8"><title>{name}</title><h1>{name}</h1><table>']
    parts += ["<thead>", *_head_rows(relation.columns), "</thead><tbody>"]
    for source, texts in relation.rows:
        cells = "".join(f"<td>{escape(text)}</td>" for text in texts)
        parts.append(f'<tr><th scope="row">{escape(source)}</th>{cells}</tr>')
    return "\n".join([*parts, "</tbody></table></html>"]) + "\n"


def _head_rows(columns: tuple[LabelPath, ...]) -> Iterator[str]:
    """The rows of the header: labels over the columns that they name, the last ones down to the values."""
    depth = max(map(len, columns))
    for level in range(depth):
        cells: list[str] = [f'<th rowspan="{depth}">source</th>'] if level == 0 else []
        at = 0
        while at < len(columns):
            path, end = columns[at], at + 1
            if len(path) <= level:
                at = end
                continue
            last = len(path) == level + 1
            while not last and end < len(columns) and columns[end][: level + 1] == path[: level + 1]:
                if len(columns[end]) == level + 1:
                    break
                end += 1
            rows = depth - level if last else 1
            cells.append(f'<th scope="col" colspan="{end - at}" rowspan="{rows}">{escape(path[level])}</th>')
            at = end
        yield f"<tr>{''.join(cells)}</tr>"


def describe_ontology(ontology: Ontology) -> Iterator[Description]:
    """What is said of each concept, instance and property."""
    populated = {each.concept for each in ontology.instances if each.concept}
    for concept in ontology.concepts:
        facts: list[Fact] = [("rdf:type", "skos:Concept")]
        if concept.id in populated:
            facts.append(("rdf:type", "owl:Class"))
        facts.append(("skos:prefLabel", plain(concept.label)))
        facts += [("skos:altLabel", plain(label)) for label in concept.labels if label != concept.label]
        if concept.parent:
            facts.append(("skos:broader", f":{concept.parent}"))
        facts += [("schema:url", plain(url)) for url in concept.urls]
        yield Description(f":{concept.id}", facts)
    properties: dict[tuple[str, ...], str] = {}
    for each in ontology.instances:
        facts = [("rdf:type", f":{each.concept}" if each.concept else "schema:Thing")]
        facts.append(("prov:wasDerivedFrom", plain(each.instance.source)))
        for attribute in each.instance.attributes:
            predicate = (
                properties.setdefault(attribute.label, f":p{len(properties)}") if attribute.label else "rdf:value"
            )
            facts.append((predicate, plain(attribute.value)))
        yield Description(f":{quote(each.id, safe='-_')}", facts)
    for path, name in properties.items():
        label = " / ".join(part.rstrip(" :") for part in path)
        yield Description(name, [("rdf:type", "owl:DatatypeProperty"), ("rdfs:label", plain(label))])


def to_turtle(ontology: Ontology) -> str:
    """The ontology in Turtle."""
    return SYNTAXES["turtle"].write(describe_ontology(ontology)).decode()


def to_json_ld(ontology: Ontology) -> str:
    """The ontology in JSON-LD."""
    return SYNTAXES["jsonld"].write(describe_ontology(ontology)).decode()


def to_rdf_xml(ontology: Ontology) -> str:
    """The ontology in RDF/XML."""
    return SYNTAXES["rdfxml"].write(describe_ontology(ontology)).decode()


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
