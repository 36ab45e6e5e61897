"""The labelled corpora: where they lie, which documents share a fold, and work on them that is not done twice.

`TABELLION_CORPORA` names the folder. Without it: the user's cache, filled from the archives of a `shared/data` folder
beside the checkout where there is one.

Which documents are kept apart when a method is measured. The documents of a group (a workbook, an agency, a table name:
the split key of the corpus's README) always share a fold, and the fold is the same for all learned parts, so that the
whole flow can be scored on documents that none of its weights has seen.

What was learned before from the same numbers is not learned again. In: the rows, labels and settings that a learner is
given, and how to learn. Out: the weights, from a folder outside the project where they were learned from exactly the
same before. Training is deterministic, so this changes nothing but the time: training by folds, cross-validating and
testing ask for the same weights, and a change of code that leaves the numbers as they were costs no training.
`TABELLION_LEARNED` names the folder; `0` turns it off.

Work on many documents by several processes, where the command was given several. In: a function of the top level of a
module, and what it is to be called with. Out: the results, in order. Nothing is spread unless `use_processes` was
called, and never from within a process that is itself one of several.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import tarfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from hashlib import blake2b, sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Protocol, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.errors import TabellionError, WeightsError

FOLDS = 5

LeftOut = int | str | None
"""What weights must not see: the documents of a fold, those of a corpus and its kin, or nothing."""

KIN = {"stattrees": "statsheets", "sheetcuts": "statsheets"}
"""Corpora whose documents are of the same origin as those of another: who leaves the one out leaves out both."""


def without(corpus: str) -> str:
    """The name of the folder of weights that have not seen a corpus, nor its kin.

    >>> without("sheetcuts")
    'without-statsheets'
    """
    return f"without-{KIN.get(corpus, corpus)}"


def is_seen(corpus: str, fold: int, left_out: LeftOut) -> bool:
    """Whether weights that leave something out may see a document.

    >>> is_seen("troy200", 3, 3), is_seen("troy200", 3, "troy200"), is_seen("stattrees", 0, "statsheets")
    (False, False, False)
    >>> is_seen("troy200", 3, None), is_seen("troy200", 3, 4), is_seen("troy200", 3, "statsheets")
    (True, True, True)
    """
    if isinstance(left_out, str):
        return KIN.get(corpus, corpus) != KIN.get(left_out, left_out)
    return fold != left_out


def assign_folds(corpus: str, groups: Iterable[str]) -> dict[str, int]:
    """The fold of each group: groups in the order of a stable hash, dealt out in turn, so that folds are even.

    >>> assign_folds("statsheets", ["abs", "who", "ilo", "abs"])
    {'abs': 0, 'ilo': 1, 'who': 2}
    """
    ordered = sorted(set(groups), key=lambda group: sha256(f"{corpus}/{group}".encode()).hexdigest())
    return {group: place % FOLDS for place, group in enumerate(ordered)}


MEASURED = {
    "sheets": (
        "troy200", "senbazuru-left", "saus-lines", "statsheets", "hitab-top", "stattrees", "sheetcuts", "fuste",
    ),
    "web": ("webtables", "t2dv2", "wiki-headers", "visual"),
    "printed": ("icdar2013", "jats", "articles"),
    "sites": ("swde", "unified", "recipes", "news-front", "segments"),
}  # fmt: skip
"""The corpora that are measured, by what their documents are."""

RENDERED_CORPORA = ("visual",)
"""Those whose pages are always drawn."""

SHEET_CORPORA = ("troy200", "senbazuru-left", "saus-lines", "statsheets", "hitab-top", "fuste")


def corpora_root() -> Path:
    """The folder that holds one folder per corpus."""
    named = os.environ.get("TABELLION_CORPORA")
    if named:
        return Path(named)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "tabellion" / "corpora"


def corpus_folder(name: str) -> Path | None:
    """The unpacked corpus, unpacking it first where its archive is at hand; None where there is none."""
    folder = corpora_root() / name
    if any((folder / mark).exists() for mark in ("gold.jsonl", "corpus.json", "gold")):
        return folder
    for archive in archive_candidates(name):
        if archive.exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
            with tarfile.open(archive) as packed:
                packed.extractall(folder.parent, filter="data")
            return folder
    return None


def find_corpus(name: str) -> Path:
    """The unpacked corpus, or one line that says how to come by it."""
    folder = corpus_folder(name)
    if folder is None:
        raise TabellionError(f"corpus {name} not found: set TABELLION_CORPORA or unpack it (docs/corpora.md)")
    return folder


def archive_candidates(name: str) -> Iterator[Path]:
    """Where the packed corpus may lie: beside the checkout, or beside the working directory."""
    checkout = Path(__file__).resolve().parents[3]
    for base in (checkout.parent, Path.cwd().parent):
        yield base / "shared" / "data" / f"{name}.tar.xz"


def load_gold(folder: Path) -> list[dict[str, Any]]:
    """The gold lines of a corpus; the file of case i lies under `inputs/`."""
    with (folder / "gold.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


Ingredient = NDArray[np.generic] | msgspec.Struct | str | Iterable[str] | None


class Stored(Protocol):
    """Weights that can be written."""

    def save(self, path: Path) -> None: ...


S = TypeVar("S", bound=Stored)


def remember(load: Callable[[Path], S], suffix: str, ingredients: Iterable[Ingredient], learn: Callable[[], S]) -> S:
    """The weights that these ingredients give: those of before, or learned now and kept."""
    folder = _folder()
    if folder is None:
        return learn()
    path = folder / f"{_key(ingredients)}{suffix}"
    if path.exists():
        try:
            found = load(path)
        except (WeightsError, KeyError, TypeError):
            path.unlink()
        else:
            os.utime(path)
            return found
    learned = learn()
    with NamedTemporaryFile(dir=folder, suffix=suffix, delete=False) as part:
        learned.save(Path(part.name))
    Path(part.name).replace(path)
    return load(path)


def remember_rows(
    path: Path, code: str, compute: Callable[[Path], dict[int, NDArray[np.float64]]]
) -> dict[int, NDArray[np.float64]]:
    """What is computed of a file, by number: as before, where the file and the code that computes it are the same."""
    folder = _folder()
    if folder is None:
        return compute(path)
    kept = folder / f"{_key((path.name, code, np.frombuffer(path.read_bytes(), dtype=np.uint8)))}.rows.npz"
    if kept.exists():
        with np.load(kept, allow_pickle=False) as held:
            return {int(number): held[number] for number in held.files}
    found = compute(path)
    with NamedTemporaryFile(dir=folder, suffix=".npz", delete=False) as part:
        np.savez_compressed(part, allow_pickle=False, **{str(number): row for number, row in found.items()})
    Path(part.name).replace(kept)
    return found


def _folder() -> Path | None:
    named = os.environ.get("TABELLION_LEARNED")
    if named == "0":
        return None
    folder = Path(named) if named else corpora_root().parent / "learned"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _key(ingredients: Iterable[Ingredient]) -> str:
    told = blake2b(digest_size=20)
    for one in ingredients:
        if isinstance(one, np.ndarray):
            told.update(f"{one.dtype}{one.shape}".encode())
            told.update(np.ascontiguousarray(one).tobytes())
        elif isinstance(one, msgspec.Struct):
            told.update(msgspec.json.encode([type(one).__name__, one]))
        else:
            told.update(msgspec.json.encode(one if one is None or isinstance(one, str) else list(one)))
        told.update(b"\0")
    return told.hexdigest()


Item = TypeVar("Item")
Result = TypeVar("Result")

FORK = multiprocessing.get_context("fork")
"""Children see what their parent has read: documents are read once."""

_processes = 1


def use_processes(count: int) -> None:
    """From now on work is spread over so many processes."""
    global _processes
    _processes = count


def spread(task: Callable[[Item], Result], items: Iterable[Item], chunk: int = 4) -> list[Result]:
    """What a function makes of each item."""
    todo = list(items)
    if _processes == 1 or len(todo) < 2 or multiprocessing.parent_process() is not None:
        return [task(item) for item in todo]
    with ProcessPoolExecutor(max_workers=min(_processes, len(todo)), mp_context=FORK) as pool:
        return list(pool.map(task, todo, chunksize=chunk))
