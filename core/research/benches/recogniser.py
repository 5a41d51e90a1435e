"""Accuracy of telling corpus-wide questions from particular ones."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from itertools import groupby

from core.answering.models import Models
from core.research.benches.harness import Arguments, Figure, Figures
from core.research.training.corpuswide import SPLITS, LabelledQuestion, labelled_questions
from core.retrieval.routing.corpuswide import CorpusWide, corpus_wide

PRECISION, RECALL = 0.97, 0.90  # goals on the split "held"
MILLISECONDS = 1.0  # beyond the parse


def run(arguments: Arguments) -> Figures:
    """Return precision, recall and F1 on the labelled questions, by split, and the milliseconds of a question.

    The model was trained on every question of dev; `clew research train scope` reports its out-of-fold figures.
    """
    models, context, figures = Models(), arguments.context, Figures()
    parses, rules = list[float](), list[float]()
    rows = sorted(labelled_questions(), key=lambda row: SPLITS.index(row.split))
    for split, group in groupby(rows, key=lambda row: row.split):
        own, found = list(group), list[CorpusWide]()
        for number, row in enumerate(own):
            context.report("questions", number, len(own), split)
            begin = time.thread_time()  # excludes other work on the machine
            parsed = models.parse(row.question)
            parses.append(time.thread_time() - begin)
            vector = models.embed_question(row.question)  # needed anyway: not counted
            begin = time.thread_time()
            found.append(corpus_wide(parsed, vector))
            rules.append(time.thread_time() - begin)
        figures |= _scores(split, own, found)
    return figures | {
        "a question, median": Figure(
            statistics.median(rules) * 1000, "ms", statistics.median(parses) * 1000, f"< {MILLISECONDS:g} ms"
        ),
        "a question, 99th percentile": Figure(statistics.quantiles(rules, n=100)[98] * 1000, "ms"),
        "questions": Figure(len(rules), ""),
    }


def _scores(split: str, rows: Sequence[LabelledQuestion], found: Sequence[CorpusWide]) -> Figures:
    both = list(zip(rows, found, strict=True))
    hits = sum(f.recognised and r.label != "particular" for r, f in both)
    taken = sum(f.recognised for f in found)
    gold = sum(r.label != "particular" for r in rows)
    precision, recall = hits / max(1, taken), hits / max(1, gold)
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    is_test, split = split == "held", f"{split}, trained on" if split == "dev" else split
    return {
        f"precision, {split}": Figure(precision, "", None, f">= {PRECISION}" if is_test else ""),
        f"recall, {split}": Figure(recall, "", None, f">= {RECALL:.2f}" if is_test else ""),
        f"F1, {split}": Figure(f1, ""),
        f"corpus-wide questions, {split}": Figure(gold, f"of {len(rows)}"),
    }
