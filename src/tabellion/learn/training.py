"""Training all parts, or some, and the card that is written beside each weights file.

Groups of parts are trained beside each other, the parts of a group one after the other. In: the names of parts, and
targets: a folder for weights each, and what they must not see. Out: weights and cards in the folders. Documents are
read once, by all processes; then each process trains a group of parts for a target. Parts that learn from readings (how
far a reading can be trusted) come last; weights by fold are trained before them.

A card says what its weights were trained on, when, by which code, and how they scored.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from tabellion.learn.corpora import FOLDS, KIN, LeftOut, corpora_root, without
from tabellion.learn.memory import FORK, use_processes
from tabellion.learn.parts import LEARNED_FROM, PARTS, READ_FIRST, SHEETS, Target, part_of, stale_weights
from tabellion.weights import CARD, SHIPPED, forget_loaded

LIBRARIES = ("numpy", "lightgbm", "scikit-learn", "python-crfsuite", "selectolax", "pypdfium2", "lxml", "xlrd")
_RIGHTS = re.compile(r"licen[cs]|CC[ -]BY|Apache|\bGPL|\bMIT\b|C-UDA|\bterms\b|their publishers|rights", re.I)
_SENTENCE = re.compile(r"(?<=[^A-Z]\.)\s+(?=[A-Z`])")


class Material(msgspec.Struct, frozen=True):
    """What one corpus gave."""

    documents: int
    examples: int


class Origin(msgspec.Struct, frozen=True, omit_defaults=True):
    """A corpus as it was: a digest of its files, and what its README says of its licence."""

    digest: str
    licence: str


class Card(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a user of a weights file should know."""

    name: str
    method: str
    trained_on: dict[str, Material]
    left_out: LeftOut = None  # the fold or the corpus that was not seen; None where all was
    scores: dict[str, float] = {}  # on documents that were not seen
    made: str = ""
    code: str = ""
    commit: str = ""  # the state of the code; with a plus sign where files were changed since
    features: str = ""  # digests of the code that it depends on (`learn.parts`)
    training: str = ""
    corpora: dict[str, Origin] = {}
    libraries: dict[str, str] = {}


def write_card(folder: Path, card: Card) -> None:
    """Write `NAME.card.json`, stamped with the day, the state of the code, the data and the libraries."""
    part = part_of(card.name)
    stamped = msgspec.structs.replace(
        card,
        made=datetime.now(UTC).date().isoformat(),
        code=f"tabellion {version('tabellion')}",
        commit=code_state(),
        **(part.digests if part else {}),
        corpora={name: origin_of(name) for name in card.trained_on if (corpora_root() / name).is_dir()},
        libraries=dict(_versions()),
    )
    text = msgspec.json.format(msgspec.json.encode(stamped), indent=1)
    (folder / f"{card.name}{CARD}").write_bytes(text + b"\n")


@lru_cache(maxsize=1)
def code_state() -> str:
    """The commit of the code, with a plus sign where sources were changed since.

    Outside a checkout, as on a machine that only trains, it is what `TABELLION_COMMIT` says.
    """
    root = Path(__file__).parent
    said = [
        subprocess.run(["git", "-C", str(root), *words], check=False, capture_output=True, text=True)  # noqa: S603, S607
        for words in (("rev-parse", "--short=12", "HEAD"), ("status", "--porcelain", "--", "*.py"))
    ]
    if any(one.returncode for one in said):
        return os.environ.get("TABELLION_COMMIT", "")
    return said[0].stdout.strip() + ("+" if said[1].stdout.strip() else "")


@lru_cache(maxsize=64)
def origin_of(corpus: str) -> Origin:
    """The digest of the files of a corpus, in the order of their names, and its licence."""
    folder = corpora_root() / corpus
    told = sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        told.update(f"{path.relative_to(folder).as_posix()}\n".encode())
        told.update(sha256(path.read_bytes()).digest())
    readme = folder / "README.md"
    return Origin(told.hexdigest()[:16], licence_of(readme.read_text(encoding="utf-8")) if readme.exists() else MADE)


MADE = "made by tabellion from tables and text of the other corpora"


def licence_of(readme: str) -> str:
    r"""The sentences of a README that speak of rights, tables left out.

    >>> licence_of("# A corpus\n\nSome tables. From a/b @1 (Apache-2.0; by the\nCensus Bureau). Split by file.")
    'From a/b @1 (Apache-2.0; by the Census Bureau).'
    """
    blocks = re.split(r"\n\s*\n|\n(?=[-|])", re.sub(r"^#.*", "\n", readme, flags=re.M))
    plain = (" ".join(block.split()).removeprefix("- ") for block in blocks if not block.startswith("|"))
    said = [one for block in plain for one in _SENTENCE.split(block) if _RIGHTS.search(one)]
    return " ".join(dict.fromkeys(said)) or "not stated"


def _versions() -> Iterator[tuple[str, str]]:
    for name in LIBRARIES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue


def default_folds() -> Path:
    """Where weights by fold are kept between runs."""
    return corpora_root().parent / "folds"


def fold_targets(folds: Path) -> list[Target]:
    """A folder for each fold."""
    return [(folds / f"fold{fold}", fold) for fold in range(FOLDS)]


def corpus_targets(folds: Path, groups: Sequence[str] = tuple(LEARNED_FROM)) -> list[Target]:
    """A folder for each corpus that some groups of parts learn from: weights that have seen all the others."""
    corpora = (corpus for group in groups for corpus in LEARNED_FROM[group] if corpus not in KIN)
    return [(folds / without(corpus), corpus) for corpus in corpora]


def train_parts(names: Sequence[str], targets: Sequence[Target], workers: int | None = None) -> None:
    """Train parts into folders, by several processes where there are several processors."""
    for folder, _ in targets:
        folder.mkdir(parents=True, exist_ok=True)
    tasks = list(_tasks(names, targets))
    workers = min(workers or os.cpu_count() or 1, len(tasks))
    read_code(names)
    if workers <= 1:
        for task in tasks:
            _train(*task)
        return
    use_processes(workers)
    for group in dict.fromkeys(PARTS[parts[0]].group for parts, _, _ in tasks):
        for place in READ_FIRST[group]:
            module, _, function = place.rpartition(".")
            getattr(import_module(f"tabellion.learn.{module}"), function)()
    with ProcessPoolExecutor(max_workers=workers, mp_context=FORK) as pool:
        for done in [pool.submit(_train, *task) for task in tasks]:
            done.result()


def _tasks(names: Sequence[str], targets: Sequence[Target]) -> Iterator[tuple[list[str], Path, LeftOut]]:
    """Parts that are trained one after the other, with their folder; those that take longest come first."""
    for group in reversed(LEARNED_FROM):
        for folder, left_out in targets:
            parts = [
                name
                for name, part in PARTS.items()
                if name in names and part.group == group and not part.from_readings and part.can_leave_out(left_out)
            ]
            if parts:
                yield parts, folder, left_out


def _train(names: Sequence[str], folder: Path, left_out: LeftOut) -> None:
    for name in names:
        start = time.monotonic()
        PARTS[name].train(folder, left_out)
        forget_loaded()
        sys.stderr.write(f"{folder}: {name} in {time.monotonic() - start:.0f} s\n")


def read_code(names: Sequence[str]) -> None:
    """Take down the state of the code that runs: files may be edited while it trains, and cards must not tell that."""
    code_state()
    for name in names:
        _ = PARTS[name].digests


def train_missing(groups: Sequence[str], targets: Sequence[Target], workers: int | None = None) -> None:
    """Train what is not there yet of some groups of parts, or is older than its code."""
    stale = {
        one.part
        for folder, left_out in targets
        for one in stale_weights(folder)
        if PARTS[one.part].can_leave_out(left_out)
    }
    train_parts([name for name in stale if PARTS[name].group in groups], targets, workers)


def train_shipped(names: Sequence[str], folds: Path, workers: int | None = None) -> None:
    """Train parts into the folder of the shipped weights; those that need weights by fold get them under `folds`."""
    train_parts(names, [(SHIPPED, None)], workers)
    if any(PARTS[name].from_readings for name in names):
        train_missing([SHEETS], fold_targets(folds), workers)
        train_from_readings(names, [(SHIPPED, None)], folds, workers)


def train_from_readings(names: Sequence[str], targets: Sequence[Target], folds: Path, workers: int | None) -> None:
    """Train the parts that learn from readings by the weights under `folds`."""
    later = [name for name in names if PARTS[name].from_readings]
    read_code(later)
    use_processes(workers or os.cpu_count() or 1)
    for name in later:
        start = time.monotonic()
        PARTS[name].train_from_readings([t for t in targets if PARTS[name].can_leave_out(t[1])], folds)
        forget_loaded()
        sys.stderr.write(f"{name} for {len(targets)} folders in {time.monotonic() - start:.0f} s\n")
