"""Which encoding a text without a declaration is in, and the text itself.

In: bytes. Out: text, the name of the encoding, and notes on what had to be repaired. A byte order mark decides;
then UTF-16 by its zeros and UTF-8 by its own rules; all else is weighed. Binary data is refused.

Which encoding some bytes are in that are no UTF-8: every encoding is weighed for every language written in it. In:
lines with letters beyond ASCII; out: the name of the encoding, and a doubt where it is a guess. The share of foreign
letters that a language uses often decides, and how many stand where a language has none. Written by hand since the
libraries for this guess from pages of prose; a table often has a dozen foreign letters in all. Fails on languages that
the table below does not list.

The letters that languages use often beyond ASCII, by the encodings their tables come in. A table of facts for
that: which characters speak for a language. For Chinese, Japanese and Korean these are the most frequent
characters of running text and of statistical tables; `known` are those of the first level of the national character
set, which rare words need.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Literal
from unicodedata import category

import msgspec

from tabellion.errors import UnknownFormatError

BYTE_ORDER_MARKS = (  # those of UTF-32 before those of UTF-16 that they begin with
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x0b\x1a\x1b\x00")) + b"\x7f"
_NO_CONTROLS = dict.fromkeys((*_CONTROLS, *range(0x80, 0xA0)))
_LOOK = 2**16  # bytes that decide whether data is text at all
_SAMPLE = 2**14  # bytes with foreign letters that are weighed; more does not change the answer
_BINARY_SHARE = 0.01  # control codes a text may have; real tables have none or a few strays
_ZERO_SHARE = 0.3  # zeros that pad the fields of some mainframe exports
_UTF8_TRUST = 8  # sound sequences for each broken one that still make a text UTF-8


class Decoded(msgspec.Struct, frozen=True):
    """A text, the encoding it was in, and what had to be guessed or repaired."""

    text: str
    encoding: str
    notes: tuple[str, ...] = ()


def decode_text(data: bytes) -> Decoded:
    """The text of some bytes; raises `UnknownFormatError` where they are no text.

    >>> decode_text("Année;Qualité".encode("cp1252")).text
    'Année;Qualité'
    """
    for mark, encoding in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], encoding)
    head = data[:_LOOK]
    wide = _zeros_of_utf16(head)
    if wide:
        return _decoded(data, wide)
    _check_text(head)
    notes: tuple[str, ...] = ()
    zeros = data.count(0)
    if zeros:
        data = data.replace(b"\x00", b"")
        notes = (f"{zeros} zero bytes in the text were left out",)
    data = data.removesuffix(b"\x1a")
    if b"\x1b$" in head and not _foreign(head):
        return _decoded(data, "iso2022_jp", notes)
    try:
        return Decoded(data.decode("utf-8"), "utf-8", notes)
    except UnicodeDecodeError as error:
        if error.end >= len(data) - 3 and error.start > 0 and _foreign(data[: error.start]):
            return _decoded(data, "utf-8", notes)
    sample = _foreign_lines(data)
    if _mostly_utf8(sample):
        return _decoded(data, "utf-8", notes)

    encoding, doubt = guess_encoding(sample)
    return _decoded(data, encoding, notes + ((doubt,) if doubt else ()))


def _decoded(data: bytes, encoding: str, notes: tuple[str, ...] = ()) -> Decoded:
    try:
        return Decoded(data.decode(encoding).replace("\x00", ""), encoding, notes)
    except UnicodeDecodeError as error:
        text = data.decode(encoding, errors="replace").replace("\x00", "")
        broken = text.count("\ufffd")
        note = f"{broken} characters are not valid {encoding} and could not be read, the first at byte {error.start}"
        return Decoded(text, encoding, (*notes, note))


def _zeros_of_utf16(head: bytes) -> str | None:
    """UTF-16 without a mark: digits, blanks and line ends have a zero, always on the same side of the pair."""
    pairs = head[: len(head) // 2 * 2]
    even, odd = pairs[::2].count(0), pairs[1::2].count(0)
    if max(even, odd) <= 0.02 * len(pairs) or min(even, odd) > 0.2 * max(even, odd):
        return None
    encoding = "utf-16-le" if odd > even else "utf-16-be"
    text = pairs.decode(encoding, errors="replace")
    strange = sum(category(letter) in ("Cn", "Co", "Cs") for letter in text) + text.count("\ufffd")
    controls = len(text) - len(text.translate(_NO_CONTROLS))
    cut = int(len(head) == _LOOK)  # the last letter of what is looked at may be cut in two
    return encoding if strange + controls <= _BINARY_SHARE * len(text) + cut else None


def _check_text(head: bytes) -> None:
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if controls > _BINARY_SHARE * len(head) or head.count(0) > _ZERO_SHARE * len(head):
        raise UnknownFormatError("the bytes are of no format that is read (binary data)")


def _foreign(data: bytes) -> bool:
    return not data.isascii()


def _foreign_lines(data: bytes) -> bytes:
    """Lines that hold letters beyond ASCII, up to the size of a sample."""
    lines: list[bytes] = []
    size = at = 0
    while size <= _SAMPLE and (found := _BEYOND_ASCII.search(data, at)):
        start = max(at, data.rfind(b"\n", at, found.start()) + 1, data.rfind(b"\r", at, found.start()) + 1)
        ended = _LINE_END.search(data, found.end())
        at = ended.start() if ended else len(data)
        lines.append(data[start : min(at, start + _SAMPLE)])
        size += len(lines[-1])
    return b"\n".join(lines)


def _mostly_utf8(sample: bytes) -> bool:
    text = sample.decode("utf-8", errors="replace")
    broken = text.count("\ufffd")
    sound = sum(not character.isascii() for character in text) - broken
    return sound > _UTF8_TRUST * broken


Script = Literal["latin", "other", "ideograph"]


class Alphabet(msgspec.Struct, frozen=True):
    """One way to write: the encodings it comes in (likeliest first), and the letters it uses."""

    encodings: tuple[str, ...]
    script: Script
    frequent: frozenset[str]
    known: frozenset[str]
    handicap: float = 0.0  # how much less often this is met than the rest


SIGNS = frozenset(
    "\xa0°€£¥§«»“”‘’„–—…•†‡±²³¹½¼¾×·µ©®™ºª¿¡‰′″¬¦¨´¸¢"
    "\u3000、。「」『』【】〔〕《》（），：；！？・～－％＋＝／．＊＃＆＠＜＞－−‐―〜｜"
    "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩ○●△▲▽▼◎☆★□■◇◆※→←↑↓÷℃㎡㎞々ー"
    "０１２３４５６７８９ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ"
    "ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ"
)

_WEST = frozenset("éèêëàâäáãåæçîïíìñôöóòõøœûüúùÿýßðþÉÈÊËÀÂÄÁÃÅÆÇÎÏÍÌÑÔÖÓÒÕØŒÛÜÚÙÝÐÞšžŠŽ")
_CENTRAL = frozenset("ąćęłńóśźżáčďéěíňřšťúůýžäöőüűĺľŕôâîăşţđßĄĆĘŁŃÓŚŹŻÁČĎÉĚÍŇŘŠŤÚŮÝŽÄÖŐÜŰĹĽŔÔÂÎĂŞŢĐçë")
_BALTIC = frozenset("āčēģīķļņšūžąęėįųäõöüåßóéĀČĒĢĪĶĻŅŠŪŽĄĘĖĮŲÄÕÖÜÅ")
_TURKISH = frozenset("çğıöşüâîûÇĞİÖŞÜÂÎÛ")
_CYRILLIC = frozenset("абвгдежзийклмнопрстуфхцчшщъыьэюяёАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЁіїєґІЇЄҐўЎљњђјћџЉЊЂЈЋЏ№")
_GREEK = frozenset("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΆΈΉΊΌΎΏΪΫ")


def _rows(encoding: str, first: int, last: int, low: int = 0xA1, high: int = 0xFE) -> frozenset[str]:
    """The characters of some rows of a two-byte character set."""
    pairs = bytes(part for lead in range(first, last + 1) for trail in range(low, high + 1) for part in (lead, trail))
    return frozenset(pairs.decode(encoding, errors="ignore"))


_KANA = frozenset(map(chr, (*range(0x3041, 0x3094), *range(0x30A1, 0x30F7))))
_KANJI = frozenset(
    "日一国人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金員九入選立開手"
    "米力学問高代明実円関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来作性的要用制治度務強気小七成期公野"
    "協取都和統以機平総加山思家話世受区領多県続進正安設保改数記院女初北午指権心界支第産結百派点教報済書府活原先共得解名交資"
    "予川向際査勝面委告文反元重近千考判認画海参売利組知案道信策集在件団別物側任引使求所次水半品論計死官増係感特情投示変男基"
    "各始島直両朝価式確村提運終果西減台広容必応電歳住能無再位置企流格有口過局少放税検町常校料状工建語営空職土急止送援供可役"
    "構木割身費付施切由説転食比防補車研収断南石足違消番規術護展導備宅害配算条幹独究育席輸起万着店残線率病農州質族象銀域助労"
    "例衛限額監環験審商形担準造低毎医復失移差個門評課末守種岡福量非観察整型深製票況財港識注達億図績類齢帯他等項欄均積温賃雇"
)
_HANZI = frozenset(
    "的一是了不人在他有这个上们来到时大地为子中说生国年就那和要出也得里后自以会家可下而过天能对小多然于心学么之都好看起发当"
    "没成只如事还用第样道作种开总从无面最女但现前些所同日手又行意动方期经长回位分老因名法间知世两次使身者高已其进此常与活正"
    "口数统计全市省区县城乡镇村合单万元亿增率比重指标农业工商服务居民收入支消费价格产值固定资投建筑交通运输邮电教育科技文化"
    "卫体社福利保险金融银贸易外旅游环境源水气供男性别龄组岁按类型企机构部门情况主表注料明本含及北京海津庆河山西内蒙古辽宁吉"
    "林黑龙江苏浙安徽建东南湖广四川贵州云陕甘肃青夏新疆香港澳台湾月平均加公司员品量额度户制造食房"
)
_HANZI_OLD = frozenset(
    "的一是不了人在有我他這個們中來上大為和國地到以說時要就出會可也對生能而子那得於著下自之年過發後作總計口數統臺灣縣市鄉鎮"
    "區合單位萬元億增長率比重指標農業工商服務居民收入支消費價格產值投資建築交通運輸教育科技文化衛社福利保險金融銀行貿易進外"
    "男女性別齡組歲按類型企機構部門情況主表註料源明北高雄新竹苗栗彰南雲林嘉義屏東宜蘭花蓮基隆澎湖連江香港月日第其他底平均"
    "公共政府調查項目全額量員戶"
)
_HANGUL = frozenset(
    "의이가는을에한다로고사인지자정대시은리기도구수어나서하일부전제해과보성상경장국원주동계세금년월분합총남여연령통단위명천백만억"
    "조율비증감울산광강충청북라군읍면료출처택업별취실활참종규모체매액득지물입투건설농림복환행역등그및타교육의학생용관현황공무"
    "소개평균내외국민가구당형태직간신방안유선차화문영호병원품목식여진중"
)


@lru_cache(maxsize=1)
def alphabets() -> tuple[Alphabet, ...]:
    """What encodings are told by; of the large character sets this takes a while, and most texts are UTF-8."""
    return (
        *(
            Alphabet(("cp1252",), "latin", frozenset(letters), _WEST)
            for letters in (
                "éèêàâçôîïûùëœ",
                "äöüß",
                "åäöøæé",
                "ñáéíóú",
                "ãõçáéíóúâêôà",
                "àèéìòù",
                "ëïéèö",
                "áéíóúýþðæö",
            )
        ),
        *(
            Alphabet(("cp1250", "iso8859_2"), "latin", frozenset(letters), _CENTRAL)
            for letters in ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "čćđšž", "ăâîşţ")
        ),
        *(Alphabet(("cp1257",), "latin", frozenset(letters), _BALTIC) for letters in ("āčēģīķļņšūž", "ąčęėįšųūž")),
        Alphabet(("cp1254",), "latin", frozenset("çğıöşüİ"), _TURKISH),
        *(
            Alphabet(("mac_roman", "cp850"), "latin", frozenset(letters), _WEST, handicap=0.2)
            for letters in ("éèêàâçôîïûùëœ", "äöüß", "åäöøæé", "ñáéíóú", "ãõçáéíóúâêôà", "àèéìòù")
        ),
        Alphabet(("cp1251", "koi8_r", "cp866"), "other", frozenset("аеиоутснрвлкмдпыьязйбгчх"), _CYRILLIC),
        Alphabet(("cp1251", "koi8_u"), "other", frozenset("аеиоутснрвлкмдпізйбгчьяї"), _CYRILLIC),
        Alphabet(("cp1253", "iso8859_7"), "other", frozenset("αειοτνησρκπλμυςάίόήέ"), _GREEK),
        Alphabet(("cp1255",), "other", frozenset(map(chr, range(0x5D0, 0x5EB))), frozenset()),
        Alphabet(("cp1256",), "other", frozenset("اليمونرتبعدسفهكقحجأةشصطخضزغثئىءذؤظإ"), frozenset("پچژگ،؛؟آلا")),
        Alphabet(
            ("cp874",),
            "other",
            frozenset(map(chr, (*range(0xE01, 0xE2F), *range(0xE30, 0xE3A)))),
            frozenset(map(chr, range(0xE3A, 0xE5C))),
        ),
        Alphabet(("cp932",), "ideograph", _KANA | _KANJI, _rows("cp932", 0x88, 0x97, 0x40)),
        Alphabet(("euc_jp",), "ideograph", _KANA | _KANJI, _rows("euc_jp", 0xB0, 0xCF)),
        Alphabet(("gb18030",), "ideograph", _HANZI, _rows("gb2312", 0xB0, 0xD7)),
        Alphabet(("cp950",), "ideograph", _HANZI_OLD, _rows("big5", 0xA4, 0xC6, 0x40)),
        Alphabet(("cp949",), "ideograph", _HANGUL, _rows("euc_kr", 0xB0, 0xC8)),
    )


_BROKEN_SHARE = 0.002  # broken characters a file in its true encoding may have
_DOUBT = 0.08  # a lead over the second-best encoding that leaves a doubt where there are
_FEW_LETTERS = 30  # at most so many foreign letters to go by
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_LINE_END = re.compile(rb"[\r\n]")
_TOGETHER = re.compile(rb"[\x80-\xff]{2}")


def guess_encoding(sample: bytes) -> tuple[str, str | None]:
    """The encoding under which the foreign letters look most like those of a language, and a doubt."""
    best: dict[str, float] = {}
    readings: dict[tuple[str, Script], _Reading | None] = {}
    for alphabet in alphabets():
        for rank, encoding in enumerate(alphabet.encodings):
            key = encoding, alphabet.script
            if key not in readings:
                readings[key] = _read_as(sample, *key)
            reading = readings[key]
            if reading is not None:
                likeness = _likeness(reading, alphabet) - alphabet.handicap - 0.001 * rank
                best[encoding] = max(best.get(encoding, -1.0), likeness)
    if best and _holds_lone_signs(sample):
        best["cp1252"] = max(best.values()) + 0.001
    ranked = sorted(best, key=lambda name: -best[name])
    if not ranked or best[ranked[0]] < 0:
        return "cp1252", "the encoding could not be detected; the text was read as cp1252"
    first = ranked[0]
    text = sample.decode(first, errors="replace")
    if len(_FOREIGN.findall(text)) > _FEW_LETTERS:
        return first, None
    for second in ranked[1:]:
        if best[first] - best[second] < _DOUBT and sample.decode(second, errors="replace") != text:
            return first, f"the encoding was guessed: {first}, though {second} is nearly as likely"
    return first, None


def _holds_lone_signs(sample: bytes) -> bool:
    """Whether no two foreign bytes stand together, as letters of other scripts do, and all are signs in cp1252: £5."""
    foreign = _FOREIGN.findall(sample.decode("cp1252", errors="replace"))
    return not _TOGETHER.search(sample) and not any(sign.isalpha() or sign == "\ufffd" for sign in foreign)


class _Reading(msgspec.Struct, frozen=True):
    """The foreign characters of a sample under one encoding: how often each, and how many stand where none should."""

    letters: Counter[str]
    odd: int


def _read_as(sample: bytes, encoding: str, script: Script) -> _Reading | None:
    """The sample under an encoding; None where it cannot be that encoding."""
    text = sample.decode(encoding, errors="replace")
    if text.count("\ufffd") > _BROKEN_SHARE * len(text):
        return None
    if script == "ideograph":
        return _Reading(Counter(_FOREIGN.findall(text)), 0)
    letters: Counter[str] = Counter()
    odd = 0
    padded = f"  {text} "
    for match in _FOREIGN.finditer(padded):
        at = match.start()
        if _odd(padded[at - 2], padded[at - 1], padded[at], padded[at + 1], script):
            odd += 1
        else:
            letters[padded[at]] += 1
    return _Reading(letters, odd)


def _odd(before: str, left: str, letter: str, right: str, script: Script) -> bool:
    """Whether a foreign character stands where a language has none.

    A sign inside a word, a capital after a small letter, a letter alone, a Cyrillic letter beside a Latin one.
    """
    if not letter.isalpha():
        return left.isalpha() and right.isalpha() and letter not in "’‘´·–—\xad"
    if letter.isupper() and left.islower():
        return True
    if script == "other":
        return (left.isascii() and left.isalpha()) or (right.isascii() and right.isalpha())
    if left.isalpha() and not left.isascii():
        return before.isalpha() and not before.isascii()
    return not (left.isalpha() or right.isalpha())


def _likeness(reading: _Reading, alphabet: Alphabet) -> float:
    """The mean weight of the foreign characters: 1 for those the language uses often, below 0 for strange ones."""
    total = -float(reading.odd)
    for letter, count in reading.letters.items():
        if letter in alphabet.frequent:
            weight = 1.0
        elif letter in alphabet.known or letter in SIGNS:
            weight = 0.5
        else:
            weight = -1.0
        total += count * weight
    return total / max(reading.letters.total() + reading.odd, 1)
