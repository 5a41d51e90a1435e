"""Triple-layer GraphRAG: "Combining Vector Embeddings with Knowledge Graphs for Enhanced RAG".

Definitions 2 to 4 and the gaps of section 3 describe a problem; there is nothing in them to implement.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

import networkx as nx  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import NDArray

from core.answering.overview.themes import by_coverage
from core.answering.reports.extractive import budget
from core.config import RetrievalConfig
from core.extraction.bibliography import Work, Works
from core.extraction.entity_resolution import decide
from core.extraction.names import NamedEntity, normalise
from core.extraction.organisation import stands_below
from core.extraction.short_forms import Context
from core.graph.communities import Band, bands, modularity
from core.graph.temporal import DatedFacts, following
from core.index.vector import EF_CONSTRUCTION, EF_SEARCH, M
from core.lab.metrics import diversity
from core.progress import TaskContext
from core.research.papers.check import expect, expect_close, expect_equal, places
from core.research.papers.toy_corpus import (
    ToyCorpus,
    draw_corpus,
    parsed,
    query_of,
    unit,
)
from core.retrieval.dense import DenseRetriever
from core.retrieval.explain import shared_concepts
from core.retrieval.graph_filter import pruned
from core.retrieval.hybrid import HybridRetriever, fit_weights
from core.retrieval.paths.strongest import (
    LONGEST,
    Importance,
    chain_to,
    page_rank,
    passage_scores,
    rarity,
    reach,
)
from core.retrieval.seeds import names_in_question
from core.types import Evidence, Hit, Passage, Sentence

_CONTEXT = TaskContext()
_SEEDS = {0: 1.0, 3: 0.5}


def _similarity() -> None:
    """Products of the vectors by the product of their lengths, sorted."""
    toy = draw_corpus()
    vectors = toy.corpus.passage_vectors[:].astype(np.float64)
    asked = toy.vector.astype(np.float64)
    cosines = [float(v @ asked / (np.linalg.norm(v) * np.linalg.norm(asked))) for v in vectors]
    best = sorted(range(len(cosines)), key=lambda row: -cosines[row])[:5]
    found = DenseRetriever(toy.corpus).retrieve(query_of(toy), 5, _CONTEXT).hits
    expect_equal([hit.passage_id for hit in found], [f"p{row}" for row in best], "the top k")
    expect_close([hit.score for hit in found], [cosines[row] for row in best], "cosines")


def _hnsw() -> None:
    expect_equal((M, EF_CONSTRUCTION), (16, 200), "M and ef_construction")
    expect(EF_SEARCH >= 100, f"ef_search is {EF_SEARCH}")


@dataclass(frozen=True, slots=True)
class _Stands:
    """Where a name stands."""

    documents: Set[int]
    passages: Set[int]
    defines: Set[int] = frozenset()


def _same(one: str, other: str, label: str) -> bool:
    here: Context = _Stands({1}, {10})
    there: Context = _Stands({1}, {11})
    return (
        decide(NamedEntity(1, normalise(one), label), NamedEntity(2, normalise(other), label), here, there)
        is not None
    )


def _consolidated() -> None:
    """The same name written otherwise, and a name with one letter more; not one with two."""
    expect(_same("Bohème", "Boheme", "WORK"), "a name without its accent is another entity")
    expect(_same("Stavros Kallinikos", "Stavros Kalinikos", "PERSON"), "one letter makes another entity")
    expect(not _same("Stavros Kallinikos", "Stavros Kaliniks", "PERSON"), "two letters make no other entity")


def _aggregated() -> None:
    """A strength is in 0 to 1 and grows with the confidences: 1 - exp(-sum)."""
    toy = draw_corpus()
    for key, (one, _, confidence) in enumerate(toy.edges, start=100):
        span = toy.facts.of(one, 1_000)
        at = span.start + toy.facts.keys[span].tolist().index(key)
        expect_close(toy.facts.strengths[at], 1.0 - np.exp(-confidence), f"strength of fact {key}")


def _weights(toy: ToyCorpus) -> NDArray[np.float64]:
    """Strengths between entities, (n, n); of parallel facts the strongest."""
    n = len(toy.corpus.entity_ids)
    found = np.zeros((n, n))
    for one, other, confidence in toy.edges:
        strength = 1.0 - np.exp(-confidence)
        found[one, other] = found[other, one] = max(found[one, other], strength)
    return found


def _importance() -> None:
    """The fixed point of PR(e) = (1 - d) / N + d sum PR / |Out|, by linear algebra; what counts by default falls from 1
    to .5 with the logarithm of the strengths around an entity.
    """
    toy = draw_corpus()
    mass = np.log1p(_weights(toy).sum(axis=0))
    expect_close(rarity(toy.facts), 1.0 - 0.5 * mass / mass.max(), "rarity")
    joined = (_weights(toy) > 0).astype(np.float64)
    n, degrees = len(joined), joined.sum(axis=0)
    expect(bool((degrees > 0).all()), "an entity has no fact")
    exact = np.linalg.solve(np.eye(n) - 0.85 * joined / degrees, np.full(n, 0.15 / n))
    expect_close(page_rank(toy.facts, steps=200), exact, "PageRank", 1e-9)
    expect(
        float(np.abs(page_rank(toy.facts) - exact).max()) < 0.02 / n,
        "20 steps are far from the fixed point",
    )


def _grounded() -> None:
    """Entities by the very name, and no other."""
    found = names_in_question("Who met E3 and E11 but not E99 there?", draw_corpus().corpus)
    expect_equal(found, {3: "E3", 11: "E11"}, "entities that are named")


def _neighbourhood() -> None:
    """What three facts reach from the seeds, by breadth-first search."""
    toy = draw_corpus()
    found = reach(toy.facts, toy.facts.importance, _SEEDS)[LONGEST]
    expected = set().union(
        *(nx.single_source_shortest_path_length(toy.oracle, seed, LONGEST) for seed in _SEEDS)
    )
    expect_equal(set(found.rows.tolist()), expected, "entities within three facts")


def _strongest(
    toy: ToyCorpus, seeds: Mapping[int, float], counts: Importance | None = None
) -> dict[int, float]:
    """Best score of any simple path to each entity: every path is walked and its factors are multiplied."""
    importance = (toy.facts.importance if counts is None else counts).astype(np.float64)
    best: dict[int, float] = {}

    def walk(row: int, score: float, visited: frozenset[int]) -> None:
        best[row] = max(best.get(row, 0.0), score)
        if len(visited) <= LONGEST:
            for _, other, data in toy.oracle.edges(row, data=True):
                if other not in visited:
                    on = score * data["strength"] * importance[other] * 0.9
                    walk(other, on, visited | {other})

    for seed, weight in seeds.items():
        walk(seed, weight * importance[seed], frozenset([seed]))
    return best


def _path_score() -> None:
    """The product of strengths, importances and .9 a fact."""
    toy = draw_corpus()
    found = reach(toy.facts, toy.facts.importance, _SEEDS)[LONGEST]
    expected = _strongest(toy, _SEEDS)
    rows = np.array(sorted(expected))
    expect_close(
        found.strengths(rows), [expected[row] for row in rows.tolist()], "the best path to each entity"
    )


def _chain() -> None:
    """Facts that share their ends one after another, from a seed to what the passage names."""
    toy = draw_corpus()
    reached = reach(toy.facts, toy.facts.importance, dict.fromkeys(_SEEDS, 1.0), LONGEST - 1)
    best = _strongest(toy, dict.fromkeys(_SEEDS, 1.0))
    end = next(row for row in sorted(best) if row not in _SEEDS and not set(toy.oracle[row]) & set(_SEEDS))
    chain = chain_to(toy.facts, toy.facts.importance, reached, np.array([end]))
    if chain is None:
        raise AssertionError(f"nothing leads to entity {end}")
    expect(
        chain.entities[0] in _SEEDS and chain.entities[-1] == end, "it does not lead from a seed to the end"
    )
    for one, other, key in zip(chain.entities, chain.entities[1:], chain.facts, strict=False):
        expect_equal({one, other}, set(toy.edges[key - 100][:2]), f"ends of fact {key}")
    expect_close(chain.strength, best[end], "no chain is stronger")


def _documents() -> None:
    """A passage counts as the best entity that it names; one that names none is not there."""
    toy = draw_corpus()
    reached = reach(toy.facts, toy.facts.importance, _SEEDS)[LONGEST]
    values = dict(zip(reached.rows.tolist(), reached.values.tolist(), strict=True))
    expected = {
        at: max(values[row] for row in named & values.keys())
        for at, named in enumerate(toy.passages)
        if named & values.keys()
    }
    rows, scores = passage_scores(toy.graph, reached)
    expect_equal(rows.tolist(), sorted(expected), "passages that a path leads to")
    expect_close(scores, [expected[row] for row in rows.tolist()], "their scores")


def _modularity() -> None:
    """The double sum, pair by pair."""
    random = np.random.default_rng(5)
    pairs = np.array([(one, other) for one in range(8) for other in range(one + 1, 8)])
    ends = pairs[random.random(len(pairs)) < 0.5]
    weights = random.uniform(0.2, 2.0, len(ends))
    labels = np.array([0, 0, 0, 1, 1, 2, 2, 2], dtype=np.int32)
    adjacency = np.zeros((8, 8))
    for (one, other), weight in zip(ends, weights, strict=True):
        adjacency[one, other] = adjacency[other, one] = weight
    degrees, twice = adjacency.sum(axis=0), adjacency.sum()
    expected = sum(
        adjacency[i, j] - degrees[i] * degrees[j] / twice
        for i in range(8)
        for j in range(8)
        if labels[i] == labels[j]
    )
    expect_close(modularity(labels, ends, weights), expected / twice, "Q")


def _sizes() -> None:
    """Below the level of ours that holds the largest of the paper's."""
    expect_equal(bands(100_000)[:3], (Band(10, 50), Band(50, 200), Band(200, 1_000)), "sizes by level")


def _tokens() -> None:
    expect_equal([budget(level) for level in (1, 2, 3)], [500, 200, 100], "tokens by level")


def _scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((values - values.min()) / (values.max() - values.min()))


def _hybrid() -> None:
    """0.3 and 0.7 of both scores, each brought to 0..1, over every passage."""
    for by_pagerank, counts in ((False, rarity), (True, page_rank)):
        _hybrid_by(RetrievalConfig(hybrid_pagerank=by_pagerank), counts(draw_corpus().facts))


def _hybrid_by(config: RetrievalConfig, counts: Importance) -> None:
    toy = draw_corpus()
    retriever = HybridRetriever(toy.corpus, toy.facts, config)
    found = retriever.retrieve(query_of(toy), 9, _CONTEXT)
    heaviest = max(seed.weight for seed in found.seeds)
    seeds = {int(seed.entity_id[1:]): seed.weight / heaviest for seed in found.seeds}
    values = _strongest(toy, seeds, counts)
    paths = np.array([max((values.get(row, 0.0) for row in named), default=0.0) for named in toy.passages])
    dense = _scaled((toy.corpus.passage_vectors[:] @ toy.vector).astype(np.float64))
    expected = 0.3 * dense + 0.7 * paths / paths.max()
    for hit in found.hits:
        expect_close(hit.score, expected[int(hit.passage_id[1:])], f"score of {hit.passage_id}")
    best = sorted(range(len(expected)), key=lambda row: -expected[row])
    expect_equal([hit.passage_id for hit in found.hits], [f"p{row}" for row in best], "order")


def _fitted() -> None:
    """Least squares by trying every share of the path's weight in steps of a thousandth, each at its best scale."""
    random = np.random.default_rng(9)
    gold = random.random(200) < 0.3
    scores = np.column_stack([0.3 * gold + random.random(200), 0.6 * gold + random.random(200)])
    rows = [(float(d), float(p), bool(g)) for (d, p), g in zip(scores, gold, strict=True)]
    share = np.where(gold, 0.5 / gold.sum(), 0.5 / (~gold).sum())
    centred = scores - share @ scores

    def loss(path: float) -> float:
        mixed = centred @ np.array([1.0 - path, path])
        scale = max(0.0, float(share @ (mixed * (gold - 0.5))) / float(share @ mixed**2))
        return float(share @ (gold - 0.5 - scale * mixed) ** 2)

    best = min((at / 1_000 for at in range(1_001)), key=loss)
    dense, path = fit_weights(rows)
    expect_close(path, best, "weight of the path", 1e-3)
    expect_close(dense + path, 1.0, "sum of the weights")


def _concepts() -> None:
    """Words that the question and the sentence share, in the question's order."""
    text = "A storm sank the old ship. It was night."
    passage = Passage("p", "d", 0, "", text, 0, len(text), None, ())
    asked = [
        ("Which", "DET", "det", 1),
        ("ship", "NOUN", "nsubj", 2),
        ("sank", "VERB", "ROOT", 2),
        ("night", "NOUN", "npadvmod", 2),
    ]
    question = replace(parsed(asked), content=frozenset(("ship", "sank", "night")))
    found = shared_concepts(question, Evidence(Hit("p", 1.0, 1), passage, "d.txt"), Sentence(0, 26))
    expect_equal(found, ("ship", "sank"), "concepts shared with the first sentence")


def _diversity() -> None:
    """1 less the mean cosine of all pairs, pair by pair."""
    vectors = unit(np.random.default_rng(6).normal(size=(7, 5)))
    pairs = [float(vectors[i] @ vectors[j]) for i in range(7) for j in range(i + 1, 7)]
    expect_close(diversity(vectors), 1.0 - np.mean(pairs), "diversity")


def _ranked() -> None:
    """By the cosine to the question, where each covers as much as any other."""
    rng = np.random.default_rng(7)
    near = unit(rng.standard_normal((9, 6))) @ unit(rng.standard_normal(6))
    owners = np.arange(9)
    ranking = by_coverage([owners[[at]] for at in range(9)], owners, near)
    above = np.flatnonzero(near > 0)
    expect_equal(
        ranking[: len(above)], sorted(above.tolist(), key=lambda at: -near[at]), "order of the near ones"
    )


def _followed() -> None:
    """Every two dates of each name are looked at: an edge leads to the first that begins when the other is over."""
    facts = [(0, 1, 10, 10), (0, 2, 1, 365), (3, 0, 20, 20), (0, 4, 30, 30), (0, 5, 400, 430), (4, 5, 5, 5)]
    table = np.array(facts, np.int64)
    dated = DatedFacts(table[:, :2], table[:, 2], table[:, 3], np.ones(len(facts)))
    found = following(dated, np.ones(6, np.bool_))
    expected = set()
    for entity in range(6):
        own = [at for at, fact in enumerate(facts) if entity in fact[:2]]
        for one in own:
            later = [at for at in own if facts[at][2] > facts[one][3]]
            if later:
                expected.add((entity, one, min(later, key=lambda at: facts[at][2])))
    edges = zip(found.subjects.tolist(), found.earlier.tolist(), found.later.tolist(), strict=True)
    expect_equal(set(edges), expected, "edges of before")


def _organised() -> None:
    """Lower end first, whichever way it is told; and no relation where it is denied."""
    pairs = (("owns", "owned by"), ("comprises", "part of"), ("employs", "works for"))
    for above, below in pairs:
        one, other = stands_below(above), stands_below(below)
        expect(one is not None and other is not None and one[0] == other[0], f"{above} is not {below}")
        expect(
            one is not None and not one[1] and other is not None and other[1], f"which end {above} puts below"
        )
    expect(stands_below("not owned by") is None, "what is denied is an edge")


def _cited() -> None:
    """A title as a whole, but for what a scan misread; not one within a longer title."""
    works = Works(
        [Work("A Short History of Baltic Harbours"), Work("The Keepers of the Lights of the North")]
    )
    expect_equal(
        works.cited("Holm, I. 1998. A short histary of Baltic harbours. Riga."), 0, "a title misread"
    )
    expect_equal(
        works.cited("Maas, P. Beyond A Short History of Baltic Harbours Today. Riga."), None, "a longer title"
    )


def _pruned() -> None:
    """The walk without weak edges is that over a graph that never had them."""
    toy = draw_corpus()
    for least in (0.4, 0.6, 0.8):
        graph, facts = pruned(toy.graph, toy.facts, least)
        sums: dict[frozenset[int], float] = {}
        for one, other, weight in toy.edges:
            sums[frozenset((one, other))] = sums.get(frozenset((one, other)), 0.0) + weight
        gone = {pair for pair, weight in sums.items() if len(pair) == 2 and 1 - np.exp(-weight) < least}
        dense = toy.graph.adjacency.toarray().astype(np.float64)
        for pair in gone:
            one, other = pair
            dense[one, other] -= sums[pair]
            dense[other, one] -= sums[pair]
        expect_close(graph.adjacency.toarray().ravel(), dense.ravel(), "weights of the edges that are left")
        expect_equal(graph.counts["pruned"], len(gone), "edges pruned")
        left = sum(one != other and frozenset((one, other)) not in gone for one, other, _ in toy.edges)
        expect_equal(len(facts.keys) // 2, left, "facts left")


CHECKS = places(
    "Triple-layer GraphRAG",
    "triple_layer.toml",
    {
        "def. 1, A.1": _similarity,
        "def. 5": _chain,
        "4.2, HNSW": _hnsw,
        "4.3.1, step 3": _consolidated,
        "4.3.1, aggregation": _aggregated,
        "4.3.1, temporal edges": _followed,
        "4.3.1, hierarchical edges": _organised,
        "4.3.1, citation edges": _cited,
        "4.3.1, A.2, PageRank": _importance,
        "4.3.2, step 1": _grounded,
        "4.3.2, step 2": _neighbourhood,
        "4.3.2, step 3, A.2": _path_score,
        "4.3.2, step 4": _documents,
        "4.4.1, A.3, modularity": _modularity,
        "4.4.1, sizes": _sizes,
        "4.4.2": _tokens,
        "4.4.3, ranking": _ranked,
        "4.5.2, A.4": _hybrid,
        "4.5.2, weights": _fitted,
        "4.5.3, vector": _concepts,
        "5.4.1, diversity": _diversity,
        "7.1.3, pruning": _pruned,
    },
)
