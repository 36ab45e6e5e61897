"""The learned parts: what each writes, which module trains it, and which have to be trained before it.

`stale_parts` tells the parts whose code is newer than the weights of a folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path

import msgspec

from tabellion.learn.code import feature_digest, training_digest
from tabellion.learn.corpora import SHEET_CORPORA, LeftOut
from tabellion.weights import CARD

Target = tuple[Path, LeftOut]
"""A folder, and what its weights must not see."""

Trainer = Callable[[Path, LeftOut], None]
"""Writes its weights and cards into a folder, without having seen what is left out."""

ReadingTrainer = Callable[[Sequence[Target], Path], None]
"""Writes its weights and cards for each target, from readings by the weights under a folder of weights by fold."""


class Part(msgspec.Struct, frozen=True):
    """One learned part. Parts of one group are trained one after the other, since they share what is read."""

    name: str
    group: str
    module: str
    trainer: str
    rooms: tuple[str, ...]  # where its features are told
    weights: tuple[str, ...]

    @property
    def digests(self) -> dict[str, str]:
        """Of the code that tells its features, and of the code that trains it."""
        return {
            "features": feature_digest(self.module, self.rooms),
            "training": training_digest(self.module, self.rooms),
        }

    @property
    def from_readings(self) -> bool:
        """Whether it learns from readings by weights by fold, which then have to be there before."""
        return self.group == READINGS

    def can_leave_out(self, left_out: LeftOut) -> bool:
        """Whether it can be learned without something: layout tables are in one corpus only, others are not learned."""
        if not isinstance(left_out, str):
            return True
        return left_out in LEARNED_FROM[SHEETS if self.from_readings else self.group] and self.name not in ONE_CORPUS

    def train(self, folder: Path, left_out: LeftOut) -> None:
        """Write the weights and their cards into a folder, from all documents but those left out."""
        train: Trainer = getattr(import_module(self.module), self.trainer)
        train(folder, left_out)

    def train_from_readings(self, targets: Sequence[Target], folds: Path) -> None:
        """The same for several folders, from readings by the weights under `folds`."""
        train: ReadingTrainer = getattr(import_module(self.module), self.trainer)
        train(targets, folds)


def _part(name: str, group: str, module: str, trainer: str, rooms: str, weights: str) -> Part:
    inside = tuple(f"tabellion.{room}" for room in rooms.split())
    return Part(name, group, f"tabellion.learn.{module}", trainer, inside, tuple(weights.split()))


SHEETS, WEB, PRINTED, SITES, READINGS = "sheets", "web", "printed", "sites", "readings"

LEARNED_FROM = {
    SHEETS: SHEET_CORPORA,
    WEB: ("webtables", "t2dv2", "wiki-headers"),
    PRINTED: ("icdar2013", "jats", "articles"),
    SITES: ("unified",),
}
"""The corpora that each group of parts learns from."""

ONE_CORPUS = ("genuine", "genuine-drawn", "genuine-paper", "mined-facts", "mined-names", "mined-attributes")
"""Parts that learn what only one corpus tells: which tables are for layout, what websites say of things."""

READ_FIRST = {
    SHEETS: ("sheets.row_examples.row_examples",),
    WEB: ("web.genuine.genuine_examples", "web.headers.header_cases"),
    PRINTED: ("printed.locate.seen_views", "printed.structure.laid_tables"),
    SITES: ("web.mined.site_cases",),
}
"""What reads the documents of a group, before several processes train on them."""

MINED = " ".join(
    f"mine.{name}"
    for name in (
        "slots",
        "template_slots",
        "facts",
        "names",
        "schema",
        "outline",
        "blocks",
        "template",
        "top_down",
        "schema_org",
        "concepts",
    )
)
"""What the features of mined sites are told by; how sites are fetched is no part of it."""

PARTS: dict[str, Part] = {
    part.name: part
    for part in (
        _part("rows", SHEETS, "sheets.rows", "train_rows", "label.rows label.papers", "rows rows_crf rows_paper"),
        _part("edges", SHEETS, "sheets.edges", "train_edges", "label", "edges-top edges-bottom"),
        _part("columns", SHEETS, "sheets.columns", "train_columns", "label", "columns"),
        _part("parents", SHEETS, "sheets.parents", "train_parents", "nest",
              "left_parents left_parents_paper top_parents top_parents_paper"),
        _part("genuine", WEB, "web.genuine", "train_genuine", "locate.web locate.papers", "genuine"),
        _part("genuine-drawn", WEB, "web.genuine", "train_genuine_drawn",
              "locate.web locate.papers locate.rendered", "genuine_drawn"),
        _part("genuine-paper", WEB, "web.genuine_paper", "train_genuine_paper", "locate.papers",
              "genuine_words genuine_tree genuine_svm"),
        _part("web-headers", WEB, "web.headers", "train_web_headers", "label.pages label.papers",
              "web_header_rows web_header_columns"),
        _part("printed-locate", PRINTED, "printed.locate", "train_printed_locate", "locate.printed",
              "printed-pieces-first printed-pieces printed-level-cuts printed-upright-cuts printed-regions"),
        _part("printed-structure", PRINTED, "printed.structure", "train_printed_structure", "recognise.printed",
              "printed-rivers-first printed-rivers printed-spans printed-joins printed-rows"),
        _part("printed-headers", PRINTED, "printed.headers", "train_printed_headers", "label.pages recognise.printed",
              "printed_header_rows"),
        _part("mined-facts", SITES, "web.mined", "train_facts", MINED, "mined_facts"),
        _part("mined-names", SITES, "web.mined", "train_names", MINED, "mined_names"),
        _part("mined-attributes", SITES, "web.mined", "train_attributes", MINED, "mined_attributes"),
        _part("confidence", READINGS, "sheets.confidence", "train_confidence", "label", "confidence"),
    )
}  # fmt: skip
"""In the order in which they are trained, so that a later one may stand on an earlier one's weights."""


def part_of(weights: str) -> Part | None:
    """The part that writes weights of a name."""
    return next((part for part in PARTS.values() if weights in part.weights), None)


class Stale(msgspec.Struct, frozen=True):
    """A weights file that does not come from the code as it is, and why."""

    part: str
    weights: str
    why: str


def stale_weights(folder: Path) -> Iterator[Stale]:
    """The files of a folder whose features or training changed since they were made."""
    for part in PARTS.values():
        wanted = part.digests
        for name in part.weights:
            card = folder / f"{name}{CARD}"
            if not card.exists():
                yield Stale(part.name, name, "has no card")
                continue
            told = msgspec.json.decode(card.read_bytes(), type=dict[str, object])
            changed = [what for what, digest in wanted.items() if told.get(what) != digest]
            if changed:
                yield Stale(part.name, name, f"{' and '.join(changed)} changed since it was made")
