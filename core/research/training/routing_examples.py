"""Examples from question sets for training the list weights and the scores of lab:hybrid."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.answering.models import Models
from core.progress import TaskContext
from core.research.datasets import Dataset, EvalQuestion
from core.research.gold import Gold
from core.research.index_cache import each_question
from core.research.runner import answer_measures, plainly
from core.research.training.list_weights import Example
from core.retrieval.fusion import LISTS, Lists
from core.retrieval.hybrid import WeighedRow
from core.retrieval.routing.features.vector import described
from core.text.answer_score import is_right

ALONE = ("dense", "graph")  # the two routes of EA-GraphRAG
_DEPTH = 40  # passages of each list
_FIRST = 100  # top passages of each score; the rest says nothing about ranks


def collect(dataset: Dataset, models: Models, context: TaskContext) -> list[Example]:
    """Return two examples for each question that has gold: as it is, and in hasty spelling."""
    found: list[Example] = []
    gold: Gold | None = None
    for workspace, question in each_question(dataset, models, context):
        gold = gold or Gold(workspace)
        for text in dict.fromkeys((question.question, plainly(question.question))):
            if not question.supporting:
                continue
            lists, early, signals = workspace.retrieval.asker().rankings.weighed_lists(text, context)
            example = _example(dataset.name, question, text, lists, gold)
            found.append(replace(example, signals=signals, early=early))
    return found


def collect_routes(dataset: Dataset, models: Models, context: TaskContext) -> list[Example]:
    """Return the same questions by meaning alone and by the graph alone, with signals from the question's words
    only.

    Answers are read to the question as it is.
    """
    found: list[Example] = []
    gold: Gold | None = None
    for workspace, question in each_question(dataset, models, context):
        gold = gold or Gold(workspace)
        if not question.supporting:
            continue
        right: tuple[bool, bool] | None = None
        if question.answers:
            answers = (workspace.ask(question.question, context, route) for route in ALONE)
            dense_right, graph_right = (is_right(answer_measures(each, question)) for each in answers)
            right = dense_right, graph_right
        for text in dict.fromkeys((question.question, plainly(question.question))):
            dense, graph = (workspace.retrieve(text, context, route, _DEPTH)[1].hits for route in ALONE)
            lists = {"lexical": (), "dense": dense, "graph": graph}
            example = _example(dataset.name, question, text, lists, gold)
            signals = {signal.name: signal.value for signal in described(models.parse(text))}
            found.append(replace(example, signals=signals, right=right))
    return found


def _example(corpus: str, question: EvalQuestion, text: str, lists: Lists, gold: Gold) -> Example:
    """Return an example without signals."""
    places = {name: [hit.passage_id for hit in lists[name][:_DEPTH]] for name in LISTS}
    ids = list(dict.fromkeys(key for ranking in places.values() for key in ranking))
    ranks = np.array([[_rank(ranking, key) for ranking in places.values()] for key in ids])
    marked, plain = gold.marks(question, ids), text != question.question
    return Example(corpus, plain, {}, {}, ranks, marked, len(question.supporting), gold.owners(ids))


def _rank(ids: list[str], key: str) -> int:
    """Return the rank from 1; 0 if it is absent."""
    return ids.index(key) + 1 if key in ids else 0


def weighed_rows(dataset: Dataset, models: Models, context: TaskContext) -> list[WeighedRow]:
    """Return (dense, path, gold) of every passage that either score ranks high, and of the gold ones, by question."""
    found: list[WeighedRow] = []
    for workspace, question in each_question(dataset, models, context):
        ids, dense, path = workspace.retrieval.asker().rankings.hybrid_scores(question.question)
        gold = np.isin(ids, list(question.supporting))
        rows = set(np.flatnonzero(gold).tolist())
        for scores in (dense, path):
            rows.update(np.argsort(-scores, kind="stable")[:_FIRST].tolist())
        found += [(float(dense[row]), float(path[row]), bool(gold[row])) for row in sorted(rows)]
    return found
