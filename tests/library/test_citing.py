"""A number can be cited: what leads back to it stands beside it, whatever the medium."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tabellion.errors import LibraryError
from tabellion.library import open_library
from tabellion.library.library import Library

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with open_library(str(tmp_path_factory.mktemp("library") / "shelf"), create=True) as library:
        library.add(EXAMPLES / "smoking.xlsx", EXAMPLES / "report.pdf", EXAMPLES / "lakes.html")
        yield library


def test_a_value_of_a_sheet_is_cited_by_its_cell(library: Library) -> None:
    found = library.cite("smoking", "$b$10")
    assert (found.value, found.unit, found.address, found.left[0]) == (13.7, "%", "B10", "Total smokers")
    assert found.sha256 == hashlib.sha256((EXAMPLES / "smoking.xlsx").read_bytes()).hexdigest()
    for part in ("13.7 %", "cell B10", "smoking.xlsx", found.sha256[:12], "confidence"):
        assert part in found.text


def test_a_value_of_a_pdf_is_cited_by_page_and_box(library: Library) -> None:
    (first, *_) = library.query(
        "select t.name, u.* from tuples u join tables t using (table_id) where u.page > 0"
    ).to_pylist()
    found = library.cite(first["name"], first["address"])
    assert found.page == first["page"] and found.box == first["box"]
    left, top, right, bottom = found.box or (0, 0, 0, 0)
    assert left < right and top < bottom
    assert f"page {found.page}, box" in found.text


def test_a_value_of_a_web_page_is_cited_by_its_element(library: Library) -> None:
    rows = library.query(
        "select t.name, u.* from tuples u join tables t using (table_id) where u.path <> ''"
    ).to_pylist()
    found = library.cite(rows[0]["name"], rows[0]["address"])
    assert found.path == rows[0]["path"] and f"element {found.path}" in found.text


def test_an_address_without_a_value_is_said(library: Library) -> None:
    with pytest.raises(LibraryError, match="ZZ9: smoking has no value there; it lies in"):
        library.cite("smoking", "ZZ9")


def test_tidy_relations_carry_the_place(library: Library) -> None:
    (row,) = library.query("select sheet, page, box, path from smoking_tidy where address = 'B10'").to_pylist()
    assert row["sheet"] and (row["page"], row["box"], row["path"]) == (None, None, None)


def test_the_spot_of_a_value_is_drawn_with_its_labels(library: Library) -> None:
    from tabellion.model.printed import DrawnBox, DrawnText

    for name, address in (("smoking", "B10"), *_some_of(library, "pdf"), *_some_of(library, "html")):
        cited, scene = library.cite(name, address), library.picture(name, address)
        words = [part for part in scene.parts if isinstance(part, DrawnText)]
        boxes = [part for part in scene.parts if isinstance(part, DrawnBox)]
        (value,) = [part for part in words[3:] if part.bold]
        assert value.text == " ".join(cited.said.split())
        marked = [(box.left, box.top) for box in boxes]
        assert len(marked) == len(set(marked)) >= 1 + bool(cited.top) + bool(cited.left)
        assert any(box.left < value.x < box.left + box.width and box.top < value.y < box.top + 20 for box in boxes)
        assert cited.sha256[:12] in words[2].text and cited.address in words[1].text
    with pytest.raises(LibraryError, match="smoking has no value there"):
        library.picture("smoking", "Z99")


def _some_of(library: Library, medium: str) -> list[tuple[str, str]]:
    asked = "select t.name, u.address from tuples u join tables t using (table_id) join documents d on d.document_id = "
    rows = library.query(f"{asked}t.document_id where d.medium = '{medium}' order by 1, 2 limit 3").to_pylist()
    return [(row["name"], row["address"]) for row in rows]
