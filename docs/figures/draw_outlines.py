"""Write the outlines of countries and states that the app draws maps of: frontend/src/ask/outlines.json.

    npm pack world-atlas@2 us-atlas@3, unpack both, then:
    python docs/figures/draw_outlines.py WORLD/countries-110m.json US/states-albers-10m.json

In: TopoJSON of Natural Earth and of the US Census Bureau, which are in the public domain, as the packages world-atlas
and us-atlas (ISC licence) have them. Out: a path of SVG for each place that is known by a code, simplified after
Douglas and Peucker. Fails where a country is not known by its name, and says which.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from tabellion.values.periods import find_places

OUT = Path(__file__).parents[2] / "frontend/src/ask/outlines.json"
SCALE, TALLER = 2.6, 1.15  # of the map of the world: units for each degree, and more of them upwards
CODES: dict[str, str | None] = {  # names that are shortened on maps; None: drawn, but of no code
    "Antarctica": None,
    "Bosnia and Herz.": "BA",
    "Central African Rep.": "CF",
    "Congo": "CG",
    "Czechia": "CZ",
    "Côte d'Ivoire": "CI",
    "Dem. Rep. Congo": "CD",
    "Dominican Rep.": "DO",
    "Eq. Guinea": "GQ",
    "Falkland Is.": "FK",
    "Fr. S. Antarctic Lands": "TF",
    "Georgia": "GE",
    "Kosovo": "XK",
    "Laos": "LA",
    "Macedonia": "MK",
    "N. Cyprus": None,
    "North Korea": "KP",
    "Palestine": "PS",
    "Puerto Rico": None,  # a place of the United States
    "S. Sudan": "SS",
    "Solomon Is.": "SB",
    "Somaliland": None,
    "South Korea": "KR",
    "Taiwan": "TW",
    "Timor-Leste": "TL",
    "United States of America": "US",
    "W. Sahara": "EH",
    "eSwatini": "SZ",
}
Point = tuple[float, float]
Put = Callable[[float, float], tuple[int, int]]


def arcs_of(topology: dict[str, Any], tolerance: float) -> list[list[Point]]:
    """The lines of a map, simplified; where they are stored as steps, summed up."""
    if "transform" not in topology:
        return [simplify([(x, y) for x, y in arc], tolerance) for arc in topology["arcs"]]
    (wide, high), (left, low) = topology["transform"]["scale"], topology["transform"]["translate"]
    arcs = []
    for arc in topology["arcs"]:
        x = y = 0
        points = []
        for step_x, step_y in arc:
            x, y = x + step_x, y + step_y
            points.append((x * wide + left, y * high + low))
        arcs.append(simplify(points, tolerance))
    return arcs


def simplify(points: list[Point], tolerance: float) -> list[Point]:
    """The points of a line that lie farther than `tolerance` from what is drawn without them."""
    kept, waiting = {0, len(points) - 1}, [(0, len(points) - 1)]
    while waiting:
        first, last = waiting.pop()
        (x1, y1), (x2, y2) = points[first], points[last]
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        farthest, at = 0.0, -1
        for place in range(first + 1, last):
            x, y = points[place]
            far = (
                abs((y2 - y1) * (x - x1) - (x2 - x1) * (y - y1)) / length
                if length
                else ((x - x1) ** 2 + (y - y1) ** 2) ** 0.5
            )
            if far > farthest:
                farthest, at = far, place
        if farthest > tolerance:
            kept.add(at)
            waiting += [(first, at), (at, last)]
    return [points[place] for place in sorted(kept)]


def rings(shape: dict[str, Any], arcs: list[list[Point]]) -> Iterator[list[Point]]:
    """The closed lines of a shape."""
    parts = shape["arcs"] if shape["type"] == "MultiPolygon" else [shape["arcs"]] if shape["type"] == "Polygon" else []
    for ring in (ring for part in parts for ring in part):
        points: list[Point] = []
        for number in ring:
            arc = arcs[number] if number >= 0 else arcs[~number][::-1]
            points += arc[1:] if points else arc
        yield points


def drawn(shape: dict[str, Any], arcs: list[list[Point]], put: Put, least: int) -> str:
    """A shape as a path of SVG, without what covers less than `least`."""
    path = ""
    for ring in rings(shape, arcs):
        points: list[tuple[int, int]] = []
        for point in ring:
            placed = put(*point)
            if not points or placed != points[-1]:
                points.append(placed)
        across = [x for x, _ in points]
        down = [y for _, y in points]
        if len(points) < 4 or (max(across) - min(across)) * (max(down) - min(down)) < least:
            continue
        steps = " ".join(f"{x2 - x1} {y2 - y1}" for (x1, y1), (x2, y2) in pairwise(points[:-1]))
        path += f"M{points[0][0]} {points[0][1]}l{steps}z"
    return path.replace(" -", "-")


def world(topology: dict[str, Any]) -> dict[str, str]:
    """A path for each country."""
    arcs, found = arcs_of(topology, 0.15), dict[str, str]()
    for shape in topology["objects"]["countries"]["geometries"]:
        name = shape["properties"]["name"]
        if name == "Antarctica":
            continue
        code = CODES[name] if name in CODES else next((p.code for p in find_places(name) if p.kind == "country"), None)
        if code is None and name not in CODES:
            sys.exit(f"{name}: no code is known; add it to CODES")
        path = drawn(shape, arcs, lambda x, y: (round((x + 180) * SCALE), round((84 - y) * SCALE * TALLER)), 3)
        if path:
            code = code or f"_{len(found)}"
            found[code] = found.get(code, "") + path
    return found


def states(topology: dict[str, Any]) -> dict[str, str]:
    """A path for each state of the United States."""
    arcs, found = arcs_of(topology, 0.9), dict[str, str]()
    for shape in topology["objects"]["states"]["geometries"]:
        name = shape["properties"]["name"]
        codes = [place.code for place in find_places(name) if place.kind == "state" and place.code.startswith("US-")]
        if codes:
            least = 0 if name == "District of Columbia" else 12
            found[codes[0]] = drawn(shape, arcs, lambda x, y: (round(x), round(y)), least)
    return found


def main() -> None:
    countries, united = (json.loads(Path(name).read_text(encoding="utf-8")) for name in sys.argv[1:3])
    maps = {
        "country": {"width": 936, "height": 430, "paths": world(countries)},
        "state": {"width": 975, "height": 610, "paths": states(united)},
    }
    OUT.write_text(json.dumps(maps, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
