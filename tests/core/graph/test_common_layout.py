"""Two graphs on one layout: what both have stands where the first has it."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from core.graph.layout import common_layout
from core.types import GraphView


def view(places: dict[str, tuple[float, float]], *links: tuple[str, str]) -> GraphView:
    ids = tuple(places)
    edges = np.array([[ids.index(one), ids.index(other)] for one, other in links], np.int32).reshape(-1, 2)
    return GraphView(
        ids,
        tuple(id.upper() for id in ids),
        ("",) * len(ids),
        np.zeros(len(ids), np.int32),
        np.zeros(len(ids), np.int32),
        np.array(list(places.values()), np.float32).reshape(-1, 2),
        edges,
        np.ones(len(edges), np.float32),
        np.zeros(len(edges), np.int32),
    )


FIRST = view({"a": (0, 0), "b": (10, 0), "c": (10, 20)}, ("a", "b"), ("b", "c"))


def test_what_only_the_second_has_stands_among_its_neighbours() -> None:
    second = view(
        {"x": (900, 900), "b": (500, 0), "a": (0, 500), "y": (800, 1)}, ("a", "x"), ("x", "b"), ("y", "x")
    )
    both = common_layout(FIRST, second)
    assert both.ids == ("a", "b", "c", "x", "y")
    assert_allclose(both.positions[:3], FIRST.positions)
    assert_allclose(both.positions[3:], [[5, 0], [5, 0]])  # x between a and b, y with x


def test_what_is_joined_to_nothing_stays_in_the_frame_of_the_first() -> None:
    both = common_layout(FIRST, view({"p": (-1000, 0), "q": (1000, 4000)}, ("p", "q")))
    alone = both.positions[3:]
    assert (alone >= 0).all() and (alone <= [10, 20]).all() and not np.allclose(alone[0], alone[1])


def test_an_empty_graph() -> None:
    none = view({})
    assert common_layout(none, FIRST).ids == FIRST.ids
    assert common_layout(FIRST, none).ids == FIRST.ids
