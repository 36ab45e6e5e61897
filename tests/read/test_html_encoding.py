"""The encoding of a page is the one a browser would choose, and contradictions are told."""

from __future__ import annotations

import pytest

from tabellion.read.web.markup import decode_markup

GREEK = "<p>Αθήνα 12 €</p>"


@pytest.mark.parametrize(
    ("data", "declared", "text"),
    [
        (b"\xef\xbb\xbf<meta charset=latin1><p>\xc3\xa9", None, "é"),
        ("<p>é".encode("utf-16"), "iso-8859-1", "é"),
        (b"<meta charset=utf-8><p>\xe9", "windows-1252", "é"),
        (b"<meta charset='iso-8859-1'><p>\x80 5", None, "€ 5"),
        ("<meta charset=iso-8859-7>Αθήνα".encode("iso-8859-7"), None, "Αθήνα"),
        (b"<?xml version='1.0' encoding='windows-1251'?><p>\xcf\xf0\xe8", None, "При"),
        (b'<meta http-equiv=Content-Type content="text/html; charset=gb2312"><p>\xd6\xd0', None, "中"),
        (b"<meta charset=utf-16><p>\xc3\xa9", None, "é"),
        (b"<meta charset=no-such-thing><p>\xc3\xa9", None, "é"),
        (b"<meta charset=punycode><p>\xc3\xa9", None, "é"),
        (b"<meta charset=undefined><p>\xc3\xa9", "unicode_escape", "é"),
    ],
)
def test_mark_then_server_then_meta_decide(data: bytes, declared: str | None, text: str) -> None:
    assert text in decode_markup(data, declared).text


def test_a_page_that_declares_the_wrong_character_set_is_read_by_its_letters_with_a_note() -> None:
    decoded = decode_markup(b"<meta charset=utf-8>" + ("<p>Größe für Mädchen, 100 € </p>" * 50).encode("cp1252"))
    assert "Größe für Mädchen" in decoded.text
    assert "declares utf-8" in decoded.notes[0]


def test_a_few_broken_characters_are_replaced_with_a_note() -> None:
    decoded = decode_markup(b"<meta charset=utf-8>" + "<p>Größe</p>".encode() * 200 + b"\xff")
    assert decoded.text.endswith("\ufffd")
    assert "1 characters" in decoded.notes[0]


def test_utf8_that_calls_itself_latin_is_not_garbled() -> None:
    decoded = decode_markup(b"<meta charset=iso-8859-1>" + "<p>Größe</p>".encode() * 5)
    assert "Größe" in decoded.text
    assert decoded.notes
