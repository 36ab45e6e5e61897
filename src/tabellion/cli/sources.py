"""What the SOURCE arguments of a call name: files, folders, globs, and `-` for standard input.

In: the arguments. Out: one source a document, in the order given. A folder or a glob that holds no document is kept
as it was given, so that it is reported as one that could not be read and never silently dropped.
"""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator
from pathlib import Path

STANDARD_INPUT = "-"
ENDINGS = (
    *(".xlsx", ".xlsm", ".xltx", ".xltm", ".xls", ".xlt", ".xlsb", ".ods", ".ots", ".csv", ".tsv", ".tab"),
    *(".html", ".htm", ".xhtml", ".mht", ".mhtml", ".pdf"),
)
PACKED = ".gz"


def expand_sources(given: Iterable[str]) -> Iterator[str]:
    """Every document that the arguments name."""
    for source in given:
        path = Path(source)
        if source == STANDARD_INPUT or path.is_file():
            yield source
        elif path.is_dir():
            yield from list_documents(path) or [source]
        elif glob.has_magic(source):
            yield from expand_glob(source) or [source]
        else:
            yield source


def list_documents(folder: Path) -> list[str]:
    """The documents under a folder by their endings, hidden files and lock files left out."""
    found = (
        path
        for path in folder.rglob("*")
        if path.name.lower().removesuffix(PACKED).endswith(ENDINGS)
        and not any(part.startswith((".", "~$")) for part in path.relative_to(folder).parts)
        and path.is_file()
    )
    return sorted(str(path) for path in found)


def expand_glob(pattern: str) -> list[str]:
    """The files that a pattern names, and the documents of the folders it names."""
    found: list[str] = []
    for match in sorted(glob.glob(pattern, recursive=True)):  # noqa: PTH207 - patterns may be absolute
        found.extend([match] if Path(match).is_file() else list_documents(Path(match)))
    return list(dict.fromkeys(found))


def why_nothing(source: str) -> str | None:
    """Why a source that names no file stands for nothing; None where it is a file or standard input."""
    path = Path(source)
    if source == STANDARD_INPUT or path.is_file():
        return None
    if path.is_dir():
        return "no spreadsheet, web page or PDF file in this folder"
    if glob.has_magic(source) and not path.exists():
        return "no file matches this pattern"
    return None
