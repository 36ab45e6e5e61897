"""The names of the levels of header trees."""

from __future__ import annotations

from tests.building import build_frame, build_grid, build_nested, smoking

from tabellion.relate import name_left_levels, name_top_levels


def test_the_head_over_a_stub_names_the_nearest_level_of_it() -> None:
    assert name_left_levels(smoking()) == (None, "Sex and age")
    assert name_top_levels(smoking()) == (None,)


def test_each_column_of_a_stub_has_its_name() -> None:
    grid = build_grid([["State", "Area", "1990"], ["Ohio", "Rural", 7], ["Iowa", "Urban", 8]])
    assert name_left_levels(build_nested(build_frame(grid, "hdd", stub=2))) == ("State", "Area")


def test_a_corner_with_a_colon_names_the_level_on_top() -> None:
    grid = build_grid([["Year:", "1990", "1995"], ["Ohio", 7, 8]])
    nested = build_nested(build_frame(grid, "hd"))
    assert name_top_levels(nested) == ("Year",)


def test_a_stub_without_a_head_has_no_name() -> None:
    nested = build_nested(build_frame(build_grid([["", "1990"], ["Ohio", 7]]), "hd"))
    assert name_left_levels(nested) == (None,)


def test_without_a_stub_there_are_no_levels_at_the_left() -> None:
    nested = build_nested(build_frame(build_grid([["1990", "1995"], [7, 8]]), "hd", stub=0))
    assert name_left_levels(nested) == ()
