"""A document on the bench: read again after every stroke, from the stage that the stroke concerns.

In: a document and the operations that are in force. Out: its extraction, in which they hold. Regions and grids are
found once; a grid is labelled again only where what labelling takes has changed, its headers are nested again only
where anything has. Tables keep the ids of the first reading as far as they are the same tables.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tabellion.locate import RunningText
from tabellion.model.correction import Fixes, Saying, SayTable
from tabellion.model.document import LIKELY, AnyRegion, Document, Region
from tabellion.model.frame import Labelled
from tabellion.model.grid import Grid
from tabellion.model.place import Place, Rect, common_share
from tabellion.model.table import Table
from tabellion.nest import nest_frames
from tabellion.pipeline import (
    Extraction,
    Rejected,
    Settings,
    find_regions,
    grids_of,
    label_regions,
    reject_grid,
    reject_region,
    relate_frames,
)
from tabellion.repair.constraints import fixes_of, mend_grid, mend_region
from tabellion.repair.editions import Carrier, Edition, Editions
from tabellion.repair.places import same_region
from tabellion.weights import Weights


class Placed(msgspec.Struct, frozen=True):
    """An operation and the region that it speaks of."""

    place: Place
    operation: Saying


class _Bench:
    """One region and what was last made of it, each with what it was made from."""

    def __init__(self, region: AnyRegion) -> None:
        self.region = region
        self.found: Grid | None = None  # before lines and cells were joined or parted
        self.found_in: Rect | None = None
        self.grid: Grid | None = None
        self.grid_from: list[Saying] | None = None
        self.labelled: Labelled | None = None
        self.labelled_from: Fixes | None = None
        self.tables: list[Table] = []
        self.tables_from: Fixes | None = None


class Rereading:
    """A document that is read again and again."""

    def __init__(self, document: Document, settings: Settings = Settings(), *, follow: bool = True) -> None:
        self.document, self.follow = document, follow
        self.settings = msgspec.structs.replace(settings, pages_apart=False)
        self.weights = Weights(settings.weights)
        text = RunningText()
        self._issues = list(document.issues)
        regions = find_regions(document, self.settings, self.weights, self._issues, text)
        self._benches = [_Bench(region) for region in regions]
        self._sentences = tuple(text.close())
        self._first: list[Table] | None = None
        self._carriers: dict[str, Carrier] = {}

    def __getstate__(self) -> dict[str, object]:
        """What goes from the worker that read it to who repairs it: all but the weights, which are files."""
        return {name: held for name, held in self.__dict__.items() if name != "weights"}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self.weights = Weights(self.settings.weights)

    def read(self, operations: Sequence[Placed] = ()) -> Extraction:
        """The extraction in which the operations hold."""
        if self._first is None:
            self._first = list(self._read(()).tables)
        extraction = self._read(operations)
        return msgspec.structs.replace(extraction, tables=_with_ids(self._first, extraction.tables))

    def edition(self) -> Edition:
        """The texts of the document, by which places are found again in another edition."""
        return Edition(self._grid(bench.region) for bench in self._benches)

    def carrier(self, sha256: str, editions: Editions) -> Carrier:
        """What carries corrections from an earlier edition to this document; made once."""
        if sha256 not in self._carriers:
            self._carriers[sha256] = Carrier(editions(sha256), self.edition())
        return self._carriers[sha256]

    def _read(self, operations: Sequence[Placed]) -> Extraction:
        rejected: list[Rejected] = []
        seen: list[Labelled] = []
        tables: list[Table] = []
        issues = list(self._issues)
        for bench in self._benches:
            said = [one.operation for one in operations if same_region(one.place, bench.region.place)]
            if bench.region.genuine < LIKELY and not _is_called_table(said):
                rejected.append(reject_region(bench.region, self.settings, self.weights))
                continue
            labelled = self._label(bench, said)
            seen.append(labelled)
            issues.extend(labelled.issues)
            if not labelled.frames:
                rejected.append(reject_grid(labelled))
            for table in bench.tables:
                tables.append(msgspec.structs.replace(table, id=f"t{len(tables) + 1}"))
                issues.extend(table.issues)
        return Extraction(self.document, tuple(tables), tuple(rejected), tuple(seen), tuple(issues))

    def _grid(self, region: AnyRegion) -> Grid:
        return grids_of(region, self.settings, self.weights)[0]

    def _label(self, bench: _Bench, said: list[Saying]) -> Labelled:
        """The grid of a region labelled and its tables related, made anew where needed."""
        region = mend_region(bench.region, said) if isinstance(bench.region, Region) else bench.region
        rect = region.rect if isinstance(region, Region) else None
        if bench.found is None or bench.found_in != rect:
            bench.found, bench.found_in, bench.grid_from = self._grid(region), rect, None
        if bench.grid is None or bench.grid_from != said:
            mended = mend_grid(bench.found, said)
            if mended is not bench.grid:
                bench.labelled_from = bench.tables_from = None
            bench.grid, bench.grid_from = mended, said
        fixes = fixes_of(bench.grid, said, follow=self.follow)
        if bench.labelled is None or bench.labelled_from != fixes.of_labels():
            found = [(region, bench.grid)]
            [bench.labelled] = label_regions(found, self.settings, self.weights, fixes.of_labels())
            bench.labelled_from, bench.tables_from = fixes.of_labels(), None
        if bench.tables_from != fixes:
            frames = tuple(msgspec.structs.replace(frame, fixes=fixes) for frame in bench.labelled.frames)
            (nested,) = nest_frames([frames], self.weights, self.settings.parents)
            bench.tables = relate_frames(nested, self.document, sentences=self._sentences)
            bench.tables_from = fixes
        return bench.labelled


def _is_called_table(said: list[Saying]) -> bool:
    return any(isinstance(one, SayTable) and one.to for one in said)


def _with_ids(first: Sequence[Table], tables: Sequence[Table]) -> tuple[Table, ...]:
    """The tables with the ids that they had in the first reading; new ones have new ids."""
    free = {table.id: table for table in first}
    named: dict[int, str] = {}
    pairs = sorted(
        (
            (-common_share(old.grid.source_rect(old.frame.rect), new.grid.source_rect(new.frame.rect)), number, old.id)
            for number, new in enumerate(tables)
            for old in first
            if same_region(old.grid.place, new.grid.place)
        ),
    )
    for share, number, name in pairs:
        if share < 0 and number not in named and name in free:
            named[number] = name
            del free[name]
    last = max((int(table.id[1:]) for table in first), default=0)
    found = []
    for number, table in enumerate(tables):
        if number not in named:
            last += 1
        found.append(msgspec.structs.replace(table, id=named.get(number, f"t{last}")))
    return tuple(found)
