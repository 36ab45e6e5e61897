"""What draws the texts and the ways of one made sheet: a source of chance, the bank and the sheet's manner.

Out: labels as (text, how it is stored), lists of labels of one kind with the name of that kind, titles and notes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from random import Random
from typing import TypeVar

from tabellion.learn.interpret.compose import words
from tabellion.learn.interpret.compose.bank import Bank
from tabellion.learn.interpret.compose.manner import Manner
from tabellion.model.grid import DATE, NUMBER, TEXT

Label = tuple[str, int]
T = TypeVar("T")
_DATE_FORMS = ("%Y-%m-%d", "%m/%d/%Y", "%d.%m.%Y", "%d-%b-%y", "%b %d", "%d %B %Y", "%A, %B %d, %Y")
_NUMERALS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")


class Pen:
    """Draws what a made sheet says. `manner` is how the sheet is written."""

    def __init__(self, random: Random, bank: Bank, manner: Manner) -> None:
        self.random = random
        self.bank = bank
        self.manner = manner

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def pick(self, options: Sequence[T]) -> T:
        return options[int(self.random.random() * len(options))]

    def among(self, **weights: float) -> str:
        """One of the names, by weight."""
        point = self.random.random() * sum(weights.values())
        for name, weight in weights.items():
            point -= weight
            if point < 0:
                return name
        return name

    def number(self, low: int, high: int) -> int:
        return low + int(self.random.random() * (high - low + 1))

    def some(self, texts: Sequence[T], count: int) -> list[T]:
        """Some of the texts, in their order more often than not."""
        if len(texts) <= count:
            return list(texts)
        if self.chance(0.6):
            first = self.number(0, len(texts) - count)
            return list(texts[first : first + count])
        return self.random.sample(list(texts), count)

    def said(self, own: Sequence[str], banked: Sequence[str], share: float = 0.5) -> str:
        """A text of the bank or of the composer's own."""
        return self.pick(banked) if banked and self.chance(share) else self.pick(own)

    def words(self, count: int, banked: bool = True) -> tuple[str, list[str]]:
        """The name of a kind of things and up to so many of them, all different."""
        if banked and self.bank.stubs and self.chance(0.5):
            texts = self.pick(self.bank.stubs)
            if len(texts) < count:
                texts = max(texts, self.pick(self.bank.stubs), self.pick(self.bank.stubs), key=len)
            return self.said(words.LEVEL_NAMES, self.bank.names), list(dict.fromkeys(self.some(texts, count)))
        names, texts = self.pick(words.LISTS)
        for _ in range(4):
            if len(texts) >= count:
                break
            names, texts = self.pick(words.LISTS)
        return self.pick(names), self.some(texts, count)

    def labels(self, count: int, plain: bool = False) -> tuple[str, list[Label]]:
        """The name of a kind and exactly so many different labels of it; `plain`: words only."""
        kind = (
            "words"
            if plain
            else self.among(words=7, years=1, dates=0.7, months=0.6, numbered=0.5, hours=0.3, codes=0.5)
        )
        if kind == "years":
            return self.pick(("Year", "Year", "Jahr", "Année", "Año", "Period")), self.years(count)
        if kind == "dates":
            return self.pick(("Date", "Day", "Month", "Trade date", "Period")), self.dates(count)
        if kind == "months" and count <= 12:
            return self.pick(("Month", "Month", "Monat", "Mois")), [
                (text, TEXT) for text in self.pick(words.MONTHS)[:count]
            ]
        if kind == "numbered":
            return self.numbered(count)
        if kind == "hours":
            form = self.pick(("HE{}", "HE {}", "{}:00", "{}", "{}-{}h"))
            return "Hour", [(form.format(at + 1, at + 2), NUMBER if form == "{}" else TEXT) for at in range(count)]
        if kind == "codes":
            return self.codes(count)
        name, texts = self.words(count)
        rounds = 0
        while len(texts) < count:
            rounds += 1
            more = self.words(count - len(texts), rounds < 4)[1]
            texts = list(dict.fromkeys(texts + (more if rounds < 6 else [f"{text} {rounds}" for text in more])))
        return name, [(text, TEXT) for text in self._counted(texts[:count])]

    def _counted(self, texts: list[str]) -> list[str]:
        """The texts, at times with numbers before them."""
        if not self.chance(0.05):
            return texts
        form = self.pick(("{}. {}", "{}) {}", "({}) {}", "{} {}"))
        signs: Sequence[object] = range(1, 500)
        if len(texts) <= len(_NUMERALS):
            signs = self.pick((range(1, 500), "abcdefghijklmnopqrstuvwxyz", _NUMERALS, range(1, 500)))
        return [form.format(sign, text) for sign, text in zip(signs, texts, strict=False)]

    def years(self, count: int) -> list[Label]:
        step = self.pick((1, 1, 1, 1, 5, 10))
        first = self.number(1950 if step > 1 else 1970, 2020)
        if step > 1:
            first -= first % step
        form, stored = self.pick(
            (("{}", NUMBER), ("{}", NUMBER), ("{}", NUMBER), ("{}", TEXT), ("{}/{}", TEXT), ("FY{}", TEXT))
        )
        years = [(form.format(first + step * at, str(first + step * at + 1)[2:]), stored) for at in range(count)]
        return years if self.chance(0.85) else years[::-1]

    def dates(self, count: int) -> list[Label]:
        day = date(self.number(1990, 2022), self.number(1, 12), self.number(1, 28))
        step, back = self.pick((1, 1, 1, 7, 30)), self.chance(0.15)
        if step == 30:
            form = self.pick(("%Y-%m-01", "%b-%y", "%B %Y", "%Y-%m", "%b %Y"))
            months = [day.year * 12 + day.month - 1 + (-at if back else at) for at in range(count)]
            days = [date(month // 12, month % 12 + 1, 1) for month in months]
        else:
            form = self.pick(_DATE_FORMS)
            days = [day + timedelta(days=-step * at if back else step * at) for at in range(count)]
        stored = DATE if form in ("%Y-%m-%d", "%Y-%m-01") or self.chance(0.4) else TEXT
        return [(one.strftime(form), stored) for one in days]

    def numbered(self, count: int) -> tuple[str, list[Label]]:
        name = self.pick(("Unit", "Week", "No.", "Zone", "Ward", "Day", "Line", "Step", "Lot", "Room", "Stage"))
        form = self.pick(("{0} {1}", "{1}", "{1}", "{0}-{1:02}", "{0} #{1}"))
        first = self.pick((1, 1, 1, 2, 10))
        stored = NUMBER if form == "{1}" else TEXT
        return name, [(form.format(name, first + at), stored) for at in range(count)]

    def codes(self, count: int) -> tuple[str, list[Label]]:
        form = self.pick(("{}", "{}", "A{}", "N{:05}", "EX-{}", "{:04}", "K#{}", "{}.01", "SC{:03}"))
        at, step, found = self.number(1, 90_000 if form == "{}" else 900), self.number(1, 30), list[Label]()
        for _ in range(count):
            found.append((form.format(at), NUMBER if form == "{}" else TEXT))
            at += self.number(1, step)
        return self.pick(("ID", "Code", "No.", "Deal #", "Contract", "Account", "Meter", "Ref")), found

    def heads(self, count: int) -> list[Label]:
        """Labels of columns that stand side by side."""
        kind = self.among(years=2, dates=1, listed=4, banked=3, outer=1.5, numbers=0.5, words=2.5, months=1)
        if kind == "years":
            return self.years(count)
        if kind == "dates":
            return self.dates(count)
        if kind == "numbers":
            return [(str(at + 1), NUMBER) for at in range(count)]
        if kind == "months" and count <= 12:
            return [(text, TEXT) for text in self.pick(words.MONTHS)[:count]]
        texts: list[str] = []
        if kind == "banked" and self.bank.heads:
            texts = list(self.pick(self.bank.heads))
        elif kind == "listed":
            texts = list(self.pick(words.HEAD_LISTS))
        elif kind in ("words", "months"):
            return self.labels(count, plain=True)[1]
        while len(texts) < count:
            texts.append(self.said(words.OUTER_HEADS, self.pick(self.bank.heads) if self.bank.heads else (), 0.3))
        return [(text, TEXT) for text in texts[:count]]

    def title(self) -> str:
        if self.bank.titles and self.chance(0.5):
            return self.pick(self.bank.titles)
        kind = self.among(full=6, part=2, subtitle=2, company=1, date=1)
        if kind == "subtitle":
            return self.pick(words.SUBTITLES)
        if kind == "company":
            return self.pick(words.COMPANIES)
        if kind == "date":
            return self.dates(1)[0][0]
        text = self.pick(words.TITLE_PARTS)
        if kind == "full":
            text = f"{text} {self.pick(words.TITLE_TAILS)}"
        if self.chance(0.25):
            text += f", {self.number(1980, 2022)}"
        if self.chance(0.25):
            sign = self.pick(("Table", "Table", "Tabelle", "Tableau", "Cuadro", "Tabl.", "表", "Schedule", "Exhibit"))
            text = f"{sign} {self.number(1, 30)}{self.pick(('. ', ': ', ' ', '.1 ', ' - '))}{text}"
        return text.upper() if self.chance(0.12) else text

    def note(self) -> str:
        return self.said(words.NOTES, self.bank.notes)

    def field(self) -> str:
        return self.said(words.FIELDS, self.bank.fields, 0.3)

    def group(self) -> str:
        return self.said(words.GROUPS, self.bank.groups)

    def name(self) -> str:
        return self.said(words.LEVEL_NAMES, self.bank.names, 0.4)
