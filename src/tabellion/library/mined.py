"""Mined ontologies in the library: the instances of each concept as one table, kept as any document is.

In: an ontology and a name for it. Out: what became of each table. Its markup is kept as the original and read by the
same pipeline as all else, so that search, queries, joins, verifying and rebuilding know nothing of mining. Keeping an
ontology under the same name again replaces what changed and removes tables of concepts that are gone.
"""

from __future__ import annotations

import hashlib

from tabellion.library.library import Library
from tabellion.library.originals import store_original
from tabellion.library.reading import read_for_library
from tabellion.library.records import AddResult
from tabellion.mine.ontology import Ontology
from tabellion.mine.relation import Relation, ontology_relations, relation_markup
from tabellion.pipeline import Settings

SCHEME = "mined://"


def add_ontology(library: Library, ontology: Ontology, name: str, settings: Settings = Settings()) -> list[AddResult]:
    """Keep the relations of an ontology; their addresses are `mined://NAME/CONCEPT.html`."""
    done: list[AddResult] = []
    sources: set[str] = set()
    with library.writing_documents() as writer:
        for relation in ontology_relations(ontology):
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
