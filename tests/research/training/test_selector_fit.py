"""The second stage's model learns what the first stage does not know, and repeats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from core.progress import Cancelled, TaskContext
from core.research.training.selector import Example, FitSettings, cross_validate, fit
from core.retrieval.selection.model import SelectionModel
from core.retrieval.selection.pool import ALONE, LINKS, SIGNALS, Pool
from core.retrieval.selection.selector import choose

QUICK = FitSettings(rounds=2, epochs=20, rate=1e-2, batch=32)


def drawn(seed: int = 0, hidden: int = 3) -> SelectionModel:
    generator = np.random.default_rng(seed)
    d = len(SIGNALS)

    def some(*shape: int) -> NDArray[np.float32]:
        return generator.normal(size=shape).astype(np.float32)

    return SelectionModel(
        some(d), abs(some(d)) + 0.5, some(d), some(hidden, d), some(hidden),
        some(hidden, hidden), some(hidden), some(hidden),
    )  # fmt: skip


def draw_pool(generator: np.random.Generator, n: int = 8) -> tuple[Pool, NDArray[np.bool_]]:
    """Two gold rows, at places that tell nothing: one with the best sentence, one that it names."""
    alone = generator.uniform(0, 0.5, (n, len(ALONE)))
    alone[:, 0] = 1.0 / np.arange(1, n + 1)
    links = generator.uniform(0, 0.1, (n, n, len(LINKS)))
    first, second = generator.choice(n, 2, replace=False)
    alone[first, ALONE.index("sentence")] = 1.0
    links[:, :, LINKS.index("named_title")] = 0.0
    links[first, second, LINKS.index("named_title")] = 1.0
    gold = np.zeros(n, dtype=bool)
    gold[[first, second]] = True
    words = (generator.random((n, 3)) < 0.3).astype(np.float64)
    names = np.zeros((n, 0))
    return Pool(alone, links, words, np.ones(3), names, names), gold


def draw_examples(number: int, seed: int) -> list[Example]:
    generator = np.random.default_rng(seed)
    drawn_pools = [draw_pool(generator) for _ in range(number)]
    return [Example(pool, gold, 2, "made", at % 5) for at, (pool, gold) in enumerate(drawn_pools)]


def right(examples: list[Example], order: Callable[[Pool], list[int]]) -> float:
    """Share of the evidence within two."""
    return float(np.mean([example.gold[order(example.pool)[:2]].mean() for example in examples]))


@pytest.fixture(scope="module")
def learned() -> SelectionModel:
    return fit(draw_examples(80, 1), TaskContext(), QUICK)


@pytest.mark.long
def test_it_learns_what_the_first_stage_does_not_know(learned: SelectionModel) -> None:
    unseen = draw_examples(60, 2)
    assert right(unseen, lambda pool: list(range(len(pool)))) < 0.4
    assert right(unseen, lambda pool: choose(pool, learned.score)[0]) > 0.95


@pytest.mark.long
def test_training_repeats() -> None:
    once, again = (fit(draw_examples(10, 1), TaskContext(), QUICK) for _ in range(2))
    for name in (f.name for f in fields(once)):
        np.testing.assert_array_equal(getattr(once, name), getattr(again, name))


def test_nothing_to_learn_from_is_refused_and_cancelling_stops() -> None:
    blank = [replace(example, gold=np.zeros(8, dtype=bool)) for example in draw_examples(3, 1)]
    with pytest.raises(ValueError, match="nothing to learn"):
        fit(blank, TaskContext(), QUICK)
    with pytest.raises(Cancelled):
        fit(draw_examples(3, 1), TaskContext(cancelled=lambda: True), QUICK)


def test_each_question_is_measured_by_a_model_of_the_other_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = draw_examples(10, 4)
    trained: list[list[int]] = []

    def fitted(rows: list[Example], context: TaskContext, settings: FitSettings) -> SelectionModel:
        trained.append([id(example) for example in rows])
        return drawn()

    def measure(_: SelectionModel, fold: object) -> list[tuple[str, tuple[float, ...]]]:
        assert isinstance(fold, list)
        assert not {id(example) for example in fold} & set(trained[-1])
        assert len(fold) + len(trained[-1]) == len(examples)
        return [(example.group, (1.0,)) for example in fold]

    monkeypatch.setattr("core.research.training.selector.fit", fitted)
    assert len(cross_validate(examples, measure, TaskContext())) == len(examples)
    assert len(trained) == 5
