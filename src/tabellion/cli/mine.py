"""`tabellion mine`, `segment`, `annotate`: websites to an ontology, the parts of one page, and pages to be labelled.

`mine` also gives the pages of one template as their facts. `segment` shows the parts of one web page and what labels
what in them. `annotate` writes the current reading of a page as ground truth, to be corrected by hand.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tabellion.cli.mined import (
    MineForm,
    keep_instances,
    print_explanation,
    print_instances,
    print_ontology,
    print_things,
)
from tabellion.cli.options import FilesOption, LimitOption, PrivateOption, TraceOption, build_limits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tabellion.mine.instances import ConceptInstance
    from tabellion.mine.ontology import Ontology, SitePages


class MethodChoice(StrEnum):
    """How a page is cut and its labels are found."""

    blocks = "blocks"
    ontominer = "ontominer"


MethodOption = Annotated[
    MethodChoice,
    typer.Option("--method", help="blocks: split boxes from the top down; ontominer: the algorithms of the paper."),
]


EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion mine saved/site-a saved/site-b saved/site-c [dim]· the taxonomy of three saved sites[/dim]

[dim]$[/dim] tabellion mine https://example.org https://example.com --keep crawl/ [dim]· crawl, keep, mine[/dim]

[dim]$[/dim] tabellion mine --instances saved/recipes --format jsonl [dim]· pages of one template, a line each[/dim]

[dim]$[/dim] tabellion mine --unified shop-a/ shop-b/ --library cars/ [dim]· one relation per kind over sites[/dim]

[dim]$[/dim] tabellion mine --records saved/results.html [dim]· the records that a page lists[/dim]

[dim]$[/dim] tabellion mine saved/* --library shared/ --name films [dim]· one table per concept[/dim]"""


FetchedOption = Annotated[
    int, typer.Option("--pages", metavar="N", min=1, help="Pages fetched of each site on the web.")
]
PauseOption = Annotated[
    float, typer.Option("--pause", metavar="SECONDS", min=0.0, help="Pause between two requests to one host.")
]
KeepOption = Annotated[
    Path | None, typer.Option("--keep", metavar="DIR", help="Keep the fetched pages here, as WARC files.")
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
    bool,
    typer.Option(
        "--instances", help="Print only the attributes of each page. All pages of a source share one template."
    ),
]
RecordsOption = Annotated[
    bool,
    typer.Option("--records", help="Print the records that a page lists: search results, offers, rows of data tables."),
]
UnifiedOption = Annotated[
    bool,
    typer.Option(
        "--unified",
        help="One thing per page, with its name, kind and key, and one schema for each kind over all sites.",
    ),
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
    bool,
    typer.Option(
        "--all", help="With --unified: also print what is no fact of the thing, such as menus and related items."
    ),
]
SupportOption = Annotated[
    int | None, typer.Option("--support", metavar="N", min=1, help="Number of sites that must have a concept.")
]
SiblingsOption = Annotated[
    bool, typer.Option("--siblings", help="Also take concepts of fewer sites that are in one list with other concepts.")
]
SynonymsOption = Annotated[
    bool, typer.Option("--synonyms", help="Merge concepts with the same links or the same children.")
]
DepthOption = Annotated[int, typer.Option("--depth", metavar="N", min=0, help="Links followed from a home page.")]
ExpandOption = Annotated[
    int,
    typer.Option(
        "--expand", metavar="N", min=0, help="Add up to N sites of the same subject that the given sites link to."
    ),
]
NameOption = Annotated[
    str | None, typer.Option("--name", metavar="NAME", help="The name of the result in the library.")
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
    """Turn websites into tables: one row per thing, one column per attribute, and a taxonomy of topics."""
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


SEGMENT_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion segment page.html [dim]· segments and labels as an outline to read[/dim]

[dim]$[/dim] tabellion segment https://example.org/ --format json [dim]· for programs[/dim]

[dim]$[/dim] tabellion segment page.html --method ontominer [dim]· by the algorithms of the paper[/dim]"""


class SegmentForm(StrEnum):
    """The formats that a page's parts can be printed in."""

    outline = "outline"
    json = "json"


def segment(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A saved page, an address, or - for standard input.")],
    form: Annotated[
        SegmentForm, typer.Option("--format", "-f", help="outline: to read; json: segments and tree for programs.")
    ] = SegmentForm.outline,
    method: MethodOption = MethodChoice.blocks,
    limit: LimitOption = None,
    trace: TraceOption = False,
) -> None:
    """Split a web page into its parts, with the labels of each."""
    limits = build_limits(limit)
    from tabellion.cli.messages import explained

    with explained(source, trace=trace):
        import msgspec

        from tabellion.isolated import readers
        from tabellion.mine.hierarchy import segment_page
        from tabellion.mine.sources import load_with_tables

        page = load_with_tables(source, limits, readers(fork=True))
        made = segment_page(page, method.value).as_json(source)
        if form is SegmentForm.json:
            sys.stdout.buffer.write(msgspec.json.encode(made) + b"\n")
        else:
            for line in outline_lines(made):
                typer.echo(line)


def outline_lines(made: dict[str, Any]) -> Iterator[str]:
    """The tree, one line per text, a blank line between segments.

    >>> world = {"label": "World", "children": []}
    >>> list(outline_lines({"tree": {"children": [{"label": "News", "children": [world]}]}}))
    ['News', '  World', '']
    """
    for part in made["tree"]["children"]:
        waiting: list[tuple[dict[str, Any], int]] = [(part, 0)]
        while waiting:
            node, depth = waiting.pop()
            if node["label"]:
                yield "  " * depth + node["label"]
            below = depth + 1 if node["label"] else depth
            waiting.extend((child, below) for child in reversed(node["children"]))
        yield ""


ANNOTATE_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion annotate page.html [dim]· into the folder annotated/[/dim]

[dim]$[/dim] tabellion annotate https://example.org/prices -o prices/ --network [dim]· with its style sheets[/dim]"""


def annotate(
    sources: Annotated[list[str], typer.Argument(metavar="SOURCE", help="Web pages: files or addresses.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The folder that the pages and gold.jsonl go to.")
    ] = Path("annotated"),
    network: Annotated[
        bool, typer.Option("--network", help="Put style sheets and pictures from the network into the page.")
    ] = False,
    limit: LimitOption = None,
    trace: TraceOption = False,
) -> None:
    """Save web pages with numbered words and elements, and write their reading as labelled data to correct."""
    limits = build_limits(limit)
    from tabellion.cli.batch import explain
    from tabellion.cli.messages import complain
    from tabellion.learn.annotate import annotate_page

    failed = False
    for source in sources:
        try:
            name, tables = annotate_page(source, output, limits, network=network)
            typer.echo(f"{output / 'pages' / name}: {tables} tables", err=True)
        except Exception as error:
            failure = explain(source, error)
            complain(failure.note, failure.trace if trace else "")
            failed = True
    raise typer.Exit(1 if failed else 0)
