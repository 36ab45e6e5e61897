"""The card beside each weights file: what it was trained on, when, by which code, and how it scored."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from tabellion.learn.corpora import LeftOut, corpora_root
from tabellion.learn.parts import part_of
from tabellion.weights import CARD

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
    root = Path(__file__).parent
    said = [
        subprocess.run(["git", "-C", str(root), *words], check=False, capture_output=True, text=True)  # noqa: S603, S607
        for words in (("rev-parse", "--short=12", "HEAD"), ("status", "--porcelain", "--", "*.py"))
    ]
    if any(one.returncode for one in said):
        return os.environ.get("TABELLION_COMMIT", "")
    return said[0].stdout.strip() + ("+" if said[1].stdout.strip() else "")


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
