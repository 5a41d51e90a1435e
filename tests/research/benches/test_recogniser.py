"""The recogniser's bench: its labelled questions, and its figures."""

from __future__ import annotations

from collections import Counter

import pytest

from core.answering.models import Models
from core.progress import Cancelled, TaskContext
from core.research.benches import recogniser
from core.research.benches.harness import Arguments
from core.research.training.corpuswide import LABELS, SPLITS, labelled_questions
from core.retrieval.routing.corpuswide import corpus_wide


def test_labelled_questions_are_sound() -> None:
    rows = labelled_questions()
    assert len(rows) >= 240
    assert {row.label for row in rows} == set(LABELS)
    assert {row.split for row in rows} == set(SPLITS)
    asked = [" ".join(row.question.lower().split()) for row in rows]
    assert len(set(asked)) == len(asked)  # nothing of one half stands in the other
    kinds = Counter((row.label, row.split) for row in rows)
    for split, fewest in (("dev", 500), ("held", 100), ("works", 20)):
        assert kinds["particular", split] >= fewest
        assert kinds["corpus", split] + kinds["broad", split] >= fewest


@pytest.mark.long
def test_figures_are_those_of_the_labels(models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check all questions that the model was not trained on, and some that it was."""
    rows = labelled_questions()
    asked = [row for row in rows if row.split != "dev"] + [row for row in rows if row.split == "dev"][::10]
    monkeypatch.setattr(recogniser, "labelled_questions", lambda: tuple(asked))
    figures = {name: figure.value for name, figure in recogniser.run(Arguments()).items()}
    assert figures["precision, held"] >= 0.97
    assert figures["questions"] == len(asked)
    test_rows = [row for row in asked if row.split == "held"]
    taken = [
        row
        for row in test_rows
        if corpus_wide(models.parse(row.question), models.embed_question(row.question)).recognised
    ]
    hits = sum(row.label != "particular" for row in taken)
    assert figures["corpus-wide questions, held"] == sum(row.label != "particular" for row in test_rows)
    assert figures["recall, held"] == pytest.approx(hits / figures["corpus-wide questions, held"])
    assert figures["precision, held"] == pytest.approx(hits / len(taken))
    assert {"F1, dev, trained on", "F1, works"} <= figures.keys()


def test_it_can_be_stopped() -> None:
    with pytest.raises(Cancelled):
        recogniser.run(Arguments(context=TaskContext(cancelled=lambda: True)))
