"""The learned parts: what each writes, which module trains it, and which have to be trained before it.

`stale_weights` tells the files of a folder whose code is newer than they are, `Part.lacking` what a part cannot be
trained without.

The code that a part depends on is told as one short digest each for its features and for its training: over the modules
that its trainer imports, directly or not, within those rooms (features) and within `learn` (training). Only what runs
counts: comments, docstrings, annotations, imports and the layout of the text are left out, so that weights do not grow
old where nothing changed for them. What reading, numbers and the model do is not part of it: it would make every
weights file depend on nearly everything.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import msgspec

from tabellion.errors import MissingExtraError
from tabellion.learn.corpora import KIN, SHEET_CORPORA, LeftOut, corpus_folder
from tabellion.read.chromium.process import find_chromium
from tabellion.weights import CARD

ROOT = Path(__file__).parents[1]
WORDS = ("tabellion.values.vocabulary", "tabellion.values.words")  # words are features wherever they are asked for
LEARNING = "tabellion.learn"
BESIDE = ("cards", "corpora", "measuring", "memory", "parts", "scoring", "training", "__main__")
"""Modules of `learn` that say what was made, and do not change it."""

_SILENT = frozenset(("annotation", "returns", "type_comment", "type_params", "kind", "ctx"))
_DIGITS = 16


def feature_digest(trainer: str, rooms: tuple[str, ...]) -> str:
    """Of the code that tells what is learned on."""
    return _digest(name for name in modules_of(trainer, rooms) if not _under(name, LEARNING))


def training_digest(trainer: str, rooms: tuple[str, ...]) -> str:
    """Of the code that learns."""
    return _digest(name for name in modules_of(trainer, rooms) if _under(name, LEARNING))


@lru_cache(maxsize=64)
def room_digest(*rooms: str) -> str:
    """Of all the code in some rooms."""
    names = [
        ".".join(("tabellion", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
        for path in ROOT.rglob("*.py")
    ]
    return _digest(iter(sorted(name for name in names if any(_under(name, room) for room in rooms))))


@lru_cache(maxsize=64)
def modules_of(trainer: str, rooms: tuple[str, ...]) -> tuple[str, ...]:
    """The modules that a trainer needs, by name, itself included; of the stages those in `rooms`."""
    found: set[str] = set()
    open_names = [trainer]
    while open_names:
        name = open_names.pop()
        if name not in found:
            found.add(name)
            open_names += [other for other in imports_of(name) if _counts(other, rooms)]
    return tuple(sorted(found))


def _counts(name: str, rooms: tuple[str, ...]) -> bool:
    if _under(name, LEARNING):
        parts = name.split(".")
        return len(parts) > 2 and parts[2] not in BESIDE and parts[-1] != "measure"
    return any(_under(name, room) for room in (*rooms, *WORDS))


def _under(name: str, room: str) -> bool:
    return name == room or name.startswith(f"{room}.")


@lru_cache(maxsize=1024)
def imports_of(name: str) -> tuple[str, ...]:
    """The modules of tabellion that a module imports."""
    found: list[str] = []
    for node in ast.walk(_tree(name)):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [module if _path(module) else node.module for module in inner]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
    return tuple(module for module in dict.fromkeys(found) if _under(module, "tabellion") and _path(module))


def _path(name: str) -> Path | None:
    base = ROOT.joinpath(*name.split(".")[1:])
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


@lru_cache(maxsize=1024)
def _tree(name: str) -> ast.Module:
    path = _path(name)
    return ast.parse(path.read_text(encoding="utf-8") if path else "")


def _digest(names: Iterator[str]) -> str:
    told = sha256()
    for name in names:
        told.update(f"{name}\n{outline(_tree(name))}\n".encode())
    return told.hexdigest()[:_DIGITS]


def outline(node: ast.AST) -> str:
    r"""What a piece of code does, whatever it looks like.

    >>> one = ast.parse("def f(x: int) -> int:\n    'Twice.'\n    return 2 * x  # why")
    >>> other = ast.parse("def f(x): return (2*x)")
    >>> outline(one) == outline(other)
    True
    """
    told = [type(node).__name__]
    for name, value in ast.iter_fields(node):
        if name in _SILENT or value is None or value == []:
            continue
        if isinstance(value, ast.AST):
            told.append(f"{name}={outline(value)}")
        elif isinstance(value, list):
            kept = [outline(one) if isinstance(one, ast.AST) else repr(one) for one in value if not _is_silent(one)]
            told.append(f"{name}=[{','.join(kept)}]")
        else:
            told.append(f"{name}={value!r}")
    return f"({' '.join(told)})"


def _is_silent(node: object) -> bool:
    """Whether a statement only explains: a docstring, an import."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return isinstance(node, ast.Import | ast.ImportFrom)


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

    def lacking(self) -> str | None:
        """Why it cannot be trained here: a corpus that is not there, or no Chromium where pages are drawn."""
        corpora = NEEDED[SHEETS if self.from_readings else self.group]
        absent = [corpus for corpus in corpora if corpus_folder(corpus) is None]
        if absent:
            return f"no corpus {' nor '.join(absent)} (docs/corpora.md)"
        if self.name in DRAWN:
            try:
                find_chromium()
            except MissingExtraError:
                return "no Chromium, which draws the pages (Debian: apt-get install chromium)"
        return None

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

NEEDED = {**LEARNED_FROM, SHEETS: (*SHEET_CORPORA, *KIN), SITES: ("unified", "swde", "recipes")}
"""All that has to be there to train them."""

DRAWN = ("genuine-drawn",)
"""Parts that learn from pages as Chromium draws them."""

ONE_CORPUS = ("genuine", "genuine-drawn", "genuine-paper", "mined-facts", "mined-names", "mined-attributes")
"""Parts that learn what only one corpus tells: which tables are for layout, what websites say of things."""

READ_FIRST = {
    SHEETS: ("sheets.rows.row_examples",),
    WEB: ("web.tables.genuine_examples", "web.tables.header_cases"),
    PRINTED: ("printed.locate.seen_views", "printed.structure.laid_tables"),
    SITES: ("web.mined.site_cases",),
}
"""What reads the documents of a group, before several processes train on them."""

DRAWN_FIRST = "web.tables.drawn_examples"
"""What draws the pages, once, where a part learns from them."""

MINED = (
    "mine.slots mine.facts mine.names mine.schema mine.outline mine.blocks mine.template mine.schema_org mine.labels"
)
"""What the features of mined sites are told by; how sites are fetched is no part of it."""

PARTS: dict[str, Part] = {
    part.name: part
    for part in (
        _part("rows", SHEETS, "sheets.rows", "train_rows", "label.rows label.papers", "rows rows_crf rows_paper"),
        _part("edges", SHEETS, "sheets.frames", "train_edges", "label", "edges-top edges-bottom"),
        _part("columns", SHEETS, "sheets.frames", "train_columns", "label", "columns"),
        _part("parents", SHEETS, "sheets.parents", "train_parents", "nest",
              "left_parents left_parents_paper top_parents top_parents_paper"),
        _part("genuine", WEB, "web.tables", "train_genuine", "locate.web locate.papers", "genuine"),
        _part("genuine-drawn", WEB, "web.tables", "train_genuine_drawn",
              "locate.web locate.papers locate.rendered", "genuine_drawn"),
        _part("genuine-paper", WEB, "web.genuine_paper", "train_genuine_paper", "locate.papers",
              "genuine_words genuine_tree genuine_svm"),
        _part("web-headers", WEB, "web.tables", "train_web_headers", "label.pages label.papers",
              "web_header_rows web_header_columns"),
        _part("printed-locate", PRINTED, "printed.locate", "train_printed_locate", "locate.printed",
              "printed-pieces-first printed-pieces printed-level-cuts printed-upright-cuts printed-regions"),
        _part("printed-structure", PRINTED, "printed.structure", "train_printed_structure", "recognise.printed",
              "printed-rivers-first printed-rivers printed-spans printed-joins printed-rows"),
        _part("printed-headers", PRINTED, "printed.structure", "train_printed_headers", "label.pages recognise.printed",
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
