"""Where a walk begins, and its heaviest entities mapped back to passages. A2RAG III-C.3, eq. 10 and 12."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.graph.pagerank import Reached
from core.retrieval.corpus import Corpus
from core.retrieval.ranking import largest_of


def seed_weights(
    corpus: Corpus, seeds: Mapping[int, float], passages: Sequence[Sequence[int]] = ()
) -> dict[int, float]:
    """Return the weights of the nodes that a walk starts at: seeds by score / degree (eq. 10).

    The degree counts the passages that name the entity, since facts and synonyms come and go with extraction. For a
    name that no entity bears, the `passages` (rows) that contain it stand as its neighbours would.
    """
    n = corpus.graph.n_entities
    weights = {row: score / max(1, int(corpus.entity_passages[row])) for row, score in seeds.items()}
    for rows in passages:
        for row in rows:
            weights[n + row] = weights.get(n + row, 0.0) + 1.0 / len(rows) ** 2
    return weights


def rank_by_entities(corpus: Corpus, walk: Reached, most: int) -> Reached:
    """Return the `most` heaviest entities, and the passages that name them with the sum of their masses (eq. 12).

    The paper's evidence is a set; the sum puts it in an order.
    """
    n, adjacency = corpus.graph.n_entities, corpus.graph.adjacency
    rows, mass = _heaviest(corpus, walk, most)
    near = [adjacency.indices[adjacency.indptr[row] : adjacency.indptr[row + 1]] for row in rows]
    owners = np.repeat(np.arange(len(rows)), [len(each) for each in near])
    flat = np.concatenate([*near, np.zeros(0, np.int64)]).astype(np.int64)
    nodes, places = np.unique(flat[flat >= n], return_inverse=True)
    summed = np.bincount(places, mass[owners[flat >= n]], len(nodes))
    return replace(walk, nodes=np.concatenate([rows, nodes]), scores=np.concatenate([mass, summed]))


def heaviest_names(
    corpus: Corpus, walk: Reached, passages: Sequence[str], most: int
) -> dict[str, tuple[str, ...]]:
    """Return those of the `most` heaviest entities that each passage names, heaviest first, by passage id (eq. 12)."""
    adjacency, n = corpus.graph.adjacency, corpus.graph.n_entities
    rows, masses = _heaviest(corpus, walk, most)
    mass = dict(zip(rows.tolist(), masses.tolist(), strict=True))
    names = {}
    for passage in passages:
        node = n + corpus.passage_ids.rows[passage]
        entities = adjacency.indices[adjacency.indptr[node] : adjacency.indptr[node + 1]].tolist()
        heavy = sorted((at for at in entities if at in mass), key=lambda at: (-mass[at], at))
        if heavy:
            names[passage] = tuple(corpus.entity_names[at] for at in heavy)
    return names


def _heaviest(corpus: Corpus, walk: Reached, most: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    own = (walk.nodes < corpus.graph.n_entities) & (walk.scores > 0)
    return largest_of(walk.nodes[own], walk.scores[own], most)
