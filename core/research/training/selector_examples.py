"""Examples from question sets for training the second stage, and evaluation of trained models."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.answering.models import Models
from core.lab.metrics import mean
from core.progress import TaskContext
from core.research.datasets import Dataset
from core.research.index_cache import each_question
from core.research.training.selector import Example, cross_validate, fit
from core.retrieval.selection.model import SelectionModel
from core.retrieval.selection.selector import choose

FOLDS = 5
DEPTHS = (2, 5, 10)


def collect(dataset: Dataset, models: Models, context: TaskContext) -> list[Example]:
    """Return two examples a question: the candidates from the graph and from the fusion."""
    found = []
    for workspace, question in each_question(dataset, models, context):
        # Sub-questions have the id of their question and a number: they must share a fold.
        family = f"{dataset.name} {question.id.partition('-')[0]}"
        for route, (ids, pool) in (
            workspace.retrieval.asker().rankings.pools(question.question, context).items()
        ):
            gold = np.array([passage in question.supporting for passage in ids], dtype=bool)
            fold = zlib.crc32(family.encode()) % FOLDS
            group = f"{dataset.name} {question.kind} {route}"
            found.append(Example(pool, gold, len(question.supporting), group, fold))
    return found


def balanced(examples: Sequence[Example]) -> list[Example]:
    """Weight the examples so that a data set counts by the square root of its size."""
    sizes = Counter(example.group for example in examples)
    return [replace(e, weight=10.0 / sizes[e.group] ** 0.5) for e in examples]


def measured(
    model: SelectionModel | None, examples: Sequence[Example]
) -> list[tuple[str, tuple[float, ...]]]:
    """Return (group, recall at 2, 5 and 10) of each example; without a model, of the first stage."""
    found = []
    for example in examples:
        order = choose(example.pool, model.score)[0] if model else list(range(len(example.pool)))
        hits = example.gold[order]
        found.append((example.group, tuple(float(hits[:k].sum()) / example.total for k in DEPTHS)))
    return found


def train(examples: Sequence[Example], context: TaskContext) -> tuple[SelectionModel, dict[str, object]]:
    """Fit the model on all examples, and report by group: first stage, cross-validated."""
    weighted = balanced(examples)
    cv_results = cross_validate(weighted, measured, context)
    model = fit(weighted, context)
    report: dict[str, object] = {
        "folds": FOLDS,
        "examples": len(examples),
        "first_stage": _means(measured(None, examples)),
        "cross_validated": _means(cv_results),
    }
    return model, report


def _means(rows: Sequence[tuple[str, tuple[float, ...]]]) -> dict[str, dict[str, float]]:
    groups = sorted({group for group, _ in rows})
    return {
        group: {
            f"recall@{k}": round(mean([values[at] for g, values in rows if g == group]), 4)
            for at, k in enumerate(DEPTHS)
        }
        for group in groups
    }
