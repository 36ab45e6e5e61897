"""What `tabellion mine --unified` prints: things over sites, one schema for each kind."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from tabellion.mine.linking import SameThing
    from tabellion.mine.ontology import SitePages
    from tabellion.mine.things import Thing, UnifiedSites

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
    from tabellion.export.chart import scene_png, scene_svg
    from tabellion.mine.explain import draw_page, find_page, render_page
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
            f"{main / max(1, len(own)):.0f} facts a page, {(every - main) / max(1, len(own)):.0f} texts beside them"
        )
