"""Weights that were learned on other features than those that are computed are refused, whatever their kind."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

from printing import PdfPage, lay_table, write_pdf
from tabellion.cli import app
from tabellion.errors import WeightsError
from tabellion.library import open_library
from tabellion.library.verify import verify_library
from tabellion.locate.web.genuine import locate_tables
from tabellion.mine import facts, names, schema
from tabellion.pipeline import Settings, extract_document
from tabellion.read.web.page import read_markup
from tabellion.weights import SHIPPED, Weights

EXAMPLES = Path(__file__).parents[2] / "examples"
SHEET, LIST, LEVELS = EXAMPLES / "smoking.xlsx", EXAMPLES / "list.xlsx", EXAMPLES / "pilots.xlsx"
PAGE, PRINT = EXAMPLES / "lakes.html", EXAMPLES / "report.pdf"


def spanned() -> bytes:
    """A printed table without rulings, with a line that goes over several columns."""
    page = PdfPage()
    names = ("Upper meadow", "Mill brook", "Long acre", "Fox hill", "Stone pit", "Hay field")
    rows = [["Valley", "Sheep", "Goats", "Cows", "Bulls"], *([name, "12", "140", "33", "4"] for name in names)]
    rows.insert(4, ["Valleys whose animals were counted twice, in spring and in autumn", "", "", "", ""])
    lay_table(page, rows, 212, EDGES, ruled=False)
    return write_pdf([page])


EDGES = [70.0, 200.0, 290.0, 380.0, 470.0, 540.0]

READ: dict[str, tuple[Path | bytes, dict[str, str]]] = {
    "reader": (SHEET, {}),
    **dict.fromkeys(("rows", "edges-top", "columns", "confidence", "left_parents"), (SHEET, {"reader": "staged"})),
    "edges-bottom": (LIST, {"reader": "staged"}),
    "rows_crf": (SHEET, {"rows": "crf"}),
    "rows_paper": (SHEET, {"rows": "paper"}),
    "top_parents": (LEVELS, {"reader": "staged"}),
    "left_parents_paper": (SHEET, {"parents": "svm"}),
    "top_parents_paper": (LEVELS, {"parents": "svm"}),
    **dict.fromkeys(("genuine", "web_header_rows", "web_header_columns"), (PAGE, {})),
    **dict.fromkeys(("genuine_tree", "genuine_words"), (PAGE, {"genuine": "tree"})),
    "genuine_svm": (PAGE, {"genuine": "svm"}),
    **dict.fromkeys(
        (
            "printed_header_rows", "printed-pieces-first", "printed-pieces", "printed-level-cuts",
            "printed-upright-cuts", "printed-regions", "printed-rivers-first", "printed-rivers",
            "printed-joins", "printed-rows",
        ),
        (PRINT, {}),
    ),
    "printed-spans": (spanned(), {}),
}  # fmt: skip
"""A document and a way to read it that asks for each weights file."""


def shipped() -> list[Path]:
    return [path for path in sorted(SHIPPED.glob("*.npz")) + sorted(SHIPPED.glob("*.json")) if ".card" not in path.name]


def change(source: Path, target: Path, **about: object) -> None:
    """A weights file with something else in what it says of itself; None takes it away."""
    if source.suffix == ".json":
        told = json.loads(source.read_bytes()) | about
        target.write_text(json.dumps({name: value for name, value in told.items() if value is not None}))
        return
    with np.load(source) as held:
        arrays = {name: held[name] for name in held.files}
    told = json.loads(arrays["about"].tobytes()) | about
    kept = {name: value for name, value in told.items() if value is not None}
    arrays["about"] = np.frombuffer(msgspec.json.encode(kept), dtype=np.uint8)
    np.savez_compressed(target, **arrays)


def reverse(source: Path, target: Path) -> None:
    """A weights file whose features have changed their places, and whose numbers have not."""
    if source.suffix == ".json":
        told = json.loads(source.read_bytes())
    else:
        with np.load(source) as held:
            told = json.loads(held["about"].tobytes())
    [name] = [name for name in ("inputs", "features") if name in told][:1]
    change(source, target, **{name: told[name][::-1]})


MINED = {"mined_facts": facts.FEATURES, "mined_names": names.FEATURES, "mined_attributes": schema.FEATURES}
"""What is seen of mined sites; the weights are asked for by these names where a site is mined."""


def read_with(name: str, folder: Path) -> None:
    """Read something that needs the weights of this name, with those of a folder."""
    if name == "genuine_drawn":
        shutil.copy(SHIPPED / "genuine.npz", folder)
        locate_tables(
            read_markup(PAGE.read_text())[0], Weights(folder), drawn={number: np.zeros(6) for number in range(9)}
        )
        return
    if name in MINED:
        Weights(folder).boosted(name, MINED[name])
        return
    source, chosen = READ[name]
    extract_document(source, msgspec.convert({"weights": str(folder), **chosen}, Settings))


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem)
def test_features_in_another_order_are_refused(path: Path, tmp_path: Path) -> None:
    reverse(path, tmp_path / path.name)
    with pytest.raises(WeightsError, match=rf"{path.name}.*feature 1 of.*make train.*install") as caught:
        read_with(path.stem, tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem)
def test_files_without_a_version_are_refused(path: Path, tmp_path: Path) -> None:
    change(path, tmp_path / path.name, version=None)
    with pytest.raises(WeightsError, match=rf"{path.name}.*version none, and 1 is read.*make train"):
        read_with(path.stem, tmp_path)


@pytest.mark.parametrize("name", ["columns.npz", "left_parents_paper.json", "genuine_words.npz"])
def test_damaged_files_are_refused(name: str, tmp_path: Path) -> None:
    for damaged in (b"", b"no weights", (SHIPPED / name).read_bytes()[:200], b"{}"):
        (tmp_path / name).write_bytes(damaged)
        with pytest.raises(WeightsError, match="cannot be read"):
            read_with(name.partition(".")[0], Weights(tmp_path).folder)


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(WeightsError, match=r"no weights nothing\.npz"):
        Weights().boosted("nothing", ("a",))


def test_a_library_passes_over_weights_of_its_own_that_are_of_another_version(tmp_path: Path) -> None:
    place = str(tmp_path / "library")
    with open_library(place, create=True) as library:
        own = library.folder.weights
        own.mkdir()
        shutil.copy(SHIPPED / "rows.npz", own)
        assert library.settle().weights == str(own)
        assert list(verify_library(library)) == []
        (own / "rows.card.json").write_text('{"features": "of before"}')
        card = json.loads((SHIPPED / "rows.card.json").read_bytes())
        assert bool(library.outdated_weights) == bool(card.get("features"))
        (own / "rows.card.json").unlink()
        reverse(SHIPPED / "rows.npz", own / "rows.npz")
        library.add(SHEET)
        assert library.settle().weights is None
        [line] = verify_library(library)
        assert "rows.npz: feature 1 of" in line
        assert "tabellion learn --install" in line
    ran = CliRunner().invoke(app, ["list", "--library", place])
    assert ran.exit_code == 0
    assert ran.stderr == f"tabellion: {line}\n"
