"""Candidates of web pages are judged: what is a table of data, what only places things."""

from __future__ import annotations

import pytest

from tabellion.locate import locate_regions
from tabellion.locate.papers.wang import PAPER_FEATURES, paper_features
from tabellion.locate.web.features import FEATURES, genuine_features
from tabellion.locate.web.genuine import explain_region
from tabellion.locate.web.views import view_candidates
from tabellion.model.document import MarkupRegion
from tabellion.read.web.page import read_markup
from tabellion.weights import Weights
from tabellion.weights.boosted import weigh_features

DATA = "<table><tr><th>Year<th>Output<tr><td>1990<td>13.7<tr><td>1991<td>14.1<tr><td>1992<td>15.0</table>"


def regions(markup: str) -> list[MarkupRegion]:
    return locate_regions(read_markup(f"<html><body>{markup}</body></html>")[0])


def paper(markup: str) -> dict[str, float]:
    row = paper_features(view_candidates(read_markup(markup)[0], [0]))[0]
    return dict(zip(PAPER_FEATURES, row.tolist(), strict=True))


def test_every_table_is_a_candidate_leaf_or_not() -> None:
    found = regions(f"<table><tr><td>menu<td>{DATA}</table>")
    assert [region.genuine > 0.5 for region in found] == [False, True]


@pytest.mark.parametrize("role", ["presentation", "none"])
def test_a_table_that_says_it_is_for_layout_is_believed(role: str) -> None:
    [region] = regions(DATA.replace("<table>", f"<table role={role}>"))
    assert region.genuine < 0.1


def test_a_single_row_is_no_table() -> None:
    [region] = regions("<table><tr><td>1<td>2<td>3</table>")
    assert region.genuine < 0.1


def test_a_short_definition_list_is_a_record_and_a_glossary_is_not() -> None:
    record = "<dl><dt>Name<dd>Ada<dt>Born<dd>1815<dt>Died<dd>1852</dl>"
    prose = (
        "<dl>"
        + "".join(f"<dt>Term {n}<dd>{'It is said of this that it goes on and on. ' * 8}" for n in range(4))
        + "</dl>"
    )
    assert [region.genuine > 0.5 for region in regions(record + prose)] == [True, False]


def test_code_in_a_pre_is_no_table() -> None:
    code = "<pre>def f(a):\n    x = 1   # one\n    y = 22  # two\n    return x\n</pre>"
    assert regions(code)[0].genuine < 0.5


def test_a_drawing_in_a_pre_is_no_table() -> None:
    bars = [
        "19.6^          #",
        "    |          #",
        "    |     :    #",
        "    |  @  :    #",
        "    |  @  ::   #",
        "   0 +-------->",
    ]
    assert regions("<pre>KB\n" + "\n".join(bars) + "</pre>")[0].genuine < 0.5
    assert regions("<pre>KB    -     5\nMB    7     -\nGB    -     2\n</pre>")[0].genuine > 0.5


def test_the_papers_layout_features_of_a_plain_table() -> None:
    found = paper("<table><tr><td>ab<td>abcd<tr><td>ab<td>abcd</table>")
    assert (found["columns mean"], found["columns deviation"]) == (2, 0)
    assert (found["rows mean"], found["rows deviation"]) == (2, 0)
    assert (found["length mean"], found["length deviation"]) == (3, 1)
    # In a column all lengths are the mean: 0.5 for each of two cells. In a row each is a third off: 2 (0.5 - 1/3).
    assert found["length consistency"] == pytest.approx(1.0)


def test_the_papers_content_types_and_their_consistency() -> None:
    found = paper(
        "<table><tr><td>word<td>12<tr><td><a href=/>link</a><td>13<tr><td><img src=a><td><input><tr><td>»<td></table>"
    )
    shares = [
        found[f"{name} share"] for name in ("image", "form", "hyperlink", "alphabetical", "digit", "empty", "others")
    ]
    assert shares == [1 / 8, 1 / 8, 1 / 8, 1 / 8, 2 / 8, 1 / 8, 1 / 8]
    # Columns: the left has four types (1 - 3), the right two digits, a form and nothing (2 - 2): the mean is -1.
    # Rows: two types each (1 - 1): the mean is 0, which is the larger.
    assert found["type consistency"] == 0


def test_a_cell_that_spans_counts_in_every_row_it_covers() -> None:
    found = paper("<table><tr><td rowspan=2>a<td>b<tr><td>c</table>")
    assert found["columns mean"] == 2


@pytest.mark.parametrize("method", ["tree", "svm"])
def test_the_papers_classifiers_judge_as_well(method: str) -> None:
    menu = "<table><tr><td><a href=/>Home</a><td><a href=/>News</a><tr><td><img src=a><td><a href=/>Us</a></table>"
    page = read_markup(DATA + menu)[0]
    table, layout = locate_regions(page, None, method)  # type: ignore[call-overload]
    assert table.genuine > 0.5 > layout.genuine


def test_a_judgement_can_be_explained() -> None:
    menu = "<table><tr><td><a href=/>Home</a><td><a href=/>News</a><tr><td><img src=a><td><a href=/>Us</a></table>"
    [region] = regions(menu)
    why = explain_region(region, Weights())
    assert len(why) == 5
    assert why[0][1] < 0
    [believed] = regions(DATA.replace("<table>", "<table role=presentation>"))
    assert explain_region(believed, Weights()) == (("it says that it is for layout", 0.0),)


def test_what_features_added_sums_up_to_the_score() -> None:
    trees = Weights().boosted("genuine", FEATURES)
    page = read_markup(DATA)[0]
    rows = genuine_features(view_candidates(page, [0]))
    nothing = weigh_features(trees, rows).sum(axis=1) - trees.scores(rows)[:, 0]
    other = weigh_features(trees, rows + 1).sum(axis=1) - trees.scores(rows + 1)[:, 0]
    assert nothing == pytest.approx(other)
