"""The hybrid route's two weights out of question sets. Triple-layer GraphRAG 4.5.2."""

from __future__ import annotations

import numpy as np

from core.evaluation.cached import each_question
from core.evaluation.datasets import Dataset
from core.models import Models
from core.progress import TaskContext
from core.retrieval.hybrid import WeighedRow

_FIRST = 100  # passages that each score puts first; the mass behind them tells nothing of ranks


def weighed_rows(dataset: Dataset, models: Models, context: TaskContext) -> list[WeighedRow]:
    """(dense, path, gold) of every passage that either score puts first, and of the gold ones, by question."""
    found: list[WeighedRow] = []
    for workspace, question in each_question(dataset, models, context):
        ids, dense, path = workspace.retrieval.asker().hybrid_scores(question.question)
        gold = np.isin(ids, list(question.supporting))
        rows = set(np.flatnonzero(gold).tolist())
        for scores in (dense, path):
            rows.update(np.argsort(-scores, kind="stable")[:_FIRST].tolist())
        found += [(float(dense[row]), float(path[row]), bool(gold[row])) for row in sorted(rows)]
    return found
