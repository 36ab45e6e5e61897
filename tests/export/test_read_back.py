"""What is written is read back: the same tables, the same tuples, and files that their schemas accept."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.building import build_extraction, build_frame, build_grid, build_nested, smoking

from tabellion import extract, read_export
from tabellion.errors import HostileError, MalformedError, UnknownFormatError
from tabellion.export.forms import schema_of, write_export
from tabellion.export.xml import to_xml
from tabellion.model.table import Tuple
from tabellion.pipeline import Extraction

FORMS = ("csv", "parquet", "json", "jsonl", "xml")
EXAMPLES = sorted(path for path in (Path(__file__).parents[2] / "examples").iterdir() if path.suffix != ".py")
Write = Callable[[Extraction], bytes]


def written(form: str, *extractions: Extraction) -> bytes:
    file = io.BytesIO()
    write_export(form, extractions, file)  # type: ignore[arg-type]
    return file.getvalue()


def tuples_of(extraction: Extraction) -> list[tuple[str, str | None, str, tuple[Tuple, ...]]]:
    source = extraction.document.source
    return [(source, t.place.sheet, t.id, tuple(t.tuples)) for t in extraction.tables if len(t.tuples)]


def read(data: bytes) -> list[tuple[str, str | None, str, tuple[Tuple, ...]]]:
    return [(t.source, t.sheet, t.id, t.tuples) for t in read_export(data) if t.tuples]


@pytest.fixture(scope="module")
def examples() -> list[Extraction]:
    return [extract(path).extraction for path in EXAMPLES if path.is_file()]


@pytest.mark.parametrize("form", FORMS)
def test_every_example_reads_back(form: str, examples: list[Extraction]) -> None:
    wanted = [table for extraction in examples for table in tuples_of(extraction)]
    assert read(written(form, *examples)) == wanted


def valid(data: bytes) -> bool:
    schema = etree.XMLSchema(etree.fromstring(schema_of("xml") or b""))
    return bool(schema.validate(etree.fromstring(data)))


def test_xml_is_valid(examples: list[Extraction]) -> None:
    assert valid(written("xml", *examples))
    assert not valid(written("xml", *examples).replace(b'cell="', b'cell="?'))


def test_labels_are_nested_in_xml() -> None:
    root = etree.fromstring(to_xml(build_extraction(smoking())))
    names = {"t": "urn:tabellion:tables:1"}
    below = root.xpath("//t:label[t:text='Male, total']/t:label/t:text/text()", namespaces=names)
    assert below == ["18 to 24 years", "65 years and over"]
    [value] = root.xpath("//t:tuple[@cell='C7']", namespaces=names)
    nearest = [
        root.xpath(f"//t:label[@id='{one}']/t:text/text()", namespaces=names)[0] for one in value.get("labels").split()
    ]
    assert nearest == ["1995", "65 years and over"]


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
ODD = ["a | b", "\\|", "a\\", "\\u0041", "\x01", "\r", "\n", "<&>", '"', "'", "\ufffe", " ", "|"]


@given(st.lists(st.one_of(st.sampled_from(ODD), texts), min_size=6, max_size=6))
def test_any_text_reads_back(cells: list[str]) -> None:
    cells = [cell.replace("\0", "") for cell in cells]
    grid = build_grid([["", *cells[:2]], [cells[2], *cells[3:5]], ["x", 1, cells[5]]])
    extraction = build_extraction(build_nested(build_frame(grid, "hdd")))
    for form in FORMS:
        assert read(written(form, extraction)) == tuples_of(extraction), form
    assert valid(written("xml", extraction))


def test_numbers_dates_and_texts_keep_their_type() -> None:
    grid = build_grid([["", "a", "b", "c", "d"], ["x", 12, 2.5, "2023-03-15", "text"], ["y", 1e20, -3, "007", "1,234"]])
    extraction = build_extraction(build_nested(build_frame(grid, "hdd")))
    for form in FORMS:
        values = [one.value for one in read(written(form, extraction))[0][3]]
        assert values[:5] == [12, 2.5, "2023-03-15", "text", 1e20]
        assert [type(value) for value in values[:3]] == [int, float, str]


def test_xml_with_a_document_type_is_refused() -> None:
    bomb = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aa">]><tables xmlns="urn:tabellion:tables:1">&a;</tables>'
    with pytest.raises(HostileError, match="document type"):
        read_export(bomb)


@pytest.mark.parametrize("data", [b"<?xml version='1.0'?><other/>", b"<?xml version='1.0'?><tables", b'{"source": 1}'])
def test_what_is_no_export_of_ours_is_said(data: bytes) -> None:
    with pytest.raises(MalformedError, match="not the"):
        read_export(data)


def test_an_unknown_file_is_said() -> None:
    with pytest.raises(UnknownFormatError, match="not a file that tabellion export writes"):
        read_export(b"hello")
