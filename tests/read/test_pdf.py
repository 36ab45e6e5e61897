"""PDF files are read page by page: words where a reader sees them, and a clear word where nothing can be read."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from printing import PdfPage, drawn_pdf, join_objects, protect, write_pdf
from tabellion.errors import EncryptedError, MalformedError, TooLargeError, TruncatedError, UnreadableError, UsageError
from tabellion.model.printed import Font
from tabellion.pipeline import extract_document
from tabellion.read import Limits, read_document
from tabellion.read.pdf.characters import _drawn_first
from tabellion.read.pdf.document import PrintedPages
from tabellion.read.pdf.glyphs import mend_symbols
from tabellion.read.pdf.words import LetterBoxes


def page_of(data: bytes, number: int = 0):
    return read_document(data).pages[number]


def test_authors_stand_behind_a_cover_that_names_none():
    cover, page = PdfPage(), PdfPage()
    for made in (cover, page):
        made.text(72, 100, "Of weights and measures", 20, "bold")
    cover.text(72, 700, "The journal of things that are weighed, measured and counted, volume 7", 9)
    page.text(72, 125, "Ada Winter and Tom Frost", 11)
    page.text(72, 145, "Institute of Weights", 9)
    assert read_document(write_pdf([cover, page])).authors == ("Ada Winter", "Tom Frost")


def test_a_narrow_white_between_a_small_letter_and_a_capital_parts_words():
    drawn = "BT /F0 10 Tf 72 700 Td [(Ji Hye) -80 (Yoon) 0 ( pH pp) -80 (mm)] TJ ET"
    page = PrintedPages(drawn_pdf(drawn)).page(1)
    assert page.pieces.text.tolist() == ["Ji Hye Yoon pH ppmm"]


def plain_pdf(pages: int = 1) -> bytes:
    made = []
    for number in range(1, pages + 1):
        page = PdfPage()
        page.text(72, 100, f"Page {number} of the document", 12)
        made.append(page)
    return write_pdf(made)


def test_signs_of_mathabx_fonts_are_no_accents():
    text = "5˘2ˆ"
    none = np.zeros(len(text))
    letters = LetterBoxes(
        np.array(list(map(ord, text)), dtype=np.uint32), np.zeros((len(text), 4), dtype=np.float32),
        none.astype(np.float32), none.astype(np.float32), np.array([0, 1, 0, 0]), none.astype(np.uint32),
        none.astype(bool),
    )  # fmt: skip
    code = mend_symbols(letters, (Font("Minion"), Font("TeX-matha9"))).code
    assert "".join(map(chr, code)) == "5±2ˆ"


def test_text_drawn_through_several_clips_is_read_once_and_whole():
    line = "BT /F0 12 Tf 72 700 Td (Half is seen here and half there) Tj ET"
    halves = "".join(f"q {left} 650 {width} 100 re W n {line} Q " for left, width in ((0, 150), (150, 300)))
    words = page_of(drawn_pdf(halves)).words
    assert " ".join(words.text) == "Half is seen here and half there"


def test_many_texts_drawn_in_each_of_two_bands_are_read_once():
    lines = "".join(f"BT /F0 12 Tf 72 {760 - 8 * n} Td (Line {n}) Tj ET " for n in range(12))
    bands = "".join(f"q 0 {bottom} 595 {height} re W n {lines} Q " for bottom, height in ((716, 126), (0, 716)))
    words = page_of(drawn_pdf(bands)).words
    assert sorted(words.text) == sorted(["Line"] * 12 + [str(n) for n in range(12)])


def test_a_clip_in_a_form_stands_where_the_form_is():
    form = "q 0 0 200 20 re W n BT /F0 12 Tf 5 5 Td (seen) Tj 0 30 Td (hidden) Tj ET Q"
    words = page_of(drawn_pdf("q 1 0 0 1 100 600 cm /X Do Q", form)).words
    assert words.text.tolist() == ["seen"]


def test_a_password_opens_a_pdf():
    right, wrong = "secret", "other"
    pages = read_document(protect(right.encode()), password=right).pages
    assert "".join(pages[0].words.text) == "Hello"
    with pytest.raises(EncryptedError, match="does not open"):
        read_document(protect(right.encode()), password=wrong)


def test_a_document_that_is_open_at_the_end_of_a_program_does_no_harm(tmp_path: Path):
    """PDFium must not be asked to close a document once it has ended itself, whatever was registered before it."""
    path = tmp_path / "open.pdf"
    path.write_bytes(plain_pdf())
    program = (
        "import weakref\nclass A: pass\na = A()\nweakref.finalize(a, print, end='')\n"
        "from pathlib import Path\nfrom tabellion.read.pdf.document import PrintedPages\n"
        f"pages = PrintedPages(Path({str(path)!r}).read_bytes())\npages.page(1)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_threads_may_read_pdfs_at_the_same_time():
    data = plain_pdf(12)

    def texts(_: int) -> list[str]:
        return [" ".join(page.words.text) for page in read_document(data).pages]

    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(texts, range(24)):
            assert found == [f"Page {number} of the document" for number in range(1, 13)]


def test_words_are_where_a_reader_sees_them():
    page = PdfPage()
    page.text(72, 100, "Hello wide world", 12)
    words = page_of(write_pdf([page])).words
    assert words.text.tolist() == ["Hello", "wide", "world"]
    assert words.box[0, 0] == pytest.approx(72, abs=1.5)
    assert words.baseline[0] == pytest.approx(100, abs=0.5)


def test_a_turned_page_is_read_as_it_is_shown():
    page = PdfPage(600, 400, rotate=90)
    page.text(100, 200, "Upright on the sheet, sideways as shown and long enough to count as text", 10)
    shown = page_of(write_pdf([page]))
    assert (shown.width, shown.height) == (400, 600)
    assert [view.turn for view in shown.sideways] == [270]
    assert "sideways" in shown.sideways[0].words.text.tolist()


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_the_picture_of_a_page_has_its_ink_where_it_was_read(turn: int):
    page = PdfPage(600, 400, rotate=turn)
    page.rule(100, 200, 400, 200)
    pages = read_document(write_pdf([page])).pages
    shown = pages[0]
    assert isinstance(pages, PrintedPages)
    dark = np.argwhere(pages.picture(1, 2.0).max(axis=2) < 128)
    (left, top, right, bottom), *_ = [*shown.across.tolist(), *shown.down.tolist()]
    assert dark.min(axis=0) / 2 == pytest.approx([top, left], abs=1.5)
    assert dark.max(axis=0) / 2 == pytest.approx([bottom, right], abs=1.5)


def headed_sideways(*heads: str) -> PdfPage:
    """Numbers in columns, with heads over them that read upwards."""
    page = PdfPage()
    for column, head in enumerate(heads):
        page.text(166 + 50 * column, 88, head, 8, "bold", turn=90)
    for row in range(8):
        page.text(42, 106 + 14 * row, f"valley {row}", 8)
        for column in range(4):
            page.text(160 + 50 * column, 106 + 14 * row, f"{row * 7 + column + 10}", 8)
    return page


def test_heads_that_stand_sideways_over_upright_text_are_a_row_of_it():
    page = PrintedPages(write_pdf([headed_sideways("Sheep", "Goats", "Cows of the hill", "Hens")])).page(1)
    stood = [k for k, text in enumerate(page.pieces.text) if text in ("Sheep", "Goats", "Cows of the hill", "Hens")]
    assert (len(stood), page.sideways) == (4, ())
    assert np.ptp(page.pieces.baseline[stood]) < 0.5
    assert (page.pieces.box[stood, 3] < page.pieces.box[0, 1] + 4).all()
    assert [page.words.text[w] for w in page.pieces.order[page.pieces.words[stood, 0]]] == [
        page.pieces.text[k] for k in stood
    ]


def test_one_text_that_stands_sideways_is_no_head():
    page = PrintedPages(write_pdf([headed_sideways("Animals")])).page(1)
    assert "Animals" not in page.pieces.text.tolist()


def test_bold_faces_and_rules_are_seen():
    page = PdfPage()
    page.text(72, 100, "Total", 10, "bold")
    page.rule(72, 110, 300, 110)
    shown = page_of(write_pdf([page]))
    assert shown.fonts[shown.words.font[0]].bold
    assert np.allclose(shown.across[0, [0, 2]], [72, 300], atol=1)


def test_title_and_author_come_from_the_first_page():
    page = PdfPage()
    page.text(72, 100, "Of weights and measures", 20, "bold")
    page.text(72, 125, "Ada Winter and Tom Frost", 11)
    page.text(72, 200, "It was a long year, and many things were weighed.", 10)
    document = read_document(write_pdf([page]))
    assert document.title == "Of weights and measures"
    assert document.authors == ("Ada Winter", "Tom Frost")


@pytest.mark.parametrize(
    ("lines", "authors"),
    [
        (["Ada Winter, MB, Tom Frost, PhD", "Institute of Weights, Oslo"], ("Ada Winter", "Tom Frost")),
        (["Ada WinterID, Claude deFrost", "a.winter@weights.example"], ("Ada Winter", "Claude deFrost")),
        (["Ada Winter, Research Fellow, and Ryo Doi", "Department of Weights"], ("Ada Winter", "Ryo Doi")),
        (["Father's Father's, Mother's Mother's", "School of Weights"], ()),
        (["It was a long year, and many things were weighed.", "Annual Report"], ()),
        (["Abstract", "Visual Scale, Analog Scale", "Institute of Weights"], ()),
        (
            ["Ada Winter, Tom Frost, Hans ter", "Steege, Ryo", "Doi", "Institute of Weights"],
            ("Ada Winter", "Tom Frost", "Hans ter Steege", "Ryo Doi"),
        ),
    ],
)
def test_authors_are_told_on_evidence(lines: list[str], authors: tuple[str, ...]):
    page = PdfPage()
    page.text(72, 100, "Of weights and measures", 20, "bold")
    for number, line in enumerate(lines):
        page.text(72, 125 + 14 * number, line, 11)
    for number in range(6):
        page.text(72, 300 + 14 * number, "it was a long year, and many things were weighed again and again.", 10)
    assert read_document(write_pdf([page])).authors == authors


def test_only_the_pages_asked_for_are_read():
    document = read_document(plain_pdf(12), pages=(3, 5))
    assert [page.number for page in document.pages] == [3, 4, 5]


def test_pages_beyond_the_end_are_an_error_of_the_call():
    with pytest.raises(UsageError, match="the PDF has 2 pages"):
        read_document(plain_pdf(2), pages=(7, 9))


def test_an_empty_user_password_is_no_hindrance():
    assert page_of(protect(b"")).words.text.tolist() == ["Hello"]


def test_a_user_password_is_a_clear_error():
    with pytest.raises(EncryptedError, match="asks for a password"):
        read_document(protect(b"secret"))


def test_a_file_cut_short_says_so():
    with pytest.raises(TruncatedError, match="ends too early"):
        read_document(plain_pdf()[:60])


def test_a_broken_table_of_places_is_mended():
    data = plain_pdf().replace(b"startxref\n", b"startxref\n9")
    assert "Page" in page_of(data).words.text.tolist()


def test_rubbish_behind_the_mark_of_a_pdf_is_a_clear_error():
    with pytest.raises(UnreadableError):
        read_document(b"%PDF-1.7\n" + bytes(range(256)) * 8 + b"\n%%EOF\n")


def test_no_pages_are_a_clear_error():
    empty = join_objects(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>"])
    with pytest.raises(MalformedError, match="no pages"):
        read_document(empty)


def test_a_page_of_pictures_alone_says_that_nothing_can_be_read():
    page = PdfPage()
    for n in range(50):
        page.content.append(f"{10 * n} 100 m {10 * n + 5} 160 {10 * n + 9} 190 300 400 c S")
    assert "no text" in page_of(write_pdf([page])).issues[0].note


def test_ten_thousand_paths_on_a_page_are_bounded():
    page = PdfPage()
    page.text(72, 60, "A drawing with some words", 10)
    for n in range(10_000):
        page.rule(50 + n % 500, 80 + n // 20, 52 + n % 500, 83 + n // 20, 0.2)
    shown = page_of(write_pdf([page]))
    assert shown.words.text.tolist()[:2] == ["A", "drawing"]


def test_a_page_of_five_metres_is_read_and_a_larger_one_is_left_out():
    page = PdfPage(14_173, 14_173)
    page.text(7000, 7000, "Somewhere in the middle", 12)
    assert page_of(write_pdf([page])).words.text.tolist() == ["Somewhere", "in", "the", "middle"]
    larger = page_of(write_pdf([PdfPage(30_000, 800)]))
    assert len(larger.words) == 0
    assert "was left out" in larger.issues[0].note


def test_more_pages_than_the_limit_are_refused():
    with pytest.raises(TooLargeError, match=r"Limits\.pages"):
        read_document(plain_pdf(5), limits=Limits(pages=4))


def test_a_pdf_behind_a_few_lines_of_something_else_is_still_a_pdf():
    data = b"<!-- saved by a careless server -->\n" + plain_pdf()
    assert read_document(data).medium == "pdf"
    assert "Page" in page_of(data).words.text.tolist()


def test_few_pages_are_held_at_a_time():
    pages = read_document(plain_pdf(30)).pages
    for page in pages:
        assert page.number
    assert len(pages._held) <= 4


def test_a_caller_is_told_how_far_reading_is():
    told: list[tuple[int, int]] = []
    extract_document(plain_pdf(4), watch=lambda done, total: told.append((done, total)))
    assert told == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_page_crowded_beyond_measure_is_told_of_and_not_searched():
    page = PdfPage()
    for n in range(4100):
        page.text(20 + (n % 20) * 28, 20 + (n // 20) * 3.8, str(n), 3)
    extraction = extract_document(write_pdf([page]))
    assert extraction.tables == ()
    assert any("tables were not looked for" in issue.note for issue in extraction.issues)


def test_characters_at_no_place_at_all_cost_nobody_a_word(recwarn: pytest.WarningsRecorder) -> None:
    nowhere = np.array([[np.nan, 1.0], [np.inf, -np.inf], [1e300, 2.0], [1.0, 2.0], [1.0, 2.0]])
    code, run = np.full(5, 65, dtype=np.uint32), np.array([0, 0, 0, 1, 2])
    kept = _drawn_first(code, nowhere, run, np.ones(5, dtype=bool))
    assert kept.tolist() == [True, True, True, True, False]  # the last was drawn there before
    assert not recwarn.list
