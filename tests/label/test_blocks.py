"""Rows with roles become blocks: one table each, with its titles and notes."""

from __future__ import annotations

import numpy as np
from tests.sheets import grid_of

from tabellion.label.blocks import Block, settle_heads, split_blocks
from tabellion.model.frame import RowLabels


def blocks_of(rows, roles):
    grid = grid_of(rows)
    return split_blocks(RowLabels(grid, tuple(roles), np.zeros((len(roles), 7))))


ROWS = [["Table 1"], ["", "a", "b"], ["x", 1, 2], ["y", 3, 4], ["Source: us"]]
ROLES = ["title", "header", "data", "data", "note"]


def test_one_table_with_title_and_note():
    [block] = blocks_of(ROWS, ROLES)
    assert (block.title, block.header, block.body, block.note) == ([0], [1], [2, 3], [4])


def test_stacked_tables_each_keep_their_title():
    first, second = blocks_of(ROWS + ROWS, ROLES + ROLES)
    assert (first.note, second.title, second.body) == ([4], [5], [7, 8])


def test_repeated_header_without_title_starts_a_table():
    first, second = blocks_of(ROWS[1:4] + ROWS[1:4], ROLES[1:4] * 2)
    assert (first.body, second.header) == ([1, 2], [3])


def test_lone_label_over_the_columns_groups_the_rows_below():
    rows = [*ROWS[1:3], ["", "Percent"], ROWS[3]]
    [block] = blocks_of(rows, ["header", "data", "header", "data"])
    assert block.body == [1, 2, 3]


def test_rows_without_a_body_are_notes_of_the_table_before():
    [block] = blocks_of([*ROWS, ["Contact"]], [*ROLES, "title"])
    assert block.note == [4, 5]


def test_a_head_ends_before_a_row_like_the_body_but_not_before_years_or_numbered_columns():
    def heads(*rows):
        return settle_heads(grid_of(rows), [Block(header=[0, 1], body=[2, 3])])[0].header

    assert heads(["id", "a", "b"], [11, 12, 13], [21, 22, 23], [31, 32, 33]) == [0]
    assert heads(["Town", "a", "b"], [None, 2019, 2020], ["Ash", 5, 6], ["Elm", 7, 8]) == [0, 1]
    assert heads(["Year", "a", "b"], ["(1)", "(2)", "(3)"], [2019, 5, 6], [2020, 7, 8]) == [0, 1]
    assert heads(["Town", "a", "b"], ["Code", 111, 112], ["Ash", 5, 6], ["Elm", 7, 8]) == [0, 1]


def test_a_row_with_whose_number_the_body_counts_on_is_its_first():
    def heads(*rows):
        return settle_heads(grid_of(rows), [Block(header=[0], body=[1, 2, 3])])[0].header

    assert heads([1, "Ash", "tree"], [2, "Elm", "tree"], [3, "Ivy", "climber"], [4, "Oak", "tree"]) == []
    assert heads(["No.", "Name", "Kind"], [1, "Elm", "tree"], [2, "Ivy", "climber"], [3, "Oak", "tree"]) == [0]
    assert heads([1, 2, 3], [2, 5, 6], [3, 7, 8], [4, 9, 1]) == [0]


def test_a_row_whose_numbers_and_words_come_again_below_it_is_no_head():
    def heads(*rows):
        return settle_heads(grid_of(rows), [Block(header=[0], body=[1, 2, 3])])[0].header

    assert heads(["icing", 1.5, "none"], ["wing", 1.5, "none"], ["span", 20.5, "ft"], ["mass", 3.5, "kg"]) == []
    assert heads(["Name", "Value", "Unit"], ["wing", 1.5, "none"], ["span", 20.5, "ft"], ["mass", 3.5, "kg"]) == [0]
    assert heads(["Town", 1990, 2000], ["Ash", 1990, 5], ["Elm", 7, 2000], ["Oak", 8, 9]) == [0]


def test_a_form_of_labels_and_what_they_say_has_no_head():
    def heads(*rows):
        body = list(range(1, len(rows)))
        return settle_heads(grid_of(rows), [Block(header=[0], body=body)])[0].header

    assert heads(["Title", "Annual report"], ["Author", "Jane Smith"], ["Pages", 12], ["Language", "English"]) == []
    assert heads(["Name:", "Acme"], ["Staff:", 120], ["Turnover:", 135.5]) == []
    assert heads(["Field", "Value"], ["Author", "Jane Smith"], ["Pages", 12], ["Language", "English"]) == [0]
    assert heads(["Country", "Joined"], ["Norway", "never"], ["Sweden", 1995], ["Ireland", 1973]) == [0]
    assert heads(["Country", "Capital"], ["Norway", "Oslo"], ["Sweden", "Stockholm"]) == [0]


def test_a_later_head_that_comes_again_starts_a_table():
    later = [["", "c", "d"], ["z", 5, 6], ["w", 7, 8], [], ["", "c", "d"], ["u", 1, 2], ["v", 3, 4]]
    rows = [["", "a", "b"], ["x", 1, 2], ["y", 3, 4], [], *later]
    blocks = blocks_of(rows, [*["header", "data", "data", "blank"] * 2, "data", "data", "data"])
    assert [block.header for block in blocks] == [[0], [4], [8]]


def test_blocks_with_the_same_labels_below_their_first_row_have_heads_alike():
    def block(name, year):
        return [[name, year, year + 1], ["N", 7, 9], ["mean", 0.5, 0.7]]

    rows = [*block("all", 2001), [], *block("urban", 2001.1), [], *block("rural", 2000.9)]
    told = ["header", "data", "data", "blank", "data", "data", "data", "blank", "data", "data", "data"]
    assert [one.header for one in blocks_of(rows, told)] == [[0], [4], [8]]
    unlike = [*rows[:5], ["M", 7, 9], *rows[6:]]
    assert [one.header for one in blocks_of(unlike, told)] == [[0], [8]]


def test_a_lone_label_below_the_head_groups_if_one_like_it_follows_a_gap():
    def heads(*rows):
        last = len(rows) - 1
        return settle_heads(grid_of(rows), [Block(header=[0, 1], body=list(range(2, last + 1)))])[0].header

    body = [["Ash", 1, 2], ["Birch", 3, 4]]
    assert heads(["", "2019", "2020"], ["In millions"], *body, [], ["In percent"], *body) == [0]
    assert heads(["", "2019", "2020"], ["Town"], *body, [], *body) == [0, 1]


def test_pairs_of_a_label_and_what_it_says_above_a_head_are_titles():
    def parted(*rows, body=2):
        header = [row for row in range(len(rows) - body) if any(rows[row])]
        block = Block(header=header, body=list(range(len(rows) - body, len(rows))))
        (block,) = settle_heads(grid_of(rows), [block])
        return block.title, block.header

    sites = (["Site", "Warmth", "Wind", "Rain"], ["Ash", 1.5, 2, 3], ["Elm", 2.5, 3, 4])
    assert parted(["Date", "1 May"], ["By", "Jane"], *sites) == ([0, 1], [2])
    assert parted(["Data Source", "World indicators"], [], *sites) == ([0], [2])
    assert parted(["Source", "Census"], *sites) == ([0], [1])
    assert parted(["Region", "All figures"], *sites) == ([], [0, 1])
    assert parted([None, "Weather", None, "Water"], *sites) == ([], [0, 1])


def test_a_head_below_words_that_were_taken_for_a_body_heads_what_is_below_it():
    people = [["Ada", "author", 36, 1815], ["Emmy", "teacher", 53, 1882], ["Mary", "painter", 82, 1844]]
    rows = [["at", "the", "top", "of"], ["or", "merging"], ["Name", "Trade", "Age", "Born"], *people]
    [block] = blocks_of(rows, ["header", "data", "header", "data", "data", "data"])
    assert (block.header, block.body) == ([0, 1, 2], [3, 4, 5])


def test_a_row_that_explains_the_heads_in_brackets_is_of_the_head():
    def heads(*rows):
        return settle_heads(grid_of(rows), [Block(header=[0], body=list(range(1, len(rows))))])[0].header

    names, told = ["Name", "Trade", "Weight"], ["(at birth)", "(as said)", "(in grams)"]
    body = [["Ada", "author", 5.5], ["Emmy", "teacher", 6.5]]
    assert heads(names, told, *body) == [0, 1]
    assert heads(names, told, told) == [0]
    assert heads(names, ["(1)", "(2)", "(3)"], *body) == [0]
    assert heads(names, ["(none)", None, None], *body) == [0]
