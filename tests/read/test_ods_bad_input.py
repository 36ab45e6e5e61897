"""OpenDocument files that are protected, cut short, broken or hostile give one clear error."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from tests.damage import damaged
from tests.ods_files import YELLOW, cell, document, number, packed, row

from tabellion.errors import EncryptedError, HostileError, MalformedError, TruncatedError, UnreadableError
from tabellion.read.limits import Limits
from tabellion.read.opendocument.ods import read_ods


def test_a_protected_file_is_said_to_be_so() -> None:
    manifest = (
        "<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>"
    )
    with pytest.raises(EncryptedError, match="password"):
        read_ods(packed({"content.xml": "\x00\x01", "META-INF/manifest.xml": manifest}), Limits())


def test_a_file_cut_short_is_said_to_be_so() -> None:
    data = packed({"content.xml": document(f'<table:table table:name="S">{row(cell("a")) * 50}</table:table>')})
    with pytest.raises(TruncatedError):
        read_ods(data[: len(data) // 2], Limits())


def test_broken_xml_is_said_to_be_so() -> None:
    with pytest.raises(MalformedError, match="not well-formed"):
        read_ods(packed({"content.xml": document("<table:table>")}), Limits())


def test_entities_are_refused() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + document("")
    with pytest.raises(HostileError, match="document type"):
        read_ods(packed({"content.xml": bomb}), Limits())
    with pytest.raises(HostileError, match="document type"):
        read_ods(bomb.encode(), Limits())


_SMALL = packed(
    {
        "content.xml": document(
            f'<table:table table:name="S">{row(cell("a"), number(2))}{row(number(3), cell("b"))}</table:table>', YELLOW
        )
    }
)


@settings(max_examples=100, deadline=None)
@given(damaged(_SMALL))
def test_damage_gives_a_reading_or_a_clear_refusal(data: bytes) -> None:
    with contextlib.suppress(UnreadableError):
        read_ods(data, Limits())
