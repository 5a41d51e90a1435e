"""`clew train`: thresholds, weights and the bar of an answer, by a person's own pinned questions and verdicts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.answering.models import Models
from core.cli import main
from core.errors import BadInput
from core.progress import TaskContext
from core.types import JudgedAnswer, JudgedPlace, Pin, Tuning
from core.types.pins import TunedSetting
from core.workspace import Workspace
from tests.conftest import copied

NAMES = (
    "Adler Brandt Costa Dietz Engel Fuchs Gruber Hahn Imhof Jansen Keller Lorenz Moser Nagel Opitz Pohl "
    "Quast Ritter Seidel Thoma"
).split()
# Alike in meaning: only the number of a form tells which is asked for, and only words find it.
TEXTS = {
    f"form {number}.txt": f"Form K-{1100 + 7 * number} was signed by {name} at the harbour office on a Monday.\n"
    for number, name in enumerate(NAMES)
}
QUESTIONS = [f"Who signed form K-{1100 + 7 * number} at the harbour office?" for number in range(12)]
MEANING_ALONE = ("retrieval.lexical_weight=0.1", "retrieval.dense_weight=8", "retrieval.graph_weight=0")


@pytest.fixture
def pinned(workspace: Workspace) -> Workspace:
    """The workspace with questions that expect the form that they name."""
    quotes = {
        number: JudgedPlace(f"form {number}.txt", "", 0, 0, TEXTS[f"form {number}.txt"].strip())
        for number in range(12)
    }
    workspace.pins.put(
        Pin("", question, "", (quotes[number],), "auto", "") for number, question in enumerate(QUESTIONS)
    )
    return workspace


@pytest.mark.long
def test_weights_that_hide_what_is_expected_are_mended_and_put_back(pinned: Workspace) -> None:
    pinned.keep_settings(MEANING_ALONE)
    found = pinned.pins.tune(TaskContext())
    assert (found.pinned, found.judged) == (12, 0)
    assert any(each.name == "retrieval.lexical_weight" and float(each.now) > 0.1 for each in found.settings)
    assert found.tuned_recall > found.recall
    assert found.left_out_recall > found.recall
    assert set(found.gains) <= set(QUESTIONS)
    assert len(found.gains) > len(found.losses)
    before = pinned.config
    assert pinned.pins.tune(TaskContext()) == found  # it changes nothing, and repeats
    pinned.pins.apply_tuning(found)
    assert pinned.pins.tune(TaskContext()).recall == pytest.approx(found.tuned_recall)
    pinned.pins.undo_tuning()
    assert pinned.config == before
    with pytest.raises(BadInput, match="Nothing was tuned"):
        pinned.pins.undo_tuning()


def test_what_finds_everything_is_left_as_it_is(pinned: Workspace) -> None:
    found = pinned.pins.tune(TaskContext())
    assert found.recall == 1.0
    assert found.settings == ()


def test_too_few_questions_are_said(workspace: Workspace) -> None:
    with pytest.raises(BadInput, match="0 of your questions") as fault:
        workspace.pins.tune(TaskContext())
    assert "clew pins add" in fault.value.remedy


def test_other_settings_that_were_kept_since_outlive_the_undo(pinned: Workspace) -> None:
    change = TunedSetting("routing.low", "0.35", "0.2")
    pinned.pins.apply_tuning(Tuning(12, 0, (change,), 0.5, 0.6, 0.6, (), ()))
    pinned.keep_settings(("retrieval.crowding=0.9",))
    pinned.pins.undo_tuning()
    assert pinned.config.routing.low == 0.35
    assert pinned.config.retrieval.crowding == 0.9


@pytest.mark.parametrize(
    ("right_from", "bar"),
    [(0.4, 0.4), (0.8, 0.8), (1.1, 0.6)],
    ids=["lower", "higher", "none is right, so none holds"],
)
def test_the_bar_of_an_answer_follows_what_was_judged(
    pinned: Workspace, monkeypatch: pytest.MonkeyPatch, right_from: float, bar: float
) -> None:
    judged = [
        JudgedAnswer("q", f"answer {n}", n / 100 >= right_from, (), n / 100, "fusion", False, "1", "")
        for n in range(100)
    ]
    monkeypatch.setattr(pinned._opened.store.judged_answers, "all", lambda: judged)
    found = pinned.pins.tune(TaskContext()).bar
    assert found is not None
    assert found.now == pytest.approx(bar, abs=0.051)
    assert found.count_now == sum(each.probability >= found.now for each in judged)
    assert found.right_now == sum(each.right for each in judged if each.probability >= found.now)


@pytest.mark.long
def test_the_command(
    pinned: Workspace, tmp_path: Path, models: Models, capsys: pytest.CaptureFixture[str]
) -> None:
    pinned.keep_settings(MEANING_ALONE)
    path = str(pinned.path)
    assert main(["train", path]) == 0
    said = capsys.readouterr().out
    assert "12 questions: 12 pinned, 0 judged right." in said
    assert "Nothing is changed yet." in said
    assert main(["train", path, "--apply", "--json"]) == 0
    applied = json.loads(capsys.readouterr().out)
    assert applied["applied"]
    with Workspace.open(copied(pinned.path, tmp_path / "again"), models=models) as again:
        kept = {each["name"]: each["now"] for each in applied["settings"]}
        assert again.config.retrieval.lexical_weight == float(kept["retrieval.lexical_weight"])
    assert main(["train", path, "--undo"]) == 0
    assert "retrieval.lexical_weight=0.1" in capsys.readouterr().out
    assert main(["train", path, "--undo"]) == 1
    assert "Nothing was tuned here." in capsys.readouterr().err
    assert main(["train", path, "--undo", "--apply"]) == 2
