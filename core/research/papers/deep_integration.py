"""Deep GraphRAG, phase 4 and section 2.2: knowledge integration and its rewards."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.answering.candidates import Candidate
from core.answering.integration.distiller import COMMUNITIES, Gatherer, Stated
from core.answering.integration.pieces import Pieces, Section, chosen
from core.answering.integration.rewards import Judgeable, ReaderJudge, conciseness
from core.models.reader import SMALL, Reader, ReaderPassage
from core.research.papers.check import expect, expect_close, expect_equal
from core.research.papers.toy_corpus import ToyCorpus, unit
from core.research.training.dw_grpo import Weights, as_printed, group_relative, growth, softmax_weights
from core.research.training.integrator_score import ExtractScore, bert_score
from core.retrieval.hierarchy.tree import Tree
from core.types import Hit, Passage, Sentence

_FOUND = (4, 0, 11)  # rows of the passages that were retrieved, the best first
_STATED = {"e3": (7, 1), "e5": (0, 0)}  # entity -> the passage and sentence that a fact of it was read from


def phase_four(toy: ToyCorpus, tree: Tree) -> Callable[[], None]:
    """Return the check over a corpus of passages of two sentences each, and its tree."""

    def check() -> None:
        pieces = _gathered(toy, tree)
        by_row = {(piece.passage_id, piece.start > 0): piece.section for piece in pieces.pieces}
        summaries = _summaries(toy, tree)
        details = {(f"p{passage}", bool(at)) for passage, at in _STATED.values()}
        for place, section in by_row.items():
            default = Section.ENTITY if place in details else Section.PASSAGE
            expect_equal(section, Section.COMMUNITY if place in summaries else default, f"section of {place}")
        own = {(f"p{row}", at) for row in _FOUND for at in (False, True)}
        expect_equal(set(by_row), own | details | summaries, "what there is to distil")
        every = chosen(pieces, range(len(pieces)))
        expect(
            all(a.piece.section <= b.piece.section for a, b in pairwise(every.parts)),
            "sections in their order",
        )
        _expect_communities(toy, tree)
        for part in every.parts:
            text = _passage(int(part.piece.passage_id[1:])).text
            expect_equal(part.text, text[part.piece.start : part.piece.end], "what stands at a place")

    return check


def _expect_communities(toy: ToyCorpus, tree: Tree) -> None:
    """Of every sentence that of the communities of three in which most of its entities lie, of as many the first."""
    pieces = _gathered(toy, tree, range(len(toy.passages)))
    for piece, vector in zip(pieces.pieces, pieces.communities, strict=True):
        counts = Counter(
            entity // 3 for entity in toy.sentences[2 * int(piece.passage_id[1:]) + (piece.start > 0)]
        )
        community = min(counts, key=lambda each: (-counts[each], each))
        expect_close(
            vector, tree.levels[0].vectors[community], f"community of a sentence of {piece.passage_id}"
        )


def _gathered(toy: ToyCorpus, tree: Tree, found: Sequence[int] = _FOUND) -> Pieces:
    def stated(entity: str) -> list[Stated]:
        passage, at = _STATED[entity]
        place = _passage(passage).sentences[at]
        return [Stated(f"p{passage}", place.start, place.end)]

    gatherer = Gatherer(
        toy.corpus,
        lambda: tree,
        lambda passage: _passage(int(passage[1:])),
        stated,
        lambda texts: [len(text.split()) for text in texts],
    )
    candidates = [
        Candidate(Hit(f"p{row}", 1.0 / rank, rank), _passage(row), "", np.zeros((2, 8), np.float32))
        for rank, row in enumerate(found, start=1)
    ]
    return gatherer.gather(toy.vector, candidates, list(_STATED))


def _passage(row: int) -> Passage:
    first, second = f"One says {row}.", f"Two says more of {row}."
    text = f"{first} {second}"
    places = (Sentence(0, len(first)), Sentence(len(first) + 1, len(text)))
    return Passage(f"p{row}", f"d{row}", 0, f"T{row}", text, 0, len(text), None, places)


def _summaries(toy: ToyCorpus, tree: Tree) -> set[tuple[str, bool]]:
    """Of the communities of three entities each that the passages name and that are nearest to the question, the
    sentence that names a member and is nearest to the community."""
    vectors, sentences = tree.levels[0].vectors, toy.corpus.sentence_vectors[:]
    met = {entity // 3 for row in _FOUND for entity in toy.passages[row]}
    near = sorted(met, key=lambda each: -float(vectors[each] @ toy.vector))[:COMMUNITIES]
    found = set()
    for community in near:
        members = {3 * community + one for one in range(3)}
        naming = [at for at, named in enumerate(toy.sentences) if named & members]
        best = max(naming, key=lambda at: float(sentences[at] @ vectors[community]))
        found.add((f"p{best // 2}", bool(best % 2)))
    return found


def _relevance() -> None:
    """f_cross(Q, C): question and text read together, the text as a whole."""
    reader = Reader(SMALL.weights)
    question = "Who commands the Northern Star?"
    texts = ["Otto Kask commands the Northern Star.", "Grain prices rose in Odessa.", ""]
    found = ReaderJudge(reader.relevance).rewards(question, [Judgeable(text, 0.0, 1) for text in texts], 2)[
        :, 0
    ]
    expected = [reader.read(question, [ReaderPassage("", text)])[0].relevance for text in texts[:2]]
    expect_close(found, [*expected, 0.0], "r_rel", 1e-5)
    expect(found[0] > found[1], "what answers is more relevant")


def _tokens(seed: int, count: int) -> NDArray[np.float32]:
    return unit(np.random.default_rng(seed).normal(size=(count, 6)))


def _faithfulness() -> None:
    candidate, reference = _tokens(1, 4), _tokens(2, 7)
    expect_close(bert_score(candidate, reference), _slow_score(candidate, reference), "r_faith")
    sentences = [_tokens(seed, 3 + seed) for seed in range(4)]
    source = np.concatenate(sentences)
    for rows in ([0], [2, 1], [0, 1, 2, 3]):
        text = np.concatenate([sentences[row] for row in rows])
        expect_close(ExtractScore(sentences).of(rows), _slow_score(text, source), f"r_faith of {rows}", 1e-5)
    expect_equal(bert_score(candidate[:0], reference), 0.0, "of no text")


def _slow_score(candidate: NDArray[np.float32], reference: NDArray[np.float32]) -> float:
    """Zhang et al. 2020, section 3, token by token."""

    def best(token: NDArray[np.float32], others: NDArray[np.float32]) -> float:
        return max(
            math.fsum(float(a) * float(b) for a, b in zip(token, other, strict=True)) for other in others
        )

    precision = math.fsum(best(token, reference) for token in candidate) / len(candidate)
    recall = math.fsum(best(token, candidate) for token in reference) / len(reference)
    return 2 * precision * recall / (precision + recall)


def _conciseness() -> None:
    for tokens, total, expected in ((0, 10, 1.0), (4, 10, 0.6), (10, 10, 0.0), (12, 10, 0.0)):
        expect_close(conciseness(tokens, total), expected, f"r_conc of {tokens} in {total}")


def _advantages() -> None:
    """As printed the weighted reward stays beside its normalised value; GRPO's is that value alone."""
    rewards, weights = np.random.default_rng(3).uniform(size=(6, 3)), np.array([0.5, 1.5, 1.0])
    joined = [math.fsum(w * r for w, r in zip(weights, row, strict=True)) for row in rewards]
    mean = math.fsum(joined) / len(joined)
    std = math.sqrt(math.fsum((each - mean) ** 2 for each in joined) / len(joined))
    normalised = [(each - mean) / std for each in joined]
    expect_close(group_relative(rewards @ weights), normalised, "GRPO's advantages")
    printed = [each - own for each, own in zip(joined, normalised, strict=True)]
    expect_close(as_printed(rewards @ weights), printed, "the advantages as printed")
    expect_equal(group_relative(np.ones(4)).tolist(), [0.0] * 4, "of texts that are all alike")


def _slow_slope(values: Sequence[float]) -> float:
    """The normal equations of k x + b, solved by Cramer's rule."""
    n = len(values)
    x, y = math.fsum(range(n)), math.fsum(values)
    xx, xy = math.fsum(at * at for at in range(n)), math.fsum(at * value for at, value in enumerate(values))
    return (n * xy - x * y) / (n * xx - x * x)


def _slopes() -> None:
    for values in ([0.1, 0.2, 0.3, 0.4], [0.5, 0.2, 0.9, 0.4, 0.7], [0.9, 0.1]):
        expected = _slow_slope(values) / (max(values) - min(values))
        expect_close(growth(np.array(values)), expected, f"alpha of {values}")
    expect_equal(growth(np.full(5, 0.3)), 0.0, "alpha where nothing changes")


def _weights() -> None:
    rates, total, temperature = [0.3, 0.0, -0.1], 3.0, 0.5
    powers = [math.exp(-rate / temperature) for rate in rates]
    expected = [total * power / math.fsum(powers) for power in powers]
    expect_close(softmax_weights(np.array(rates), total, temperature), expected, "w")
    weights = Weights((1.0, 1.0, 1.0), window=4)
    uneven = (0.9, 0.1, 0.5, 0.2, 0.7, 0.3)  # its first window falls, its last one hardly
    history = [[0.1 * step, mean, 0.5 - 0.1 * step] for step, mean in enumerate(uneven)]
    for means in history:
        weights.add(means)
    recent = np.array(history[-4:])
    alphas = [_slow_slope(column) / np.ptp(column) if np.ptp(column) else 0.0 for column in recent.T.tolist()]
    powers = [math.exp(-alpha / weights.temperature) for alpha in alphas]
    expect_close(weights.now(), [3 * power / math.fsum(powers) for power in powers], "w of the last window")
    expect(bool((np.diff(weights.now()) > 0).all()), "what grows slower counts more")


EQUATIONS: dict[str, Callable[[], None]] = {
    "eq. 2": _relevance,
    "eq. 3": _faithfulness,
    "eq. 4": _conciseness,
    "eq. 5": _advantages,
    "eq. 6": _slopes,
    "eq. 7": _weights,
}
