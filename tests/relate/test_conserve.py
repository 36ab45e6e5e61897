"""Conservation: every filled cell of a table's grid is in the output, or an issue tells of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.building import build_document, smoking

from tabellion.export import to_json
from tabellion.pipeline import Extraction, extract_document, relate_frames
from tabellion.relate.roles import SURE_WITH_LOSS, find_lost

EXAMPLES = Path(__file__).parents[2] / "examples"
ROLES_TOLD = {"title", "note"}


def unaccounted(table: dict[str, Any], others: list[dict[str, Any]]) -> list[tuple[int, int]]:
    """The cells of a table in the output that are no value of a tuple, no label, title, note or head of a stub."""
    told = {(one["row"], one["column"]) for each in others for one in each["tuples"]}
    told |= {
        tuple(cell) for each in others for side in ("top", "left") for node in each[side] for cell in node["cells"]
    }
    return [
        (cell["row"], cell["column"])
        for cell in table["cells"]
        if (cell["row"], cell["column"]) not in told and cell["role"] not in ROLES_TOLD and not over_stub(cell, table)
    ]


def over_stub(cell: dict[str, Any], table: dict[str, Any]) -> bool:
    """Whether a header stands over a column of its table that has no values: it names what the stub holds."""
    return cell["role"] == "header" and all(cell["column"] != one["column"] for one in table["tuples"])


def assert_conserved(extraction: Extraction) -> None:
    document = json.loads(to_json(extraction))
    notes = [issue["note"] for issue in document["issues"] if "neither value, label" in issue["note"]]
    for table in document["tables"]:
        beside = [t for t in document["tables"] if t["place"].get("sheet") == table["place"].get("sheet")]
        if unaccounted(table, beside):
            assert notes
            assert min(t["confidence"] for t in beside) <= SURE_WITH_LOSS


@pytest.mark.parametrize(
    "name", [p.name for p in sorted(EXAMPLES.iterdir()) if p.suffix in (".xlsx", ".csv", ".ods", ".html", ".pdf")]
)
def test_examples_are_conserved(name: str) -> None:
    assert_conserved(extract_document(EXAMPLES / name))


SITES = "Site,Warmth,Wind,Rain\nAsh,1.5,2,3\nElm,2.5,3,4\nOak,3.5,1,2\nIvy,4.5,7,1\n"


@pytest.mark.parametrize(
    "text",
    [
        "Title,Annual report\nAuthor,Jane Smith\nPages,12\nLanguage,English\n",
        f"Date,1 May\nOperator,Jane\n{SITES}",
        f"Data Source,World indicators\n\n{SITES}",
        "1,Ash,tree,5\n2,Elm,tree,6\n3,Ivy,climber,7\n4,Oak,tree,8\n",
        "icing,1.5,none\nwing,1.5,none\nspan,20.5,ft\nmass,3.5,kg\n",
        "Region,Variable,Unit,2000,2010\nWorld,Gas,EJ,1.5,2.5\nAsia,Gas,EJ,3.5,4.5\nAsia,Oil,t,1.5,6.5\n",
    ],
    ids=["form", "pairs", "pairs and a gap", "numbered", "no head", "units"],
)
def test_every_text_of_a_small_file_is_said_somewhere(text: str) -> None:
    extraction = extract_document(text.encode())
    assert_conserved(extraction)
    (table,) = json.loads(to_json(extraction))["tables"]
    said = [one["text"] for one in table["cells"]] + [str(table["metadata"])]
    assert [word for word in text.replace("\n", ",").split(",") if word and not any(word in one for one in said)] == []


WORDS = st.sampled_from(["", "", "North", "Total", "Source: office", "1990", "12.5", "7", "..", "-", "NA", "b"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(WORDS, min_size=2, max_size=6), min_size=2, max_size=14))
def test_made_sheets_are_conserved(rows: list[list[str]]) -> None:
    text = "\n".join(",".join(row) for row in rows)
    if any(any(row) for row in rows):
        assert_conserved(extract_document(text.encode() + b"\n"))


@pytest.mark.parametrize("corpus", ["troy200", "statsheets", "fuste", "webtables", "icdar2013"])
def test_documents_of_the_corpora_are_conserved(corpus: str, corpora: Callable[[str], Path]) -> None:
    folders = (corpora(corpus) / name for name in ("inputs", "pages", "pdf"))
    for path in sorted(path for folder in folders for path in folder.rglob("*.*"))[::30]:
        assert_conserved(extract_document(path))


def test_a_lost_value_is_named_and_lowers_the_confidence() -> None:
    nested = smoking()
    grid = nested.frame.grid
    kept = tuple(nested.frame.value_columns[:-1])
    lossy = msgspec.structs.replace(nested, frame=msgspec.structs.replace(nested.frame, value_columns=kept))
    table = relate_frames([lossy], build_document(grid))[0]
    assert table.confidence <= SURE_WITH_LOSS
    assert all(one.confidence == table.confidence for one in table.tuples)
    lost = np.argwhere(find_lost([table])).tolist()
    assert lost
    assert nested.frame.value_columns[-1] in {column for _, column in lost}
    assert grid.address(*lost[0]) in table.issues[-1].note
