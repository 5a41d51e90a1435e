"""Retrieval by personalised PageRank over the graph, with what the walk might have started from, for the trace.

EA-GraphRAG 3.4.2, eq. 4 to 7; A2RAG III-C.3, eq. 10 and 12, for passages mapped back from the heaviest entities.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.config import RetrievalConfig
from core.graph.pagerank import Reached, Walker
from core.index.vector_table import Near
from core.progress import TaskContext
from core.retrieval.corpus import Corpus
from core.retrieval.fact_seeds import FactChooser
from core.retrieval.query import Query
from core.retrieval.ranking import as_ranked, hits_of, largest_of
from core.retrieval.seeds import NAMED, NEAREST, CandidateFact, PassedOver, Restart, restart
from core.text.translation import mark, tr, trn
from core.types import Hit, Retrieval, Seed, Stage
from core.types.stages import MOST, NearSentence, SeedCandidate, SeedCandidates

TOLERANCE = 1e-3  # L1: far below what separates the ranks
_HEAT_NODES = 400  # entities whose share of the mass is worth showing
BELOW = 12  # sentences that are told beyond those that seed


class WalkRetriever:
    def __init__(
        self,
        corpus: Corpus,
        config: RetrievalConfig,
        chooser: FactChooser | None = None,
    ) -> None:
        """Without a `chooser` the nearest sentences seed the walk."""
        self._corpus = corpus
        self._config = config
        self._chooser = chooser
        self._walker = Walker(corpus.graph)

    def retrieve(self, query: Query, k: int, context: TaskContext) -> Retrieval:
        """Return the k passages that hold most of the walk's mass; `heat` is the entities' part of it."""
        context.check()
        if not self._corpus.passage_ids:
            return Retrieval(())
        return self.walk(query, k, context)[0]

    def walk(
        self, query: Query, k: int, context: TaskContext, names: Mapping[int, float] | None = None
    ) -> tuple[Retrieval, Reached]:
        """Return what `retrieve` does, and the mass of every node that was reached.

        `names` weighs the nodes to start at in the place of the entities that the question names, see `restart`.
        """
        corpus = self._corpus
        near = nearest_to(query.vector, corpus, self._config, self._chooser)
        facts, chosen = self._facts(query, near[1], context)
        begin = time.perf_counter()
        start = restart(query.entities, *near, corpus, self._config, names, facts)
        candidates = candidates_of(query, near[1], corpus, self._config, start, sentences=facts is None)
        seeded = time.perf_counter()
        context.check()
        walk = self._walker.reach(start.nodes, start.mass, self._config.damping, context, tolerance=TOLERANCE)
        walked = time.perf_counter()
        hits = top_passages(corpus, walk, k)
        count = trn("{count} entity", "{count} entities", len(start.seeds))
        stages = (
            *chosen,
            Stage(mark("seeds"), seeded - begin, count, candidates),
            Stage(
                mark("graph"),
                walked - seeded,
                _walk_words(walk, corpus),
                as_ranked("graph", hits, len(corpus.passage_ids)),
            ),
        )
        return Retrieval(hits, stages, top_entities(corpus, walk.nodes, walk.scores), start.seeds), walk

    def _facts(
        self, query: Query, near: Near, context: TaskContext
    ) -> tuple[tuple[CandidateFact, ...] | None, tuple[Stage, ...]]:
        """The facts that were chosen, None where nobody chooses, and the stage that tells it. Eq. 5."""
        if self._chooser is None:
            return None, ()
        begin = time.perf_counter()
        facts, words, near_facts = self._chooser.choose(query, near, self._config.top_facts, context)
        return facts, (Stage(mark("facts"), time.perf_counter() - begin, words, near_facts),)


def _walk_words(walk: Reached, corpus: Corpus) -> str:
    graph = corpus.graph
    summary = tr("{steps} steps, {nodes} nodes", steps=walk.iterations, nodes=graph.n_nodes)
    if pruned := graph.counts.get("pruned"):
        weak = trn("{count} weak edge left out", "{count} weak edges left out", pruned)
        return tr("{said}, {weak}", said=summary, weak=weak)
    return summary


def nearest_to(
    vector: NDArray[np.float32],
    corpus: Corpus,
    config: RetrievalConfig,
    chooser: FactChooser | None = None,
) -> tuple[Near, Near]:
    """The passages and the sentences nearest to a question, as many of them as `restart` and its trace look at."""
    wide = max(config.top_facts + BELOW, 0 if chooser is None else chooser.wide)
    return corpus.passage_vectors.nearest(vector, NEAREST), corpus.sentence_vectors.nearest(vector, wide)


def top_passages(corpus: Corpus, walk: Reached, k: int) -> tuple[Hit, ...]:
    """The k passages that hold most of the mass; ties in the order of the corpus."""
    n = corpus.graph.n_entities
    inside = walk.nodes >= n
    rows, scores = largest_of(walk.nodes[inside] - n, walk.scores[inside], k)
    return hits_of(corpus.passage_ids, rows, scores)


def top_entities(corpus: Corpus, nodes: NDArray[np.int64], mass: NDArray[np.float64]) -> dict[str, float]:
    """Mass of the heaviest entities by id, heaviest first, of `nodes`, (t,), with their `mass`, (t,)."""
    own = (nodes < corpus.graph.n_entities) & (mass > 0)
    rows, scores = largest_of(nodes[own], mass[own], _HEAT_NODES)
    return dict(zip(corpus.entity_ids.at(rows), scores.tolist(), strict=True))


def candidates_of(
    query: Query,
    nearest: Near,
    corpus: Corpus,
    config: RetrievalConfig,
    start: Restart,
    sentences: bool,
) -> SeedCandidates:
    """`nearest` sentences, some `BELOW` those that seed; `start` is what `restart` made of it all.

    `sentences`: whether the nearest ones seed, not facts that were chosen.
    """
    most = config.top_facts
    order = nearest.first(most + BELOW if sentences else 0)
    own = start.nodes < corpus.graph.n_entities
    own_mass = dict(zip(start.nodes[own].tolist(), start.mass[own].tolist(), strict=True))
    mass = defaultdict(float, own_mass)
    rows = sorted(own_mass, key=lambda row: -own_mass[row])[:MOST]
    taken = tuple(_taken(rows, mass, query.entities, start.seeds, corpus))
    others = (
        *_passed_over(query.passed_over, mass, corpus),
        *_in_far_sentences(order.rows.tolist(), most, mass, corpus),
    )
    near_sentences = tuple(_sentences(order, most, corpus))
    room = MOST - len(taken)
    return SeedCandidates(
        (*taken, *others[:room]), near_sentences, len(own_mass), len(own_mass) + len(others)
    )


def _taken(
    rows: Sequence[int],
    mass: Mapping[int, float],
    named: Mapping[int, str],
    seeds: Sequence[Seed],
    corpus: Corpus,
) -> Iterator[SeedCandidate]:
    reasons = {seed.entity_id: seed.reason for seed in seeds}
    for row in rows:
        id = corpus.entity_ids[row]
        # Beyond the seeds that are shown by name the reason is not told by anybody.
        reason = reasons.get(id) or (NAMED if row in named else tr("in a sentence near the question"))
        yield SeedCandidate(id, corpus.entity_names[row], named.get(row, ""), mass[row], reason)


def _passed_over(
    passed: Sequence[PassedOver], mass: Mapping[int, float], corpus: Corpus
) -> Iterator[SeedCandidate]:
    yielded: set[int] = set()
    for each in passed:
        if not each.rows:
            yield SeedCandidate("", each.words, each.words, 0.0, NAMED, each.why)
        for row in each.rows:
            if not mass[row] and row not in yielded:
                yielded.add(row)
                yield SeedCandidate(
                    corpus.entity_ids[row], corpus.entity_names[row], each.words, 0.0, NAMED, each.why
                )


def _in_far_sentences(
    order: Sequence[int], most: int, mass: Mapping[int, float], corpus: Corpus
) -> Iterator[SeedCandidate]:
    """Entities that only sentences name which were not near enough."""
    reason = tr("in a sentence near the question")
    rows = dict.fromkeys(row for sentence in order[most:] for row in _named(sentence, corpus))
    for row in rows:
        if not mass[row]:
            yield SeedCandidate(
                corpus.entity_ids[row], corpus.entity_names[row], "", 0.0, reason, _too_far(most)
            )


def _sentences(order: Near, most: int, corpus: Corpus) -> Iterator[NearSentence]:
    found = zip(order.rows.tolist(), order.cosines.tolist(), strict=True)
    for place, (sentence, cosine) in enumerate(found):
        passage = int(corpus.sentence_passages[sentence])
        yield NearSentence(
            corpus.passage_ids[passage],
            sentence - int(corpus.sentence_starts[passage]),
            cosine,
            tuple(corpus.entity_names[row] for row in _named(sentence, corpus)),
            "" if place < most else _too_far(most),
        )


def _too_far(most: int) -> str:
    return trn("not in the nearest sentence", "not in the {count} nearest sentences", most)


def _named(sentence: int, corpus: Corpus) -> list[int]:
    """Rows of the entities that a sentence names."""
    inside = slice(corpus.named_starts[sentence], corpus.named_starts[sentence + 1])
    named: list[int] = corpus.named_entities[inside].tolist()
    return named


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
