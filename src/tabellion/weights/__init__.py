"""Learned files, each with a card, and the small numpy code that runs them.

A weights file is `NAME.npz` (boosted trees) or `NAME.json` (linear and chain weights) beside `NAME.card.json`,
which says what it was trained on, when, and how it scored. Nothing is ever unpickled.
Start with `Weights.boosted("rows")`.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

import msgspec

from tabellion.errors import WeightsError
from tabellion.weights.boosted import Boosted
from tabellion.weights.linear import Chain, Kernel, Linear
from tabellion.weights.words import WordGroups

SHIPPED = Path(__file__).parent


class Weights:
    """A folder of learned files. Without a folder: `TABELLION_WEIGHTS`, else those that are shipped."""

    def __init__(self, folder: Path | str | None = None) -> None:
        self.folder = Path(folder or os.environ.get("TABELLION_WEIGHTS") or SHIPPED)
        self._found: dict[str, Path] = {}

    def boosted(self, name: str) -> Boosted:
        """Gradient-boosted trees by name."""
        return _boosted(self._path(f"{name}.npz"))

    def linear(self, name: str) -> Linear:
        """A linear classifier with a calibrated probability by name."""
        return _linear(self._path(f"{name}.json"))

    def chain(self, name: str) -> Chain:
        """A linear-chain conditional random field by name."""
        return _chain(self._path(f"{name}.json"))

    def kernel(self, name: str) -> Kernel:
        """A support vector machine with an RBF kernel by name."""
        return _kernel(self._path(f"{name}.npz"))

    def words(self, name: str) -> WordGroups:
        """What words say of genuine tables, by name."""
        return _words(self._path(f"{name}.npz"))

    def share_a_folder(self, one: str, other: str) -> bool:
        """Whether two ensembles of trees lie in one folder: then they know the same, and neither is of before."""
        return self._path(f"{one}.npz").parent == self._path(f"{other}.npz").parent

    def _path(self, file: str) -> Path:
        found = self._found.get(file)
        if found is None:
            found = next((path for path in (self.folder / file, SHIPPED / file) if path.exists()), None)
            if found is None:
                raise WeightsError(f"no weights {file} in {self.folder}; `make train` makes them")
            self._found[file] = found
        return found


@lru_cache(maxsize=64)
def _boosted(path: Path) -> Boosted:
    return Boosted.load(path)


@lru_cache(maxsize=64)
def _linear(path: Path) -> Linear:
    return msgspec.json.decode(path.read_bytes(), type=Linear)


@lru_cache(maxsize=64)
def _chain(path: Path) -> Chain:
    return msgspec.json.decode(path.read_bytes(), type=Chain)


@lru_cache(maxsize=16)
def _kernel(path: Path) -> Kernel:
    return Kernel.load(path)


@lru_cache(maxsize=16)
def _words(path: Path) -> WordGroups:
    return WordGroups.load(path)
