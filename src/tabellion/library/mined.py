"""Mined ontologies in the library: the instances of each concept as one table, kept as any document is.

In: an ontology and a name for it. Out: what became of each table. Its markup is kept as the original and read by the
same pipeline as all else, so that search, queries, joins, verifying and rebuilding know nothing of mining. Keeping an
ontology under the same name again replaces what changed and removes tables of concepts that are gone.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tabellion.errors import LibraryError
from tabellion.library.files import Folder, decode_file, name_file, summed_file
from tabellion.library.holdings import AddResult
from tabellion.library.library import Library
from tabellion.library.originals import store_original
from tabellion.library.reading import read_for_library
from tabellion.mine.ontology import Ontology, instance_json
from tabellion.mine.report import Relation, ontology_relations, relation_markup
from tabellion.mine.things import Thing, UnifiedSites
from tabellion.mine.unified_report import thing_relations, things_ontology
from tabellion.pipeline import Settings

SCHEME = "mined://"
_TAXONOMY, _INSTANCES = ".taxonomy.json", ".instances.jsonl"


def add_ontology(library: Library, ontology: Ontology, name: str, settings: Settings = Settings()) -> list[AddResult]:
    """Keep the relations of an ontology; their addresses are `mined://NAME/CONCEPT.html`."""
    done = add_relations(library, ontology_relations(ontology), name, settings)
    _store_whole(library.folder, ontology, name)
    return done


def add_things(library: Library, unified: UnifiedSites, things: Sequence[Thing], name: str) -> list[AddResult]:
    """Keep things over sites: one relation for each kind with all sites in it, and the schema that joined them."""
    done = add_relations(library, thing_relations(unified.schemas, things), name)
    whole = things_ontology(unified.schemas, things)
    _store_whole(library.folder, whole, name, msgspec.to_builtins(unified.schemas))
    return done


def add_relations(
    library: Library, relations: Iterable[Relation], name: str, settings: Settings = Settings()
) -> list[AddResult]:
    """Keep relations under a name; those kept under it before and gone now are removed."""
    done: list[AddResult] = []
    sources: set[str] = set()
    with library.writing_documents() as writer:
        for relation in relations:
            source = relation_address(name, relation)
            sources.add(source)
            data = relation_markup(relation).encode("utf-8", "replace")
            reading = read_for_library(source, source, data, settings)
            store_original(library.folder.originals, data, hashlib.sha256(data).hexdigest())
            done += writer.write(reading)
        done += writer.flush()
    for document in library.documents():
        if document.source.startswith(f"{SCHEME}{name}/") and document.source not in sources:
            library.remove(document.id)
    return done


class MinedSites(msgspec.Struct, frozen=True):
    """An ontology of the library without its instances; `instances` says how many it has."""

    name: str
    concepts: list[dict[str, Any]]
    sites: list[dict[str, Any]]
    issues: list[dict[str, Any]]
    instances: int
    counts: dict[str, int] = {}  # instances by the id of their concept
    schemas: list[dict[str, Any]] = []  # of things over sites: which attributes mean the same, how sure, and why


def list_mined(library: Library) -> list[MinedSites]:
    """The ontologies of a library, by name."""
    paths = sorted(library.folder.mined.glob(f"*{_TAXONOMY}"))
    return [decode_file(path, MinedSites) for path in paths]


def mined_instances(library: Library, name: str, concept: str | None, first: int, most: int) -> dict[str, Any]:
    """Some of the instances of an ontology, of all concepts or one, and how many there are."""
    path = library.folder.mined / name_file(name, _INSTANCES)
    if not path.exists():
        raise LibraryError(f"{name}: there is no such mined site in this library")
    found, total = [], 0
    with path.open("rb") as lines:
        for line in lines:
            one = msgspec.json.decode(line)
            if concept is None or one["concept"] == concept:
                if first <= total < first + most:
                    found.append(one)
                total += 1
    return {"total": total, "instances": found}


def mined_page(library: Library, name: str, source: str) -> bytes:
    """A saved page that instances were mined from, as it is where it was read; never another file."""
    path = library.folder.mined / name_file(name, _INSTANCES)
    if path.exists():
        with path.open("rb") as lines:
            if any(msgspec.json.decode(line, type=_Mined).source == source for line in lines):
                try:
                    return Path(source).read_bytes()
                except OSError:
                    raise LibraryError(f"{source}: there is no such page any more where it was mined") from None
    raise LibraryError(f"{source}: there is no such page among those of {name}")


class _Mined(msgspec.Struct, frozen=True):
    source: str


def _store_whole(folder: Folder, ontology: Ontology, name: str, schemas: list[dict[str, Any]] | None = None) -> None:
    """Keep the taxonomy and the instances as they were mined, to be looked at."""
    folder.mined.mkdir(exist_ok=True)
    counts = Counter(each.concept for each in ontology.instances)
    with summed_file(folder.mined / name_file(name, _INSTANCES)) as part, part.open("wb") as file:
        for each in ontology.instances:
            file.write(msgspec.json.encode(instance_json(each)) + b"\n")
    rest = msgspec.structs.replace(ontology, instances=()).as_json()
    by_concept = {concept: number for concept, number in counts.items() if concept is not None}
    whole = MinedSites(name, rest["concepts"], rest["sites"], rest["issues"], counts.total(), by_concept, schemas or [])
    with summed_file(folder.mined / name_file(name, _TAXONOMY)) as part:
        part.write_bytes(msgspec.json.encode(whole))


def relation_address(name: str, relation: Relation) -> str:
    """Where a relation stands in the library.

    >>> relation_address("news", Relation("Sport & Spiel/TV", (), ()))
    'mined://news/Sport & Spiel-TV.html'
    """
    return f"{SCHEME}{name}/{relation.name.replace('/', '-')}.html"


def usual_name(ontology: Ontology) -> str:
    """What an ontology is called where nobody says: its sites, or the first and how many more."""
    sites = [site.replace("/", "-") for site, _ in ontology.sites]
    return "+".join(sites) if len(sites) <= 3 else f"{sites[0]}+{len(sites) - 1}"
