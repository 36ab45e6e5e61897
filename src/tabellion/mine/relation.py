"""The instances of each concept as one table: one row per instance, one column per attribute.

In: an ontology. Out: relations, and each as the markup of one table, so that it is read and kept as any table is.
Labels nest in the header as they do on the pages; several values of one attribute stand in one cell; what a page does
not say stays empty. Instances of no concept are gathered by site. Values that no label names are under a column of
their own, in records of a list under one for each field.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape

import msgspec

from tabellion.mine.instances import ConceptInstance
from tabellion.mine.ontology import Ontology

UNNAMED = ("text",)  # the column of values that the pages do not name
BETWEEN = "; "  # what stands between several values of one cell
_MOST_COLUMNS = 200
_COMMON = 0.02  # share of the instances that an attribute must be told of, or two of them

LabelPath = tuple[str, ...]


class Relation(msgspec.Struct, frozen=True):
    """A concept's table: `columns` are label paths, each row has a source and one text a column."""

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
    common = [path for path, count in counts.most_common() if count >= least][:_MOST_COLUMNS]
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
