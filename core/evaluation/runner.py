"""Asks a question set on the routes of a workspace, and scores what was found."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import platformdirs
from numpy.typing import NDArray

from core.config import Config
from core.errors import BadInput
from core.evaluation.answer_score import score_answer
from core.evaluation.datasets import Dataset, EvalQuestion
from core.evaluation.metrics import DEPTH, DIVERSE_AT, diversity, measures
from core.evaluation.report import EvalReport, QuestionRow, summarise
from core.identity import stable_id
from core.models import Models
from core.progress import TaskContext
from core.protocols import Extractor
from core.types import Answer
from core.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Asked:
    """What one question on one route gave: before anything is known of its gold passages."""

    took: str
    passages: tuple[str, ...]  # ids, best first
    milliseconds: float
    answer: Answer | None = None
    ended: str = ""  # the stage of the agentic route at which the evidence was enough


def open_cached(
    dataset: Dataset,
    context: TaskContext,
    models: Models,
    extractor: Extractor | None = None,
    config: Config | None = None,
) -> tuple[Workspace, float]:
    """The data set's workspace in the user's cache folder, indexed, and the seconds that took.

    With an `extractor` in place of the rules it has a workspace of its own, by the extractor's version.
    """
    name = f"{dataset.name}-{dataset.fingerprint}"
    if extractor is not None:
        name += f"-{extractor.name}-{stable_id(extractor.version)}"
    folder = Path(platformdirs.user_cache_dir("clew")) / "eval" / name
    workspace = Workspace.open(folder, create=True, config=config or Config(), models=models, own=True)
    begin = time.perf_counter()
    before = workspace.revision
    workspace.index_passages(dataset.passages, context, extractor)
    spent = time.perf_counter() - begin
    return workspace, 0.0 if workspace.revision == before else spent


def each_question(
    dataset: Dataset, models: Models, context: TaskContext
) -> Iterator[tuple[Workspace, EvalQuestion]]:
    """Every question of the data set with its open, warm workspace, which is closed afterwards."""
    workspace, _ = open_cached(dataset, context, models)
    try:
        workspace.load_models(context)
        for number, question in enumerate(dataset.questions):
            context.report("questions", number + 1, len(dataset.questions), dataset.name)
            yield workspace, question
    finally:
        workspace.close()


def evaluate(
    workspace: Workspace,
    dataset: Dataset,
    routes: Sequence[str],
    index_seconds: float,
    context: TaskContext,
    answers: Sequence[str] = (),
    extraction: str = "rules",
) -> EvalReport:
    """Ask every question on every route; on those in `answers` for an answer, too.

    Raises BadInput for no questions.
    """
    if not dataset.questions:
        raise BadInput(f"The data set {dataset.name} holds no questions.", "Add some to questions.jsonl.")
    workspace.load_models(context)
    vectors = workspace.passage_vectors()
    texts = [question.question for question in dataset.questions]
    found: dict[str, tuple[QuestionRow, ...]] = {}
    for number, route in enumerate(routes):
        # Only the words of the questions go in: gold passages and answers are looked at afterwards.
        asked = ask_all(workspace, texts, route, route in answers, context, (number, len(routes)))
        found[route] = tuple(
            _scored(question, result, vectors)
            for question, result in zip(dataset.questions, asked, strict=True)
        )
    reports, comparisons = summarise(found)
    return EvalReport(
        dataset.name,
        len(dataset.passages),
        index_seconds,
        reports,
        comparisons,
        dataset.fingerprint,
        extraction,
    )


def ask_all(
    workspace: Workspace,
    texts: Sequence[str],
    route: str,
    answers: bool,
    context: TaskContext,
    turn: tuple[int, int] = (0, 1),
) -> list[Asked]:
    """Each question on one route. Latency is from the question to its hits, encoding included.

    `turn` is (number of this route from 0, number of routes), for the progress.
    """
    done, total = turn[0] * len(texts), turn[1] * len(texts)
    asked = []
    for number, text in enumerate(texts, start=1):
        context.report("questions", done + number, total, route)
        workspace.forget_questions()
        begin = time.perf_counter()
        took, retrieval = workspace.retrieve(text, context, route, DEPTH)
        spent = (time.perf_counter() - begin) * 1000.0
        answer = workspace.ask(text, context, route) if answers else None
        passages = tuple(hit.passage_id for hit in retrieval.hits)
        asked.append(Asked(took, passages, spent, answer, retrieval.ended))
    return asked


def _scored(question: EvalQuestion, asked: Asked, vectors: Mapping[str, NDArray[np.float32]]) -> QuestionRow:
    """Hold what was found against the gold passages and answers."""
    found = measures(asked.passages, question.supporting)
    found["diversity"] = diversity(np.array([vectors[key] for key in asked.passages[:DIVERSE_AT]]))
    answer = asked.answer
    if answer is not None and question.answers:
        found |= _answer_measures(answer, question.answers)
    return QuestionRow(
        question.id,
        question.question,
        question.kind,
        asked.took,
        asked.milliseconds,
        asked.passages,
        found,
        None if answer is None or answer.abstained else answer.text,
        asked.ended,
    )


def _answer_measures(answer: Answer, golds: Sequence[str]) -> dict[str, float]:
    """Of the short answer; `contains` looks at the sentences too. Whoever abstains scores nothing."""
    if answer.abstained:
        return {"exact": 0.0, "f1": 0.0, "contains": 0.0, "abstained": 1.0}
    short = score_answer(answer.text, golds)
    whole = score_answer(" ".join((answer.text, *answer.sentences)), golds)
    return {"exact": short.exact, "f1": short.f1, "contains": whole.contains, "abstained": 0.0}
