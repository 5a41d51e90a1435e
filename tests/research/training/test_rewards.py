"""Rewards of distilled texts, advantages and weights: what they must be whatever the texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answering.integration.rewards import Judgeable, ReaderJudge
from core.research.training.dw_grpo import Weights, as_printed, group_relative
from core.research.training.integrator_score import ExtractScore, bert_score


def unit(seed: int, count: int) -> np.ndarray:
    found = np.random.default_rng(seed).normal(size=(count, 5)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


@given(st.sets(st.integers(0, 4), min_size=1), st.integers(0, 99))
def test_a_text_of_its_own_sentences_is_scored_as_any_other(rows: set[int], seed: int) -> None:
    sentences = [unit(seed + at, 1 + at) for at in range(5)]
    text = np.concatenate([sentences[row] for row in rows])
    expected = bert_score(text, np.concatenate(sentences))
    assert ExtractScore(sentences).of(list(rows)) == pytest.approx(expected, abs=1e-5)


def test_more_of_the_evidence_is_more_faithful() -> None:
    score = ExtractScore([unit(seed, 4) for seed in range(4)])
    values = [score.of(range(count)) for count in range(5)]
    assert values == sorted(values)
    assert values[0] == 0.0
    assert values[-1] == pytest.approx(1.0, abs=1e-5)


def test_relevance_is_asked_once_for_each_text() -> None:
    asked: list[str] = []

    def relevance(question: str, texts: Sequence[str]) -> np.ndarray:
        asked.extend(texts)
        return np.full(len(texts), 0.5)

    judge = ReaderJudge(relevance)
    for _ in range(2):
        found = judge.rewards("q", [Judgeable("a", 0.2, 1), Judgeable("", 0.9, 0), Judgeable("a", 0.2, 1)], 4)
        assert found.tolist() == [[0.5, 0.2, 0.75], [0.0, 0.0, 0.0], [0.5, 0.2, 0.75]]
    assert asked == ["a"]


@given(st.lists(st.floats(0, 3), min_size=2, max_size=8))
def test_advantages_keep_the_order_and_the_printed_ones_turn_it(rewards: list[float]) -> None:
    values = np.array(rewards)
    if not 1e-3 < values.std() < 0.9:
        return
    best, worst = int(values.argmax()), int(values.argmin())
    own, printed = group_relative(values), as_printed(values)
    assert own[best] > 0 > own[worst]
    assert printed[best] < printed[worst]


def test_static_weights_stay() -> None:
    weights = Weights((1.0, 2.0, 3.0), dynamic=False, window=2)
    for step in range(5):
        weights.add([0.1 * step, 0.5, 0.2])
    assert weights.now().tolist() == [1.0, 2.0, 3.0]


def test_weights_start_as_set_and_keep_their_sum() -> None:
    weights = Weights((1.0, 2.0, 3.0), window=3)
    for step in range(6):
        now = weights.now()
        assert now.sum() == pytest.approx(6.0)
        assert (now.tolist() == [1.0, 2.0, 3.0]) == (step < 3)
        weights.add([0.1 * step, 0.5, -0.1 * step])
