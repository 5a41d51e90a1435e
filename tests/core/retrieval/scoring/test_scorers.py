"""What components are worth, by slow and obvious oracles over a real workspace."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import numpy as np
import pytest

from core.answering.ask import Asker
from core.errors import BadReply
from core.index.lexical import searched_words
from core.progress import Cancelled, TaskContext
from core.protocols import LanguageModel
from core.retrieval.fact_graph import Rows
from core.retrieval.paths.finders import Enumerated
from core.retrieval.scoring.meaning import MeaningScorer
from core.retrieval.scoring.scorer import ComponentTexts
from core.retrieval.scoring.text_scorers import Chosen, ModelScorer, ReadingScorer, WordScorer
from core.retrieval.subgraph.subgraph import Asked
from core.retrieval.view import SnapshotView
from core.text.stems import stem, words
from core.types import Generation, Message, Structured
from core.workspace import Workspace

QUESTION = "Who owns the Grey Petrel?"
CONTEXT = TaskContext()


@pytest.fixture(scope="module")
def asker(sample_workspace: Workspace) -> Asker:
    return sample_workspace.retrieval.asker()


@pytest.fixture(scope="module")
def view(asker: Asker) -> SnapshotView:
    return asker.view


@pytest.fixture(scope="module")
def asked(asker: Asker) -> Asked:
    degrees = np.diff(asker.view.facts.starts)
    return Asked(QUESTION, asker.rankings.analyse(QUESTION).vector, {int(degrees.argmax()): 1.0})


@pytest.fixture(scope="module")
def places(view: SnapshotView) -> Rows:
    return view.subgraph.facts


def test_words_are_bm25(view: SnapshotView, asked: Asked, places: Rows) -> None:
    texts = ComponentTexts(view.corpus, view.facts, view.fact_reader).facts(places)
    held = [[word.stem for word in words(text)] for text in texts]
    mean = sum(map(len, held)) / len(held)

    def slow(document: list[str]) -> float:
        score = 0.0
        for word in {stem(word) for word in searched_words(QUESTION)}:
            holding = sum(word in other for other in held)
            often = document.count(word)
            weight = math.log(1 + (len(held) - holding + 0.5) / (holding + 0.5))
            score += weight * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * len(document) / mean))
        return score

    found = WordScorer(view.component_texts).facts(asked, places, CONTEXT)
    assert found == pytest.approx([slow(document) for document in held])
    assert "Petrel" in texts[int(found.argmax())]


def test_meaning_is_the_nearest_sentence_that_names_both_ends(
    view: SnapshotView, asked: Asked, places: Rows
) -> None:
    corpus = view.corpus
    cosines = corpus.sentence_vectors[:] @ asked.vector
    named = [
        set(corpus.named_entities[first:end].tolist())
        for first, end in zip(corpus.named_starts, corpus.named_starts[1:], strict=False)
    ]

    def nearest(*rows: int) -> float:
        return max(
            (float(c) for c, own in zip(cosines, named, strict=True) if own >= set(rows)), default=-1.0
        )

    ends, told = view.subgraph.ends.tolist(), 0
    found = view.meaning_scorer.facts(asked, places, CONTEXT)
    for score, (one, other) in zip(found, ends, strict=True):
        both = nearest(one, other)
        told += both > -1.0
        assert score == pytest.approx(both if both > -1.0 else min(nearest(one), nearest(other)), abs=1e-5)
    assert told > len(ends) / 4, "a real sentence tells most of them"
    rows = np.arange(len(corpus.entity_ids))
    entities = view.meaning_scorer.entities(asked, rows, CONTEXT)
    assert entities == pytest.approx([nearest(row) for row in rows.tolist()], abs=1e-5)


def test_a_path_means_what_its_facts_mean_in_the_mean(view: SnapshotView, asked: Asked) -> None:
    paths = Enumerated(2, 50).find(asked, view.subgraph, CONTEXT)
    scorer = MeaningScorer(view.corpus, view.facts)
    assert {len(path.facts) for path in paths} == {1, 2}
    means = [scorer.facts(asked, np.array(path.facts), CONTEXT).mean() for path in paths]
    assert scorer.paths(asked, paths, CONTEXT) == pytest.approx(means)


@pytest.mark.long
def test_the_reader_prefers_what_is_about_the_question(asker: Asker) -> None:
    relevance = asker.rankings.models.relevance
    assert relevance is not None
    texts = ["Sahel Fuel owns Grey Petrel", "Grain prices rose in March", "Grey Petrel owned by Holm"]
    scores = relevance(QUESTION, texts)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert scores[1] == scores.min()


def test_reading_is_batched_and_can_be_cancelled(view: SnapshotView, asked: Asked, places: Rows) -> None:
    sizes = []

    def relevance(question: str, texts: Sequence[str]) -> np.ndarray:
        sizes.append(len(texts))
        return np.array([float(len(text)) for text in texts])

    texts = ComponentTexts(view.corpus, view.facts, view.fact_reader)
    places = np.tile(places, -(-129 // len(places)))
    scores = ReadingScorer(texts, relevance).facts(asked, places, CONTEXT)
    assert scores.tolist() == [len(text) for text in texts.facts(places)]
    assert max(sizes) <= 128 < sum(sizes)
    with pytest.raises(Cancelled):
        ReadingScorer(texts, relevance).facts(asked, places, TaskContext(cancelled=lambda: True))


class Scripted:
    """A language model that says what it is told to."""

    def __init__(self, *chosen: int) -> None:
        self._chosen = chosen
        self.prompts: list[Sequence[Message]] = []

    def structured(
        self, messages: Sequence[Message], record: type[Chosen], context: TaskContext, *, max_tokens: int = 0
    ) -> Structured[Chosen]:
        self.prompts.append(messages)
        if not self._chosen:
            raise BadReply("No.", "Ask again.")
        return Structured(record(self._chosen), Generation("", 0, 0, 0.0))


def test_a_model_orders_what_it_chose(view: SnapshotView, asked: Asked, places: Rows) -> None:
    texts, model = ComponentTexts(view.corpus, view.facts, view.fact_reader), Scripted(3, 1, 3, 99, 0)
    scorer = ModelScorer(texts, lambda: cast(LanguageModel, model))
    scores = scorer.facts(asked, places[:4], CONTEXT)
    assert np.argsort(-scores, kind="stable").tolist()[:2] == [2, 0]
    assert (scores > 0).tolist() == [True, False, True, False]
    shown = [message.text for message in model.prompts[0]]
    assert all(text in part for text, part in zip(texts.facts(places[:4]), shown[1:], strict=False))
    assert QUESTION in shown[-1]
    assert not scorer.facts(asked, places[:0], CONTEXT).size and len(model.prompts) == 1
    useless = ModelScorer(texts, lambda: cast(LanguageModel, Scripted()))
    assert useless.facts(asked, places[:4], CONTEXT).tolist() == [0.0] * 4
