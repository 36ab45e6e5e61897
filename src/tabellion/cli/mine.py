"""`tabellion mine`: websites to an ontology, or the pages of one template to their facts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tabellion.cli.options import FilesOption, LimitOption, PrivateOption, TraceOption, build_limits
from tabellion.cli.segment import MethodChoice, MethodOption
from tabellion.cli.unified import print_explanation, print_things

if TYPE_CHECKING:
    from tabellion.mine.instances import ConceptInstance, Instance
    from tabellion.mine.ontology import Ontology, SitePages
    from tabellion.model.markup import PageTree

    Finder = Callable[[Sequence[str], Callable[[str], PageTree | None]], Iterator[Instance]]

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion mine saved/site-a saved/site-b saved/site-c [dim]· the taxonomy of three saved sites[/dim]

[dim]$[/dim] tabellion mine https://example.org https://example.com --keep crawl/ [dim]· crawl, keep, mine[/dim]

[dim]$[/dim] tabellion mine --instances saved/recipes --format jsonl [dim]· pages of one template, a line each[/dim]

[dim]$[/dim] tabellion mine --unified shop-a/ shop-b/ --library cars/ [dim]· one relation per kind over sites[/dim]

[dim]$[/dim] tabellion mine --records saved/results.html [dim]· the records that a page lists[/dim]

[dim]$[/dim] tabellion mine saved/* --library shared/ --name films [dim]· one table per concept[/dim]"""


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


FetchedOption = Annotated[
    int, typer.Option("--pages", metavar="N", min=1, help="Pages fetched of each site on the web.")
]
PauseOption = Annotated[
    float, typer.Option("--pause", metavar="SECONDS", min=0.0, help="Wait so long between two requests to one host.")
]
KeepOption = Annotated[
    Path | None, typer.Option("--keep", metavar="DIR", help="Keep what was fetched here, as WARC files.")
]
IntoOption = Annotated[
    str | None,
    typer.Option(
        "--library",
        "--into",
        "-l",
        metavar="DIR",
        help="Keep the instances in this library, one table per concept; with --unified one per kind over all sites.",
    ),
]


SourcesArgument = Annotated[
    list[str], typer.Argument(metavar="SOURCE", help="Home pages (addresses), folders of saved pages, WARC files.")
]
FormOption = Annotated[
    MineForm,
    typer.Option(
        "--format", "-f", help="outline: to read; json; jsonl: one line per instance; RDF; a picture; a page."
    ),
]
InstancesOption = Annotated[
    bool, typer.Option("--instances", help="The sources are pages of one template each: print their facts alone.")
]
RecordsOption = Annotated[
    bool, typer.Option("--records", help="Print the records that pages list: results, offers, rows of data tables.")
]
UnifiedOption = Annotated[
    bool,
    typer.Option("--unified", help="One thing a page, over all sites: names, kinds, keys, one schema for each kind."),
]
SchemaOption = Annotated[
    Path | None,
    typer.Option(
        "--schema",
        metavar="FILE",
        help="With --unified: write here which attributes mean the same, and why. Members that you mark as "
        '"fixed": true stay under the attribute where you put them.',
    ),
]
ExplainOption = Annotated[
    str | None,
    typer.Option(
        "--explain",
        metavar="PAGE",
        help="Draw what was seen on this page of the sources (its address or file): segments, labels, facts, over "
        "its layout where Chromium is there; SVG, or PNG with --format png.",
    ),
]
UpdateOption = Annotated[
    Path | None,
    typer.Option(
        "--update",
        metavar="FILE",
        help="With --unified: keep the history of values here, say what is new, changed and gone; of pages kept "
        "with --keep, fetch only those that changed.",
    ),
]
EverythingOption = Annotated[
    bool, typer.Option("--all", help="With --unified, to read: what stands beside the facts too.")
]
SupportOption = Annotated[
    int | None, typer.Option("--support", metavar="N", min=1, help="How many sites must have a concept.")
]
SiblingsOption = Annotated[
    bool, typer.Option("--siblings", help="Take concepts of fewer sites too that stand in a list of concepts.")
]
SynonymsOption = Annotated[
    bool, typer.Option("--synonyms", help="Join concepts that lead to the same places or have the same children.")
]
DepthOption = Annotated[int, typer.Option("--depth", metavar="N", min=0, help="Links followed from a home page.")]
ExpandOption = Annotated[
    int,
    typer.Option("--expand", metavar="N", min=0, help="Add up to N sites of the domain that those on the web link."),
]
NameOption = Annotated[
    str | None, typer.Option("--name", metavar="NAME", help="What the ontology is called in the library.")
]


def mine(
    sources: SourcesArgument,
    form: FormOption = MineForm.outline,
    instances: InstancesOption = False,
    records: RecordsOption = False,
    unified: UnifiedOption = False,
    schema: SchemaOption = None,
    explain: ExplainOption = None,
    update: UpdateOption = None,
    everything: EverythingOption = False,
    method: MethodOption = MethodChoice.blocks,
    support: SupportOption = None,
    siblings: SiblingsOption = False,
    synonyms: SynonymsOption = False,
    pages: FetchedOption = 30,
    depth: DepthOption = 2,
    expand: ExpandOption = 0,
    pause: PauseOption = 1.0,
    keep: KeepOption = None,
    private: PrivateOption = "no",
    library: IntoOption = None,
    files: FilesOption = None,
    name: NameOption = None,
    limit: LimitOption = None,
    trace: TraceOption = False,
) -> None:
    """Mine websites of one domain for their concepts, how these nest, and their instances."""
    if form is MineForm.png and explain is None:
        raise typer.BadParameter("draws one page: name it with --explain PAGE", param_hint="--format png")
    limits = build_limits(limit)
    from tabellion.cli.messages import explained

    with explained(sources[0], trace=trace):
        from tabellion.isolated import readers
        from tabellion.mine.live import CrawlSettings
        from tabellion.mine.sources import open_sites

        drawn = (explain,) if explain else ()
        crawl = CrawlSettings(pages, depth, pause=pause, private=private == "yes", update=bool(update), wanted=drawn)
        sites = list(open_sites(sources, limits, crawl, keep, expand, readers(fork=True)))
        if explain is not None:
            print_explanation(sites, explain, form.value)
            raise typer.Exit(0)
        if unified:
            found = print_things(sites, form.value, schema, update, everything=everything)
            _tell(cut_off_lines([(site.name, len(site.sources)) for site in sites], sources, pages))
            if library is not None:
                found.keep(library, files, name)
            raise typer.Exit(1 if found.failed else 0)
        if instances or records:
            ontology, failed = _print_facts(sites, form, method, records=records, kept=library is not None)
        else:
            ontology = _mine_ontology(sites, method, support, siblings=siblings, synonyms=synonyms)
            print_ontology(ontology, form)
            failed = _complain_of(ontology)
            _tell(summary_lines(ontology))
        _tell(cut_off_lines(ontology.sites, sources, pages))
        if library is not None:
            keep_instances(ontology, library, files, name)
    raise typer.Exit(1 if failed else 0)


def _print_facts(
    sites: Sequence[SitePages], form: MineForm, method: MethodChoice, *, records: bool, kept: bool
) -> tuple[Ontology, int]:
    """Print the facts or the records of each page; what is to be kept of them, and how many pages failed."""
    from tabellion.mine.instances import list_records, mine_instances
    from tabellion.mine.ontology import Ontology

    told: list[ConceptInstance] = []
    found = list_records if records else partial(mine_instances, method=method.value)
    streamed = form in (MineForm.outline, MineForm.jsonl)
    tallies = [
        print_instances(site, form if streamed else None, found, told if kept or not streamed else None)
        for site in sites
    ]
    failed, count, values = (sum(each) for each in zip(*tallies, strict=True))
    ontology = Ontology((), tuple(told), tuple((site.name, len(site.sources)) for site in sites))
    if not streamed:
        print_ontology(ontology, form)
    pages = sum(number for _, number in ontology.sites)
    _tell(
        [f"{pages} pages of {len(sites)} sites: {count} {'records' if records else 'instances'}, {values} attributes"]
    )
    return ontology, failed


def _mine_ontology(
    sites: Sequence[SitePages], method: MethodChoice, support: int | None, *, siblings: bool, synonyms: bool
) -> Ontology:
    from tabellion.mine.labels import LabelSettings
    from tabellion.mine.ontology import MineSettings, mine_sites

    labels = LabelSettings(siblings=siblings)
    if support is not None:
        labels = LabelSettings(least=support, share=0.0, siblings=siblings)
    return mine_sites(sites, MineSettings(method=method.value, labels=labels, synonyms=synonyms))


def _tell(lines: Iterable[str]) -> None:
    """Say on standard error what was done."""
    for line in lines:
        typer.echo(line, err=True)


def summary_lines(ontology: Ontology) -> Iterator[str]:
    """What was mined, in a line."""
    values = sum(len(each.instance.attributes) for each in ontology.instances)
    pages = sum(count for _, count in ontology.sites)
    yield (
        f"{pages} pages of {len(ontology.sites)} sites: {len(ontology.concepts)} concepts, "
        f"{len(ontology.instances)} instances, {values} attributes"
    )


def cut_off_lines(sites: Iterable[tuple[str, int]], sources: Sequence[str], most: int) -> Iterator[str]:
    """Which sites on the web have more pages than were to be fetched.

    >>> list(cut_off_lines([("example.org", 30)], ["https://example.org"], 30))
    ['example.org: cut off after 30 pages (--pages 30)']
    """
    if any(source.startswith(("http://", "https://")) for source in sources):
        yield from (f"{site}: cut off after {count} pages (--pages {most})" for site, count in sites if count >= most)


def _complain_of(ontology: Ontology) -> int:
    """Say what went wrong, one line each; how many there are."""
    from tabellion.cli.messages import complain

    for issue in ontology.issues:
        complain(issue.note)
    return len(ontology.issues)


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
    site: SitePages, form: MineForm | None, found: Finder, kept: list[ConceptInstance] | None = None
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
