"""A small transformer over the cells of a grid, run with numpy on one core.

In: the hashed pieces and features of each token, and the relations of each pair. Out: log probabilities of each token's
role, of its flags, and for each pointer of the token that it points to (0: none). Attention and pointers get a bias
from the relations. The sizes are those of the arrays. Trained with PyTorch (`learn/interpret`), kept as half floats.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.weights.contract import VERSION, Arrays, read_arrays, write_arrays

Floats = NDArray[np.float32]
Codes = NDArray[np.intp]
SHARE = 100.0  # a feature above 1 is a share in hundredths


class Outputs(NamedTuple):
    """Log probabilities: `roles` (tokens, roles), `pointers` (pointers, tokens, tokens and none), `flags`."""

    roles: Floats
    pointers: Floats
    flags: Floats


class Network(msgspec.Struct, frozen=True, eq=False):
    """The arrays of a trained network, and the names of its features, relations, roles and pointers, in order."""

    version: int
    inputs: tuple[str, ...]
    heads: int
    flags: int
    calibration: tuple[float, ...]
    arrays: dict[str, Floats]

    @classmethod
    def load(cls, path: Path) -> Network:
        about, arrays = read_arrays(path)
        wide = {name: values.astype(np.float32) for name, values in arrays.items()}
        sizes = about["heads"], about["flags"]
        return cls(about["version"], tuple(about["inputs"]), *sizes, tuple(about["calibration"]), wide)

    @classmethod
    def of(cls, inputs: tuple[str, ...], heads: int, flags: int, arrays: Arrays) -> Network:
        """A network from arrays just trained."""
        return cls(VERSION, inputs, heads, flags, (), {k: v.astype(np.float32) for k, v in arrays.items()})

    def save(self, path: Path) -> None:
        about = {"inputs": self.inputs, "heads": self.heads, "flags": self.flags, "calibration": self.calibration}
        write_arrays(path, about, {name: values.astype(np.float16) for name, values in self.arrays.items()})

    def run(
        self,
        pieces: NDArray[np.int16],
        features: NDArray[np.uint8],
        groups: list[NDArray[np.int32]],
        flags: list[NDArray[np.bool_]],
    ) -> Outputs:
        """The outputs for the tokens of one grid; `groups` and `flags` as the relations' order has them."""
        weights = self.arrays
        count, codes = len(pieces), self._codes(groups, flags)
        on = pieces > 0
        words = (weights["embed"][pieces] * on[..., None]).sum(axis=1)
        words /= np.sqrt(np.maximum(on.sum(axis=1), 1))[:, None]
        shown = features.astype(np.float32)
        shown[shown > 1] /= SHARE
        hidden = _normed(words @ weights["words.w"] + shown @ weights["features.w"] + weights["start.b"], weights, "n0")
        hidden = np.concatenate([weights["null"][None, :], hidden])
        layer = 0
        while f"{layer}.qkv.w" in weights:
            bias = self._bias(count, codes, layer * self.heads, (layer + 1) * self.heads)
            hidden = self._layer(hidden, bias, layer)
            layer += 1
        hidden = _normed(hidden, weights, "nf")
        tokens = hidden[1:]
        inner = _gelu(tokens @ weights["role1.w"] + weights["role1.b"])
        found = inner @ weights["role2.w"] + weights["role2.b"]
        last = len(weights["relations"])
        pointers = self._pointers(hidden, self._bias(count, codes, layer * self.heads, last))
        roles, odds = found[:, : -self.flags], found[:, -self.flags :]
        return Outputs(_log_softmax(roles), pointers, -np.logaddexp(0, -odds))

    def _layer(self, hidden: Floats, bias: Floats, layer: int) -> Floats:
        weights = self.arrays
        count, width = hidden.shape
        size = width // self.heads
        normed = _normed(hidden, weights, f"{layer}.n1")
        mixed = (normed @ weights[f"{layer}.qkv.w"] + weights[f"{layer}.qkv.b"]).reshape(count, 3, self.heads, size)
        asked, offered, said = mixed.transpose(1, 2, 0, 3)
        scores = np.matmul(asked * np.float32(size**-0.5), offered.transpose(0, 2, 1))
        scores += bias
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        seen = np.matmul(scores, said)
        seen /= scores.sum(axis=-1, keepdims=True)
        seen = seen.transpose(1, 0, 2).reshape(count, width)
        hidden = hidden + seen @ weights[f"{layer}.out.w"] + weights[f"{layer}.out.b"]
        inner = _gelu(_normed(hidden, weights, f"{layer}.n2") @ weights[f"{layer}.up.w"] + weights[f"{layer}.up.b"])
        return np.asarray(hidden + inner @ weights[f"{layer}.down.w"] + weights[f"{layer}.down.b"])

    def _pointers(self, hidden: Floats, bias: Floats) -> Floats:
        weights, count = self.arrays, len(hidden)
        asked = (hidden @ weights["ask.w"] + weights["ask.b"]).reshape(count, len(bias), -1).transpose(1, 0, 2)
        offered = (hidden @ weights["offer.w"] + weights["offer.b"]).reshape(count, len(bias), -1).transpose(1, 2, 0)
        scores = np.matmul(asked, offered) * np.float32(asked.shape[-1] ** -0.5) + bias
        return _log_softmax(scores[:, 1:])

    def _codes(self, groups: list[NDArray[np.int32]], flags: list[NDArray[np.bool_]]) -> list[tuple[Floats, Codes]]:
        """Tables of relations that are looked up together, each with the entry of every pair."""
        sizes = (*(size + 1 for size in GROUP_SIZES), *(2 for _ in flags))
        values: list[NDArray[Any]] = [*(group.ravel() + 1 for group in groups), *(flag.ravel() for flag in flags)]
        found = []
        for held, table in _tables(self, sizes):
            code = np.zeros(len(values[0]), dtype=np.intp)
            for at in held:
                code *= sizes[at]
                code += values[at].astype(np.intp)
            found.append((table, code))
        return found

    def _bias(self, count: int, codes: list[tuple[Floats, Codes]], first: int, last: int) -> Floats:
        """The bias of some heads or pointers for each pair, the null token first."""
        relations = self.arrays["relations"][first:last]
        found = np.empty((last - first, count + 1, count + 1), dtype=np.float32)
        held, more = (np.empty(count * count, dtype=np.float32) for _ in range(2))
        for head in range(last - first):
            for number, (table, code) in enumerate(codes):
                np.take(table[first + head], code, out=more if number else held, mode="clip")
                if number:
                    np.add(held, more, out=held)
            found[head, 1:, 1:] = held.reshape(count, count)
        found[:, :, 0] = relations[:, -2][:, None]
        found[:, 0, :] = relations[:, -1][:, None]
        found[:, 0, 0] += relations[:, -2]
        return found


GROUP_SIZES = (15, 11, 7, 9, 4, 3, 3)
_TABLE = 16_384  # entries of a table, so that what is looked up for one head stays close to the processor


@lru_cache(maxsize=2)
def _tables(network: Network, sizes: tuple[int, ...]) -> list[tuple[list[int], Floats]]:
    """Relations that are looked up together, each with a table: (heads and pointers, combinations)."""
    relations = network.arrays["relations"]
    made: list[tuple[list[int], Floats]] = []
    held: list[int] = []
    table = np.zeros((len(relations), 1), dtype=np.float32)
    start = 0
    for at, size in enumerate(sizes):
        if held and table.shape[1] * size > _TABLE:
            made.append((held, table))
            held, table = [], np.zeros((len(relations), 1), dtype=np.float32)
        none = np.zeros((len(relations), 1), dtype=np.float32)  # where no relation of the group holds, or no flag
        weights = np.concatenate([none, relations[:, start : start + size - 1]], axis=1)
        table = (table[:, :, None] + weights[:, None, :]).reshape(len(relations), -1)
        held, start = [*held, at], start + size - 1
    return [*made, (held, table)]


def _normed(values: Floats, weights: dict[str, Floats], name: str) -> Floats:
    centred = values - values.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + 1e-5)
    return np.asarray(centred / spread * weights[f"{name}.w"] + weights[f"{name}.b"])


def _gelu(values: Floats) -> Floats:
    """The tanh form, which needs no error function."""
    inner = values * values
    inner *= np.float32(0.044715)
    inner += 1
    inner *= values
    inner *= np.float32(0.7978845608)
    np.tanh(inner, out=inner)
    inner += 1
    inner *= values
    inner *= np.float32(0.5)
    return inner


def _log_softmax(scores: Floats) -> Floats:
    scores = scores - scores.max(axis=-1, keepdims=True)
    return np.asarray(scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True)))
