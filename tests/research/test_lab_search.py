"""The search over compositions: chooses on one half only, within its budget, the same every time."""

from __future__ import annotations

import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from core.config import Config, with_settings
from core.errors import BadInput
from core.progress import Cancelled, TaskContext
from core.research.datasets import EvalQuestion
from core.research.lab_questions import generate_questions
from core.research.lab_search import (
    DEFAULT,
    LEAST,
    Budget,
    Score,
    choose,
    halves,
    search,
    space,
)
from core.retrieval.compositions import SETTLED, Composition, MappingPart, shipped_compositions
from core.retrieval.routes import ROUTES
from core.workspace import Workspace

METHODS = ("grid", "random", "halving")
POINTS = [Composition(mapping=MappingPart(dense=float(n))) for n in range(16)]
QUESTIONS = [
    EvalQuestion(f"q{n}", f"Question {n}?", (), frozenset({f"{n}.txt"}), "one" if n % 3 else "two")
    for n in range(40)
]


class Recorder:
    """Scores a composition by its weight alone, and records its calls."""

    def __init__(self) -> None:
        self.asked: list[tuple[Composition, str]] = []

    def __call__(self, composition: Composition, question: EvalQuestion) -> Score:
        self.asked.append((composition, question.id))
        return composition.mapping.dense / 100, 0.0


def budget(evaluations: int, seconds: float = 1_000.0) -> Budget:
    return Budget(seconds, evaluations, time.perf_counter())


def test_halves_share_no_question_and_have_as_many_of_each_kind() -> None:
    unanswered = replace(QUESTIONS[0], id="none", supporting=frozenset())
    first, second = halves([*QUESTIONS, unanswered], 3)
    assert sorted(q.id for q in (*first, *second)) == sorted(q.id for q in QUESTIONS)
    for kind in ("one", "two"):
        assert abs(sum(q.kind == kind for q in first) - sum(q.kind == kind for q in second)) <= 1
    assert halves(QUESTIONS, 3) == halves(QUESTIONS, 3) != halves(QUESTIONS, 4)


def test_too_few_questions_with_gold_are_refused() -> None:
    with pytest.raises(BadInput, match="Only 7"):
        halves(QUESTIONS[: 2 * LEAST - 1], 3)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("evaluations", [1, 7, 64, 300, 5_000])
def test_a_search_keeps_to_its_evaluations(method: str, evaluations: int) -> None:
    asked = Recorder()
    tried, spent = choose(POINTS, QUESTIONS[:20], asked, method, budget(evaluations), 7, TaskContext())
    assert len(asked.asked) == spent <= evaluations
    assert len(asked.asked) == len(set(asked.asked))  # nothing is asked twice
    assert tried and len({each.composition for each in tried}) == len(tried)


@pytest.mark.parametrize("method", METHODS)
def test_with_enough_evaluations_the_best_is_found(method: str) -> None:
    tried, _ = choose(POINTS, QUESTIONS[:20], Recorder(), method, budget(5_000), 7, TaskContext())
    assert tried[0].composition == POINTS[-1]


def test_halving_asks_half_as_many_more_each_round() -> None:
    asked = Recorder()
    tried, _ = choose(POINTS, QUESTIONS[:20], asked, "halving", budget(256), 7, TaskContext())
    counts = sorted(sum(each == point for each, _ in asked.asked) for point in POINTS)
    # 256 evaluations in four rounds: 64 each, over 16, 8, 4 and 2 compositions, until all questions are asked.
    assert counts == [4] * 8 + [12] * 4 + [20] * 4
    assert tried[0].composition == POINTS[-1] and tried[0].questions == 20


def test_halving_compares_by_the_same_questions_when_time_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Recorder()
    clock = SimpleNamespace(perf_counter=lambda: 0.002 * len(asked.asked))  # of two milliseconds a question
    monkeypatch.setattr("core.research.lab_search.time", clock)
    within = Budget(0.3, 10_000, 0.0)
    tried, _ = choose(POINTS, QUESTIONS, asked, "halving", within, 7, TaskContext())
    assert len({each.questions for each in tried}) == 1
    assert len(asked.asked) < len(POINTS) * len(QUESTIONS)


@pytest.mark.parametrize("method", METHODS)
def test_a_search_can_be_cancelled(method: str) -> None:
    asked = Recorder()
    context = TaskContext(cancelled=lambda: len(asked.asked) >= 5)
    with pytest.raises(Cancelled):
        choose(POINTS, QUESTIONS, asked, method, budget(1_000), 7, context)
    assert len(asked.asked) == 5


def test_the_space_holds_each_composition_once_and_keeps_to_the_scorers() -> None:
    few, more = space({"words", "meaning"}), space({"words", "meaning", "reading"})
    assert len(set(few)) == len(few) < len(more) == len(set(more))
    assert all(each.scorers <= {"words", "meaning"} for each in few)
    assert any("reading" in each.scorers for each in more)
    assert not any(each.needs_model for each in more)
    assert few[0] == more[0] == DEFAULT


def test_the_space_holds_our_own_routes_under_settings_that_there_are() -> None:
    own = [each for each in space({"words", "meaning"}) if each.rank != ("paths",)]
    table = shipped_compositions()
    routes = {table[name] for name in (*ROUTES, "hybrid", "hierarchical")}
    assert {each.rank for each in own} == {each.rank for each in routes}
    assert routes <= set(own), "as they are by default, too"
    assert len({(each.rank, as_config(each.settings)) for each in own}) == len(own), "none twice in effect"


def as_config(settings: tuple[str, ...]) -> Config:
    return with_settings(Config(), settings, SETTLED)


@pytest.mark.parametrize("seed", range(3))
def test_a_short_search_tries_the_default_and_every_kind(seed: int) -> None:
    points = space({"words", "meaning"})
    asked = Recorder()
    kinds = len({(each.rank, each.second_stage) for each in points})
    choose(points, QUESTIONS[:20], asked, "halving", budget(4 * 4 * 16), seed, TaskContext())
    assert asked.asked[0][0] == DEFAULT
    assert {shipped_compositions()[route] for route in ROUTES} <= {each for each, _ in asked.asked}
    assert len({(each.rank, each.second_stage) for each, _ in asked.asked}) == kinds
    one = choose(points, QUESTIONS[:20], asked, "random", budget(1_000), seed, TaskContext())
    again = choose(points, QUESTIONS[:20], asked, "random", budget(1_000), seed, TaskContext())
    assert one == again


@pytest.mark.long
def test_the_test_half_takes_no_part_in_choosing(
    sample_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.research import lab_search

    asked: list[tuple[Composition, str]] = []
    evaluate = lab_search._Evaluator.__call__

    def noted(self: object, composition: Composition, question: EvalQuestion) -> Score:
        asked.append((composition, question.id))
        return evaluate(self, composition, question)  # type: ignore[arg-type]

    monkeypatch.setattr(lab_search._Evaluator, "__call__", noted)
    questions = generate_questions(sample_workspace, 12)
    found = search(sample_workspace, questions, TaskContext(), evaluations=40)
    choosing, judging = ({q.id for q in half} for half in halves(questions, 7))
    chosen, judged = asked[: found.evaluations], asked[found.evaluations :]
    assert found.evaluations <= 40 and {id for _, id in chosen} <= choosing
    assert {id for _, id in judged} == judging
    assert {each for each, _ in judged} == {found.composition, DEFAULT}
    assert found.test_questions == len(judging)
    assert found.difference.value == pytest.approx(found.winner - found.default)
    assert ("default graph route wins" in found.verdict) == (found.difference.value < 0)
    again = search(sample_workspace, questions, TaskContext(), evaluations=40)
    assert replace(again, seconds=0.0) == replace(found, seconds=0.0)
    other = search(sample_workspace, questions, TaskContext(), evaluations=4, second_half=True)
    assert {id for _, id in asked[-2 * other.test_questions :]} == choosing
