"""EA-GraphRAG: "Use Graph When It Needs", Dong et al."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.config import RetrievalConfig, RoutingConfig
from core.extraction.question_names import Name
from core.graph.build import Edges, build_graph
from core.graph.pagerank import Walker, personalized_pagerank
from core.graph.synonymy import nearest_names
from core.lab.metrics import recall_at
from core.progress import TaskContext
from core.research.papers import ea_adapter
from core.research.papers.check import expect, expect_close, expect_equal, places
from core.research.papers.toy_corpus import (
    DIMENSION,
    FixedEmbedder,
    ToyCorpus,
    draw_corpus,
    parsed,
    query_of,
    unit,
)
from core.retrieval.compositions import shipped_compositions
from core.retrieval.dense import DenseRetriever
from core.retrieval.fact_seeds import FactChooser, FactVectors, Ranking
from core.retrieval.fusion import LISTS, join
from core.retrieval.ppr import top_passages
from core.retrieval.routing.features import dependencies, lexicon, tree, units
from core.retrieval.routing.features.vector import FEATURE_NAMES
from core.retrieval.routing.weighing import EQUAL, GRAPH_ALONE, Weigher, WeightModel, Weights
from core.retrieval.seeds import CandidateFact, Restart, restart
from core.text.answer_score import contains
from core.types import Complexity, Hit

_CONTEXT = TaskContext()
_SENTENCE = (  # "Who owned the ship that sank there?", its parse by hand
    ("Who", "PRON", "nsubj", 1),
    ("owned", "VERB", "ROOT", 1),
    ("the", "DET", "det", 3),
    ("ship", "NOUN", "dobj", 1),
    ("that", "PRON", "nsubj", 5),
    ("sank", "VERB", "relcl", 3),
    ("there", "ADV", "advmod", 5),
)
_HEADS = [word[3] for word in _SENTENCE]


def _graph() -> None:
    """Entities 10, 20, 30 and passages 5, 6: each kind of edge once, one of them twice."""
    graph = build_graph(
        np.array([10, 20, 30]),
        np.array([5, 6]),
        Edges(np.array([[10, 20], [20, 10]]), np.array([1.0, 2.0])),
        Edges(np.array([[10, 5], [30, 6]]), np.ones(2)),
        Edges(np.array([[20, 30]]), np.array([0.9])),
    )
    expected = np.zeros((5, 5))
    for one, other, weight in ((0, 1, 3.0), (0, 3, 1.0), (2, 4, 1.0), (1, 2, 0.9)):
        expected[one, other] = expected[other, one] = weight
    expect_close(graph.adjacency.toarray(), expected, "adjacency of N and C")


def _synonyms() -> None:
    """Against all pairs, one by one."""
    vectors = unit(np.random.default_rng(3).normal(size=(40, 4)))
    keys = np.arange(40)
    near = nearest_names(vectors, keys, vectors, keys, 0.8, 40)
    pairs = {
        (one, other)
        for one in keys
        for other in keys
        if one != other and vectors[one] @ vectors[other] >= 0.8
    }
    expect_equal(
        set(zip(near.rows.tolist(), near.keys.tolist(), strict=True)), pairs, "pairs with cosine >= .8"
    )


def _ratios() -> None:
    """3 sentences, 36 words, 9 clauses: every ratio divided by hand."""
    found = {each.name: each.value for each in units.signals(units.Units(36, 3, 9, 4, 6, 2, 5, 7, 12))}
    expected = {
        "MLS": 12, "MLT": 6, "C/S": 3, "C/T": 1.5, "CT/T": 2 / 6, "DC/C": 4 / 9, "DC/T": 4 / 6, "CP/C": 5 / 9,
        "CP/T": 5 / 6, "T/S": 2, "CN/C": 7 / 9, "CN/T": 7 / 6, "VP/T": 2, "W": 36, "S": 3, "C": 9, "DC": 4, "T": 6,
        "CT": 2, "CP": 5, "CN": 7, "VP": 12,
    }  # fmt: skip
    expect_equal(set(found), set(expected), "units and ratios")
    for name, value in expected.items():
        expect_close(found[name], value, name)


def _distances() -> None:
    """In a sentence of which the words are known: |i - head(i)| without the root."""
    found = {each.name: each.value for each in dependencies.measure(parsed(_SENTENCE))}
    apart = [abs(at - head) for at, head in enumerate(_HEADS) if at != head]
    expect_close(found["max_dependency_distance"], max(apart), "largest distance")
    expect_close(found["mean_dependency_distance"], np.mean(apart), "mean distance")
    expect_equal(found["long_dependencies"], 0.0, "distances above 5")
    expect_equal((found["subject_relations"], found["object_relations"]), (2.0, 1.0), "relations by kind")
    far = [(f"w{at}", "NOUN", "dep", 0) for at in range(9)]  # all hang on the first
    found = {each.name: each.value for each in dependencies.measure(parsed(far))}
    expect_equal(found["long_dependencies"], 3.0, "distances above 5 of a flat tree")


def _lexical() -> None:
    """ "Who met Anna and the ship and the crew?", counted by hand."""
    words = (
        ("Who", "PRON", "nsubj", 1),
        ("met", "VERB", "ROOT", 1),
        ("Anna", "PROPN", "dobj", 1),
        ("and", "CCONJ", "cc", 2),
        ("the", "DET", "det", 5),
        ("ship", "NOUN", "conj", 2),
        ("and", "CCONJ", "cc", 5),
        ("the", "DET", "det", 8),
        ("crew", "NOUN", "conj", 5),
    )
    question = replace(parsed(words), names=(Name("Anna", "anna", 8, 12, 2, 3, "PERSON"),))
    found = {each.name: each.value for each in lexicon.measure(question)}
    expected = {
        "people": 1, "organisations": 0, "entity_density": 1 / 9, "lexical_diversity": 7 / 9, "content_words": 4,
        "function_words": 5, "content_to_function": 4 / 5, "information_density": 4 / 9, "agents": 1, "patients": 1,
        "coordination_markers": 2, "negation_markers": 0, "passive_markers": 0,
    }  # fmt: skip
    for name, value in expected.items():
        expect_close(found[name], value, name)


def _tree() -> None:
    """Depth by walking up, width by counting levels."""
    found = {each.name: each.value for each in tree.measure(parsed(_SENTENCE))}

    def depth(at: int) -> int:
        return 0 if _HEADS[at] == at else 1 + depth(_HEADS[at])

    depths = [depth(at) for at in range(len(_HEADS))]
    inner = {head for at, head in enumerate(_HEADS) if head != at}
    leaves = len(_HEADS) - len(inner)
    width = max(Counter(depths).values())
    expect_equal(found["tree_depth"], float(max(depths)), "depth")
    expect_equal(found["tree_width"], float(width), "width")
    expect_close(found["leaf_ratio"], leaves / len(inner), "leaves to others")
    expect_close(found["mean_branching"], (len(_HEADS) - 1) / len(inner), "branching")
    expect_close(found["depth_to_width"], max(depths) / width, "depth to width")
    expect_close(found["tokens_per_clause"], 7 / 2, "words a clause")
    expect_close(found["depth_per_token"], max(depths) / 7, "depth a word")


def _model(seed: int = 5) -> WeightModel:
    random = np.random.default_rng(seed)
    mean, scale = random.normal(size=4), random.uniform(0.5, 2.0, 4)
    return WeightModel(("a", "b", "c", "d"), mean, scale, random.normal(size=(3, 4)), random.normal(size=3))


def _standardised() -> None:
    """x~ = (x - mu) / sigma, within three deviations."""
    expect(len(FEATURE_NAMES) > 80, f"{len(FEATURE_NAMES)} features are not more than 80")
    model = _model()
    raw = model.mean + model.scale * np.array([-2.0, -0.5, 1.0, 2.5])
    found = model.standardised(dict(zip(model.names, raw.tolist(), strict=True)))
    expect_close(found, (raw - model.mean) / model.scale, "z-scores")
    far = model.mean + model.scale * np.array([-5.0, 3.5, 2.0, 40.0])
    found = model.standardised(dict(zip(model.names, far.tolist(), strict=True)))
    expect_close(found, [-3.0, 3.0, 2.0, 3.0], "z-scores of what is far from the mean")


def _score() -> None:
    """A softmax's share of the graph is the sigmoid of a logit: its own less the log of the others' sum."""
    model = _model()
    for z in np.random.default_rng(1).normal(size=(20, 4)):
        lexical, dense, graph = model.push @ z + model.bias
        logit = graph - np.log(np.exp(lexical) + np.exp(dense))
        found = float(model.shares(z)[LISTS.index("graph")])
        expect_close(found, 1.0 / (1.0 + np.exp(-logit)), "s(q) = sigmoid(logit)")
        expect(0.0 < found < 1.0, f"s(q) = {found} is not in (0, 1)")


def _score_of_both() -> None:
    _score()
    ea_adapter.score()


def _route() -> None:
    """Both thresholds themselves, and what lies below, between and above them."""

    def holding(words: Sequence[str]) -> list[int]:
        return [0] * len(words)

    low, high = RoutingConfig().low, RoutingConfig().high
    weigher = Weigher(Weights(EQUAL), RoutingConfig(), None, holding, 1, {})  # type: ignore[arg-type]
    for score in (0.0, low, low + 1e-9, (low + high) / 2, high - 1e-9, high, 1.0):
        expected = "graph" if score >= high else "dense" if score <= low else "fusion"
        weights = {"lexical": 0.0, "dense": 1.0 - score, "graph": score}
        found = weigher.route(Complexity(score, low, high, (), weights)).name
        expect_equal(found, expected, f"route at s(q) = {score}")


def _dense() -> None:
    """Every product, sorted."""
    toy = draw_corpus()
    found = DenseRetriever(toy.corpus).retrieve(query_of(toy), 4, _CONTEXT).hits
    products = [float(toy.vector @ row) for row in toy.corpus.passage_vectors[:]]
    best = sorted(range(len(products)), key=lambda row: -products[row])[:4]
    expect_equal([hit.passage_id for hit in found], [f"p{row}" for row in best], "top 4")
    expect_close([hit.score for hit in found], [products[row] for row in best], "inner products")


class _Backwards:
    """A reranker that puts the farthest first."""

    name = "backwards"

    def rank(self, question: str, facts: Sequence[CandidateFact], context: TaskContext) -> Ranking:
        return Ranking(tuple(range(len(facts)))[::-1], "backwards")


def _chooser(toy: ToyCorpus, candidates: int) -> FactChooser:
    return FactChooser(toy.corpus, toy.facts, toy.words_of, _Backwards(), candidates)


def _near_facts() -> None:
    """Of each fact the nearest sentence that names both of its ends, by looking at all."""
    toy = draw_corpus()
    cosines = toy.corpus.sentence_vectors[:] @ toy.vector
    expected = sorted(
        (
            max(
                (float(cosines[at]) for at, named in enumerate(toy.sentences) if {one, other} <= named),
                default=-2.0,
            )
            for one, other, _ in toy.edges
        ),
        reverse=True,
    )
    near = toy.corpus.sentence_vectors.nearest(toy.vector, len(toy.sentences))
    found = [fact.cosine for fact in _chooser(toy, 100).nearest(near)]
    expect_close(found, [cosine for cosine in expected if cosine > -2.0], "nearness of the facts, best first")


def _fact_vectors() -> None:
    """The inner products of the question with the words of every fact, best first."""
    toy = draw_corpus()
    random = np.random.default_rng(5)
    words = {f"E{one} tells E{other}": random.normal(size=DIMENSION) for one, other, _ in toy.edges}
    vectors = {text: (vector / np.linalg.norm(vector)).astype(np.float32) for text, vector in words.items()}
    found = FactVectors(toy.facts, toy.words_of, FixedEmbedder(toy.vector, vectors)).nearest(
        toy.vector, 5, _CONTEXT
    )
    expected = sorted(
        (float(vectors[f"E{one} tells E{other}"] @ toy.vector) for one, other, _ in toy.edges),
        reverse=True,
    )
    expect_close([fact.cosine for fact in found], expected[:5], "inner products of the five nearest facts")
    ends = [{f"E{fact.subject}", f"E{fact.object}"} for fact in found]
    expect_equal(ends, [set(fact.words.split(" tells ")) for fact in found], "ends of the facts")


def _near_by_both_ways() -> None:
    _fact_vectors()
    _near_facts()


def _reranked() -> None:
    """Of the candidates the first of the reranker's order, no more than are wanted."""
    toy = draw_corpus()
    near = toy.corpus.sentence_vectors.nearest(toy.vector, len(toy.sentences))
    chooser = _chooser(toy, 5)
    candidates = chooser.nearest(near)
    found, _, _ = chooser.choose(query_of(toy), near, 3, _CONTEXT)
    expect_equal(len(candidates), 5, "candidates")
    expect_equal(found, candidates[::-1][:3], "the reranker's first three")


_FACTS = (
    CandidateFact(0, 1, 0.3, "", ""),
    CandidateFact(2, 3, 0.1, "", ""),
    CandidateFact(4, 5, 0.2, "", ""),
    CandidateFact(1, 6, -0.1, "", ""),
)


def _restart(toy: ToyCorpus, most: int = 0, passage_share: float = 0.0, hub_power: float = 1.0) -> Restart:
    """As the paper seeds: nothing but the entities of chosen facts, held down by the number of their passages."""
    config = RetrievalConfig(
        name_share=0.0,
        fact_share=1.0 - passage_share,
        passage_share=passage_share,
        hub_power=hub_power,
        walk_seeds=most,
    )
    passages = toy.corpus.passage_vectors.nearest(toy.vector, 9)
    sentences = toy.corpus.sentence_vectors.nearest(toy.vector, 18)
    return restart({}, passages, sentences, toy.corpus, config, facts=_FACTS)


def _entity_weights() -> None:
    """w(n) = normalised similarity / number of passages, of several facts the mean; the number is raised to a power."""
    toy = draw_corpus()
    cosines = toy.corpus.sentence_vectors[:] @ toy.vector
    low, high = float(cosines.min()), float(cosines.max())
    for power in (1.0, 0.7):
        expected = np.zeros(toy.graph.n_nodes)
        for row in {end for fact in _FACTS for end in (fact.subject, fact.object)}:
            own = [(f.cosine - low) / (high - low) for f in _FACTS if row in (f.subject, f.object)]
            passages = sum(row in named for named in toy.passages)
            expected[row] = sum(own) / len(own) / passages**power
        found = _restart(toy, hub_power=power).dense(toy.graph.n_nodes)
        expect_close(found, expected / expected.sum(), f"weights of the seeds at a power of {power}")


def _top_seeds() -> None:
    """Of the facts' entities only the k' heaviest, in the same proportions."""
    toy = draw_corpus()
    every = _restart(toy).dense(toy.graph.n_nodes)
    found = _restart(toy, 2).dense(toy.graph.n_nodes)
    best = np.argsort(-every, kind="stable")[:2]
    expect_equal(np.flatnonzero(found).tolist(), sorted(best.tolist()), "the two heaviest entities")
    expect_close(found[best], every[best] / every[best].sum(), "their shares")


def _reset() -> None:
    """Nothing on passages where the passages' share is 0; else so much of it, by their sharpened similarities."""
    toy = draw_corpus()
    found = _restart(toy).dense(toy.graph.n_nodes)
    expect_equal(float(found[toy.graph.n_entities :].sum()), 0.0, "mass of the passages")
    expect_close(found.sum(), 1.0, "mass of all")
    shared = _restart(toy, passage_share=0.2).dense(toy.graph.n_nodes)
    expect_close(
        shared[: toy.graph.n_entities], 0.8 * found[: toy.graph.n_entities], "shares of the entities"
    )
    cosines = (toy.corpus.passage_vectors[:] @ toy.vector).astype(np.float64)
    sharp = (
        (cosines - cosines.min()) / (cosines.max() - cosines.min())
    ) ** RetrievalConfig().passage_sharpness
    expect_close(shared[toy.graph.n_entities :], 0.2 * sharp / sharp.sum(), "shares of the passages", 1e-5)


def _pagerank() -> None:
    """r = (1 - d) r0 + d P^T r, solved as linear equations; the push keeps within the error that it tells."""
    toy = draw_corpus()
    start = np.random.default_rng(2).random(toy.graph.n_nodes)
    start /= start.sum()
    dense = toy.graph.adjacency.toarray().astype(np.float64)
    expect(bool((dense.sum(axis=0) > 0).all()), "a node has no edge")
    exact = np.linalg.solve(np.eye(len(dense)) - 0.6 * dense / dense.sum(axis=0), 0.4 * start)
    walk = personalized_pagerank(toy.graph, start, 0.6, tolerance=1e-9)
    expect_close(walk.scores, exact, "power iteration", 1e-8)
    pushed = Walker(toy.graph, "push").walk(start, 0.6, epsilon=1e-7)
    off = float(np.abs(pushed.scores - exact).sum())
    expect(off <= pushed.error + 1e-6, f"the push is off by {off}, and tells {pushed.error}")


def _passages() -> None:
    """The entries of passages, sorted."""
    toy = draw_corpus()
    walk = Walker(toy.graph).reach(np.array([0, 3]), np.array([0.7, 0.3]), 0.6, _CONTEXT)
    scores = walk.dense(toy.graph.n_nodes)[toy.graph.n_entities :]
    best = sorted(range(len(scores)), key=lambda row: (-scores[row], row))[:5]
    found = top_passages(toy.corpus, walk, 5)
    expect_equal([hit.passage_id for hit in found], [f"p{row}" for row in best], "top 5 of r[C]")
    expect_close([hit.score for hit in found], scores[best], "their mass")


def _fused(s: float, k: int) -> tuple[tuple[Hit, ...], dict[str, float]]:
    """Ours, and the sums by hand: passage c is missing from one list."""
    dense, graph = ("a", "b", "c"), ("d", "b", "a")
    lists = {
        name: tuple(Hit(key, 1.0, rank) for rank, key in enumerate(ids, start=1))
        for name, ids in (("lexical", ()), ("dense", dense), ("graph", graph))
    }
    config = RetrievalConfig(rrf_k=60, crowding=1.0)
    found = join(lists, {"lexical": 0.0, "dense": 1.0 - s, "graph": s}, config, k, lambda ids: ids)
    expected = {
        key: (1.0 - s) / (60 + dense.index(key) + 1) * (key in dense)
        + (s / (60 + graph.index(key) + 1) if key in graph else 0.0)
        for key in dense
    }
    expected["d"] = s / 61
    return found, expected


def _rrf() -> None:
    """1-based ranks; a list that lacks a passage gives it nothing."""
    for s in (0.2, 0.5, 0.9):
        found, expected = _fused(s, 10)
        for hit in found:
            expect_close(hit.score, expected[hit.passage_id], f"RRF({hit.passage_id}) at s(q) = {s}", 1e-12)


def _union() -> None:
    """All that stands in any list, cut to K."""
    found, expected = _fused(0.4, 10)
    order = sorted(expected, key=lambda key: -expected[key])
    expect_equal([hit.passage_id for hit in found], order, "the union by falling RRF")
    expect_equal([hit.passage_id for hit in _fused(0.4, 2)[0]], order[:2], "its first two")


def _evidence() -> None:
    """From the high threshold on the graph's list alone, below it the joined ones."""
    model = _model()
    for z in np.random.default_rng(4).normal(size=(20, 4)):
        shares = model.shares(z)
        expected = GRAPH_ALONE if shares[-1] >= 0.5 else shares
        expect_close(model.weights(z, 0.5), expected, f"weights at s(q) = {shares[-1]:.2f}")


def _evidence_of_both() -> None:
    _evidence()
    ea_adapter.routed()


def _pipeline() -> None:
    """What the composition of its name is made of."""
    found = shipped_compositions()["ea-graphrag-adapter"]
    expect_equal(found.rank, ("meaning", "graph"), "dense and graph")
    expect_equal((found.join, found.second_stage), ("adapter", False), "routed, and nothing after it")
    expect("retrieval.crowding=1" in found.settings, "passages of one document count less")


def _metrics() -> None:
    """Contain-match by words; recall of one relevant document is the share of questions with any."""
    expect_equal(contains("It was in April 2019, they say.", "april 2019"), 1.0, "a gold answer inside")
    expect_equal(contains("It was in 2018.", "2019"), 0.0, "none inside")
    expect_equal(recall_at(["a", "b", "c"], frozenset("c"), 3), 1.0, "found among three")
    expect_equal(recall_at(["a", "b", "c"], frozenset("c"), 2), 0.0, "not found among two")


CHECKS = places(
    "EA-GraphRAG",
    "ea_graphrag.toml",
    {
        "3.1": _graph,
        "3.1, synonymy": _synonyms,
        "3.2.1": _ratios,
        "3.2.2": _distances,
        "3.2.3": _lexical,
        "3.2.4": _tree,
        "3.2.5": _standardised,
        "3.2.5, selection": ea_adapter.selection,
        "3.3, architecture": ea_adapter.architecture,
        "eq. 1": _score_of_both,
        "3.3, training": ea_adapter.training,
        "eq. 2": _route,
        "3.3, thresholds": ea_adapter.tuned,
        "eq. 3": _dense,
        "eq. 4": _near_by_both_ways,
        "eq. 5": _reranked,
        "3.4.2, weights": _entity_weights,
        "3.4.2, top k'": _top_seeds,
        "3.4.2, reset": _reset,
        "eq. 6": _pagerank,
        "eq. 7": _passages,
        "eq. 8": _rrf,
        "eq. 9": _union,
        "eq. 10": _evidence_of_both,
        "alg. 1": _pipeline,
        "4.3": _metrics,
    },
)
