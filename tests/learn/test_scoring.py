"""What readings are worth: a perfect reading scores 1, what is missing costs, and what is told goes out in lines."""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tabellion.learn import corpora
from tabellion.learn.__main__ import main
from tabellion.learn.measuring import with_whole_heads
from tabellion.learn.scoring import articles, sheets, web
from tabellion.learn.scoring.readings import read_lines
from tabellion.learn.scoring.sites import Corpus, score_unified

TREE = [
    {"id": "a", "text": "All", "parent": None, "cells": [[0, 1]]},
    {"id": "b", "text": "Men", "parent": "a", "cells": [[1, 1]]},
    {"id": "c", "text": "Women", "parent": "a", "cells": [[1, 2]]},
]
SHEET: dict[str, Any] = {
    "source": "folder/one.xlsx",
    "tables": [{"place": {"sheet": "S", "range": "A1:C4"}, "top": TREE, "left": [], "cells": [], "tuples": []}],
}


def corpus(folder: Path, kind: str, gold: dict[str, Any]) -> Path:
    folder.mkdir()
    (folder / "corpus.json").write_text(json.dumps({"corpus": kind, "part": "dev"}))
    (folder / "gold.jsonl").write_text(json.dumps(gold) + "\n")
    return folder


def test_trees_of_a_sheet(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "c", "hitab-top", {"file": "one.xlsx", "top": [["B1", "B2"], ["B1", "C2"]], "left": []})
    right = sheets.score(folder, read_lines([json.dumps(SHEET)]))
    assert right["top"]["f1"] == right["left"]["f1"] == 1
    poorer = copy.deepcopy(SHEET)
    poorer["tables"][0]["top"] = TREE[:2]
    assert sheets.score(folder, read_lines([json.dumps(poorer)]))["top"] == {
        "p": 1.0, "r": 0.5, "f1": 0.6667, "macro": 0.6667, "gold": 2,
    }  # fmt: skip
    assert sheets.score(folder, {})["missing"] == 1
    assert sheets.score(folder, {"one.xlsx": {"source": "one.xlsx", "error": {}}})["top"]["f1"] == 0


def test_ranges_of_a_sheet(tmp_path: Path) -> None:
    gold = {"file": "one.xlsx", "sheet": "S", "tables": ["A1:C4"], "rows": ["2H", "1H1D"]}
    folder = corpus(tmp_path / "c", "statsheets", gold)
    figures = sheets.headline(sheets.score(folder, read_lines([json.dumps(SHEET)])))
    assert (figures["tables_exact.f1"], figures["tables_half.f1"]) == (1, 1)
    near = json.dumps(SHEET).replace("A1:C4", "A1:C3")
    figures = sheets.headline(sheets.score(folder, read_lines([near])))
    assert (figures["tables_exact.f1"], figures["tables_half.f1"]) == (0, 1)


ARTICLE: dict[str, Any] = {
    "corpus": "jats",
    "id": "one",
    "source": "one.pdf",
    "title": "Of sheep",
    "authors": [{"given": "Ada", "family": "Lamb"}],
    "tables": [
        {
            "label": "Table 1", "caption": "Sheep by year", "caption_position": "above", "header_rows": 1,
            "footnotes": [], "references": [],
            "cells": [
                {"row": r, "column": c, "row_span": 1, "column_span": 1, "text": text}
                for r, row in enumerate([["Valley", "1990", "2000"], ["Upper", "12", "14"], ["Lower", "7", "9"]])
                for c, text in enumerate(row)
            ],
        }
    ],
}  # fmt: skip


def test_numbers_of_an_article() -> None:
    table = ARTICLE["tables"][0]
    tuples = [
        {"text": text, "top": [year], "left": [valley]}
        for valley, row in (("Upper", ("12", "14")), ("Lower", ("7", "9")))
        for year, text in zip(("1990", "2000"), row, strict=True)
    ]
    about = {"affiliated": {"index_number": "Table 1", "caption": "Sheep by year", "caption_position": "above"}}
    line = {
        "source": "one.pdf",
        "title": "Of sheep",
        "authors": ["Ada Lamb"],
        "tables": [{"cells": table["cells"], "header_rows": 1, "tuples": tuples, "metadata": about}],
    }
    result = articles.evaluate([ARTICLE], {"one.pdf": line})
    assert (result["pooled_F1"], result["numbers_F1"], result["header_rows"], result["tables_F1"]) == (1, 1, 1, 1)
    assert result["metadata"]["accuracy"] == 1
    without = copy.deepcopy(line)
    for one in without["tables"][0]["tuples"]:  # type: ignore[index]
        one["left"] = []
    assert articles.evaluate([ARTICLE], {"one.pdf": without})["numbers_F1"] == 0
    assert articles.evaluate([ARTICLE], {})["metadata_all"]["recall"] == 0


def test_genuine_tables_of_a_page() -> None:
    tables = [
        {
            "table_index": number, "label": label, "source": "hand", "sure": True, "orientation_sure": True,
            "orientation": "column", "header_rows": 1, "header_columns": 0,
        }
        for number, label in enumerate(("genuine", "layout", "genuine"))
    ]  # fmt: skip
    page = {"file": "one.html", "corpus": "some", "tables": tables}
    found = {"place": {"table_index": 0}, "genuine": 0.9, "orientation": "column", "header_rows": 1}
    doubtful = {"place": {"table_index": 1}, "genuine": 0.2}
    result = web.measure("webtables", [page], {"one.html": {"tables": [found, doubtful]}})
    assert (result["sure"]["p"], result["sure"]["r"], result["orientation_accuracy"]) == (1, 0.5, 1)
    assert any(line.startswith("sure") and "R 0.500" in line for line in web.describe(result))


def test_values_of_a_site(tmp_path: Path) -> None:
    gold = {
        "source": "movie-a/1.htm",
        "site": "movie-a",
        "vertical": "movie",
        "closed": {"title": ["Sheep"], "year": ["1999"]},
    }
    folder = corpus(tmp_path / "c", "unified", gold)
    (folder / "corpus.json").write_text(json.dumps({"corpus": "unified", "side": "dev"}))
    year = {"label": ["Year"], "as": "year", "value": "1999", "main": True}
    page = {"source": "x/movie-a/1.htm", "name": "Sheep", "attributes": [year, {"label": [], "value": "Menu"}]}
    result, _ = score_unified(Corpus(folder), [page])
    assert (result["name_recall"], result["attribute_f1"], result["main_recall"], result["main_share"]) == (
        1,
        1,
        0.5,
        0.5,
    )
    assert score_unified(Corpus(folder), [])[0]["missing"] == 1


def test_lines_are_scored_against_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    folder = corpus(tmp_path / "c", "hitab-top", {"file": "one.xlsx", "top": [["B1", "B2"], ["B1", "C2"]], "left": []})
    (tmp_path / "lines.jsonl").write_text(json.dumps(SHEET) + "\n")
    monkeypatch.setattr(sys, "argv", ["learn", "score", str(folder), str(tmp_path / "lines.jsonl")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["top"]["f1"] == 1


def told_by(command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit status of a command, and what it writes to standard error."""
    monkeypatch.setattr(sys, "argv", ["learn", *command])
    with pytest.raises(SystemExit) as ended:
        main()
    written = capsys.readouterr()
    assert written.out == ""
    return int(str(ended.value.code)), written.err


@pytest.mark.parametrize("command", [["measure"], ["measure", "jats", "--shipped"], ["train"], ["repairs"]])
def test_without_corpora_one_line_says_so(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TABELLION_CORPORA", str(tmp_path))
    monkeypatch.setattr(corpora, "archive_candidates", lambda name: iter(()))
    name = "jats" if "jats" in command else "troy200"
    line = f"tabellion.learn: corpus {name} not found: set TABELLION_CORPORA or unpack it (docs/corpora.md)\n"
    assert told_by(command, monkeypatch, capsys) == (1, line)


def test_a_corpus_that_is_not_known_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, line = told_by(["score", "nothing", "some.jsonl"], monkeypatch, capsys)
    assert status == 1
    assert "nothing is no corpus; these have a name: troy200" in line


def test_a_head_that_the_markup_ends_under_a_span_is_told_apart():
    def table(below: tuple[str, str]) -> dict[str, object]:
        cells = [
            {"row": 0, "column": 1, "column_span": 2, "text": "Share"},
            *({"row": 1, "column": column, "text": text} for column, text in enumerate(below, start=1)),
        ]
        return {"header_rows": 1, "cells": cells}

    parted, plain = table(("men", "women")), table(("12", "14"))
    assert with_whole_heads([{"id": "a", "tables": [parted, plain]}]) == [{"id": "a", "tables": [plain]}]


def test_a_sure_reading_that_is_wrong_costs_trust(tmp_path: Path) -> None:
    gold = {
        "file": "one.xlsx",
        "sheet": "S",
        "tables": ["A1:C4"],
        "rows": [],
        "parts": [{"range": "A1:C4", "header_rows": 2}],
    }
    folder = corpus(tmp_path / "c", "statsheets", gold)
    for heads, right in ((2, 1.0), (1, 0.0)):
        table = {**SHEET["tables"][0], "header_rows": heads, "confidence": 0.93}
        doubtful = {**table, "place": {"sheet": "S", "range": "A6:B9"}, "confidence": 0.31}
        told = sheets.score(folder, read_lines([json.dumps({**SHEET, "tables": [table, doubtful]})]))["confidence"]
        assert (told["tables"], told["sure"], told["right_where_sure"]) == (2, 1, right)
        assert told["tenths"] == {".3": "0 of 1", ".9": f"{int(right)} of 1"}


def test_a_title_above_the_head_is_no_row_of_it() -> None:
    texts = [["Clubs", None], ["Years", "Club"], ["1990", "Motherwell"], ["1994", "Celtic"]]
    roles = ["title", "header", "value", "value"]
    cells = [
        {"row": r, "column": c, "text": text, "role": roles[r], "column_span": 2 if r == 0 else 1}
        for r, row in enumerate(texts)
        for c, text in enumerate(row)
        if text
    ]
    tuples = [{"row": r, "column": c, "top": [texts[1][c]], "left": []} for r in (2, 3) for c in (0, 1)]
    table = {"cells": cells, "tuples": tuples, "confidence": 0.95, "header_rows": 1, "header_columns": 0}
    known = {"label": "genuine", "source": "hand", "sure": True, "orientation_sure": True}
    told = {**known, "header_rows": 1, "header_columns": 0}
    assert list(web.judge_web([({}, told, table)])) == [(0.95, True)]
    assert list(web.judge_web([({}, told, {**table, "tuples": tuples[1:]})])) == [(0.95, False)]
    assert list(web.judge_web([({}, {**told, "label": "layout"}, table)])) == [(0.95, False)]
