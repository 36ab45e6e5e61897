"""What the sources of a call name: files, folders, globs, and `-` for standard input.

In: the arguments. Out: one source per document, in the order given. A folder or a glob that holds no document is kept
as it was given, so that it is reported as one that could not be read and never silently dropped.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tabellion.errors import TabellionError

STANDARD_INPUT = "-"
ENDINGS = (
    *(".xlsx", ".xlsm", ".xltx", ".xltm", ".xls", ".xlt", ".xlsb", ".ods", ".ots", ".csv", ".tsv", ".tab"),
    *(".html", ".htm", ".xhtml", ".mht", ".mhtml", ".pdf"),
)
PACKED = ".gz"
_CONTAINERS = (b"PK", b"\xd0\xcf\x11\xe0", b"%PDF")  # whose kind is told further inside
_HEAD = 8192  # bytes of a file that are looked at first
_LARGEST = 64 * 2**20  # bytes of a container that is looked into
_LINES, _FEWEST = 20, 3  # lines of a text that are looked at, and must be there
ESCAPED = re.compile(r"\\x[89a-f][0-9a-f]")  # a byte of a name that is no UTF-8, as it is written


def expand_sources(given: Iterable[str], others: list[str] | None = None) -> Iterator[str]:
    """Every document that the arguments name; `others` is given the files of folders that are none."""
    for source in given:
        if source == STANDARD_INPUT or is_file(source):
            yield source
        elif _is_folder(source):
            yield from list_documents(Path(source), others) or [source]
        elif _is_pattern(source):
            yield from expand_glob(source, others) or [source]
        else:
            yield source


def write_name(name: str) -> str:
    r"""A name as it can be written: bytes that are no UTF-8, which no output and no catalogue takes, as they are told.

    >>> write_name("caf\udce9.csv")
    'caf\\xe9.csv'
    """
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def is_file(source: str | Path) -> bool:
    """Whether there is a file; none where the system will not say it, as of an address that is too long for a name."""
    return os.path.isfile(source)  # noqa: PTH113 - that of pathlib raises


def _is_pattern(source: str) -> bool:
    """Whether a source that is no file may name some; what an address asks for begins with a `?` that is none."""
    return "://" not in source and glob.has_magic(source) and not os.path.lexists(source)


def _is_folder(source: str | Path) -> bool:
    return os.path.isdir(source)  # noqa: PTH112 - that of pathlib raises


def list_documents(folder: Path, others: list[str] | None = None) -> list[str]:
    """The documents under a folder, by their endings or else their content; hidden files and lock files left out."""
    found = []
    for path in sorted(folder.rglob("*"), key=str):
        if any(part.startswith((".", "~$")) for part in path.relative_to(folder).parts) or not is_file(path):
            continue
        if path.name.lower().removesuffix(PACKED).endswith(ENDINGS) or holds_document(path):
            found.append(write_name(str(path)))
        elif others is not None:
            others.append(write_name(str(path)))
    return found


def holds_document(path: Path) -> bool:
    """Whether the bytes of a file are those of a document, whatever it is called; of text only markup and columns."""
    from tabellion.read.sniff import sniff_format  # only where endings do not tell

    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
            if not head.startswith(_CONTAINERS):
                return b"\0" not in head and (sniff_format(head) != "csv" or _in_columns(head))
            file.seek(0)
            return bool(sniff_format(file.read(_LARGEST)))
    except (OSError, TabellionError):
        return False


def _in_columns(head: bytes) -> bool:
    """Whether the lines of a text all have the same signs between columns."""
    lines = head.splitlines()[: _LINES + 1]
    lines = [line for line in (lines[:-1] if len(head) == _HEAD else lines) if line.strip()]
    return len(lines) >= _FEWEST and any(
        min(counts) == max(counts) > 0 for counts in ([line.count(sign) for line in lines] for sign in b"\t;,|")
    )


def expand_glob(pattern: str, others: list[str] | None = None) -> list[str]:
    """The files that a pattern names, and the documents of the folders it names."""
    found: list[str] = []
    for match in sorted(glob.glob(pattern, recursive=True)):  # noqa: PTH207 - patterns may be absolute
        found.extend([write_name(match)] if is_file(match) else list_documents(Path(match), others))
    return list(dict.fromkeys(found))


def why_nothing(source: str) -> str | None:
    """Why a source that names no file stands for nothing; None where it is a file or standard input."""
    if source == STANDARD_INPUT or is_file(source):
        return None
    if _is_folder(source):
        return "no spreadsheet, web page or PDF file in this folder"
    if _is_pattern(source):
        return "no file matches this pattern"
    return None
