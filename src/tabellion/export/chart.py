"""Rows as a chart: bars, lines or points, as a drawing that becomes SVG or PNG.

In: names and rows of a query. Out: a `Chart`, and its `Scene`. The first column is what the others are drawn over where
it holds words, times or, beside other columns, numbers; every other column of numbers is a series. Times and numbers
are drawn as lines in their order, words as bars, unless another kind is asked for. Fails where there are more bars than
can be told apart: it says so.

PNG is written by hand, from strips of pixels one below the other: rows of pixels in a zlib stream are all that is
needed, and no library for pictures has to be installed.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from html import escape
from typing import Any, Literal, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.errors import UsageError
from tabellion.model.printed import DrawnBox, DrawnLine, DrawnText, Scene
from tabellion.values.periods import read_period

Pixels = NDArray[np.uint8]  # rows, columns, red green blue


def encode_png(
    strips: Iterable[Pixels], width: int, height: int, behind: tuple[int, ...] = (255, 255, 255)
) -> Iterator[bytes]:
    """The bytes of a picture that is made of strips, each in the middle of its rows."""
    yield b"\x89PNG\r\n\x1a\n"
    yield _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    packer = zlib.compressobj(6)
    for strip in strips:
        rows = np.empty((strip.shape[0], 1 + 3 * width), dtype=np.uint8)
        rows[:, 0] = 0  # rows are stored as they are
        pixels = rows[:, 1:].reshape(strip.shape[0], width, 3)
        pixels[:] = behind
        left = max(0, width - strip.shape[1]) // 2
        pixels[:, left : left + strip.shape[1]] = strip[:, :width]
        packed = packer.compress(rows.tobytes())
        if packed:
            yield _chunk(b"IDAT", packed)
    yield _chunk(b"IDAT", packer.flush())
    yield _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


Kind = Literal["bar", "line", "scatter"]
KINDS: tuple[Kind, ...] = get_args(Kind)
COLOURS = ("#3f51b5", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#9aa0a6", "#f0e442")
MOST_BARS = 60
_SIZE = (760.0, 420.0)
_LETTER = 0.55  # of its size, the usual width of a letter
_GREY, _INK = "#dadce0", "#202124"


class ChartSeries(msgspec.Struct, frozen=True):
    """One series of numbers; None where there is none."""

    name: str
    values: list[float | None]


class Chart(msgspec.Struct, frozen=True):
    """What is drawn: labels, or places on the axis, and series over them."""

    kind: Kind
    title: str
    axis: str
    labels: list[str]
    places: list[float]
    series: list[ChartSeries]
    low: list[float] | None = None  # of each bar of a single series, where its range is known
    high: list[float] | None = None


def build_chart(
    names: Sequence[str], rows: Sequence[Sequence[Any]], kind: Kind | None = None, title: str = ""
) -> Chart:
    """A chart of the rows of a query."""
    if not rows:
        raise UsageError("there is nothing to draw: the query gives no row")
    columns = list(zip(*rows, strict=True))
    numbers = [_are_numbers(column) for column in columns]
    axis = 0 if len(columns) > 1 or not numbers[0] else None
    drawn = [place for place, number in enumerate(numbers) if number and place != axis]
    if not drawn:
        raise UsageError("there is nothing to draw: no column after the first holds numbers")
    over = columns[axis] if axis is not None else tuple(range(1, len(rows) + 1))
    places = _places(over)
    kind = kind or ("bar" if places is None else "line")
    if kind == "bar" and len(rows) > MOST_BARS:
        raise UsageError(f"{len(rows):,} bars are too many: select at most {MOST_BARS} rows, or use --kind line")
    if kind == "scatter" and places is None:
        raise UsageError("points need numbers or times in the first column")
    order = range(len(rows))
    if places is not None and kind != "bar":
        order = sorted(order, key=lambda row: places[row])  # type: ignore[assignment]
    return Chart(
        kind=kind,
        title=title,
        axis=names[axis] if axis is not None else "",
        labels=[_text(over[row]) for row in order],
        places=[places[row] if places is not None and kind != "bar" else float(at) for at, row in enumerate(order)],
        series=[ChartSeries(names[place], [_number(columns[place][row]) for row in order]) for place in drawn],
    )


def draw_chart(chart: Chart) -> Scene:
    """A chart as a drawing."""
    width, height = _SIZE
    ticks = nice_ticks(*_span(chart))
    left = 20 + max(len(tick_text(tick)) for tick in ticks) * 11 * _LETTER
    many = len(chart.series) > 1
    top = 16 + (22 if chart.title else 0) + (20 if many else 0)
    steep = chart.kind == "bar" and max(map(len, chart.labels)) * 11 * _LETTER > (width - left) / len(chart.labels)
    frame = _Frame(left, top, width - 16, height - (34 if chart.axis else 22) - (14 if steep else 0), ticks)
    parts: list[DrawnBox | DrawnLine | DrawnText] = [DrawnBox(0, 0, width, height, "#ffffff")]
    if chart.title:
        parts.append(DrawnText(16, 24, chart.title, 14, bold=True))
    if many:
        parts += _legend(chart, 16, top - 8)
    for tick in ticks:
        y = frame.y(tick)
        parts.append(DrawnLine(((frame.left, y), (frame.right, y)), _GREY if tick else _INK, 0.6))
        parts.append(DrawnText(frame.left - 6, y + 4, tick_text(tick), 11, "end"))
    parts += _bars(chart, frame) if chart.kind == "bar" else _lines(chart, frame)
    parts += _axis_labels(chart, frame)
    if chart.axis:
        parts.append(DrawnText((frame.left + frame.right) / 2, height - 6, chart.axis, 11, "middle"))
    return Scene(width, height, tuple(parts))


def scene_svg(scene: Scene) -> str:
    """A drawing as SVG."""
    lines = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {scene.width:g} {scene.height:g}'"
        f" width='{scene.width:g}' height='{scene.height:g}' font-family='sans-serif'>"
    ]
    for part in scene.parts:
        title = f"<title>{escape(part.said)}</title>" if not isinstance(part, DrawnText) and part.said else ""
        if isinstance(part, DrawnBox):
            lines.append(
                f"<rect x='{part.left:.1f}' y='{part.top:.1f}' width='{part.width:.1f}' height='{part.height:.1f}'"
                f" fill='{part.colour}'>{title}</rect>"
            )
        elif isinstance(part, DrawnLine):
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in part.points)
            lines.append(
                f"<polyline points='{points}' fill='none' stroke='{part.colour}'"
                f" stroke-width='{part.width:g}'>{title}</polyline>"
            )
        else:
            weight = " font-weight='bold'" if part.bold else ""
            lines.append(
                f"<text x='{part.x:.1f}' y='{part.y:.1f}' font-size='{part.size:g}' text-anchor='{part.anchor}'"
                f" fill='{part.colour}'{weight}>{escape(part.text)}</text>"
            )
    return "\n".join([*lines, "</svg>", ""])


def scene_png(scene: Scene, scale: float = 2.0) -> bytes:
    """A drawing as PNG; letters that the standard fonts of PDF lack are left out."""
    from tabellion.read.pdf.picture import picture_scene

    pixels = picture_scene(scene, scale)
    return b"".join(encode_png([pixels], pixels.shape[1], pixels.shape[0]))


def nice_ticks(low: float, high: float, count: int = 6) -> list[float]:
    """Round numbers that span two others.

    >>> nice_ticks(0, 47), nice_ticks(-3, 3)
    ([0.0, 10.0, 20.0, 30.0, 40.0, 50.0], [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0])
    """
    if high <= low:
        high = low + (abs(low) or 1.0)
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]


def tick_text(value: float) -> str:
    """A number as it stands on an axis.

    >>> tick_text(1500000.0), tick_text(0.25), tick_text(20.0)
    ('1.5M', '0.25', '20')
    """
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if abs(value) >= size:
            return f"{value / size:g}{letter}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"


class _Frame(msgspec.Struct, frozen=True):
    left: float
    top: float
    right: float
    bottom: float
    ticks: list[float]

    def y(self, value: float) -> float:
        low, high = self.ticks[0], self.ticks[-1]
        return self.bottom - (value - low) / (high - low) * (self.bottom - self.top)

    def x(self, place: float, low: float, high: float) -> float:
        return self.left + 8 + (place - low) / ((high - low) or 1.0) * (self.right - self.left - 16)


def _bars(chart: Chart, frame: _Frame) -> list[DrawnBox | DrawnLine | DrawnText]:
    slot = (frame.right - frame.left) / len(chart.labels)
    wide = slot * 0.75 / len(chart.series)
    parts: list[DrawnBox | DrawnLine | DrawnText] = []
    for number, series in enumerate(chart.series):
        for at, value in enumerate(series.values):
            if value is None:
                continue
            x = frame.left + slot * (at + 0.125) + wide * number
            y, zero = frame.y(value), frame.y(0.0)
            said = f"{chart.labels[at]}, {series.name}: {value:,g}"
            parts.append(DrawnBox(x, min(y, zero), wide, max(abs(zero - y), 0.5), _colour(number), said))
            if chart.low and chart.high:
                middle, ends = x + wide / 2, (frame.y(chart.low[at]), frame.y(chart.high[at]))
                parts.append(DrawnLine(((middle, ends[0]), (middle, ends[1])), _INK, 1.2))
    return parts


def _lines(chart: Chart, frame: _Frame) -> list[DrawnBox | DrawnLine | DrawnText]:
    low, high = min(chart.places), max(chart.places)
    parts: list[DrawnBox | DrawnLine | DrawnText] = []
    for number, series in enumerate(chart.series):
        points = [
            (frame.x(place, low, high), frame.y(value))
            for place, value in zip(chart.places, series.values, strict=True)
            if value is not None
        ]
        if chart.kind == "line" and len(points) > 1:
            parts.append(DrawnLine(tuple(points), _colour(number), 2.0, series.name))
        if chart.kind == "scatter" or len(points) < 40:
            parts += [DrawnBox(x - 2.5, y - 2.5, 5, 5, _colour(number)) for x, y in points]
    return parts


def _axis_labels(chart: Chart, frame: _Frame) -> list[DrawnText]:
    """Labels under the axis, as many as there is room for; under bars all, in two rows where they are long."""
    if chart.kind != "bar":
        low, high = min(chart.places), max(chart.places)
        step = max(1, math.ceil(len(chart.labels) * max(map(len, chart.labels)) * 8 / (frame.right - frame.left)))
        return [
            DrawnText(frame.x(chart.places[at], low, high), frame.bottom + 15, chart.labels[at], 11, "middle")
            for at in range(0, len(chart.labels), step)
        ]
    slot = (frame.right - frame.left) / len(chart.labels)
    room = max(3, int(2 * slot / (11 * _LETTER)))
    long = max(map(len, chart.labels)) * 11 * _LETTER > slot
    shown = [label if len(label) <= room else label[: room - 1] + "…" for label in chart.labels]
    return [
        DrawnText(frame.left + slot * (at + 0.5), frame.bottom + (29 if long and at % 2 else 15), label, 11, "middle")
        for at, label in enumerate(shown)
    ]


def _legend(chart: Chart, x: float, y: float) -> list[DrawnBox | DrawnText]:
    parts: list[DrawnBox | DrawnText] = []
    for number, series in enumerate(chart.series):
        parts.append(DrawnBox(x, y - 9, 10, 10, _colour(number)))
        parts.append(DrawnText(x + 14, y, series.name, 11))
        x += 30 + len(series.name) * 11 * _LETTER
    return parts


def _span(chart: Chart) -> tuple[float, float]:
    values = [value for series in chart.series for value in series.values if value is not None]
    values += [*(chart.low or ()), *(chart.high or ())]
    low, high = min(values, default=0.0), max(values, default=1.0)
    if chart.kind == "bar" or (low > 0 and low < 0.5 * high):
        low, high = min(low, 0.0), max(high, 0.0)
    return low, high


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _are_numbers(column: Sequence[Any]) -> bool:
    said = [value for value in column if value is not None]
    return bool(said) and all(_number(value) is not None for value in said)


def _number(value: Any) -> float | None:
    if isinstance(value, bool | str) or value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _places(values: Sequence[Any]) -> list[float] | None:
    """Where values stand on an axis: numbers, and times by their first day; None where they are words."""
    found: list[float] = []
    for value in values:
        if isinstance(value, datetime | date):
            found.append(float(value.toordinal()))
        elif (number := _number(value)) is not None:
            found.append(number)
        elif isinstance(value, str) and (period := read_period(value)) and period.start:
            found.append(float(period.start.toordinal()))
        else:
            return None
    return found


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return "" if value is None else str(value)
