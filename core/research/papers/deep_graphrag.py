"""Deep GraphRAG: "A Balanced Approach to Hierarchical Retrieval and Adaptive Integration", Li et al."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.config import GraphConfig, HierarchyConfig
from core.extraction.aligning import align
from core.extraction.prompts import TripleReply
from core.graph.communities import bands, hierarchy, leiden
from core.ingest.linking import Linker
from core.progress import TaskContext
from core.research.papers.check import expect, expect_close, expect_equal, places
from core.research.papers.deep_integration import EQUATIONS, phase_four
from core.research.papers.toy_corpus import ToyCorpus, draw_corpus, query_of
from core.research.synthetic.workspace import planted_graph
from core.retrieval.hierarchy.nearest import entity_vectors
from core.retrieval.hierarchy.retriever import HierarchicalRetriever
from core.retrieval.hierarchy.tree import Homes, Tree, build_tree
from core.review.name_suggestions import SameReply, candidates, confirm
from core.store.facts import Evidence, describe_fact
from core.store.store import Store
from core.text.sentences import sentences
from core.types import Generation, Message, Passage, Retrieval, Structured

_WIDTH, _ENTITIES = 2, 5  # of the beam, and how many are found
_COUNTS = (16, 8, 4)  # communities by level, the finest first, of 48 entities


@cache
def _toy_tree() -> tuple[ToyCorpus, Tree]:
    """48 entities in communities of three, these and those above two and two; keys from 1, the finest first."""
    toy = draw_corpus(entities=48, passages=40)
    firsts = np.cumsum([1, *_COUNTS])
    parents = np.concatenate(
        [firsts[1] + np.arange(16) // 2, firsts[2] + np.arange(8) // 2, np.full(4, -1)]
    ).astype(np.int64)
    homes = Homes(
        np.arange(1, 29), np.repeat([1, 2, 3], _COUNTS), parents, np.arange(48), 1 + np.arange(48) // 3
    )
    return toy, build_tree(toy.corpus, homes)


def _unit(vector: NDArray[np.floating]) -> NDArray[np.float64]:
    length = float(np.linalg.norm(vector))
    return np.asarray(vector / length if length else vector, dtype=np.float64)


def _described(toy: ToyCorpus, entity: int) -> NDArray[np.float64]:
    """The mean of the sentences that name an entity; nothing where none does."""
    vectors = toy.corpus.sentence_vectors[:]
    rows = [at for at, named in enumerate(toy.sentences) if entity in named]
    return np.asarray(vectors[rows].mean(axis=0) if rows else np.zeros(vectors.shape[1]), dtype=np.float64)


def _community_vectors(toy: ToyCorpus) -> list[list[NDArray[np.float64]]]:
    """Eq. 1 level by level: means of what is inside, each to length 1."""
    levels = [
        [_unit(np.sum([_described(toy, 3 * at + one) for one in range(3)], axis=0)) for at in range(16)]
    ]
    for count in _COUNTS[1:]:
        below = levels[-1]
        levels.append([_unit(below[2 * at] + below[2 * at + 1]) for at in range(count)])
    return levels


def _hierarchy() -> None:
    """Three levels of a planted graph: each entity in one community, each of these inside one of the level above.
    Weights tell what belongs together.
    """
    ends = planted_graph(1_200, 4_000)
    levels = hierarchy(1_200, ends, np.ones(len(ends)))
    expect_equal(len(levels), 3, "levels")
    for labels, band in zip(levels, bands(1_200), strict=True):
        expect_equal(labels.shape, (1_200,), "a community for every entity")
        expect(int(np.bincount(labels).max()) <= band.most, "a community is too large")
    for inner, outer in pairwise(levels):
        pairs = {(int(one), int(other)) for one, other in zip(inner, outer, strict=True)}
        expect_equal(len(pairs), int(inner.max()) + 1, "communities that lie in one of the level above")
    ring = np.array([(0, 1), (1, 2), (2, 3), (3, 0)])
    for heavy, expected in ((0, [0, 0, 1, 1]), (1, [0, 1, 1, 0])):
        weights = np.where(np.arange(4) % 2 == heavy, 10.0, 0.1)
        expect_equal(leiden(4, ring, weights).tolist(), expected, "communities of a ring by its heavy edges")


def _means() -> None:
    toy, tree = _toy_tree()
    for level, expected in zip(tree.levels, _community_vectors(toy), strict=True):
        expect_close(level.vectors, np.array(expected), "D(c), the mean of what is inside", 1e-5)


def _entity_vectors() -> None:
    """The inner product with a question is that of both halves of a concatenation, halved."""
    toy, tree = _toy_tree()
    rows, joined = entity_vectors(toy.corpus, tree)
    communities = _community_vectors(toy)[0]
    for row, vector in zip(rows.tolist(), joined, strict=True):
        own, parent = _unit(_described(toy, row)), communities[row // 3]
        both = np.concatenate([own, parent]) @ np.concatenate([toy.vector, toy.vector])
        expect_close(float(vector @ toy.vector), both / 2, f"D(v) of entity {row}", 1e-5)


def _width_and_passages() -> None:
    """The beam's width; and passages that name the entities at its end, by .4 of the cosine, .4 of the nearest sentence
    that names one, .2 of the best of them."""
    expect_equal(HierarchyConfig().width, 3, "k")
    toy, _ = _toy_tree()
    cosines = toy.corpus.sentence_vectors[:] @ toy.vector
    near = toy.corpus.passage_vectors[:] @ toy.vector
    scores = _entity_scores(frozenset())
    best = frozenset(sorted(scores, key=lambda entity: -scores[entity])[:_ENTITIES])
    expected = {}
    for row in range(len(toy.passages)):
        naming = [at for at in (2 * row, 2 * row + 1) if toy.sentences[at] & best]
        if naming:
            own = max(scores[entity] for at in naming for entity in toy.sentences[at] & best)
            sentence = max(float(cosines[at]) for at in naming)
            expected[f"p{row}"] = 0.4 * float(near[row]) + 0.4 * sentence + 0.2 * own
    order = sorted(expected, key=lambda passage: -expected[passage])[:5]
    hits = _retrieved("").hits
    expect_equal([hit.passage_id for hit in hits], order, "passages of the entities")
    expect_close([hit.score for hit in hits], [expected[each] for each in order], "their scores", 1e-5)


_NAMED = {"": frozenset[int](), "What of E3 and E40?": frozenset((3, 40))}  # questions, and what they name


@cache
def _retrieved(question: str, entity_vectors: bool = False) -> Retrieval:
    toy, tree = _toy_tree()
    config = HierarchyConfig(width=_WIDTH, reranked=100, entities=_ENTITIES, entity_vectors=entity_vectors)
    retriever = HierarchicalRetriever(toy.corpus, lambda: tree, config)
    return retriever.retrieve(query_of(toy, question), 5, TaskContext())


def _community_scores(toy: ToyCorpus, level: int, named: frozenset[int]) -> list[float]:
    """The mean of the cosine of D(c) and of the three nearest sentences that name a member, and half the share of the
    names of the question that are inside."""
    cosines = toy.corpus.sentence_vectors[:] @ toy.vector
    size = 48 // _COUNTS[level]
    scores = []
    for at, vector in enumerate(_community_vectors(toy)[level]):
        members = set(range(at * size, (at + 1) * size))
        near = sorted(
            (float(cosines[s]) for s, naming in enumerate(toy.sentences) if naming & members), reverse=True
        )
        own = float(vector @ toy.vector)
        score = (own + float(np.mean(near[:3]))) / 2 if near else own
        scores.append(score + 0.5 * len(named & members) / max(1, len(named)))
    return scores


def _beamed(level: int, named: frozenset[int]) -> tuple[list[int], list[float]]:
    """Who stays in the beam at a level, by searching from the top, and all scores of the level."""
    toy, _ = _toy_tree()
    scores = _community_scores(toy, level, named)
    if level == 2:
        candidates = list(range(4))
    else:
        candidates = [below for at in _beamed(level + 1, named)[0] for below in (2 * at, 2 * at + 1)]
    return sorted(candidates, key=lambda at: -scores[at])[:_WIDTH], scores


def _expect_level(level: int, considered: int) -> None:
    for question, named in _NAMED.items():
        beam = _retrieved(question).beam[2 - level]
        expected, scores = _beamed(level, named)
        first = 1 + sum(_COUNTS[:level])
        expect_equal(beam.considered, considered, "communities that were looked at")
        expect_equal([key - first for key, _ in beam.chosen], expected, f"the top k of {question!r}")
        expect_close(
            [score for _, score in beam.chosen], [scores[at] for at in expected], "their scores", 1e-5
        )


def _top_level() -> None:
    """All of them; of more than are ranked again, those whose vectors are nearest."""
    _expect_level(2, 4)
    toy, tree = _toy_tree()
    config = HierarchyConfig(width=1, reranked=1)
    retriever = HierarchicalRetriever(toy.corpus, lambda: tree, config)
    tops = np.array(_community_vectors(toy)[2])
    for vector in toy.corpus.sentence_vectors[:]:
        beam = retriever.retrieve(query_of(replace(toy, vector=vector)), 5, TaskContext()).beam[0]
        nearest = 1 + sum(_COUNTS[:2]) + int((tops @ vector).argmax())
        expect_equal([key for key, _ in beam.chosen], [nearest], "the one that is ranked again")


def _middle_levels() -> None:
    """Only what lies in the beam is expanded."""
    _expect_level(1, 2 * _WIDTH)
    _expect_level(0, 2 * _WIDTH)


def _entity_scores(named: frozenset[int], by_vector: bool = False) -> dict[int, float]:
    """Of the entities of the beam, by the cosine of D(v), or by the mean of the nearest sentence and of the community's
    score; half more for those that the question names."""
    toy, _ = _toy_tree()
    cosines = toy.corpus.sentence_vectors[:] @ toy.vector
    chosen, communities = _beamed(0, named)
    found = {}
    for entity in (3 * at + one for at in chosen for one in range(3)):
        joined = np.concatenate([_unit(_described(toy, entity)), _community_vectors(toy)[0][entity // 3]])
        asked = np.concatenate([toy.vector, toy.vector])
        near = [float(cosines[at]) for at, naming in enumerate(toy.sentences) if entity in naming]
        by_sentence = (max(near, default=0.0) + communities[entity // 3]) / 2
        cosine = float(joined @ asked) / (np.sqrt(2) * float(np.linalg.norm(asked)))
        found[entity] = (cosine if by_vector else by_sentence) + 0.5 * (entity in named)
    return found


def _entity_level() -> None:
    """Among the entities of the beam, by the cosine of D(v), and as they are by default."""
    for (question, named), by_vector in product(_NAMED.items(), (True, False)):
        _expect_entities(_entity_scores(named, by_vector), _retrieved(question, by_vector))


def _expect_entities(scores: dict[int, float], found: Retrieval) -> None:
    best = sorted(scores, key=lambda entity: -scores[entity])[:_ENTITIES]
    expect_equal([seed.entity_id for seed in found.seeds], [f"e{entity}" for entity in best], "the top m")
    total = sum(scores[entity] for entity in best)
    expect_close(
        [seed.weight for seed in found.seeds], [scores[at] / total for at in best], "their scores", 1e-5
    )


_TAU = 0.95
_WORDS = tuple("amber birch cedar dune elm fern gorse heath iris juniper kelp larch".split())
_LABELS = ("ORG", "PERSON")


class _Discriminator:
    """Says that two names are one where their letters together are even in number."""

    name = "given"

    def structured(
        self,
        messages: Sequence[Message],
        record: type[Any],
        context: TaskContext,
        *,
        max_tokens: int = 0,
    ) -> Structured[Any]:
        one, other = (message.text.split("\n")[1].casefold() for message in messages[1:])
        return Structured(SameReply("yes" if _same(one, other) else "no"), Generation("", 1, 1, 0.0))


def _same(one: str, other: str) -> bool:
    return (len(one.split(" (")[0]) + len(other.split(" (")[0])) % 2 == 0


def resolution() -> None:
    """Check that exactly the pairs of one kind above tau are given to the discriminator, and that its verdicts
    hold.
    """
    random = np.random.default_rng(5)
    vectors = 1 + 0.35 * random.standard_normal((len(_WORDS), 6)).astype(np.float32)
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    near = [
        tuple(sorted((_WORDS[a], _WORDS[b])))
        for a, b in combinations(range(len(_WORDS)), 2)
        if a % 2 == b % 2 and float(vectors[a].astype(float) @ vectors[b].astype(float)) > _TAU
    ]
    with _store(vectors) as store:
        found = [tuple(sorted((pair.one[0], pair.other[0]))) for pair in candidates(store)]
        expect_equal(sorted(found), sorted(near), "pairs above tau")
        outcome = confirm(store, _Discriminator(), 100, TaskContext(), "run")  # type: ignore[arg-type]
        same = [pair for pair in near if _same(*pair)]
        expect_equal((outcome.merged, outcome.separate), (len(same), len(near) - len(same)), "verdicts")
        for one, other in near:
            verdict = store.resolution.decided(one)[other]
            expect_equal(verdict, "same" if _same(one, other) else "different", f"{one} and {other}")


def descriptions() -> None:
    """Check that every edge a model described has its words if the passage carries them, and every other one a
    sentence.
    """
    text = "Ada Lind was born in Oslo. Otto Kask hired Ada Lind, who lived in Oslo, in 1904."
    places = tuple(sentences(text))
    passage = Passage("p", "d", 0, "Letters", text, 0, len(text), None, places)
    replies = [
        TripleReply("Ada Lind", "was born in", "Oslo", "Ada Lind was born in the city of Oslo."),
        TripleReply("Otto Kask", "hired", "Ada Lind", "Otto Kask dismissed Ada Lind in 1905."),
        TripleReply("Ada Lind", "lived in", "Oslo"),
    ]
    expected = [
        "Ada Lind was born in the city of Oslo.",
        text[places[1].start :],
        text[places[0].start : places[0].end],
    ]
    triples = align(passage, (), replies).extraction.triples
    expect_equal(len(triples), len(replies), "edges")
    for triple, words in zip(triples, expected, strict=True):
        evidence = Evidence(text[triple.start : triple.end], triple.confidence, triple.description)
        expect_equal(describe_fact([evidence]), words.strip(), f"the description of {triple.predicate}")


@contextmanager
def _store(vectors: NDArray[np.float32]) -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder), "given", vectors.shape[1], create=True)
        try:
            with store.database.transaction() as connection:
                names = [(word, word.title(), _LABELS[at % 2]) for at, word in enumerate(_WORDS)]
                rows = store.entities.ensure(connection, names)
                own = [(rows[word].key, vectors[at]) for at, word in enumerate(_WORDS)]
                store.embeddings.put(connection, "entity", own)
            Linker(store, GraphConfig(synonymy_neighbours=20)).link(
                np.zeros(0, dtype=np.int64), TaskContext()
            )
            yield store
        finally:
            store.close()


CHECKS = places(
    "Deep GraphRAG",
    "deep_graphrag.toml",
    {
        "2.1.1, edge descriptions": descriptions,
        "2.1.1, entity resolution": resolution,
        "2.1.1, hierarchy": _hierarchy,
        "2.1.1, D(v)": _entity_vectors,
        "eq. 1": _means,
        "2.1.2": _width_and_passages,
        "alg. 1, phase 1": _top_level,
        "alg. 1, phase 2": _middle_levels,
        "alg. 1, phase 3": _entity_level,
        "alg. 1, phase 4": lambda: phase_four(*_toy_tree())(),
        **EQUATIONS,
    },
)
