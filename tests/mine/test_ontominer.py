"""The parts of the paper's page hierarchy do what its sections say."""

from __future__ import annotations

import itertools

from tabellion.mine.papers.ontominer_cost import GroupingCost
from tabellion.mine.papers.ontominer_partition import (
    EXACT,
    Binary,
    group_partitions,
    is_emphasised,
    partition_binary,
    partition_flat,
    promote_labels,
)
from tabellion.read.web.page_tree import parse_page_tree

LISTS = "<div><b>News</b><ul><li>World<li>Europe<li>Asia</ul></div><div><b>Sports</b><p>Tennis<p>Golf</div>"


def cost(node: Binary, costs: GroupingCost) -> float:
    if node.halves is None:
        return 0.0
    left, right = node.halves
    return cost(left, costs) + cost(right, costs) + costs.between(left.ancestor, right.ancestor)


def all_trees(nodes: list[Binary], costs: GroupingCost) -> list[Binary]:
    if len(nodes) == 1:
        return nodes
    found = []
    for cut in range(1, len(nodes)):
        for left, right in itertools.product(all_trees(nodes[:cut], costs), all_trees(nodes[cut:], costs)):
            above = costs.common(left.ancestor, right.ancestor)
            found.append(Binary(left.first, right.last, above, (left, right)))
    return found


def test_no_binary_tree_is_cheaper_than_the_one_found() -> None:
    page = parse_page_tree(LISTS)
    costs = GroupingCost(page)
    leaves = [Binary(leaf, leaf + 1, int(page.holder[leaf])) for leaf in range(len(page))]
    found = partition_binary(page, 0, len(page), costs)
    assert abs(cost(found, costs) - min(cost(tree, costs) for tree in all_trees(leaves, costs))) < 1e-9


def test_a_long_run_is_partitioned_whole() -> None:
    page = parse_page_tree("<ul>" + "<li>x" * (EXACT * 5) + "</ul>")
    found = partition_binary(page, 0, len(page))
    assert (found.first, found.last) == (0, EXACT * 5)


def test_alike_siblings_are_one_group() -> None:
    page = parse_page_tree("<div>" * 12 + "<ul><li>World<li>Europe<li>Asia<li>Africa</ul>")
    costs = GroupingCost(page)
    grouped = group_partitions(partition_binary(page, 0, 4, costs), costs)
    assert grouped.group
    assert [child.first for child in grouped.children] == [0, 1, 2, 3]


def test_an_emphasised_first_text_is_promoted_above_its_siblings() -> None:
    page = parse_page_tree("<div><b>News</b><ul><li>World<li>Europe<li>Asia</ul></div>")
    costs = GroupingCost(page)
    tree = promote_labels(group_partitions(partition_binary(page, 0, 4, costs), costs), page)
    assert page.texts[tree.leaf or 0] == "News"


def test_bold_capitals_and_lists_emphasise() -> None:
    page = parse_page_tree("<style>.big{font-weight:bold}</style><p class=big>a<p>NEWS<p>b<p>c<ul><li>d</ul>")
    assert [is_emphasised(page, leaf) for leaf in range(4)] == [True, True, False, True]


def test_the_flat_partitioner_cuts_where_paths_change() -> None:
    page = parse_page_tree("<p>a<p>b<p>c<ul><li>d<li>e<li>f</ul>")
    assert partition_flat(page) == [0, 3]
    assert partition_flat(page, delta=0.0) == [0]
