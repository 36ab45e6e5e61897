"""Pages saved whole with their words numbered, and ground truth that a person can correct (VENTex, section 6).

In: a web page. Out: `pages/NAME.html` in a folder, one file with its style sheets and pictures in it, and a line in the
folder's `gold.jsonl` with what is read from it now. The folder has the form of the corpus `visual`: once corrected, the
measuring script scores against it, and learning takes the tables of its markup (`TABELLION_ANNOTATED`). A page that is
annotated again replaces its page and its line, so corrections are best kept under version control.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from tabellion.errors import UsageError
from tabellion.export.ground_truth import ground_truth
from tabellion.pipeline import Settings, extract_document
from tabellion.read.fetch import fetch_source
from tabellion.read.limits import Limits
from tabellion.read.sniff import sniff_format, unpack_gzip
from tabellion.read.web.page import open_page
from tabellion.read.web.saved import ask_for_files, number_page

_NAME = re.compile(r"[^\w.-]+")


def annotate_page(source: str, folder: Path, limits: Limits, *, network: bool = False) -> tuple[str, int]:
    """Save a page and its ground truth; its name in the folder, and how many tables were read."""
    name, raw, charset, address = fetch_source(source, limits)
    data = unpack_gzip(raw, limits)
    if sniff_format(data) not in ("html", "mhtml"):
        raise UsageError(f"{name}: only web pages can be annotated")
    opened = open_page(data, charset, address)
    path = Path(source) if address is None and source != "-" else None
    shown_at, ask = ask_for_files(opened, path, limits, network=network)
    page = number_page(opened.text, shown_at, ask)
    file = f"{_NAME.sub('-', Path(name).stem)[:60]}-{hashlib.sha256(raw).hexdigest()[:8]}.html"
    (folder / "pages").mkdir(parents=True, exist_ok=True)
    saved = folder / "pages" / file
    saved.write_text(page, encoding="utf-8")
    gold = ground_truth(extract_document(saved, Settings(limits=limits, render="always")), file)
    gold["origin"] = name
    _replace_line(folder / "gold.jsonl", gold)
    (folder / "corpus.json").write_text(json.dumps({"corpus": "visual"}), encoding="utf-8")
    return file, len(gold["tables"])


def _replace_line(path: Path, gold: dict[str, object]) -> None:
    """Write a line of gold in place of the one of the same page, or at the end."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    kept = [line for line in lines if line.strip() and json.loads(line)["file"] != gold["file"]]
    kept.append(json.dumps(gold, ensure_ascii=False))
    path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
