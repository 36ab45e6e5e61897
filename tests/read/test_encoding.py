"""Texts come out as they were written, whatever encoding they were saved in."""

from __future__ import annotations

import pytest

from tabellion.errors import UnknownFormatError
from tabellion.read.encoding import _foreign_lines, decode_text

TEXTS = {
    "French": ("Année;Qualité;Très bien\nHôpital;Île-de-France;12\n", ["cp1252", "utf-8", "mac_roman", "cp850"]),
    "German": ("Männer;Frauen;für alle\nÖsterreich;Größe;übrige\n", ["cp1252", "mac_roman", "cp850"]),
    "Norwegian": ("År;Fødte;Døde\nTromsø;Ålesund;nærings\n", ["cp1252"]),
    "Spanish": ("Año;Población;España\nCiudad de México;niños\n", ["cp1252"]),
    "Polish": ("Województwo;Ogółem;mężczyźni\nłódzkie;małopolskie;śląskie\n", ["cp1250", "iso8859_2"]),
    "Czech": ("Kraj;Počet;muži;ženy\nHlavní město Praha;Středočeský;příjmy\n", ["cp1250"]),
    "Hungarian": ("Megye;Népesség;férfi;nő\nGyőr-Moson;összesen;külföld\nműködő\n", ["cp1250"]),
    "Turkish": ("İl;Nüfus;kadın;erkek\nİstanbul;Ağrı;Iğdır;Muş\nşehir;değişim\n", ["cp1254"]),
    "Latvian": ("Gads;Iedzīvotāji;vīrieši\nRīga;Jūrmala;Kopā;Latvijā\n", ["cp1257"]),
    "Russian": ("Год;Население;мужчины\nМосква;всего;из них\n", ["cp1251", "koi8_r", "cp866"]),
    "Greek": ("Έτος;Πληθυσμός;άνδρες;γυναίκες\nΣύνολο\n", ["cp1253"]),
    "Hebrew": ("שנה;אוכלוסייה;גברים\n", ["cp1255"]),
    "Arabic": ("السنة;السكان;ذكور;إناث\nالمجموع\n", ["cp1256"]),
    "Thai": ("ปี;ประชากร;ชาย;หญิง\nกรุงเทพมหานคร;รวม\n", ["cp874"]),
    "Japanese": ("年次,総数,男,女\n第１表　人口の推移\n", ["cp932", "euc_jp", "iso2022_jp", "utf-16-le", "utf-16-be"]),
    "Chinese": ("年份,总人口,城镇,乡村\n北京,天津,河北省\n", ["gb18030", "utf-16"]),
    "traditional Chinese": ("年度,總人口,男,女\n臺北市,高雄市,新竹縣\n", ["cp950"]),
    "Korean": ("연도,총인구,남자,여자\n서울특별시,부산광역시\n전국,합계\n", ["cp949"]),
    "lone signs": ("a,b\n©,£5\n½,€7\n", ["cp1252"]),
    "dashes": ("1990–95;2000–05\n‘a’;b’s\n", ["cp1252"]),
}


@pytest.mark.parametrize(
    ("language", "encoding"), [(language, encoding) for language, (_, known) in TEXTS.items() for encoding in known]
)
def test_a_text_is_read_in_the_encoding_it_was_saved_in(language: str, encoding: str) -> None:
    text = TEXTS[language][0]
    assert decode_text(text.encode(encoding)).text == text


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_obeyed_and_left_out(encoding: str) -> None:
    assert decode_text("a,b\n1,2\n".encode(encoding)).text == "a,b\n1,2\n"


def test_utf8_with_a_broken_byte_stays_utf8_and_says_so() -> None:
    decoded = decode_text("Année,été,février,août,Noël,mère,père,élève,école\n".encode() + b"caf\xe9,1\n")
    assert decoded.text.startswith("Année,été")
    assert "not valid utf-8" in decoded.notes[0]


def test_utf8_cut_inside_a_letter_is_still_utf8() -> None:
    assert decode_text("naïve,é".encode()[:-1]).text.startswith("naïve,")


def test_a_guess_from_a_handful_of_letters_is_said_to_be_one() -> None:
    assert any("guessed" in note for note in decode_text("Temp °C;5\n".encode("cp1252")).notes)


def test_stray_zero_bytes_are_left_out_with_a_note() -> None:
    decoded = decode_text(b"name,value\x00\nalpha\x00,12\nbeta,13\ngamma,14\ndelta,15\n")
    assert decoded.text == "name,value\nalpha,12\nbeta,13\ngamma,14\ndelta,15\n"
    assert "2 zero bytes" in decoded.notes[0]


@pytest.mark.parametrize("data", [bytes(range(256)) * 8, b"\x7fELF" + bytes(400), b"\x01\x02\x03\x04" * 64])
def test_binary_data_is_refused(data: bytes) -> None:
    with pytest.raises(UnknownFormatError, match="binary"):
        decode_text(data)


@pytest.mark.parametrize("data", [b"\x05", b"\x00\x01", b"\x01\x00", b"\x1d\x00\x0b\x00", b"\x89\x00A\x00"])
def test_a_handful_of_binary_bytes_is_no_text_of_wide_letters(data: bytes) -> None:
    with pytest.raises(UnknownFormatError, match="binary"):
        decode_text(data)


@pytest.mark.parametrize("data", [b"7", "7".encode("utf-16-le"), "7".encode("utf-16-be")])
def test_a_text_may_be_one_letter(data: bytes) -> None:
    assert decode_text(data).text == "7"
    assert decode_text(data).notes == ()


def test_lines_with_letters_beyond_ascii_are_found_in_one_pass() -> None:
    lines = [b"caf\xe9", b"plain", b"", b"\xe9t\xe9 again"]
    for ending in (b"\n", b"\r\n", b"\r"):
        assert _foreign_lines(ending.join(lines)) == b"caf\xe9\n\xe9t\xe9 again"
    assert _foreign_lines(b"a" * 10_000_000 + b"\n\xe9") == b"\xe9"
