"""Ask the questions of a set on the routes of a workspace, and score the ranks of gold documents and quotes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.answering.models import Models
from core.answering.writers import QUOTING
from core.config import Config
from core.errors import BadInput
from core.lab.metrics import (
    ABSTAINED,
    ANSWERED,
    ANSWERING,
    DEPTH,
    DIVERSE_AT,
    PRECISE_AT,
    PRECISION,
    WRONG_ANSWER,
    Ranks,
    diversity,
    measures,
)
from core.progress import TaskContext
from core.protocols import Extractor
from core.research.datasets import Dataset, EvalQuestion, Quote, full_index_seconds, open_cached
from core.research.report import EvalReport, QuestionRow, summarise
from core.text.answer_score import is_right, score_answer
from core.types import Answer, Document, Passage, State
from core.workspace import Workspace

_QUESTION_MARKS = " ?¿？؟"


@dataclass(frozen=True, slots=True)
class Plan:
    """How question sets are measured. The routes in `answers` are also asked for answers, by `generator`; `plain`
    asks in lower case and without question marks.
    """

    routes: tuple[str, ...]
    answers: tuple[str, ...] = ()
    config: Config = field(default_factory=Config)
    extractor: Extractor | None = None  # in place of the rules
    extraction: str = "rules"  # what it is called
    plain: bool = False
    fresh: bool = False
    generator: str = QUOTING  # who writes the answers


@dataclass(frozen=True, slots=True)
class Asked:
    """The result of one question on one route, before its gold passages are known."""

    took: str
    passages: tuple[str, ...]  # ids, best first
    milliseconds: float
    answer: Answer | None = None


def measure(dataset: Dataset, plan: Plan, models: Models, context: TaskContext) -> EvalReport:
    """Index a data set, or what changed of it, and evaluate it."""
    workspace, seconds = open_cached(dataset, context, models, plan.extractor, plan.config, plan.fresh)
    try:
        return evaluate(workspace, dataset, plan, context, seconds)
    finally:
        workspace.close()


def evaluate(
    workspace: Workspace, dataset: Dataset, plan: Plan, context: TaskContext, index_seconds: float = 0.0
) -> EvalReport:
    """Ask every question on every route of the plan, and score the results against the gold.

    Raises BadInput for no questions; ModelUnavailable and ModelFault where a language model writes and fails.
    """
    if not dataset.questions:
        raise BadInput(f"The data set {dataset.name} holds no questions.", "Add some to questions.jsonl.")
    workspace.load_models(context)
    vectors = workspace.passages.vectors()
    gold = Gold(workspace)
    texts = [plainly(q.question) if plan.plain else q.question for q in dataset.questions]
    found: dict[str, tuple[QuestionRow, ...]] = {}
    for number, route in enumerate(plan.routes):
        # Only the questions' texts are used: gold passages and answers are read afterwards.
        turn = (number, len(plan.routes))
        asked = ask_all(workspace, texts, route, route in plan.answers, context, turn, plan.generator)
        found[route] = tuple(
            _scored(question, result, vectors, gold)
            for question, result in zip(dataset.questions, asked, strict=True)
        )
    reports, comparisons = summarise(found)
    counts = workspace.counts()
    return EvalReport(
        dataset.name,
        counts.passages,
        index_seconds,
        reports,
        comparisons,
        dataset.fingerprint,
        plan.extraction,
        counts.documents,
        counts.entities,
        dataset.size,
        full_index_seconds(workspace),
        gold.problems(dataset.questions),
        plan.plain,
    )


def plainly(question: str) -> str:
    """Return the question in lower case and without question marks around it."""
    return question.lower().strip(_QUESTION_MARKS)


def ask_all(
    workspace: Workspace,
    texts: Sequence[str],
    route: str,
    answers: bool,
    context: TaskContext,
    turn: tuple[int, int] = (0, 1),
    generator: str = QUOTING,
) -> list[Asked]:
    """Ask each question on one route. Latency is from the question to its hits, encoding included.

    `turn` is (number of this route from 0, number of routes), for the progress.
    """
    done, total = turn[0] * len(texts), turn[1] * len(texts)
    asked = []
    for number, text in enumerate(texts, start=1):
        context.report("questions", done + number, total, route)
        workspace.retrieval.forget_questions()
        begin = time.perf_counter()
        took, retrieval = workspace.retrieve(text, context, route, DEPTH)
        spent = (time.perf_counter() - begin) * 1000.0
        answer = workspace.ask(text, context, route, generator=generator) if answers else None
        passages = tuple(hit.passage_id for hit in retrieval.hits)
        asked.append(Asked(took, passages, spent, answer))
    return asked


def _scored(
    question: EvalQuestion, asked: Asked, vectors: Mapping[str, NDArray[np.float32]], gold: Gold
) -> QuestionRow:
    """Score a result against the gold documents, quotes and answers."""
    found = gold.measures(question, asked.passages)
    if question.supporting:
        # A passage that could not be encoded has no vector, but word search can find it.
        first = [vectors[key] for key in asked.passages[:DIVERSE_AT] if key in vectors]
        found["diversity"] = diversity(np.array(first))
        found[PRECISION] = gold.of_gold(question, asked.passages[:PRECISE_AT]) / PRECISE_AT
    answer = asked.answer
    if answer is not None:
        found |= answer_measures(answer, question)
    return QuestionRow(
        question.id,
        question.question,
        question.kind,
        asked.took,
        asked.milliseconds,
        asked.passages,
        found,
        None if answer is None or answer.abstained else answer.text,
        len(question.supporting),
        None if answer is None else answer.confidence,
        tuple(gold.path(key) for key in asked.passages),
        answer is not None and answer.guess,
    )


def answers_right(text: str, golds: Sequence[str]) -> bool:
    """Return whether a text is one of the gold answers, as `is_right` defines it; False if there are none."""
    if not (text and golds):
        return False
    score = score_answer(text, golds)
    return is_right({"f1": score.f1, "contains": score.contains})


def answer_measures(answer: Answer, question: EvalQuestion) -> dict[str, float]:
    """Return the measures of the short answer; `contains` reads the sentences too. Abstaining scores nothing.

    The words of a guess are scored, but it does not count as an answer.
    """
    has_answer = not (answer.abstained or answer.guess)
    if not question.supporting:
        return {ABSTAINED: float(not has_answer), WRONG_ANSWER: float(has_answer)}
    found = {ANSWERED: float(has_answer)}
    if not question.answers:
        return found
    if answer.abstained:
        return {**dict.fromkeys(ANSWERING, 0.0), **found, WRONG_ANSWER: 0.0}
    short = score_answer(answer.text, question.answers)
    full = score_answer(" ".join((answer.text, *answer.sentences)), question.answers)
    scores = {"exact": short.exact, "f1": short.f1, "contains": full.contains}
    return {**scores, **found, WRONG_ANSWER: float(has_answer and not is_right(scores))}


class Gold:
    """Resolves the names that questions give to documents.

    A document is known by its path and by that of the file that contains it; a passage that was indexed as it is,
    is a document of its own whose path is its id.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._names: dict[str, set[str]] = {}  # by document id
        self._documents: dict[str, list[Document]] = {}  # by name
        self._paths: dict[str, str] = {}  # by document id
        self._passages: dict[str, Passage] = {}
        for document in workspace.documents.all():
            self._paths[document.id] = document.path
            self._names[document.id] = {document.path, document.file} - {""}
            for name in self._names[document.id]:
                self._documents.setdefault(name, []).append(document)

    def path(self, passage_id: str) -> str:
        """Return the path of the passage's document."""
        return self._paths[self._passage(passage_id).document_id]

    def ranks(self, question: EvalQuestion, passage_ids: Sequence[str]) -> Ranks:
        """Return the rank of the first passage of each gold document."""
        document_names = [self._names[self._passage(key).document_id] for key in passage_ids]
        return [
            next((rank for rank, names in enumerate(document_names, start=1) if name in names), None)
            for name in question.supporting
        ]

    def of_gold(self, question: EvalQuestion, passage_ids: Sequence[str]) -> int:
        """Return how many of the passages belong to a gold document."""
        return sum(
            not question.supporting.isdisjoint(self._names[self._passage(key).document_id])
            for key in passage_ids
        )

    def quote_ranks(self, question: EvalQuestion, passage_ids: Sequence[str]) -> Ranks:
        """Return the rank at which each gold quote is complete, in a passage or across two neighbours."""
        found = [self._passage(key) for key in passage_ids]
        return [self._quote_rank(quote, found) for quote in question.quotes]

    def measures(self, question: EvalQuestion, passage_ids: Sequence[str]) -> dict[str, float]:
        """Return how well a ranking finds gold documents, and quotes as "quote recall@5"; those that apply."""
        found = measures(self.ranks(question, passage_ids)) if question.supporting else {}
        quoted = measures(self.quote_ranks(question, passage_ids)) if question.quotes else {}
        return found | {f"quote {name}": value for name, value in quoted.items()}

    def marks(self, question: EvalQuestion, passage_ids: Sequence[str]) -> NDArray[np.bool_]:
        """Return (n_gold, n_passages): the passages of each gold document, then those that contain each quote."""
        found = [self._passage(key) for key in passage_ids]
        documents = [
            [name in self._names[p.document_id] for p in found] for name in sorted(question.supporting)
        ]
        quotes = [
            [
                quote.file in self._names[p.document_id] and _spaced(quote.text) in _spaced(p.text)
                for p in found
            ]
            for quote in question.quotes
        ]
        return np.array([*documents, *quotes], dtype=np.bool_).reshape(-1, len(found))

    def owners(self, passage_ids: Sequence[str]) -> NDArray[np.int64]:
        """Return a number for the document of each passage, (n_passages,)."""
        return np.unique([self._passage(key).document_id for key in passage_ids], return_inverse=True)[1]

    def problems(self, questions: Sequence[EvalQuestion]) -> tuple[str, ...]:
        """Describe gold that cannot be found by any ranking; it counts as not found."""
        asking: dict[str, list[str]] = {}
        for question in questions:
            for name in sorted(question.supporting):
                if problem := self._problem(name):
                    asking.setdefault(problem, []).append(question.id)
            for quote in question.quotes:
                documents = self._documents.get(quote.file, [])
                if not self._problem(quote.file) and not any(self._holds(d, quote) for d in documents):
                    asking.setdefault(f"{quote.file} does not hold “{quote.text}”", []).append(question.id)
        return tuple(f"{problem}: not found for {', '.join(ids)}" for problem, ids in asking.items())

    def _problem(self, name: str) -> str:
        documents = self._documents.get(name)
        if not documents:
            return f"{name} is not among the documents"
        if all(document.state is State.FAILED for document in documents):
            return f"{name} could not be read ({documents[0].reason.rstrip('.')})"
        return ""

    def _holds(self, document: Document, quote: Quote) -> bool:
        return _spaced(quote.text) in _spaced(self._workspace.documents.text(document.id))

    def _quote_rank(self, quote: Quote, found: Sequence[Passage]) -> int | None:
        words = _spaced(quote.text)
        for rank, passage in enumerate(found, start=1):
            if quote.file not in self._names[passage.document_id]:
                continue
            neighbours = [p for p in found[: rank - 1] if _neighbours(p, passage)]
            if words in _spaced(passage.text) or any(words in self._joined(p, passage) for p in neighbours):
                return rank
        return None

    def _joined(self, one: Passage, other: Passage) -> str:
        text = self._workspace.documents.text(one.document_id)
        return _spaced(text[min(one.start, other.start) : max(one.end, other.end)])

    def _passage(self, passage_id: str) -> Passage:
        if passage_id not in self._passages:
            self._passages[passage_id] = self._workspace.passages.get(passage_id)
        return self._passages[passage_id]


def _neighbours(one: Passage, other: Passage) -> bool:
    return one.document_id == other.document_id and abs(one.ordinal - other.ordinal) == 1


def _spaced(text: str) -> str:
    return " ".join(text.split())
