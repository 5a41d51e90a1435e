"""Examples for the second stage: what a question set gives, and that gold never reaches retrieval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from core.answering.models import Models
from core.progress import TaskContext
from core.research.datasets import Dataset, EvalQuestion
from core.research.training.selector import DEPTHS, FOLDS, Example, balanced, collect, measured, train
from core.retrieval.selection.pool import Pool
from core.retrieval.selection.selector import choose
from core.text.sentences import sentences
from core.types import Passage
from core.types.kinds import stable_id

TEXTS = {
    "Northern Star": "Otto Kask commands the Northern Star.",
    "Otto Kask": "Otto Kask was born in Parnu.",
    "Grain": "Grain prices rose in Odessa.",
    "Southern Cross": "Ines Holm commands the Southern Cross.",
    "Ines Holm": "Ines Holm was born in Bergen.",
    "Parnu": "Parnu is a town in Estonia.",
}
QUESTIONS = (
    (
        "a",
        "Where was the commander of the Northern Star born?",
        {"Northern Star", "Otto Kask"},
        "multi-hop",
    ),
    ("a-1", "Who commands the Northern Star?", {"Northern Star"}, "single-hop"),
    (
        "b",
        "Where was the commander of the Southern Cross born?",
        {"Southern Cross", "Ines Holm"},
        "multi-hop",
    ),
    ("c", "In which country is Parnu?", {"Parnu"}, "single-hop"),
    ("d", "Where was Otto Kask born?", {"Otto Kask"}, "single-hop"),
    ("e", "Where was Ines Holm born?", {"Ines Holm"}, "single-hop"),
)


def tiny_dataset() -> Dataset:
    passages = tuple(
        Passage(
            title, stable_id("document", title), 0, title, text, 0, len(text), None, tuple(sentences(text))
        )
        for title, text in TEXTS.items()
    )
    questions = tuple(
        EvalQuestion(i, text, ("x",), frozenset(gold), kind) for i, text, gold, kind in QUESTIONS
    )
    return Dataset("made", passages, questions, "selection")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("cache")
        patch.setenv("XDG_CACHE_HOME", str(home))
        yield home


@pytest.fixture(scope="module")
def examples(cache: Path, models: Models) -> list[Example]:
    return collect(tiny_dataset(), models, TaskContext())


def parts(pool: Pool) -> list[object]:
    return [getattr(pool, f.name).tolist() for f in fields(pool)]


def test_each_first_stage_gives_an_example_of_each_question(examples: list[Example]) -> None:
    assert [example.group for example in examples] == [f"made {kind} graph" for *_, kind in QUESTIONS]
    for example, (_, _, gold, _) in zip(examples, QUESTIONS, strict=True):
        assert example.total == len(gold)
        assert example.gold.shape == (len(example.pool),)
        assert example.gold.sum() == len(gold)  # the pool is wider than the corpus: all is found
        assert 0 <= example.fold < FOLDS


def test_sub_questions_share_the_fold_of_their_question(examples: list[Example]) -> None:
    folds = [example.fold for example in examples]
    assert folds[0] == folds[1]
    assert len(set(folds)) > 1


def test_gold_never_changes_what_is_retrieved(examples: list[Example], cache: Path, models: Models) -> None:
    dataset = tiny_dataset()
    turned = tuple(
        replace(question, supporting=frozenset({"Grain"}), answers=("Odessa",))
        for question in dataset.questions
    )
    wrong = collect(replace(dataset, questions=turned), models, TaskContext())
    assert [parts(example.pool) for example in wrong] == [parts(example.pool) for example in examples]
    assert any((a.gold != b.gold).any() for a, b in zip(wrong, examples, strict=True))
    # Nor does it reach the choice.
    model, _ = train(examples, TaskContext())
    for one, other in zip(wrong, examples, strict=True):
        assert choose(one.pool, model.score)[0] == choose(other.pool, model.score)[0]


def test_recall_counts_evidence_that_no_pool_holds(examples: list[Example]) -> None:
    pool = examples[0].pool
    gold = np.zeros(len(pool), dtype=bool)
    gold[[0, 4]] = True
    example = Example(pool, gold, 4, "made", 0)
    assert measured(None, [example]) == [("made", (0.25, 0.5, 0.5))]


def test_large_sets_weigh_by_the_root_of_their_size(examples: list[Example]) -> None:
    many = [replace(examples[0], group="large")] * 16 + [replace(examples[1], group="small")] * 4
    sums = {group: sum(e.weight for e in balanced(many) if e.group == group) for group in ("large", "small")}
    assert sums["large"] == pytest.approx(2 * sums["small"])


def test_the_report_has_both_stages_of_every_group(examples: list[Example]) -> None:
    _, report = train(examples, TaskContext())
    first, after = report["first_stage"], report["cross_validated"]
    assert isinstance(first, dict)
    assert isinstance(after, dict)
    assert set(first) == set(after) == {example.group for example in examples}
    for row in (*first.values(), *after.values()):
        assert list(row) == [f"recall@{k}" for k in DEPTHS]
        assert list(row.values()) == sorted(row.values())
        assert row["recall@10"] == 1.0  # six passages
