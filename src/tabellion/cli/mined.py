"""What `tabellion mine` prints: an ontology with its instances; with `--unified`, things over sites with schemas."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from tabellion.mine.instances import ConceptInstance, Instance
    from tabellion.mine.linking import SameThing
    from tabellion.mine.ontology import Ontology, SitePages
    from tabellion.mine.things import Thing, UnifiedSites
    from tabellion.model.markup import PageTree


RDF = ("turtle", "jsonld", "rdfxml")


def print_things(
    sites: Sequence[SitePages], form: str, schema: Path | None, update: Path | None, *, everything: bool
) -> UnifiedThings:
    """Mine sites for their things, print these in the form asked for; what was found."""
    from tabellion.cli.messages import complain
    from tabellion.mine.linking import link_things
    from tabellion.mine.things import unify_sites
    from tabellion.mine.unified_report import links_by_key, read_schema, write_schema

    unified = unify_sites(sites, read_schema(schema) if schema else {})
    things = list(unified.things())
    links = link_things(things)
    if schema is not None:
        write_schema(schema, unified.schemas)
    sys.stdout.buffer.writelines(_parts(form, unified, things, links_by_key(links), everything=everything))
    sys.stdout.flush()
    for issue in unified.issues:
        complain(issue.note)
    for line in summary_lines(unified, things, links):
        typer.echo(line, err=True)
    for line in change_lines(update, things) if update is not None else ():
        typer.echo(line, err=True)
    return UnifiedThings(unified, things)


def change_lines(history: Path, things: Sequence[Thing]) -> Iterator[str]:
    """Bring a history up to date, and say what is new, changed and gone."""
    from tabellion.mine.linking import update_history

    changes = update_history(history, things)
    yield f"{len(changes.new)} new, {len(changes.changed)} values changed, {len(changes.gone)} gone"
    yield from (f"new: {key}" for key in changes.new)
    for change in changes.changed:
        yield f"changed: {change.key}: {change.attribute}: {'; '.join(change.before)} → {'; '.join(change.after)}"
    yield from (f"gone: {key}" for key in changes.gone)


def print_explanation(sites: Sequence[SitePages], page: str, form: str) -> None:
    """Print a drawing of what was seen on one page: over its layout where Chromium is there, else line by line."""
    from tabellion.cli.drawing.pages import draw_page, find_page, render_page
    from tabellion.export.chart import scene_png, scene_svg
    from tabellion.mine.things import unify_sites

    seen = find_page(unify_sites(sites), page)
    read = next((site.read for site in sites if seen.source in site.sources), None)
    scene = draw_page(seen, render_page(read(seen.source), seen.page.address, seen.source) if read else None)
    sys.stdout.buffer.write(scene_png(scene) if form == "png" else scene_svg(scene).encode("utf-8", "replace"))
    sys.stdout.flush()


class UnifiedThings:
    """What `mine --unified` found."""

    def __init__(self, unified: UnifiedSites, things: list[Thing]) -> None:
        self.unified, self.things = unified, things

    @property
    def failed(self) -> int:
        """How many pages could not be read."""
        return len(self.unified.issues)

    def keep(self, place: str, files: str | None, name: str | None) -> None:
        """Keep one relation for each kind in a library."""
        from tabellion.cli.options import opened_library

        with opened_library(place, files, create=True) as store:
            from tabellion.library.mined import add_things

            sites = "+".join(dict.fromkeys(thing.site for thing in self.things)) or "things"
            add_things(store, self.unified, self.things, name or sites[:60])


def _parts(
    form: str, unified: UnifiedSites, things: list[Thing], links: dict[str, list[SameThing]], *, everything: bool
) -> Iterator[bytes]:
    import msgspec

    from tabellion.mine.report import relation_markup
    from tabellion.mine.unified_report import thing_json, thing_relations, write_things

    if form in RDF:
        yield write_things(form, unified.schemas, things, links)
    elif form == "html":
        yield from (relation_markup(each).encode() for each in thing_relations(unified.schemas, things))
    elif form == "json":
        told = {
            "things": [thing_json(thing, links) for thing in things],
            "schemas": unified.schemas,
            "sites": [{"site": site, "pages": count} for site, count in Counter(t.site for t in things).items()],
            "issues": [{"stage": issue.stage, "place": None, "note": issue.note} for issue in unified.issues],
        }
        yield msgspec.json.encode(told) + b"\n"
    elif form == "jsonl":
        yield from (msgspec.json.encode(thing_json(thing, links)) + b"\n" for thing in things)
    else:
        for thing in things:
            yield "\n".join(thing_lines(thing_json(thing), everything=everything)).encode() + b"\n"


def thing_lines(thing: dict[str, Any], *, everything: bool = False) -> Iterator[str]:
    """A thing to read: its name and kind, then its facts; what stands beside them only where everything is asked for.

    >>> attribute = {"label": ["MSRP:"], "value": "$ 9", "as": "Price", "main": True}
    >>> list(thing_lines({"name": "A", "kind": "car", "source": "a.html", "attributes": [attribute]}))
    ['A (car) a.html', '  Price: $ 9', '']
    """
    yield f"{thing['name'] or '(no name)'} ({thing['kind']}) {thing['source']}"
    for attribute in thing["attributes"]:
        if attribute["main"] or everything:
            label = attribute["as"] or " / ".join(part.rstrip(" :") for part in attribute["label"])
            beside = "" if attribute["main"] else "- "
            yield f"  {beside}{label}: {attribute['value']}" if label else f"  {beside}{attribute['value']}"
    yield ""


def summary_lines(unified: UnifiedSites, things: Sequence[Thing], links: Sequence[SameThing]) -> Iterator[str]:
    """What was mined, in a few lines."""
    sites = {thing.site for thing in things}
    yield f"{len(things)} pages of {len(sites)} sites; {len(links)} things are on two sites"
    for schema in unified.schemas:
        own = [thing for thing in things if thing.kind == schema.kind]
        main = sum(attribute.main for thing in own for attribute in thing.attributes)
        every = sum(len(thing.attributes) for thing in own)
        shared = sum(len({member.site for member in each.members}) > 1 for each in schema.attributes)
        yield (
            f"{schema.kind}: {len(own)} things on {len(schema.sites)} sites, {shared} attributes on several sites; "
            f"{main / max(1, len(own)):.0f} facts per page, {(every - main) / max(1, len(own)):.0f} texts beside them"
        )


class MineForm(StrEnum):
    """The formats that an ontology can be printed in."""

    outline = "outline"
    json = "json"
    jsonl = "jsonl"
    turtle = "turtle"
    jsonld = "jsonld"
    rdfxml = "rdfxml"
    svg = "svg"
    png = "png"
    html = "html"


def keep_instances(ontology: Ontology, place: str, files: str | None, name: str | None) -> None:
    """The instances into the library, one table per concept."""
    from tabellion.cli.options import opened_library

    with opened_library(place, files, create=True) as store:
        from tabellion.library.mined import add_ontology, usual_name

        add_ontology(store, ontology, name or usual_name(ontology))


def print_ontology(ontology: Ontology, form: MineForm) -> None:
    """The ontology in the form asked for."""
    import msgspec

    from tabellion.mine import report
    from tabellion.mine import report as picture
    from tabellion.mine import report as rdf
    from tabellion.mine.ontology import instance_json

    written = {
        MineForm.turtle: rdf.to_turtle,
        MineForm.jsonld: rdf.to_json_ld,
        MineForm.rdfxml: rdf.to_rdf_xml,
        MineForm.svg: picture.to_svg,
        MineForm.html: report.to_html,
    }.get(form)
    if written is not None:
        sys.stdout.buffer.write(written(ontology).encode("utf-8", "replace"))
        return
    if form is MineForm.json:
        sys.stdout.buffer.writelines(ontology.json_parts())
    elif form is MineForm.jsonl:
        sys.stdout.buffer.writelines(msgspec.json.encode(instance_json(each)) + b"\n" for each in ontology.instances)
    else:
        for line in taxonomy_lines([msgspec.to_builtins(concept) for concept in ontology.concepts]):
            typer.echo(line)
        for each in ontology.instances if not ontology.concepts else ():
            for line in instance_lines(instance_json(each)):
                typer.echo(line)


def print_instances(
    site: SitePages,
    form: MineForm | None,
    found: Callable[[Sequence[str], Callable[[str], PageTree | None]], Iterator[Instance]],
    kept: list[ConceptInstance] | None = None,
) -> tuple[int, int, int]:
    """What a site's pages tell of, a line each, also gathered in `kept`; pages not read, instances, attributes."""
    import msgspec

    from tabellion.cli.messages import complain
    from tabellion.errors import TabellionError
    from tabellion.mine.instances import ConceptInstance

    broken: dict[str, TabellionError] = {}
    count = values = 0

    def load(source: str) -> PageTree | None:
        try:
            return site.load(source)
        except TabellionError as error:
            broken[source] = error
            return None

    for instance in found(site.sources, load):
        if instance.source in broken:
            error = broken[instance.source]
            complain(str(error))
            line = {"source": instance.source, "attributes": [], "error": {"kind": error.kind, "note": str(error)}}
        else:
            line = msgspec.to_builtins(instance)
            count, values = count + 1, values + len(instance.attributes)
            if kept is not None:
                kept.append(ConceptInstance(f"i{len(kept) + 1}-{site.name}", None, instance))
        if form is MineForm.outline:
            for text in instance_lines(line):
                typer.echo(text)
        elif form is not None:
            sys.stdout.buffer.write(msgspec.json.encode(line) + b"\n")
    return len(broken), count, values


def instance_lines(instance: dict[str, Any]) -> Iterator[str]:
    """An instance to read: its source, then one line per attribute.

    >>> list(instance_lines({"source": "a.html", "attributes": [{"label": ["Size", "Height"], "value": "2 m"}]}))
    ['a.html', '  Size / Height: 2 m', '']
    """
    yield instance["source"]
    for attribute in instance["attributes"]:
        label = " / ".join(part.rstrip(" :") for part in attribute["label"])
        yield f"  {label}: {attribute['value']}" if label else f"  {attribute['value']}"
    yield ""


def taxonomy_lines(concepts: list[dict[str, Any]]) -> Iterator[str]:
    """The taxonomy as an outline, with the number of sites that have each concept.

    >>> top = {"id": "c1", "label": "Sport", "parent": None, "support": 3}
    >>> list(taxonomy_lines([top, {"id": "c2", "label": "Tennis", "parent": "c1", "support": 2}]))
    ['Sport (3)', '  Tennis (2)']
    """
    below: dict[str | None, list[dict[str, Any]]] = {}
    for concept in concepts:
        below.setdefault(concept["parent"], []).append(concept)
    waiting = [(concept, 0) for concept in reversed(below.get(None, []))]
    while waiting:
        concept, depth = waiting.pop()
        yield f"{'  ' * depth}{concept['label']} ({concept['support']})"
        waiting.extend((child, depth + 1) for child in reversed(below.get(concept["id"], [])))
