"""Training of the extractive integrator: by imitation of the reader's evidence, then by DW-GRPO."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from core.answering.comprehension import Comprehension
from core.answering.integration.model import IntegratorModel
from core.answering.integration.pieces import chosen
from core.answering.integration.rewards import Judge, Judgeable
from core.answering.integration.signals import see
from core.progress import TaskContext
from core.research.training.dw_grpo import Plan, Step, Trainer, rows
from core.research.training.integrator_score import SHARE, Example, Figures
from core.research.training.list_weights import one_torch_thread

_ANSWERS = 3  # answers of the reader whose sentences are good pieces
_EPOCHS, _RATE = 12, 3e-3  # of imitation


@dataclass(frozen=True, slots=True)
class Trained:
    model: IntegratorModel
    steps: tuple[Step, ...]
    report: str  # JSON: plan, corpora, a row a step


def good_pieces(example: Example, comprehension: Comprehension) -> frozenset[int]:
    """Return the sentences of the reader's likeliest answers in the complete passages. No gold is used."""
    passages, scores = list(example.passages.values()), list(example.scores.values())
    ids = list(example.passages)
    answers = comprehension.understand(example.question, passages, scores).answers[:_ANSWERS]
    places = {(ids[place.passage], place.start) for answer, _ in answers for place in answer.places}
    return frozenset(
        row
        for row, piece in enumerate(example.pieces.pieces)
        if any(passage == piece.passage_id and piece.start <= start < piece.end for passage, start in places)
    )


def train(
    examples: Sequence[Example],
    comprehension: Comprehension,
    judge: Judge,
    plan: Plan,
    context: TaskContext,
    imitation: int = _EPOCHS,
    on_step: Callable[[Step], None] | None = None,
) -> Trained:
    """Train an integrator; `on_step` gets each step of reinforcement. Raises ValueError for no examples, Cancelled."""
    from core.research.training.extractive_policy import (  # torch is slow to import
        Extract,
        ExtractivePolicy,
        Task,
        imitate,
        standard,
    )

    tasks = [Task(see(e.question, e.pieces), e.budget(SHARE)) for e in examples]
    asked = {id(task): example for task, example in zip(tasks, examples, strict=True)}
    policy = ExtractivePolicy(*standard(tasks, np.random.default_rng(plan.seed)), seed=plan.seed)
    if imitation:
        lessons = []
        for number, (task, example) in enumerate(zip(tasks, examples, strict=True)):
            context.report("questions", number, len(tasks), example.corpus)
            lessons.append((task, good_pieces(example, comprehension)))
        with one_torch_thread():
            imitate(policy, lessons, imitation, _RATE, context, plan.seed)

    def rewards(task: Task, texts: Sequence[Extract]) -> NDArray[np.float64]:
        return judged(asked[id(task)], [text.rows for text in texts], judge)

    steps = Trainer(policy, rewards, plan).train(tasks, context, on_step) if plan.steps else []
    summary = {
        "corpora": sorted({example.corpus for example in examples}),
        "questions": len(examples),
        "imitation": imitation,
        "plan": asdict(plan),
        "steps": rows(steps),
    }
    return Trained(policy.model(), tuple(steps), json.dumps(summary))


def apart(examples: Sequence[Example], every: int) -> tuple[list[Example], list[Example]]:
    """Split into training examples and every n-th for evaluation; none if `every` is 0."""
    if not every:
        return list(examples), []
    eval_ids = {id(example) for example in examples[every - 1 :: every]}
    return [e for e in examples if id(e) not in eval_ids], [e for e in examples if id(e) in eval_ids]


def with_figures(report: str, ways: Mapping[str, Figures]) -> str:
    """Add the figures on the evaluation questions to the report of a training."""
    return json.dumps({**json.loads(report), "held": {name: each.record() for name, each in ways.items()}})


def judged(example: Example, texts: Sequence[Sequence[int]], judge: Judge) -> NDArray[np.float64]:
    """Return (n, 3) rewards of the texts of these rows."""
    tokens = example.pieces.tokens
    candidates = [
        Judgeable(chosen(example.pieces, rows).text, example.faithful.of(rows), int(tokens[list(rows)].sum()))
        for rows in texts
    ]
    return judge.rewards(example.question, candidates, int(tokens.sum()))
