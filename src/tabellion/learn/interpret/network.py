"""The network in PyTorch, for training: the same sums as `weights/network.py` does with numpy, in batches.

In: batches of evidence and targets. Out: losses, and in the end the arrays of a `weights.Network`. PyTorch is needed
only here and is no dependency of the project; `make train` says so where it is missing.
"""

# mypy: ignore-errors
from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from tabellion.interpret import relations as rel
from tabellion.interpret.evidence import CODES, FEATURES, Evidence
from tabellion.interpret.targets import FLAGS, POINTERS, ROLES, VALUE
from tabellion.interpret.wording import HASHES, PIECES
from tabellion.learn.interpret.draft import Targets
from tabellion.weights.network import SHARE

_MULTIPLE = 32  # batches are padded to a multiple of so many tokens
_FAR = -9
_LOSSES = {
    "role": 1.0,
    POINTERS[0]: 1.0,
    POINTERS[1]: 0.3,
    POINTERS[2]: 0.3,
    POINTERS[3]: 1.2,
    "derived": 0.2,
    "key": 0.2,
}
_VALUE_WEIGHT = 0.35  # of the role of a value: there are many, and most are easy
_PARENT_WEIGHT = 1.5  # of a label that has a parent


class Shape(NamedTuple):
    """The sizes of a network: 3.7 million numbers."""

    width: int = 192
    layers: int = 6
    heads: int = 8
    embed: int = 96
    pointer: int = 48
    dropout: float = 0.15


class Fading(NamedTuple):
    """What is taken away at random in training, so that the network learns to do without."""

    words: float = 0.12  # the words of a token, and each piece half as often
    all_words: float = 0.2  # the words of a whole sheet
    feature: float = 0.08  # a feature of a whole sheet
    relation: float = 0.05  # a relation of a whole sheet


NOTHING_FADES = Fading(0, 0, 0, 0)


class Batch(NamedTuple):
    pieces: Tensor
    features: Tensor
    codes: Tensor
    mask: Tensor
    role: Tensor
    pointers: Tensor
    flags: Tensor

    def to(self, device: str) -> Batch:
        return Batch(*(one.to(device, non_blocking=True) for one in self))


def collate(samples: list[tuple[Evidence, Targets]]) -> Batch:
    """Samples as one batch, padded; the null token comes first."""
    longest = max(len(evidence) for evidence, _ in samples) + 1
    size = (longest + _MULTIPLE - 1) // _MULTIPLE * _MULTIPLE
    count = len(samples)
    pieces = np.zeros((count, size, PIECES), dtype=np.int16)
    features = np.zeros((count, size, len(FEATURES)), dtype=np.uint8)
    codes = np.full((len(CODES), count, size), _FAR, dtype=np.int16)
    mask = np.zeros((count, size), dtype=bool)
    role = np.full((count, size), -1, dtype=np.int16)
    flags = np.full((len(FLAGS), count, size), -1, dtype=np.int16)
    pointers = np.full((len(POINTERS), count, size), -1, dtype=np.int16)
    for at, (evidence, targets) in enumerate(samples):
        held = slice(1, len(evidence) + 1)
        pieces[at, held], features[at, held], mask[at, : len(evidence) + 1] = evidence.pieces, evidence.features, True
        for number, name in enumerate(CODES):
            codes[number, at, held] = evidence.codes[name]
        role[at, held], flags[:, at, held], pointers[:, at, held] = targets.role, targets.flags, targets.pointers
    return Batch(*(torch.from_numpy(one) for one in (pieces, features, codes, mask, role, pointers, flags)))


def _relations(codes: Tensor, mask: Tensor, dtype: torch.dtype) -> Tensor:
    """(batch, relations, tokens, tokens), as `interpret/relations.py` defines them."""
    named = {name: codes[number].to(torch.int32) for number, name in enumerate(CODES)}
    batch, size = mask.shape
    real = mask.clone()
    real[:, 0] = False
    both = real[:, None, :] & real[:, :, None]
    found = torch.zeros(batch, len(rel.RELATIONS), size, size, dtype=dtype, device=mask.device)

    def apart(name: str) -> Tensor:
        return named[name][:, None, :] - named[name][:, :, None]

    rows, columns = apart("row"), apart("column")
    one_row, one_column = rows == 0, columns == 0
    bucket = torch.bucketize
    groups = [
        (bucket(rows, torch.tensor(rel.ROWS_APART, device=mask.device), right=True), both),
        (bucket(columns, torch.tensor(rel.COLUMNS_APART, device=mask.device), right=True), both),
        (apart("row_rank").clamp(-rel.ROW_RANK, rel.ROW_RANK) + rel.ROW_RANK, both & one_row),
        (apart("column_rank").clamp(-rel.COLUMN_RANK, rel.COLUMN_RANK) + rel.COLUMN_RANK, both & one_column),
        (apart("row_band").abs().clamp(max=rel.ROW_BANDS), both),
        (apart("column_band").abs().clamp(max=rel.COLUMN_BANDS), both),
        (torch.sign(apart("indent")) + 1, both & one_column),
    ]
    start = 0
    for (code, where), count in zip(groups, rel.GROUPS.values(), strict=True):
        numbers = torch.arange(count, device=mask.device, dtype=code.dtype).view(1, count, 1, 1)
        found[:, start : start + count] = (code[:, None] == numbers) & where[:, None]
        start += count
    above, at, row = rows < 0, named["column"][:, :, None], named["row"][:, None, :]
    first, last, spread = (named[n][:, None, :] for n in ("first_column", "last_column", "spread_to"))
    covered = above & (first <= at) & (last >= at) & (last > first)
    spread_over = above & (first <= at) & (spread >= at)
    summed = (named["run_first"][:, :, None] <= row) & (row <= named["run_last"][:, :, None]) & one_column
    flags = [apart(name) == 0 for name in ("look", "kind", "text")]
    flags += [covered, covered.transpose(1, 2), spread_over, spread_over.transpose(1, 2)]
    tokens = torch.arange(size, device=mask.device, dtype=torch.int32)[None, None, :]
    for name in rel.LABELS_ABOVE:
        pointed = (named[name][:, :, None] == tokens) & (tokens > 0)
        flags += [pointed, pointed.transpose(1, 2)]
    flags += [summed, summed.transpose(1, 2)]
    flags += [one_column & (apart("row_band") == 0), one_row & (apart("column_band") == 0)]
    for flag in flags:
        found[:, start] = flag & both
        start += 1
    found[:, start, :, 0] = 1
    found[:, start + 1, 0, :] = 1
    return found


class Layer(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width = shape.width
        self.heads = shape.heads
        self.n1, self.n2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.drop = nn.Dropout(shape.dropout)

    def forward(self, hidden: Tensor, bias: Tensor) -> Tensor:
        batch, count, width = hidden.shape
        mixed = self.qkv(self.n1(hidden)).view(batch, count, 3, self.heads, width // self.heads)
        asked, offered, said = mixed.permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(asked, offered, said, attn_mask=bias.to(asked.dtype))
        hidden = hidden + self.drop(self.out(seen.transpose(1, 2).reshape(batch, count, width)))
        return hidden + self.drop(self.down(F.gelu(self.up(self.n2(hidden)), approximate="tanh")))


class TrainedNetwork(nn.Module):
    """The network; `forward` gives logits of roles with the flags behind them, and of pointers."""

    def __init__(self, shape: Shape = Shape()) -> None:
        super().__init__()
        self.shape = shape
        width = shape.width
        self.embed = nn.Embedding(HASHES, shape.embed)
        nn.init.normal_(self.embed.weight, 0, 0.3)
        self.words, self.features = nn.Linear(shape.embed, width), nn.Linear(len(FEATURES), width)
        self.null = nn.Parameter(torch.zeros(width))
        self.n0, self.nf = nn.LayerNorm(width), nn.LayerNorm(width)
        count = shape.layers * shape.heads + len(POINTERS)
        self.relations = nn.Parameter(torch.randn(count, len(rel.RELATIONS)) * 0.02)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.role1, self.role2 = nn.Linear(width, width), nn.Linear(width, len(ROLES) + len(FLAGS))
        self.ask, self.offer = (nn.Linear(width, len(POINTERS) * shape.pointer) for _ in range(2))

    def forward(self, batch: Batch, fading: Fading = NOTHING_FADES) -> tuple[Tensor, Tensor]:
        dtype = torch.bfloat16 if batch.pieces.is_cuda else torch.float32
        count, size = batch.mask.shape
        pieces = batch.pieces.long()
        on = pieces > 0
        if fading.words:
            on = on & (torch.rand(count, size, 1, device=on.device) > fading.words)
            on = on & (torch.rand(on.shape, device=on.device) > fading.words / 2)
            on = on & (torch.rand(count, 1, 1, device=on.device) > fading.all_words)
        words = (self.embed(pieces) * on[..., None]).sum(2) / on.sum(2, keepdim=True).clamp(min=1).sqrt()
        shown = batch.features.to(dtype)
        shown = torch.where(shown > 1, shown / SHARE, shown)
        if fading.feature:
            shown = shown * (torch.rand(count, 1, shown.shape[-1], device=on.device) > fading.feature)
        hidden = self.n0(self.words(words.to(dtype)) + self.features(shown))
        hidden = torch.cat([self.null.to(hidden.dtype).expand(count, 1, -1), hidden[:, 1:]], 1)
        with torch.no_grad():
            relations = _relations(batch.codes, batch.mask, dtype).view(count, len(rel.RELATIONS), size * size)
            if fading.relation:
                relations *= torch.rand(count, len(rel.RELATIONS), 1, device=on.device) > fading.relation
        bias = torch.matmul(self.relations.to(dtype), relations).view(count, -1, size, size)
        absent = torch.zeros(count, 1, 1, size, dtype=dtype, device=bias.device)
        absent = absent.masked_fill(~batch.mask[:, None, None, :], -1e4)
        heads = self.shape.heads
        for number, layer in enumerate(self.layers):
            hidden = layer(hidden, bias[:, number * heads : (number + 1) * heads] + absent)
        hidden = self.nf(hidden)
        roles = self.role2(F.gelu(self.role1(hidden), approximate="tanh"))
        asked, offered = (
            made.view(count, size, len(POINTERS), -1).transpose(1, 2) for made in (self.ask(hidden), self.offer(hidden))
        )
        pointers = torch.matmul(asked, offered.transpose(-1, -2)) * self.shape.pointer**-0.5
        return roles.float(), (pointers + bias[:, -len(POINTERS) :] + absent).float()

    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays of `weights.Network`."""
        state = {name: value.detach().float().cpu().numpy() for name, value in self.state_dict().items()}
        found = {
            "embed": state["embed.weight"], "null": state["null"], "relations": state["relations"],
            "words.w": state["words.weight"].T, "features.w": state["features.weight"].T,
            "start.b": state["words.bias"] + state["features.bias"],
        }  # fmt: skip
        for name in ("n0", "nf"):
            found[f"{name}.w"], found[f"{name}.b"] = state[f"{name}.weight"], state[f"{name}.bias"]
        for name in ("role1", "role2", "ask", "offer"):
            found[f"{name}.w"], found[f"{name}.b"] = state[f"{name}.weight"].T, state[f"{name}.bias"]
        for number in range(self.shape.layers):
            for name in ("n1", "n2", "qkv", "out", "up", "down"):
                weight, own = state[f"layers.{number}.{name}.weight"], f"{number}.{name}"
                found[f"{own}.w"] = weight if weight.ndim == 1 else weight.T
                found[f"{own}.b"] = state[f"layers.{number}.{name}.bias"]
        return found


def losses(roles: Tensor, pointers: Tensor, batch: Batch) -> tuple[Tensor, dict[str, tuple[Tensor, Tensor]]]:
    """The loss, and of each part its loss and the share that is right; every sheet counts alike."""
    count, size = batch.mask.shape

    def one(logits: Tensor, wanted: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
        flat = F.cross_entropy(logits.reshape(count * size, -1), wanted.reshape(-1).clamp(min=0), reduction="none")
        asked = wanted >= 0
        weight = weight * asked
        of_sheet = (flat.view(count, size) * weight).sum(1) / weight.sum(1).clamp(min=1)
        right = ((logits.argmax(-1) == wanted) & asked).sum() / asked.sum().clamp(min=1)
        return of_sheet.sum() / asked.any(1).sum().clamp(min=1), right

    wanted = batch.role.long()
    found = {"role": one(roles[..., : len(ROLES)], wanted, torch.where(wanted == VALUE, _VALUE_WEIGHT, 1.0))}
    for number, name in enumerate(POINTERS):
        wanted = batch.pointers[number].long()
        weight = torch.where(wanted > 0, _PARENT_WEIGHT, 1.0) if name == POINTERS[3] else torch.ones_like(wanted)
        found[name] = one(pointers[:, number], wanted, weight.float())
    for number, name in enumerate(FLAGS):
        odds = roles[..., len(ROLES) + number]
        both = torch.stack([torch.zeros_like(odds), odds], -1)
        found[name] = one(both, batch.flags[number].long(), torch.ones_like(odds))
    return sum(_LOSSES[name] * loss for name, (loss, _) in found.items()), found
