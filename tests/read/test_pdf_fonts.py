"""Text of PDF files whose fonts say too little, or the wrong thing, of their letters."""

from __future__ import annotations

from printing import PdfPage, drawn_pdf, write_pdf
from tabellion.read import read_document


def page_of(data: bytes):
    return read_document(data).pages[0]


def test_characters_beyond_the_basic_plane_are_whole():
    letters = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <FF> "
        "endcodespacerange 2 beginbfchar <61> <D835DC5D> <62> <D835> endbfchar endcmap end end"
    )
    words = page_of(drawn_pdf("BT /F1 12 Tf 72 700 Td (a) Tj 40 0 Td (b) Tj ET", to_unicode=letters)).words
    assert words.text.tolist() == ["\U0001d45d", "\ufffd"]
    "".join(words.text).encode()


def map_letters(named: dict[int, str]) -> str:
    """The map of a font that calls each place by another letter."""
    pairs = " ".join(f"<{code:02X}> <{ord(c):04X}>" for code, c in named.items())
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <FF> "
        f"endcodespacerange {len(named)} beginbfchar {pairs} endbfchar endcmap end end"
    )


def test_signs_of_a_font_that_calls_them_letters_are_read_as_they_look():
    named = {0x2D: "2", 0xB1: "6", 0x3C: ",", 0x6D: "m", 0x61: "a", 0x67: "g", 0x62: "b"}  # minus, ±, <, Greek
    content = (
        r"BT /F1 12 Tf 72 700 Td (-) Tj /F0 12 Tf (2.5) Tj /F1 12 Tf (\261) Tj /F0 12 Tf (0.6 ) Tj "
        r"/F1 12 Tf (m) Tj /F0 12 Tf (g 26 mg ) Tj /F1 12 Tf (gab<) Tj ET"
    )
    words = page_of(drawn_pdf(content, to_unicode=map_letters(named), mapped="Symbol")).words
    assert "".join(words.text) == "−2.5±0.6μg26mgγαβ<"


def test_signs_that_a_font_numbers_as_they_come_are_read_as_they_look():
    named = {0x2D: "\x01", 0xB0: "\x03", 0x3D: "¼", 0x28: "ð", 0x29: "Þ", 0x44: "1", 0xA3: "\x04"}
    content = (
        r"BT /F1 12 Tf 72 700 Td (D) Tj /F0 12 Tf (t ) Tj /F1 12 Tf (=\(-) Tj /F0 12 Tf (1.11) Tj "
        r"/F1 12 Tf (\)\260\243) Tj ET"
    )
    words = page_of(drawn_pdf(content, to_unicode=map_letters(named), mapped="Symbol")).words
    assert "".join(words.text) == "Δt=(−1.11)°\ufffd"  # what may be ≤ or ≥ stays unknown


def nameless(text: str) -> bytes:
    """A page with a text in a font of pictures, as TeX makes them: nothing says which letter a picture is."""
    page = PdfPage()
    page.text(72, 100, text, 12)
    return write_pdf([page]).replace(
        b"/Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding",
        b"/Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [.1 0 0 .1 0 0] /CharProcs << >> "
        b"/Encoding << /Differences [32 /g1 /g2 /g3] >> /FirstChar 27 /LastChar 126 /Widths [" + b"5 " * 100 + b"]",
    )


def test_text_without_unicode_values_is_not_given_as_text():
    page = page_of(nameless("Uxq vqvzk grmnfk yzb rqxkhv wkj zbdd gkh ukbwwk"))
    assert "without Unicode values: given as" in page.issues[0].note
    assert set("".join(page.words.text)) == {"\ufffd"}


def test_text_without_unicode_values_is_read_by_its_codes_where_they_spell_words():
    page = page_of(nameless("Deaths from other causes in 1990 rose to 13.7 in our \x1cndings"))
    assert "read by the codes" in page.issues[0].note
    assert "".join(page.words.text).replace("\ufb01", "fi") == "Deathsfromothercausesin1990roseto13.7inourfindings"
