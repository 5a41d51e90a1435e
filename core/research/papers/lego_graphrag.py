"""LEGO-GraphRAG: "Modularizing Graph-based Retrieval-Augmented Generation for Design Space Exploration", Cao et al."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import cast

import networkx as nx  # type: ignore[import-untyped]
import numpy as np

from core.graph.pagerank import Walker
from core.index.lexical import searched_words
from core.progress import TaskContext
from core.protocols import LanguageModel
from core.research.papers.check import expect, expect_close, expect_equal, places
from core.research.papers.toy_corpus import (
    DIMENSION,
    QUESTION,
    ByNumber,
    ToyCorpus,
    asking,
    build_corpus,
    draw_corpus,
    unit,
)
from core.retrieval.agentic.facts import FactReader
from core.retrieval.compositions import PathsPart, PruningPart, SubgraphPart, shipped_compositions
from core.retrieval.paths.finders import (
    Beam,
    Enumerated,
    OneWay,
    PreFiltered,
    Refined,
    Shortest,
    Supplemented,
)
from core.retrieval.paths.path import Path, Paths
from core.retrieval.scoring.meaning import MeaningScorer
from core.retrieval.scoring.scorer import ComponentTexts
from core.retrieval.scoring.text_scorers import Chosen, ModelScorer, ReadingScorer, WordScorer, bm25, counted
from core.retrieval.subgraph.extraction import Hops, Importance, Pruning, RandomWalk
from core.retrieval.subgraph.subgraph import Asked, Scores, Subgraph, full_subgraph
from core.text.stems import stem, words
from core.types import Generation, Message, Structured

_CONTEXT = TaskContext()
_SEEDS = {0: 0.6, 3: 0.4}


def _numbers(toy: ToyCorpus) -> dict[int, float]:
    """A different score for every fact, by key."""
    random = np.random.default_rng(11)
    return dict(zip(toy.facts.keys.tolist(), random.random(len(toy.facts.keys)).tolist(), strict=True))


def _keys(toy: ToyCorpus, facts: Sequence[int] | np.ndarray) -> frozenset[int]:
    return frozenset(toy.facts.keys[list(facts)].tolist())


def _induced(toy: ToyCorpus, entities: Sequence[int] | set[int]) -> frozenset[int]:
    """Keys of all facts between these."""
    return frozenset(key for _, _, key in toy.oracle.subgraph(entities).edges(keys=True))


def _within(toy: ToyCorpus, seed: int, hops: int) -> set[int]:
    return set(nx.single_source_shortest_path_length(toy.oracle, seed, hops))


def _triples() -> None:
    """Each fact from both of its ends, and no other."""
    toy = draw_corpus()
    for row in range(len(toy.corpus.entity_ids)):
        span = toy.facts.of(row, 1_000)
        found = set(zip(toy.facts.others[span].tolist(), toy.facts.keys[span].tolist(), strict=True))
        expected = {(other, key) for _, other, key in toy.oracle.edges(row, keys=True)}
        expect_equal(found, expected, f"facts of entity {row}")


def _union() -> None:
    """The entities around several seeds are those around each, together."""
    toy = draw_corpus()
    found = set(Hops(toy.facts, 1).extract(asking(_SEEDS), _CONTEXT).entities.tolist())
    expected = set().union(*(_within(toy, seed, 1) for seed in _SEEDS))
    expect_equal(found, expected, "entities of g_q")


def _paths_union() -> None:
    """The paths from several seeds are those from each, together: a beam is as wide for each seed as for one."""
    toy = draw_corpus()
    graph = full_subgraph(toy.facts)
    for finder in (Shortest(3), Beam(ByNumber(toy.facts, _numbers(toy)), 2, 3, 1_000, 0.0)):
        both, each = (
            {(path.entities, path.facts) for path in found}
            for found in (
                finder.find(asking(_SEEDS), graph, _CONTEXT),
                [path for seed in _SEEDS for path in finder.find(asking({seed: 1.0}), graph, _CONTEXT)],
            )
        )
        expect_equal(both, each, f"paths of P_q by {type(finder).__name__}")


def _chained(others: Sequence[int], confidences: Sequence[float]) -> ToyCorpus:
    """Entities from 0 on, each joined with the one in `others`, as surely as in `confidences`."""
    facts = [(at, other, sure) for at, (other, sure) in enumerate(zip(others, confidences, strict=True), 1)]
    random = np.random.default_rng(2)
    vectors = unit(random.normal(size=(2, DIMENSION)))
    return build_corpus(len(facts) + 1, [frozenset([0])] * 2, facts, vectors, vectors[0])


def _random_walk() -> None:
    """What walkers visit lies within their length, with all facts between; the seeds stay; it repeats.

    Along a line, many walkers come exactly as far as their length, and of few that stay the near ones are met most.
    """
    toy = draw_corpus()
    walk = RandomWalk(toy.facts, walks=3, length=2)
    found, again = (walk.extract(asking({0: 1.0}), _CONTEXT) for _ in range(2))
    entities = set(found.entities.tolist())
    expect(0 in entities and entities <= _within(toy, 0, 2), "beyond the length of a walk")
    expect_equal(_keys(toy, found.facts), _induced(toy, entities), "facts between")
    expect_equal(found.entities.tolist(), again.entities.tolist(), "the same again")
    expect_close(found.scores.sum(), 1.0, "shares of the visits")
    line = _chained(range(6), [1.0] * 6)
    for most, expected in ((1_000, [0, 1, 2, 3]), (3, [0, 1, 2])):
        walk = RandomWalk(line.facts, walks=400, length=3, most=most)
        found = walk.extract(asking({0: 1.0}), _CONTEXT)
        expect_equal(found.entities.tolist(), expected, f"the {most} that are visited most")


def _hops() -> None:
    """All within K by breadth-first search, with the facts between; of more than may stay those by the strongest."""
    toy = draw_corpus()
    for hops in (1, 2, 3):
        found = Hops(toy.facts, hops).extract(asking({0: 1.0}), _CONTEXT)
        expected = _within(toy, 0, hops)
        expect_equal(set(found.entities.tolist()), expected, f"entities within {hops}")
        expect_equal(_keys(toy, found.facts), _induced(toy, expected), f"facts within {hops}")
    star = _chained([0] * 4, [0.2, 1.7, 0.5, 0.9])
    for capped in (Hops(star.facts, 1, most=3), Hops(star.facts, 1, facts=2)):
        found = capped.extract(asking({0: 1.0}), _CONTEXT)
        expect_equal(found.entities.tolist(), [0, 2, 4], "by the two strongest facts")


def _importance() -> None:
    """The entities with most of an exact walk, seeds first."""
    toy = draw_corpus()
    most = 6
    start = np.zeros(toy.graph.n_nodes)
    start[list(_SEEDS)] = list(_SEEDS.values())
    dense = toy.graph.adjacency.toarray().astype(np.float64)
    exact = np.linalg.solve(np.eye(len(dense)) - 0.6 * dense / dense.sum(axis=0), 0.4 * start)
    order = sorted(range(toy.graph.n_entities), key=lambda row: (row not in _SEEDS, -exact[row]))
    found = Importance(Walker(toy.graph), toy.facts, most).extract(asking(_SEEDS), _CONTEXT)
    expect_equal(set(found.entities.tolist()), set(order[:most]), "the N_ppr heaviest")
    expect_equal(_keys(toy, found.facts), _induced(toy, order[:most]), "facts between")
    expect_close(found.scores, exact[found.entities], "their scores", 1e-3)


_TEXTS = (
    "the ship sank at night",
    "a ship and a ship",
    "nothing of the kind",
    "the night was long and the ship lost",
)


def _slow_bm25(question: str, texts: Sequence[str]) -> list[float]:
    """Every text by the formula, word by word; k1 = 1.2, b = .75."""
    documents = [[word.stem for word in words(text)] for text in texts]
    mean = sum(map(len, documents)) / len(documents)

    def score(document: Sequence[str]) -> float:
        total = 0.0
        for word in {stem(word) for word in searched_words(question)}:
            often, holding = list(document).count(word), sum(word in other for other in documents)
            weight = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
            total += weight * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * len(document) / mean))
        return total

    return [score(document) for document in documents]


def _bm25() -> None:
    """By the formula; a path is the text of all its facts."""
    question = "which ship sank that night"
    expect_close(bm25(*counted(question, _TEXTS)), _slow_bm25(question, _TEXTS), "BM25")
    toy = draw_corpus()
    question, texts = "E3 of E7 and E8", _texts(toy)
    paths = Enumerated(3).find(asking({0: 1.0}), full_subgraph(toy.facts), _CONTEXT)
    found = WordScorer(texts).paths(Asked(question, toy.vector, {}), paths, _CONTEXT)
    expect_close(found, _slow_bm25(question, texts.paths(paths)), "BM25 of paths")


def _nearest(toy: ToyCorpus, wanted: set[int]) -> float:
    """Cosine of the nearest sentence that names all of these; -2 for none."""
    cosines = toy.corpus.sentence_vectors[:] @ toy.vector
    return max(
        (float(cosines[at]) for at, named in enumerate(toy.sentences) if wanted <= named), default=-2.0
    )


def _meaning() -> None:
    """By looking at every sentence for every fact."""
    toy = draw_corpus()
    places = full_subgraph(toy.facts).facts
    found = MeaningScorer(toy.corpus, toy.facts).facts(Asked(QUESTION, toy.vector, {}), places, _CONTEXT)
    for key, score in zip(toy.facts.keys[places].tolist(), found.tolist(), strict=True):
        one, other, _ = toy.edges[key - 100]
        both = _nearest(toy, {one, other})
        expected = both if both > -2.0 else min(_nearest(toy, {one}), _nearest(toy, {other}))
        expect_close(score, expected, f"nearness of fact {key}")


def _texts(toy: ToyCorpus) -> ComponentTexts:
    return ComponentTexts(toy.corpus, toy.facts, FactReader(toy.words_of))


def _reading() -> None:
    """Each text is read together with the question, in batches, and its score is kept as it is."""
    calls: list[tuple[str, int]] = []

    def relevance(question: str, texts: Sequence[str]) -> Scores:
        calls.append((question, len(texts)))
        return np.array([len(text) / 100 for text in texts])

    toy = draw_corpus()
    rows = np.arange(12)
    found = ReadingScorer(_texts(toy), relevance).entities(asking({}), rows, _CONTEXT)
    expect_close(found, [len(f"E{row}") / 100 for row in range(12)], "scores")
    expect_equal(calls, [(QUESTION, 12)], "one batch, with the question")


class _Scripted:
    """A language model that chooses given numbers."""

    def __init__(self, *chosen: int) -> None:
        self._chosen = chosen

    def structured(
        self, messages: Sequence[Message], record: type[Chosen], context: TaskContext, *, max_tokens: int = 0
    ) -> Structured[Chosen]:
        return Structured(record(self._chosen), Generation("", 0, 0, 0.0))


def _model() -> None:
    """What the model names ranks in its order, all else scores nothing."""
    toy = draw_corpus()
    scorer = ModelScorer(_texts(toy), lambda: cast(LanguageModel, _Scripted(3, 1, 99)))
    found = scorer.entities(asking({}), np.arange(5), _CONTEXT)
    expect_equal(np.argsort(-found, kind="stable")[:2].tolist(), [2, 0], "the model's order")
    expect_equal((found > 0).tolist(), [True, False, True, False, False], "what it chose")


def _pruned(component: str, most: int) -> tuple[ToyCorpus, Subgraph, dict[int, float]]:
    toy = draw_corpus()
    numbers = _numbers(toy)
    entities = {row: ((row * 5) % 12) / 12 for row in range(12)}
    pruning = Pruning(ByNumber(toy.facts, numbers, entities), component, most)
    return toy, pruning.prune(asking(_SEEDS), full_subgraph(toy.facts), _CONTEXT), numbers


def _nodes() -> None:
    """The top N_v with the seeds, and the facts between."""
    toy, found, _ = _pruned("nodes", 4)
    expected = set(sorted(range(12), key=lambda row: -((row * 5) % 12))[:4]) | set(_SEEDS)
    expect_equal(set(found.entities.tolist()), expected, "nodes")
    expect_equal(_keys(toy, found.facts), _induced(toy, expected), "their edges")


def _edges() -> None:
    """The top N_e pairs by the best of their facts, without what is left alone but for the seeds."""
    toy, found, numbers = _pruned("edges", 4)
    pairs: dict[frozenset[int], list[int]] = {}
    for key, (one, other, _) in enumerate(toy.edges, start=100):
        pairs.setdefault(frozenset((one, other)), []).append(key)
    best = sorted(pairs, key=lambda pair: -max(numbers[key] for key in pairs[pair]))[:4]
    expect_equal(_keys(toy, found.facts), frozenset(key for pair in best for key in pairs[pair]), "edges")
    expect_equal(set(found.entities.tolist()), set(_SEEDS).union(*best), "their nodes")


def _triples_pruned() -> None:
    """The top N_t facts and their ends."""
    toy, found, numbers = _pruned("triples", 4)
    best = sorted(range(100, 100 + len(toy.edges)), key=lambda key: -numbers[key])[:4]
    expect_equal(_keys(toy, found.facts), frozenset(best), "triples")
    ends = {row for key in best for row in toy.edges[key - 100][:2]}
    expect_equal(set(found.entities.tolist()), ends | set(_SEEDS), "their ends")


def _prefiltered() -> None:
    """Only the best by the cheap scorer are seen by the other; the rest lie below."""
    toy = draw_corpus()
    numbers = _numbers(toy)
    dear = ByNumber(toy.facts, {key: 1.0 - score for key, score in numbers.items()})
    places = full_subgraph(toy.facts).facts
    found = PreFiltered(dear, ByNumber(toy.facts, numbers), 5).facts(asking({}), places, _CONTEXT)
    keys = toy.facts.keys[places].tolist()
    cheap = sorted(keys, key=lambda key: -numbers[key])
    order = [keys[at] for at in np.argsort(-found)]
    expect_equal(dear.scored, 5, "facts that the dear scorer saw")
    expect_equal(order[:5], cheap[:5][::-1], "first those in the dear scorer's order")
    expect_equal(order[5:], cheap[5:], "then the others in the cheap one's")


def _enumerated() -> None:
    """All simple paths of at most three facts."""
    toy = draw_corpus()
    for seed in range(12):
        found = Enumerated(3).find(asking({seed: 1.0}), full_subgraph(toy.facts), _CONTEXT)
        expected = {
            tuple(key for _, _, key in path)
            for target in set(range(12)) - {seed}
            for path in nx.all_simple_edge_paths(toy.oracle, seed, target, 3)
        }
        keys = [_path_keys(toy, path) for path in found]
        expect_equal(len(keys), len(expected), f"paths from {seed}")
        expect_equal(set(keys), expected, f"simple paths from {seed}")


def _shortest() -> None:
    """One to every entity in reach, as long as breadth-first search says."""
    toy = draw_corpus()
    for seed in range(12):
        found = Shortest(4).find(asking({seed: 1.0}), full_subgraph(toy.facts), _CONTEXT)
        expected = dict(nx.single_source_shortest_path_length(toy.oracle, seed, 4))
        del expected[seed]
        lengths = {path.entities[-1]: len(path.facts) for path in found}
        expect_equal(len(found), len(expected), f"paths from {seed}")
        expect_equal(lengths, expected, f"lengths of the shortest paths from {seed}")


def _path_keys(toy: ToyCorpus, path: Path) -> tuple[int, ...]:
    return tuple(toy.facts.keys[list(path.facts)].tolist())


def _mean(toy: ToyCorpus, path: Path, numbers: Mapping[int, float]) -> float:
    return float(np.mean([numbers[key] for key in _path_keys(toy, path)]))


def _one_way() -> None:
    """Of all candidates the N_p that score best."""
    toy = draw_corpus()
    numbers, graph = _numbers(toy), full_subgraph(toy.facts)
    every = Enumerated(3).find(asking({0: 1.0}), graph, _CONTEXT)
    scores = sorted((_mean(toy, path, numbers) for path in every), reverse=True)
    found = OneWay(Enumerated(3), ByNumber(toy.facts, numbers), 6).find(asking({0: 1.0}), graph, _CONTEXT)
    expect_close(found.scores, scores[:6], "the six best")


def _beams(
    toy: ToyCorpus, numbers: Mapping[int, float], seed: int, width: int, longest: int
) -> set[tuple[int, ...]]:
    """A plain beam search: of all extensions the best `width` by the mean score of their facts go on."""
    beams: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((seed,), ())]
    found: set[tuple[int, ...]] = set()
    for _ in range(longest):
        extensions = [
            ((*entities, other), (*keys, key))
            for entities, keys in beams
            for _, other, key in toy.oracle.edges(entities[-1], keys=True)
            if other not in entities
        ]
        beams = sorted(extensions, key=lambda beam: -np.mean([numbers[key] for key in beam[1]]))[:width]
        found |= {keys for _, keys in beams}
    return found


def _beam(toy: ToyCorpus, seed: int, width: int, longest: int, pruned: float) -> Paths:
    beam = Beam(ByNumber(toy.facts, _numbers(toy)), width, longest, 1_000, pruned)
    return beam.find(asking({seed: 1.0}), full_subgraph(toy.facts), _CONTEXT)


def _interactive() -> None:
    """Against a beam search over lists."""
    toy = draw_corpus()
    for seed in range(12):
        keys = {_path_keys(toy, path) for path in _beam(toy, seed, 2, 3, 0.0)}
        expect_equal(keys, _beams(toy, _numbers(toy), seed, 2, 3), f"what was in a beam from {seed}")


def _scored_by_triple() -> None:
    """A path scores the mean of its facts, each scored when it was added."""
    toy = draw_corpus()
    for path in _beam(toy, 5, 3, 3, 0.0):
        expect_close(path.score, _mean(toy, path, _numbers(toy)), "score of a path")


def _dynamic() -> None:
    """How many go on depends on the scores: not those in the lowest half of their range."""
    toy = draw_corpus()
    numbers = _numbers(toy)
    for seed in range(12):
        around = {key: numbers[key] for _, _, key in toy.oracle.edges(seed, keys=True)}
        bar = min(around.values()) + 0.5 * (max(around.values()) - min(around.values()))
        keys = {key for path in _beam(toy, seed, 100, 1, 0.5) for key in _path_keys(toy, path)}
        expect_equal(
            keys, {key for key, score in around.items() if score >= bar}, f"facts of {seed} above the bar"
        )


def _refined() -> None:
    """What others go on from is left out, and the rest is scored by the second scorer."""
    toy = draw_corpus()
    numbers, graph = _numbers(toy), full_subgraph(toy.facts)
    every = {
        _path_keys(toy, path): _mean(toy, path, numbers)
        for path in Enumerated(2).find(asking({0: 1.0}), graph, _CONTEXT)
    }
    ends = [score for own, score in every.items() if not any(other[:-1] == own for other in every)]
    found = Refined(Enumerated(2), ByNumber(toy.facts, numbers), 1_000).find(
        asking({0: 1.0}), graph, _CONTEXT
    )
    expect_close(found.scores, sorted(ends, reverse=True), "whole paths, scored anew")


def _supplemented() -> None:
    """Where too few are chosen, the best of the cheap scorer's others follow them."""
    toy = draw_corpus()
    numbers = _numbers(toy)
    places = full_subgraph(toy.facts).facts
    keys = toy.facts.keys[places].tolist()
    few = ByNumber(toy.facts, {key: float(key == keys[0]) for key in keys})
    found = Supplemented(few, ByNumber(toy.facts, numbers), 4).facts(asking({}), places, _CONTEXT)
    cheap = sorted(keys[1:], key=lambda key: -numbers[key])[:3]
    order = [keys[at] for at in np.argsort(-found, kind="stable")][:4]
    expect_equal(order, [keys[0], *cheap], "one chosen, three supplemented")
    expect_equal(int((found > 0).sum()), 4, "how many count")


def _instances() -> None:
    """The parts of No. 1 to 15 as table 2 and 4.2 name them."""
    table = {1: ("", "", "shortest", "")}
    for at, (pruning, paths) in enumerate(((p, q) for p in ("EEM", "LLM") for q in ("EEM", "LLM")), start=2):
        table[at] = ("edges", pruning, "one-way", paths)
        table[at + 4] = ("edges", pruning, "beam", paths)
    table |= {10: ("edges", "EEM", "shortest", ""), 11: ("edges", "LLM", "shortest", "")}
    for at, kind in ((12, "one-way"), (14, "beam")):
        table |= {at: ("", "", kind, "EEM"), at + 1: ("", "", kind, "LLM")}
    models = {"meaning": "EEM", "model": "LLM"}
    shipped = shipped_compositions()
    for at, expected in table.items():
        each = shipped[f"no-{at}"]
        pruned, scored = each.pruning.kind != "none", each.paths.kind != "shortest"
        found = (
            each.pruning.kind if pruned else "",
            models[each.pruning.scorer] if pruned else "",
            each.paths.kind,
            models[each.paths.scorer] if scored else "",
        )
        expect_equal(found, expected, f"No. {at}")
        expect_equal(each.subgraph.kind, "importance", f"subgraph of No. {at}")


def _without_extraction() -> None:
    shipped = shipped_compositions()
    for name, kind in (("whole-shortest", "shortest"), ("whole-one-way", "one-way"), ("whole-beam", "beam")):
        expect_equal((shipped[name].subgraph.kind, shipped[name].paths.kind), ("none", kind), name)


def _settings() -> None:
    """N_ppr = 1,000, N_e = 64, N_p = 32, B = 8, L = 4."""
    paths = PathsPart()
    found = SubgraphPart().most, PruningPart().most, paths.most, paths.width, paths.longest
    expect_equal(found, (1_000, 64, 32, 8, 4), "the settings of 4.1")


CHECKS = places(
    "LEGO-GraphRAG",
    "lego_graphrag.toml",
    {
        "def. 1": _triples,
        "def. 5": _union,
        "def. 6": _paths_union,
        "3.2.1 a": _random_walk,
        "3.2.1 b": _hops,
        "3.2.1 c": _importance,
        "3.2.2 a.1": _bm25,
        "3.2.2 a.2, embedding": _meaning,
        "3.2.2 a.2, reranker": _reading,
        "3.2.2 a.3, nodes": _nodes,
        "3.2.2 a.3, edges": _edges,
        "3.2.2 a.3, triples": _triples_pruned,
        "3.2.2 b": _model,
        "3.2.2 b.1": _prefiltered,
        "3.3.1 a": _enumerated,
        "3.3.1 b": _shortest,
        "3.3.2": _one_way,
        "3.3.3": _interactive,
        "4.2 a, triple-level scoring": _scored_by_triple,
        "4.2 a, dynamic pruning": _dynamic,
        "3.3.3, LLMs-R": _refined,
        "3.3.3, EEMs-PF": _prefiltered,
        "3.3.3, EEMs-S": _supplemented,
        "table 2": _instances,
        "table 2, group V": _without_extraction,
        "4.1, settings": _settings,
    },
)
