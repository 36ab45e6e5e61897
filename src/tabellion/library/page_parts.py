"""Where the parts of a saved page begin, as each annotator says: ground truth for `tabellion segment`.

In: a web page of the library and an annotator's name. Out: its leaves and the first leaf of each part, as they are
found until the annotator says otherwise; how far two annotators agree; lines as the corpus `segments` has them. Fails
on an edition with other leaves: what was said of the one before is not carried over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from tabellion.errors import LibraryError
from tabellion.library.annotations import cohen_kappa
from tabellion.library.files import Folder, whole_file
from tabellion.library.kept import DocumentRecord
from tabellion.library.library import Library
from tabellion.library.originals import load_original
from tabellion.library.records import list_documents

_ENDING = ".parts"


class Parts(msgspec.Struct, frozen=True):
    """The parts of a page in one annotator's eyes; `starts` are the first leaves of all parts but the first."""

    leaves: list[str]
    starts: list[int]
    said: bool = False  # whether the annotator said so, or it was only found
    done: bool = False


class PartsAgreement(msgspec.Struct, frozen=True):
    """How far two annotators agree: of where either sees a part begin, how often both do; and Cohen's kappa."""

    leaves: int
    same: float | None
    kappa: float | None


class _Said(msgspec.Struct, frozen=True):
    annotator: str
    sha256: str
    starts: list[int]
    done: bool


def parts_of(library: Library, document: str, annotator: str) -> Parts:
    """A page with its parts as an annotator sees them."""
    from tabellion.mine.hierarchy import segment_page
    from tabellion.read.web.page_tree import load_page_tree

    record = _page(library, document)
    page = load_page_tree(load_original(library.folder.originals, record.sha256))
    held = _read(_path(library.folder, record.document_id, annotator))
    if held is None or held.sha256 != record.sha256:
        return Parts(list(page.texts), [one for one in segment_page(page).starts if one > 0])
    return Parts(list(page.texts), held.starts, said=True, done=held.done)


def say_parts(library: Library, document: str, annotator: str, starts: Sequence[int], *, done: bool) -> Parts:
    """Keep where an annotator sees parts begin."""
    record = _page(library, document)
    seen = parts_of(library, document, annotator)
    wrong = [one for one in starts if not 0 < one < len(seen.leaves)]
    if wrong:
        raise LibraryError(f"{wrong[0]}: no part can begin there; the page has {len(seen.leaves):,} leaves, from 0")
    path = _path(library.folder, record.document_id, annotator)
    path.parent.mkdir(parents=True, exist_ok=True)
    held = _Said(annotator, record.sha256, sorted(set(starts)), done)
    with whole_file(path) as part:
        part.write_bytes(msgspec.json.encode(held))
    return Parts(seen.leaves, held.starts, said=True, done=done)


def agree_on_parts(one: Parts, other: Parts) -> PartsAgreement:
    """How far two annotators agree on a page."""
    mine, theirs = set(one.starts), set(other.starts)
    pairs = [(str(leaf in mine), str(leaf in theirs)) for leaf in range(1, len(one.leaves))]
    same = len(mine & theirs) / len(mine | theirs) if mine | theirs else None
    return PartsAgreement(len(one.leaves), same, cohen_kappa(pairs))


def finished_parts(library: Library, annotator: str) -> Iterator[dict[str, Any]]:
    """The pages that an annotator is done with, as the corpus `segments` has them."""
    with library.catalogue.reading() as connection:
        pages = [one for one in list_documents(connection) if one.medium == "html"]
    for record in pages:
        parts = parts_of(library, record.document_id, annotator)
        if parts.done:
            yield {
                "source": Path(record.source).name, "kind": None, "leaves": parts.leaves, "boundaries": parts.starts,
                "labelled": [],
            }  # fmt: skip


def _page(library: Library, document: str) -> DocumentRecord:
    record = library.find(document)
    if record.medium != "html":
        raise LibraryError(f"{record.source}: there is no such web page; it is a {record.medium}")
    return record


def _path(folder: Folder, document_id: str, annotator: str) -> Path:
    return folder.annotations / document_id / f"{quote(annotator, safe='')}{_ENDING}"


def _read(path: Path) -> _Said | None:
    return msgspec.json.decode(path.read_bytes(), type=_Said) if path.exists() else None
