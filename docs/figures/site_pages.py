"""Pages of the site that lie outside docs/: what the repository's root and examples/ hold.

In the repository a page of docs/ links to `../CHANGELOG.md` or `../examples/report.pdf`. On the site such a file is
beside the page, so the link loses its `../`, and the links of a file of the root lose their `docs/`.
"""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
_OUTSIDE = re.compile(r"\]\(\.\./([\w./-]+)")
_INSIDE = re.compile(r"\]\(docs/")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files of the repository that pages of the documentation, or the navigation, name."""
    text = "".join(page.read_text(encoding="utf-8") for page in Path(config.docs_dir).glob("*.md"))
    for name in sorted(
        {*_OUTSIDE.findall(text), "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md"}
    ):
        if name.endswith(".md"):
            files.append(File.generated(config, name, content=(ROOT / name).read_text(encoding="utf-8")))
        elif (ROOT / name).is_file():
            files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The text of a page with links that work on the site."""
    return _INSIDE.sub("](", _OUTSIDE.sub(r"](\1", markdown))
