"""Made tables of special kinds: relations, matrices, schedules, cards and the like.

Each function gives a table as `draw_table` does. Kinds differ in what their rows, heads and values are; how they are
laid out is the same for all.
"""

from __future__ import annotations

from itertools import pairwise

from tabellion.learn.interpret.compose import words
from tabellion.learn.interpret.compose.figures import Measure, draw_measure, draw_texts
from tabellion.learn.interpret.compose.heads import Node, Plan, plan_of
from tabellion.learn.interpret.compose.pen import Label, Pen
from tabellion.learn.interpret.compose.rows import (
    BLANK,
    DATA,
    GROUP_ROW,
    TOTAL,
    Row,
    Stub,
    add_total,
    flat_stub,
    group_stub,
)
from tabellion.learn.interpret.compose.stubs import columned_stub
from tabellion.learn.interpret.compose.tables import draw_table, make_table
from tabellion.learn.interpret.draft import Draft
from tabellion.model.grid import NUMBER, TEXT

Table = tuple[Draft, Plan]


def draw_any(pen: Pen, rows: int, columns: int) -> Table:
    """A table of any kind, most of them of labels on two sides."""
    kind = pen.among(
        statistics=10,
        relation=5.5,
        matrix=0.7,
        schedule=0.5,
        card=0.5,
        records=0.4,
        correlation=0.2,
        calendar=0.1,
        ledger=0.6,
    )
    make = {
        "statistics": draw_table, "relation": draw_relation, "matrix": draw_matrix, "schedule": draw_schedule,
        "card": draw_card, "records": draw_records, "correlation": draw_correlation, "calendar": draw_calendar,
        "ledger": draw_ledger, "pairs": draw_pairs,
    }[kind]  # fmt: skip
    return make(pen, rows, columns)


def _typed_columns(pen: Pen, count: int) -> tuple[list[Node], list[Measure]]:
    """The heads of a relation's columns and the kind of values of each."""
    heads: list[Node] = []
    measures: list[Measure] = []
    texts = pen.pick((0.2, 0.5, 0.5, 0.8))
    for _ in range(count):
        if pen.chance(texts):
            kind = pen.among(words=5, text=1.5, date=2, flag=1.5, code=1.5, phone=0.6)
        else:
            kind = pen.among(count=4, money=3, share=1)
        options = [text for text in words.HEAD_TEXTS[kind] if all(text != node.label[0] for node in heads)]
        head = pen.pick(options or words.HEAD_TEXTS[kind])
        if pen.bank.heads and pen.chance(0.3):
            head = pen.pick(pen.pick(pen.bank.heads))
        heads.append(Node((head, TEXT)))
        if kind in ("count", "money", "share"):
            measure = draw_measure(pen)
            measures.append(measure._replace(scale=30.0, places=1, additive=False) if kind == "share" else measure)
        else:
            measures.append(draw_texts(pen, kind))
    return heads, measures


def draw_relation(pen: Pen, rows: int, columns: int) -> Table:
    """Records under column heads; the stub is the leading keys, if any tell the records apart."""
    rows = max(rows, 3)
    way = pen.among(key=7, several=3, none=1.2)
    if way == "key":
        kind = pen.among(keyed=6, flat=2, groups=1.2)
        stub = {"keyed": _keyed, "flat": flat_stub, "groups": group_stub}[kind](pen, rows)
    elif way == "several":
        stub = columned_stub(pen, rows)
    else:
        stub = Stub(0, [Row() for _ in range(rows)], [])
    heads, measures = _typed_columns(pen, max(2, columns))
    if way == "none":
        heads.insert(0, Node((pen.pick(words.HEAD_TEXTS["count"]), TEXT)))
        measures.insert(0, draw_measure(pen))
    if len(heads) > 4 and pen.chance(0.12):
        cut = pen.number(1, len(heads) - 2)
        last = pen.number(cut + 2, len(heads))
        heads[cut:last] = [Node((pen.pick(words.OUTER_HEADS), TEXT), heads[cut:last])]
    fits = any(not one.numeric and other.numeric for one, other in pairwise(measures))
    fits = fits and all(row.kind == DATA for row in stub.rows)
    if way == "key" and fits and pen.chance(0.1):
        parts = [row for row in stub.rows if row.kind == DATA]
        stub.rows.append(Row({}, TOTAL, strong=pen.manner.total_bold, parts=parts, aside=pen.pick(words.TOTALS)))
    return make_table(pen, stub, plan_of(pen, heads), measures)


def _keyed(pen: Pen, rows: int) -> Stub:
    """One key that tells all rows apart."""
    kind = pen.among(codes=2, dates=2, words=5, numbered=1)
    if pen.chance(0.15):
        return _attributed(pen, rows)
    if kind == "codes":
        name, labels = pen.codes(rows)
    elif kind == "dates":
        name, labels = "Date", pen.dates(rows)
    elif kind == "numbered":
        name, labels = pen.numbered(rows)
    else:
        name, labels = pen.labels(rows, plain=True)
    made = [Row({0: label}) for label in labels]
    if pen.chance(0.15):
        add_total(pen, made, list(made), None, 0)
    return Stub(1, made, [name])


def _attributed(pen: Pen, rows: int) -> Stub:
    """A key behind a column of what comes again and again."""
    kinds, (name, labels) = pen.words(pen.number(2, 5)), pen.labels(rows, plain=True)
    made = [Row({0: (pen.pick(kinds[1]), TEXT), 1: label}) for label in labels]
    return Stub(2, made, [kinds[0], name])


def _nodes(labels: list[Label]) -> list[Node]:
    return [Node(label) for label in labels]


def draw_matrix(pen: Pen, rows: int, columns: int) -> Table:
    """Marks that say where two lists meet."""
    plan = plan_of(pen, _nodes(pen.labels(max(2, columns))[1]))
    measure = Measure("flag", texts=pen.pick(words.FLAGS), additive=False)
    stub = flat_stub(pen, max(3, rows)) if pen.chance(0.7) else columned_stub(pen, rows)
    return make_table(pen, stub, plan, [measure] * plan.count)


def draw_schedule(pen: Pen, rows: int, columns: int) -> Table:
    """Hours or days down, days or people across, texts where they meet."""
    days = pen.pick([one for one in words.HEAD_LISTS if len(one) >= 5])
    across = [(text, TEXT) for text in days] if pen.chance(0.7) else pen.dates(max(3, columns))
    plan = plan_of(pen, _nodes(across))
    step = pen.pick((30, 60))
    start = pen.number(6, 10) * 60
    form = pen.pick(("{:02}:{:02}", "{}:{:02}", "{}:{:02} h"))
    hours = [form.format(*divmod((start + step * at) % 1440, 60)) for at in range(max(3, min(rows, 24)))]
    stub = Stub(1, [Row({0: (text, TEXT)}) for text in hours], [pen.pick(("Time", "Hour", "Zeit", "Hora"))])
    return make_table(pen, stub, plan, [draw_texts(pen, "words")] * plan.count)


def draw_card(pen: Pen, rows: int, columns: int) -> Table:
    """Fields down, one column or a few of what they are: every row has values of its own kind."""
    labels = list(dict.fromkeys(pen.field().rstrip(":") for _ in range(max(4, min(rows, 25)))))
    stub = Stub(1, [Row({0: (text, TEXT)}) for text in labels], ["Item"])
    plan = plan_of(pen, _nodes(pen.labels(max(2, min(columns, 4)), plain=True)[1]))
    return _by_rows(pen, stub, plan, [draw_measure(pen) if pen.chance(0.6) else draw_texts(pen) for _ in labels])


def draw_records(pen: Pen, rows: int, columns: int) -> Table:
    """A relation on its side: heads at the left, one record a column."""
    heads, measures = _typed_columns(pen, max(3, min(rows, 15)))
    stub = Stub(1, [Row({0: node.label}) for node in heads], [pen.name()])
    plan = plan_of(pen, _nodes(pen.labels(max(2, columns))[1]))
    return _by_rows(pen, stub, plan, measures)


def _by_rows(pen: Pen, stub: Stub, plan: Plan, measures: list[Measure]) -> Table:
    """A table each row of which has a kind of values of its own."""
    plan.sums.clear()
    return make_table(pen, stub, plan, [Measure()] * plan.count, row_measures=measures)


def draw_pairs(pen: Pen, rows: int, columns: int) -> Table:
    """Labels with what they name beside them, without heads; at times under rows that name a part."""
    texts = list(dict.fromkeys(pen.field().rstrip(":") for _ in range(max(3, min(rows, 20)))))
    made: list[Row] = []
    parted = len(texts) > 4 and pen.manner.styled and pen.chance(0.4)
    part: Row | None = None
    for at, text in enumerate(texts):
        if parted and (at == 0 or pen.chance(0.2)):
            part = Row({0: (pen.group(), TEXT)}, GROUP_ROW, strong=True)
            made.append(part)
        made.append(Row({0: (text + ":" if pen.manner.colon else text, TEXT)}, above=part))
    plan = plan_of(pen, [Node(("", TEXT)) for _ in range(pen.pick((1, 1, 1, 1, 2)))])
    kinds = [draw_measure(pen) if pen.chance(0.5) else draw_texts(pen) for _ in made]
    return make_table(pen, Stub(1, made, []), plan, [Measure()] * plan.count, row_measures=kinds, headed=False)


def draw_correlation(pen: Pen, rows: int, columns: int) -> Table:
    """The same labels down and across; often one half only."""
    name, labels = pen.labels(max(3, min(rows, columns, 12)), plain=True)
    shown = [(str(at + 1), NUMBER) for at in range(len(labels))] if pen.chance(0.2) else labels
    stub = Stub(1, [Row({0: label}) for label in labels], [name])
    measure = Measure(scale=0.4, places=pen.pick((2, 2, 3)), additive=False)
    return make_table(pen, stub, plan_of(pen, _nodes(shown)), [measure] * len(labels), half=pen.chance(0.6))


def draw_calendar(pen: Pen, rows: int, columns: int) -> Table:
    """The weeks of a month under the days of the week."""
    days = pen.pick([one for one in words.HEAD_LISTS if len(one) == 7])
    numbered = pen.chance(0.3)
    first, last = pen.number(0, 6), pen.number(28, 31)
    weeks: list[Row] = []
    for week in range((first + last + 6) // 7):
        days_of = {at: 7 * week + at - first + 1 for at in range(7)}
        fixed = {at: (str(day), NUMBER) for at, day in days_of.items() if 0 < day <= last}
        weeks.append(Row({0: (f"Week {week + 1}", TEXT)} if numbered else {}, fixed=fixed))
    plan = plan_of(pen, _nodes([(text, TEXT) for text in days]))
    return make_table(pen, Stub(int(numbered), weeks, ["Week"]), plan, [Measure(scale=12.0)] * plan.count)


def draw_ledger(pen: Pen, rows: int, columns: int) -> Table:
    """A statement of accounts over a few periods."""
    plan = plan_of(pen, _nodes(pen.heads(max(1, min(columns, 5)))))
    measure = draw_measure(pen)._replace(additive=True)
    return make_table(pen, ledger_stub(pen), plan, [measure] * plan.count)


def ledger_stub(pen: Pen) -> Stub:
    """Headings, their accounts, totals that close them, and results below."""
    made: list[Row] = []
    indent = int(pen.manner.indent != "none" and pen.chance(0.7))
    sums: list[Row] = []
    for text in dict.fromkeys(pen.group() for _ in range(pen.number(2, 5))):
        head = Row({0: (text + ":" if pen.manner.colon else text, TEXT)}, GROUP_ROW)
        made.append(head)
        block = [Row({0: label}, above=head, level=indent) for label in pen.labels(pen.number(2, 6), plain=True)[1]]
        made += block
        closing = pen.pick(words.CLOSINGS).format(text.rstrip(":"))
        sums.append(add_total(pen, made, block, head, pen.pick((0, indent, indent + 1)) if indent else 0, closing))
        if pen.chance(0.6):
            made.append(Row(kind=BLANK))
    if made[-1].kind != BLANK and pen.chance(0.3):
        made.append(Row(kind=BLANK))
    add_total(pen, made, sums, None, 0, pen.pick(("Net income", "NET TOTAL", "Grand total", "Net cash", "Total, net")))
    return Stub(1, made, [pen.name()])
