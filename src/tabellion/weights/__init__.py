"""Learned files, each with a card, and the small numpy code that runs them.

A weights file is `NAME.npz` (boosted trees) or `NAME.json` (linear and chain weights) beside `NAME.card.json`,
which says what it was trained on, when, and how it scored. Nothing is ever unpickled. A file holds the names of the
features that it was learned on, and is refused where the code computes others (`contract`).
Start with `Weights().boosted("columns", COLUMN_FEATURES)`.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

import msgspec

from tabellion.errors import WeightsError
from tabellion.weights.boosted import Boosted
from tabellion.weights.contract import ANEW, check_contract, find_fault, read_promise, unreadable
from tabellion.weights.linear import Chain, Kernel, Linear, WordGroups
from tabellion.weights.network import Network

SHIPPED = Path(__file__).parent
CARD = ".card.json"


L = TypeVar("L", Boosted, Linear, Chain, Kernel, WordGroups, Network)


class Weights:
    """A folder of learned files. Without a folder: `TABELLION_WEIGHTS`, else those that are shipped.

    Whoever asks for weights names the features that it computes, in order; weights of others are refused.
    """

    def __init__(self, folder: Path | str | None = None) -> None:
        self.folder = Path(folder or os.environ.get("TABELLION_WEIGHTS") or SHIPPED)
        self._found: dict[str, Path] = {}

    def boosted(self, name: str, features: Iterable[str]) -> Boosted:
        """Gradient-boosted trees by name."""
        return _checked(Boosted, self._path(f"{name}.npz"), tuple(features))

    def linear(self, name: str, features: Iterable[str]) -> Linear:
        """A linear classifier with a calibrated probability by name."""
        return _checked(Linear, self._path(f"{name}.json"), tuple(features))

    def chain(self, name: str, features: Iterable[str]) -> Chain:
        """A linear-chain conditional random field by name."""
        return _checked(Chain, self._path(f"{name}.json"), tuple(features))

    def kernel(self, name: str, features: Iterable[str]) -> Kernel:
        """A support vector machine with an RBF kernel by name."""
        return _checked(Kernel, self._path(f"{name}.npz"), tuple(features))

    def words(self, name: str, forms: Iterable[str]) -> WordGroups:
        """What words say of genuine tables, by name, in these forms."""
        return _checked(WordGroups, self._path(f"{name}.npz"), tuple(forms))

    def network(self, name: str, inputs: Iterable[str]) -> Network:
        """A network over the cells of a grid by name; `inputs` are its features and relations."""
        return _checked(Network, self._path(f"{name}.npz"), tuple(inputs))

    def share_a_folder(self, one: str, other: str) -> bool:
        """Whether two ensembles of trees lie in one folder: then they know the same, and neither is of before."""
        return self._path(f"{one}.npz").parent == self._path(f"{other}.npz").parent

    def _path(self, file: str) -> Path:
        found = self._found.get(file)
        if found is None:
            places = (self.folder / file, SHIPPED / file)
            found = next((path for path in places if path in _HELD or path.exists()), None)
            if found is None:
                raise WeightsError(f"no weights {file} in {self.folder}; {ANEW}")
            self._found[file] = found
        return found


def find_outdated(folder: Path) -> str:
    """Why the weights of a folder, learned once, do not fit this version; empty where they do.

    They are held against the shipped ones, which always fit: a file must know what the shipped one of its name knows,
    and where both cards say by which code their features are told, it must be the same.
    """
    for path in sorted((*folder.glob("*.npz"), *folder.glob("*.json"))):
        shipped = SHIPPED / path.name
        if path.name.endswith(CARD):
            continue
        if not shipped.exists():
            return f"{path.name} is not used any more"
        try:
            fault = find_fault(read_promise(path), read_promise(shipped).inputs) or _other_code(path, shipped)
        except WeightsError:
            fault = "cannot be read"
        if fault:
            return f"{path.name}: {fault}"
    return ""


def _other_code(path: Path, shipped: Path) -> str:
    """That the features of two weights files are told by different code, as far as their cards say so."""
    cards = [one.with_name(f"{one.stem}{CARD}") for one in (path, shipped)]
    told = [msgspec.json.decode(card.read_bytes()).get("features") for card in cards if card.exists()]
    return "its features are computed differently now" if len(set(filter(None, told))) > 1 else ""


_HELD: OrderedDict[Path, object] = OrderedDict()
"""What was loaded, the oldest first: loading takes longer than reading a small table."""

_MOST_HELD = 256


def _checked(kind: type[L], path: Path, features: tuple[str, ...]) -> L:
    """The weights of a file, if they were learned on these features."""
    held = _HELD.get(path)
    learned = held if isinstance(held, kind) else _load(kind, path)
    check_contract(learned, features, path)
    return learned


def _load(kind: type[L], path: Path) -> L:
    try:
        learned = kind.load(path)
    except (KeyError, TypeError) as error:
        raise unreadable(path) from error
    _HELD[path] = learned
    while len(_HELD) > _MOST_HELD:
        _HELD.popitem(last=False)
    return learned


def forget_loaded() -> None:
    """Load all weights again when they are asked for: for those who write them anew."""
    _HELD.clear()
