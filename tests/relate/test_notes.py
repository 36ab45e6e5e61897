"""Footnotes are found with the marks that point to them."""

from __future__ import annotations

import msgspec
import pytest
from tests.building import build_document, build_frame, build_grid, build_sheet

from tabellion.relate.titles import Notes, read_notes


def notes_of(*lines: str | list[str | None]) -> Notes:
    rows = [line if isinstance(line, list) else [line] for line in lines]
    grid = build_grid([["", "1990"], ["Ohio", 7], *rows])
    return read_notes(build_frame(grid, "hd" + "n" * len(lines)), build_document(grid))


@pytest.mark.parametrize(
    ("line", "mark", "text"),
    [
        (r"\1 Includes Alaska.", "1", "Includes Alaska."),
        ("\\5\\Includes astronomy.", "5", "Includes astronomy."),
        ("1/ Includes Alaska.", "1", "Includes Alaska."),
        ("/2 12th grade, no diploma.", "2", "12th grade, no diploma."),
        ("(1) Includes Alaska.", "1", "Includes Alaska."),
        ("1) Includes Alaska.", "1", "Includes Alaska."),
        ("1. Includes Alaska.", "1", "Includes Alaska."),
        ("1 Includes Alaska.", "1", "Includes Alaska."),
        ("¹ Includes Alaska.", "1", "Includes Alaska."),
        ("* Preliminary.", "*", "Preliminary."),
        ("† Not applicable.", "†", "Not applicable."),
        ("r = revised figure", "r", "revised figure"),
        ("a/ Estimated.", "a", "Estimated."),
    ],
)
def test_a_note_begins_with_its_mark(line: str, mark: str, text: str) -> None:
    assert notes_of(line).by_mark == {mark: text}


def test_a_mark_may_stand_in_a_cell_of_its_own() -> None:
    assert notes_of(["1\xa0", "Includes Alaska."]).by_mark == {"1": "Includes Alaska."}


def test_a_line_without_a_mark_goes_on_with_the_note_before() -> None:
    found = notes_of(r"\1 Includes Alaska", "and Hawaii.", "Source: Census Bureau.")
    assert found.by_mark == {"1": "Includes Alaska and Hawaii."}
    assert found.texts == (r"\1 Includes Alaska and Hawaii.", "Source: Census Bureau.")


def test_several_notes_on_one_line_are_parted() -> None:
    assert notes_of(r"\1 Includes Alaska. \2 Excludes Guam.").by_mark == {
        "1": "Includes Alaska.",
        "2": "Excludes Guam.",
    }


def test_flags_explained_on_one_line_are_parted() -> None:
    assert notes_of("p : preliminary. r : revised.").by_mark == {"p": "preliminary.", "r": "revised."}


def test_notes_may_stand_on_a_sheet_of_their_own() -> None:
    grid = build_grid([["", r"1990 \1"], ["Ohio", 7]])
    document = msgspec.structs.replace(
        build_document(grid), pages=(build_sheet("Data"), build_sheet("Notes", "FOOTNOTES", r"\1 Includes Alaska."))
    )
    assert read_notes(build_frame(grid, "hd"), document).by_mark == {"1": "Includes Alaska."}


def test_an_unmarked_note_is_kept() -> None:
    assert notes_of("Source: Census Bureau.").texts == ("Source: Census Bureau.",)
    assert notes_of("12 months ending in June.").by_mark == {"12": "months ending in June."}
