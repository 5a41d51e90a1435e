"""Four ways to find communities: each on a graph whose communities nobody doubts, and what is told of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from core.research.benches.partitions import PARTITIONS, _alike
from core.research.benches.resolution import unqualified
from core.types import Passage


@pytest.mark.parametrize("name", PARTITIONS)
def test_each_finds_three_cliques(name: str) -> None:
    cliques = [[8 * at + one for one in range(8)] for at in range(3)]
    ends = [pair for clique in cliques for pair in combinations(clique, 2)] + [(0, 8), (8, 16)]
    found = PARTITIONS[name](24, np.array(ends), np.ones(len(ends)))
    assert [len(set(found[clique].tolist())) for clique in cliques] == [1, 1, 1]
    assert len(set(found.tolist())) == 3


def test_alike_is_the_mean_over_all_pairs() -> None:
    rows = np.random.default_rng(3).normal(size=(9, 5))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    slow = np.mean([one @ other for one, other in combinations(rows, 2)])
    held = np.concatenate([rows, np.zeros((2, 5))]).astype(np.float32)  # of two nothing is known
    assert _alike(held) == pytest.approx(slow, abs=1e-6)
    assert _alike(held[:1]) == 0.0


def test_homonyms_lose_what_tells_them_apart() -> None:
    first = Passage("p0", "d0", 0, "Titanic (1997 film)", "A film.", 0, 7, None, ())
    titles = ("Titanic (ship)", "Salem, Ohio", "Salem, Oregon", "Salem", "Cabaret (musical)")
    rest = [replace(first, id=f"p{n}", title=title) for n, title in enumerate(titles, 1)]
    found = {passage.id: passage.title for passage in unqualified([first, *rest])}
    assert found == {"p0": "Titanic", "p1": "Titanic", "p2": "Salem", "p3": "Salem"}
