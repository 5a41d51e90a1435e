"""A2RAG: "Adaptive Agentic Graph Retrieval for Cost-Aware and Reliable Reasoning", Liu et al."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from itertools import product
from types import SimpleNamespace
from typing import cast

import networkx as nx  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import NDArray

from core.answering.candidates import Candidate
from core.answering.comprehension import Comprehension, Understood
from core.answering.control import Control, Rewriter
from core.answering.validators import (
    GROUNDING,
    RELEVANCE,
    RESOLUTION,
    Attempt,
    Judged,
    TripleCheck,
    failure,
)
from core.config import AgenticConfig, ControlConfig, RetrievalConfig
from core.graph.build import Edges, build_graph
from core.graph.pagerank import personalized_pagerank
from core.index.vector_table import Exact
from core.models.reader import UNREAD, PassageRead, ReaderPassage, SpanRead
from core.progress import TaskContext
from core.research.papers.check import expect, expect_close, expect_equal, places
from core.research.papers.toy_corpus import (
    DIMENSION,
    QUESTION,
    FixedEmbedder,
    ToyCorpus,
    build_corpus,
    draw_corpus,
    parsed,
    query_of,
    unit,
)
from core.retrieval.agentic.alignment import Aligner, Phrases
from core.retrieval.agentic.facts import FactReader, FactWords, stems_of
from core.retrieval.agentic.needs import Named, Needs, Relation
from core.retrieval.agentic.retriever import GraphRetriever
from core.retrieval.agentic.trail import Follower, Trail, bridges
from core.retrieval.gate import Gate, summaries
from core.retrieval.hierarchy.tree import Tree
from core.retrieval.lexical import WordSearch
from core.retrieval.ppr import WalkRetriever, rank_by_entities, seed_weights, top_passages
from core.retrieval.query import Query
from core.retrieval.selection.wording import Wording
from core.retrieval.snapshot_file import Snapshot
from core.retrieval.view import SnapshotView
from core.types import (
    Answer,
    Citation,
    Claim,
    Complexity,
    Hit,
    Passage,
    Retrieval,
    Route,
    Trace,
    Validation,
    Verdict,
)

_CONTEXT = TaskContext()


# ---------------------------------------------------------------- the control loop


def _gate() -> None:
    """Against the best of every document's summary; closed below the bar where no name and no sentence is near.

    A mean counts by its direction, however far its sentences lie apart.
    """
    random = np.random.default_rng(8)
    axis = np.eye(DIMENSION)[0]
    vectors = unit(8.0 * axis + random.normal(size=(12, DIMENSION)))
    asked = unit(axis * 0.1 + np.eye(DIMENSION)[1])
    corpus = build_corpus(4, [frozenset([0, 1])] * 12, [(0, 1, 0.5)], vectors, asked).corpus
    documents = np.array([0, 0, 0, 1, 1, 1])  # of the six passages
    gate = Gate(corpus, summaries(Exact(vectors), corpus.sentence_passages, documents))
    query = Query(QUESTION, lambda _: parsed([]), lambda _: asked, (), {})
    scores = []
    for rows in (range(6), range(6, 12)):
        mean = unit(vectors[list(rows)].astype(np.float64).mean(axis=0))
        nearest = sorted(rows, key=lambda row: -float(vectors[row] @ mean))[:3]
        scores.append(max(float(asked @ each) for each in (mean, *vectors[nearest])))
    found = gate.similarity(asked)
    expect_close(found.similarity, max(0.0, *scores), "the largest similarity to a summary")
    expect_equal(found.document, int(np.argmax(scores)), "the nearest document")
    expect(float((vectors @ asked).max()) < 0.4, "a sentence is near, which opens the gate")
    for bar in (found.similarity - 1e-4, found.similarity + 1e-4):
        shut, _ = gate.closed(query, bar, str)
        expect_equal(shut, found.similarity < bar, f"closed at a bar of {bar:.3f}")
    apart = unit(np.array([[1.0, 2.0], [1.0, -2.0]]))
    gate = Gate(corpus, summaries(Exact(apart), np.zeros(2, np.int64), np.zeros(1, np.int64)))
    found = gate.similarity(np.array([1.0, 0.0], np.float32))
    expect_close(found.similarity, 1.0, "the similarity to a mean that lies between its sentences")


class _Read:
    """A comprehension that finds words told as surely as it is told."""

    def __init__(self, probability: float) -> None:
        self._probability = probability

    def understand(
        self, question: str, passages: Sequence[ReaderPassage], scores: Sequence[float]
    ) -> Understood:
        spans = (SpanRead(0, 4, 0.0, self._probability, 0.0),)
        return Understood(tuple(PassageRead(UNREAD.kinds, 0.0, spans, ()) for _ in passages), ())


def _attempt(question: str = QUESTION, route: str = "fusion", passages: Sequence[str] = ("text",),
    claims: Sequence[Verdict] = (), abstained: bool = False, vectors: Sequence[NDArray[np.float32]] = (),
    answer_text: str = "told") -> Attempt:  # fmt: skip
    """The answer is quoted from the first passage, which is a sentence."""
    hits = tuple(Hit(f"p{at}", 1.0, at + 1) for at in range(len(passages)))
    embeddings = vectors or [np.zeros((0, 2), np.float32)] * len(passages)
    candidates = tuple(
        Candidate(
            hit,
            Passage(hit.passage_id, "d", 0, "", text, 0, len(text), None, ()),
            "d.txt",
            each,
        )
        for hit, text, each in zip(hits, passages, embeddings, strict=True)
    )
    trace = Trace(question, Route(route, Complexity(0.4, 0.25, 0.5, ())), (), (), {}, hits, 0.0)
    quoted = Citation("p0", "d", "d.txt", "", None, 0, len(passages[0]), passages[0], marked=(0, 4))
    checked_claims = tuple(Claim("told", verdict) for verdict in claims)
    answer = Answer(
        "" if abstained else answer_text,
        () if abstained else (passages[0],),
        () if abstained else (quoted,),
        (),
        trace,
        abstained=abstained,
        claims=checked_claims,
    )
    asked = parsed([(word, "NOUN", "dep", 0) for word in question.split()])
    return Attempt(asked, np.eye(1, 2, dtype=np.float32)[0], candidates, answer)


def _validations(attempt: Attempt, probability: float = 0.5) -> tuple[Validation, ...]:
    validators = TripleCheck(ControlConfig(), cast(Comprehension, _Read(probability)))
    return validators.judge(attempt, _CONTEXT).validations


def _relevant() -> None:
    """The nearest of all sentences to the question, at the bar and on either side of it."""
    bar = ControlConfig().relevance
    for cosines in ([[0.1, bar - 0.01], [0.0]], [[0.0], [bar + 0.001]], [[-1.0], [0.9]]):
        vectors = [np.array([[c, (1 - c * c) ** 0.5] for c in own], np.float32) for own in cosines]
        found = _validations(_attempt(passages=("text", "text"), vectors=vectors))[0]
        best = max(itertools.chain.from_iterable(cosines))
        expect_equal((found.name, found.passed), (RELEVANCE, best >= bar), f"V_rel of {cosines}")
        expect_close(found.score, best, "the cosine of the nearest sentence")


def _grounded() -> None:
    """Of a model's sentences the share that is carried; of quotes the share of what is asked, by a sum by hand."""
    bar = ControlConfig().grounding
    for claims in (
        *product(Verdict, repeat=2),
        *product(Verdict, repeat=3),
    ):  # of two, half is the bar itself
        found = _validations(_attempt(claims=claims))[1]
        share = sum(verdict is Verdict.SUPPORTED for verdict in claims) / len(claims)
        expect_equal((found.name, found.passed), (GROUNDING, share >= bar), f"V_grd of {claims}")
    passages = ("harbour pilot", "harbour crane", "harbour crane")
    # "harbour" stands in three of the passages, "crane" in two, "pilot" in one: log(4 / (count + .5)).
    weights = {"harbour": math.log(4 / 3.5), "crane": math.log(4 / 2.5), "pilot": math.log(4 / 1.5)}
    for asked, quoted in (("harbour crane", ["harbour"]), ("pilot crane", ["pilot"]), ("crane", [])):
        expected = sum(weights[word] for word in quoted) / sum(weights[word] for word in asked.split())
        found = _validations(_attempt(asked, passages=passages))[1]
        expect_close(found.score, expected, f"share of {asked!r} where it is quoted")
        expect_equal(found.passed, expected >= ControlConfig().aligned, f"V_grd of {asked!r}")


def _resolved() -> None:
    """Told surely enough, and of the kind that is asked for: yes where nothing is asked so is of another."""
    bar = ControlConfig().resolution
    for confidence, answer, abstained in product((bar - 0.01, bar, 1.0), ("told", "Yes"), (False, True)):
        found = _validations(_attempt(answer_text=answer, abstained=abstained), confidence)[2]
        expected = confidence >= bar and answer == "told" and not abstained
        expect_equal((found.name, found.passed), (RESOLUTION, expected), f"V_ans at {confidence}, {answer!r}")


def _checks(passed: Sequence[bool]) -> tuple[Validation, ...]:
    names = (RELEVANCE, GROUNDING, RESOLUTION)
    return tuple(Validation(name, valid, 0.0, "") for name, valid in zip(names, passed, strict=True))


def _conjunction() -> None:
    """All eight cases: nothing failed where all hold, else the first that does not."""
    for passed in product((True, False), repeat=3):
        first = next(
            (n for n, valid in zip((RELEVANCE, GROUNDING, RESOLUTION), passed, strict=True) if not valid), ""
        )
        expect_equal(failure(_checks(passed)), first, f"failure of {passed}")


class _Loop:
    """Attempts that all fail in one way, and what was asked."""

    name = "made"

    def __init__(self, passed: Sequence[bool], abstained: bool = False) -> None:
        self._passed, self._abstained = passed, abstained
        self.asked: list[tuple[str, str, bool]] = []

    def __call__(self, question: str, route: str, strict: bool = False) -> Attempt:
        self.asked.append((question, route, strict))
        return _attempt(question, route or "fusion", abstained=self._abstained)

    def judge(self, attempt: Attempt, context: TaskContext) -> Judged:
        return Judged(attempt, _checks(self._passed))

    def rewrite(self, attempt: Attempt, failed: str, context: TaskContext) -> str:
        return f"rewritten after {failed}"


def _looped(loop: _Loop, rounds: int = 2, rewriter: Rewriter | None = None) -> Answer:
    config = ControlConfig(rounds=rounds)
    return Control(loop, loop, config, "graph", "", rewriter).run(QUESTION, _CONTEXT)


def _rewritten() -> None:
    """What is asked next, by what failed first, with a language model and without one."""
    relevance, grounding, resolution = (False, False, False), (True, False, False), (True, True, False)
    again = (QUESTION, "", True)
    for passed, abstained, expected in (
        (relevance, False, ("rewritten after relevance", "", False)),
        (grounding, False, again),
        (resolution, True, again),
    ):
        loop = _Loop(passed, abstained)
        _looped(loop, rewriter=loop)
        expect_equal(loop.asked[1:], [expected], f"asked after {failure(_checks(passed))}, with a model")
    for passed, retries in ((relevance, [(QUESTION, "graph", False)]), (grounding, []), (resolution, [])):
        loop = _Loop(passed)
        _looped(loop)
        expect_equal(loop.asked[1:], retries, f"asked after {failure(_checks(passed))}, without a model")


def _bounded() -> None:
    """Never more than I_max times again; an answer that holds ends it; what never holds is not told as one."""
    for rounds, passed, model in product((0, 1, 2), product((True, False), repeat=3), (True, False)):
        loop = _Loop(passed, abstained=True)
        answer = _looped(loop, rounds, loop if model else None)
        expect(
            len(loop.asked) <= rounds + 1, f"{len(loop.asked)} attempts where {rounds} further ones may be"
        )
        expect(answer.abstained, "an answer came of nothing")
        if all(passed):
            expect_equal(len(loop.asked), 1, "attempts where the first holds")


# ---------------------------------------------------------------- the retriever


def _edit(one: str, other: str) -> float:
    """1 less the edit distance by the longer name's length, by a table."""
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        before, row[0] = row[0], at
        for to, letter_to in enumerate(other, start=1):
            before, row[to] = row[to], min(row[to] + 1, row[to - 1] + 1, before + (letter != letter_to))
    return 1.0 - row[-1] / max(len(one), len(other))


def _aligner(toy: ToyCorpus, config: AgenticConfig, texts: dict[str, np.ndarray] | None = None) -> Aligner:
    def search(match: str, k: int) -> list[tuple[str, float]]:
        return [(id, 1.0) for id in toy.corpus.passage_ids][:k]

    return Aligner(toy.corpus, Phrases(FixedEmbedder(toy.vector, texts)), search, config)


def _aligned() -> None:
    """A name that no entity bears: the mean of edit similarity and cosine, of the four nearest in letters."""
    toy = draw_corpus()
    names = [f"E{row}" for row in range(12)]
    vectors = unit(np.random.default_rng(4).normal(size=(13, DIMENSION)))
    texts = dict(zip((*names, "E1x"), vectors, strict=True))
    close = sorted(range(12), key=lambda row: (-_edit("e1x", names[row].lower()), row))[:4]
    means = {row: (_edit("e1x", names[row].lower()) + float(vectors[row] @ vectors[12])) / 2 for row in close}
    best = max(means, key=lambda row: means[row])
    needs = Needs(names=(Named("E1x", "e1x"),))
    for bar, expected in ((means[best] - 1e-4, [best]), (means[best] + 1e-4, [])):
        found = _aligner(toy, AgenticConfig(aligned=bar), texts).entities({}, needs, _CONTEXT)
        expect_equal(list(found.seeds), expected, f"entities aligned at {bar:.3f}")


def _relations_aligned() -> None:
    """By the words that they share, and by the cosine of the predicate."""
    vectors = unit(np.random.default_rng(5).normal(size=(3, DIMENSION)))
    aligner = _aligner(
        draw_corpus(), AgenticConfig(related=0.1), dict(zip(("owner", "owns", "born"), vectors, strict=True))
    )
    facts = [
        FactWords(at, "", frozenset([predicate]), frozenset(), predicate, ())
        for at, predicate in enumerate(("owns", "born"))
    ]
    expect_equal(aligner.by_words(Relation("owner", frozenset(["born"])), facts), {1: 1.0}, "by words")
    expected = {
        at: float(vectors[0] @ vectors[at + 1]) for at in (0, 1) if float(vectors[0] @ vectors[at + 1]) >= 0.1
    }
    found = aligner.by_meaning(Relation("owner", frozenset()), facts, _CONTEXT)
    expect_equal(found, dict.fromkeys(expected, 0.5), "by meaning")


def _follower(toy: ToyCorpus, found: int = 50) -> Follower:
    config = AgenticConfig(found=found)
    aligner = _aligner(toy, config)
    return Follower(toy.facts, FactReader(toy.words_of), aligner, toy.corpus.entity_labels, config)


def _step(toy: ToyCorpus, start: int, clue: str, found: int = 50) -> Trail:
    """One step from an entity, over facts that hold a word of the clue."""
    needs = Needs(asked=(Relation(clue, stems_of(clue)),))
    return _follower(toy, found).step(Trail(f"e{start}", (start,)), needs, _CONTEXT)


def _neighbours() -> None:
    """Every fact at either end, and the entities at the other; of a second step none that was left behind."""
    toy = draw_corpus()
    tells = Relation("tells", stems_of("tells"))
    for start in range(12):
        trail = _step(toy, start, "tells")
        around = list(toy.oracle.edges(start, keys=True))
        expect_equal(trail.looked, len(around), f"facts around {start}")
        expect_equal({taken.fact.key for taken in trail.taken}, {key for _, _, key in around}, "facts taken")
        expect_equal({taken.target for taken in trail.taken}, set(toy.oracle[start]), f"N_1 of {start}")
        needs, second = Needs(steps=(tells, tells)), Trail(f"e{start}", (start,))
        for _ in needs.steps:
            second = _follower(toy).step(second, needs, _CONTEXT)
        expected = {other for near in toy.oracle[start] for other in toy.oracle[near]} - {start}
        expect_equal({taken.target for taken in second.taken[len(around) :]}, expected, "the second step")


def _filtered() -> None:
    """Only facts that tell the relation stay, of several the one that tells it best; the next step begins at no more
    entities than one relation keeps."""
    toy = draw_corpus()
    for start, end, _ in toy.edges:
        trail = _step(toy, start, f"e{end}")
        expected = {key for _, _, key in toy.oracle.edges(start, keys=True) if toy.edges[key - 100][1] == end}
        expect_equal(
            {taken.fact.key for taken in trail.taken}, expected, f"facts of {start} that tell of {end}"
        )
        # Every clause says "clause", which counts half.
        best = _step(toy, start, f"e{end} clause", found=1)
        expect_equal([taken.target for taken in best.taken], [end], f"the best fact of {start} for {end}")
        both = Needs(asked=tuple(Relation(word, stems_of(word)) for word in ("tells", f"e{end}")))
        after = _follower(toy, found=1).step(Trail(f"e{start}", (start,)), both, _CONTEXT)
        expect_equal((len(after.taken), len(after.at)), (2, 1), "facts taken, and where the next step begins")


_BRIDGED = ((0, 3, 7), (2, 5, 9), (1, 4, 6))


def _bridges() -> None:
    """All within K facts of two seeds, by breadth-first search from each."""
    toy = draw_corpus()
    for hops, seeds in product((1, 2, 3), _BRIDGED):
        found = bridges(toy.facts, seeds, AgenticConfig(hops=hops, bridges=200), _CONTEXT)
        near = [set(nx.single_source_shortest_path_length(toy.oracle, seed, hops)) for seed in seeds]
        expected = {row for row in range(12) if sum(row in each for each in near) >= 2}
        expect_equal({bridge.row for bridge in found}, expected, f"B_K for K = {hops}")


def _bridge_paths() -> None:
    """Facts that lead from a seed to the bridge, as few as breadth-first search says, and no more paths than wanted."""
    toy = draw_corpus(facts=30)  # triangles
    config = AgenticConfig(hops=3, bridges=200, paths=2)
    for bridge in (each for seeds in _BRIDGED for each in bridges(toy.facts, seeds, config, _CONTEXT)):
        expect(len(bridge.paths) <= 2 * len(bridge.seeds), "more paths than wanted")
        shortest = {seed: nx.shortest_path_length(toy.oracle, seed, bridge.row) for seed in bridge.seeds}
        for path in bridge.paths:
            chain = nx.Graph(toy.edges[key - 100][:2] for key in path)
            chain.add_node(bridge.row)
            leads = any(
                length == len(path) and seed in chain and nx.has_path(chain, seed, bridge.row)
                for seed, length in shortest.items()
            )
            expect(leads, f"{path} is no shortest path from a seed to {bridge.row}")


def _transition() -> None:
    """P_uv = A_uv / deg(u), where all edges weigh 1."""
    ends = np.array([[0, 1], [1, 2], [2, 3], [0, 2]])
    none = Edges(np.zeros((0, 2), np.int64), np.zeros(0))
    graph = build_graph(np.arange(4), np.zeros(0, np.int64), Edges(ends, np.ones(4)), none, none)
    adjacency = np.zeros((4, 4))
    for one, other in ends:
        adjacency[one, other] = adjacency[other, one] = 1.0
    expected = adjacency / adjacency.sum(axis=1, keepdims=True)
    expect_close(graph.transition.toarray().T, expected, "P")


def _personalised() -> None:
    """1 / degree of each seed, to a sum of 1, where nothing else seeds; the degree counts passages. The passages that
    hold a name stand for it where no entity bears it."""
    toy = draw_corpus()
    alone = RetrievalConfig(name_share=1.0, fact_share=0.0, passage_share=0.0)
    walk = WalkRetriever(toy.corpus, alone)
    found, _ = walk.walk(query_of(toy), 5, _CONTEXT, seed_weights(toy.corpus, {0: 1.0, 3: 1.0, 7: 1.0}))
    inverse = {row: 1.0 / sum(row in named for named in toy.passages) for row in (0, 3, 7)}
    total = sum(inverse.values())
    weights = {int(seed.entity_id[1:]): seed.weight for seed in found.seeds}
    expect_close([weights[row] for row in inverse], [each / total for each in inverse.values()], "p_0")
    n = toy.graph.n_entities
    lost = seed_weights(toy.corpus, {}, [[0, 2, 5, 6], [2, 4]])
    # Each name at 1 / degree, in equal parts on the passages that stand for it.
    expect_equal(
        lost, {n: 1 / 16, n + 2: 1 / 16 + 1 / 4, n + 5: 1 / 16, n + 6: 1 / 16, n + 4: 1 / 4}, "names lost"
    )


def _mapped_back() -> None:
    """The passages that name one of the L heaviest entities of an exact walk, and no other."""
    toy, most = draw_corpus(), 3
    seeds = {0: 1.0, 3: 1.0}
    retrieval = RetrievalConfig(name_share=1.0, fact_share=0.0, passage_share=0.0)
    retriever = WalkRetriever(toy.corpus, retrieval)
    _, walk = retriever.walk(query_of(toy), 100, _CONTEXT, seed_weights(toy.corpus, seeds))
    found = top_passages(toy.corpus, rank_by_entities(toy.corpus, walk, most), 100)
    start = np.zeros(toy.graph.n_nodes)
    for row in seeds:
        start[row] = 1.0 / sum(row in named for named in toy.passages)
    dense = toy.graph.adjacency.toarray().astype(np.float64)
    exact = np.linalg.solve(np.eye(len(dense)) - 0.6 * dense / dense.sum(axis=0), 0.4 * start / start.sum())
    top = sorted(range(toy.graph.n_entities), key=lambda row: -exact[row])[:most]
    expected = {f"p{at}" for at, named in enumerate(toy.passages) if named & set(top)}
    expect_equal({hit.passage_id for hit in found}, expected, "passages of the top nodes")
    expect(len(expected) < len(toy.passages), "every passage names a top node")


def _fixed_point() -> None:
    """One more step of r = alpha p_0 + (1 - alpha) P^T r changes nothing."""
    toy = draw_corpus()
    start = np.zeros(toy.graph.n_nodes)
    start[[0, 3]] = 0.5
    dense = toy.graph.adjacency.toarray().astype(np.float64)
    found = personalized_pagerank(toy.graph, start, 0.6, tolerance=1e-10).scores
    expect_close(0.4 * start + 0.6 * dense / dense.sum(axis=0) @ found, found, "r, one step on", 1e-9)
    expect_close(found.sum(), 1.0, "mass")


def _retrieved(needs: Needs) -> Retrieval:
    toy = draw_corpus()
    start = f"e{toy.edges[0][0]}"

    def texts(ids: Sequence[str]) -> list[tuple[str, str]]:
        return [("", f"{start} is told of") for _ in ids]

    search = cast(WordSearch, SimpleNamespace(search=lambda match, limit: []))
    snapshot = cast(Snapshot, SimpleNamespace(corpus=toy.corpus, facts=toy.facts))
    view = SnapshotView(
        snapshot, toy.corpus, toy.facts, None, search, texts, Wording(texts), toy.words_of, _no_tree
    )
    walk, embedder = WalkRetriever(toy.corpus, RetrievalConfig()), FixedEmbedder(toy.vector)
    retriever = GraphRetriever(
        view, walk, embedder, lambda question: needs, RetrievalConfig(), AgenticConfig()
    )
    return retriever.retrieve(query_of(toy), 5, _CONTEXT)


def _no_tree() -> Tree:
    raise AssertionError("the graph route asks for no communities")


def _escalation() -> None:
    """Each stage once and in order, no further than the evidence asks for; what one found is kept."""
    nothing = _retrieved(Needs((Named("Zed", "zed"),)))
    expect_equal(
        [stage.name for stage in nothing.stages],
        ["align", "local", "bridge", "seeds", "graph", "global"],
        "stages",
    )
    expect_equal(nothing.ended, "fail", "where nothing is covered")
    start = draw_corpus().edges[0][0]
    name = Named(f"E{start}", f"e{start}")
    hit = _retrieved(Needs((name,), (name,), (), (Relation("tells", stems_of("tells")),)))
    expect_equal([stage.name for stage in hit.stages], ["align", "local"], "stages where the first suffices")
    expect_equal(hit.ended, "local", "where the first suffices")
    passage_stages = {passage: brought.stage for passage, brought in hit.brought.items()}
    expect(set(passage_stages.values()) == {"local"} and bool(passage_stages), "what brought the passages")


CHECKS = places(
    "A2RAG",
    "a2rag.toml",
    {
        "eq. 1": _gate,
        "eq. 2": _relevant,
        "eq. 3": _grounded,
        "eq. 4": _resolved,
        "eq. 5": _conjunction,
        "eq. 6": _rewritten,
        "III-B.3, bounded retry": _bounded,
        "III-C, entity seeds": _aligned,
        "III-C, relation seeds": _relations_aligned,
        "eq. 7": _neighbours,
        "III-C.1, relation filter": _filtered,
        "eq. 8": _bridges,
        "III-C.2, evidence": _bridge_paths,
        "eq. 9": _transition,
        "eq. 10": _personalised,
        "eq. 11": _fixed_point,
        "eq. 12": _mapped_back,
        "III-C.4": _escalation,
    },
)
