"""The tree of communities: where entities are found in it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.config import HierarchyConfig
from core.progress import TaskContext
from core.research.papers import deep_graphrag
from core.retrieval.hierarchy.retriever import HierarchicalRetriever
from core.retrieval.hierarchy.tree import Tree, joined
from core.workspace import Workspace


@pytest.fixture
def tree(sample_workspace: Workspace) -> Tree:
    return sample_workspace.retrieval.asker().view.tree()


def searched(tree: Tree, entities: set[int]) -> list[dict[int, float]]:
    """The same, by looking for each row in all that the communities hold."""
    share = {row: 1.0 / len(entities) for row in entities}
    found = []
    for level in tree.levels:
        own: dict[int, float] = {}
        for row, part in share.items():
            for community in range(len(level.keys)):
                if row in level.below(community):
                    own[community] = own.get(community, 0.0) + part
        found.append(own)
        share = own
    return found


def test_the_communities_above_entities_are_those_that_hold_them(tree: Tree) -> None:
    count = len(tree.sentence_starts) - 1
    random = np.random.default_rng(1)
    for size in (1, 3, 20):
        some = set(random.choice(count, size, replace=False).tolist())
        assert tree.above(some) == searched(tree, some)


def test_names_count_for_nothing_where_they_are_to() -> None:
    made, tree = deep_graphrag._toy_tree()

    def beams(question: str, named: float) -> list[tuple[int, ...]]:
        config = HierarchyConfig(width=1, reranked=1, named=named)
        retriever = HierarchicalRetriever(made.corpus, lambda: tree, config)
        found = retriever.retrieve(deep_graphrag.query_of(made, question), 5, TaskContext())
        return [tuple(key for key, _ in beam.chosen) for beam in found.beam]

    asked = [f"What of E{row}?" for row in range(0, 48, 4)]
    assert {tuple(beams(question, 0.0)) for question in asked} == {tuple(beams("What of it?", 0.0))}
    assert len({tuple(beams(question, 0.3)) for question in asked}) > 1


def test_of_an_entity_that_no_sentence_names_the_community_counts() -> None:
    made, tree = deep_graphrag._toy_tree()
    starts = np.concatenate([[0], np.cumsum(np.where(np.arange(48) == 7, 0, np.diff(tree.sentence_starts)))])
    kept = np.concatenate([tree.entity_sentences(row) for row in range(48) if row != 7])
    bare = replace(tree, sentence_starts=starts, sentences=kept)
    finest = tree.levels[0]
    expected = finest.vectors[finest.home[7]] / 2
    assert joined(made.corpus, bare, np.array([7]))[0] == pytest.approx(expected, abs=1e-6)
    config = HierarchyConfig(entity_vectors=True)
    found = HierarchicalRetriever(made.corpus, lambda: bare, config)
    assert found.retrieve(deep_graphrag.query_of(made), 5, TaskContext()).hits


def test_no_communities_yet() -> None:
    made, tree = deep_graphrag._toy_tree()
    empty = replace(tree, levels=(), naming=(), naming_starts=())
    for config in (HierarchyConfig(), HierarchyConfig(entity_vectors=True)):
        found = HierarchicalRetriever(made.corpus, lambda: empty, config)
        assert not found.retrieve(deep_graphrag.query_of(made), 5, TaskContext()).hits
