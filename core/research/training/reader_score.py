"""Quality of the reader: on questions with their text, and after retrieval on question sets; its calibration."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from core.answering.comprehension import Calibration, Comprehension, Judged, family, fit
from core.answering.extractive import least_probability, states_literally
from core.answering.models import Models
from core.answering.polar import says_yes
from core.answering.reliability import reliability_bins, width_error
from core.answering.rewriting import innermost
from core.config import AnswerConfig
from core.lab.metrics import mean
from core.models.reader import Reader, ReaderPassage
from core.models.reader_examples import Example, Kind
from core.progress import TaskContext
from core.research.datasets import Dataset, each_question
from core.research.report import auc
from core.research.runner import answers_right
from core.text.answer_score import score_answer

PASSAGES = 10  # that are read together


@dataclass(frozen=True, slots=True)
class ReadingFigures:
    """Figures on questions with their text. `f1` and `exact` are over the answerable ones (Rajpurkar et al. 2016,
    6.1); `here_auc` is the AUC of the margin for answerability, None if all are of one kind; milliseconds a
    question.
    """

    questions: int
    f1: float
    exact: float
    here_auc: float | None
    milliseconds: float


def read_all(examples: Sequence[Example], reader: Reader, context: TaskContext) -> ReadingFigures:
    """Read each question and take the likeliest span, or yes or no if these are asked for. Raises Cancelled."""
    scores, margins, here = [], [], []
    begin = time.perf_counter()
    for number, example in enumerate(examples, start=1):
        context.report("questions", number, len(examples), example.source)
        (read,) = reader.read(example.question, [ReaderPassage(example.title, example.text)])
        margins.append(read.spans[0].margin if read.spans else float("-inf"))
        here.append(example.kind is not Kind.NONE)
        golds = (example.kind.value,) if example.kind in (Kind.YES, Kind.NO) else example.answers
        if golds:
            answer = example.text[read.spans[0].start : read.spans[0].end] if read.spans else ""
            if (polar_mass := read.kind(Kind.YES) + read.kind(Kind.NO)) > 0.5:
                (yes,) = says_yes(example.question, [ReaderPassage(example.title, example.text)], reader)
                answer = "yes" if (read.kind(Kind.YES) / polar_mass if yes is None else yes) > 0.5 else "no"
            scores.append(score_answer(answer, golds))
    spent = time.perf_counter() - begin
    f1, exact = (
        mean([getattr(score, name) for score in scores]) if scores else 0.0 for name in ("f1", "exact")
    )
    return ReadingFigures(len(examples), f1, exact, auc(margins, here), 1_000 * spent / max(1, len(examples)))


def judged_questions(
    dataset: Dataset, models: Models, comprehension: Comprehension, context: TaskContext
) -> list[Judged]:
    """Return the proposals for every question of a data set, and whether each is right; gold is read afterwards."""
    found = []
    for workspace, question in each_question(dataset, models, context):
        _, retrieval = workspace.retrieve(question.question, context, "auto", PASSAGES)
        passages = [workspace.passages.get(hit.passage_id) for hit in retrieval.hits]
        inputs = [ReaderPassage.of(passage) for passage in passages]
        proposed, _ = comprehension.propose(question.question, inputs, [hit.score for hit in retrieval.hits])
        right = tuple(answers_right(each.text, question.answers) for each in proposed)
        is_indirect = innermost(models.parse(question.question)) is not None
        found.append(Judged(tuple(proposed), right, bool(question.answers), is_indirect))
    return found


def calibrated(corpora: Mapping[str, Sequence[Judged]]) -> tuple[Calibration, dict[str, object]]:
    """Return the calibration of all, and that of models fitted without a family on it. Raises ValueError, as `fit`
    does.
    """
    every: list[_Likeliest] = []
    rows = {}
    for name, questions in corpora.items():
        others = {other: judged for other, judged in corpora.items() if family(other) != family(name)}
        without = fit(others)
        own = [_likeliest(question, without) for question in questions]
        rows[name] = _figures(own)
        every += own
    values, right = [each.probability for each in every], [each.right for each in every]
    report: dict[str, object] = {
        "corpora": rows,
        **_figures(every),
        "expected calibration error": width_error(values, right),
        "calibration": [asdict(bin) for bin in reliability_bins(values, right)],
    }
    return fit(corpora), report


@dataclass(frozen=True, slots=True)
class _Likeliest:
    """The likeliest proposal of a question: none has a probability of 0."""

    probability: float
    right: bool
    literal: bool | None
    has_answer: bool
    is_indirect: bool

    @property
    def is_displayed(self) -> bool:
        """Return whether it is displayed as an answer, by the thresholds as they ship."""
        return self.probability >= least_probability(self.literal, self.is_indirect, AnswerConfig().sure)


def _likeliest(question: Judged, calibration: Calibration) -> _Likeliest:
    truths = {id(each): right for each, right in zip(question.proposals, question.right, strict=True)}
    ranked = calibration.ranked(question.proposals)
    if not ranked:
        return _Likeliest(0.0, False, None, question.has_answer, question.is_indirect)
    best, probability = ranked[0]
    literal, right = states_literally(best), truths[id(best)]
    return _Likeliest(probability, right, literal, question.has_answer, question.is_indirect)


def _figures(found: Sequence[_Likeliest]) -> dict[str, object]:
    """Return how often the likeliest is right; how many are displayed as answers, the share of right ones among them,
    and their share of all right ones; and what is refused of questions without an answer and of those with one."""
    displayed = [each.right for each in found if each.is_displayed]
    refused = {
        has_answer: [
            each.probability < AnswerConfig().min_probability
            for each in found
            if each.has_answer is has_answer
        ]
        for has_answer in (False, True)
    }
    right = [each.right for each in found]
    return {
        "questions": len(found),
        "right": mean(right),
        "auc": auc([each.probability for each in found], right),
        "displayed": len(displayed),
        "displayed precision": mean(displayed) if displayed else None,
        "displayed recall": sum(displayed) / max(1, sum(right)),
        "unanswerable refused": mean(refused[False]) if refused[False] else None,
        "answerable refused": mean(refused[True]) if refused[True] else None,
    }
