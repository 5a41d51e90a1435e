"""How long a dial's move takes until ranking and heat are new, on a made graph of 100,000 nodes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from core.answering.models import Models
from core.config import Config, with_settings
from core.graph.build import Edges, KnowledgeGraph, build_graph
from core.graph.pagerank import Walker
from core.index.texts import Ids
from core.index.vector_table import Exact
from core.progress import TaskContext
from core.research.benches.figures import Figure
from core.research.synthetic.graph import made_graph
from core.retrieval.corpus import Corpus
from core.retrieval.ranking import numbered
from core.retrieval.ranking_session import DialParts, RankingSession
from core.retrieval.routing.weighing import Weigher
from core.retrieval.selection.selector import Pools, Selector
from core.retrieval.selection.wording import Wording
from core.types import Ranking

NODES, EDGES_A_NODE, PASSAGES = 100_000, 5, 0.3
SENTENCES_A_PASSAGE, NAMES_A_SENTENCE, WIDE = 3, 2, 100
QUESTION = "Which company did the owner of the Grey Petrel found in Douglas?"
GOAL = 50  # ms
# By setting: where the hand begins, where it ends.
MOVES = {
    "retrieval.damping": (0.5, 0.85),
    "retrieval.name_share": (0.4, 0.9),
    "retrieval.top_facts": (3, 23),
    "retrieval.hub_power": (0.7, 1.7),
    "retrieval.graph_weight": (1.0, 3.0),
    "retrieval.pool": (40, 80),
    "routing.high": (0.5, 0.9),
}
STEPS = 20  # positions of a move
_WHOLE = 5  # dials that go farther count whole numbers


@dataclass(frozen=True, slots=True)
class Moved:
    """Milliseconds of each position, and of the exact ranking at the end; how many of its first ten were seen then."""

    quick: list[float]
    exact: float
    same: float


def run(
    dataset: Path | None, context: TaskContext, nodes: int = NODES, steps: int = STEPS
) -> dict[str, Figure]:
    """Moves of each dial on a graph of `nodes`. No data set is read."""
    opened = make_session(nodes)
    figures: dict[str, Figure] = {}
    all_quick: list[float] = []
    for at, name in enumerate(MOVES):
        context.report("dials", at, len(MOVES), name)
        moved = _moved(opened, name, steps, context)
        all_quick += moved.quick
        figures[f"{name}, a move, median"] = Figure(statistics.median(moved.quick), "ms")
        figures[f"{name}, let go"] = Figure(moved.exact, "ms")
        figures[f"{name}, first ten as exact"] = Figure(moved.same, "", None, ">= 0.9")
    context.report("dials", len(MOVES), len(MOVES))
    ranking, damping = _ranked(opened, Config(), context), Config().retrieval.damping
    figures |= {
        "a move, 95 of 100": Figure(float(np.percentile(all_quick, 95)), "ms", None, f"<= {GOAL} ms"),
        "a move, longest": Figure(max(all_quick), "ms"),
        "who gave how much": _timed(lambda: opened.attributed(ranking, damping, "p7", context)),
        "steps of the diffusion": _timed(lambda: opened.steps(ranking, damping, context)),
    }
    return figures


def _timed(act: Callable[[], object]) -> Figure:
    begin = time.perf_counter()
    act()
    return Figure((time.perf_counter() - begin) * 1000, "ms")


def _ranked(
    opened: RankingSession, config: Config, context: TaskContext, after: Ranking | None = None
) -> Ranking:
    return opened.rank(config.retrieval, config.routing, context, after)


def _moved(opened: RankingSession, name: str, steps: int, context: TaskContext) -> Moved:
    low, high = MOVES[name]
    places: Sequence[float] = np.linspace(low, high, steps).tolist()
    ranking = _ranked(opened, Config(), context)
    quick = []
    for place in places:
        value = f"{place:.3f}" if high - low < _WHOLE else str(round(place))
        config = with_settings(Config(), [f"{name}={value}"])
        ranking = _ranked(opened, config, context, ranking)
        quick.append(ranking.seconds * 1000)
    exact = _ranked(opened, config, context)
    actual, wanted = ({hit.passage_id for hit in found.hits[:10]} for found in (ranking, exact))
    return Moved(quick, exact.seconds * 1000, len(actual & wanted) / max(1, len(wanted)))


def make_session(nodes: int, seed: int = 7) -> RankingSession:
    """A question laid open over a made corpus whose graph has so many nodes."""
    rng = np.random.default_rng(seed)
    corpus = made_corpus(nodes, rng)
    passages = len(corpus.passage_ids)
    models = Models()
    parsed = models.parse(QUESTION)
    words = np.array("company owner ship harbour insurance clerk ledger Douglas founded voyage".split())
    texts = {
        id: (f"Letter {at}", " ".join(rng.choice(words, 40))) for at, id in enumerate(corpus.passage_ids)
    }
    wording = Wording(lambda ids: [texts[id] for id in ids], str.lower)
    vector = corpus.passage_vectors[:1][0]
    question = _Fixed(vector)
    pools = Pools(corpus, question, wording, lambda _: ("grey petrel",), str.lower, str.lower)
    selection = models.selection()
    weigher = Weigher(
        models.weights(), Config().routing, lambda _: parsed, wording,
        lambda words: [passages // 50 for _ in words], passages, corpus.entity_rows,
    )  # fmt: skip
    second = Selector(pools, selection) if selection is not None else None
    parts = DialParts(
        corpus,
        str.lower,
        weigher.under,
        lambda ids: (corpus.passage_ids.rows_of(ids) // 10).tolist(),
        second,
        Walker(corpus.graph),
    )
    near = corpus.passage_vectors.nearest(vector, WIDE)
    lists = {
        "lexical": numbered((corpus.passage_ids[row], 1.0) for row in rng.permutation(passages)[:WIDE]),
        "dense": numbered(
            (corpus.passage_ids[row], cosine)
            for row, cosine in zip(near.rows.tolist(), near.cosines.tolist(), strict=True)
        ),
    }
    return RankingSession(QUESTION, "fusion", parts, vector, lists)


class _Fixed:
    """Gives every question one vector."""

    name, dimension = "made", 64

    def __init__(self, vector: NDArray[np.float32]) -> None:
        self._vector = vector

    def embed(self, texts: Sequence[str], context: TaskContext) -> NDArray[np.float32]:
        return np.repeat(self._vector[None, :], len(texts), axis=0)

    def embed_question(self, question: str) -> NDArray[np.float32]:
        return self._vector


def made_corpus(nodes: int, rng: np.random.Generator, dimension: int = 64) -> Corpus:
    """Three sentences a passage, two names a sentence; three of ten nodes are passages."""
    passages = int(nodes * PASSAGES)
    entities, sentences = nodes - passages, passages * SENTENCES_A_PASSAGE
    graph = _graph(nodes, entities)
    vectors = [rng.standard_normal((n, dimension)).astype(np.float32) for n in (passages, sentences)]
    for matrix in vectors:
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    names: dict[str, tuple[int, ...]] = {"grey petrel": (17,), "douglas": (23,), "grey": (29,)}
    occurrences = graph.adjacency[:entities, entities:]
    return Corpus(
        passage_ids=Ids.of(f"p{at}" for at in range(passages)),
        passage_vectors=Exact(vectors[0]),
        sentence_vectors=Exact(vectors[1]),
        sentence_passages=np.repeat(np.arange(passages), SENTENCES_A_PASSAGE),
        sentence_starts=np.arange(passages + 1) * SENTENCES_A_PASSAGE,
        entity_ids=Ids.of(f"e{at}" for at in range(entities)),
        entity_names=tuple(f"Name {at}" for at in range(entities)),
        entity_labels=("PERSON",) * entities,
        entity_rows=names,
        entity_passages=np.maximum(1, np.diff(occurrences.indptr)).astype(np.int64),
        named_starts=np.arange(sentences + 1) * NAMES_A_SENTENCE,
        named_entities=rng.integers(0, entities, sentences * NAMES_A_SENTENCE),
        graph=graph,
    )


def _graph(nodes: int, entities: int) -> KnowledgeGraph:
    upper = sparse.triu(made_graph(nodes, EDGES_A_NODE * nodes)).tocoo()
    ends = np.stack([upper.row, upper.col], axis=1).astype(np.int64)
    facts = ends[ends[:, 1] < entities]
    mentions = ends[(ends[:, 0] < entities) & (ends[:, 1] >= entities)]
    keys = np.arange(nodes)
    none = Edges(np.zeros((0, 2), np.int64), np.zeros(0))
    facts_of, mentions_of = (Edges(part, np.ones(len(part))) for part in (facts, mentions))
    return build_graph(keys[:entities], keys[entities:], facts_of, mentions_of, none)
