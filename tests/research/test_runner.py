"""A run agrees with its data set, repeats, and does not see the gold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.answering.models import Models
from core.config import Config
from core.errors import BadInput
from core.lab.metrics import measures
from core.progress import TaskContext
from core.research.datasets import Dataset, EvalQuestion
from core.research.report import EvalReport
from core.research.runner import Plan, evaluate
from core.text.sentences import sentences
from core.types import Answer, Passage, Retrieval
from core.types.kinds import stable_id
from core.workspace import Workspace
from tests.ollama_server import ScriptedServer

pytestmark = pytest.mark.long

PASSAGES = (
    ("Northern Star", "Otto Kask commands the Northern Star."),
    ("Otto Kask", "Otto Kask was born in Parnu."),
    ("Grain", "Grain prices rose in Odessa."),
    ("Parnu", "Parnu is a town in Estonia."),
)
QUESTIONS = (
    (
        "Where was the commander of the Northern Star born?",
        "Parnu",
        {"Northern Star", "Otto Kask"},
        "multi-hop",
    ),
    ("Who commands the Northern Star?", "Otto Kask", {"Northern Star"}, "single-hop"),
    ("In which country is Parnu?", "Estonia", {"Parnu"}, "single-hop"),
)
ROUTES = ("dense", "graph", "auto")


def tiny_dataset() -> Dataset:
    passages = tuple(
        Passage(
            title, stable_id("document", title), 0, title, text, 0, len(text), None, tuple(sentences(text))
        )
        for title, text in PASSAGES
    )
    questions = tuple(
        EvalQuestion(str(number), text, (answer,), frozenset(gold), kind)
        for number, (text, answer, gold, kind) in enumerate(QUESTIONS)
    )
    return Dataset("made", passages, questions, "fingerprint")


@pytest.fixture(scope="module")
def workspace(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    opened = Workspace.open(tmp_path_factory.mktemp("runner") / "w", create=True, models=models)
    opened.index_passages(tiny_dataset().passages, TaskContext())
    yield opened
    opened.close()


def run(workspace: Workspace, dataset: Dataset, answers: tuple[str, ...] = ("auto",)) -> EvalReport:
    return evaluate(workspace, dataset, Plan(ROUTES, answers), TaskContext())


def found(report: EvalReport) -> dict[str, list[tuple[object, ...]]]:
    """Return the results of retrieval and answering, without what depends on gold labels or the clock."""
    return {
        name: [(row.question, row.took, row.passages, row.answer) for row in route.rows]
        for name, route in report.routes.items()
    }


def test_rows_agree_with_what_the_workspace_finds(workspace: Workspace) -> None:
    dataset = tiny_dataset()
    report = run(workspace, dataset)
    for question, row in zip(dataset.questions, report.routes["graph"].rows, strict=True):
        _, retrieval = workspace.retrieve(question.question, TaskContext(), "graph")
        ranked = [hit.passage_id for hit in retrieval.hits]
        assert row.passages == tuple(ranked)
        ranks = [ranked.index(gold) + 1 if gold in ranked else None for gold in question.supporting]
        assert row.measures.items() >= measures(ranks).items()
        assert row.milliseconds > 0.0
        assert 0.0 < row.measures["diversity"] < 1.0
    first = report.routes["auto"].rows[1]
    assert (first.answer, first.measures["exact"]) == ("Otto Kask", 1.0)
    assert all(row.answer is None for row in report.routes["dense"].rows)


def test_only_the_words_of_a_question_reach_retrieval(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[object, ...]] = []
    real_retrieve, real_ask = workspace.retrieve, workspace.ask

    def retrieve(*arguments: object) -> tuple[str, Retrieval]:
        calls.append(arguments)
        return real_retrieve(*arguments)  # type: ignore[arg-type]

    def ask(*arguments: object, generator: str) -> Answer:
        calls.append(arguments)
        return real_ask(*arguments, generator=generator)  # type: ignore[arg-type]

    monkeypatch.setattr(workspace, "retrieve", retrieve)
    monkeypatch.setattr(workspace, "ask", ask)
    run(workspace, tiny_dataset())
    texts = {text for text, *_ in QUESTIONS}
    assert len(calls) == len(QUESTIONS) * (len(ROUTES) + 1)
    for question, context, *rest in calls:
        assert question in texts
        assert isinstance(context, TaskContext)
        assert set(rest) <= {*ROUTES, 10}


def test_results_do_not_change_when_the_gold_labels_do(workspace: Workspace) -> None:
    dataset = tiny_dataset()
    turned = tuple(
        replace(question, supporting=other.supporting, answers=other.answers, kind=other.kind)
        for question, other in zip(
            dataset.questions, dataset.questions[1:] + dataset.questions[:1], strict=True
        )
    )
    honest, wrong = run(workspace, dataset), run(workspace, replace(dataset, questions=turned))
    assert found(honest) == found(wrong)
    scores = [report.routes["graph"].kinds["all"].measures["mrr"] for report in (honest, wrong)]
    assert scores[0] > scores[1]  # and the labels do count where they should


def test_the_same_run_gives_the_same_figures(workspace: Workspace) -> None:
    one, other = run(workspace, tiny_dataset()), run(workspace, tiny_dataset())
    assert found(one) == found(other)
    assert one.comparisons == other.comparisons
    for route in ROUTES:
        left, right = one.routes[route].kinds, other.routes[route].kinds
        assert {k: (r.measures, r.intervals) for k, r in left.items()} == {
            k: (r.measures, r.intervals) for k, r in right.items()
        }


def test_whoever_abstains_scores_nothing(workspace: Workspace) -> None:
    question = EvalQuestion("x", "Who painted the Mona Lisa?", ("Leonardo",), frozenset({"Grain"}), "all")
    row = run(workspace, replace(tiny_dataset(), questions=(question,))).routes["auto"].rows[0]
    assert row.answer is None
    scores = {name: row.measures[name] for name in ("exact", "f1", "contains", "answered")}
    assert scores == {"exact": 0.0, "f1": 0.0, "contains": 0.0, "answered": 0.0}


def test_a_data_set_without_questions_is_rejected(workspace: Workspace) -> None:
    with pytest.raises(BadInput, match="no questions"):
        run(workspace, replace(tiny_dataset(), questions=()))


def test_a_passage_that_is_not_indexed_is_not_hidden(workspace: Workspace, tmp_path: Path) -> None:
    vectors = workspace.passages.vectors()
    assert set(vectors) == {title for title, _ in PASSAGES}
    for vector in vectors.values():
        assert float(vector @ vector) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    ("text", "how", "measures_of"),
    [
        ("Parnu", {}, {"answered": 1.0, "wrong shown": 0.0, "exact": 1.0}),
        ("Oslo", {}, {"answered": 1.0, "wrong shown": 1.0, "exact": 0.0}),
        ("Parnu", {"guess": True}, {"answered": 0.0, "wrong shown": 0.0, "exact": 1.0}),
        ("Oslo", {"guess": True}, {"answered": 0.0, "wrong shown": 0.0, "exact": 0.0}),
        ("", {"abstained": True}, {"answered": 0.0, "wrong shown": 0.0, "exact": 0.0}),
    ],
)
def test_a_guess_is_scored_by_its_words_and_counts_as_no_answer(
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    how: dict[str, bool],
    measures_of: dict[str, float],
) -> None:
    asked = Workspace.ask

    def scripted(*arguments: object, **more: object) -> Answer:
        return replace(
            asked(*arguments, **more),
            **{"text": text, "sentences": (), "abstained": False, "guess": False, "confidence": 0.4, **how},
        )  # type: ignore[arg-type]

    monkeypatch.setattr(Workspace, "ask", scripted)
    known = replace(tiny_dataset(), questions=tiny_dataset().questions[:1])
    row = run(workspace, known).routes["auto"].rows[0]
    assert row.measures.items() >= measures_of.items()
    assert row.guess == ("guess" in how) and row.answer == (text or None)
    untold = replace(known, questions=(replace(known.questions[0], answers=(), supporting=frozenset()),))
    row = run(workspace, untold).routes["auto"].rows[0]
    assert (row.measures["abstained"], row.measures["wrong shown"]) == (
        1.0 if how else 0.0,
        0.0 if how else 1.0,
    )


def test_a_language_model_writes_the_answers(models: Models, ollama: ScriptedServer, tmp_path: Path) -> None:
    ollama.answer = lambda body: "Otto Kask commands the Northern Star [1]."
    model_settings = replace(Config().models, host=ollama.url, model=ollama.model)
    config = replace(Config(), models=model_settings)
    with Workspace.open(tmp_path / "w", create=True, config=config, models=models) as opened:
        opened.index_passages(tiny_dataset().passages, TaskContext())
        plan = Plan(("dense",), ("dense",), generator=f"ollama:{ollama.model}")
        report = evaluate(opened, tiny_dataset(), plan, TaskContext())
    assert report.routes["dense"].rows[1].answer == "Otto Kask commands the Northern Star."
    assert len(ollama.chats) >= len(QUESTIONS)
