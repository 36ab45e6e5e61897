"""Work that is not done twice, and work that several processes share.

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

import multiprocessing
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from hashlib import blake2b
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Protocol, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.errors import WeightsError
from tabellion.learn.corpora import corpora_root

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
