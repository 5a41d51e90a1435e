"""A small random corpus with its graph for the papers' checks, and the same graph for networkx."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import networkx as nx  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import NDArray

from core.extraction.question import ParsedQuestion, QuestionType, Token
from core.graph.build import Edges, KnowledgeGraph, build_graph
from core.index.texts import Ids
from core.index.vector_table import Exact
from core.progress import TaskContext
from core.retrieval.corpus import Corpus
from core.retrieval.fact_graph import FactGraph, Rows, fact_graph
from core.retrieval.paths.path import Paths
from core.retrieval.query import Query, analyse
from core.retrieval.subgraph.subgraph import Asked, Scores
from core.store.facts import FactColumns, FactText

DIMENSION = 8
QUESTION = "what is told?"  # names nothing
WeightedEdge = tuple[int, int, float]  # a fact: its ends as entity rows, the sum of confidences
_FIRST_KEY = 100  # keys differ from rows


@dataclass(frozen=True)
class ToyCorpus:
    """`sentences[s]` are the entities that a sentence names, `passages[p]` those of a passage."""

    corpus: Corpus
    facts: FactGraph
    edges: tuple[WeightedEdge, ...]  # the fact of key 100 first
    sentences: tuple[frozenset[int], ...]
    passages: tuple[frozenset[int], ...]
    vector: NDArray[np.float32]  # of the question, unit

    @property
    def graph(self) -> KnowledgeGraph:
        return self.corpus.graph

    @property
    def oracle(self) -> nx.MultiGraph:
        """Return the facts with their keys and strengths."""
        return networkx_graph(len(self.corpus.entity_ids), self.edges)

    def words_of(self, keys: Sequence[int]) -> dict[int, FactText]:
        """Return each fact with a clause in every passage that has a sentence with both ends."""
        found = {}
        for key in keys:
            one, other, _ = self.edges[key - _FIRST_KEY]
            clauses = tuple(
                (self.corpus.passage_ids[row], f"clause of {key}")
                for row in range(len(self.passages))
                if any(
                    {one, other} <= named
                    for named, at in zip(self.sentences, self.corpus.sentence_passages, strict=True)
                    if at == row
                )
            )
            found[key] = FactText(key, f"E{one}", "tells", f"E{other}", clauses)
        return found


def query_of(toy: ToyCorpus, text: str = "") -> Query:
    """Return a question, by default the toy's own, as it is analysed over the toy corpus."""
    return analyse(text or QUESTION, toy.corpus, lambda _: parsed([]), FixedEmbedder(toy.vector))


class FixedEmbedder:
    """An embedder that returns fixed vectors for the question and the texts."""

    name = "given"
    dimension = DIMENSION

    def __init__(
        self, vector: NDArray[np.float32], texts: Mapping[str, NDArray[np.float32]] | None = None
    ) -> None:
        self._vector, self._texts = vector, texts or {}

    def embed(self, texts: Sequence[str], context: TaskContext) -> NDArray[np.float32]:
        return np.stack([self._texts[text] for text in texts])

    def embed_question(self, question: str) -> NDArray[np.float32]:
        return self._vector


class ByNumber:
    """A scorer by fixed numbers: of a fact's key, of an entity's row; a path scores the mean of its facts."""

    def __init__(
        self, graph: FactGraph, facts: Mapping[int, float], entities: Mapping[int, float] | None = None
    ) -> None:
        self._graph, self._facts, self._entities = graph, facts, entities or {}
        self.scored = 0  # facts and paths so far

    def facts(self, asked: Asked, places: Rows, context: TaskContext) -> Scores:
        self.scored += len(places)
        return np.array([self._facts[key] for key in self._graph.keys[places].tolist()], dtype=np.float64)

    def entities(self, asked: Asked, rows: Rows, context: TaskContext) -> Scores:
        return np.array([self._entities.get(row, 0.0) for row in rows.tolist()], dtype=np.float64)

    def paths(self, asked: Asked, paths: Paths, context: TaskContext) -> Scores:
        self.scored += len(paths)
        scores = [
            np.mean([self._facts[key] for key in self._graph.keys[list(path.facts)].tolist()])
            for path in paths
        ]
        return np.array(scores, dtype=np.float64)


def unit(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    """Scale the rows to length 1."""
    found: NDArray[np.float32] = (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(
        np.float32
    )
    return found


def networkx_graph(entities: int, edges: Sequence[WeightedEdge]) -> nx.MultiGraph:
    oracle = nx.MultiGraph()
    oracle.add_nodes_from(range(entities))
    for key, (one, other, confidence) in enumerate(edges, start=_FIRST_KEY):
        oracle.add_edge(one, other, key=key, strength=1.0 - np.exp(-confidence))
    return oracle


def draw_corpus(seed: int = 7, entities: int = 12, passages: int = 9, facts: int = 18) -> ToyCorpus:
    """Draw passages of two sentences that name two or three entities, and facts between any two."""
    random = np.random.default_rng(seed)
    sentences = [
        frozenset(random.choice(entities, random.integers(2, 4), replace=False).tolist())
        for _ in range(2 * passages)
    ]
    triples: list[WeightedEdge] = []
    while len(triples) < facts:
        # Half of the facts occur in a sentence, like extracted ones.
        among = sorted(sentences[len(triples)]) if len(triples) < len(sentences) // 2 else range(entities)
        one, other = random.choice(list(among), 2, replace=False).tolist()
        triples.append((one, other, float(random.choice([0.2, 0.5, 0.9, 1.7]))))
    vectors = unit(random.normal(size=(len(sentences), DIMENSION)))
    return build_corpus(entities, sentences, triples, vectors, unit(random.normal(size=DIMENSION)))


def build_corpus(
    entities: int,
    sentences: Sequence[frozenset[int]],
    edges: Sequence[WeightedEdge],
    vectors: NDArray[np.float32],
    vector: NDArray[np.float32],
) -> ToyCorpus:
    """Build a corpus of passages of two sentences; `vectors` (s, d) are of the sentences, a passage's is their
    mean.
    """
    count = len(sentences) // 2
    passages = tuple(sentences[2 * at] | sentences[2 * at + 1] for at in range(count))
    occurrences = np.array([(each, at) for at, named in enumerate(passages) for each in sorted(named)])
    columns = FactColumns(
        np.arange(_FIRST_KEY, _FIRST_KEY + len(edges)),
        np.array([fact[0] for fact in edges], dtype=np.int64),
        np.array([fact[1] for fact in edges], dtype=np.int64),
        np.array([fact[2] for fact in edges], dtype=np.float64),
    )
    graph = build_graph(
        np.arange(entities),
        np.arange(count),
        Edges(np.stack([columns.subjects, columns.objects], axis=1), columns.strengths),
        Edges(occurrences, np.ones(len(occurrences))),
        Edges(np.zeros((0, 2), np.int64), np.zeros(0)),
    )
    labels = ["PERSON"] * entities
    names = [f"E{row}" for row in range(entities)]
    corpus = Corpus(
        Ids.of(f"p{at}" for at in range(count)),
        Exact(unit(vectors[0::2].astype(np.float64) + vectors[1::2])),
        Exact(vectors),
        np.repeat(np.arange(count), 2),
        np.arange(0, 2 * count + 1, 2),
        Ids.of(f"e{row}" for row in range(entities)),
        names,
        labels,
        {name.lower(): (row,) for row, name in enumerate(names)},
        np.array([sum(row in named for named in passages) for row in range(entities)]),
        np.concatenate([[0], np.cumsum([len(named) for named in sentences])]),
        np.array([row for named in sentences for row in sorted(named)], dtype=np.int64),
        graph,
    )
    facts = fact_graph(graph, columns, labels)
    return ToyCorpus(corpus, facts, tuple(edges), tuple(sentences), passages, vector)


def asking(seeds: Mapping[int, float]) -> Asked:
    return Asked(QUESTION, np.zeros(DIMENSION, np.float32), seeds)


def parsed(words: Sequence[tuple[str, str, str, int]]) -> ParsedQuestion:
    """Return a question of words, each (text, part of speech, dependency, head), verbs in the past, without names."""
    tokens, start = list[Token](), 0
    for text, pos, dep, head in words:
        tag = "VBD" if pos == "VERB" else ""
        tokens.append(Token(text, text.lower(), pos, tag, dep, head, start, start + len(text), ""))
        start += len(text) + 1
    text = " ".join(word[0] for word in words)
    return ParsedQuestion(text, tuple(tokens), (), QuestionType.OTHER, "", -1, -1, (), frozenset())
