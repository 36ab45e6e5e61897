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
import shutil
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from tabellion.errors import TabellionError
from tabellion.learn.corpora import FOLDS, FORK, KIN, LeftOut, corpora_root, use_processes, without
from tabellion.learn.parts import (
    DRAWN,
    DRAWN_FIRST,
    LEARNED_FROM,
    PARTS,
    READ_FIRST,
    SHEETS,
    Target,
    part_of,
    stale_weights,
)
from tabellion.weights import CARD, forget_loaded

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
    root = str(Path(__file__).parents[1])  # all code of the package counts, not that of learning alone
    git = shutil.which("git")
    asked = (("rev-parse", "--short=12", "HEAD"), ("status", "--porcelain", "--", "*.py")) if git else ()
    said = [
        subprocess.run([str(git), "-C", root, *words], check=False, capture_output=True, text=True)  # noqa: S603
        for words in asked
    ]
    if not said or any(one.returncode for one in said):
        return os.environ.get("TABELLION_COMMIT", "")
    return said[0].stdout.strip() + (CHANGED if said[1].stdout.strip() else "")


CHANGED = "+"


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


class Left(msgspec.Struct, frozen=True):
    """A part that was not trained, for a folder or for all, and why."""

    part: str
    why: str
    folder: Path | None = None

    def __str__(self) -> str:
        return f"{self.part}{f' for {self.folder}' if self.folder else ''}: {self.why}"


def train_all(
    names: Sequence[str], targets: Sequence[Target], folds: Path, workers: int | None = None, *, resume: bool = False
) -> list[Left]:
    """Train parts into folders, and tell what was left as it was: what a part needs is not there, or training failed.

    With `resume` files that were made from the very same commit are kept.
    """
    left = [Left(name, why) for name in names if (why := PARTS[name].lacking())]
    able = [name for name in names if name not in {one.part for one in left}]
    left += _train_tasks(list(_tasks(able, targets, resume=resume)), workers)
    for name in (name for name in able if PARTS[name].from_readings):
        left += _train_from_readings(name, targets, folds, workers, resume=resume)
    return left


def train_parts(names: Sequence[str], targets: Sequence[Target], workers: int | None = None) -> None:
    """Train parts into folders, by several processes where there are several processors."""
    left = _train_tasks(list(_tasks(names, targets)), workers)
    if left:
        raise TabellionError("; ".join(map(str, left)))


Task = tuple[list[str], Path, LeftOut]
"""Parts that are trained one after the other, their folder, and what they must not see."""


def _train_tasks(tasks: Sequence[Task], workers: int | None) -> list[Left]:
    """Train, and tell what failed: one task that fails does not end the others."""
    for _, folder, _ in tasks:
        folder.mkdir(parents=True, exist_ok=True)
    names = list(dict.fromkeys(name for parts, _, _ in tasks for name in parts))
    workers = min(workers or os.cpu_count() or 1, len(tasks))
    read_code(names)
    if workers <= 1:
        return [one for task in tasks for one in _train(*task)]
    use_processes(workers)
    _read_first(names)
    with ProcessPoolExecutor(max_workers=workers, mp_context=FORK) as pool:
        running = [(task, pool.submit(_train, *task)) for task in tasks]
    return [one for task, done in running for one in _outcome(task, done)]


def _outcome(task: Task, done: Future[list[Left]]) -> list[Left]:
    names, folder, _ = task
    try:
        return done.result()
    except BrokenProcessPool:
        why = "a process was ended from outside, perhaps for want of memory: train --resume with fewer --jobs"
        return [Left(name, why, folder) for name in names]


def _read_first(names: Sequence[str]) -> None:
    """Read the documents of the groups that are trained, and draw the pages, once for all processes."""
    places = [place for group in dict.fromkeys(PARTS[name].group for name in names) for place in READ_FIRST[group]]
    places += [DRAWN_FIRST] if set(names) & set(DRAWN) else []
    for place in places:
        module, _, function = place.rpartition(".")
        getattr(import_module(f"tabellion.learn.{module}"), function)()


def _tasks(names: Sequence[str], targets: Sequence[Target], *, resume: bool = False) -> Iterator[Task]:
    """What is to be trained; what takes longest comes first."""
    for group in reversed(LEARNED_FROM):
        for folder, left_out in targets:
            parts = [
                name
                for name, part in PARTS.items()
                if name in names and part.group == group and not part.from_readings and part.can_leave_out(left_out)
            ]
            parts = [name for name in parts if not (resume and is_made(folder, name, left_out))]
            if parts:
                yield parts, folder, left_out


def is_made(folder: Path, name: str, left_out: LeftOut) -> bool:
    """Whether a folder holds all weights of a part, made by this very commit without what is left out.

    Files that were changed since the commit are not known: nothing counts as made then.
    """
    commit = code_state()
    if not commit or commit.endswith(CHANGED):
        return False
    wanted = {"commit": commit, "left_out": left_out, **PARTS[name].digests}
    for weights in PARTS[name].weights:
        card = folder / f"{weights}{CARD}"
        if not card.exists() or not any((folder / f"{weights}{suffix}").exists() for suffix in (".npz", ".json")):
            return False
        told = msgspec.json.decode(card.read_bytes(), type=dict[str, object])
        if any(told.get(what) != value for what, value in wanted.items()):
            return False
    return True


def _train(names: Sequence[str], folder: Path, left_out: LeftOut) -> list[Left]:
    """Train parts one after the other; after one that fails the others, which may stand on it, are left."""
    for at, name in enumerate(names):
        start = time.monotonic()
        try:
            PARTS[name].train(folder, left_out)
        except Exception as error:  # whatever it is, the other folders are made
            traceback.print_exc()
            rest = [Left(other, f"{name} before it failed", folder) for other in names[at + 1 :]]
            return [Left(name, _in_a_line(error), folder), *rest]
        forget_loaded()
        sys.stderr.write(f"{folder}: {name} in {time.monotonic() - start:.0f} s\n")
    return []


def _in_a_line(error: Exception) -> str:
    told = " ".join(str(error).split())
    return told if isinstance(error, TabellionError) else f"{type(error).__name__}: {told}"


def read_code(names: Sequence[str]) -> None:
    """Take down the state of the code that runs: files may be edited while it trains, and cards must not tell that."""
    code_state()
    for name in names:
        _ = PARTS[name].digests


def train_missing(groups: Sequence[str], targets: Sequence[Target], workers: int | None = None) -> None:
    """Train what is not there yet of some groups of parts, or is older than its code, as far as it can be trained."""
    stale = {
        one.part
        for folder, left_out in targets
        for one in stale_weights(folder)
        if PARTS[one.part].can_leave_out(left_out)
    }
    names = [name for name, part in PARTS.items() if name in stale and part.group in groups]
    lacking = {name: why for name in names if (why := PARTS[name].lacking())}
    for name, why in lacking.items():
        sys.stderr.write(f"{name} is not trained: {why}\n")
    train_parts([name for name in names if name not in lacking], targets, workers)


def train_from_readings(names: Sequence[str], targets: Sequence[Target], folds: Path, workers: int | None) -> None:
    """Train the parts that learn from readings by the weights under `folds`."""
    left = [
        one
        for name in names
        if PARTS[name].from_readings
        for one in _train_from_readings(name, targets, folds, workers)
    ]
    if left:
        raise TabellionError("; ".join(map(str, left)))


def _train_from_readings(
    name: str, targets: Sequence[Target], folds: Path, workers: int | None, *, resume: bool = False
) -> list[Left]:
    """Train one such part; weights by fold that are missing or older than their code are trained before."""
    wanted = [target for target in targets if PARTS[name].can_leave_out(target[1])]
    wanted = [(folder, left_out) for folder, left_out in wanted if not (resume and is_made(folder, name, left_out))]
    if not wanted:
        return []
    start = time.monotonic()
    read_code([name])
    try:
        train_missing([SHEETS], fold_targets(folds), workers)
        use_processes(workers or os.cpu_count() or 1)
        PARTS[name].train_from_readings(wanted, folds)
    except Exception as error:  # told at the end, with all else that was left
        traceback.print_exc()
        return [Left(name, _in_a_line(error))]
    forget_loaded()
    sys.stderr.write(f"{name} for {len(wanted)} folders in {time.monotonic() - start:.0f} s\n")
    return []
