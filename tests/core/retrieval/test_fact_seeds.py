"""Which facts are near a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from core.progress import TaskContext
from core.research.papers.toy_corpus import build_corpus
from core.retrieval.fact_seeds import FactChooser, Ranking
from core.retrieval.seeds import CandidateFact
from core.store.facts import FactText


class Nobody:
    name = "nobody"

    def rank(self, question: str, facts: Sequence[CandidateFact], context: TaskContext) -> Ranking:
        return Ranking((), "")


def fact_texts(keys: Sequence[int]) -> Mapping[int, FactText]:
    """All facts by the second passage alone."""
    return {key: FactText(key, "E0", "tells", "E1", (("p1", f"E0 tells E1 of {key}"),)) for key in keys}


def test_a_fact_is_as_near_as_the_nearest_sentence_of_a_passage_that_tells_it() -> None:
    both, other = frozenset({0, 1}), frozenset({2})
    near, far = np.array([1.0, 0.0], np.float32), np.array([0.6, 0.8], np.float32)
    # The nearest sentence that names both ends stands in the first passage, which does not tell the fact.
    graph = build_corpus(3, [both, other, both, other], [(0, 1, 0.9)], np.stack([near, far, far, far]), near)
    chooser = FactChooser(graph.corpus, graph.facts, fact_texts, Nobody(), 5)
    (found,) = chooser.nearest(graph.corpus.sentence_vectors.nearest(near, 4))
    assert found.clause == "E0 tells E1 of 100"
    np.testing.assert_allclose(found.cosine, 0.6, atol=1e-6)
