"""Training: it learns, the same seed gives the same weights, and a stopped training resumes."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from core.errors import BadInput
from core.models import reader_network as network
from core.models.reader_encoding import Pair
from core.models.reader_examples import Example, Kind
from core.models.reader_network import Outputs
from core.progress import Cancelled, TaskContext
from core.research.training import reader as training
from core.research.training.reader import Plan, train
from core.research.training.reader_mix import Item, Mixture, headed

PLAN = Plan(epochs=2, batch=160, longest=64, rate=2e-4)


def example(number: int, name: str) -> Example:
    text = f"The ship {name} was built in {1900 + number}. It carried salt."
    start = text.index(str(1900 + number))
    asked = f"When was {name} built?"
    return Example(str(number), asked, "", text, ((start, start + 4),), Kind.SPAN, "ships")


EXAMPLES = [example(number, name) for number, name in enumerate("Petrel Auk Tern Gannet Skua".split())]


class Stopped(TaskContext):
    """Stops once as many steps are done."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self._at = at

    def report(self, stage: str, done: int, total: int, detail: str = "") -> None:
        if done >= self._at:
            raise Cancelled


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def weights(trained: training.Trained) -> dict[str, torch.Tensor]:
    return {name: trained.weights[name] for name in network.trainable(trained.weights)}


@pytest.mark.long
def test_it_learns_and_repeats(tmp_path: Path) -> None:
    one = train(EXAMPLES, PLAN, tmp_path / "a", TaskContext())
    two = train(EXAMPLES, PLAN, tmp_path / "b", TaskContext())
    assert all(torch.equal(tensor, weights(two)[name]) for name, tensor in weights(one).items())
    other = train(EXAMPLES, replace(PLAN, seed=8), tmp_path / "c", TaskContext())
    assert any(not torch.equal(tensor, weights(other)[name]) for name, tensor in weights(one).items())
    longer = train(EXAMPLES, replace(PLAN, epochs=6), tmp_path / "d", TaskContext())
    assert longer.loss < one.loss


@pytest.mark.long
def test_a_stopped_training_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "_SAVE_EVERY", 0.0)
    uninterrupted = train(EXAMPLES, PLAN, tmp_path / "a", TaskContext())
    with pytest.raises(Cancelled):
        train(EXAMPLES, PLAN, tmp_path / "b", Stopped(3))
    resumed = train(EXAMPLES, PLAN, tmp_path / "b", TaskContext())
    assert all(torch.equal(tensor, weights(resumed)[name]) for name, tensor in weights(uninterrupted).items())
    with pytest.raises(BadInput, match="another training"):
        train(EXAMPLES, replace(PLAN, seed=8), tmp_path / "b", TaskContext())


def test_texts_of_one_question_compete() -> None:
    """By hand: two texts of three words; the right place is the second word of the first text."""
    ids, mask = np.arange(5), np.zeros(3, dtype=bool)
    pair = Pair(ids, np.zeros(5, dtype=np.int64), 1, np.arange(3), np.arange(1, 4), mask)
    start = torch.tensor([1.0, 0.0, 3.0, 0.0, 9.0, 2.0, 4.0, 0.0, 0.0, 9.0])
    out = Outputs(start, start, start, start, start, start, firsts=(0, 5))
    answered, other = Item("?", "", "", group=4), Item("?", "", "", kind=Kind.NONE, group=4)
    both = list(training._competing(out, [(pair, [(2, 2)]), (pair, [])], [answered, other]))
    over = [-1.0, 2.0, -1.0, 2.0, -2.0, -2.0]  # of each place over its text's "not here"
    wanted = math.log(sum(map(math.exp, over))) - 2.0
    assert [float(loss) for loss in both] == pytest.approx([wanted, wanted])
    alone = replace(other, group=5)
    assert not list(training._competing(out, [(pair, [(2, 2)]), (pair, [])], [answered, alone]))


def test_weights_are_averaged() -> None:
    one, other = network.initial(1), network.initial(2)
    name = "heads.dense.weight"
    mixed = network.averaged(one, other, 0.25)[name]
    assert torch.allclose(mixed, 0.25 * one[name] + 0.75 * other[name])


def test_near_texts_accompany_a_question() -> None:
    groups = Mixture(EXAMPLES, 9).epoch(1)
    together = [group for group in groups if len(group) > 1]
    assert together
    for answerable, *others in together:
        assert answerable.relevance
        assert {item.group for item in others} == {answerable.group}
        assert all(item.kind is Kind.NONE and item.text != answerable.text for item in others)


def test_a_heading_of_its_own_words_is_put_before_a_text() -> None:
    text = "The ship Auk was built in 1901. It carried salt."
    item = Item("When was Auk built?", "", text, ((text.index("1901"), text.index(".")),), Kind.SPAN)
    variants = [headed(item, random.Random(seed)) for seed in range(60)]
    assert len({each.text for each in variants}) > 5
    for each in variants:
        ((start, end),) = each.headings
        assert (start, each.text[end + 1 :]) == (0, text)
        assert each.text[1:end] in text
        assert {each.text[a:b] for a, b in each.spans} == {"1901"}
        assert len(each.spans) == each.text.count("1901"), "right wherever it stands"
    assert headed(replace(item, text="", spans=()), random.Random(1)).text == ""


def test_nothing_to_learn_from_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        train([], PLAN, tmp_path, TaskContext())


def test_the_embeddings_are_not_stored(tmp_path: Path) -> None:
    first = network.initial(1)
    network.save(first, tmp_path / "r.safetensors", {})
    assert (tmp_path / "r.safetensors").stat().st_size < 23_000_000
    read = network.load(tmp_path / "r.safetensors")
    assert set(read) == set(first)
    assert torch.equal(read["embeddings.word_embeddings.weight"], first["embeddings.word_embeddings.weight"])
