"""The words that mean something in tables, by language: total, source, note, unit, "of which", table, continued.

Every stage asks here, so that the same table says the same in every medium. Fails on languages that are not listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal

from tabellion.patterns import lazy_pattern

Meaning = Literal[
    "total", "all", "of which", "source", "note", "unit", "table", "tables", "other list", "figure", "continued",
    "contents",
]  # fmt: skip

WORDS: dict[Meaning, dict[str, str]] = {
    "total": {
        "en": "total, totals, grand total, subtotal, subtotals, sub-total, sub-totals, sub total, sum, sums, aggregate",
        "de": "insgesamt, gesamt, summe, zusammen, gesamtsumme, zwischensumme, gesamtergebnis, total",
        "fr": "total, totaux, ensemble, somme, total général, sous-total",
        "es": "total, totales, suma, total general, subtotal",
        "it": "totale, totali, somma, totale generale, subtotale, complesso",
        "nl": "totaal, subtotaal, eindtotaal",
        "pt": "total, totais, soma, total geral, subtotal",
        "ca": "total, totals, suma",
        "da": "i alt, total, sum",
        "no": "i alt, totalt, sum",
        "sv": "totalt, summa, samtliga",
        "fi": "yhteensä, summa",
        "is": "alls, samtals",
        "pl": "razem, ogółem, suma, łącznie",
        "cs": "celkem, součet, úhrnem",
        "sk": "spolu, celkom, súčet",
        "hu": "összesen, mindösszesen",
        "ro": "total, total general",
        "et": "kokku",
        "lv": "kopā, pavisam",
        "lt": "iš viso",
        "hr": "ukupno, svega",
        "sl": "skupaj",
        "mk": "вкупно, општо",
        "sr": "укупно, ukupno",
        "bg": "общо, всичко",
        "ru": "итого, всего",
        "uk": "усього, всього, разом",
        "el": "σύνολο",
        "tr": "toplam, genel toplam",
        "id": "jumlah",
        "he": 'סך הכל, סה"כ, סה״כ',
        "ar": "إجمالي, الإجمالي, المجموع, جملة",
        "ja": "合計, 総数, 総計, 小計, 計",
        "zh": "合计, 总计, 小计, 總計, 合計, 小計",
        "ko": "합계, 총계, 소계",
    },
    "all": {
        "en": "all, both, overall, entire, whole, any, every, combined, whole country, the whole country",
        "de": "alle, beide",
        "fr": "tous, toutes",
        "es": "todos, todas, ambos, ambas",
        "it": "tutti, tutte, entrambi",
        "nl": "alle, beide",
        "pt": "todos, todas, ambos",
        "da": "alle, begge",
        "sv": "alla, båda",
    },
    "of which": {
        "en": "of which, of whom, out of which, out of whom, thereof, including",
        "de": "darunter, davon, hiervon, darin",
        "fr": "dont, parmi lesquels, parmi lesquelles",
        "es": "de los cuales, de las cuales, de los que, de las que, de ellos, de ellas, del cual, de la cual",
        "it": "di cui, dei quali, delle quali",
        "nl": "waarvan, waaronder, van wie",
        "pt": "dos quais, das quais, do qual, da qual",
        "da": "heraf, deraf",
        "no": "herav, hvorav, derav",
        "sv": "varav, därav",
        "fi": "josta, joista, siitä",
        "pl": "w tym, z tego, z czego",
        "cs": "z toho",
        "sk": "z toho",
        "hu": "ebből, ezen belül",
        "hr": "od toga",
        "ru": "в том числе, из них",
        "uk": "у тому числі, з них",
        "ja": "うち, 内訳",
        "zh": "其中",
    },
    "source": {
        "en": "source, sources, data source, data sources",
        "de": "quelle, quellen, datenquelle",
        "fr": "source, sources",
        "es": "fuente, fuentes",
        "it": "fonte, fonti",
        "nl": "bron, bronnen",
        "pt": "fonte, fontes",
        "da": "kilde, kilder",
        "no": "kilde, kilder",
        "sv": "källa, källor",
        "fi": "lähde, lähteet",
        "is": "heimild, heimildir",
        "pl": "źródło, źródła",
        "cs": "zdroj, pramen",
        "sk": "zdroj",
        "hu": "forrás",
        "ro": "sursa, sursă",
        "et": "allikas",
        "lv": "avots",
        "lt": "šaltinis",
        "hr": "izvor",
        "sl": "vir",
        "bg": "източник",
        "ru": "источник, источники",
        "uk": "джерело",
        "el": "πηγή, πηγές",
        "tr": "kaynak",
        "id": "sumber",
        "he": "מקור",
        "ar": "المصدر",
        "ja": "資料, 出典, 出所",
        "zh": "资料来源, 来源, 资料, 資料來源",
        "ko": "자료, 출처",
    },
    "note": {
        "en": "note, notes, footnote, footnotes, n.b., nb:, remark, remarks, abbreviation, abbreviations, legend,"
        " symbol, symbols, explanation, explanations, explanatory note, explanatory notes",
        "de": "anmerkung, anmerkungen, hinweis, hinweise, fußnote, fußnoten, fussnote, fussnoten, bemerkung,"
        " bemerkungen, erläuterung, erläuterungen",
        "fr": "note, notes, remarque, remarques, champ:, champ :, lecture:, lecture :, avertissement",
        "es": "nota, notas",
        "it": "nota, note, avvertenza",
        "nl": "noot, noten, opmerking, opmerkingen, toelichting, voetnoot, voetnoten",
        "pt": "nota, notas",
        "ca": "nota, notes",
        "da": "note, noter, anm., anmærkning",
        "no": "note, noter, merknad, anm.",
        "sv": "anm., anmärkning, anmärkningar, fotnot, not:",
        "fi": "huom., huomautus",
        "pl": "uwaga, uwagi",
        "cs": "poznámka, poznámky, pozn.",
        "sk": "poznámka, poznámky, pozn.",
        "hu": "megjegyzés, megjegyzések",
        "hr": "napomena, napomene",
        "ru": "примечание, примечания",
        "uk": "примітка, примітки",
        "el": "σημείωση, σημειώσεις",
        "tr": "not:, notlar, dipnot",
        "id": "catatan",
        "he": "הערה, הערות",
        "ar": "ملاحظة, ملاحظات",
        "ja": "注, 備考, 注記",
        "zh": "注, 注释, 说明, 附注, 備註",
        "ko": "주:, 주석, 비고",
    },
    "unit": {
        "en": "unit, units",
        "de": "einheit, einheiten, maßeinheit",
        "fr": "unité, unités",
        "es": "unidad, unidades",
        "it": "unità",
        "nl": "eenheid, eenheden",
        "pt": "unidade, unidades",
        "da": "enhed",
        "no": "enhet",
        "sv": "enhet",
        "fi": "yksikkö",
        "pl": "jednostka",
        "ru": "единица, единица измерения",
        "tr": "birim",
        "id": "satuan",
        "ja": "単位",
        "zh": "单位, 單位",
        "ko": "단위",
    },
    "table": {
        "en": "table, tab.",
        "de": "tabelle, tab.",
        "fr": "tableau",
        "es": "tabla, cuadro",
        "it": "tabella, tavola, tab.",
        "nl": "tabel",
        "pt": "tabela, quadro",
        "ca": "taula, quadre",
        "da": "tabel",
        "no": "tabell",
        "sv": "tabell",
        "fi": "taulukko",
        "is": "tafla",
        "pl": "tabela, tablica",
        "cs": "tabulka, tab.",
        "sk": "tabuľka, tab.",
        "hu": "táblázat",
        "ro": "tabel, tabelul",
        "et": "tabel",
        "lv": "tabula",
        "lt": "lentelė",
        "hr": "tablica",
        "sl": "tabela",
        "ru": "таблица, таблице, таблицу, табл.",
        "uk": "таблиця",
        "bg": "таблица",
        "el": "πίνακας",
        "tr": "tablo",
        "id": "tabel",
        "he": "טבלה, לוח",
        "ar": "جدول, لوح",
        "sr": "табела, tabela",
        "vi": "bảng",
        "th": "ตาราง",
        "hi": "तालिका, सारणी",
        "ja": "表",
        "zh": "表",
        "ko": "표",
    },
    "tables": {
        "en": "tables, tabs.",
        "de": "tabellen",
        "fr": "tableaux",
        "es": "tablas, cuadros",
        "it": "tabelle, tavole",
        "nl": "tabellen",
        "pt": "tabelas, quadros",
        "no": "tabeller",
        "sv": "tabeller",
        "ru": "таблицы, таблицах",
    },
    "other list": {  # what bears a number like a table's, in a series of its own
        "en": "exhibit, schedule"
    },
    "figure": {
        "en": "figure, fig., fig, chart, graph, scheme, plate, box, map, diagram, equation, algorithm, listing",
        "de": "abbildung, abb., abb, grafik, schaubild",
        "fr": "figure, fig., graphique, carte, schéma",
        "es": "figura, fig., gráfico, gráfica, mapa",
        "it": "figura, fig., grafico",
        "nl": "figuur, fig., grafiek, kaart",
        "pt": "figura, fig., gráfico, mapa",
        "da": "figur",
        "no": "figur",
        "sv": "figur, diagram",
        "ja": "図",
        "zh": "图, 圖",
    },
    "contents": {
        "en": "contents, table of contents, list of tables, list of figures, tables, figures",
        "de": "inhalt, inhaltsverzeichnis, tabellenverzeichnis, abbildungsverzeichnis",
        "fr": "table des matières, sommaire, liste des tableaux, liste des figures",
        "es": "índice, contenido, índice de tablas, índice de figuras",
        "it": "indice, sommario",
    },
    "continued": {
        "en": "continued, continuation, cont., cont'd, cont’d, contd, contd.",
        "de": "fortsetzung, forts., fortgesetzt",
        "fr": "suite, suite et fin",
        "es": "continuación, continúa, cont.",
        "it": "continua, continuazione, segue",
        "nl": "vervolg",
        "pt": "continuação, continua",
        "ca": "continuació",
        "da": "fortsat",
        "no": "fortsatt, forts.",
        "sv": "forts., fortsättning",
        "fi": "jatkoa, jatk.",
        "pl": "dok., ciąg dalszy",
        "cs": "pokračování",
        "ru": "продолжение",
        "ja": "続き, つづき",
        "zh": "续, 續",
        "ko": "계속",
    },
}

_WORD = lazy_pattern(r"[^\W_]+")
_MARKS_BEFORE = lazy_pattern(r"[\W_]+")
_MARKS_AROUND = " \t\n.:：;,*†‡()[]（）–—-/\\\"'"
_UNSPACED = (("\u3040", "\u30ff"), ("\u3400", "\u9fff"), ("\uac00", "\ud7af"))  # kana, Chinese characters, hangul


class Lexicon:
    """All words of some meanings, in all languages or in some."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = frozenset(words)
        unspaced = {word for word in self.words if _is_unspaced(word)}
        self._anywhere = tuple(sorted(word for word in unspaced if len(word) > 1))  # 計 is also in 統計, statistics
        self._single = frozenset(word for word in self.words if _WORD.fullmatch(word)).difference(self._anywhere)
        self._phrases = tuple(sorted(self.words.difference(self._single, self._anywhere)))
        self._begun = frozenset(word for phrase in self._phrases for word in _FIRST.findall(phrase)[:1])
        """The first words of the phrases: a text without one of these has none of them."""

    def fills(self, text: str) -> bool:
        """Whether a text is one of the words and nothing else, marks and case aside.

        >>> lexicon("of which").fills("Of which:"), lexicon("of which").fills("Of which women")
        (True, False)
        """
        small = text.lower().strip()
        return small in self.words or small.strip(_MARKS_AROUND) in self.words

    def opens(self, text: str) -> bool:
        """Whether a text begins with one of the words, marks before it aside.

        >>> total, table = lexicon("total"), lexicon("table")
        >>> total.opens("– Total costs"), total.opens("Totally new"), table.opens("表1")
        (True, False, True)
        """
        small = text.lower()
        if not small[:1].isalnum():
            marks = _MARKS_BEFORE.match(small)
            small = small[marks.end() :] if marks else small
        first = _FIRST.match(small)
        letters = first[0] if first else ""
        if letters in self._single or small.startswith(self._anywhere):
            return True
        return letters in self._begun and any(_is_whole(small, 0, phrase) for phrase in self._phrases)

    def within(self, text: str) -> bool:
        """Whether a text has one of the words in it.

        >>> total = lexicon("total")
        >>> total.within("Costs, total"), total.within("男女合計"), total.within("統計"), total.within("Sumac")
        (True, True, False, False)
        """
        small = text.lower()
        return self.among(small, _WORD.findall(small))

    def among(self, small: str, words: Sequence[str]) -> bool:
        """The same of a text in small letters that was parted into words already."""
        if not self._single.isdisjoint(words):
            return True
        if not self._begun.isdisjoint(words) and any(_has_whole(small, phrase) for phrase in self._phrases):
            return True
        return not small.isascii() and any(part in small for part in self._anywhere)


_FIRST = lazy_pattern(r"[^\W\d_]+")


def _is_unspaced(word: str) -> bool:
    """Whether a word is of a script without spaces."""
    return not word.isascii() and any(first <= letter <= last for letter in word for first, last in _UNSPACED)


def _has_whole(text: str, phrase: str) -> bool:
    at = text.find(phrase)
    while at >= 0:
        if _is_whole(text, at, phrase):
            return True
        at = text.find(phrase, at + 1)
    return False


def _is_whole(text: str, at: int, phrase: str) -> bool:
    """Whether a phrase stands at a place of a text, and no word goes on before or after it."""
    if not text.startswith(phrase, at):
        return False
    end = at + len(phrase)
    before, after = text[at - 1 : at] if at else "", text[end : end + 1]
    return not before.isalnum() and not (phrase[-1].isalnum() and after.isalnum())


def words_for(*meanings: Meaning, languages: frozenset[str] | None = None) -> tuple[str, ...]:
    """The words of some meanings, each once, the longest first.

    >>> words_for("unit", languages=frozenset({"de", "fr"}))
    ('maßeinheit', 'einheiten', 'einheit', 'unités', 'unité')
    """
    found = {
        word.strip()
        for meaning in meanings
        for language, words in WORDS[meaning].items()
        if languages is None or language in languages
        for word in words.split(",")
    }
    return tuple(sorted(found, key=lambda word: (-len(word), word)))


@cache
def lexicon(*meanings: Meaning, languages: frozenset[str] | None = None) -> Lexicon:
    """The lexicon of some meanings, made once."""
    return Lexicon(words_for(*meanings, languages=languages))


def either_of(*meanings: Meaning, languages: frozenset[str] | None = None, whole: bool = True) -> str:
    r"""A pattern for any of the words; with `whole`, no word of a script with spaces goes on after it.

    '(?:table(?!\\w)|tab\\.|表)'
    '(?:table(?!\\\\w)|tab\\\\.|表)'
    """
    words = words_for(*meanings, languages=languages)
    return f"(?:{'|'.join(_pattern(word, whole=whole) for word in words)})"


def _pattern(word: str, *, whole: bool) -> str:
    """One word as a pattern; blanks in it may be of any kind."""
    ends = whole and word[-1].isalnum() and not _is_unspaced(word)
    return re.escape(word).replace(r"\ ", r"\s") + (r"(?!\w)" if ends else "")
