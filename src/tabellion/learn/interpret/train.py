"""Training the network: made sheets first, then made and real ones together.

In: drafts of hand-read sheets (`gather.py`), and seconds. Out: `reader.npz`, weights for `interpret`. Sheets are made
and varied by processes beside the training, so that hardly any is seen twice. Run on a machine with a GPU:

    python -m tabellion.learn.interpret.train drafts.pkl.xz OUT --seconds 600 [--hold 6]
"""

# mypy: ignore-errors
from __future__ import annotations

import argparse
import copy
import lzma
import math
import os
import pickle
import time
import zlib
from bisect import bisect_left
from itertools import accumulate
from pathlib import Path
from random import Random

import torch
from torch import multiprocessing

from tabellion.interpret.evidence import FEATURES, gather_evidence
from tabellion.interpret.relations import RELATIONS
from tabellion.interpret.targets import FLAGS
from tabellion.learn.interpret.compose import Bank, compose_sheet
from tabellion.learn.interpret.draft import Draft, grid_of, targets_of
from tabellion.learn.interpret.network import Fading, Shape, TrainedNetwork, collate, losses
from tabellion.learn.interpret.vary import vary
from tabellion.weights.network import Network

WEIGHT = {
    "office-make": 1.0,
    "office-own": 0.9,
    "published-make": 1.3,
    "published-own": 1.2,
    "pages-make": 0.6,
    "hitab-top": 0.15,
    "xmltables": 0.02,
}
"""How often a sheet of a corpus is drawn; of many alike each counts little."""

MADE, BOTH, REAL = range(3)
_SHARE_REAL = {MADE: 0.0, BOTH: 0.6, REAL: 0.7}
_PAIRS = 2_000_000  # pairs of tokens in a batch
_LONGEST = 1_000  # tokens of a sheet
_TOGETHER = 192  # sheets made at a time and sorted by length
_KEPT = 0.998  # of the running mean of weights, a step


def is_held(draft_key: str, hold: int) -> bool:
    """Whether a publisher is held out of training: one in so many."""
    return bool(hold) and zlib.crc32(draft_key.encode()) % hold == 0


def make_batches(queue, phase, seed: int, path: str, hold: int) -> None:
    """Put batches into a queue for ever."""
    torch.set_num_threads(1)
    random = Random(seed)  # noqa: S311
    drafts = [(draft, weight) for draft, key, weight in load_drafts(path) if not is_held(key, hold)]
    cumulated = list(accumulate(weight for _, weight in drafts))
    real = [draft for draft, _ in drafts]
    bank = Bank.of(real)
    while True:
        now = phase.value
        samples = []
        for _ in range(_TOGETHER):
            try:
                if random.random() < _SHARE_REAL[now]:
                    draft = vary(real[bisect_left(cumulated, random.random() * cumulated[-1])], random, bank, real)
                else:
                    draft = compose_sheet(random, bank)
                sample = make_sample(draft)
            except Exception as error:
                if random.random() < 0.01:
                    print("a sheet could not be made:", repr(error)[:300], flush=True)
                continue
            if sample is not None:
                samples.append(sample)
        samples.sort(key=lambda one: len(one[0]) * random.uniform(0.85, 1.15))
        batches, current, longest = [], [], 0
        for sample in samples:
            size = len(sample[0]) + 1
            if current and max(longest, size) ** 2 * (len(current) + 1) > _PAIRS:
                batches.append(current)
                current, longest = [], 0
            current.append(sample)
            longest = max(longest, size)
        batches.append(current)
        random.shuffle(batches)
        for batch in filter(None, batches):
            queue.put((now, collate(batch)))


def make_sample(draft: Draft):
    """Evidence and targets of a draft; None of one that is empty, or too long for a batch."""
    if len(draft.cells) < 3:
        return None
    grid = grid_of(draft)
    evidence = gather_evidence(grid)
    return (evidence, targets_of(draft, grid, evidence)) if len(evidence) <= _LONGEST else None


def load_drafts(path: str) -> list[tuple[Draft, str, float]]:
    """Drafts, each with what is held out together with it and its weight."""
    with lzma.open(path) as file:
        gathered: dict[str, list[tuple[Draft, str]]] = pickle.load(file)  # noqa: S301
    return [(draft, key, WEIGHT[corpus]) for corpus, held in gathered.items() for draft, key in held]


def train(path: str, out: Path, seconds: float, hold: int, device: str, workers: int, seed: int, shape: Shape) -> None:
    torch.manual_seed(seed)
    phase, queue = multiprocessing.Value("i", MADE), multiprocessing.Queue(maxsize=60)
    makers = [
        multiprocessing.Process(target=make_batches, args=(queue, phase, 1000 * seed + n, path, hold), daemon=True)
        for n in range(workers)
    ]
    for maker in makers:
        maker.start()
    held = [make_sample(draft) for draft, key, _ in load_drafts(path) if is_held(key, hold)]
    held = sorted((one for one in held if one), key=lambda one: len(one[0]))
    checks = [collate(held[at : at + 4]) for at in range(0, len(held), 4)]
    network = TrainedNetwork(shape).to(device)
    mean = copy.deepcopy(network).eval()
    flat = [one for one in network.parameters() if one.ndim <= 1]
    square = [one for one in network.parameters() if one.ndim > 1]
    groups = [{"params": square, "weight_decay": 0.06}, {"params": flat, "weight_decay": 0.0}]
    rate = 1.2e-3
    optimizer = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), fused=device != "cpu")
    print("numbers", sum(one.numel() for one in network.parameters()), "checks", len(held), flush=True)
    start, step, sheets, shown = time.time(), 0, 0, 0.0
    waited = 0.0
    while (passed := (time.time() - start) / seconds) < 1:
        phase.value = MADE if passed < 0.2 else BOTH if passed < 0.8 else REAL
        asked = time.time()
        now, batch = queue.get()
        waited += time.time() - asked
        if now < phase.value - 1:
            continue
        batch = batch.to(device)
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1, (step + 1) / 200) * (0.5 * (1 + math.cos(math.pi * passed)) * 0.97 + 0.03)
        network.train()
        with torch.autocast("cuda", torch.bfloat16, enabled=device != "cpu"):
            roles, pointers = network(batch, Fading())
        loss, parts = losses(roles, pointers, batch)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        with torch.no_grad():
            keep = min(_KEPT, (step + 1) / (step + 10))
            torch._foreach_lerp_(list(mean.parameters()), list(network.parameters()), 1 - keep)
        step, sheets = step + 1, sheets + len(batch.mask)
        if time.time() - shown > max(20.0, seconds / 20):
            shown = time.time()
            line = " ".join(f"{name.split()[-1]} {loss:.3f}/{right:.3f}" for name, (loss, right) in parts.items())
            print(f"{shown - start:.0f} s, step {step}, {sheets} sheets, waited {waited:.0f}: {line}", flush=True)
            print("   held out:", check(mean, checks, device), flush=True)
    print("end:", sheets, "sheets;", check(mean, checks, device), flush=True)
    out.mkdir(parents=True, exist_ok=True)
    Network.of((*FEATURES, *RELATIONS), shape.heads, len(FLAGS), mean.arrays()).save(out / "reader.npz")
    for maker in makers:
        maker.terminate()


def check(network: TrainedNetwork, batches, device: str) -> str:
    """The losses and shares right on what is held out."""
    network.eval()
    found: dict[str, list[tuple[float, float]]] = {}
    with torch.no_grad():
        for batch in batches:
            batch = batch.to(device)
            with torch.autocast("cuda", torch.bfloat16, enabled=device != "cpu"):
                outputs = network(batch)
            for name, (loss, right) in losses(*outputs, batch)[1].items():
                found.setdefault(name, []).append((float(loss), float(right)))
    means = {name: [sum(part) / len(part) for part in zip(*values, strict=True)] for name, values in found.items()}
    return " ".join(f"{name.split()[-1]} {loss:.3f}/{right:.3f}" for name, (loss, right) in means.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("drafts")
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--hold", type=int, default=0, help="hold one publisher in so many out")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--width", type=int, default=Shape().width)
    parser.add_argument("--layers", type=int, default=Shape().layers)
    args = parser.parse_args()
    shape = Shape(width=args.width, layers=args.layers)
    train(args.drafts, args.out, args.seconds, args.hold, args.device, args.workers, args.seed, shape)


if __name__ == "__main__":
    multiprocessing.set_start_method("fork", force=True)
    main()
