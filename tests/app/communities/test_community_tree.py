"""The tree of communities as Qt's own tester sees it, lazily filled and filtered."""

from __future__ import annotations

import pytest
import shiboken6
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from app.answers.communities_model import BATCH, COMMUNITY, MATCHES, CommunityTree
from core.types import Community
from tests.app.communities.community_data import make_communities

FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal


@pytest.fixture
def tree(qapp: object) -> CommunityTree:
    return CommunityTree()


def watcher(model: CommunityTree) -> QAbstractItemModelTester:
    """Qt's tester, which aborts at the first fault. It cannot be there while a lazy model is reset: it
    asks for rows before it has noted that the reset is over.
    """
    return QAbstractItemModelTester(model, FATAL)


def taken(model: CommunityTree, parent: QModelIndex) -> list[QModelIndex]:
    """All rows below an index, as a view would take them."""
    while model.canFetchMore(parent):
        model.fetchMore(parent)
    return [model.index(row, 0, parent) for row in range(model.rowCount(parent))]


def walked(model: CommunityTree) -> dict[int, int | None]:
    """Every id that is shown, with that of the row above it; Qt's tester looks on."""
    tester = watcher(model)
    found: dict[int, int | None] = {}
    edge = [QModelIndex()]
    while edge:
        above = edge.pop()
        for index in taken(model, above):
            assert index.parent() == above
            community = index.data(COMMUNITY)
            found[community.id] = above.data(COMMUNITY).id if above.isValid() else None
            edge.append(index)
    shiboken6.delete(tester)
    return found


def test_the_tree_is_that_of_the_parents(tree: CommunityTree) -> None:
    data = make_communities()
    tree.set_communities(data)
    assert walked(tree) == {community.id: community.parent_id for community in data}


def test_the_largest_come_first_at_every_level(tree: CommunityTree) -> None:
    tree.set_communities(make_communities())
    for above in (QModelIndex(), tree.index_of(1), tree.index_of(112)):
        sizes = [len(index.data(COMMUNITY).entity_ids) for index in taken(tree, above)]
        assert len(sizes) == 3 and sizes == sorted(sizes, reverse=True)


def test_rows_are_taken_as_they_are_asked_for(tree: CommunityTree) -> None:
    top = Community(0, 2, None, ("a",), "Top")
    many = [Community(n, 1, 0, ("a",), f"Number {n}") for n in range(1, 2 * BATCH + 11)]
    tree.set_communities([top, *many])
    assert tree.rowCount() == 0 and tree.canFetchMore(QModelIndex())
    tree.fetchMore(QModelIndex())
    (index,) = taken(tree, QModelIndex())
    assert tree.hasChildren(index) and tree.rowCount(index) == 0
    tree.fetchMore(index)
    assert tree.rowCount(index) == BATCH
    late = tree.index_of(BATCH + 5)
    assert late.data() == f"Number {BATCH + 5}" and tree.rowCount(index) == 2 * BATCH
    assert len(taken(tree, index)) == len(many) and not tree.canFetchMore(index)


def test_the_filter_keeps_what_holds_a_match_and_what_it_holds(tree: CommunityTree) -> None:
    data = make_communities()
    tree.set_communities(data)
    walked(tree)
    tree.set_filter("ANTWERP 1")  # the middle one of top 1, and leaves with both words
    displayed = walked(tree)
    known = {community.id: community for community in data}
    matches = {c.id for c in data if "antwerp" in c.label.casefold() and "1" in c.label}
    assert tree.found == len(matches) and matches <= set(displayed)
    for number in displayed:
        path = [community.id for community in tree.path_to(number)]
        assert all(above in displayed for above in path)
        holds = any(number in [each.id for each in tree.path_to(match)] for match in matches)
        assert holds or matches & set(path), f"{known[number].label} has nothing to do with a match"
        assert tree.index_of(number).data(MATCHES) == (number in matches)
    opened = {community.id for community in tree.holding_matches()}
    assert opened == {above.id for match in matches for above in tree.path_to(match)[:-1]}
    tree.set_filter("")
    assert len(walked(tree)) == len(data) and tree.holding_matches() == []


def test_a_match_that_is_hidden_has_no_index(tree: CommunityTree) -> None:
    tree.set_communities(make_communities())
    tree.set_filter("nobody")
    assert walked(tree) == {} and tree.found == 0 and not tree.index_of(1).isValid()
    assert not tree.index_of(99_999).isValid() and tree.path_to(99_999) == []


def test_one_level_without_parents_is_a_list(tree: CommunityTree) -> None:
    tree.set_communities([Community(n, 1, None, ("a",) * n, "") for n in range(1, 5)])
    assert walked(tree) == {1: None, 2: None, 3: None, 4: None}
    first = tree.index(0, 0)
    assert first.data() == "Community 5" and not tree.hasChildren(first)


def test_one_whose_parent_is_missing_stands_at_the_top(tree: CommunityTree) -> None:
    tree.set_communities([Community(7, 1, 3, ("a", "b"), "Orphan")])
    assert walked(tree) == {7: None}


def test_what_is_announced_and_what_a_tooltip_shows(tree: CommunityTree) -> None:
    tree.set_communities(
        [Community(1, 2, None, ("a", "b"), "<i>Sea</i>"), Community(2, 1, 1, ("a",), "Ship")]
    )
    index = taken(tree, QModelIndex())[0]
    emitted = index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert emitted == "<i>Sea</i>, Level 2, 2 entities, 1 community inside"
    assert "&lt;i&gt;Sea" in index.data(Qt.ItemDataRole.ToolTipRole)
