"""Knowledge integration on question sets: the input of distillation, and the quality of distilled texts (BERTScore)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.answering.comprehension import Comprehension
from core.answering.integration.integrators import (
    Everything,
    ExtractiveIntegrator,
    LeadSentences,
    NearestSentences,
)
from core.answering.integration.model import DIMENSION, IntegratorModel
from core.answering.integration.pieces import Distilled, Integrator, Pieces
from core.answering.integration.rewards import REWARDS, Judge, Judgeable, ReaderJudge
from core.answering.models import Models
from core.errors import BadInput
from core.lab.metrics import mean
from core.models.minilm import MiniLMEncoder
from core.models.reader import ReaderPassage
from core.progress import TaskContext
from core.research.datasets import Dataset, EvalQuestion, each_question
from core.research.runner import answers_right
from core.workspace import Workspace

PASSAGES = 5
SHARE = 0.4  # token budget of a distilled text, of the passages' tokens


@dataclass(frozen=True, slots=True)
class Example:
    """A question with its retrieved passages. `scores` are those of the passages, by id."""

    corpus: str
    id: str
    question: str
    answers: tuple[str, ...]
    pieces: Pieces
    passages: Mapping[str, ReaderPassage]
    scores: Mapping[str, float]
    faithful: ExtractScore

    @property
    def passage_tokens(self) -> int:
        """Return the tokens of the retrieved passages."""
        return int(self.pieces.tokens[self.pieces.rank > 0].sum())

    def budget(self, share: float = SHARE) -> int:
        return int(share * self.passage_tokens)


def collect(dataset: Dataset, models: Models, context: TaskContext) -> list[Example]:
    """Return examples of the questions that have answers and for which something is found. Raises BadInput,
    Cancelled.
    """
    return _examples(dataset.name, each_question(dataset, models, context), models, context)


def collect_own(
    workspace: Workspace, questions: Sequence[EvalQuestion], models: Models, context: TaskContext
) -> list[Example]:
    """Return examples of questions on an open workspace. Raises BadInput, Cancelled."""

    def each() -> Iterator[tuple[Workspace, EvalQuestion]]:
        for number, question in enumerate(questions, start=1):
            context.report("questions", number, len(questions))
            yield workspace, question

    return _examples(workspace.path.name, each(), models, context)


def _examples(
    name: str, asked: Iterable[tuple[Workspace, EvalQuestion]], models: Models, context: TaskContext
) -> list[Example]:
    from core.models.minilm_torch import best_precision

    encoder = models.encoder(best_precision())
    assert isinstance(encoder, MiniLMEncoder)
    found = []
    for workspace, question in asked:
        if not question.answers:
            continue
        candidates, pieces = workspace.retrieval.asker().rankings.gathered(
            question.question, PASSAGES, context
        )
        if not len(pieces):
            continue
        if pieces.vectors.shape[1] != DIMENSION:
            raise BadInput(
                "The integrator is trained on vectors of minilm, and this workspace has others.",
                "Use a workspace that was made with minilm.",
            )
        tokens = encoder.token_vectors([piece.text for piece in pieces.pieces], context)
        found.append(
            Example(
                name,
                question.id,
                question.question,
                question.answers,
                pieces,
                {c.passage.id: ReaderPassage.of(c.passage) for c in candidates},
                {c.passage.id: c.hit.score for c in candidates},
                ExtractScore(tokens),
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one question's distilled text: `rewards` in the order of REWARDS, `token_share` of the passages'
    tokens."""

    right: bool
    rewards: tuple[float, ...]
    token_share: float
    answer: str


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over questions."""

    questions: int
    right: float
    token_share: float  # of the tokens of the first five passages
    rewards: dict[str, float]

    def record(self) -> dict[str, object]:
        """Return the figures under the names that they have in a model's report."""
        return {
            "questions": self.questions,
            "right": self.right,
            "kept": self.token_share,
            "rewards": self.rewards,
        }


def distil(
    integrator: Integrator, examples: Sequence[Example], share: float, context: TaskContext
) -> list[Distilled]:
    found = []
    for example in examples:
        context.check()
        found.append(integrator.integrate(example.question, example.pieces, example.budget(share)))
    return found


def outcomes(
    examples: Sequence[Example],
    texts: Sequence[Distilled],
    comprehension: Comprehension,
    judge: Judge,
    context: TaskContext,
    full_passages: bool = False,
) -> list[Outcome]:
    """Answer every question from its distilled text, passage by passage, and score the text's rewards.

    `full_passages`: answer from the passages as they were retrieved, not cut into sentences.
    """
    found = []
    for number, (example, text) in enumerate(zip(examples, texts, strict=True), start=1):
        context.report("questions", number, len(examples), example.corpus)
        distilled = [(p, ReaderPassage(title, words)) for p, title, words in text.by_passage()]
        passages = list(example.passages.items()) if full_passages else distilled
        answer = _answer(example, passages, comprehension)
        rows = rows_of(example.pieces, text)
        tokens = example.passage_tokens if full_passages else int(example.pieces.tokens[rows].sum())
        judged = Judgeable(text.text, example.faithful.of(rows), tokens)
        rewards = judge.rewards(example.question, [judged], int(example.pieces.tokens.sum()))[0]
        right = answers_right(answer, example.answers)
        found.append(Outcome(right, tuple(rewards.tolist()), tokens / max(1, example.passage_tokens), answer))
    return found


def compared(
    examples: Sequence[Example],
    model: IntegratorModel,
    share: float,
    comprehension: Comprehension,
    judge: Judge,
    context: TaskContext,
) -> dict[str, Figures]:
    """Compare the complete passages, the trained integrator with and without stopping, and simple ways at the same
    budget.

    Raises ValueError where there are no examples, Cancelled.
    """
    ways: dict[str, Integrator] = {
        "distilled": ExtractiveIntegrator(model),
        "distilled, not stopping": ExtractiveIntegrator(model, full=True),
        "nearest sentences": NearestSentences(),
        "lead sentences": LeadSentences(),
    }
    everything = distil(Everything(), examples, 1.0, context)
    found = {"whole passages": figures(outcomes(examples, everything, comprehension, judge, context, True))}
    for name, integrator in ways.items():
        texts = distil(integrator, examples, share, context)
        found[name] = figures(outcomes(examples, texts, comprehension, judge, context))
    return found


def rows_of(pieces: Pieces, text: Distilled) -> list[int]:
    """Return the pieces that a text consists of, each once."""
    places = {(piece.passage_id, piece.start): row for row, piece in enumerate(pieces.pieces)}
    return list(dict.fromkeys(places[part.piece.passage_id, part.piece.start] for part in text.parts))


def figures(found: Sequence[Outcome]) -> Figures:
    """Return the means of the outcomes. Raises ValueError for none."""
    rewards = np.array([each.rewards for each in found]).mean(0)
    return Figures(
        len(found),
        mean([float(each.right) for each in found]),
        mean([each.token_share for each in found]),
        dict(zip(REWARDS, rewards.tolist(), strict=True)),
    )


def judge_of(comprehension: Comprehension) -> ReaderJudge:
    return ReaderJudge(comprehension.reader.relevance)


def _answer(
    example: Example, passages: Sequence[tuple[str, ReaderPassage]], comprehension: Comprehension
) -> str:
    """Return the reader's likeliest answer, with passages in the order of their ranks; "" if it finds none."""
    least = min(example.scores.values(), default=0.0) / 2  # score of passages that were not retrieved
    ordered = sorted(passages, key=lambda each: -example.scores.get(each[0], least))
    if not ordered:
        return ""
    scores = [example.scores.get(passage, least) for passage, _ in ordered]
    answers = comprehension.understand(example.question, [text for _, text in ordered], scores).answers
    return answers[0][0].text if answers else ""


Tokens = NDArray[np.float32]


def bert_score(candidate: Tokens, reference: Tokens) -> float:
    """Return the F1 of the greedy matches of unit token vectors (n, d) and (m, d); 0 if either is empty.

    Precision is the mean over the candidate's tokens of the best cosine with one of the reference's, recall the
    mean over the reference's. No weights by rarity, no rescaling.
    """
    if not len(candidate) or not len(reference):
        return 0.0
    cosines = candidate @ reference.T
    return harmonic(float(cosines.max(1).mean()), float(cosines.max(0).mean()))


def harmonic(precision: float, recall: float) -> float:
    """Return the harmonic mean; 0 where both cannot be positive."""
    if precision <= 0 or recall <= 0:
        return 0.0
    return 2 * precision * recall / (precision + recall)


class ExtractScore:
    """The same score for texts that consist of a reference's own sentences, each encoded separately.

    Every token of such a text is in the reference, so precision is 1; the best cosine of each reference token with
    each sentence is computed once.
    """

    def __init__(self, sentences: Sequence[Tokens]) -> None:
        """Take unit token vectors of each sentence; at least one token in all."""
        tokens = np.concatenate(sentences)
        self._best = np.stack(
            [(tokens @ own.T).max(1) if len(own) else np.full(len(tokens), -1.0) for own in sentences], axis=1
        ).astype(np.float32)

    def of(self, rows: Sequence[int]) -> float:
        """Return the score of the text of these sentences; 0 for none."""
        if not len(rows):
            return 0.0
        return harmonic(1.0, float(self._best[:, list(rows)].max(1).mean()))
