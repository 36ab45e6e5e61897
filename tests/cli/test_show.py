"""`tabellion show` as people see it."""

from __future__ import annotations

import re
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner, Result

from tabellion.cli import app

EXAMPLES = Path(__file__).parents[2] / "examples"


def show(name: str, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["show", str(EXAMPLES / name), *arguments])


def test_every_row_says_what_it_was_taken_for() -> None:
    lines = show("smoking.xlsx").stdout.splitlines()
    said = {int(words[0]): words[1] for words in map(str.split, lines) if words and words[0].isdigit()}
    assert (said[1], said[4], said[8], said[25]) == ("title", "header", "data", "note")


def test_the_header_trees_are_drawn_as_trees() -> None:
    lines = show("pilots.xlsx").stdout.splitlines()
    headers = ("Airplane pilots  B3", "Certificate held  D4", "Commercial  E5")
    indents = [next(line.index(header) for line in lines if header in line) for header in headers]
    assert indents == sorted(set(indents))


@pytest.mark.parametrize(("arguments", "count"), [(("--tuples",), 20), (("--tuples", "3"), 3), ((), 0)])
def test_tuples_are_shown_on_request(arguments: tuple[str, ...], count: int) -> None:
    lines = show("smoking.xlsx", *arguments, "--width", "140").stdout.splitlines()
    assert sum(re.match(r" [B-F]\d+ .* (1990|1995|1998|1999|2000)\b", line) is not None for line in lines) == count


def pixels_of(png: bytes) -> NDArray[np.uint8]:
    """The pixels of a picture whose rows are stored as they are."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    at, packed, width, height = 8, b"", 0, 0
    while at < len(png):
        (length,), kind = struct.unpack(">I", png[at : at + 4]), png[at + 4 : at + 8]
        data = png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length]) == (zlib.crc32(kind + data),)
        if kind == b"IHDR":
            width, height, *rest = struct.unpack(">IIBBBBB", data)
            assert rest == [8, 2, 0, 0, 0]
        packed += data if kind == b"IDAT" else b""
        at += 12 + length
    rows = np.frombuffer(zlib.decompress(packed), dtype=np.uint8).reshape(height, 1 + 3 * width)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 3)


def test_the_pages_of_a_pdf_are_drawn_as_pixels_too(tmp_path: Path) -> None:
    assert show("report.pdf", "--picture", str(tmp_path / "pages.png")).exit_code == 0
    pixels = pixels_of((tmp_path / "pages.png").read_bytes())
    assert pixels.shape == (2 * (2 * 842 + 48) + 48, 2 * 595, 3)
    colours = {"header": (0x7F, 0xB2, 0xFF), "stub": (0xA8, 0xDC, 0xF5), "frame": (0xD0, 0x02, 0x1B), "ink": (0, 0, 0)}
    first, second = pixels[48 : 48 + 2 * 842], pixels[96 + 2 * 842 : -48]
    seen = [
        {name: int((page == colour).all(axis=2).sum()) for name, colour in colours.items()} for page in (first, second)
    ]
    assert seen[0]["header"] > 2_000
    assert seen[1]["header"] == 0  # the header that is repeated on the second page was dropped
    assert min(page[name] for page in seen for name in ("stub", "frame", "ink")) > 500


def test_a_picture_of_another_kind_is_a_wrong_call(tmp_path: Path) -> None:
    shown = show("report.pdf", "--picture", str(tmp_path / "pages.jpg"))
    assert shown.exit_code == 2
    assert ".png" in shown.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("stage", ["read", "locate", "recognise", "label", "nest", "relate"])
@pytest.mark.parametrize("name", ["smoking.xlsx", "flat.csv", "side_by_side.xlsx", "form.xlsx", "budget.ods"])
def test_every_stage_can_be_looked_at(name: str, stage: str) -> None:
    shown = show(name, "--stage", stage)
    assert shown.exit_code == 0, shown.exception
    assert shown.stdout.strip()


def test_a_sheet_without_data_says_so() -> None:
    text = show("list.xlsx").stdout
    assert "Packing  list" in text
    assert "no table of data found" in text


def test_what_cannot_be_read_is_one_line_and_status_1() -> None:
    shown = show("gone.xlsx")
    assert shown.exit_code == 1
    assert shown.stderr == f"tabellion: {EXAMPLES / 'gone.xlsx'}: no such file\n"


def test_an_unknown_sheet_is_a_wrong_call_that_names_the_sheets_there_are() -> None:
    shown = show("smoking.xlsx", "--sheet", "Data")
    assert shown.exit_code == 2
    assert "Smoking" in shown.stderr


def test_a_picture_holds_the_drawing_and_needs_no_network(tmp_path: Path) -> None:
    picture = tmp_path / "sheet.svg"
    show("smoking.xlsx", "--svg", str(picture))
    text = picture.read_text(encoding="utf-8")
    assert "Male" in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_what_is_no_table_is_listed_with_its_reason() -> None:
    shown = show("lakes.html", "--why", "--width", "160").stdout
    assert re.search(r"table 0 .*0\.\d\d +layout: no two rows with a row of two cells", shown)
    assert "no table " not in show("lakes.html").stdout


def test_the_pages_of_a_pdf_are_drawn_with_their_tables(tmp_path: Path) -> None:
    assert show("report.pdf", "--picture", str(tmp_path / "pages.svg")).exit_code == 0
    drawn = (tmp_path / "pages.svg").read_text()
    assert "header: Voice" in drawn
    assert drawn.count("<title>table t2</title>") == 2


@pytest.mark.parametrize("stage", ["read", "locate", "recognise", "label", "nest", "relate"])
def test_every_stage_of_a_pdf_can_be_drawn(stage: str) -> None:
    assert show("report.pdf", "--stage", stage).exit_code == 0
