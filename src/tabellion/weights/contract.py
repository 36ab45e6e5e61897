"""What a weights file promises to the code that runs it: its version, and the names of the numbers it was learned on.

In: what was loaded from a file, and the names that the caller computes. Out: nothing, or a `WeightsError` that says
what to do. Weights that were learned on other numbers, or on the same in another order, would score nonsense without
a word; so every file carries the names, and loading compares them.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.errors import WeightsError

VERSION = 1
"""Of the form of the files. It grows where old files cannot be read any more; files without one are older than all."""

ANEW = "make them anew with `make train`, or install tabellion again"


class Promise(msgspec.Struct, frozen=True):
    """What a file says of itself."""

    version: int
    inputs: tuple[str, ...]


class Learned(Protocol):
    """Weights of any kind."""

    @property
    def version(self) -> int: ...

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the numbers that are put in, in order."""
        ...


def check_contract(learned: Learned, features: Iterable[str], path: Path) -> None:
    """Refuse weights of another version or of other features than those that the caller computes."""
    fault = find_fault(learned, tuple(features))
    if fault:
        raise WeightsError(f"the weights {path.name} in {path.parent} do not fit this version: {fault}; {ANEW}")


def find_fault(learned: Learned, features: tuple[str, ...]) -> str:
    """In what weights differ from what is computed; empty where they do not.

    >>> from tabellion.weights.linear import Linear
    >>> find_fault(Linear(("size", "head"), (0.5, 0.1), 0.0), ("head", "size"))
    "feature 1 of 2 is 'size', and 'head' is computed"
    """
    if learned.version == VERSION and learned.inputs == features:
        return ""
    if learned.version != VERSION:
        return f"they have version {learned.version or 'none'}, and {VERSION} is read"
    if len(learned.inputs) != len(features):
        return f"they know {len(learned.inputs)} features, and {len(features)} are computed"
    pairs = enumerate(zip(learned.inputs, features, strict=True), 1)
    number, (known, computed) = next((number, pair) for number, pair in pairs if pair[0] != pair[1])
    return f"feature {number} of {len(features)} is {known!r}, and {computed!r} is computed"


Arrays = dict[str, NDArray[Any]]
T = TypeVar("T")


def read_arrays(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """What an `.npz` file says of itself, and its arrays."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            about: dict[str, Any] = msgspec.json.decode(arrays["about"].tobytes())
            return {"version": 0, **about}, {name: arrays[name] for name in arrays.files if name != "about"}
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise unreadable(path) from error


def write_arrays(path: Path, about: dict[str, Any], arrays: Arrays) -> None:
    """An `.npz` file with its own description."""
    told = np.frombuffer(msgspec.json.encode({"version": VERSION, **about}), dtype=np.uint8)
    np.savez_compressed(path, allow_pickle=False, about=told, **arrays)


def read_struct(path: Path, kind: type[T]) -> T:
    """The weights of a `.json` file."""
    try:
        return msgspec.convert({"version": 0, **msgspec.json.decode(path.read_bytes(), type=dict[str, Any])}, kind)
    except (OSError, msgspec.MsgspecError) as error:
        raise unreadable(path) from error


def read_promise(path: Path) -> Promise:
    """What a weights file of any kind says of itself."""
    about = read_arrays(path)[0] if path.suffix == ".npz" else read_struct(path, dict[str, Any])
    return Promise(about["version"], tuple(about.get("inputs") or about.get("features", ())))


def write_struct(path: Path, learned: msgspec.Struct) -> None:
    """A `.json` file, one line for each number, so that changes can be seen."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(learned), indent=0) + b"\n")


def unreadable(path: Path) -> WeightsError:
    """That a file is damaged, or is no weights file."""
    return WeightsError(f"the weights {path.name} in {path.parent} cannot be read: {ANEW}")
