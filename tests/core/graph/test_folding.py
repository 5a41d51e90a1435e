"""Folding: every entity stands in one node, every fact in one line, whatever is open."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from core.graph.folding import fold, foldable
from core.types import Community, Foldable, FoldedView, GraphView


def made(seed: int, entities: int = 240, edges: int = 700) -> tuple[GraphView, list[Community]]:
    """A random graph with communities at three levels of uneven sizes; some entities are in none, and
    some of those in a community are not drawn."""
    rng = np.random.default_rng(seed)
    ids = [f"e{at}" for at in range(entities)]
    leaf = rng.integers(0, 12, entities)
    leaf[rng.random(entities) < 0.05] = -1
    communities = []
    for level, across in ((1, 1), (2, 3), (3, 6)):
        for number in range(12 // across):
            inside = tuple(ids[at] for at in np.flatnonzero(leaf // across == number) if leaf[at] >= 0)
            unseen = tuple(f"unseen {number * across + at}" for at in range(across))
            parent = None if level == 3 else 100 * (level + 1) + number * across // (3 if level == 1 else 6)
            top = number * across // 6
            communities.append(
                Community(100 * level + number, level, parent, inside + unseen, f"c{number}", top)
            )
    ends = rng.integers(0, entities, (edges, 2))
    ends = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0).astype(np.int32)
    view = GraphView(
        tuple(ids),
        tuple(ids),
        ("",) * entities,
        np.bincount(ends.ravel(), minlength=entities).astype(np.int32),
        np.where(leaf >= 0, leaf // 6, -1).astype(np.int32),
        rng.normal(size=(entities, 2)).astype(np.float32) * 20,
        ends,
        np.ones(len(ends), np.float32),
        np.zeros(len(ends), np.int32),
    )
    return view, communities


def slowly(view: GraphView, communities: list[Community], opened: set[int]) -> list[str]:
    """The node of each entity, by walking down from the top."""
    found = []
    for id in view.ids:
        holding = sorted((c for c in communities if id in c.entity_ids), key=lambda c: -c.level)
        closed = next((c for c in holding if c.id not in opened), None)
        found.append(f"community {closed.id}" if closed is not None else id)
    return found


def names(whole: Foldable, folded: FoldedView) -> list[str]:
    return [
        f"community {whole.communities[community].id}" if community >= 0 else whole.view.ids[entity]
        for community, entity in zip(folded.community.tolist(), folded.entity.tolist(), strict=True)
    ]


@pytest.mark.parametrize("seed", range(2))
def test_each_entity_stands_in_one_node_and_each_edge_in_one_line(seed: int) -> None:
    view, communities = made(seed)
    whole = foldable(view, communities)
    rng = np.random.default_rng(seed + 100)
    for share in (0.0, 0.3, 0.7, 1.0):
        opened = {c.id for c in communities if rng.random() < share}
        folded = fold(whole, opened)
        nodes = names(whole, folded)
        expected = slowly(view, communities, opened)
        assert [nodes[at] for at in folded.node_of] == expected
        assert len(set(nodes)) == len(nodes) and set(nodes) == set(expected)
        pairs = Counter(tuple(sorted((expected[a], expected[b]))) for a, b in view.edges.tolist())
        lines = {
            tuple(sorted((nodes[a], nodes[b]))): count
            for (a, b), count in zip(folded.edges.tolist(), folded.facts.tolist(), strict=True)
        }
        assert lines == {pair: count for pair, count in pairs.items() if pair[0] != pair[1]}
        within = {node: count for node, count in zip(nodes, folded.inside.tolist(), strict=True) if count}
        assert within == {pair[0]: count for pair, count in pairs.items() if pair[0] == pair[1]}
        assert folded.facts.sum() + folded.inside.sum() == len(view.edges)


def test_opening_one_leaves_all_others_where_they_are() -> None:
    view, communities = made(2)
    whole = foldable(view, communities)
    before, after = fold(whole, []), fold(whole, [300])
    old = dict(zip(names(whole, before), before.positions.tolist(), strict=True))
    new = dict(zip(names(whole, after), after.positions.tolist(), strict=True))
    assert set(old) - set(new) == {"community 300"}
    assert set(new) - set(old) == {f"community {c.id}" for c in communities if c.parent_id == 300}
    assert all(new[node] == place for node, place in old.items() if node in new)
    assert [whole.communities[row].id for row in after.opened] == [300]
    assert not len(fold(whole, [200]).opened), "what is open within a closed one is not seen"


def test_areas_follow_all_entities_and_discs_of_one_community_keep_apart() -> None:
    view, communities = made(3)
    whole = foldable(view, communities)
    sizes = np.array([len(c.entity_ids) for c in whole.communities])
    ratio = whole.radii**2 / sizes
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-5)
    assert (whole.drawn < sizes).all()  # each has entities that are not drawn
    for one in range(len(sizes)):
        for other in range(one):
            if whole.parent[one] == whole.parent[other]:
                gap = float(np.linalg.norm(whole.positions[one] - whole.positions[other]))
                assert gap >= 0.95 * (whole.radii[one] + whole.radii[other])


def test_an_outline_holds_all_that_is_drawn_of_its_community() -> None:
    view, communities = made(4)
    whole = foldable(view, communities)
    place = {id: at for at, id in enumerate(view.ids)}
    for row, community in enumerate(whole.communities):
        corners = whole.outlines[row]
        way = np.roll(corners, -1, axis=0) - corners
        for id in community.entity_ids:
            if id in place:
                x, y = view.positions[place[id]]
                assert (way[:, 0] * (y - corners[:, 1]) - way[:, 1] * (x - corners[:, 0]) > -1e-3).all()


def test_without_communities_or_without_entities() -> None:
    view, communities = made(5)
    bare = fold(foldable(view, []), [])
    assert (bare.community < 0).all() and len(bare.edges) == len(view.edges)
    none = np.zeros(0, np.int32)
    points, edges = np.zeros((0, 2), np.float32), np.zeros((0, 2), np.int32)
    empty = GraphView((), (), (), none, none, points, edges, np.zeros(0, np.float32), none)
    folded = fold(foldable(empty, communities), [communities[0].id])
    assert not len(folded.community) and not len(folded.edges) and not len(folded.opened)
