"""Knowledge integration on a small question set: gathering, training, saving and measuring."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.answering.integration.integrators import NearestSentences
from core.answering.integration.model import load_model, save_model
from core.answering.integration.pieces import Section
from core.answering.models import Models
from core.cli import main
from core.progress import TaskContext
from core.research.datasets import Dataset, EvalQuestion
from core.research.training.dw_grpo import Plan
from core.research.training.integrator import good_pieces, train
from core.research.training.integrator_score import Example, collect, compared, distil, judge_of, rows_of
from core.text.sentences import sentences
from core.types import Passage
from core.types.kinds import stable_id

TEXTS = {
    "Northern Star": "Otto Kask commands the Northern Star. She was painted red in 1998.",
    "Otto Kask": "Otto Kask was born in Parnu. He likes plum cake.",
    "Grain": "Grain prices rose in Odessa. Nobody knows why they rose.",
    "Southern Cross": "Ines Holm commands the Southern Cross. She sails from Bergen to Leith.",
}
QUESTIONS = (
    ("a", "Who commands the Northern Star?", "Otto Kask", "Northern Star"),
    ("b", "Where was Otto Kask born?", "Parnu", "Otto Kask"),
    ("c", "Who commands the Southern Cross?", "Ines Holm", "Southern Cross"),
)


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Iterator[list[Example]]:
    passages = tuple(
        Passage(
            title, stable_id("document", title), 0, title, text, 0, len(text), None, tuple(sentences(text))
        )
        for title, text in TEXTS.items()
    )
    asked = tuple(
        EvalQuestion(i, text, (answer,), frozenset({gold}), "single-hop")
        for i, text, answer, gold in QUESTIONS
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield collect(Dataset("made", passages, asked, "integration"), models, TaskContext())


@pytest.mark.long
def test_every_sentence_is_gathered_once_with_its_place(examples: list[Example]) -> None:
    assert [example.id for example in examples] == ["a", "b", "c"]
    for example in examples:
        for piece in example.pieces.pieces:
            assert TEXTS[piece.passage_id][piece.start : piece.end] == piece.text
        places = {(piece.passage_id, piece.start) for piece in example.pieces.pieces}
        assert len(places) == len(example.pieces)
        assert {(p, place.start) for p in example.passages for place in sentences(TEXTS[p])} <= places
        assert example.passage_tokens <= int(example.pieces.tokens.sum())
    sections = {piece.section for example in examples for piece in example.pieces.pieces}
    assert Section.PASSAGE in sections


@pytest.mark.long
def test_what_the_reader_answers_from_is_good(examples: list[Example], models: Models) -> None:
    good = [examples[0].pieces.pieces[row].text for row in good_pieces(examples[0], models.comprehension())]
    assert "Otto Kask commands the Northern Star." in good


@pytest.mark.long
def test_from_training_to_figures(
    examples: list[Example], models: Models, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judge = judge_of(models.comprehension())
    plan = Plan(steps=3, questions=2, group=4, window=2)
    trained = train(examples, models.comprehension(), judge, plan, TaskContext(), imitation=4)
    save_model(trained.model, tmp_path / "one.safetensors", trained.report)
    model, report = load_model(tmp_path / "one.safetensors")
    summary = json.loads(report)
    assert [len(summary["steps"]), summary["questions"], summary["corpora"]] == [3, 3, ["made"]]
    assert "w faithfulness" in summary["steps"][0]
    found = compared(examples, model, 0.6, models.comprehension(), judge, TaskContext())
    assert found["whole passages"].right == 1.0
    assert found["whole passages"].token_share == 1.0
    for way in ("distilled", "distilled, not stopping", "nearest sentences", "lead sentences"):
        assert 0 < found[way].token_share <= 0.6
        assert found[way].questions == 3


@pytest.mark.long
def test_a_distilled_text_leads_back_to_its_pieces(examples: list[Example]) -> None:
    (text, *_) = distil(NearestSentences(), examples, 0.5, TaskContext())
    rows = rows_of(examples[0].pieces, text)
    assert [examples[0].pieces.pieces[row] for row in rows] == [part.piece for part in text.parts]


def test_a_place_for_no_model_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["research", "train", "integrator", str(tmp_path), "--out", str(tmp_path / "model.txt")]) == 1
    assert "safetensors" in capsys.readouterr().err
