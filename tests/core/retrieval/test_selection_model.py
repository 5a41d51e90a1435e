"""The second stage's model: learned, written, read, and told when it cannot be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from core.answering.models import Models
from core.errors import ModelUnavailable
from core.progress import Cancelled, TaskContext
from core.research.training.selector import Example, FitSettings, cross_validate, fit
from core.retrieval.selection import model as model_file
from core.retrieval.selection.model import SelectionModel, load_model, save_model
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


def made(number: int, seed: int) -> list[Example]:
    generator = np.random.default_rng(seed)
    drawn_pools = [draw_pool(generator) for _ in range(number)]
    return [Example(pool, gold, 2, "made", at % 5) for at, (pool, gold) in enumerate(drawn_pools)]


def right(examples: list[Example], order: Callable[[Pool], list[int]]) -> float:
    """Share of the evidence within two."""
    return float(np.mean([example.gold[order(example.pool)[:2]].mean() for example in examples]))


@pytest.fixture(scope="module")
def learned() -> SelectionModel:
    return fit(made(80, 1), TaskContext(), QUICK)


@pytest.mark.long
def test_it_learns_what_the_first_stage_does_not_know(learned: SelectionModel) -> None:
    unseen = made(60, 2)
    assert right(unseen, lambda pool: list(range(len(pool)))) < 0.4
    assert right(unseen, lambda pool: choose(pool, learned.score)[0]) > 0.95


@pytest.mark.long
def test_training_repeats() -> None:
    once, again = (fit(made(10, 1), TaskContext(), QUICK) for _ in range(2))
    for name in (f.name for f in fields(once)):
        np.testing.assert_array_equal(getattr(once, name), getattr(again, name))


def test_nothing_to_learn_from_is_told_and_cancelling_stops() -> None:
    blank = [replace(example, gold=np.zeros(8, dtype=bool)) for example in made(3, 1)]
    with pytest.raises(ValueError, match="nothing to learn"):
        fit(blank, TaskContext(), QUICK)
    with pytest.raises(Cancelled):
        fit(made(3, 1), TaskContext(cancelled=lambda: True), QUICK)


def test_each_question_is_measured_by_a_model_that_has_not_seen_it(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = made(10, 4)
    seen: list[list[int]] = []

    def fitted(given: list[Example], context: TaskContext, settings: FitSettings) -> SelectionModel:
        seen.append([id(example) for example in given])
        return drawn()

    def measure(_: SelectionModel, held: object) -> list[tuple[str, tuple[float, ...]]]:
        assert isinstance(held, list)
        assert not {id(example) for example in held} & set(seen[-1])
        assert len(held) + len(seen[-1]) == len(examples)
        return [(example.group, (1.0,)) for example in held]

    monkeypatch.setattr("core.research.training.selector.fit", fitted)
    assert len(cross_validate(examples, measure, TaskContext())) == len(examples)
    assert len(seen) == 5


def test_scores_are_those_of_torch() -> None:
    import torch
    import torch.nn.functional as F

    model = drawn(hidden=7)
    values = np.random.default_rng(5).normal(0, 4, (20, len(SIGNALS)))
    weights = {f.name: torch.from_numpy(getattr(model, f.name)).double() for f in fields(model)}
    x = ((torch.from_numpy(values) - weights["centre"]) / weights["scale"]).clamp(-5, 5)
    hidden = F.relu(F.linear(x, weights["in_weight"], weights["in_bias"]))
    hidden = F.relu(F.linear(hidden, weights["mid_weight"], weights["mid_bias"]))
    wanted = F.linear(x, weights["direct"][None]) + F.linear(hidden, weights["out_weight"][None])
    np.testing.assert_allclose(model.score(values), wanted[:, 0].numpy(), atol=1e-9)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    model = drawn()
    save_model(model, tmp_path / "m.safetensors")
    again = load_model(tmp_path / "m.safetensors")
    for name in (f.name for f in fields(model)):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
        assert getattr(again, name).dtype == np.float32


def rewritten(path: Path, signals: str = ",".join(SIGNALS), **changed: NDArray[np.float32]) -> None:
    save_file({**load_file(path), **changed}, path, {"signals": signals})


def train_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


BREAKS: dict[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:-40]),
    "a folder": train_folder,
    "signals in another order": lambda path: rewritten(path, ",".join(reversed(SIGNALS))),
    "shapes do not fit": lambda path: rewritten(path, mid_weight=np.zeros((3, 9), np.float32)),
    "no numbers": lambda path: rewritten(path, direct=np.full(len(SIGNALS), np.nan, np.float32)),
    "no spread": lambda path: rewritten(path, scale=np.zeros(len(SIGNALS), np.float32)),
}


@pytest.mark.parametrize("name", list(BREAKS))
def test_a_file_that_will_not_do_is_told_and_done_without(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "selection.safetensors"
    save_model(drawn(), path)
    BREAKS[name](path)
    with pytest.raises(ModelUnavailable, match=r"selection\.safetensors") as told:
        load_model(path)
    assert told.value.remedy
    monkeypatch.setattr("core.answering.models.SHIPPED", path)
    assert Models().selection() is None


def test_the_shipped_model_fits_this_version() -> None:
    model = load_model(model_file.SHIPPED)
    assert model.direct.shape == (len(SIGNALS),)
    assert Models().selection() is not None
